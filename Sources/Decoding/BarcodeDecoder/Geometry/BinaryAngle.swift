// Angles without floating point. A full turn is 65536, so that 16-bit sums wrap around and differences are correct across
// zero.

import BarcodeTypes

/// A direction in the picture: 0 points along x, a quarter turn along y (downwards).
struct BinaryAngle: Equatable, BitwiseCopyable {
  /// 65536ths of a turn.
  var bits: UInt16

  init(bits: UInt16) { self.bits = bits }

  /// The direction of the vector (x, y), wrong by at most 0.1 degrees; 0 for the zero vector.
  ///
  /// - Parameters: x, y: at most 2^40 in size.
  @inline(__always) init(x: Int, y: Int) {
    let absX = abs(x)
    let absY = abs(y)
    let longer = max(absX, absY)
    guard longer > 0 else {
      bits = 0
      return
    }
    // atan z = z (1/8 + (1 - z) (0.0389 + 0.0106 z)) turns for z in 0...1: a fit with an error below 0.0015 radians.
    let z = (min(absX, absY) << 15) / longer
    let bend = 2552 &+ ((692 &* z) >> 15)
    var angle = (z &* (8192 &+ (((32768 &- z) &* bend) >> 15))) >> 15
    if absY > absX { angle = 16384 &- angle }
    if x < 0 { angle = 32768 &- angle }
    if y < 0 { angle = 0 &- angle }
    bits = UInt16(truncatingIfNeeded: angle)
  }

  /// The sine, accurate to 2^-13.
  var sine: Fixed16 {
    let half = Int(bits & 0x7FFF)
    let inQuarter = half > 0x4000 ? 0x8000 - half : half
    let index = inQuarter >> 8
    let fraction = inQuarter & 0xFF
    let low = Int(quarterSine[index])
    let high = index < 64 ? Int(quarterSine[index + 1]) : low
    let value = low + ((high - low) * fraction + 128) >> 8
    return Fixed16(bits: Int32(bits & 0x8000 == 0 ? value : -value))
  }

  var cosine: Fixed16 { BinaryAngle(bits: bits &+ 0x4000).sine }
}

/// sin(i · 90° / 64) · 65536, i = 0...64; recomputed by BinaryAngleTests.
private let quarterSine: [65 of Int32] = [
  0, 1608, 3216, 4821, 6424, 8022, 9616, 11204, 12785, 14359, 15924, 17479, 19024,
  20557, 22078, 23586, 25080, 26558, 28020, 29466, 30893, 32303, 33692, 35062, 36410, 37736,
  39040, 40320, 41576, 42806, 44011, 45190, 46341, 47464, 48559, 49624, 50660, 51665, 52639,
  53581, 54491, 55368, 56212, 57022, 57798, 58538, 59244, 59914, 60547, 61145, 61705, 62228,
  62714, 63162, 63572, 63944, 64277, 64571, 64827, 65043, 65220, 65358, 65457, 65516, 65536,
]
