// Answers as JSON and as text. The JSON is written by hand: it is small, its numbers keep their decimals, and Foundation
// would double the size of the program.

import BarcodeMessage
import BarcodeTypes

extension PictureAnswer {
  /// One JSON object, without a line feed.
  var json: String {
    var json = "{\"file\":\(jsonString(file))"
    switch outcome {
    case .unreadable(let message): json += ",\"error\":\(jsonString(message))"
    case .read(let picture):
      json += ",\"width\":\(picture.width),\"height\":\(picture.height),\"decode_ns\":\(picture.decodeNanoseconds)"
      json += ",\"codes\":[" + picture.codes.map(\.json).joined(separator: ",") + "]"
    }
    return json + "}"
  }

  /// A line a code, each with its line feed: file, symbology and content, separated by tabs.
  var text: String {
    guard case .read(let picture) = outcome else { return "" }
    var lines = ""
    for code in picture.codes {
      lines += "\(terminalSafe(file))\t\(code.symbology)\t\(terminalSafe(code.content.humanReadable ?? code.content.text))\n"
    }
    return lines
  }
}

extension Code {
  var json: String {
    var json = "{\"symbology\":\(jsonString(symbology)),\"aim\":\(jsonString(content.aimIdentifier))"
    json += ",\"text\":\(jsonString(content.text))"
    if let humanReadable = content.humanReadable { json += ",\"hri\":\(jsonString(humanReadable))" }
    json += ",\"bytes_hex\":\"" + payload.map(hexadecimal).joined() + "\""
    let points = [corners.topLeft, corners.topRight, corners.bottomRight, corners.bottomLeft]
    json += ",\"corners\":[" + points.map { "[\(decimal($0.x)),\(decimal($0.y))]" }.joined(separator: ",") + "]"
    return json + "}"
  }
}

/// A JSON string with its quotes (RFC 8259 §7). DEL and C1 controls are escaped too, for the sake of terminals.
func jsonString(_ text: String) -> String {
  var json = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": json += "\\\""
    case "\\": json += "\\\\"
    case "\n": json += "\\n"
    case "\r": json += "\\r"
    case "\t": json += "\\t"
    case _ where isControl(scalar): json += "\\u" + hexadecimal(UInt16(truncatingIfNeeded: scalar.value))
    default: json.unicodeScalars.append(scalar)
    }
  }
  return json + "\""
}

/// Text that does nothing to a terminal and stays on its line: control characters, line separators, and the marks that turn
/// the direction of writing are written as escapes, and so is the backslash.
func terminalSafe(_ text: String) -> String {
  var safe = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\\": safe += "\\\\"
    case "\n": safe += "\\n"
    case "\r": safe += "\\r"
    case "\t": safe += "\\t"
    case _ where scalar.value < 0x80 && isControl(scalar): safe += "\\x" + hexadecimal(UInt8(scalar.value))
    case _ where isControl(scalar): safe += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    default: safe.unicodeScalars.append(scalar)
    }
  }
  return safe
}

/// C0, DEL and C1 controls, line and paragraph separators, and the direction marks of Unicode's bidirectional algorithm.
private func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
  default: false
  }
}

func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

private func hexadecimal(_ word: UInt16) -> String {
  hexadecimal(UInt8(word >> 8)) + hexadecimal(UInt8(truncatingIfNeeded: word))
}

/// A coordinate with two decimals at most, rounded to the nearest.
func decimal(_ value: Fixed16) -> String {
  let hundredths = (Int(value.bits) * 100 + (1 << 15)) >> 16
  let sign = hundredths < 0 ? "-" : ""
  let (whole, part) = abs(hundredths).quotientAndRemainder(dividingBy: 100)
  if part == 0 { return "\(sign)\(whole)" }
  return "\(sign)\(whole).\(part < 10 ? "0" : "")\(part % 10 == 0 ? part / 10 : part)"
}
