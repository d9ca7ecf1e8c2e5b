// The YAML file as a flat list of keys with their lines: swift-configuration looks values up here, and errors and unknown
// keys are reported from here. The package's own YAML snapshot rejects lists of sections, which sinks are, and does not list
// a file's keys.

public import Configuration
import CYAML

/// A configuration file after parsing.
public struct ConfigurationFile: FileConfigSnapshot {
  /// The largest file, in bytes. Actual files are below 4 KiB.
  public static let byteCountMax = 256 << 10
  /// The most keys in a file, including those that anchors repeat.
  public static let keyCountMax = 4096
  /// The deepest nesting of sections.
  public static let depthMax = 16

  /// Options for parsing; there are no choices.
  public struct ParsingOptions: FileParsingOptions {
    public static let `default` = ParsingOptions()
  }

  enum Value: Equatable, Sendable {
    case scalar(String)
    case list([String])
    /// The key is present, without a value.
    case nothing
  }

  struct Entry: Equatable, Sendable {
    var value: Value
    /// From 1.
    var line: Int
  }

  public let providerName: String
  /// Every key with a value, by its full name; positions in a list of sections are numbers from 0.
  let entries: [String: Entry]
  /// The sections in the file, and their lines.
  let sections: [String: Int]
  /// Faults of the file itself.
  let problems: [ConfigurationProblem]

  public init(data: RawSpan, providerName: String, parsingOptions: ParsingOptions) throws {
    let bytes = data.byteOffsets.map { data.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    self.init(bytes: bytes, providerName: providerName)
  }

  /// Parses the bytes of a file. Never fails: faults are in `problems`.
  init(bytes: [UInt8], providerName: String = "file") {
    var outline = Outline()
    if bytes.count > Self.byteCountMax {
      outline.problems.append(
        ConfigurationProblem("the file has \(bytes.count) bytes; at most \(Self.byteCountMax) are read"))
    } else if let text = String(validating: bytes, as: UTF8.self) {
      outline.read(text)
    } else {
      outline.problems.append(ConfigurationProblem("the file is not UTF-8 text; save it as UTF-8"))
    }
    self.providerName = providerName
    entries = outline.entries
    sections = outline.sections
    problems = outline.problems
  }

  private init(_ file: ConfigurationFile, entries: [String: Entry], sections: [String: Int]) {
    (providerName, problems) = (file.providerName, file.problems)
    (self.entries, self.sections) = (entries, sections)
  }

  /// The line of what the overlay adds.
  static let overlayLine = 0

  /// The file as if the overlay's values were written in it.
  func overlaid(by overlay: SetupOverlay) -> ConfigurationFile {
    var (entries, sections) = (entries, sections)
    for (name, text) in overlay.values {
      entries[name] = Entry(value: SetupOverlay.entry(name, text), line: Self.overlayLine)
      let parts = name.split(separator: ".")
      for count in 1..<max(1, parts.count) {
        let section = parts.prefix(count).joined(separator: ".")
        if sections[section] == nil { sections[section] = Self.overlayLine }
      }
    }
    return ConfigurationFile(self, entries: entries, sections: sections)
  }

  public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
    let name = key.components.joined(separator: ".")
    guard let entry = entries[name] else { return LookupResult(encodedKey: name, value: nil) }
    let content: ConfigContent?
    switch (entry.value, type) {
    case (.scalar(let text), .string): content = .string(text)
    case (.list(let texts), .string): content = .string(texts.joined(separator: ", "))
    case (.scalar(let text), .stringArray): content = .stringArray([text])
    case (.list(let texts), .stringArray): content = .stringArray(texts)
    default: content = nil
    }
    return LookupResult(encodedKey: name, value: content.map { ConfigValue($0, isSecret: false) })
  }

  public var description: String { "\(providerName)[\(entries.count) keys]" }
  public var debugDescription: String { description }
}

/// Looks up the keys of a text that is not in a file yet.
struct TextProvider: ConfigProvider {
  let file: ConfigurationFile

