// Symbols drawn by libzint, as pictures.

import BarcodeDecoder
import BarcodeTypes
import CZint

/// The expected payload.
enum Expected {
  case bytes([UInt8])
  /// The digits that libzint prints below the symbol.
  case printedDigits
  /// Any bytes, as long as the text is right.
  case textAlone
}

/// A symbol to draw, in libzint's terms, and the expected reading.
struct DrawnCase {
  var symbology: Symbology
  /// libzint's number of the symbology.
  var number: Int32
  var bytes: [UInt8]
  var mode = DATA_MODE
  var eci: Int32 = 0
  var option1: Int32 = -1
  var option2: Int32 = 0
  var option3: Int32 = 0
  /// The check digits of an MSI symbol, which the symbol itself does not indicate.
  var msiCheck: MSICheck?
  /// Further pieces of the message, each with its own character set.
  var segments: [(bytes: [UInt8], eci: Int32)] = []
  var part: (index: Int32, count: Int32, id: String)?
  var isReaderProgramming = false
  /// Postal code, country and class of service of a MaxiCode; the linear part of a GS1 Composite symbol.
  var primary = ""
  /// Whether the symbol has two parts, each of a height of its own.
  var isComposite = false
  /// Pixels per module.
  var scale = 3

  var expected: Expected
  /// The expected text, if the symbol declares how to read its bytes.
  var expectedText: String?
  var expectedPart: StructuredAppend?
  var isGS1 = false
  /// Whether to read pairs of Code 39 characters as full ASCII.
  var isFullASCII = false
  var hasAddOn = false
  /// Symbologies whose symbols have the same bars.
  var twins: SymbologySet = []

  init(_ symbology: Symbology, _ number: Int32, _ bytes: [UInt8]) {
    self.symbology = symbology
    self.number = number
    self.bytes = bytes
    expected = .bytes(bytes)
  }
}

/// A picture of a symbol with light surroundings.
struct DrawnPicture {
  var luma: [UInt8]
  var width: Int
  var height: Int
  /// The digits in the text that libzint prints below the symbol.
  var digits: [UInt8] = []

  init(luma: [UInt8], width: Int, height: Int) {
    self.luma = luma
    self.width = width
    self.height = height
  }

  /// Draws modules `scale` pixels wide with a quiet zone of 12 modules. A row consists of its modules, true for dark, and
  /// its height in pixels.
  init(columns: Int, rows: [(modules: [Bool], height: Int)], scale: Int) {
    let quiet = 12 * scale
    width = columns * scale + 2 * quiet
    height = rows.map(\.height).reduce(0, +) + 2 * quiet
    luma = [UInt8](repeating: 235, count: width * height)
    var y = quiet
    for row in rows {
      for column in 0..<columns where row.modules[column] {
        for line in y..<(y + row.height) {
          let start = line * width + quiet + column * scale
          for place in start..<(start + scale) { luma[place] = 25 }
        }
      }
      y += row.height
    }
  }
}

/// Draws a case; nil if libzint rejects it as too long or invalid.
func draw(_ one: DrawnCase) -> DrawnPicture? {
  guard let symbol = ZBarcode_Create() else { return nil }
  defer { ZBarcode_Delete(symbol) }
  symbol.pointee.symbology = one.number
  symbol.pointee.input_mode = one.mode
  symbol.pointee.eci = one.eci
  symbol.pointee.option_1 = one.option1
  symbol.pointee.option_2 = one.option2
  symbol.pointee.option_3 = one.option3
  if one.isComposite { symbol.pointee.output_options |= COMPLIANT_HEIGHT }
  if one.isReaderProgramming { symbol.pointee.output_options |= READER_INIT }
  withUnsafeMutableBytes(of: &symbol.pointee.primary) { primary in
    for (index, byte) in one.primary.utf8.prefix(127).enumerated() { primary[index] = byte }
  }
  if let part = one.part {
    symbol.pointee.structapp.index = part.index
    symbol.pointee.structapp.count = part.count
    withUnsafeMutableBytes(of: &symbol.pointee.structapp.id) { id in
      for (index, byte) in part.id.utf8.prefix(32).enumerated() { id[index] = byte }
    }
  }
  guard encode(one, symbol) < ZINT_ERROR, !isOverfull(one, symbol) else { return nil }
  return one.symbology == .maxicode ? pictureOfHexagons(symbol, scale: one.scale) : picture(symbol, scale: one.scale)
}

