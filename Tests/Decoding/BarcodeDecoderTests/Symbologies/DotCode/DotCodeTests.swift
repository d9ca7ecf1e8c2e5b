// DotCode symbols from picture to payload, and messages from literal codewords. The symbols were drawn by libzint 2.11.

import BarcodeTypes
import Foundation
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct DotCodeTests {
  private static let text = [
    "#.#.#.....#...#.....#.#.",
    ".#.....#.#.#.#.....#...#",
    "..#.....#...#.#.#...#...",
    "...#.#.....#.#...#...#.#",
    "#.#...#...#...#.#...#...",
    "...#.....#.#...#...#...#",
    "....#.#.....#.#.....#.#.",
    ".#.......#.#.....#.#.#.#",
    "#.....#.#.#.#...#.#...#.",
    "...#.#.....#...#.#.#....",
    "..#...#.#.#...#.#...#...",
    ".....#.#.#.#.......#...#",
    "....#...#...#...#...#.#.",
    ".#.....#...#...#.#...#.#",
    "....#.#.#...#...#...#.#.",
    ".....#...#.....#.#.#.#.#",
    "#.....#.....#.#.#.#...#.",
  ]
  private static let elements = [
    "#.#.#...#.#.....#.....#...#.#",
    "...#.........#.#.#.#...#.#.#.",
    "..#...#.#.#.#...#.#.#...#...#",
    ".#...#.....#.#.#.#.#.#.......",
    "#...#...#...#.#.#.#.#.....#..",
    ".#.#...#.#.#.#...#...#.....#.",
    "..#.#.....#.......#.....#.#.#",
    ".....#...#.....#.....#.#.....",
    "#.#...#.#...#...#...#.#.#.#.#",
    ".#.#.#.#.....#...#.#.....#...",
    "....#.....#.#.#...#.#.#.#....",
    ".#...#.....#.#.....#...#...#.",
    "#.#.#.#.#...#.#.........#...#",
    "...#.#.#.......#.....#.#.#.#.",
    "......#.#.....#.#.#...#...#.#",
    ".#.......#.#.....#...#.......",
    "#...#.#...#...#...#.#.#.#.#.#",
    ".......#.#.#...........#.#...",
    "#.#...#.#.#...#.....#.#.#.#.#",
    ".#.#.#.....#.#.#.#.#.......#.",
  ]

  private func settings(_ effort: Effort) -> DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet.onByDefault.with(.dotcode)
    settings.effort = effort
    return settings
  }

  /// A picture of dots four fifths as wide as the places of the grid.
  private func picture(_ rows: [String], pixels: Double, degrees: Double = 0, noise: Double = 0) -> Picture {
    let cells = rows.map { Array($0.utf8) }
    let (height, width) = (Double(cells.count), Double(cells[0].count))
    let side = Int(((width * width + height * height).squareRoot() + 8) * pixels)
    var picture = Picture(width: side, height: side)
    var generator = SeededGenerator(seed: 3)
    let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
    for y in 0..<side {
      for x in 0..<side {
        var dark = 0.0
        for part in 0..<4 {
          let dx = (Double(x) + Double(part % 2) / 2 - 0.25 - Double(side) / 2) / pixels
          let dy = (Double(y) + Double(part / 2) / 2 - 0.25 - Double(side) / 2) / pixels
          let (u, v) = (dx * cosine + dy * sine + width / 2, dy * cosine - dx * sine + height / 2)
          let (column, row) = (Int(u.rounded(.down)), Int(v.rounded(.down)))
          guard cells.indices.contains(row), cells[row].indices.contains(column), cells[row][column] == 0x23 else {
            continue
          }
          let (across, down) = (u - Double(column) - 0.5, v - Double(row) - 0.5)
          if across * across + down * down < 0.16 { dark += 0.25 }
        }
        let grey = 210 - 170 * dark + (noise > 0 ? generator.normal() * noise : 0)
        picture.pixels[y * side + x] = UInt8(min(255, max(0, grey.rounded())))
      }
    }
    return picture
  }

  @Test(arguments: [(3.0, 0.0), (4.0, 90.0), (5.0, 180.0), (6.0, 270.0), (7.0, 12.0), (10.0, 200.0)])
  func `a symbol is read at any size and turn, in a frame and in a picture`(pixels: Double, degrees: Double) {
    for effort in [Effort.frame, .still] {
      let read = picture(Self.text, pixels: pixels, degrees: degrees, noise: 2).decode(settings(effort))
      #expect(read.map(\.text) == ["DOTS 0123456789"])
      guard let symbol = read.first?.symbol else { continue }
      #expect(symbol.symbology == .dotcode && symbol.aimModifier == 0x30 && !symbol.isGS1 && !symbol.isMirrored)
    }
  }

  @Test func `digits at the beginning are GS1 element strings`() {
    let read = picture(Self.elements, pixels: 5).decode(settings(.still))
    #expect(read.map(\.text) == ["01095011015300031729010110LOT-7"])
    #expect(read.first?.symbol.isGS1 == true && read.first?.symbol.aimModifier == 0x31)
  }

  @Test(arguments: [1, 2, 3])
  func `missing dots are corrected, and counted`(lostCount: Int) {
    var rows = Self.text.map { Array($0) }
    // One dot in each of several rows, and so in different codewords.
    for lost in 0..<lostCount {
      let row = 3 + 4 * lost
      rows[row][rows[row].firstIndex(of: "#")!] = "."
    }
    let read = picture(rows.map { String($0) }, pixels: 5).decode(settings(.still))
    #expect(read.map(\.text) == ["DOTS 0123456789"])
    #expect(read.first?.symbol.correctedCodewordCount == UInt16(lostCount))
  }

  @Test(arguments: 0..<20)
  func `a ruined symbol is never misread`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed) + 9)
    let rows = Self.text.enumerated().map { row, line in
      String(
        line.enumerated().map { column, cell in
          let isPlace = (row + column) % 2 == 0
          let isWrong = isPlace && Double.random(in: 0..<1, using: &generator) < 0.02 + 0.02 * Double(seed)
          return isWrong ? (cell == "#" ? "." : "#") : cell
        })
    }
    let read = picture(rows, pixels: 5).decode(settings(.still))
    #expect(read.allSatisfy { $0.symbol.symbology != .dotcode || $0.text == "DOTS 0123456789" })
  }

  @Test func `it is read only on request`() {
    #expect(picture(Self.text, pixels: 5).decode(DecoderSettings()).isEmpty)
  }

  // MARK: Messages

  private func read(_ codewords: [Int]) -> (bytes: [UInt8], segments: [PayloadSegment], message: SymbolMessage)? {
    let memory = TestArena()
    var results = try! ResultStore(arena: &memory.arena)
    var reader = DotCodeMessageReader(memory.array(codewords.map { UInt8($0) }), count: codewords.count)
    guard let message = reader.read(into: &results) else { return nil }
    let corner = PixelPoint(x: .zero, y: .zero)
    results.commit(
      DecodedSymbol(
        symbology: .dotcode, aimModifier: message.aimModifier,
        corners: Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner)))
    return (Array(results.payloadBytes(0)), Array(results.payloadSegments(0)), message)
  }

  private func text(_ codewords: [Int]) -> String? { read(codewords).map { String(decoding: $0.bytes, as: UTF8.self) } }

  @Test func `code sets, shifts and latches`() {
    // FNC1, 42; two of set B: a b; latch A: X, NUL; shift B: z; latch C: 07.
    #expect(text([107, 42, 103, 65, 66, 101, 56, 64, 96, 90, 106, 7]) == "42abX\0z07")
    // Latch B: CR LF, and three pairs of digits.
    #expect(text([106, 33, 96, 104, 1, 2, 3, 34]) == "A\r\n010203B")
  }

  @Test func `a date and the batch that follows take four codewords`() {
    let message = read([1, 100, 29, 1, 31, 12])
    #expect(message.map { String(decoding: $0.bytes, as: UTF8.self) } == "01172901311012")
    #expect(message?.message.isGS1 == true)
  }

  @Test func `headers of ISO 15434 and their trailers take one codeword`() {
    #expect(text([106, 97, 33]) == "[)>\u{1E}05\u{1D}A\u{1E}\u{4}")
    #expect(text([106, 100, 16, 23, 33]) == "[)>\u{1E}07A\u{4}")
    #expect(text([106, 33, 97]) == "A\t")
  }

  @Test func `bytes in groups to the base 259, with interruptions for digits`() {
    // 0xE9 and 0x80 alone: 233 · 259 + 128 in three codewords to the base 103.
    let value = 233 * 259 + 128
    let message = read([112, value / 10_609, value / 103 % 103, value % 103, 103, 12, 34, 110, 33])
    #expect(message?.bytes == [0xE9, 0x80] + Array("1234A".utf8))
  }

  @Test(arguments: [([26], 26), ([40, 0, 0], 40), ([47, 25, 2], 40 + 7 * 12_769 + 25 * 113 + 2)])
  func `an ECI has one codeword or three`(codewords: [Int], number: Int) {
    let message = read([106, 108] + codewords + [33])
    #expect(message?.segments == [PayloadSegment(byteOffset: 0, interpretation: .eci(UInt32(number)))])
    #expect(message?.message.aimModifier == 0x33)
  }

  @Test func `the last codewords give the position in a message`() {
    // 2 of 12, in set A.
    let message = read([101, 33, 18, 35, 108, 106])
    #expect(message?.message.structuredAppend == StructuredAppend(index: 1, count: 12, identifier: 0))
    #expect(message?.bytes == [0x41])
  }
}
