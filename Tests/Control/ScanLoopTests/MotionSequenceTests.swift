// Moving labels are scanned exactly once. docs/datasheet.md has the table of all motions and exposures.

import Dispatch
import Foundation
import ScanControl
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct MotionSequenceTests {
  /// Of eight labels, `least` must be scanned once. The station's own exposure meets the first ones unprepared.
  @Test(
    arguments: [
      (LabelMotion.conveyor(1000), 200, true, 8), (.conveyor(1000), 200, false, 8), (.conveyor(500), nil, true, 3),
      (.held, 1000, true, 8), (.shaken, 500, true, 7),
    ] as [(LabelMotion, Int?, Bool, Int)])
  func `moving labels are scanned once, never twice`(
    _ motion: LabelMotion, _ exposure: Int?, _ isRolling: Bool, _ least: Int
  ) throws {
    let outcome = try MotionSequence(motion: motion, exposure: exposure, isRolling: isRolling, count: 2, seed: 52).run()
    #expect(outcome.once >= least && outcome.twice == 0 && outcome.wrong == [], "\(outcome)")
  }

  /// The conveyor and hands of the table, in microseconds; nil for the station's own exposure.
  private static let conveyorExposures: [Int?] = [50, 100, 200, 500, 1000, 2000, nil]
  private static let handExposures: [Int?] = [200, 500, 1000, 2000, 5000, 15_000, nil]
  /// Labels of each symbology per row.
  private static let count = 5

  /// RETICLE_MOTION=3 prints the tables over as many rows of 20 labels per motion and exposure.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["RETICLE_MOTION"] != nil))
  func `the share of moving labels that is scanned exactly once`() throws {
    let rowCount = ProcessInfo.processInfo.environment["RETICLE_MOTION"].flatMap(Int.init) ?? 1
    let seed = Int(TestSeed.value % 1_000_000)
    print("seed \(seed), \(rowCount * Self.count * 4) labels each")
    let tables: [([LabelMotion], [Int?], shutters: [Bool])] = [
      (LabelMotion.conveyorSpeeds.map { .conveyor($0) }, Self.conveyorExposures, [false, true]),
      (LabelMotion.byHand, Self.handExposures, [false]),
    ]
    for (motions, exposures, shutters) in tables {
      print("| shutter | exposure | " + motions.map(\.description).joined(separator: " | ") + " |")
      print(String(repeating: "|---", count: motions.count + 2) + "|")
      for isRolling in shutters {
        for exposure in exposures {
          let outcomes = try outcomes(motions, exposure, isRolling, rowCount, seed)
          let cells = outcomes.map(text)
          let name = exposure.map { $0 < 1000 ? "\($0) µs" : "\($0 / 1000) ms" } ?? "the station's own"
          expectAbsence(outcomes)
          print("| \(isRolling ? "rolling" : "global") | \(name) | " + cells.joined(separator: " | ") + " |")
        }
      }
    }
  }

  /// Only a label that could not be read for the time after which a code counts as presented again may be scanned twice.
  private func expectAbsence(_ outcomes: [MotionSequence.Outcome]) {
    let absences = outcomes.flatMap(\.absences)
    #expect(absences.allSatisfy { .milliseconds($0) >= ScanSettings().repeatAbsence }, "\(absences)")
  }

  /// The share scanned once in percent, with what is worse than missed.
  private func text(_ outcome: MotionSequence.Outcome) -> String {
    let total = outcome.once + outcome.missed + outcome.twice
    return "\(outcome.once * 100 / total)" + (outcome.twice == 0 ? "" : ", \(outcome.twice) twice")
      + (outcome.wrong == [] ? "" : ", wrong: \(outcome.wrong.joined(separator: " "))")
  }

  private func outcomes(
    _ motions: [LabelMotion], _ exposure: Int?, _ isRolling: Bool, _ rowCount: Int, _ seed: Int
  ) throws -> [MotionSequence.Outcome] {
    let results = Mutex([(Int, Result<MotionSequence.Outcome, any Error>)]())
    DispatchQueue.concurrentPerform(iterations: motions.count * rowCount) { index in
      let row = MotionSequence(
        motion: motions[index % motions.count], exposure: exposure, isRolling: isRolling, count: Self.count,
        seed: seed + index / motions.count * 1000)
      let result = Result { try row.run() }
      results.withLock { $0.append((index % motions.count, result)) }
    }
    var outcomes = [MotionSequence.Outcome](repeating: MotionSequence.Outcome(), count: motions.count)
    for (motion, result) in results.withLock({ $0 }) { outcomes[motion] = try outcomes[motion] + result.get() }
    return outcomes
  }
}
