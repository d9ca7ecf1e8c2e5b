// Start reading here: the text of a set-up code. `RETICLE:1:`, the content as JSON in base64url (RFC 4648 §5) without padding,
// a full stop, and the signature of everything before it. Nothing of a code is interpreted before its signature is checked.

import FoundationEssentials

/// Changes to a station's configuration, as a QR Code carries them.
public struct SetupCode: Equatable, Sendable {
  /// A key and its new value, as the configuration would hold it.
  public struct Change: Equatable, Sendable {
    public var key: String
    public var value: String

    public init(key: String, value: String) { (self.key, self.value) = (key, value) }

    /// Reads `KEY=VALUE`; nil without a key, or with a control character. The value may contain further equals signs.
    public init?(_ text: String) {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
        parts[1].unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
      else { return nil }
      (key, value) = (parts[0], parts[1])
    }

    public var text: String { "\(key)=\(value)" }
  }

  /// The reason why a text is not a genuine set-up code.
  public enum Fault: Error, Equatable, Sendable {
    /// The text does not have the form of a set-up code of this version.
    case malformed
    /// None of the keys made the signature.
    case signature
    /// The code would have this many bytes, which is more than a QR Code that reads easily holds.
    case tooLong(byteCount: Int)
  }

  /// The beginning of every set-up code. The number is the version of the format.
  public static let prefix = "RETICLE:1:"
  /// The most bytes of a code's text: a QR Code of version 19 at level M, 93 modules per side, holds 624 (ISO/IEC 18004,
  /// table 7).
  public static let textByteCountMax = 600
  /// The most changes in a code.
  public static let changeCountMax = 16
  /// The longest validity, in seconds: a week.
  public static let validSecondsMax: Int64 = 7 * 86_400
  /// Random bytes of an id.
  static let idByteCount = 16

  /// The station that the code is for: its `station.name`, or the beginning of names followed by `*`; nil for every station
  /// with the public key.
  public var station: String?
  /// 1 to `changeCountMax` changes, each of another key.
  public var changes: [Change]
  /// When the code was made, in seconds since 1970.
  public var madeAt: Int64
  /// How long the code is valid, in seconds: 1 to `validSecondsMax`.
  public var validSeconds: Int64
  /// Distinguishes codes: a station carries out each id once.
  public let id: String

  /// A code with a new id.
  public init(_ changes: [Change], for station: String? = nil, madeAt: Int64, validSeconds: Int64) {
    self.station = station
    self.changes = changes
    self.madeAt = madeAt
    self.validSeconds = validSeconds
    id = Base64URL.text((0..<Self.idByteCount).map { _ in UInt8.random(in: 0...255) })
  }

  /// Whether the code is for a station of this name.
  public func isFor(_ name: String) -> Bool {
    guard let station else { return true }
    return station.hasSuffix("*") ? name.hasPrefix(station.dropLast()) : name == station
  }

  /// Whether a symbol's bytes are to be treated as a set-up code, genuine or not.
  public static func isMarked(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: prefix.utf8) }

  // MARK: Text

  /// The code's text, signed.
  public func text(signedBy key: SetupSigningKey) throws(Fault) -> String {
    let content = Content(for: station, set: changes.map(\.text), at: madeAt, valid: validSeconds, id: id)
    guard let json = try? JSONEncoder().encode(content), Self(content) == self else { throw .malformed }
    let signed = Self.prefix + Base64URL.text(Array(json))
    let text = signed + "." + Base64URL.text(key.signature(of: Array(signed.utf8)))
    guard text.utf8.count <= Self.textByteCountMax else { throw .tooLong(byteCount: text.utf8.count) }
    return text
  }

  /// Reads a text that one of the keys has signed.
  public init(_ text: String, signedByOneOf keys: [SetupPublicKey]) throws(Fault) {
    guard text.utf8.count <= Self.textByteCountMax, text.hasPrefix(Self.prefix) else { throw .malformed }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let json = Base64URL.bytes(parts[0].dropFirst(Self.prefix.count)),
      let signature = Base64URL.bytes(parts[1]), signature.count == SetupPublicKey.signatureByteCount
    else { throw .malformed }
    guard keys.contains(where: { $0.accepts(signature: signature, of: Array(parts[0].utf8)) }) else { throw .signature }
    guard let content = try? JSONDecoder().decode(Content.self, from: Data(json)), let code = Self(content) else {
      throw .malformed
    }
    self = code
  }

  /// The signed content, under the short names of its JSON.
  private struct Content: Codable {
    /// The station.
    var `for`: String?
    /// The changes, each as `KEY=VALUE`.
    var set: [String]
    /// When the code was made.
    var at: Int64
    /// How long it is valid.
    var valid: Int64
    var id: String
  }

  /// Nil for a content beyond the limits.
  private init?(_ content: Content) {
    changes = content.set.compactMap { Change($0) }
    guard changes.count == content.set.count, (1...Self.changeCountMax).contains(changes.count),
      Set(changes.map(\.key)).count == changes.count, (1...Self.validSecondsMax).contains(content.valid),
      (0...Self.madeAtMax).contains(content.at), Base64URL.bytes(content.id[...])?.count == Self.idByteCount
    else { return nil }
    station = content.for
    madeAt = content.at
    validSeconds = content.valid
    id = content.id
  }

  /// The last second of the year 9999.
  private static let madeAtMax: Int64 = 253_402_300_799
}

/// RFC 4648 §5, without padding.
enum Base64URL {
  static func text(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Nil for any other text, including one that another text would be written as.
  static func bytes(_ text: Substring) -> [UInt8]? {
    guard text.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2F && $0 != 0x3D }) else { return nil }
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    let standard = String(text).replacing("-", with: "+").replacing("_", with: "/") + padding
    guard let data = Data(base64Encoded: standard) else { return nil }
    let bytes = Array(data)
    return self.text(bytes) == text ? bytes : nil
  }
}
