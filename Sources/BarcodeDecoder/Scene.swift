// What the readers share while one picture is read.

import BarcodeTypes

/// One picture on its way through the decoder: its pixels, what the first pass found out about them, and the means to
/// read on. Passed `inout` from stage to stage; nothing of it outlives the call of `decode`.
struct Scene: ~Copyable {
  /// The region of interest at full size; coordinates of all stages start at its top left pixel.
  let luma: LumaView
  /// The same at half size: each pixel the rounded mean of four. At least 1×1.
  let half: LumaView
  /// Statistics of each 8×8 tile of `luma`.
  let tiles: TileMap
  /// Where `luma` is striped; nil where no symbology asked for is made of bars.
  let activity: StripeActivity?
  let settings: DecoderSettings
  /// What the present pass over the picture may cost. A still picture is read as a camera frame first.
  var effort = Effort.frame
  var budget: WorkBudget
  var arena: Arena
  var results: ResultStore
  /// Effort `frame`: the rank of the striped region to begin with, and afterwards of the one to begin with next time.
  var regionCursor: Int
  /// Whether striped regions were left untried.
  var hasUntriedRegions = false
  /// Striped regions of the full picture that are clearly no linear symbol of dark bars, a bit for each.
  var clearRegions: UInt32 = 0
  /// The finder patterns of QR Code in the picture as it is, once it was searched.
  var finders: QRFinderSearch?
  /// The bullseyes of Aztec symbols that the scan for finder patterns came across, if they are asked for.
  var bullseyes: AztecFinderSearch?

  /// Whether a symbology is asked for.
  @inline(__always) func wants(_ symbology: Symbology) -> Bool { settings.symbologies.contains(symbology) }
}
