// The regions of a frame that may be symbols: what later frames may add to.

import BarcodeTypes

/// A rectangle that a pass found, with the direction of its first side. Lengths are pixels times 65536.
struct PatchRegion: BitwiseCopyable {
  var centerX = 0
  var centerY = 0
  /// The direction of its first side.
  var direction = BinaryAngle(bits: 0)
  /// Half the lengths of its sides.
  var halfWidth = 0
  var halfHeight = 0
  /// Whether it was found as bars, which may be cut in height.
  var isBars = false
  /// The probability that it is a symbol, in 65536ths.
  var promise = 0

  /// The place of the region.
  var place: CandidatePlace {
    CandidatePlace(x: centerX >> 16, y: centerY >> 16, reach: max(halfWidth, halfHeight) >> 16)
  }

  init() {}

  /// The rectangle of a region of cells.
  init(_ area: PixelRegion, promise: Int) {
    centerX = (2 * area.x + area.width - 1) << 15
    centerY = (2 * area.y + area.height - 1) << 15
    halfWidth = area.width << 15
    halfHeight = area.height << 15
    self.promise = promise
  }

  /// The rectangle of a region of stripes.
  init(_ region: StripeRegion, promise: Int) {
    let (cosine, sine) = (Int(region.direction.cosine.bits), Int(region.direction.sine.bits))
    let (u, v) = ((region.uMin + region.uMax) / 2, (region.vMin + region.vMax) / 2)
    centerX = region.centerX + (u * cosine - v * sine) >> 16
    centerY = region.centerY + (u * sine + v * cosine) >> 16
    direction = region.direction
    halfWidth = region.length / 2
    halfHeight = region.height / 2
    isBars = true
    self.promise = promise
  }
}

/// The likeliest regions of a frame.
struct PatchRegions: BitwiseCopyable {
  /// The most regions that are kept.
  static let countMax = 8

  private var regions: [8 of PatchRegion] = .init(repeating: PatchRegion())
  private(set) var count = 0

  init() {}

  subscript(index: Int) -> PatchRegion { regions[index] }

  /// Keeps a region if it is among the likeliest; of two at the same place, the likelier one.
  mutating func add(_ region: PatchRegion) {
    var place = count
    for index in 0..<count where regions[index].place.isLike(region.place) {
      guard regions[index].promise < region.promise else { return }
      place = index
      break
    }
    if place == PatchRegions.countMax {
      guard regions[place - 1].promise < region.promise else { return }
      place -= 1
    } else if place == count {
      count += 1
    }
    while place > 0, regions[place - 1].promise < region.promise {
      regions[place] = regions[place - 1]
      place -= 1
    }
    regions[place] = region
  }
}
