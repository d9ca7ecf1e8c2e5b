// The changes of set-up codes: a layer of the configuration above the file and below the environment, in a file of the
// outbox's folder.

import Configuration
import Glibc
public import SetupCodes

/// Values that override those of the configuration file.
public struct SetupOverlay: Equatable, Sendable {
  /// The longest file, in bytes.
  static let byteCountMax = 64 << 10
  /// The most values.
  public static let valueCountMax = 256

  /// Values by the names of their keys, as they are written in an environment variable: lists in brackets.
  public private(set) var values: [String: String] = [:]

  public init() {}

  /// This overlay with the changes of a code.
  public func changed(by changes: [SetupCode.Change]) -> SetupOverlay {
    var overlay = self
    for change in changes { overlay.values[change.key] = change.value }
    return overlay
  }

  /// Parses a file; the problems make it unusable as a whole.
  init(bytes: [UInt8]) throws(SetupOverlayFault) {
    let file = ConfigurationFile(bytes: bytes, providerName: "set-up")
    if let problem = file.problems.first { throw .damaged("\(problem)") }
    guard file.entries.count <= Self.valueCountMax else { throw .damaged("it has more than \(Self.valueCountMax) values") }
    for (name, entry) in file.entries {
      guard case .scalar(let text) = entry.value else { throw .damaged("line \(entry.line): \(name) is not one text") }
      values[name] = text
    }
  }

  /// The content of the file: a YAML mapping of full names.
  var bytes: [UInt8] {
    let lines =
      ["# Changed by set-up codes. `reticle config show` shows it; `reticle config clear-setup` removes it."]
      + values.sorted { $0.key < $1.key }.map { name, value in
        "\(YAMLText.quoted(name)): \(YAMLText.quoted(value))"
      }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// The values as a layer for swift-configuration. A list is written in brackets, as in an environment variable.
  var provider: InMemoryProvider {
    var content: [AbsoluteConfigKey: ConfigValue] = [:]
    for (name, text) in values {
      let key = AbsoluteConfigKey(name.split(separator: ".").map(String.init), context: [:])
      content[key] = ConfigValue(Self.entry(name, text).content, isSecret: false)
    }
    return InMemoryProvider(name: "set-up", values: content)
  }

  static func entry(_ name: String, _ text: String) -> ConfigurationFile.Value {
    guard ConfigurationKey.named(name)?.kind.isList == true else { return .scalar(text) }
    let isBracketed = text.hasPrefix("[") && text.hasSuffix("]") && text.count > 1
    let inner = isBracketed ? text.dropFirst().dropLast() : text[...]
    return .list(inner.split(separator: ",").map { String($0.drop { $0 == " " }) })
  }
}

extension ConfigurationFile.Value {
  fileprivate var content: ConfigContent {
    switch self {
    case .scalar(let text): .string(text)
    case .list(let texts): .stringArray(texts)
    case .nothing: .string("")
    }
  }
}

/// The reason why the overlay cannot be read.
public enum SetupOverlayFault: Error, Equatable, Sendable, CustomStringConvertible {
  case file(FileFault)
  case damaged(String)

  /// Whether this user may not read the file.
  var isDenied: Bool {
    if case .file(let fault) = self { fault.code == EACCES } else { false }
  }

  public var description: String {
    switch self {
    case .file(let fault): "\(fault)"
    case .damaged(let detail): detail
    }
  }
}

/// The station's files of set-up by barcode, in the outbox's folder.
///
/// A change is on trial until the station has started with it: the former overlay is kept, and comes back if it does not.
public struct SetupFiles: Equatable, Sendable {
  public let overlayPath: String
  /// The list of used codes.
  public let usedPath: String
  private var formerPath: String { overlayPath + ".former" }

  /// - Parameter outbox: the path of the outbox.
  public init(outbox: String) {
    overlayPath = outbox + "-setup.yaml"
    usedPath = outbox + "-setup-used"
  }

  /// The stored overlay; empty without a file.
  public func read() throws(SetupOverlayFault) -> SetupOverlay {
    let bytes: [UInt8]?
    do throws(FileFault) {
      bytes = try DurableFile.read(overlayPath, byteCountMax: SetupOverlay.byteCountMax)
    } catch { throw .file(error) }
    guard let bytes else { return SetupOverlay() }
    return try SetupOverlay(bytes: bytes)
  }

  /// Whether the stored overlay is on trial.
  public var isOnTrial: Bool { ((try? DurableFile.read(formerPath, byteCountMax: 1)) ?? nil) != nil }

  /// Stores an overlay on trial. On return, it is on the storage.
  public func begin(_ overlay: SetupOverlay) throws(FileFault) {
    let former = try DurableFile.read(overlayPath, byteCountMax: SetupOverlay.byteCountMax) ?? SetupOverlay().bytes
    try DurableFile.replace(formerPath, with: former)
    do throws(FileFault) {
      try DurableFile.replace(overlayPath, with: overlay.bytes)
    } catch {
      // Without this file nothing is on trial. If it stays, the trial changes nothing.
      try? DurableFile.remove(formerPath)
      throw error
    }
  }

  /// Ends the trial: the overlay stays.
  public func confirm() throws(FileFault) { try DurableFile.remove(formerPath) }

  /// Ends the trial: the former overlay comes back.
  public func takeBack() throws(FileFault) {
    guard isOnTrial else { return }
    try DurableFile.rename(formerPath, to: overlayPath)
  }

  /// Removes the overlay; the list of used codes stays.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  public func clear() throws(FileFault) -> Bool {
    let wasThere = try DurableFile.read(overlayPath, byteCountMax: 1) != nil
    try DurableFile.remove(overlayPath)
    try DurableFile.remove(formerPath)
    return wasThere
  }
}
