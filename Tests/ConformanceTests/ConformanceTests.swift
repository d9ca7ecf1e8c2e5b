// Symbols drawn by an encoder that is not ours, of random contents, read byte for byte.

import Foundation
import Testing

@Suite(.enabled(if: ProcessInfo.processInfo.environment["RETICLE_LAB_PROGRAMS"] != nil, "no release build is named"))
struct ConformanceTests {
  /// Another seed each run, which the log says; RETICLE_SEED repeats one. RETICLE_DEPTH scales the 25 000 symbols of a run.
  @Test(.timeLimit(.minutes(5)))
  func `what another encoder draws is read byte for byte`() throws {
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["RETICLE_SEED"] ?? "\(UInt64.random(in: 0 ..< 1 << 32))"
    let lab = Process()
    lab.executableURL = URL(fileURLWithPath: environment["RETICLE_LAB_PROGRAMS"] ?? "").appending(path: "conformance-lab")
    lab.arguments = [seed, environment["RETICLE_DEPTH"] ?? "1"]
    let output = Pipe()
    lab.standardOutput = output
    try lab.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    lab.waitUntilExit()
    print(text)
    #expect(lab.terminationStatus == 0, "repeat it with RETICLE_SEED=\(seed)")
  }
}
