// A text on its way to a host, in which every character knows whether a label or the operator has put it there: control
// characters of a label follow a rule, those that the operator writes are sent as they are.

public import BarcodeMessage

/// A character of a message.
struct HostScalar: Equatable, Sendable {
  private let bits: UInt32

  private static let dataBit: UInt32 = 1 << 31

  /// A character of the data.
  init(data scalar: Unicode.Scalar) { bits = scalar.value | HostScalar.dataBit }

  /// A character that the operator has chosen.
  init(chosen scalar: Unicode.Scalar) { bits = scalar.value }

  var value: UInt32 { bits & ~HostScalar.dataBit }
  var isData: Bool { bits & HostScalar.dataBit != 0 }
  var scalar: Unicode.Scalar { Unicode.Scalar(value) ?? "\u{FFFD}" }

  /// The same origin with another character.
  func with(_ scalar: Unicode.Scalar) -> HostScalar { isData ? HostScalar(data: scalar) : HostScalar(chosen: scalar) }
}

/// What a host gets for a scan.
public struct HostMessage: Equatable, Sendable {
  var scalars: [HostScalar] = []

  init(scalars: [HostScalar] = []) { self.scalars = scalars }

  /// Text of a label.
  public init(data text: String) { scalars = text.unicodeScalars.map { HostScalar(data: $0) } }

  /// Text of the operator's.
  init(chosen text: String) { scalars = text.unicodeScalars.map { HostScalar(chosen: $0) } }

  /// The message as text.
  ///
  /// - Parameter controls: what becomes of control characters of the data.
  public func text(_ controls: ControlCharacterRule = .send) -> String {
    var text = String.UnicodeScalarView()
    for one in scalars {
      if one.isData, one.value < 0x80 {
        for byte in controls.bytes(for: UInt8(one.value)) { text.append(Unicode.Scalar(byte)) }
      } else {
        text.append(one.scalar)
      }
    }
    return String(text)
  }

  /// Whether it is this text, unchanged.
  func isPlain(_ text: String) -> Bool { self == HostMessage(data: text) }

  /// Puts control characters of the data in order.
  mutating func apply(_ rule: ControlCharacterRule) {
    scalars = scalars.flatMap { one -> [HostScalar] in
      guard one.isData, one.value < 0x80 else { return [one] }
      let bytes = rule.bytes(for: UInt8(one.value))
      // What stands for another character is not put in order again.
      return bytes == [UInt8(one.value)] ? [one] : bytes.map { HostScalar(chosen: Unicode.Scalar($0)) }
    }
  }

  mutating func apply(_ letters: LetterCase, toDataAlone: Bool) {
    guard letters != .keep else { return }
    var changed: [HostScalar] = []
    changed.reserveCapacity(scalars.count)
    for one in scalars {
      if toDataAlone && !one.isData {
        changed.append(one)
      } else if one.value < 0x80 {
        let isOther = letters == .upper ? (0x61...0x7A).contains(one.value) : (0x41...0x5A).contains(one.value)
        changed.append(isOther ? one.with(Unicode.Scalar(UInt8(one.value ^ 0x20))) : one)
      } else {
        let properties = one.scalar.properties
        let mapping = letters == .upper ? properties.uppercaseMapping : properties.lowercaseMapping
        for scalar in mapping.unicodeScalars { changed.append(one.with(scalar)) }
      }
    }
    scalars = changed
  }

  static func + (a: HostMessage, b: HostMessage) -> HostMessage { HostMessage(scalars: a.scalars + b.scalars) }
}

/// The case of letters.
public enum LetterCase: String, CaseIterable, Sendable { case keep, upper, lower }
