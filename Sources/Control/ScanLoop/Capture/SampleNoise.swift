// The noise of a frame's samples, which separates changes and new things in view from chance.

import ScanControl

/// The noise of samples by their level, measured by how the stiller half of them changes from frame to frame: a sensor's own noise
/// weighs most in the dark.
struct SampleNoise {
  /// Levels with a measurement of their own.
  private static let classCount = 4
  /// Changes that are told apart; larger ones count as the largest.
  private static let changeCount = 64
  /// The least samples of a class for a measurement.
  private static let sampleCountMin = 64
  /// The deviation of a sample for a mean change of the stiller half of 16: of two samples' difference, that half has a third of the
  /// difference's deviation.
  private static let deviationOfChange = 34
  /// The part of a rise that is taken per frame, as a thing that fills the view changes most samples.
  private static let riseDivisor = 16

  /// The deviations of a sample at the present gain, in sixteenths of a grey level, by class; negative before they were measured.
  private var deviations: [4 of Int] = .init(repeating: -1)
  /// Samples of the present frame by class and change.
  private var counts: [256 of Int32] = .init(repeating: 0)
  private var settings = SensorSettings()
  /// Whether nothing was measured at these settings.
  private(set) var isFresh = true

  private static func levelClass(_ level: UInt8) -> Int { level < 24 ? 0 : level < 56 ? 1 : level < 120 ? 2 : 3 }

  /// Begins a frame. Light's own noise grows with the root of the gain where levels are the root of the light.
  mutating func begin(_ settings: SensorSettings) {
    if let former = self.settings.gain, let gain = settings.gain, gain != former, former > 0 {
      let factor = Int((UInt64(max(1, gain)) << 16 / UInt64(former)).root)
      for index in 0..<Self.classCount where deviations[index] >= 0 { deviations[index] = deviations[index] * factor / 256 }
    }
    if settings.exposure != self.settings.exposure || settings.gain != self.settings.gain { isFresh = true }
    self.settings = settings
    counts = .init(repeating: 0)
  }

  /// Adds a sample's change since the frame before.
  mutating func add(_ change: Int, at level: UInt8) {
    counts[Self.levelClass(level) * Self.changeCount + min(abs(change), Self.changeCount - 1)] += 1
  }

  /// Measures the frame from what was added: to be called if the frame before had the same settings.
  mutating func measure() {
    for index in 0..<Self.classCount {
      guard let change = stillerMean(index) else {
        if isFresh { deviations[index] = -1 }
        continue
      }
      let present = change * Self.deviationOfChange / 16
      let known = deviations[index]
      deviations[index] =
        isFresh || present < known ? present : known + (present - known + Self.riseDivisor - 1) / Self.riseDivisor
    }
    isFresh = false
  }

  /// The mean change of the stiller half of a class, in sixteenths of a grey level; nil for too few samples.
  private func stillerMean(_ index: Int) -> Int? {
    let first = index * Self.changeCount
    var total: Int32 = 0
    for change in 0..<Self.changeCount { total += counts[first + change] }
    guard total >= Self.sampleCountMin else { return nil }
    var (sum, rest) = (0, total / 2)
    for change in 0..<Self.changeCount where rest > 0 {
      let count = min(rest, counts[first + change])
      sum += change * Int(count)
      rest -= count
    }
    return 16 * sum / Int(total / 2)
  }

  /// The deviation of a sample of a level, in sixteenths of a grey level: of its own class or else of the next lighter or darker one.
  func deviation(at level: UInt8) -> Int {
    let own = Self.levelClass(level)
    for distance in 0..<Self.classCount {
      if own + distance < Self.classCount, deviations[own + distance] >= 0 { return deviations[own + distance] }
      if own - distance >= 0, deviations[own - distance] >= 0 { return deviations[own - distance] }
    }
    return 0
  }
}
