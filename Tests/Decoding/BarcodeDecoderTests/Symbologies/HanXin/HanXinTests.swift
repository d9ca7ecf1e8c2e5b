// Han Xin symbols from picture to payload, and messages from literal bits. The symbols were drawn by libzint 2.11.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct HanXinTests {
  private static let small = [
    "#######.#.#.##..#######",
    "#..........###........#",
    "#.#####.........#####.#",
    "#.#.....###...#.....#.#",
    "#.#.###.##..#.#.###.#.#",
    "#.#.###.#..####.###.#.#",
    "#.#.###.###...#.###.#.#",
    "............##.........",
    "...#.#.#...####.#......",
    "...########...###...##.",
    "#..##.#..####..##.#..##",
    "##...###.#.#.#...###..#",
    "###..#.##.###.#......#.",
    "..###...#..#.#.#.##..#.",
    "......#.##...#.#.#.#...",
    ".........##.#..........",
    "#######.#.##.##.###.#.#",
    "......#.#.##..#.###.#.#",
    "#####.#.#######.###.#.#",
    "....#.#.#######.....#.#",
    "###.#.#.....#...#####.#",
    "###.#.#..##.#.........#",
    "###.#.#..##.#.#.#######",
  ]
  /// With alignment lines.
  private static let aligned = [
    "#######.#.#...#.#.#...##..#######",
    "#.........##........##.##.......#",
    "#.#####.##..##....#.#.#...#####.#",
    "#.#......#.#.#.#.###..........#.#",
    "#.#.###.#...##..#..##.###.###.#.#",
    "#.#.###.##...#.##..####.#.###.#.#",
    "#.#.###..###..#.#.#.####..###.#.#",
    ".........##..#.###...............",
    "...##.#.#..##..#..##.#.#.........",
    "#.......#..##..#.#.#.#.##.#..##.#",
    "#..#..........##...##.#..##....#.",
    "###......#.#.#.##.#..#....###..##",
    "#.#.#.#..##....##.####.##...##..#",
    "##.#.#.###....#.#.#.##.###..#.#..",
    "####....#..#.#.##.##.#.##.#.#.#.#",
    "#..#.#..#.###.#.#.#....#.##.#.#..",
    "#################..####.....##..#",
    "................#..#.#.#.#.####..",
    ".##.####.#.####.##..#...#.#...##.",
    "#.####.#.#.#.##.#.#...#...#..##.#",
    "..##.#.#.#.###..#.#..###..#.#.#.#",
    "..#.#.###.###...#.##...#..#.#.##.",
    "#.##..#...#.#.#.#.#.#.#....#.####",
    ".###...##.##.##.#...#.#.#..#.#.#.",
    "..........#...#.#.###..##.#.##...",
    "............#.#.#...#............",
    "#######.....#.#.#...#.#...###.#.#",
    "......#.##.#.#..##.#.#..#.###.#.#",
    "#####.#.##..##..####.#.##.###.#.#",
    "....#.#...#.#.#.#..###.#......#.#",
    "###.#.#..#.#..#.#.#.#.#.#.#####.#",
    "###.#.#.##.#.#..##.#..##........#",
    "###.#.#..#..#.#.#########.#######",
  ]
  /// With four cells of alignment lines.
  private static let lattice = [
    "#######..######.###....#..#.#.#.#.#.#######",
    "#.......#.....##.#.#.#.#.#.....#.#........#",
    "#.#####.#.#.#.#.#.##.##.####.#.#....#####.#",
    "#.#........#..##.#.#.#.#.#.#.#.#.##.....#.#",
    "#.#.###...#.#.#.#.#.#.#.#.#.#.#.#.#.###.#.#",
    "#.#.###.##.#..#.##...#.#.#.#.#.#.##.###.#.#",
    "#.#.###...#.#.#.#.#.#.#.#.#.#.####..###.#.#",
    "........##..#.#######.##.#.#.#.#.#.........",
    "...#####..#.#.#.#.#.#.#.#.#.#.#.#..........",
    ".#.#.#.#.#.#..##..###.#.##.#.#.#.#.#.#.#.#.",
    "#.#.#.#.#.#.#.#...#.....#.#.#.#.#.#.#.#.#.#",
    ".#.#.#.#.#.#..##.#.#.#.#.#.#.#.#.#.#.#.##.#",
    "...##.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#####",
    "...#.#.#.#.#..##.#.#.#.#.#.#.#.#.#.#.#.#...",
    "#.#.#.#.#.#.#.###############.#.#.#.#.#.#.#",
    ".....##..#.#................##.#.#.#.#.#...",
    "#.#.#.#.####.##....#..##..#.#.#.#.#.#.#.#.#",
    "##.#.#.#.#.#.#.#.#.#.#.#.#..##.#.#.#.#.#.#.",
    "#####.##..#.#.#.#.#.#.#.#.#.#.#.#.###..#.##",
    "#####..###.#.#.#.#.#.#.#.#..##.#.#.#.#.#.#.",
    "#.#.#.#.#.#.#.#.##.##..#..#.#.#.#.#.#.#.#.#",
    "##.#.#.#...#..#....#..#.##..##.#.#.#.#.#.#.",
    "#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.##.#.##",
    "##.#.#.#.#.#.#.#.#.#.#.#.##.#..#...###.###.",
    "#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#",
    "##.#.#.#..##.....#.#.#.#.#..##.#.#.#.#.#.#.",
    "#...#.#...#...#.#.#.#.#.#.#.#.#.#.#.#.#.#.#",
    "##.#.#.#.#.#.#.#.#.#.#.#....###.#.##.#.#.#.",
    "###############.#.#.#.#.#.#.###############",
    "..............##.#..##.#..#...............#",
    ".#.######.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#",
    ".#.#.#.#.#.#..##.#...##.##.#.#.#.#.#.#.#..#",
    "#.#.#.#.#..#..##.###.#..#..##.#.#.#.#.#.#.#",
    ".#.#.#.#.#.#..##.#.#.#.#.#.#.#.#.#.#..#.#.#",
    ".........##.#.#.#.#.#.#.#.#.#.#.#..#####...",
    ".........#.#..##.#.#.#.#....#.#..##........",
    "#######...#.#.#.#.#.#.#.#.#.#.#.#...###.#.#",
    "......#.##.#..##.#.#.#.#.#.#.#.#.##.###.#.#",
    "#####.#.#.###.##.#..#.#.#.#.#.#.#...###.#.#",
    "....#.#.##.#..##.#.####.#.#.#.#.##......#.#",
    "###.#.#...#.#.#.#.#.#.#.#.#.#.#.#.#.#####.#",
    "###.#.#..#.#..##.#.#.#.#.#.....#.##.......#",
    "###.#.#.#.#.#.#############.#.#.#...#######",
  ]

  private func modules(_ rows: [String]) -> [[Bool]] { rows.map { $0.map { $0 == "#" } } }

  private func settings(_ effort: Effort) -> DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet.onByDefault.with(.hanxin)
    settings.effort = effort
    return settings
  }

  @Test(arguments: [0.0, 90, 180, 270, 8, 200])
  func `a symbol is read at any turn, in a frame and in a picture`(degrees: Double) {
    for (rows, text) in [
      (Self.aligned, "0123456789 text & more: Han Xin"), (Self.lattice, "Lattice of 2"),
    ] {
      let (picture, corners) = Picture.drawn(modules(rows), view: MatrixView(modulePixels: 5, degrees: degrees))
      for effort in [Effort.frame, .still] {
        let read = picture.decode(settings(effort))
        #expect(read.map(\.text) == [text])
        guard let symbol = read.first?.symbol else { continue }
        #expect(symbol.symbology == .hanxin && symbol.aimModifier == 0x30 && !symbol.isMirrored)
        let found = [
          symbol.corners.topLeft, symbol.corners.topRight, symbol.corners.bottomRight, symbol.corners.bottomLeft,
        ]
        for (point, corner) in zip(found, corners) {
          #expect(abs(Double(point.x.bits) / 65536 - corner.0) < 6 && abs(Double(point.y.bits) / 65536 - corner.1) < 6)
        }
      }
    }
  }

  @Test func `Chinese characters are bytes of GB 18030`() {
    let read = Picture.drawn(modules(Self.small), view: MatrixView(modulePixels: 4)).picture.decode(settings(.still))
    #expect(read.map(\.bytes) == [[0x48, 0x58, 0x20, 0xBA, 0xBA, 0xD0, 0xC5, 0x20, 0x34, 0x32]])
  }

  @Test func `a mirrored symbol is read and reported as such`() {
    let view = MatrixView(modulePixels: 5, isMirrored: true)
    let read = Picture.drawn(modules(Self.aligned), view: view).picture.decode(settings(.still))
    #expect(read.map(\.text) == ["0123456789 text & more: Han Xin"] && read.first?.symbol.isMirrored == true)
  }

  @Test func `stains are corrected, and counted`() {
    var drawn = modules(Self.aligned)
    for row in 12..<15 { for column in 12..<16 { drawn[row][column].toggle() } }
    let read = Picture.drawn(drawn, view: MatrixView(modulePixels: 5)).picture.decode(settings(.still))
    #expect(read.map(\.text) == ["0123456789 text & more: Han Xin"])
    #expect((read.first?.symbol.correctedCodewordCount ?? 0) > 0)
  }

  @Test(arguments: 0..<20)
  func `a ruined symbol is never misread`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed) + 5)
    var drawn = modules(Self.aligned)
    for row in drawn.indices {
      for column in drawn.indices where Double.random(in: 0..<1, using: &generator) < 0.03 + 0.01 * Double(seed) {
        drawn[row][column].toggle()
      }
    }
    let read = Picture.drawn(drawn, view: MatrixView(modulePixels: 5)).picture.decode(settings(.still))
    #expect(read.allSatisfy { $0.symbol.symbology != .hanxin || $0.text == "0123456789 text & more: Han Xin" })
  }

  @Test func `it is read only on request`() {
    let picture = Picture.drawn(modules(Self.aligned), view: MatrixView(modulePixels: 5)).picture
    #expect(picture.decode(DecoderSettings()).isEmpty)
  }

  // MARK: Messages

  private func read(_ fields: [(value: Int, bitCount: Int)]) -> (
    bytes: [UInt8], segments: [PayloadSegment], modifier: UInt8
  )? {
    let bits = fields.flatMap { field in (0..<field.bitCount).map { field.value >> (field.bitCount - 1 - $0) & 1 } }
    let count = (bits.count + 7) / 8
    let data = (0..<count).map { byte in
      UInt8((0..<8).reduce(0) { $0 << 1 | (byte * 8 + $1 < bits.count ? bits[byte * 8 + $1] : 0) })
    }
    let memory = TestArena()
    var results = try! ResultStore(arena: &memory.arena)
    var reader = HanXinMessageReader(memory.array(data), count: count)
    guard let message = reader.read(into: &results) else { return nil }
    let corner = PixelPoint(x: .zero, y: .zero)
    results.commit(
      DecodedSymbol(
        symbology: .hanxin, aimModifier: message.aimModifier,
        corners: Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner)))
    return (Array(results.payloadBytes(0)), Array(results.payloadSegments(0)), message.aimModifier)
  }

  @Test func `groups of three digits, and a last group that its end measures`() {
    #expect(read([(1, 4), (123, 10), (7, 10), (1022, 10)])?.bytes == Array("12307".utf8))
    #expect(read([(1, 4), (4, 10), (1021, 10)])?.bytes == Array("4".utf8))
    #expect(read([(1, 4), (99, 10), (1021, 10)]) == nil)
  }

  @Test func `both sets of text`() {
    // 0 Z a, then the other set: space ! DEL.
    #expect(
      read([(2, 4), (0, 6), (35, 6), (36, 6), (62, 6), (28, 6), (29, 6), (61, 6), (63, 6)])?.bytes
        == Array("0Za !\u{7F}".utf8))
  }

  @Test func `the regions of Chinese characters, and change between them`() {
    // B0A1, then D8A1 in the other region, and A1A1 as symbols.
    #expect(
      read([(4, 4), (0, 12), (4094, 12), (0, 12), (4094, 12), (0xEB0, 12), (4095, 12)])?.bytes
        == [0xB0, 0xA1, 0xD8, 0xA1, 0xA1, 0xA1])
  }

  @Test func `characters of two and of four bytes`() {
    // 8140 and 8180: no second byte is 7F.
    #expect(read([(6, 4), (0, 15), (63, 15), (32767, 15)])?.bytes == [0x81, 0x40, 0x81, 0x80])
    #expect(read([(7, 4), (1, 21)])?.bytes == [0x81, 0x30, 0x81, 0x31])
  }

  @Test(arguments: [(26, 8, 26), (0x8000 | 899, 16, 899), (0xC00000 | 123456, 24, 123456)])
  func `an ECI has one to three bytes`(value: Int, bitCount: Int, number: Int) {
    let message = read([(8, 4), (value, bitCount), (3, 4), (1, 13), (0x41, 8)])
    #expect(message?.segments == [PayloadSegment(byteOffset: 0, interpretation: .eci(UInt32(number)))])
    #expect(message?.modifier == 0x31)
  }

  @Test func `a segment without its end is refused`() {
    #expect(read([(2, 4), (1, 6)]) == nil)
    #expect(read([(3, 4), (5, 13), (0x41, 8)]) == nil)
    #expect(read([(15, 4), (0, 8)]) == nil)
  }
}
