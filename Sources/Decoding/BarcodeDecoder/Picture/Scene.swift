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
  var budget: WorkBudget
  var arena: Arena
  var results: ResultStore

  /// Pictures with fewer pixels are small: they hold little to find and little that costs much work.
  private static let smallPixelCount = 250_000
  var isSmall: Bool { luma.width * luma.height < Scene.smallPixelCount }

  /// Whether a symbology is asked for.
  @inline(__always) func wants(_ symbology: Symbology) -> Bool { settings.symbologies.contains(symbology) }
}
