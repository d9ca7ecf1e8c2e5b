// Symbols drawn by another program, one line per symbol.
//
// Seven fields between tabs: kind, symbology, bytes in hexadecimal, text in UTF-8 in hexadecimal or "-", position from 0,
// count and identifier of a part or "-", pixels per module, and rows of modules between commas, 1 for dark.

import BarcodeMessage
import BarcodeTypes

struct DrawnSymbol {
  var kind: String
  var expected: DrawnCase
  var picture: DrawnPicture

  /// Nil if the line does not describe a symbol.
  init?(_ line: String) {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard fields.count == 7, let symbology = Symbology.allCases.first(where: { "\($0.name)" == fields[1] }),
      let bytes = Self.bytes(fields[2]), let scale = Int(fields[5]), scale > 0
    else { return nil }
    kind = String(fields[0])
    expected = DrawnCase(symbology, 0, bytes)
    expected.scale = scale
    if fields[3] != "-" {
      guard let text = Self.bytes(fields[3]) else { return nil }
      expected.expectedText = String(decoding: text, as: UTF8.self)
    }
    if fields[4] != "-" {
      let part = fields[4].split(separator: " ")
      guard part.count == 3, let index = Int32(part[0]), let count = Int32(part[1]), let identifier = UInt64(part[2]) else {
        return nil
      }
      expected.expectedPart = StructuredAppend(index: index, count: count, identifier: identifier)
    }
    let rows = fields[6].split(separator: ",").map { $0.utf8.map { $0 == 0x31 } }
    guard let width = rows.first?.count, rows.allSatisfy({ $0.count == width }) else { return nil }
    picture = DrawnPicture(columns: width, rows: rows.map { ($0, scale) }, scale: scale)
  }

  private static func bytes(_ hexadecimal: Substring) -> [UInt8]? {
    let digits = Array(hexadecimal)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(digits[index...(index + 1)]), radix: 16) else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}
