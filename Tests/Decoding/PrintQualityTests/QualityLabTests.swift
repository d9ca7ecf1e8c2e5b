// Grades against the strength of defects, and repeated pictures: the program that draws the plots of docs/print-quality.md.

import Foundation
import TestSupport
import Testing

/// Symbols come from `TestSeed`; RETICLE_DEPTH scales their number.
@Suite struct QualityLabTests {
  /// The part of the 2000 symbols that a test run draws: one for each symbology, defect and strength.
  private static let depth = 0.25

  @Test(.timeLimit(.minutes(10)))
  func `grades fall with the strength of each defect, and repeat within half a grade`() throws {
    let lab = Process()
    lab.executableURL = BuiltPrograms.folder.appending(path: "quality-lab")
    let scale = ProcessInfo.processInfo.environment["RETICLE_DEPTH"].flatMap(Double.init) ?? 1
    lab.arguments = ["\(TestSeed.value)", "\(Self.depth * scale)"]
    let output = Pipe()
    lab.standardOutput = output
    try lab.run()
    print(String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self))
    lab.waitUntilExit()
    #expect(lab.terminationStatus == 0, "repeat it with RETICLE_SEED=\(TestSeed.value)")
  }
}
