// Outcomes of decisions about results, as the screen shows them: from the outbox's answers and the user's, and from nothing else.

package import ScanControl

/// What became of results that somebody or something decided on, from the outbox's answer for them or from the user (behaviour
/// W6).
package struct Decision: Equatable, Sendable {
  /// The number of the decision, from 1: each is shown once.
  package var number: Int
  package var outcome: Outcome
  /// The results that the outcome is about; at least one.
  package var results: [ScanResult]

  package enum Outcome: Equatable, Sendable {
    case stored
    /// In memory only, with others: so many are lost if the station stops now.
    case atRisk(count: Int)
    case refused
    case cancelled
    case timedOut
    /// A rule dropped them; no sink gets them.
    case dropped
    /// They are stored, and are not what they were compared with.
    case mismatched
    /// They wait for this many other codes.
    case waiting(count: Int)
    /// The others did not come: no sink gets them.
    case incomplete
  }
}

extension Decision {
  /// The worst of the outbox's answers for results that were forwarded together, and the results that it is about.
  ///
  /// - Parameter answers: one for each result, in order.
  package init(number: Int, forwarded results: [ScanResult], answers: [Result<ScanSafety, any Error>]) {
    var (stored, atRisk, refused): ([ScanResult], [ScanResult], [ScanResult]) = ([], [], [])
    var (dropped, waiting, mismatched): ([ScanResult], [ScanResult], [ScanResult]) = ([], [], [])
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
      case .failure: refused.append(result)
      }
    }
    if !refused.isEmpty {
      self.init(number: number, outcome: .refused, results: refused)
    } else if !atRisk.isEmpty {
      self.init(number: number, outcome: .atRisk(count: atRiskCount), results: atRisk)
    } else if !mismatched.isEmpty {
      self.init(number: number, outcome: .mismatched, results: mismatched)
    } else if !stored.isEmpty {
      self.init(number: number, outcome: .stored, results: stored)
    } else if !waiting.isEmpty {
      self.init(number: number, outcome: .waiting(count: missingCount), results: waiting)
    } else {
      self.init(number: number, outcome: .dropped, results: dropped)
    }
  }

  /// nil for results that nobody decided on.
  package init?(number: Int, discarded results: [ScanResult], _ discard: Discard) {
    switch discard {
    case .cancelled: self.init(number: number, outcome: .cancelled, results: results)
    case .timedOut: self.init(number: number, outcome: .timedOut, results: results)
    case .stopped: return nil
    }
  }
}
