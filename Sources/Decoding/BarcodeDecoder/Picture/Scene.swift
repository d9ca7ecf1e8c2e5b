// The state that the readers share while one picture is decoded.

import BarcodeTypes

/// One picture in the decoder: its pixels, the results of the first pass, and the means to decode. Passed `inout` from
/// reader to reader; nothing in it outlives the call of `decode`.
struct Scene: ~Copyable {
  /// The region of interest at full size. Coordinates of all results start at its top left pixel.
  let luma: LumaView
  /// The region of interest at reduced sizes, with tiles.
  let levels: PictureLevels
  let settings: DecoderSettings
  /// How thoroughly the current candidate is examined.
  var attempt = Attempt.glance
  /// The effort for this attempt: a study gets the full effort of a still picture.
  var effort: Effort { attempt >= .study ? .still : .frame }
  /// How far the current candidate came.
  var progress = ReadingProgress()
  var budget: WorkBudget
  var arena: Arena
  var results: ResultStore

  /// Pictures with fewer pixels are small: they hold little to find and little that costs much work.
  private static let smallPixelCount = 250_000
  var isSmall: Bool { luma.width * luma.height < Scene.smallPixelCount }

  /// Whether a symbology is asked for.
  @inline(__always) func wants(_ symbology: Symbology) -> Bool { settings.symbologies.contains(symbology) }
}

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

  /// The view at half the size, or the same one if there is no smaller picture.
  init(_ levels: PictureLevels, above other: Sight) {
    (view, level) = levels.picture(min(PictureLevels.levelMax, other.level + 1))
    isInverted = other.isInverted
  }

  /// The grey value at a place given in 1/256 pixels at full size.
  @inline(__always) func sample(_ place: SubpixelPoint) -> Int { BarcodeDecoder.sample(view, level: level, place) }

  /// Whether a place given in 1/256 pixels at full size lies in the picture.
  func contains(_ place: SubpixelPoint) -> Bool {
    place.x >= 0 && place.y >= 0 && place.x >> (8 + level) < view.width && place.y >> (8 + level) < view.height
  }
}
