// What the readers share while one picture is read.

import BarcodeTypes

/// One picture on its way through the decoder: its pixels, what the first pass found out about them, and the means to
/// read on. Passed `inout` from reader to reader; nothing of it outlives the call of `decode`.
struct Scene: ~Copyable {
  /// The region of interest at full size; coordinates of all results start at its top left pixel.
  let luma: LumaView
  /// The same at smaller sizes, with tiles.
  let levels: PictureLevels
  let settings: DecoderSettings
  /// How thoroughly the candidate at hand is looked at.
  var attempt = Attempt.glance
  /// The same as an effort: a study is what a still picture gets.
  var effort: Effort { attempt >= .study ? .still : .frame }
  var budget: WorkBudget
  var arena: Arena
  var results: ResultStore

  /// Pixels of a picture below which it is small: there is little to be found in it, and little of what costs.
  private static let smallPixelCount = 250_000
  var isSmall: Bool { luma.width * luma.height < Scene.smallPixelCount }

  /// Whether a symbology is asked for.
  @inline(__always) func wants(_ symbology: Symbology) -> Bool { settings.symbologies.contains(symbology) }
}
