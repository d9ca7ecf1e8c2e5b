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
  /// For faint rings in a picture without its coarse and fine structures: at a quarter of the size, at half, and at
  /// full size.
  case faintRings(Int)

  static let sharpenedCount = 6
  /// The number of searches that frames take turns with; the others are for single pictures.
  static let frameCount = sharpenedCount + 3
  static let faintRingsCount = 3
  static let count = frameCount + faintRingsCount

  /// - Parameter index: 0..<`count`.
  init(_ index: Int) {
    switch index - ExtraSearch.sharpenedCount {
    case 0: self = .activeRegions
    case 1: self = .wholePicture
    case 2: self = .enlarged
    case ..<0: self = .sharpened(index)
    default: self = .faintRings(index - ExtraSearch.frameCount)
    }
  }
}
