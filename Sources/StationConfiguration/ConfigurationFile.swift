// The YAML file as a flat list of keys with their lines: what swift-configuration looks values up in, and what errors and
// unknown keys are reported from. Its own YAML snapshot would refuse a list of sections, which sinks are, and does not tell
// which keys a file has.

public import Configuration
import Yams

/// A configuration file after parsing.
public struct ConfigurationFile: FileConfigSnapshot {
  /// The largest file, in bytes. Ours are below 4 KiB.
  public static let byteCountMax = 256 << 10
  /// The most keys in a file, those that anchors repeat included.
  public static let keyCountMax = 4096
  /// The most sections inside each other.
  public static let depthMax = 16

  /// How a file is read; there is nothing to choose.
  public struct ParsingOptions: FileParsingOptions {
    public static let `default` = ParsingOptions()
  }

  enum Value: Equatable, Sendable {
    case scalar(String)
    case list([String])
    /// The key is there, with nothing behind it.
    case nothing
  }

  struct Entry: Equatable, Sendable {
    var value: Value
    /// From 1.
    var line: Int
  }

  public let providerName: String
  /// Every key that has a value, by its full name; places in a list of sections are numbers from 0.
  let entries: [String: Entry]
  /// The sections that are there, and their lines.
  let sections: [String: Int]
  /// What is wrong with the file as such.
  let problems: [ConfigurationProblem]

  public init(data: RawSpan, providerName: String, parsingOptions: ParsingOptions) throws {
    let bytes = data.byteOffsets.map { data.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    self.init(bytes: bytes, providerName: providerName)
  }

  /// Parses the bytes of a file. Never fails: what is wrong is in `problems`.
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

/// Walks the nodes of a YAML document.
private struct Outline {
  var entries: [String: ConfigurationFile.Entry] = [:]
  var sections: [String: Int] = [:]
  var problems: [ConfigurationProblem] = []
  /// A limit was met: the rest is not looked at, or aliases of aliases would be walked for hours.
  private var isOverfull = false

  mutating func read(_ text: String) {
    do {
      guard let root = try Parser(yaml: text).singleRoot() else { return }
      guard case .mapping = root else {
        problems.append(ConfigurationProblem("the file holds no keys; write lines such as station.name: till-3"))
        return
      }
      visit(root, "", depth: 0)
    } catch {
      problems.append(ConfigurationProblem("this is not YAML: \(yamlReason(error))"))
    }
  }

  private mutating func visit(_ node: Node, _ path: String, depth: Int) {
    let line = node.mark?.line ?? 0
    guard !isOverfull else { return }
    guard depth <= ConfigurationFile.depthMax, entries.count + sections.count < ConfigurationFile.keyCountMax else {
      isOverfull = true
      problems.append(
        ConfigurationProblem(
          "the file has more than \(ConfigurationFile.keyCountMax) keys or \(ConfigurationFile.depthMax) levels"))
      return
    }
    switch node {
    case .scalar(let scalar):
      let isNothing = scalar.style == .plain && ["", "~", "null"].contains(scalar.string)
      entries[path] = .init(value: isNothing ? .nothing : .scalar(scalar.string), line: line)
    case .mapping(let mapping):
      sections[path] = line
      for (key, value) in mapping where !isOverfull {
        guard case .scalar(let name) = key else {
          problems.append(ConfigurationProblem("a key is not a word", line: key.mark?.line))
          continue
        }
        visit(value, path.isEmpty ? name.string : path + "." + name.string, depth: depth + 1)
      }
    case .sequence(let sequence):
      let texts = sequence.compactMap { node -> String? in
        if case .scalar(let scalar) = node { scalar.string } else { nil }
      }
      guard path == ConfigurationReading.sinksName || texts.count < sequence.count else {
        entries[path] = .init(value: .list(texts), line: line)
        return
      }
      sections[path] = line
      for (index, node) in sequence.enumerated() where !isOverfull { visit(node, "\(path).\(index)", depth: depth + 1) }
    case .alias: problems.append(ConfigurationProblem("an alias points nowhere", line: line))
    }
  }
}

/// What the YAML parser says, in one line.
private func yamlReason(_ error: any Error) -> String {
  switch error as? YamlError {
  case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _), .composer(_, let problem, let mark, _):
    "line \(mark.line), column \(mark.column): \(problem)"
  case .duplicatedKeysInMapping(let duplicates, let context):
    "line \(context.mark.line): the key \(duplicates.joined(separator: ", ")) is there twice; keep one"
  case .reader(let problem, let offset, _, _): "at byte \(offset ?? 0): \(problem)"
  default: "\(error)"
  }
}
