// The additional searches of a picture. They are worth their cost only if a glance has not read everything.

/// A search of the whole picture, in the order in which frames take turns.
enum ExtraSearch: BitwiseCopyable {
  /// For finder patterns and rings in a sharpened picture: from the smallest to the full size, then the two smallest on a
  /// logarithmic scale.
  case sharpened(Int)
  /// For cells in active regions of any shape; then in the whole picture.
  case activeRegions
  case wholePicture
  /// For rings in small pictures, enlarged.
  case enlarged

  static let sharpenedCount = 6
  static let count = sharpenedCount + 3

  /// - Parameter index: 0..<`count`.
  init(_ index: Int) {
    switch index - ExtraSearch.sharpenedCount {
    case 0: self = .activeRegions
    case 1: self = .wholePicture
    case 2: self = .enlarged
    default: self = .sharpened(index)
    }
  }
}
