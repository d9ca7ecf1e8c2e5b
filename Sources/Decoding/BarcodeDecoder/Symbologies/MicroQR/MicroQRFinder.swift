// Locates a Micro QR symbol around a finder pattern: the timing patterns on two of the pattern's sides give the symbol's
// orientation, its number of modules, and their shrinking with distance.

import BarcodeTypes

/// A side of the finder, and the timing pattern beyond it.
struct MicroQRSide: BitwiseCopyable {
  /// How well modules alternate, for each version: 1000 if perfectly, about 0 by chance.
  var scores: [4 of Int32] = .init(repeating: Int32.min)
  /// The shrinking of the modules, for each version: the factor of a module coordinate in the divisor, in 1/65536.
  var shrinks: [4 of Int32] = .init(repeating: 0)
}

/// A possible place of a symbol.
struct MicroQRPlace: BitwiseCopyable {
  var version: Int
  /// The corner of the finder that is also the symbol's corner.
  var corner: Int
  var shrinkAcross: Int
  var shrinkDown: Int
  var score: Int
}

/// Measures the surroundings of a finder pattern.
enum MicroQRFinder {
  /// The greatest shrinking of modules tried, and the step: half a module over a symbol of 17.
  private static let shrinkMax = 1400
  private static let shrinkStep = 100
  /// Module coordinates of a timing pattern that are examined: from before its start to past the end of M4.
  private static let firstModule = 6
  private static let lastModule = 18

  /// Finds the likeliest places of a symbol around a finder's outline, the best first. Returns their number.
  static func places(_ found: LoneFinder, _ sight: Sight, into places: inout [3 of MicroQRPlace]) -> Int {
    let outline = found.outline
    let isSmall = distance(outline[0], outline[2]) < MicroQRFinder.smallDiagonalMax
    let scoreMin = isSmall ? MicroQRFinder.smallScoreMin : MicroQRFinder.scoreMin
    let shrinkMax = isSmall ? MicroQRFinder.smallShrinkMax : MicroQRFinder.shrinkMax
    // For each side, the timing pattern that continues it beyond its end, adjacent to the corner where the side starts.
    var forward: [4 of MicroQRSide] = .init(repeating: MicroQRSide())
    var backward: [4 of MicroQRSide] = .init(repeating: MicroQRSide())
    for corner in 0..<4 {
      let here = outline[corner]
      let next = outline[(corner + 1) & 3]
      let last = outline[(corner + 3) & 3]
      forward[corner] = side(here, along: next, beside: last, shrinkMax: shrinkMax, found, sight)
      backward[corner] = side(here, along: last, beside: next, shrinkMax: shrinkMax, found, sight)
    }
    var count = 0
    for corner in 0..<4 {
      for version in 1...4 {
        let across = Int(forward[corner].scores[version - 1])
        let down = Int(backward[corner].scores[version - 1])
        // The worse of the two counts double: both must exist.
        guard min(across, down) >= scoreMin else { continue }
        let score = across + down + min(across, down)
        var place = min(count, 2)
        if count == 3, places[2].score >= score { continue }
        while place > 0, places[place - 1].score < score {
          places[place] = places[place - 1]
          place -= 1
        }
        places[place] = MicroQRPlace(
          version: version, corner: corner, shrinkAcross: Int(forward[corner].shrinks[version - 1]),
          shrinkDown: Int(backward[corner].shrinks[version - 1]), score: score)
        count = min(3, count + 1)
      }
    }
    return count
  }

  /// Least score of a timing pattern. Drawn symbols with a blur of 0.6 modules have 250 or more.
  private static let scoreMin = 150
  /// That score for modules of less than two pixels, and the shrinking tried.
  private static let (smallScoreMin, smallShrinkMax) = (110, 400)
  /// The diagonal of the outline of a pattern with modules of two pixels, in 1/256 pixels.
  private static let smallDiagonalMax = 5_068

  /// Measures a timing pattern that starts at `corner` and runs past `along`, in the first row of modules towards `beside`.
  private static func side(
    _ corner: SubpixelPoint, along: SubpixelPoint, beside: SubpixelPoint, shrinkMax: Int, _ found: LoneFinder,
    _ sight: Sight
  ) -> MicroQRSide {
    let start = SubpixelPoint(x: corner.x + (beside.x - corner.x) / 14, y: corner.y + (beside.y - corner.y) / 14)
    let sign = sight.isInverted ? -1 : 1
    let first = MicroQRFinder.firstModule
    var side = MicroQRSide()
    var values: [13 of Int32] = .init(repeating: 0)
    // From no shrinking on, alternately growing and shrinking: of equally good ones, the least is right.
    for trial in 0...(2 * shrinkMax / MicroQRFinder.shrinkStep) {
      let shrink = (trial + 1) / 2 * (trial & 1 == 0 ? MicroQRFinder.shrinkStep : -MicroQRFinder.shrinkStep)
      // The finder's own side is seven modules regardless of the shrinking.
      let gain = 65536 + 7 * shrink
      for module in first...MicroQRFinder.lastModule {
        let u = 2 * module + 1
        let divisor = 65536 * 2 + u * shrink
        let place = SubpixelPoint(
          x: start.x + (along.x - corner.x) * u * gain / (7 * divisor),
          y: start.y + (along.y - corner.y) * u * gain / (7 * divisor))
        values[module - first] = Int32(sight.sample(place) * sign)
      }
      var sum: Int32 = 0
      var module = 8
      for version in 1...4 {
        let size = MicroQRFormat.size(version: version)
        while module < size {
          let index = module - first
          let difference = 2 * values[index] - values[index - 1] - values[index + 1]
          sum += module & 1 == 0 ? -difference : difference
          module += 1
        }
        // A quiet zone of two modules follows: its second module is as light as the first.
        let index = size - first
        let falling = min(0, values[index + 1] - values[index]) * 2
        let score = (sum + falling) * 500 / (Int32(found.contrast) * Int32(size - 8))
        if score > side.scores[version - 1] {
          side.scores[version - 1] = score
          side.shrinks[version - 1] = Int32(shrink)
        }
      }
    }
    return side
  }

  /// The symbol's own corners, for a finder's outline and a place.
  static func symbolQuad(_ outline: SubpixelQuad, _ place: MicroQRPlace) -> SubpixelQuad {
    let corner = outline[place.corner]
    let right = outline[(place.corner + 1) & 3]
    let below = outline[(place.corner + 3) & 3]
    let size = MicroQRFormat.size(version: place.version)
    let one = 65536
    let across = one + 7 * place.shrinkAcross
    let down = one + 7 * place.shrinkDown
    let acrossX = (right.x - corner.x) * across * size / 7
    let acrossY = (right.y - corner.y) * across * size / 7
    let downX = (below.x - corner.x) * down * size / 7
    let downY = (below.y - corner.y) * down * size / 7
    let farRight = one + size * place.shrinkAcross
    let farBelow = one + size * place.shrinkDown
    let far = max(one / 4, one + size * (place.shrinkAcross + place.shrinkDown))
    return SubpixelQuad(
      topLeft: corner, topRight: SubpixelPoint(x: corner.x + acrossX / farRight, y: corner.y + acrossY / farRight),
      bottomRight: SubpixelPoint(x: corner.x + (acrossX + downX) / far, y: corner.y + (acrossY + downY) / far),
      bottomLeft: SubpixelPoint(x: corner.x + downX / farBelow, y: corner.y + downY / farBelow))
  }
}
