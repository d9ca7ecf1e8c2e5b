// What a scan looks like on a serial line: the oldest interface of the trade, where the only structure is the bytes
// themselves. Pure, so every rule is a line in a test.

import BarcodeMessage

/// Puts a scan into bytes: prefix, number, AIM identifier, symbology letter, data, trailer, suffix.
enum SerialFrame {
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
    if settings.sendsAIMIdentifier { frame += Array(record.aimIdentifier.utf8) }
    // The letter stands between the bracket and the modifier (ISO/IEC 15424).
    if settings.sendsSymbologyLetter { frame += Array(record.aimIdentifier.utf8.dropFirst().prefix(1)) }
    if settings.sendsAIMIdentifier, record.aimIdentifier.hasPrefix("]E") {
      frame += Array(
        dataBehindAIMIdentifier(
          record.aimIdentifier, text: record.text, isZeroSuppressed: record.symbology == "upce"
        ).utf8)
    } else if settings.nonASCII == .raw {
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
    case .raw: break
    }
  }

  private static func append(_ byte: UInt8, to frame: inout [UInt8], _ settings: FramingSettings) {
    let isControl = byte < 0x20 || byte == 0x7F
    switch settings.controlCharacters {
    case .send: frame.append(byte)
    case .separatorOnly: if !isControl || byte == 0x1D { frame.append(byte) }
    case .remove: if !isControl { frame.append(byte) }
    case .escape:
      if isControl {
        let digits = Array("0123456789ABCDEF".utf8)
        frame += [UInt8(ascii: "\\"), UInt8(ascii: "x"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      } else {
        frame.append(byte)
        if byte == UInt8(ascii: "\\") { frame.append(byte) }
      }
    }
  }
}
