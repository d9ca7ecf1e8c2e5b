// The row indicators next to the data of PDF417: each encodes its row and, in rotation, one property of the whole symbol
// (ISO/IEC 15438 §4.3.3). The votes of all rows are counted.

import BarcodeTypes

/// The properties of a symbol.
struct PDF417Shape: Equatable, BitwiseCopyable {
  var rowCount: Int
  /// Columns of data.
  var columnCount: Int
  /// 0...8; there are 2^(level + 1) check codewords.
  var securityLevel: Int

  var checkCount: Int { 2 << securityLevel }
  var codewordCount: Int { rowCount * columnCount }
  /// Whether a symbol can have this shape (§4.3.1).
  var isValid: Bool {
    rowCount >= 3 && rowCount <= 90 && columnCount >= 1 && columnCount <= 30 && securityLevel <= 8
      && codewordCount <= StackedCodewords.countMax && checkCount < codewordCount
  }
}

/// Counts the values of row indicators.
struct PDF417IndicatorVotes {
  /// (rows - 1) / 3, (rows - 1) mod 3 with the security level, columns - 1: the weight of each value.
  private var thirds: [30 of Int32] = .init(repeating: 0)
  private var levels: [30 of Int32] = .init(repeating: 0)
  private var columns: [30 of Int32] = .init(repeating: 0)

  /// Counts an indicator: the codeword of a row's cluster, on the left or on the right.
  mutating func add(_ codeword: Int, cluster: Int, isRight: Bool, weight: Int) {
    let value = codeword % 30
    // The right indicators encode the same values as the left ones, one cluster later.
    switch isRight ? (cluster + 2) % 3 : cluster {
    case 0: thirds[value] += Int32(weight)
    case 1: levels[value] += Int32(weight)
    default: columns[value] += Int32(weight)
    }
  }

  /// The shape that most indicators encode; nil if one of its numbers is missing, or it is invalid.
  var shape: PDF417Shape? {
    guard let third = PDF417IndicatorVotes.winner(thirds), let level = PDF417IndicatorVotes.winner(levels),
      let column = PDF417IndicatorVotes.winner(columns)
    else { return nil }
    let shape = PDF417Shape(rowCount: third * 3 + level % 3 + 1, columnCount: column + 1, securityLevel: level / 3)
    return shape.isValid ? shape : nil
  }

  private static func winner(_ weights: [30 of Int32]) -> Int? {
    var best: Int?
    var bestWeight: Int32 = 0
    for index in 0..<30 where weights[index] > bestWeight {
      best = index
      bestWeight = weights[index]
    }
    return best
  }
}
