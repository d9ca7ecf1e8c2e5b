// The decoder without a Swift runtime: no allocation, equal results on two machines, and the cost of a frame on ARM.

import Foundation
import TestScenes
import TestSupport
import Testing

@Suite(.serialized) struct EmbeddedGateTests {
  @Test func `the decoder allocates nothing and gives the same results on two machines`() throws {
    let folder = try Place.makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let pictures = try Pictures.write(to: folder)
    let (x86, arm) = try EmbeddedGate.programs.get()
    for effort in ["frame", "still"] {
      let expected = try run(x86, [effort, "1"] + pictures)
      let actual = try run("qemu-aarch64", [arm, effort, "1"] + pictures)
      #expect(expected.status == 0 && actual.status == 0, "\(expected.errors)\(actual.errors)")
      #expect(actual.output == expected.output)
      let symbologies = Set(
        expected.output.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasSuffix("units") }
          .compactMap { $0.split(separator: " ").first.map(String.init) })
      #expect(Pictures.symbologies.subtracting(symbologies).isEmpty, "a symbology that was not read is not compared")
    }
  }

  /// The number of symbologies that are left out at a depth below 1 and up to it; from a depth of 10 on, it is all of them.
  private static let leftOutCount = (quick: 1, usual: 4)

  @Test func `the decoder compiles without a symbology's folder and its lines in the register`() throws {
    let symbologies = Place.package.appending(path: "Sources/Decoding/BarcodeDecoder/Symbologies")
    let folders = try FileManager.default.contentsOfDirectory(at: symbologies, includingPropertiesForKeys: nil)
      .filter(\.hasDirectoryPath).map(\.lastPathComponent)
    let depth = ProcessInfo.processInfo.environment["RETICLE_DEPTH"].flatMap(Double.init) ?? 1
    let count = depth >= 10 ? folders.count : depth < 1 ? Self.leftOutCount.quick : Self.leftOutCount.usual
    var random = SeededNoise(seed: TestSeed.value)
    let chosen = folders.sorted().shuffled(using: &random).prefix(count)
    print("left out one at a time: \(chosen.sorted().joined(separator: ", "))")
    let script = Place.package.appending(path: "Tests/Decoding/GateTests/Embedded/leave-out").path
    for folder in chosen {
      let result = try run(script, [folder])
      #expect(result.status == 0, "\(folder): \(result.errors)")
    }
  }

  /// Five 1280×720 frames without a code, the picture that a camera sees most of the time.
  @Test func `an empty frame stays within its instruction budget`() throws {
    guard let perFrame = try Self.emptyFrameInstructions("frame") else { return }
    print("aarch64 instructions for an empty frame: \(perFrame)")
    // Half of it is the page of print, whose lines look like bars and cells.
    #expect(perFrame <= 4_778_500)
    let withAll = try #require(try Self.emptyFrameInstructions("frame-all"))
    print("with every symbology: \(withAll)")
    #expect(withAll <= perFrame * 11 / 10)
  }

  /// The mean cost of decoding an empty frame, without loading; nil, with a message, if the frames are not here.
  private static func emptyFrameInstructions(_ effort: String) throws -> Int? {
    guard let shared = Place.shared else {
      print("skipped: the empty frames are not on this machine")
      return nil
    }
    let folder = try Place.makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let frames = try Pictures.emptyFrames(shared, to: folder)
    return try InstructionCount(decoding: frames, effort: effort, with: EmbeddedGate.programs.get().arm).total / frames.count
  }
}
