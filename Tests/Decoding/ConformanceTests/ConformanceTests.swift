// Symbols drawn by independent encoders, with random contents, read and compared byte for byte.

import Foundation
import TestSupport
import Testing

/// Symbols come from `TestSeed`; RETICLE_DEPTH scales their number.
@Suite struct ConformanceTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let seed = "\(TestSeed.value)"
  private static let depth = environment["RETICLE_DEPTH"].flatMap(Double.init) ?? 1
  /// Number of symbols per kind at a depth of 1.
  private static let encodersCount = 240.0

  @Test(.timeLimit(.minutes(10)))
  func `what libzint draws is read byte for byte`() throws {
    let lab = Self.lab([Self.seed, "\(Self.depth)"])
    #expect(try Self.run(lab) == 0, "repeat it with RETICLE_SEED=\(Self.seed)")
  }

  @Test(
    .enabled(
      if: hasEncoders, "Python's encoders are not here: pip install segno ppf.datamatrix pdf417gen aztec_code_generator"),
    .timeLimit(.minutes(10)))
  func `what the encoders of PyPI draw is read byte for byte`() throws {
    let encoders = Process()
    encoders.executableURL = URL(fileURLWithPath: Self.environment["RETICLE_PYTHON"] ?? "")
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "encoders.py")
    // -B: no compiled copies next to the sources.
    encoders.arguments = ["-B", script.path, Self.seed, "\(Int(Self.encodersCount * Self.depth))"]
    let drawn = Pipe()
    encoders.standardOutput = drawn
    let lab = Self.lab(["--drawn"])
    lab.standardInput = drawn
    print("seed \(Self.seed)")
    try encoders.run()
    #expect(try Self.run(lab) == 0, "repeat it with RETICLE_SEED=\(Self.seed)")
    encoders.waitUntilExit()
    #expect(encoders.terminationStatus == 0)
  }

  private static func lab(_ arguments: [String]) -> Process {
    let lab = Process()
    lab.executableURL = BuiltPrograms.folder.appending(path: "conformance-lab")
    lab.arguments = arguments
    return lab
  }

  /// Runs a program, prints its output, and returns its exit status.
  private static func run(_ program: Process) throws -> Int32 {
    let output = Pipe()
    program.standardOutput = output
    try program.run()
    print(String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self))
    program.waitUntilExit()
    return program.terminationStatus
  }
}

private let hasEncoders: Bool = {
  guard let python = ProcessInfo.processInfo.environment["RETICLE_PYTHON"] else { return false }
  let program = Process()
  program.executableURL = URL(fileURLWithPath: python)
  program.arguments = ["-c", "import segno, pdf417gen, aztec_code_generator, ppf.datamatrix"]
  guard (try? program.run()) != nil else { return false }
  program.waitUntilExit()
  return program.terminationStatus == 0
}()
