// The sizes against the area of their codewords and against rows copied by hand, the layout against a second placement.

import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct DataMatrixTablesTests {
  @Test(arguments: 0..<DataMatrixTables.sizeCount)
  func `the codewords of each size fill its mapping matrix and stay within the limits`(index: Int) {
    let size = DataMatrixTables.size(index)
    #expect(size.mappingRows * size.mappingColumns / 8 == size.codewordCount)
    #expect(size.checkCount % size.blockCount == 0 && size.blockCheckCount <= DataMatrixTables.blockCheckCountMax)
    #expect((0..<size.blockCount).map { size.blockDataCount($0) }.reduce(0, +) == size.dataCount)
    #expect(size.blockDataCount(0) + size.blockCheckCount <= 255)
    #expect(size.rows % size.regionRows == 0 && size.columns % size.regionColumns == 0)
    #expect(size.codewordCount <= DataMatrixTables.codewordCountMax && size.columns <= DataMatrixTables.sideMax)
  }

  @Test(arguments: [
    (10, 10, 3, 5, 1), (26, 26, 44, 28, 1), (52, 52, 204, 84, 2), (104, 104, 816, 336, 6), (144, 144, 1558, 620, 10),
    (8, 32, 10, 11, 1), (16, 48, 49, 28, 1), (8, 144, 63, 36, 1), (26, 64, 118, 50, 1),
  ])
  func `sizes match the standards`(rows: Int, columns: Int, data: Int, check: Int, blocks: Int) {
    let all = (0..<DataMatrixTables.sizeCount).map { DataMatrixTables.size($0) }
    let size = all.first { $0.rows == rows && $0.columns == columns }
    #expect(size?.dataCount == data && size?.checkCount == check && size?.blockCount == blocks)
  }

  @Test func `the blocks of the largest size differ by one codeword`() {
    let size = DataMatrixTables.size(23)
    #expect((0..<10).map { size.blockDataCount($0) } == [156, 156, 156, 156, 156, 156, 156, 156, 155, 155])
  }

  @Test(arguments: 0..<DataMatrixTables.sizeCount)
  func `every bit has exactly one module, where Annex F places it`(index: Int) {
    let memory = TestArena()
    var layout = try! DataMatrixLayout(arena: &memory.arena)
    layout.prepare(index)
    let size = layout.size
    let drawing = DataMatrixDrawing(data: Array(repeating: 0, count: size.dataCount), size: size)
    var seen = Set<UInt16>()
    var place = 0
    for row in 0..<size.rows {
      for column in 0..<size.columns {
        let here = row * size.columns + column
        switch layout.roles[here] {
        case ModuleRole.data:
          let (mappingRow, mappingColumn) = (place / size.mappingColumns, place % size.mappingColumns)
          let bit = layout.bits[here]
          #expect(drawing.mapping[mappingRow][mappingColumn].map { UInt16($0.codeword * 8 + $0.bit) } == bit)
          #expect(seen.insert(bit).inserted)
          place += 1
        case ModuleRole.dark:
          #expect(drawing.modules[row][column])
          if isInside(row, column, size) { place += 1 }
        default:
          #expect(!drawing.modules[row][column])
          if isInside(row, column, size) { place += 1 }
        }
      }
    }
    #expect(seen.count == 8 * size.codewordCount)
  }

  /// Whether a module is inside a data region.
  private func isInside(_ row: Int, _ column: Int, _ size: DataMatrixSize) -> Bool {
    let (y, x) = (row % size.regionHeight, column % size.regionWidth)
    return x > 0 && y > 0 && x < size.regionWidth - 1 && y < size.regionHeight - 1
  }

  /// ISO/IEC 16022 Annex O: "123456" is 142 164 186, with check codewords 114 25 5 88 102.
  @Test func `check codewords match the worked example`() {
    #expect(DataMatrixDrawing.checkCodewords([142, 164, 186], count: 5) == [114, 25, 5, 88, 102])
  }
}
