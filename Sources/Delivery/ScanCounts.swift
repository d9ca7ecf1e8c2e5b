// How many scans wait behind a position. After a long outage there are a hundred thousand, and the figure is asked for every
// few seconds, with each scan of a full outbox, and by everyone who looks at the station: counting rows each time would read
// the whole file again and hold up the scan that comes meanwhile. So the figures asked for last are kept up to date.

/// Numbers of scans after sequence numbers, kept while scans are inserted and deleted by the one program that does.
struct ScanCounts {
  private struct Known {
    var sequence: Int64
    var count: Int
  }

  /// Asked for last, first.
  private var known: [Known] = []

  /// Figures that are kept: more than a station has sinks.
  static let knownCountMax = 16

  /// The number of scans after a sequence number.
  ///
  /// - Parameter countBetween: counts those after the first sequence number up to and including the second; asked only for
  ///   the scans between this number and the nearest one whose figure is known.
  mutating func count(after sequence: Int64, countBetween: (Int64, Int64) throws -> Int) rethrows -> Int {
    let nearest = known.min { distance($0.sequence, sequence) < distance($1.sequence, sequence) }
    let count: Int
    switch nearest {
    case .some(let nearest) where nearest.sequence == sequence: count = nearest.count
    case .some(let nearest) where nearest.sequence < sequence:
      count = nearest.count - (try countBetween(nearest.sequence, sequence))
    case .some(let nearest): count = nearest.count + (try countBetween(sequence, nearest.sequence))
    case .none: count = try countBetween(sequence, .max)
    }
    known.removeAll { $0.sequence == sequence }
    known.insert(Known(sequence: sequence, count: count), at: 0)
    if known.count > Self.knownCountMax { known.removeLast() }
    return count
  }

  private func distance(_ a: Int64, _ b: Int64) -> UInt64 { (a > b ? a &- b : b &- a).magnitude }

  mutating func inserted(_ sequences: [Int64]) {
    for index in known.indices { known[index].count += sequences.count { $0 > known[index].sequence } }
  }

  /// All scans up to and including a sequence number are gone.
  mutating func deleted(through sequence: Int64) { known.removeAll { $0.sequence < sequence } }

  /// Some of the scans after a sequence number are gone; of the figures for later ones nothing is known any more.
  mutating func deleted(_ count: Int, after sequence: Int64) {
    guard count > 0 else { return }
    known.removeAll { $0.sequence > sequence }
    for index in known.indices { known[index].count -= count }
  }
}
