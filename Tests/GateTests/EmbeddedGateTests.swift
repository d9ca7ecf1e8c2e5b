// The decoder without a Swift runtime: no allocation, the same results on two machines, and what a frame costs on ARM.

import Foundation
import Testing

@Suite(.serialized) struct EmbeddedGateTests {
  /// The decoder compiled for a machine as Embedded Swift with `-no-allocations`. The script fails if any part of the decoder
  /// may allocate, and if its object code refers to anything but memory copies and the stack guard.
  private func buildGate(for machine: String, in folder: URL) throws -> String {
    let program = folder.appending(path: "gate-\(machine)").path
    let script = Place.package.appending(path: "Tests/GateTests/Embedded/build-gate").path
    let result = try run(script, [machine, program])
    try #require(result.status == 0, "\(result.errors)\(result.output)")
    return program
  }

  @Test func decodesWithoutAllocationAndAlikeOnTwoMachines() throws {
    let folder = try Place.makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let pictures = try Pictures.write(to: folder)
    let x86 = try buildGate(for: "x86_64", in: folder)
    let arm = try buildGate(for: "aarch64", in: folder)
    for effort in ["frame", "still"] {
      let expected = try run(x86, [effort, "1"] + pictures)
      let actual = try run("qemu-aarch64", [arm, effort, "1"] + pictures)
      #expect(expected.status == 0 && actual.status == 0, "\(expected.errors)\(actual.errors)")
      #expect(actual.output == expected.output)
      let symbolCount = expected.output.split(separator: "\n").count { $0.hasPrefix("  ") && !$0.hasSuffix("units") }
      #expect(symbolCount >= pictures.count / 2, "too few symbols for a comparison to mean anything")
    }
  }

  /// Five 1280×720 frames without a code, the picture that a camera sees most of the time.
  @Test func emptyFramesCostFewInstructions() throws {
    guard let shared = Place.shared else { return print("skipped: the empty frames are not on this machine") }
    let folder = try Place.makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let frames = try Pictures.emptyFrames(shared, to: folder)
    let program = try buildGate(for: "aarch64", in: folder)
    let counter = shared.appending(path: "lab/arm/count-instructions").path
    func instructions(repeats: Int) throws -> Int {
      let result = try run(counter, [program, "frame", "\(repeats)"] + frames)
      let line = try #require(
        result.errors.split(separator: "\n").last { $0.hasPrefix("instructions:") }, "\(result.errors)")
      return try #require(Int(line.dropFirst("instructions: ".count)))
    }
    // The difference is decoding alone, without loading.
    let perFrame = try (instructions(repeats: 2) - instructions(repeats: 1)) / frames.count
    print("aarch64 instructions for an empty frame: \(perFrame)")
    // Half of it is the page of print, whose lines look like bars and cells.
    #expect(perFrame <= 6_000_000)
  }
}
