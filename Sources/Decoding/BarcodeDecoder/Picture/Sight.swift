// The picture in which a symbol is read. Its readers pass it from step to step.

import BarcodeTypes

/// A picture at a level of the pyramid, and whether the symbol in it has light and dark exchanged.
struct Sight {
  /// Greatest width of a module in the chosen picture, in pixels, unless no picture is small enough.
  private static let moduleMax = 6

  let view: LumaView
  /// The level of `view`: its sides are those of the full size divided by 2 to this power.
  let level: Int
  let isInverted: Bool

  init(view: LumaView, level: Int, isInverted: Bool) {
    self.view = view
    self.level = level
    self.isInverted = isInverted
  }

  /// Chooses the largest picture whose modules are narrow enough.
  ///
  /// - Parameter module: width of a module at full size, in 1/256 pixels.
  init(_ levels: PictureLevels, module: Int, isInverted: Bool) {
    var level = 0
    while level < PictureLevels.levelMax, module >> level > Sight.moduleMax * 256 { level += 1 }
    (view, self.level) = levels.picture(level)
    self.isInverted = isInverted
  }

  /// The grey value at a place given in 1/256 pixels at full size.
  @inline(__always) func sample(_ place: SubpixelPoint) -> Int { BarcodeDecoder.sample(view, level: level, place) }

  /// Whether a place given in 1/256 pixels at full size lies in the picture.
  func contains(_ place: SubpixelPoint) -> Bool {
    place.x >= 0 && place.y >= 0 && place.x >> (8 + level) < view.width && place.y >> (8 + level) < view.height
  }
}
