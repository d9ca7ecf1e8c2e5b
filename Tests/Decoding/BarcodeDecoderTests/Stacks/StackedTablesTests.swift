// Checks the patterns of stacked symbols against the rules that define them.

import CSymbolTables
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct StackedTablesTests {
  /// The lengths of runs of equal modules.
  private func widths(_ modules: [Bool]) -> [Int] {
    var widths: [Int] = []
    for (index, module) in modules.enumerated() {
      if index > 0, module == modules[index - 1] { widths[widths.count - 1] += 1 } else { widths.append(1) }
    }
    return widths
  }

  /// ISO/IEC 15438 §4.2.2: 17 modules, four bars and four spaces of one to six modules, cluster (b1 - b2 + b3 - b4) mod 9.
  @Test func `every symbol character has four bars and belongs to its cluster`() {
    var seen = Set<[Bool]>()
    for cluster in 0..<3 {
      for value in 0..<929 {
        let modules = StackedDrawing.character(value, cluster: cluster)
        let widths = widths(modules)
        #expect(modules.first == true && widths.count == 8 && widths.max()! <= 6, "cluster \(cluster), \(value)")
        #expect((widths[0] - widths[2] + widths[4] - widths[6] + 9) % 9 == 3 * cluster, "cluster \(cluster), \(value)")
        seen.insert(modules)
      }
    }
    #expect(seen.count == 2787)
  }

  /// The symbol characters that the standard shows: codewords 0 and 1 of cluster 0 are 31111136 and 41111144.
  @Test func `the first symbol characters match the standard`() {
    #expect(widths(StackedDrawing.character(0, cluster: 0)) == [3, 1, 1, 1, 1, 1, 3, 6])
    #expect(widths(StackedDrawing.character(1, cluster: 0)) == [4, 1, 1, 1, 1, 1, 4, 4])
  }

  /// Neighbouring row address patterns, including the last and the first, differ in one edge by one module.
  @Test func `neighbouring row address patterns differ by one edge`() {
    for addresses in [(0..<52).map { MicroPDF417Tables.sideAddress($0) }, StackedDrawing.centerAddresses] {
      for index in 0..<52 {
        let modules = (0..<10).map { addresses[index] >> (9 - $0) & 1 == 1 }
        #expect(modules[0] && !modules[9] && widths(modules).count == 6)
        #expect((addresses[index] ^ addresses[(index + 1) % 52]).nonzeroBitCount == 1)
      }
      #expect(Set(addresses).count == 52)
    }
  }

  @Test func `MicroPDF417 sizes grow with their rows and never repeat a row address`() {
    let sizes = (0..<MicroPDF417Size.count).map { MicroPDF417Tables.size($0) }
    for (a, b) in zip(sizes, sizes.dropFirst()) {
      #expect(a.columnCount < b.columnCount || (a.rowCount < b.rowCount && a.checkCount <= b.checkCount))
    }
    for size in sizes {
      #expect((1...4).contains(size.columnCount) && (4...44).contains(size.rowCount))
      #expect(size.left + size.rowCount <= 52)
      #expect(MicroPDF417Size.layout(columnCount: size.columnCount).width == [38, 55, 82, 99][size.columnCount - 1])
    }
  }
}
