// Answers as JSON and as text. The JSON is written here: it is small, its numbers keep their decimals, and Foundation would
// double the size of the program.

import BarcodeMessage
import BarcodeTypes
import PictureFiles

extension PictureAnswer {
  /// One JSON object, without a line feed.
  var json: String {
    var json = "{\"file\":\(JSONText.quoted(FileName.shown(file)))"
    if !FileName.isUTF8(file) { json += ",\"file_hex\":\"" + FileName.bytes(file).map(hexadecimal).joined() + "\"" }
    switch outcome {
    case .unreadable(let message): json += ",\"error\":\(JSONText.quoted(FileName.shown(message)))"
    case .read(let picture):
      json += ",\"width\":\(picture.width),\"height\":\(picture.height),\"decode_ns\":\(picture.decodeNanoseconds)"
      if let frames = picture.frameCount { json += ",\"frames\":\(frames)" }
      if picture.pageCount > 1 { json += ",\"pages\":\(picture.pageCount)" }
      let codes = picture.codes.map { $0.json(hasPage: picture.pageCount > 1) }
      json += ",\"codes\":[" + codes.joined(separator: ",") + "]"
    }
    return json + "}"
  }

  /// One line per code, each with its line feed: file, symbology and content, separated by tabs.
  var text: String {
    guard case .read(let picture) = outcome else { return "" }
    var lines = ""
    for code in picture.codes {
      lines +=
        "\(FileName.safe(file))\t\(code.symbology)\t\(TerminalText.safe(code.content.humanReadable ?? code.content.text))\n"
    }
    return lines
  }
}

extension FileName {
  /// A name, or a text with names, for a terminal; bytes that are not UTF-8 become `\xHH`.
  static func safe(_ text: String) -> String { shown(TerminalText.safe(text)) { "\\x" + hexadecimal($0) } }
}

extension Code {
  /// - Parameter hasPage: whether the file has several pages.
  func json(hasPage: Bool) -> String {
    var json = hasPage ? "{\"page\":\(page + 1)," : "{"
    json += "\"symbology\":\(JSONText.quoted(symbology)),\"aim\":\(JSONText.quoted(content.aimIdentifier))"
    json += ",\"text\":\(JSONText.quoted(content.text))"
    if component == .unread { json += ",\"component\":\"unread\"" }
    if let printed = content.humanReadable ?? content.medicineNumber { json += ",\"hri\":\(JSONText.quoted(printed))" }
    if content.use == .link { json += ",\"link\":true" }
    json += ",\"bytes_hex\":\"" + payload.map(hexadecimal).joined() + "\""
    if let part {
      json += ",\"part\":{\"id\":\"\(part.identifier)\",\"position\":\(part.index + 1)"
      json += (part.count > 0 ? ",\"total\":\(part.count)" : "") + "}"
    }
    let points = [corners.topLeft, corners.topRight, corners.bottomRight, corners.bottomLeft]
    json += ",\"corners\":[" + points.map { "[\(decimal($0.x)),\(decimal($0.y))]" }.joined(separator: ",") + "]"
    return json + "}"
  }
}

private func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

/// A coordinate with at most two decimals, rounded to the nearest.
private func decimal(_ value: Fixed16) -> String {
  let hundredths = (Int(value.bits) * 100 + (1 << 15)) >> 16
  let sign = hundredths < 0 ? "-" : ""
  let (whole, part) = abs(hundredths).quotientAndRemainder(dividingBy: 100)
  if part == 0 { return "\(sign)\(whole)" }
  return "\(sign)\(whole).\(part < 10 ? "0" : "")\(part % 10 == 0 ? part / 10 : part)"
}
