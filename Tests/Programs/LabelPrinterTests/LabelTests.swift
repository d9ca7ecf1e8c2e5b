// Labels: where standards put text, and that every file reads back as it was drawn.

import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
import Testing

@testable import LabelPrinter
@testable import SymbolPrinter

private func makeLabel(
  _ text: String, _ symbology: Symbology, isGS1: Bool = false, quietZone: Int? = nil, hasText: Bool = true,
  bearerBars: BearerBars? = nil
) throws -> Label {
  try Label(
    try SymbolPrinter.print(SymbolRequest(text, symbology: symbology, isGS1: isGS1)), quietZone: quietZone,
    hasText: hasText, bearerBars: bearerBars)
}

/// The texts that a grey picture reads as.
private func read(
  _ picture: (width: Int, height: Int, pixels: [UInt8]), _ symbology: Symbology, addOns: AddOnPolicy = .ignore
)
  -> [String]
{
  var settings = DecoderSettings()
  settings.symbologies = SymbologySet().with(symbology)
  settings.addOns = addOns
  settings.effort = .still
  var workspace = Workspace(pixelCountMax: picture.width * picture.height)
  return picture.pixels.withUnsafeBufferPointer { pixels in
    let view = LumaView(
      base: pixels.baseAddress!, width: picture.width, height: picture.height, bytesPerRow: picture.width)
    _ = Decoder.decode(view, settings: settings, workspace: &workspace)
    return (0..<workspace.symbolCount).map { index in
      SymbolContent(symbol: workspace.symbol(index), payload: workspace.payload(index), segments: workspace.segments(index))
        .text
    }
  }
}

