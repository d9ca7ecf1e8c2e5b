// The other end of a sink: it accepts scans, is unreachable, rejects them, or fails to answer.

@testable import DeliveryModel

/// The receiver of a sink's scans.
class Receiver {
  enum Mode: Equatable {
    case working
    /// No answer.
    case away
    /// Accepts the scan, but its answer gets lost.
    case forgetful
    case rejecting
    case parking
    /// Rejects one scan in the given number.
    case poisoned(Int)
    /// Rejects some labels each time that they are scanned.
    case allergic

    static func random(using random: inout SeededRandom) -> Mode {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: .away
      case 1: .forgetful
      case 2: .rejecting
      case 3: .parking
      case 4, 5: .poisoned(Int.random(in: 2...6, using: &random))
      default: .working
      }
    }
  }

  var mode = Mode.working
  /// Scans in the order of their first arrival.
  var received: [ScanRecord] = []
  private var ids: Set<ScanID> = []
  /// Scans that were rejected alone; those of them after which another scan was accepted; and those that were then rejected
  /// again. Only the last may become dead letters.
  private var rejected: Set<ScanID> = []
  private var passed: Set<ScanID> = []
  private(set) var proven: Set<ScanID> = []
  private static let problem = DeliveryProblem("no", remedy: "none")

  func has(_ id: ScanID) -> Bool { ids.contains(id) }

  func answer(_ records: [ScanRecord]) -> DeliveryOutcome {
    let outcome = take(records)
    switch outcome {
    case .rejected where records.count == 1:
      let id = records[0].id
      if passed.contains(id) { proven.insert(id) }
      rejected.insert(id)
    case .delivered: passed.formUnion(rejected)
    default: break
    }
    return outcome
  }

  private func take(_ records: [ScanRecord]) -> DeliveryOutcome {
    switch mode {
    case .working: break
    case .away: return .retry(after: nil, Self.problem)
    case .rejecting: return .rejected(after: nil, Self.problem)
    case .parking: return .parked(Self.problem, isFinal: false)
    case .poisoned(let part):
      if records.contains(where: { $0.id.low % UInt64(part) == 0 }) { return .rejected(after: nil, Self.problem) }
    case .allergic:
      if records.contains(where: { $0.text.hasPrefix("poison") }) { return .rejected(after: nil, Self.problem) }
    case .forgetful: break
    }
    for record in records where ids.insert(record.id).inserted { received.append(record) }
    deliveries += records
    return mode == .forgetful ? .retry(after: nil, Self.problem) : .delivered
  }

  /// All records received since the last check.
  var deliveries: [ScanRecord] = []
}
