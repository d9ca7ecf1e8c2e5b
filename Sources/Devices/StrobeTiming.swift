// When a torch has to be lit so that a frame is exposed in its light: the next exposures, told from those that were.
//
// A sensor runs by a clock of its own. Its frames' time stamps tell that clock, with the jitter of whoever stamped them, and
// a filter of two numbers, phase and period, follows it: a stamp moves the phase by a quarter of what it is off and the
// period by a thirty-second, which is slow enough for jitter and quick enough for a clock that drifts as it warms up.

/// How a torch is lit for frames.
public struct StrobeSettings: Equatable, Sendable {
  /// How long before the exposure of the first row there is light: what the lamp takes to be bright, and the board to wake
  /// the thread that switches it.
  public var lead = Duration.milliseconds(2)
  /// How long after the exposure of the first row there is light: with a rolling shutter what reading a frame takes, for the
  /// last row is exposed by so much later.
  public var lag = Duration.milliseconds(10)
  /// The exposure asked for: what counts where frames do not say theirs.
  public var exposure: Duration
  /// Percent of the most that a flash LED can give; nil leaves it as its driver set it up.
  public var flashBrightness: Int?

  public init(exposure: Duration) { self.exposure = exposure }

  /// The longest time of light for a frame with the exposure asked for.
  public var pulse: Duration { lead + exposure * 2 + lag }
}

/// A time in which the torch is to be lit, in nanoseconds of CLOCK_BOOTTIME.
public struct StrobePulse: Equatable, Sendable {
  public var start: Int64
  public var end: Int64

  public init(start: Int64, end: Int64) {
    self.start = start
    self.end = end
  }
}

/// Predicts exposures. A value without a clock: moments come in with frames and questions.
///
/// What a time stamp marks differs: for libcamera it is the exposure of the first row, receivers of a Pi stamp when that row
/// is read out, which is its end, others its beginning. Pulses therefore reach an exposure to both sides of the stamp; where
/// a strobe is worth while, exposures are so short that it costs little.
public struct StrobeTiming: Equatable, Sendable {
  /// Frames that are lit after the last one that was told of. A second at 30 frames a second: longer than a frame is ever
  /// decoded, short enough for a lamp whose camera has gone.
  public static let blindFrameCountMax = 30
  /// Times from frame to frame that are believed, in nanoseconds, and how long an exposure may be.
  static let periodRange: ClosedRange<Int64> = 1_000_000...10_000_000_000
  /// Stamps that are believed: of the first hundred years after the boot.
  static let stampRange: ClosedRange<Int64> = 1...3_155_760_000_000_000_000

  private let lead: Int64
  private let lag: Int64
  private let wishedExposure: Int64
  private var exposure: Int64
  /// The sensor's clock, as far as it is known.
  private var last: (stamp: Int64, sequence: UInt64)?
  /// From one frame to the next; 0 as long as it is not known.
  public private(set) var period: Int64 = 0
  /// What the sensor last said that its period is; 0 if it does not say.
  private var toldPeriod: Int64 = 0

  public init(_ settings: StrobeSettings) {
    lead = max(0, settings.lead.wholeNanoseconds)
    lag = max(0, settings.lag.wholeNanoseconds)
    wishedExposure = max(0, settings.exposure.wholeNanoseconds)
    exposure = wishedExposure
  }

  public static func == (a: StrobeTiming, b: StrobeTiming) -> Bool {
    a.lead == b.lead && a.lag == b.lag && a.wishedExposure == b.wishedExposure && a.exposure == b.exposure
      && a.last?.stamp == b.last?.stamp && a.last?.sequence == b.last?.sequence && a.period == b.period
      && a.toldPeriod == b.toldPeriod
  }

  /// Whether pulses leave no darkness between them: then nothing is gained by them.
  public var isSteady: Bool { period > 0 && lead + 2 * exposure + lag >= period }

  /// Forgets the sensor's clock: the camera has stopped.
  public mutating func framesEnded() {
    last = nil
    period = 0
    toldPeriod = 0
  }

  /// Takes in what a frame says of the sensor's clock.
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
      self.last = (stamp, frame.sequence)
      return
    }
    let frameCount = Int64(frame.sequence - last.sequence)
    if period == 0 {
      period = Self.believed((stamp - last.stamp) / frameCount)
      self.last = (stamp, frame.sequence)
      return
    }
    let predicted = last.stamp + period * frameCount
    let error = stamp - predicted
    if abs(error) > period / 4 {
      // Not the clock that was followed: another rate, or a frame that was not counted.
      period = told > 0 ? told : Self.believed((stamp - last.stamp) / frameCount)
      self.last = (stamp, frame.sequence)
    } else {
      period = Self.believed(period + error / (32 * frameCount))
      self.last = (predicted + error / 4, frame.sequence)
    }
  }

  /// The pulse that lasts at a moment, or the next one; nil while the sensor's clock is not known, or no frame has come for too
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
