// Reproducible random numbers.

/// SplitMix64 (Steele, Lea and Flood 2014).
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// True once in `count` times.
  mutating func isOnce(in count: Int) -> Bool { number(1...count) == 1 }

  mutating func element<T>(_ list: [T]) -> T { list[number(0...(list.count - 1))] }

  mutating func digits(_ count: Int) -> String { String((0..<count).map { _ in Character("\(number(0...9))") }) }
}
