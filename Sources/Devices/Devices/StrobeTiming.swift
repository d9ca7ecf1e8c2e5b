// When to light the torch so that frames are exposed in its light: predicts exposures from earlier ones.
//
// A sensor runs on its own clock. Its frames' time stamps show that clock with the jitter of the stamping. A filter
// with two states, phase and period, follows it: a stamp moves the phase by a quarter of its error and the period by a
// thirty-second, slow enough for jitter and fast enough for a clock that drifts as it warms up.

/// How the torch lights frames.
public struct StrobeSettings: Equatable, Sendable {
  /// How long before the first row's exposure the light comes on: the lamp's rise time, plus the time that the board takes
  /// to wake the switching thread.
  public var lead = Duration.milliseconds(2)
  /// How long after the first row's exposure the light stays on: with a rolling shutter, the frame's readout time, because
  /// the last row is exposed that much later.
  public var lag = Duration.milliseconds(10)
  /// The requested exposure, used if frames do not report theirs.
  public var exposure: Duration
  /// Percent of a flash LED's maximum; nil leaves the driver's setting.
  public var flashBrightness: Int?

  public init(exposure: Duration) { self.exposure = exposure }

  /// The longest light pulse for a frame with the requested exposure.
  public var pulse: Duration { lead + exposure * 2 + lag }
}

/// A period during which the torch is lit, in nanoseconds of CLOCK_BOOTTIME.
public struct StrobePulse: Equatable, Sendable {
  public var start: Int64
  public var end: Int64

  public init(start: Int64, end: Int64) {
    self.start = start
    self.end = end
  }
}

/// Predicts exposures. A value without a clock: frames and queries supply the time.
///
/// Time stamps differ in meaning: libcamera stamps the first row's exposure, receivers of a Pi the readout of that row,
/// which is the exposure's end, and others its beginning. Pulses therefore extend one exposure to either side of the stamp;
/// where a strobe is worthwhile, exposures are so short that this costs little.
public struct StrobeTiming: Equatable, Sendable {
  /// Frames lit after the last reported one. One second at 30 frames per second: longer than any frame takes to decode,
  /// short enough for a lamp whose camera has gone.
  public static let blindFrameCountMax = 30
  /// Plausible times between frames and plausible exposures, in nanoseconds.
  static let periodRange: ClosedRange<Int64> = 1_000_000...10_000_000_000
  /// Plausible stamps: within the first hundred years after boot.
  static let stampRange: ClosedRange<Int64> = 1...3_155_760_000_000_000_000

  private let lead: Int64
  private let lag: Int64
  private let wishedExposure: Int64
  private var exposure: Int64
  /// A frame's time stamp and sequence number.
  private struct Tick: Equatable {
    var stamp: Int64
    var sequence: UInt64
  }

  /// The last known state of the sensor's clock.
  private var last: Tick?
  /// Time from one frame to the next; 0 while unknown.
  public private(set) var period: Int64 = 0
  /// The period that the sensor last reported; 0 if it reports none.
  private var toldPeriod: Int64 = 0

  public init(_ settings: StrobeSettings) {
    lead = max(0, settings.lead.wholeNanoseconds)
    lag = max(0, settings.lag.wholeNanoseconds)
    wishedExposure = max(0, settings.exposure.wholeNanoseconds)
    exposure = wishedExposure
  }

  /// Whether pulses leave no dark time between them, so that strobing gains nothing.
  public var isSteady: Bool { period > 0 && lead + 2 * exposure + lag >= period }

  /// Discards the sensor's clock because the camera has stopped.
  public mutating func framesEnded() {
    last = nil
    period = 0
    toldPeriod = 0
  }

  /// Updates the estimate of the sensor's clock from a frame.
  public mutating func frameExposed(_ frame: FrameMetadata) {
    let stamp = frame.captureBootTimeNanoseconds
    guard Self.stampRange.contains(stamp) else { return }
    exposure = frame.sensor.exposureMicroseconds.map(Self.nanoseconds) ?? wishedExposure
    let told = Self.believed(frame.sensor.frameDurationMicroseconds.map(Self.nanoseconds) ?? 0)
    let hasChangedRate = told > 0 && abs(told - toldPeriod) > told / 64
    toldPeriod = told
    guard let last, !hasChangedRate, frame.sequence > last.sequence, stamp > last.stamp,
      frame.sequence - last.sequence <= UInt64(Self.blindFrameCountMax)
    else {
      if last == nil || hasChangedRate { period = told }
      self.last = Tick(stamp: stamp, sequence: frame.sequence)
      return
    }
    let frameCount = Int64(frame.sequence - last.sequence)
    if period == 0 {
      period = Self.believed((stamp - last.stamp) / frameCount)
      self.last = Tick(stamp: stamp, sequence: frame.sequence)
      return
    }
    let predicted = last.stamp + period * frameCount
    let error = stamp - predicted
    if abs(error) > period / 4 {
      // The clock differs from the estimate: another frame rate, or a frame that was not counted.
      period = told > 0 ? told : Self.believed((stamp - last.stamp) / frameCount)
      self.last = Tick(stamp: stamp, sequence: frame.sequence)
    } else {
      period = Self.believed(period + error / (32 * frameCount))
      self.last = Tick(stamp: predicted + error / 4, sequence: frame.sequence)
    }
  }

  /// The pulse at a moment, or else the next one; nil while the sensor's clock is unknown, or if no frame has come for too
  /// long.
  public func pulse(at now: Int64) -> StrobePulse? {
    guard let last, period > 0 else { return nil }
    let since = now - last.stamp - exposure - lag
    let number = max(1, since >= 0 ? since / period + 1 : 0)
    guard number <= Int64(Self.blindFrameCountMax) else { return nil }
    let stamp = last.stamp + number * period
    return StrobePulse(start: stamp - exposure - lead, end: stamp + exposure + lag)
  }

  private static func nanoseconds(_ microseconds: Int) -> Int64 {
    Int64(max(0, min(microseconds, Int(periodRange.upperBound / 1000)))) * 1000
  }

  private static func believed(_ period: Int64) -> Int64 { periodRange.contains(period) ? period : 0 }
}

extension Duration {
  fileprivate var wholeNanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
