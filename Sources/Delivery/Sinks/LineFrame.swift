// The form of a scan on a line: the oldest interface of the trade, where the only structure is the bytes
// themselves. Pure, so every rule is a line in a test.

import BarcodeMessage
import DeliveryModel

/// Puts a scan into bytes: prefix, number, id, AIM identifier, symbology letter, data, trailer, suffix.
enum LineFrame {
  /// The bytes of one scan.
  ///
  /// Control characters and characters outside ASCII in the data follow the settings' rules; what is around it is sent as
  /// it is. With the rule `raw` the data is the symbol's own bytes; otherwise it is the text. Behind an AIM identifier, the data
  /// of EAN and UPC are as long as the identifier says.
  ///
  /// - Parameter number: the frame's, 0 to 9, where the host answers with it.
  static func bytes(_ record: ScanRecord, _ settings: FramingSettings, number: UInt8? = nil) -> [UInt8] {
    var frame = settings.prefix
    if let number { frame.append(UInt8(ascii: "0") + number) }
    if settings.sendsID { frame += Array("\(record.id) ".utf8) }
    let isScan = record.noRead == nil
    if settings.sendsAIMIdentifier, isScan { frame += Array(record.aimIdentifier.utf8) }
    // The letter stands between the bracket and the modifier (ISO/IEC 15424).
    if settings.sendsSymbologyLetter, isScan { frame += Array(record.aimIdentifier.utf8.dropFirst().prefix(1)) }
    if let text = record.hostText {
      // Its control characters have followed the rule already, but for those that the operator chose.
      for scalar in text.unicodeScalars {
        if scalar.isASCII { frame.append(UInt8(scalar.value)) } else { append(scalar, to: &frame, settings) }
      }
    } else if settings.sendsAIMIdentifier, record.aimIdentifier.hasPrefix("]E") {
      frame += Array(
        dataBehindAIMIdentifier(
          record.aimIdentifier, text: record.text, isZeroSuppressed: record.symbology == "upce"
        ).utf8)
    } else if settings.nonASCII == .raw, isScan {
      for byte in record.bytes { append(byte, to: &frame, settings) }
    } else {
      for scalar in record.text.unicodeScalars { append(scalar, to: &frame, settings) }
    }
    frame += settings.trailer
    frame += settings.suffix.bytes
    return frame
  }

  private static func append(_ scalar: Unicode.Scalar, to frame: inout [UInt8], _ settings: FramingSettings) {
    if scalar.isASCII { return append(UInt8(scalar.value), to: &frame, settings) }
    switch settings.nonASCII {
    case .utf8: frame += Array(String(scalar).utf8)
    case .latin1: frame.append(UInt8(exactly: scalar.value) ?? settings.replacement)
    case .replace: frame.append(settings.replacement)
    case .raw: frame += Array(String(scalar).utf8)
    }
  }

  private static func append(_ byte: UInt8, to frame: inout [UInt8], _ settings: FramingSettings) {
    frame += settings.controlCharacters.bytes(for: byte)
  }
}
