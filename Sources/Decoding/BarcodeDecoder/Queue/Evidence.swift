// The evidence in a region of tiles. The probability that it is a symbol depends on its number of tiles and, more strongly,
// on the strength of their gradients; docs/tuning.md has the counts behind these curves.

/// Probabilities, in 65536ths.
enum Evidence {
  /// The logarithm to base 2 in sixteenths, linear between powers of two.
  static func log(_ value: Int) -> Int {
    guard value > 1 else { return 0 }
    let bits = Int.bitWidth - 1 - value.leadingZeroBitCount
    return bits * 16 + (bits >= 4 ? (value >> (bits - 4)) & 15 : (value << (4 - bits)) & 15)
  }

  /// The coherence, in 256ths, from which a region certainly contains only bars, and up to which it contains rows: linear
  /// symbols have 205 to 240, PDF417 180 to 195, MicroPDF417 160 to 175.
  private static let barsCoherence = 205
  private static let rowsCoherence = 198

  /// The probability of stripes: it triples per octave of tiles, or per two thirds of an octave of energy per tile.
  static func bars(_ region: StripeRegion) -> Int {
    curve(stripes(region) - max(0, barsCoherence - region.coherence) / 2, full: 581, chance: 29_500)
  }

  /// The probability of rows of stripes; most such regions are linear symbols or print.
  static func rows(_ region: StripeRegion) -> Int {
    curve(stripes(region) - max(0, region.coherence - rowsCoherence) * 2, full: 580, chance: 16_000)
  }

  /// The minimum number of turns of grey along a line across a symbol, and the numbers from which it may be one, probably is
  /// one, and has enough turns.
  static let turnCountMin = 14
  private static let turnCounts = (few: 20, some: 30, many: 45)
  /// The probability of stripes with fewer turns.
  static let fewTurns = 100
  /// The probability up to which a candidate is unlikely.
  static let unlikely = Int32(fewTurns)

  /// The probability from the tiles from which the lines have full weight, and the agreement of both lines, in 256ths: below
  /// `fair` the lines are doubted, from `good` on they are trusted.
  private static let fairChance = 1_000
  private static let agreementMin = (fair: 128, good: 192)

  /// The probability of stripes after a look at two of their lines: the geometric mean of the probability from the tiles and
  /// that from the lines, or the latter if the lines agree.
  static func bars(_ chance: Int, coherence: Int, turnCount: Int, agreement: Int) -> Int {
    if turnCount < turnCountMin { return min(chance, fewTurns) }
    let seen: Int
    if turnCount < turnCounts.few {
      seen = 330
    } else if turnCount < turnCounts.some {
      seen = agreement < 192 ? 4_000 : 8_700
    } else if turnCount < turnCounts.many {
      seen = agreement < agreementMin.fair ? 5_000 : agreement < agreementMin.good ? 10_500 : 33_000
    } else {
      seen = agreement < 64 ? 10_500 : agreement < 128 ? 24_000 : agreement < 192 ? 40_000 : 50_000
    }
    // If neither the tiles nor the lines agree, stripes are the rows of a stacked symbol, or print.
    let isRows = coherence < rowsCoherence && agreement < agreementMin.good
    let mean = Int(integerRoot(UInt64(chance * seen / (isRows ? 16 : 1))))
    return agreement < agreementMin.good ? mean : max(mean, seen * min(chance, fairChance) / fairChance)
  }

  /// Whether a region certainly consists of bars, even if they are not read: they have many turns, and both lines agree.
  /// Half of such regions in the corpus were read.
  static func isSurelyBars(_ region: StripeRegion) -> Bool {
    region.turnCount >= turnCounts.some && region.agreement >= agreementMin.good && region.coherence >= barsCoherence
  }

  /// The probability of rows of stripes after a look at a line; two lines of them do not agree.
  static func rows(_ chance: Int, turnCount: Int) -> Int {
    if turnCount < turnCountMin { return min(chance, fewTurns) }
    let seen = turnCount < turnCounts.few ? 1_000 : turnCount < turnCounts.some ? 4_000 : 16_000
    return max(chance, Int(integerRoot(UInt64(chance * seen))))
  }

  private static func stripes(_ region: StripeRegion) -> Int {
    log(region.tileCount) + log(region.energy / max(1, region.tileCount)) * 3 / 2
  }

  /// The rank of a region by its cells and their mean energy, for `cells` and for the order of regions. Symbols have up to
  /// 16 cells on their best level, and are about as high as wide.
  static func rank(cellCount: Int, energy: Int, width: Int, height: Int) -> Int {
    let aspect = log(max(width, height) * 16 / max(1, min(width, height))) - 64
    return max(0, 2 * min(64, log(cellCount)) + log(energy) - 2 * aspect)
  }

  /// The probability of cells by their rank.
  static func cells(rank: Int) -> Int { curve(rank, full: 384, chance: 13_000) }

  /// The probability of three finder patterns by their penalty, and by the number of likelier threes at the same corner.
  static func finders(penalty: Int, rank: Int) -> Int {
    let closeness = 1120 * 120 / (120 + max(0, penalty)) * 2 / (2 + rank)
    let square = (closeness * closeness) >> 10
    return min(52_000, (square * square) >> 4)
  }

  /// The probability of three finder patterns with timing patterns and formats between them.
  static let functionModules = 38_000
  /// The probability of a single finder pattern, and of rings.
  static let finder = 4_000
  static let bullseye = 6_500
  /// The probability of a small picture as a whole, whose tiles give no evidence.
  static let wholePicture = 1_300
  /// The probability of a strip of pixels too narrow for tiles.
  static let strip = 29_500
  /// The divisor for cells that fill a third of a picture: they are probably its texture.
  static let textureDivisor = 16

  /// `chance` from `full` on; below `full`, about a third of it per sixteen less.
  private static func curve(_ evidence: Int, full: Int, chance: Int) -> Int {
    let steps = max(0, full - evidence) * 3
    return max(1, (chance * (64 - (steps & 31)) / 64) >> min(31, steps >> 5))
  }
}
