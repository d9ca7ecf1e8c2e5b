// What a region of tiles promises. The chance that it is a symbol depends on how many tiles it has and, more, on how strong the
// gradients in them are; docs/tuning.md has the counts from which these curves are drawn.

/// Chances, in 65536ths.
enum Evidence {
  /// The logarithm to base 2 in sixteenths, linear between powers.
  static func log(_ value: Int) -> Int {
    guard value > 1 else { return 0 }
    let bits = Int.bitWidth - 1 - value.leadingZeroBitCount
    return bits * 16 + (bits >= 4 ? (value >> (bits - 4)) & 15 : (value << (4 - bits)) & 15)
  }

  /// The coherence, in 256ths, from which a region is surely one of bars alone, and up to which it has rows: linear symbols have 205
  /// to 240, PDF417 180 to 195, MicroPDF417 160 to 175.
  private static let barsCoherence = 205
  private static let rowsCoherence = 198

  /// The chance of stripes: three times as much for each octave of tiles, or of two thirds of energy a tile.
  static func bars(_ region: StripeRegion) -> Int {
    curve(stripes(region) - max(0, barsCoherence - region.coherence) / 2, full: 581, chance: 29_500)
  }

  /// The chance of rows of stripes; most of them are linear symbols and print.
  static func rows(_ region: StripeRegion) -> Int {
    curve(stripes(region) - max(0, region.coherence - rowsCoherence) * 2, full: 580, chance: 16_000)
  }

  private static func stripes(_ region: StripeRegion) -> Int {
    log(region.tileCount) + log(region.energy / max(1, region.tileCount)) * 3 / 2
  }

  /// How likely so many cells of a mean energy are a matrix symbol, for `cells` and for putting regions in order: symbols have up to
  /// 16 cells on the level where they show best, and are about as high as wide.
  static func rank(cellCount: Int, energy: Int, width: Int, height: Int) -> Int {
    let aspect = log(max(width, height) * 16 / max(1, min(width, height))) - 64
    return max(0, 2 * min(64, log(cellCount)) + log(energy) - 2 * aspect)
  }

  /// The chance of cells by their rank.
  static func cells(rank: Int) -> Int { curve(rank, full: 384, chance: 13_000) }

  /// The chance of three finder patterns by their penalty, and by how many likelier threes there are at the same corner.
  static func finders(penalty: Int, rank: Int) -> Int {
    let closeness = 1120 * 120 / (120 + max(0, penalty)) * 2 / (2 + rank)
    let square = (closeness * closeness) >> 10
    return min(52_000, (square * square) >> 4)
  }

  /// Of a finder pattern by itself, and of rings.
  static let finder = 16_000
  static let bullseye = 6_500
  /// Of a small picture as a whole, where its tiles say nothing.
  static let wholePicture = 1_300

  /// `chance` from `full` on; below it a third for each sixteen less.
  private static func curve(_ evidence: Int, full: Int, chance: Int) -> Int {
    let steps = max(0, full - evidence) * 3
    return max(1, (chance * (64 - (steps & 31)) / 64) >> min(31, steps >> 5))
  }
}