  var providerName: String { file.providerName }

  func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
    try file.value(forKey: key, type: type)
  }

  nonisolated(nonsending) func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
    try file.value(forKey: key, type: type)
  }

  nonisolated(nonsending) func watchValue<Return: ~Copyable>(
    forKey key: AbsoluteConfigKey, type: ConfigType,
    updatesHandler:
      nonisolated(nonsending) (ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>) async throws -> Return
  ) async throws -> Return {
    try await watchValueFromValue(forKey: key, type: type, updatesHandler: updatesHandler)
  }

  func snapshot() -> any ConfigSnapshot { file }

  nonisolated(nonsending) func watchSnapshot<Return: ~Copyable>(
    updatesHandler: nonisolated(nonsending) (ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
  ) async throws -> Return {
    try await watchSnapshotFromSnapshot(updatesHandler: updatesHandler)
  }
}

/// Walks the nodes of a YAML document.
private struct Outline {
  var entries: [String: ConfigurationFile.Entry] = [:]
  var sections: [String: Int] = [:]
  var problems: [ConfigurationProblem] = []
  /// A limit was exceeded: parsing stops, because aliases of aliases would take hours.
  private var isOverfull = false

  mutating func read(_ text: String) {
    do throws(YAMLError) {
      let document = try YAMLDocument(text, depthMax: ConfigurationFile.depthMax)
      guard let root = document.root else { return }
      guard case .mapping = document.content(root) else {
        problems.append(ConfigurationProblem("the file holds no keys; write lines such as station.name: till-3"))
        return
      }
      visit(root, of: document, "", depth: 0)
      guard isOverfull else { return }
      // Part of a file does not show which keys are missing or misspelt.
      self = Outline()
      problems = [
        ConfigurationProblem(
          "the file has more than \(ConfigurationFile.keyCountMax) keys or \(ConfigurationFile.depthMax) levels, those that its "
            + "aliases repeat included; remove what is not a key of Reticle")
      ]
    } catch {
      problems.append(ConfigurationProblem("this is not YAML: \(error.reason)"))
    }
  }

  private mutating func visit(_ node: YAMLDocument.Node, of document: borrowing YAMLDocument, _ path: String, depth: Int) {
    let line = document.line(node)
    guard !isOverfull else { return }
    guard depth <= ConfigurationFile.depthMax, entries.count + sections.count < ConfigurationFile.keyCountMax else {
      isOverfull = true
      return
    }
    switch document.content(node) {
    case .scalar(let text, let isPlain):
      let isNothing = isPlain && ["", "~", "null"].contains(text)
      entries[path] = .init(value: isNothing ? .nothing : .scalar(text), line: line)
    case .mapping(let pairs):
      sections[path] = line
      visit(pairs, of: document, path, line: line, depth: depth)
    case .sequence(let items):
      let texts = items.compactMap { document.text($0) }
      guard path == ConfigurationReading.sinksName || texts.count < items.count else {
        entries[path] = .init(value: .list(texts), line: line)
        return
      }
      sections[path] = line
      for (index, item) in items.enumerated() where !isOverfull {
        visit(item, of: document, "\(path).\(index)", depth: depth + 1)
      }
    }
  }

  private mutating func visit(
    _ pairs: [(key: YAMLDocument.Node, value: YAMLDocument.Node)], of document: borrowing YAMLDocument, _ path: String,
    line: Int, depth: Int
  ) {
    var names: Set<String> = []
    for (key, value) in pairs where !isOverfull {
      guard let name = document.text(key) else {
        problems.append(ConfigurationProblem("a key is not a word", line: document.line(key)))
        continue
      }
      if names.insert(name).inserted {
        visit(value, of: document, path.isEmpty ? name : path + "." + name, depth: depth + 1)
      } else {
        problems.append(ConfigurationProblem("the key \(name) is there twice; keep one", line: document.line(key)))
      }
    }
  }
}
