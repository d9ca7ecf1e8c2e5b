// The brightness of a scene, from a grid of pixels: enough to distinguish night from day, and far cheaper than reading them
// all.

import BarcodeTypes

enum SceneBrightness {
  /// Distance between sampled pixels, each way: 3600 pixels of a 1280x720 frame.
  static let step = 16

  /// The mean luma, 0…255, of every `step`th pixel of every `step`th row.
  static func mean(of frame: LumaView) -> UInt8 {
    var sum = 0
    var count = 0
    for y in stride(from: min(step / 2, frame.height - 1), to: frame.height, by: step) {
      let row = frame.row(y)
      for x in stride(from: min(step / 2, frame.width - 1), to: frame.width, by: step) {
        sum += Int(row[x])
        count += 1
      }
    }
    return UInt8(sum / max(1, count))
  }
}
