// The tables against rows copied by hand from ISO/IEC 18004:2015, and the two BCH codes against the standard's examples.

import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct QRTablesTests {
  @Test func `codeword counts match Table 1`() {
    let counts = [
      26, 44, 70, 100, 134, 172, 196, 242, 292, 346, 404, 466, 532, 581, 655, 733, 815, 901, 991, 1085, 1156, 1258, 1364,
      1474,
      1588, 1706, 1828, 1921, 2051, 2185, 2323, 2465, 2611, 2761, 2876, 3034, 3196, 3362, 3532, 3706,
    ]
    #expect((1...40).map { QRTables.codewordCount(version: $0) } == counts)
  }

  @Test(arguments: 1...40)
  func `alignment patterns match Annex E`(version: Int) {
    let lines = QRTables.alignmentCount(version: version)
    let centers = (0..<lines).map { QRTables.alignmentCoordinate(version: version, index: $0) }
    #expect(centers == QRDrawing.alignmentCenters(version: version))
  }

  @Test(arguments: [
    (1, 0, 1, 0, 19, 7, 2), (1, 3, 1, 0, 9, 17, 8), (2, 0, 1, 0, 34, 10, 4), (5, 2, 2, 2, 15, 18, 9),
    (7, 1, 4, 0, 31, 18, 9),
    (10, 3, 6, 2, 15, 28, 14), (14, 1, 4, 5, 40, 24, 12), (22, 3, 34, 0, 13, 24, 12), (27, 0, 8, 4, 122, 30, 15),
    (32, 2, 10, 35, 24, 30, 15), (40, 0, 19, 6, 118, 30, 15), (40, 3, 20, 61, 15, 30, 15),
  ])
  func `error correction blocks match Table 9`(
    version: Int, level: Int, short: Int, long: Int, dataCount: Int, checkCount: Int, correctionMax: Int
  ) {
    let blocks = QRTables.blocks(version: version, level: QRCorrectionLevel(rawValue: level)!)
    #expect(blocks.shortCount == short && blocks.longCount == long && blocks.dataCount == dataCount)
    #expect(blocks.checkCount == checkCount && blocks.correctionMax == correctionMax)
  }

  @Test func `the blocks fill every symbol and stay within the limits`() {
    for version in 1...40 {
      for level in 0..<4 {
        let blocks = QRTables.blocks(version: version, level: QRCorrectionLevel(rawValue: level)!)
        #expect(blocks.codewordCount == QRTables.codewordCount(version: version))
        #expect(blocks.checkCount <= QRTables.checkCountMax && blocks.dataCount + 1 + blocks.checkCount <= 255)
      }
    }
  }

  @Test func `data codeword counts match Table 7`() {
    func count(_ version: Int, _ level: Int) -> Int {
      QRTables.blocks(version: version, level: QRCorrectionLevel(rawValue: level)!).dataCodewordCount
    }
    #expect(
      [count(1, 1), count(4, 0), count(13, 2), count(20, 3), count(30, 1), count(40, 0), count(40, 3)] == [
        16, 80, 244, 385, 1373, 2956, 1276,
      ])
  }

  @Test func `format information matches Annex C`() {
    // C.2: data 00101 gives 001010011011100, masked 100000011001110.
    #expect(QRTables.formatBits(0b00101) == 0b100_0000_1100_1110)
    #expect(QRTables.formatBits(0) == 0x5412 && QRTables.formatBits(0b11111) == 0x2BED)
  }

  @Test func `version information matches Annex D`() {
    let rows = [(7, 0x07C94), (8, 0x085BC), (21, 0x15683), (32, 0x209D5), (40, 0x28C69)]
    for (version, bits) in rows { #expect(QRTables.versionBits(version) == bits) }
  }

  @Test func `each layout leaves the modules of its codewords`() {
    let memory = TestArena()
    var layout = try! QRLayout(arena: &memory.arena)
    for version in 1...40 {
      layout.prepare(version: version)
      let data = (0..<(layout.size * layout.size)).filter { layout.modules[$0] == ModuleRole.data }.count
      #expect(data / 8 == QRTables.codewordCount(version: version))
    }
  }
}
