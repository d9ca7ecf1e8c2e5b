// The sizes of two-dimensional components and their places above linear symbols (ISO/IEC 24723). The places, and the middle row
// addresses, are those of symbols of all kinds that an independent encoder drew.

import BarcodeTypes

/// A column arrangement of CC-A and CC-B, and its place above a linear symbol.
struct ComponentLayout: BitwiseCopyable {
  /// Columns of codewords, 2 to 4.
  var columnCount: Int
  /// Whether a symbol of three columns is a CC-A, which has no row addresses on its left side.
  var isNarrow = false
  /// From the beginning of the linear symbol to the component's left side, in modules.
  var offset: Int

  /// The layouts of the components that a linear symbol may have: of a narrow and a wide one, only CC-A of three columns is
  /// narrow.
  ///
  /// - Parameter moduleCount: the modules of the linear symbol, including the guards of GS1 DataBar.
  static func layouts(_ symbology: Symbology, moduleCount: Int) -> (first: ComponentLayout, second: ComponentLayout?)? {
    switch symbology {
    case .ean13, .upca: (ComponentLayout(columnCount: 4, offset: -3), nil)
    case .ean8:
      (ComponentLayout(columnCount: 3, isNarrow: true, offset: -4), ComponentLayout(columnCount: 3, offset: -14))
    case .upce: (ComponentLayout(columnCount: 2, offset: -3), nil)
    // Stacked symbols are half as wide.
    case .databar:
      (moduleCount < 70 ? ComponentLayout(columnCount: 2, offset: 1) : ComponentLayout(columnCount: 4, offset: -4), nil)
    case .databarLimited:
      (ComponentLayout(columnCount: 3, isNarrow: true, offset: 1), ComponentLayout(columnCount: 3, offset: -9))
    case .databarExpanded: (ComponentLayout(columnCount: 4, offset: 2), nil)
    // The component's left side is a module before that of a symbol character near the middle; above short symbols, its right
    // side is that of the linear symbol.
    case .code128:
      (
        ComponentLayout(
          columnCount: 4, offset: moduleCount < 123 ? moduleCount - 100 : ((moduleCount - 13) / 11 - 7) / 2 * 11 - 1), nil
      )
    default: nil
    }
  }

  /// The columns of modules: row addresses of ten modules and codewords, and a final bar.
  var columns: StackedLayout {
    guard isNarrow else { return MicroPDF417Size.layout(columnCount: columnCount) }
    var layout = StackedLayout()
    layout.append(17)
    layout.append(10)
    layout.append(17)
    layout.append(17)
    layout.append(11)
    return layout
  }

  /// The column of the row addresses that are nearest to the left side.
  var addressColumn: Int { isNarrow ? 1 : 0 }

  /// The places of the codewords.
  func cells(firstCluster: Int) -> CodewordCells {
    CodewordCells(
      columnCount: columnCount, firstColumn: isNarrow ? 0 : 1,
      gapBefore: isNarrow ? 1 : MicroPDF417Size.centerColumn(columnCount), firstCluster: firstCluster)
  }
}

/// The sizes of a component, those of CC-A before those of CC-B.
enum ComponentSizes {
  /// The number of sizes of CC-A.
  static let narrowCount = 17
  static let count = narrowCount + MicroPDF417Size.count
  /// The rows of the highest component.
  static let rowCountMax = 44

  /// Of CC-A: columns, rows, check codewords, and the left, middle and right row addresses of the first row, from 0; ISO/IEC
  /// 24723 tables 9 and 10. The middle row addresses of three columns are in the second place, as on the left side of a
  /// symbol.
  private static let sizes: [102 of UInt8] = [
    2, 5, 4, 38, 0, 18, 2, 6, 4, 0, 0, 32, 2, 7, 5, 31, 0, 11, 2, 8, 5, 7, 0, 39, 2, 9, 6, 13, 0, 45,
    2, 10, 6, 42, 0, 22, 2, 12, 7, 19, 0, 51, 3, 4, 4, 42, 42, 22, 3, 5, 5, 32, 32, 12, 3, 6, 6, 36, 36, 16,
    3, 7, 7, 46, 46, 26, 3, 8, 7, 0, 0, 32, 4, 3, 4, 39, 19, 51, 4, 4, 5, 42, 22, 2, 4, 5, 6, 45, 25, 5,
    4, 6, 7, 33, 13, 45, 4, 7, 8, 28, 8, 40,
  ]
  /// The clusters of the first rows of CC-A with three columns, whose middle row addresses do not tell them.
  private static let narrowClusters: [5 of UInt8] = [1, 0, 1, 2, 2]

  /// A size, its cluster of the first row, and whether it is one of CC-A.
  static func size(_ index: Int) -> (size: MicroPDF417Size, cluster: Int, isNarrow: Bool) {
    guard index < narrowCount else {
      let size = MicroPDF417Tables.size(index - narrowCount)
      return (size, size.cluster(ofRow: 0), false)
    }
    let at = index * 6
    let size = MicroPDF417Size(
      columnCount: Int(sizes[at]), rowCount: Int(sizes[at + 1]), checkCount: Int(sizes[at + 2]), left: Int(sizes[at + 3]),
      center: Int(sizes[at + 4]), right: Int(sizes[at + 5]))
    return (size, size.columnCount == 3 ? Int(narrowClusters[index - 7]) : size.cluster(ofRow: 0), true)
  }
}
