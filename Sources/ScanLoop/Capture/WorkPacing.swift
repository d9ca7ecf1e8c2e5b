// A frame's work is counted in units, its time in nanoseconds. What a unit takes on this board now is measured, so that decoding
// fills a set part of the time between frames and no more.

/// The work that the next frame may cost, from the time that earlier ones took. It falls when heat or other load make the
/// processor slower, and rises slowly when they end.
public struct WorkPacing: Sendable {
  /// The share that leaves the rest of a station enough.
  public static let ordinaryShare = 60
  /// Percent of the time between frames that decoding may take.
  public let share: Int
  /// Picoseconds per work unit; nil until a frame was measured.
  private var unitTime: Int64?
  /// Nanoseconds from one frame to the next; nil until two were seen.
  private var interval: Int64?
  private var last: (sequence: UInt64, moment: Int64)?

  /// Units below which a frame's time says little about the units.
  private static let measuredUnitsMin = 5_000
  /// What part of a difference counts at once: when the processor is slower than was known, and when it is faster.
  private static let (slowerDivisor, fasterDivisor): (Int64, Int64) = (2, 16)
  /// Nanoseconds between frames that are believed: 200 to 5 frames per second.
  private static let intervals: ClosedRange<Int64> = 5_000_000...200_000_000

  /// - Parameter share: in percent, 1 to 100.
  public init(share: Int) { self.share = share }

  /// Work units for the next frame; nil, the least, as long as nothing was measured.
  public var limit: Int? {
    guard let unitTime, let interval else { return nil }
    return Int(interval * Int64(share) * 10 / max(1, unitTime))
  }

  /// Takes the measure of a frame.
  ///
  /// - Parameters:
  ///   - units: the work that it cost.
  ///   - nanoseconds: the time that reading it took by a clock that does not stop while others have the processor.
  ///   - sequence: its number in the source; those between it and the last one were dropped.
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