@Suite("Labels (behaviour N9)") struct LabelTests {
  /// The text of a label, from left to right, line by line.
  private func text(_ label: Label) -> String {
    label.lines.sorted { ($0.baseline, $0.x) < ($1.baseline, $1.x) }.map(\.text).joined(separator: "|")
  }

  @Test(
    arguments: [
      ("400638133393", Symbology.ean13, false, "4|0|0|6|3|8|1|3|3|3|9|3|1"), ("1234567", .ean8, false, "1|2|3|4|5|6|7|0"),
      ("01234567890", .upca, false, "0|1|2|3|4|5|6|7|8|9|0|5"), ("0123456", .upce, false, "0|1|2|3|4|5|6|5"),
      ("1540014128876", .itf14, false, "15400141288763"), ("AB-12", .code128, false, "AB-12"),
      ("CODE 39", .code39, false, "*CODE 39*"),
      ("(01)09501101530003(10)AB-123", .code128, true, "(01)09501101530003(10)AB-123"),
      ("0950110153000", .databar, false, "(01)09501101530003"), ("abc", .qr, false, ""), ("12345", .postnet, false, ""),
    ])
  func `the text is the one that the standard prints, with check digits and brackets`(
    text: String, symbology: Symbology, isGS1: Bool, printed: String
  ) throws {
    #expect(try self.text(makeLabel(text, symbology, isGS1: isGS1)) == printed)
    #expect(try makeLabel(text, symbology, isGS1: isGS1, hasText: false).lines.isEmpty)
  }

  @Test func `an EAN-13 has its first digit outside, the others below their bars, and guard bars between them`() throws {
    let label = try makeLabel("4006381333931", .ean13)
    let bottom = label.top + label.picture.height
    #expect(label.left == 11 && label.lines[0].x < label.left - 3)
    for (index, line) in label.lines.dropFirst().enumerated() {
      let module = index < 6 ? 3 + 7 * index : 50 + 7 * (index - 6)
      #expect(line.x == label.left + Double(module) + 3.5 && line.size == label.lines[0].size)
      #expect(line.baseline > bottom + 6 && line.baseline < label.height)
    }
    let low = label.bars.filter { $0.y + $0.height > bottom }
    #expect(low.map { $0.x - label.left } == [0, 2, 46, 48, 92, 94] && low.allSatisfy { $0.y + $0.height == bottom + 5 })
    // Without text the bars end together.
    let plain = try makeLabel("4006381333931", .ean13, hasText: false)
    #expect(plain.bars.allSatisfy { $0.y + $0.height == plain.top + plain.picture.height })
  }

  @Test func `the outer digits of UPC-A and UPC-E are smaller, and UPC-A's outer bars reach down`() throws {
    for (text, symbology, width) in [("012345678905", Symbology.upca, 95.0), ("01234565", .upce, 51)] {
      let label = try makeLabel(text, symbology)
      let (first, last) = (label.lines[0], label.lines[label.lines.count - 1])
      #expect(first.size < label.lines[1].size && last.size == first.size)
      #expect(first.x < label.left && last.x > label.left + width && last.x < label.width)
    }
    let label = try makeLabel("012345678905", .upca)
    let bottom = label.top + label.picture.height
    let low = label.bars.filter { $0.y + $0.height > bottom }.map { Int($0.x - label.left) }
    #expect(low.filter { $0 < 45 }.allSatisfy { $0 < 10 } && low.contains { $0 > 2 && $0 < 10 })
    #expect(low.filter { $0 > 49 }.allSatisfy { $0 >= 85 } && low.contains { $0 >= 85 && $0 < 92 })
  }

  @Test func `the digits of an add-on are above its bars, which end with the guard bars`() throws {
    for (text, symbology, digits) in [
      ("4006381333931 12", Symbology.ean13, "12"), ("012345678905 12345", .upca, "12345"), ("01234565 12", .upce, "12"),
    ] {
      let label = try makeLabel(text, symbology)
      let above = label.lines.filter { $0.baseline < label.top + label.picture.height / 2 }
      #expect(above.map(\.text).joined() == digits)
      let bottom = label.top + label.picture.height + 5
      let lowered = label.bars.filter { $0.y > label.top + 1 }
      #expect(!lowered.isEmpty && lowered.allSatisfy { $0.y + $0.height == bottom && $0.y > above[0].baseline })
      #expect(zip(above, above.dropFirst()).allSatisfy { $1.x - $0.x == 9 })
    }
  }

  @Test func `the digits of a symbol without a quiet zone lie inside its label`() throws {
    for (text, symbology) in [("4006381333931", Symbology.ean13), ("012345678905", .upca), ("01234565", .upce)] {
      let label = try makeLabel(text, symbology, quietZone: 0)
      let font = try #require(LabelFont())
      for line in label.lines {
        let half = font.width(line.text, size: line.size) / 2
        #expect(line.x - half >= 0 && line.x + half <= label.width)
      }
    }
  }

  @Test func `long text becomes smaller, then breaks before GS1 identifiers`() throws {
    let short = try makeLabel("AB", .code128)
    #expect(short.lines.count == 1 && short.lines[0].size == 9)
    let text = "(01)09501101530003(17)261100(10)ABC-123456789(21)1234567890"
    let long = try makeLabel(text, .databarExpanded)
    #expect(long.lines.map(\.text).joined() == text)
    #expect(long.lines.count == 1 || long.lines.allSatisfy { $0.text.hasPrefix("(") })
    let font = try #require(LabelFont())
    for line in long.lines { #expect(font.width(line.text, size: line.size) <= long.width) }
    // Narrow: seven letters to a line.
    #expect(Label.broken("(01)12345(10)AB(21)C", room: 9) { Double($0.count) } == ["(01)12345", "(10)AB", "(21)C"])
    #expect(Label.broken("(01)12345(10)AB(21)C", room: 12) { Double($0.count) } == ["(01)12345", "(10)AB(21)C"])
    #expect(Label.broken("ABCDEFGH", room: 3) { Double($0.count) } == ["ABC", "DEF", "GH"])
  }

  private static let samples: [(String, Symbology, String)] = [
    ("4006381333931", .ean13, "4006381333931"), ("12345670", .ean8, "12345670"), ("012345678905", .upca, "012345678905"),
    ("01234565", .upce, "01234565"), ("15400141288763", .itf14, "15400141288763"), ("Code 128", .code128, "Code 128"),
    ("CODE-39", .code39, "CODE-39"), ("Code93", .code93, "Code93"), ("HELLO", .qr, "HELLO"), ("maxi", .maxicode, "maxi"),
  ]

  @Test(arguments: samples)
  func `pictures read back with their text, and it never touches a bar`(
    text: String, symbology: Symbology, payload: String
  ) throws {
    let label = try makeLabel(text, symbology)
    for scale in [2, 3, 5] {
      #expect(read(try label.pixels(scale: scale), symbology) == [payload])
    }
    let without = try makeLabel(text, symbology, hasText: false, bearerBars: BearerBars.none).pixels(scale: 4)
    let picture = try SymbolPrinter.print(SymbolRequest(text, symbology: symbology)).pixels(scale: 4)
    #expect(without.pixels == picture.pixels)
    let drawn = try label.pixels(scale: 4)
    #expect(label.lines.isEmpty || drawn.pixels.count { $0 == 0 } > without.pixels.count { $0 == 0 } + 50)
    // The text of a line lies in white space: around its middle there is no bar.
    for line in label.lines {
      let y = line.baseline - line.size * 0.36
      #expect(
        label.bars.allSatisfy { bar in
          y < bar.y || y > bar.y + bar.height || line.x < bar.x - 3 || line.x > bar.x + bar.width + 3
        }, "\(line.text)")
    }
  }

  @Test func `an ITF-14 has bearer bars above and below, or all around its quiet zones, and reads back`() throws {
    let plain = try makeLabel("15400141288763", .itf14, bearerBars: BearerBars.none)
    // A frame keeps the standard's quiet zone inside.
    for (chosen, quietZone, thickness) in [(BearerBars?.none, Int?.none, 2.0), (.frame, 0, 5)] {
      let label = try makeLabel("15400141288763", .itf14, quietZone: quietZone, bearerBars: chosen)
      let size = label.picture
      let (bottom, right) = (label.top + size.height, label.left + size.width)
      let sides = chosen == .frame ? 15.0 : 0
      var expected = [label.top - thickness, bottom].map {
        Label.Bar(x: label.left - sides, y: $0, width: size.width + 2 * sides, height: thickness)
      }
      if chosen == .frame {
        expected += [label.left - 15, right + 10].map {
          Label.Bar(x: $0, y: label.top, width: thickness, height: size.height)
        }
        #expect(label.left == 15 && label.top == 5 && label.width == right + 15)
      }
      #expect(label.bars.filter { !(label.left..<right).contains($0.x) || $0.height == thickness } == expected)
      #expect(label.lines.allSatisfy { $0.baseline - $0.size * LabelFont.letterHeight >= bottom + thickness + 1 })
      for scale in [2, 3, 5] { #expect(read(try label.pixels(scale: scale), .itf14) == ["15400141288763"]) }
    }
    #expect(plain.bars.allSatisfy { $0.y == plain.top && $0.height == plain.picture.height })
    #expect(try makeLabel("123456", .itf).bars.allSatisfy { $0.height > 2 })
    #expect(try makeLabel("123456", .itf, bearerBars: .horizontal).bars.count { $0.height == 2 } == 2)
  }

  @Test func `an add-on reads back below its digits`() throws {
    let label = try makeLabel("4006381333931 12345", .ean13)
    #expect(read(try label.pixels(scale: 3), .ean13, addOns: .require) == ["4006381333931 12345"])
  }

  /// The picture that a printer makes of ZPL graphics.
  private func printed(_ zpl: String) throws -> [(width: Int, height: Int, pixels: [UInt8])] {
    try zpl.split(separator: "^XA").filter { $0.contains("^XZ") }.map { label in
      var rows: [[UInt8]] = []
      for field in label.matches(of: #/\^FO0,(\d+)\^GFA,(\d+),(\d+),(\d+),\n([0-9A-F\n]+)\^FS/#) {
        let hex = field.5.filter { $0 != "\n" }
        let bytesPerRow = try #require(Int(field.4))
        #expect(Int(field.1) == rows.count && field.2 == field.3 && Int(field.2) == hex.count / 2)
        #expect(hex.count / 2 <= 99_999)
        let bits = hex.flatMap { digit in (0..<4).map { (digit.hexDigitValue ?? 0) >> (3 - $0) & 1 } }
        for start in stride(from: 0, to: bits.count, by: 8 * bytesPerRow) {
          rows.append(bits[start..<start + 8 * bytesPerRow].map { $0 == 1 ? 0 : 255 })
        }
      }
      return (rows.first?.count ?? 0, rows.count, rows.flatMap { $0 })
    }
  }

  @Test(arguments: samples)
  func `ZPL prints what was drawn`(text: String, symbology: Symbology, payload: String) throws {
    let label = try makeLabel(text, symbology)
    let pictures = try printed(label.zpl(scale: 4))
    try #require(pictures.count == 1)
    #expect(read(pictures[0], symbology) == [payload])
    // Dark where it was dark; a row ends with a whole byte.
    let drawn = try label.pixels(scale: 4)
    let width = pictures[0].width
    #expect(pictures[0].height == drawn.height && width == (drawn.width + 7) / 8 * 8)
    for y in 0..<drawn.height {
      let row = drawn.pixels[y * drawn.width..<(y + 1) * drawn.width].map { $0 < 128 ? UInt8(0) : 255 }
      let filling = [UInt8](repeating: 255, count: width - drawn.width)
      try #require(Array(pictures[0].pixels[y * width..<(y + 1) * width]) == row + filling)
    }
  }

  @Test func `a large label is several fields of ZPL, one below the other`() throws {
    let label = try makeLabel("HELLO", .qr)
    let zpl = try label.zpl(scale: 40)
    #expect(zpl.matches(of: #/\^GFA/#).count == 2)
    let picture = try printed(zpl)[0]
    #expect(picture.height == 29 * 40 && read(picture, .qr) == ["HELLO"])
  }

  @Test func `an SVG has its text as outlines in the drawing`() throws {
    let label = try makeLabel("4006381333931", .ean13)
    let svg = try label.svg(scale: 3)
    #expect(svg.contains("viewBox=\"0 0 117 ") && svg.matches(of: #/<path /#).count == 2 && !svg.contains("<text"))
    let outlines = try #require(svg.matches(of: #/<path fill="#000" d="([^"]+)"/#).last?.1)
    let points = outlines.matches(of: #/[ML](-?[0-9.]+) (-?[0-9.]+)/#).map { (Double($0.1)!, Double($0.2)!) }
    #expect(points.count > 50 && points.allSatisfy { $0.0 > 0 && $0.0 < 117 && $0.1 > 60 && $0.1 < label.height })
  }

  @Test func `a sheet has places, and refuses labels that do not fit`() throws {
    let sheet = LabelSheet(width: 210, height: 297, columns: 3, rows: 8, margin: 10, gap: 2)
    #expect(abs(sheet.place.width - 62) < 0.001 && abs(sheet.place.height - 32.875) < 0.001)
    let label = try makeLabel("4006381333931", .ean13)
    #expect(try labelDocument([label], module: 0.3, sheet: sheet).starts(with: Array("%PDF-".utf8)))
    #expect(throws: LabelSheetError.self) { try labelDocument([label, label], module: 1, sheet: sheet) }
    do throws(LabelSheetError) {
      _ = try labelDocument([label], module: 1, sheet: sheet)
    } catch {
      #expect(
        error.message.hasPrefix("label 1 has 117 by ") && error.message.contains("62 by 32.9 mm; choose a smaller module"))
    }
    let full = LabelSheet(width: 20, height: 20, columns: 3, rows: 1, margin: 9, gap: 2)
    #expect(throws: LabelSheetError.noPlace) { try labelDocument([label], module: 0.1, sheet: full) }
  }
}