/// Symbols that are not rows of squares, as drawn by libzint: ten pixels per hexagon at a scale of 1.
private func pictureOfHexagons(_ symbol: UnsafeMutablePointer<zint_symbol>, scale: Int) -> DrawnPicture? {
  symbol.pointee.scale = Float(scale) / 2
  symbol.pointee.whitespace_width = 6
  symbol.pointee.whitespace_height = 6
  guard ZBarcode_Buffer(symbol, 0) < ZINT_ERROR, let bitmap = symbol.pointee.bitmap else { return nil }
  let width = Int(symbol.pointee.bitmap_width)
  let height = Int(symbol.pointee.bitmap_height)
  return DrawnPicture(luma: (0..<(width * height)).map { bitmap[3 * $0] }, width: width, height: height)
}

/// Whether an Aztec Code may have more data codewords than its mode message can express. In four compact layers, the limit
/// is 64 (ISO/IEC 24778 §7.2.3). libzint 2.11 uses 65 with the least error correction, and more if asked for four layers.
/// zxing-cpp does not read those either.
private func isOverfull(_ one: DrawnCase, _ symbol: UnsafeMutablePointer<zint_symbol>) -> Bool {
  one.symbology == .aztec && symbol.pointee.width == 27 && (one.option1 == 1 || one.option2 == 4)
}

private func encode(_ one: DrawnCase, _ symbol: UnsafeMutablePointer<zint_symbol>) -> Int32 {
  guard !one.segments.isEmpty else {
    var bytes = one.bytes
    return ZBarcode_Encode(symbol, &bytes, Int32(bytes.count))
  }
  var sources = [(one.bytes, one.eci)] + one.segments.map { ($0.bytes, $0.eci) }
  let pointers = sources.map { source -> UnsafeMutablePointer<UInt8> in
    let pointer = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, source.0.count))
    pointer.initialize(from: source.0, count: source.0.count)
    return pointer
  }
  defer { for pointer in pointers { pointer.deallocate() } }
  let segments = sources.indices.map {
    zint_seg(source: pointers[$0], length: Int32(sources[$0].0.count), eci: sources[$0].1)
  }
  sources = []
  return ZBarcode_Encode_Segs(symbol, segments, Int32(segments.count))
}

private func picture(_ symbol: UnsafeMutablePointer<zint_symbol>, scale: Int) -> DrawnPicture {
  let columns = Int(symbol.pointee.width)
  var heights = (0..<Int(symbol.pointee.rows)).map { Double(czint_row_height(symbol, Int32($0))) }
  let sharing = heights.filter { $0 == 0 }.count
  let rest = (Double(symbol.pointee.height) - heights.reduce(0, +)) / Double(max(1, sharing))
  for row in heights.indices where heights[row] == 0 { heights[row] = max(1, rest) }
  let rows = heights.enumerated().map { row, height in
    (
      (0..<columns).map { czint_is_dark(symbol, Int32(row), Int32($0)) != 0 },
      max(1, Int((height * Double(scale)).rounded()))
    )
  }
  var picture = DrawnPicture(columns: columns, rows: rows, scale: scale)
  picture.digits = withUnsafeBytes(of: &symbol.pointee.text) { text in
    text.prefix { $0 != 0 }.filter { (0x30...0x39).contains($0) }
  }
  return picture
}
