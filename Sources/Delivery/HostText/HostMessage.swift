// A text for a host, in which every character records whether it comes from the label or from the operator: a label's
// control characters follow a rule, the operator's are sent unchanged.

public import BarcodeMessage

/// A character of a message.
struct HostScalar: Equatable, Sendable {
  private let bits: UInt32

  private static let dataBit: UInt32 = 1 << 31

  /// A character of the data.
  init(data scalar: Unicode.Scalar) { bits = scalar.value | HostScalar.dataBit }

  /// A character chosen by the operator.
  init(chosen scalar: Unicode.Scalar) { bits = scalar.value }

  var value: UInt32 { bits & ~HostScalar.dataBit }
  var isData: Bool { bits & HostScalar.dataBit != 0 }
  var scalar: Unicode.Scalar { Unicode.Scalar(value) ?? "\u{FFFD}" }

  /// Another character of the same origin.
  func with(_ scalar: Unicode.Scalar) -> HostScalar { isData ? HostScalar(data: scalar) : HostScalar(chosen: scalar) }
}

/// The text of a scan for a host.
public struct HostMessage: Equatable, Sendable {
  var scalars: [HostScalar] = []

  init(scalars: [HostScalar] = []) { self.scalars = scalars }

  /// A message with a label's text.
  public init(data text: String) { scalars = text.unicodeScalars.map { HostScalar(data: $0) } }

  /// A message with the operator's text.
  init(chosen text: String) { scalars = text.unicodeScalars.map { HostScalar(chosen: $0) } }

  /// The message as text.
  ///
  /// - Parameter controls: the treatment of control characters in the data.
  public func text(_ controls: ControlCharacterRule = .send) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(scalars.count)
    for one in scalars {
      if one.isData, one.value < 0x20 || one.value == 0x7F || one.value == UInt32(UInt8(ascii: "\\")) {
        // A rule writes ASCII.
        bytes += controls.bytes(for: UInt8(one.value))
      } else if one.value < 0x80 {
        bytes.append(UInt8(one.value))
      } else if let units = UTF8.encode(one.scalar) {
        bytes.append(contentsOf: units)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether it equals this text of a label.
  func isPlain(_ text: String) -> Bool { self == HostMessage(data: text) }

  /// Applies the rule to control characters of the data.
  mutating func apply(_ rule: ControlCharacterRule) {
    scalars = scalars.flatMap { one -> [HostScalar] in
      guard one.isData, one.value < 0x80 else { return [one] }
      let bytes = rule.bytes(for: UInt8(one.value))
      // A replacement is not treated again.
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
