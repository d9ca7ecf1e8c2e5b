// The decoder counts its work in units. The station measures the time per unit on this board, and gives each frame the units
// that fit into a set share of the time between frames.

/// Work limit of the next frame, derived from the time that earlier frames took. It falls quickly when heat or other load
/// slows the processor down, and rises slowly afterwards.
public struct WorkPacing: Sendable {
  /// Default share; the rest is for the station's other threads.
  public static let ordinaryShare = 60
  /// Percent of the time between frames that decoding may take.
  public let share: Int
  /// Picoseconds per work unit; nil until a frame was measured.
  private var unitTime: Int64?
  /// Nanoseconds from one frame to the next; nil until two were seen.
  private var interval: Int64?
  private var last: (sequence: UInt64, moment: Int64)?

  /// Units below which a frame's time is too noisy to measure the unit.
  private static let measuredUnitsMin = 5_000
  /// Divisors by which one frame moves `unitTime` towards its own value: when it was slower, and when it was faster.
  private static let (slowerDivisor, fasterDivisor): (Int64, Int64) = (2, 16)
  /// Plausible nanoseconds between frames, 200 to 5 frames per second; others are clamped.
  private static let intervals: ClosedRange<Int64> = 5_000_000...200_000_000

  /// - Parameter share: in percent, 1 to 100.
  public init(share: Int) { self.share = share }

  /// Work units for the next frame; nil for the minimum, until a frame was measured.
  public var limit: Int? {
    guard let unitTime, let interval else { return nil }
    return Int(interval * Int64(share) * 10 / max(1, unitTime))
  }

  /// Records the cost of a frame.
  ///
  /// - Parameters:
  ///   - units: the work that it cost.
  ///   - nanoseconds: the time that reading it took, by a clock that also runs while other threads have the processor.
  ///   - sequence: its number in the source; numbers missing since the last frame are dropped frames.
  ///   - moment: when it was exposed, in nanoseconds.
  public mutating func note(units: Int, nanoseconds: Int64, sequence: UInt64, moment: Int64) {
    if let last, sequence > last.sequence, moment > last.moment {
      let measured = (moment - last.moment) / Int64(clamping: sequence - last.sequence)
      interval = min(max(measured, Self.intervals.lowerBound), Self.intervals.upperBound)
    }
    last = (sequence, moment)
    guard units >= Self.measuredUnitsMin, nanoseconds > 0 else { return }
    let measured = nanoseconds * 1000 / Int64(units)
    guard let known = unitTime else {
      unitTime = measured
      return
    }
    unitTime = known + (measured - known) / (measured > known ? Self.slowerDivisor : Self.fasterDivisor)
  }
}
