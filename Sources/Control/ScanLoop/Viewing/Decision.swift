// Decisions about results as the screen shows them: derived only from the outbox's answers and the user's.

package import ScanControl

/// The outcome of a decision about results, from the outbox's answer or from the user (behaviour W6).
package struct Decision: Equatable, Sendable {
  /// The number of the decision, from 1: each decision is shown once.
  package var number: Int
  package var outcome: Outcome
  /// The results concerned; at least one.
  package var results: [ScanResult]

  package enum Outcome: Equatable, Sendable {
    case stored
    /// Held only in memory, with others: this number of scans is lost if the station stops now.
    case atRisk(count: Int)
    case refused
    case cancelled
    case timedOut
    /// Dropped by a rule; no sink gets them.
    case dropped
    /// Stored, but different from the codes they were compared with.
    case mismatched
    /// Waiting for this many other codes.
    case waiting(count: Int)
    /// The other codes did not come: no sink gets these.
    case incomplete
    /// Set-up codes; no sink gets them.
    case setup(SetupOutcome)
  }
}

extension Decision {
  /// The worst of the outbox's answers for results forwarded together, with the results concerned.
  ///
  /// - Parameter answers: one per result, in order.
  package init(number: Int, forwarded results: [ScanResult], answers: [Result<ScanSafety, any Error>]) {
    var (stored, atRisk, refused): ([ScanResult], [ScanResult], [ScanResult]) = ([], [], [])
    var (dropped, waiting, mismatched): ([ScanResult], [ScanResult], [ScanResult]) = ([], [], [])
    var (setups, setupRefused): ([ScanResult], [ScanResult]) = ([], [])
    var (setup, setupRefusal): (SetupOutcome?, SetupOutcome?)
    var (atRiskCount, missingCount) = (0, 0)
    for (result, answer) in zip(results, answers) {
      switch answer {
      case .success(.stored): stored.append(result)
      case .success(.mismatched): mismatched.append(result)
      case .success(.dropped): dropped.append(result)
      case .success(.waiting(let missing)):
        missingCount = missing.count
        waiting.append(result)
      case .success(.atRisk(let count)):
        atRiskCount = count
        atRisk.append(result)
      case .success(.setup(let outcome)):
        if case .refused = outcome {
          setupRefusal = outcome
          setupRefused.append(result)
        } else {
          setup = outcome
          setups.append(result)
        }
      case .failure: refused.append(result)
      }
    }
    if !refused.isEmpty {
      self.init(number: number, outcome: .refused, results: refused)
    } else if !atRisk.isEmpty {
      self.init(number: number, outcome: .atRisk(count: atRiskCount), results: atRisk)
    } else if !mismatched.isEmpty {
      self.init(number: number, outcome: .mismatched, results: mismatched)
    } else if let setupRefusal {
      self.init(number: number, outcome: .setup(setupRefusal), results: setupRefused)
    } else if !stored.isEmpty {
      self.init(number: number, outcome: .stored, results: stored)
    } else if !waiting.isEmpty {
      self.init(number: number, outcome: .waiting(count: missingCount), results: waiting)
    } else if let setup {
      self.init(number: number, outcome: .setup(setup), results: setups)
    } else {
      self.init(number: number, outcome: .dropped, results: dropped)
    }
  }

  /// Nil for results without a decision.
  package init?(number: Int, discarded results: [ScanResult], _ discard: Discard) {
    switch discard {
    case .cancelled: self.init(number: number, outcome: .cancelled, results: results)
    case .timedOut: self.init(number: number, outcome: .timedOut, results: results)
    case .stopped: return nil
    }
  }
}
