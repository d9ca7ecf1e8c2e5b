// Parses written values, one function per kind. Each returns nil for text that it does not understand; the kind itself
// states the requirement.

import BarcodeTypes
import Devices
import ScanControl
import ScanScreen

package enum ConfigurationParsing {
  static func flag(_ text: String) -> Bool? {
    switch text {
    case "true": true
    case "false": false
    default: nil
    }
  }

  /// An address of HTTP or HTTPS. The connecting code checks the rest.
  static func webAddress(_ text: String) -> String? {
    let hasHost = ["https://", "http://"].contains { text.hasPrefix($0) && text.count > $0.count }
    return hasHost && !text.contains(" ") ? text : nil
  }

  static func integer(_ text: String, in range: ClosedRange<Int>) -> Int? {
    guard let number = Int(text), range.contains(number) else { return nil }
    return number
  }

  static func lengths(_ text: String, in range: ClosedRange<Int>) -> ClosedRange<Int>? {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
    let numbers = ends.compactMap { integer(String($0), in: range) }
    guard let least = numbers.first, let most = numbers.last, ends.count <= 2, numbers.count == ends.count, least <= most
    else { return nil }
    return least...most
  }

  static func decimal(_ text: String, in range: ClosedRange<Double>) -> Double? {
    guard text.utf8.allSatisfy({ ("0"..."9").contains(Character(Unicode.Scalar($0))) || $0 == UInt8(ascii: ".") }),
      let number = Double(text), range.contains(number)
    else { return nil }
    return number
  }

  /// A number with at most three decimals and a unit, with or without a blank between them.
  package static func duration(_ text: String, in range: ClosedRange<Duration>) -> Duration? {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text[number.endIndex...].drop { $0 == " " }
    let lengths = ["ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000]
    guard let length = lengths[String(unit)], number.count <= 12, let thousandths = thousandths(number) else { return nil }
    let (product, overflow) = thousandths.multipliedReportingOverflow(by: length)
    guard !overflow, product % 1000 == 0 else { return nil }
    let duration = Duration.milliseconds(product / 1000)
    return range.contains(duration) ? duration : nil
  }

  private static func thousandths(_ number: Substring) -> Int? {
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = Int(parts[0]) else { return nil }
    guard parts.count == 2 else { return whole * 1000 }
    guard (1...3).contains(parts[1].count), let part = Int(parts[1]) else { return nil }
    let scale = [100, 10, 1][parts[1].count - 1]
    return whole * 1000 + part * scale
  }

  static func reopening(_ text: String) -> Reopening? {
    switch text {
    case "on confirmation": return .onConfirmation
    case "on trigger": return .onTrigger
    default:
      guard text.hasPrefix("after ") else { return nil }
      return duration(String(text.dropFirst(6)), in: .zero ... .seconds(86_400)).map { .after($0) }
    }
  }

  static func region(_ texts: [String]) -> Viewport? {
    let numbers = texts.compactMap { decimal($0, in: 0...1) }
    guard numbers.count == 4, texts.count == 4 else { return nil }
    let viewport = Viewport(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    // Sums of decimal fractions such as 0.3 + 0.7 may miss 1 by rounding.
    let edge = 1 + 1e-9
    guard viewport.width > 0, viewport.height > 0, viewport.x + viewport.width <= edge,
      viewport.y + viewport.height <= edge
    else { return nil }
    return viewport
  }

  static func crop(_ texts: [String]) -> CameraSettings.Crop? {
    let numbers = texts.compactMap { integer($0, in: 0...65_535) }
    guard numbers.count == 4, texts.count == 4, numbers[2] > 0, numbers[3] > 0 else { return nil }
    return CameraSettings.Crop(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }

  static func pattern(_ texts: [String]) -> [Duration]? {
    let times = texts.compactMap { duration($0, in: .milliseconds(1) ... .seconds(60)) }
    return times.count == texts.count && times.count <= 9 ? times : nil
  }

  static func symbology(_ text: String) -> Symbology? {
    Symbology.allCases.first { "\($0.name)" == text }
  }

  static func size(_ text: String) -> ScreenSize? {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).compactMap {
      integer(String($0), in: 16...8192)
    }
    guard sides.count == 2, text.split(separator: "x", omittingEmptySubsequences: false).count == 2 else { return nil }
    return ScreenSize(width: sides[0], height: sides[1])
  }

  /// Parses ASCII text in which `\xNN` means a byte and `\\` a backslash.
  static func bytes(_ text: String, countMax: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte < 0x80, bytes.count < countMax else { return nil }
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
      case UInt8(ascii: "x"):
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard digits.count == 2, let value = UInt8(digits, radix: 16) else { return nil }
        rest = rest.dropFirst(2)
        bytes.append(value)
      default: return nil
      }
    }
    return bytes
  }

  /// The reverse of `bytes`: printable ASCII as it is, anything else as `\xNN`.
  static func written(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      if byte == UInt8(ascii: "\\") { return "\\\\" }
      guard byte < 0x20 || byte > 0x7E else { return String(Unicode.Scalar(byte)) }
      let digits = String(byte, radix: 16)
      return "\\x" + (digits.count < 2 ? "0" : "") + digits
    }.joined()
  }
}
