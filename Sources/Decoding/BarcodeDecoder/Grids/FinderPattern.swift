// Patterns that are searched for in rows of pixels: finder patterns of QR Code and bullseyes of Aztec Code, in the same kind
// of list.

import BarcodeTypes

/// A finder pattern or bullseye in the picture, or something that looks like one.
struct FinderPattern: BitwiseCopyable {
  /// The centre, in 1/256 pixels at full size.
  var center: SubpixelPoint
  /// The width of a module along the row and the column through the centre, in 1/256 pixels: a seventh of a finder pattern's
  /// extent, or the width of a bullseye's ring.
  var moduleX: Int
  var moduleY: Int
  /// The threshold between dark and light.
  var threshold: Int
  /// Whether light and dark are exchanged.
  var isInverted: Bool
  /// Whether it belongs to a symbol that was read.
  var isUsed = false
  /// Whether its edges do not fit a bullseye's, so that its place and widths are approximate.
  var isFaint = false

  /// Whether another pattern has its middle within a module of this one.
  func isNear(_ other: FinderPattern) -> Bool {
    abs(center.x - other.center.x) < moduleX && abs(center.y - other.center.y) < moduleY
  }

  /// The mean of the two widths, in 1/256 pixels.
  var module: Int { (moduleX + moduleY) / 2 }
}

/// The patterns of one kind in a picture, in order of discovery.
@safe struct FinderPatterns {
  let all: ScratchArray<FinderPattern>
  private(set) var count = 0

  /// The distance at which two patterns of about the same size are the same one, in modules along each side.
  private let reach: Int

  init(_ countMax: Int, reach: Int, arena: inout Arena) throws(ArenaFull) {
    all = try ScratchArray(countMax, arena: &arena)
    self.reach = reach
  }

  /// Whether a known pattern has its middle at a place, with about the same size. Only for another faint pattern, a faint one
  /// counts.
  func isKnown(_ place: SubpixelPoint, moduleY: Int, isInverted: Bool, isFaint: Bool = false) -> Bool {
    for index in 0..<count {
      let known = all[index]
      if known.isInverted == isInverted, isFaint || !known.isFaint,
        abs(known.center.x - place.x) < reach * known.moduleX, abs(known.center.y - place.y) < reach * known.moduleY,
        moduleY * 2 < known.moduleY * 3, known.moduleY * 2 < moduleY * 3
      {
        return true
      }
    }
    return false
  }

  /// Adds a pattern if it is new and there is room.
  mutating func add(_ pattern: FinderPattern) {
    guard count < all.count,
      !isKnown(
        pattern.center, moduleY: pattern.moduleY, isInverted: pattern.isInverted, isFaint: pattern.isFaint)
    else { return }
    all[count] = pattern
    count += 1
  }
}
