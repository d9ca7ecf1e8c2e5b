// Behaviour T6: the times when a torch must be lit, derived only from frames.

import Testing

@testable import Devices

@Suite struct StrobeTimingTests {
  private static let millisecond: Int64 = 1_000_000

  private var settings: StrobeSettings {
    var settings = StrobeSettings(exposure: .microseconds(500))
    settings.lead = .milliseconds(2)
    settings.lag = .milliseconds(10)
    return settings
  }

  private func frame(_ sequence: UInt64, _ stamp: Int64, exposure: Int? = nil, duration: Int? = nil) -> FrameMetadata {
    var frame = FrameMetadata(sequence: sequence, captureBootTimeNanoseconds: stamp)
    frame.sensor.exposureMicroseconds = exposure
    frame.sensor.frameDurationMicroseconds = duration
    return frame
  }

  /// A sensor whose clock drifts by 100 ppm in a minute and a half and whose stamps jitter by up to 0.4 ms. The driver
  /// stamps the beginning or the end of the exposure. Every frame, every other one, or one in four is examined, 45 ms later.
  @Test(arguments: [0, 1], [1, 2, 4])
  func `T6: each exposure lies within a pulse despite clock drift and jitter, and half the time is dark`(
    stampsEnd: Int, everyNth: Int
  ) throws {
    var timing = StrobeTiming(settings)
    let (exposure, readout, latency): (Int64, Int64, Int64) = (500_000, 8_300_000, 45_000_000)
    var begin: Int64 = 5_000_000_000
    var told: [(at: Int64, frame: FrameMetadata)] = []
    var (missed, asked, lit): (Int, Int, Int64) = (0, 0, 0)
    for number in 0..<3000 {
      let period = 33_366_700 + Int64(number) * 3_336 / 3000
      // The frames known when this exposure begins.
      while let next = told.first, next.at <= begin {
        timing.frameExposed(next.frame)
        told.removeFirst()
      }
      if number > 12 {
        let pulse = try #require(timing.pulse(at: begin))
        asked += 1
        lit += pulse.end - pulse.start
        if pulse.start > begin || pulse.end < begin + exposure + readout { missed += 1 }
      }
      let jitter = Int64(number * 7919 % 801 - 400) * 1000
      let stamp = begin + Int64(stampsEnd) * exposure + jitter
      if number % everyNth == 0 { told.append((begin + latency, frame(UInt64(number), stamp, exposure: 500))) }
      begin += period
    }
    #expect(missed == 0, "\(missed) of \(asked) exposures in the dark")
    #expect(lit / Int64(asked) < 33_366_700 / 2)
  }

  @Test func `one frame with a duration sets the period; without durations, two frames do`() {
    var told = StrobeTiming(settings)
    told.frameExposed(frame(7, 1_000_000_000, exposure: 500, duration: 33_333))
    #expect(
      told.pulse(at: 1_010_000_000)
        == StrobePulse(start: 1_000_000_000 + 33_333_000 - 2_500_000, end: 1_000_000_000 + 33_333_000 + 10_500_000))
    var silent = StrobeTiming(settings)
    silent.frameExposed(frame(7, 1_000_000_000))
    #expect(silent.pulse(at: 1_010_000_000) == nil)
    silent.frameExposed(frame(9, 1_080_000_000))
    #expect(silent.period == 40_000_000)
    let due: Int64 = 1_120_000_000 - 2_500_000
    #expect(silent.pulse(at: 1_081_000_000)?.start == due)
  }

  @Test func `when frames stop, pulses stop within a second, or at once if the camera says so`() {
    var timing = StrobeTiming(settings)
    for number in 0..<10 { timing.frameExposed(frame(UInt64(number), 1_000_000_000 + Int64(number) * 33_333_000)) }
    var now: Int64 = 1_310_000_000
    var count = 0
    while let pulse = timing.pulse(at: now), count < 1000 {
      #expect(pulse.end > now)
      now = pulse.end
      count += 1
    }
    #expect(count == StrobeTiming.blindFrameCountMax)
    #expect(timing.pulse(at: now + 3_600_000_000_000) == nil)
    timing.frameExposed(frame(10, 1_333_330_000))
    #expect(timing.pulse(at: 1_340_000_000) != nil)
    timing.framesEnded()
    #expect(timing.pulse(at: 1_340_000_000) == nil)
  }

  @Test func `a new frame rate is followed at once if it is stated, otherwise after one frame`() throws {
    for isTold in [true, false] {
      var timing = StrobeTiming(settings)
      var stamp: Int64 = 1_000_000_000
      for number in 0..<20 {
        let duration = number < 10 ? 33_333 : 16_667
        timing.frameExposed(frame(UInt64(number), stamp, duration: isTold ? duration : nil))
        if number > 11 {
          let pulse = try #require(timing.pulse(at: stamp + 2 * Self.millisecond))
          #expect(pulse.start <= stamp + 16_667_000 - 2_400_000 && pulse.end >= stamp + 16_667_000 + 10_400_000)
        }
        stamp += (number < 9 ? 33_333 : 16_667) * 1000
      }
    }
  }

  @Test func `exposures that leave no dark time get steady light`() {
    var timing = StrobeTiming(settings)
    timing.frameExposed(frame(1, 1_000_000_000, exposure: 5000, duration: 33_333))
    #expect(!timing.isSteady)
    timing.frameExposed(frame(2, 1_033_333_000, exposure: 15_000, duration: 33_333))
    #expect(timing.isSteady)
    // The next pulse begins no later than the first one ends.
    let pulse = timing.pulse(at: 1_060_000_000)
    let next = timing.pulse(at: pulse?.end ?? 0)
    #expect(next.map { $0.start } ?? .max <= pulse?.end ?? 0)
  }

  @Test func `no value that a driver reports breaks the timing`() {
    var timing = StrobeTiming(settings)
    let stamps: [Int64] = [.min, -1, 0, 1, 5_000_000_000, 4_999_999_999, 5_000_000_000, .max, 5_033_000_000]
    let sequences: [UInt64] = [0, .max, 3, 3, 2, 1 << 63]
    for (number, stamp) in (stamps + stamps.reversed()).enumerated() {
      for sequence in sequences {
        for value in [Int.min, -1, 0, 1, 33_333, .max] {
          timing.frameExposed(frame(sequence &+ UInt64(number), stamp, exposure: value, duration: value))
          for now in [Int64(0), 5_000_000_000, 5_500_000_000, 3_155_760_000_000_000_000] {
            if let pulse = timing.pulse(at: now) { #expect(pulse.end > now && pulse.start <= pulse.end) }
          }
        }
      }
    }
  }
}
