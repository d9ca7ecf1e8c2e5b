// Reproducible random numbers.

/// A small random number generator with a seed (SplitMix64).
public struct SeededNoise: RandomNumberGenerator {
  public enum Kind {
    /// All values, equally distributed.
    case full
    /// Only black and white, which takes gradients to their limits.
    case extremes
    /// A few levels around grey.
    case faint
  }

  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// `count` random bytes.
  public func bytes(count: Int, kind: Kind) -> [UInt8] {
    var generator = self
    return (0..<count).map { _ in
      let byte = UInt8(truncatingIfNeeded: generator.next() >> 24)
      switch kind {
      case .full: return byte
      case .extremes: return byte < 128 ? 0 : 255
      case .faint: return 120 + byte % 8
      }
    }
  }

  /// A normally distributed number: the sum of twelve uniform ones, close enough for a sensor.
  mutating func nextNormal() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += Double(next() >> 11) / Double(1 << 53) }
    return sum
  }
}
