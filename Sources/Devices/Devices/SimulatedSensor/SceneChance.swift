// Chance that repeats: the same seed gives the same scenes, shakes and noise on every machine.

import Glibc

/// A stream of random numbers (SplitMix64).
public struct SceneChance: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  /// A stream for one purpose among several that share a seed.
  public init(seed: UInt64, purpose: UInt64) {
    state = seed
    state = next() ^ (purpose &* 0xD6E8_FEB8_6659_FD93)
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// A number of a range, each equally likely.
  public mutating func number(in range: ClosedRange<Double>) -> Double {
    let share = Double(next() >> 11) / Double(1 << 53)
    return range.lowerBound + (range.upperBound - range.lowerBound) * share
  }

  /// A number of a range of positive numbers, each ratio equally likely.
  public mutating func ratio(in range: ClosedRange<Double>) -> Double {
    exp(number(in: log(range.lowerBound)...log(range.upperBound)))
  }

  /// A number with mean 0 and standard deviation 1, normally distributed.
  public mutating func normal() -> Double {
    // The logarithm of 0 is infinite.
    let radius = sqrt(-2 * log(number(in: 1e-12...1)))
    return radius * cos(2 * .pi * number(in: 0...1))
  }
}
