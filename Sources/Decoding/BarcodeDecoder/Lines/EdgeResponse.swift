// The profile of a blurred edge: the integral of a Gaussian, sampled four times per module.

/// Φ(i / 32) · 32768 for i = 0...128, the share of a normal distribution below i / 32 deviations; recomputed by
/// EdgeResponseTests.
let gaussianIntegral: [129 of Int32] = [
  16384, 16792, 17201, 17608, 18014, 18418, 18821, 19221, 19618, 20013, 20404, 20791,
  21174, 21552, 21926, 22295, 22658, 23015, 23367, 23713, 24052, 24385, 24711, 25030,
  25342, 25647, 25944, 26234, 26516, 26791, 27058, 27318, 27569, 27813, 28049, 28278,
  28499, 28712, 28917, 29115, 29306, 29489, 29666, 29835, 29997, 30152, 30301, 30443,
  30579, 30708, 30832, 30950, 31061, 31168, 31269, 31365, 31455, 31541, 31623, 31699,
  31772, 31840, 31905, 31965, 32023, 32076, 32126, 32174, 32218, 32259, 32298, 32334,
  32367, 32399, 32428, 32455, 32480, 32504, 32526, 32546, 32565, 32582, 32598, 32612,
  32626, 32639, 32650, 32661, 32670, 32679, 32687, 32695, 32702, 32708, 32714, 32719,
  32724, 32728, 32732, 32736, 32739, 32742, 32744, 32747, 32749, 32751, 32753, 32754,
  32756, 32757, 32758, 32759, 32760, 32761, 32762, 32763, 32763, 32764, 32764, 32765,
  32765, 32765, 32766, 32766, 32766, 32766, 32767, 32767, 32767,
]

/// Samples of the responses to edges at one blur and one ink spread, 4096 high.
///
/// Entry `reachMax + j` belongs to the sample (j + 1/2) / 4 modules after the module boundary where the edge belongs.
@safe struct EdgeResponse {
  /// Samples on either side after which the widest response has ended: six modules, five deviations.
  static let reachMax = 24
  /// Samples per module.
  static let samplesPerModule = 4
  /// Standard deviations of the blur, in modules times 256: 0.15 to 1.25.
  static let blurMin: Int32 = 38
  static let blurMax: Int32 = 320

  /// The response where a bar begins, earlier by half the ink spread.
  let darkening: UnsafeMutablePointer<Int32>
  /// The response where a bar ends, later by half the ink spread.
  let lightening: UnsafeMutablePointer<Int32>
  /// Samples on either side after which this response has ended: 4.5 deviations and half the spread.
  private(set) var reach = EdgeResponse.reachMax

  init(arena: inout Arena) throws(ArenaFull) {
    unsafe darkening = try arena.take(Int32.self, count: 2 * EdgeResponse.reachMax)
    unsafe lightening = try arena.take(Int32.self, count: 2 * EdgeResponse.reachMax)
  }

  /// - Parameters: blur, spread: in modules times 256.
  mutating func set(blur: Int32, spread: Int32) {
    let deviation = max(EdgeResponse.blurMin, min(EdgeResponse.blurMax, blur))
    reach = min(EdgeResponse.reachMax, Int(deviation &* 18 &+ 2 &* abs(spread)) >> 8 &+ 2)
    for index in (EdgeResponse.reachMax &- reach)..<(EdgeResponse.reachMax &+ reach) {
      let distance = Int32(truncatingIfNeeded: 2 &* (index &- EdgeResponse.reachMax) &+ 1) &* 32
      unsafe darkening[index] = EdgeResponse.integral(distance &+ spread / 2, deviation)
      unsafe lightening[index] = EdgeResponse.integral(distance &- spread / 2, deviation)
    }
  }

  /// Φ(distance / deviation) · 4096.
  private static func integral(_ distance: Int32, _ deviation: Int32) -> Int32 {
    let size = (abs(distance) << 9) / deviation
    guard size < 128 << 4 else { return distance < 0 ? 0 : 4096 }
    let index = Int(size >> 4)
    let low = gaussianIntegral[index]
    let value = (low &+ ((gaussianIntegral[index &+ 1] &- low) &* (size & 15)) >> 4 &+ 4) >> 3
    return distance < 0 ? 4096 &- value : value
  }
}
