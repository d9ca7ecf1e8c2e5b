// What a station costs on real drivers while it runs and nothing happens: memory for each frame, and the time of its threads.

import BarcodeTypes
import Foundation
import TestScenes
import Testing

@Suite(.enabled(if: DeviceLab.isThere, DeviceLab.missing), .serialized) struct CostLabTests {
  private func source(_ name: String) throws -> [UInt8] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    return Array(try Data(contentsOf: folder.appending(path: name)))
  }

  private let words = """
    show() { cp $1.pgm next.pgm; mv next.pgm picture.pgm; }
    figure() { exec 3<>/dev/tcp/127.0.0.1/9470; printf 'GET /metrics HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3; timeout 5 cat <&3 | grep -F "$1" | tail -n 1 | sed 's/.* //' | tr -d '\\r'; }

    """

  /// Allocations by who makes them, as `allocation_recorder.c` counts them.
  private struct Allocations {
    var capture, callback, elsewhere, libcamera, others, frames: Int

    init(_ run: LabRun, _ name: String) throws {
      func numbers(_ part: String) throws -> [Int] {
        try #require(run["\(name)-\(part)"]).split(separator: " ").compactMap { Int($0) }
      }
      let difference = zip(try numbers("after"), try numbers("before")).map { $0 - $1 }
      try #require(difference.count == 6)
      (capture, callback, elsewhere) = (difference[0], difference[1], difference[2])
      (libcamera, others, frames) = (difference[3], difference[4], difference[5])
    }
  }

  /// Swift's runtime takes two pieces of memory to wake the controller's task, for a frame that shows something.
  private static let wakingCount = 2

  @Test(arguments: ["nv12", "yuyv"])
  func `a frame of the camera takes no memory of the station's own, and libcamera's is told`(format: String) throws {
    var scene = CameraScene(.qr, "LABEL")
    (scene.width, scene.height, scene.modulePixels) = (320, 240, 5)
    let run = try DeviceLab.run(
      words + """
        gcc -shared -fPIC -O1 -o recorder.so recorder.c
        show empty; devices camera 320x240@30 picture.pgm >/dev/null
        LD_PRELOAD=$PWD/recorder.so reticle run --config station.yaml >scans 2>log & station=$!
        measure() { echo "$1=$(od -An -v -w40 -t u8 -N 40 allocations) $(figure reticle_frames_captured_total)"; }
        await 20 'grep -q "the station starts" log'; sleep 4
        measure empty-before; sleep 10; measure empty-after
        show label; await 10 'grep -q LABEL scans'; sleep 3
        measure label-before; sleep 10; measure label-after
        kill -TERM $station; wait $station || true
        cat log >&2
        """,
      files: [
        "recorder.c": try source("allocation_recorder.c"), "label.pgm": try scene.pgm(),
        "empty.pgm": Array("P5 320 240 255\n".utf8) + [UInt8](repeating: 110, count: 320 * 240),
        "station.yaml": Array(
          """
          camera: {source: libcamera, size: 320x240, format: \(format)}
          outbox: {path: outbox.sqlite}
          console: {port: 9470}
          """.utf8),
      ])
    try #require(run.status == 0, "\(run.errors)\n\(run.output)")
    for (name, most) in [("empty", 0), ("label", Self.wakingCount)] {
      let allocations = try Allocations(run, name)
      let perFrame = Double(allocations.libcamera) / Double(max(1, allocations.frames))
      print(
        "\(format), \(name): \(allocations.frames) frames, \(allocations.capture) allocations on the capture thread, "
          + "\(allocations.callback) in libcamera's callbacks, \(perFrame) of libcamera a frame")
      #expect(allocations.frames > 250)
      #expect(allocations.capture <= most * allocations.frames && allocations.callback == 0)
    }
  }

  /// Microseconds of a frame, as `screen-lab cost` tells them.
  private struct FrameCost {
    var around = 0.0
    var showing = 0.0
    var decoding = 0.0

    init(_ arguments: [String]) throws {
      let place = FileManager.default.temporaryDirectory.appending(path: "reticle-cost-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: place) }
      let output = place.appending(path: "output").path
      let status = try BoundedProcess.run(
        DeviceLab.programs + "/screen-lab", ["cost", "150"] + arguments, in: place.path,
        environment: ProcessInfo.processInfo.environment, output: output, errors: output, limit: .seconds(120))
      let text = try String(contentsOfFile: output, encoding: .utf8)
      try #require(status == 0, "\(text)")
      func number(_ name: String) throws -> Double {
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + "=") }
        return try #require(line.flatMap { Double($0.dropFirst(name.count + 1)) })
      }
      (around, showing, decoding) = (try number("around"), try number("showing"), try number("decoding"))
      if !arguments.contains("alone") { #expect(try number("frames") > 100) }
    }
  }

  /// Microseconds that a screen adds to a frame, and those of decoding it.
  private func addedCost(_ arguments: [String]) throws -> (added: Double, decoding: Double) {
    let alone = try FrameCost(arguments + ["alone"])
    let cost = try FrameCost(arguments)
    let added = cost.showing + max(0, cost.around - alone.around)
    print(
      "a frame of 1280x720 (\(arguments.joined(separator: " "))): \(added) µs for the screen, "
        + "of which \(cost.showing) µs on its own thread; \(cost.decoding) µs to decode, "
        + "\((added / cost.decoding * 1000).rounded() / 10) %")
    return (added, cost.decoding)
  }

  /// What a screen may take of the time of decoding.
  private static let mostPercent = 15.0

  /// On this machine itself: the lab's kernel does not tell how long threads run. It takes a release build, as on a board. What
  /// a screen adds is its own thread's time and what the capture thread does more than without a screen.
  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["RETICLE_LAB_PROGRAMS"] != nil, "no release build is named"),
    arguments: ["still", "empty", "moving"])
  func `a screen takes at most 15 percent of the time of decoding, whether codes lie still or move`(scene: String) throws {
    // Other programs make all of it longer, and not evenly: the best of some is nearest to what it costs.
    let isCheap = try (0..<4).contains { _ in
      let (added, decoding) = try addedCost([scene])
      return added * 100 <= decoding * Self.mostPercent
    }
    #expect(isCheap)
  }

  /// A carton without a label, in which there is next to nothing to decode, and a camera that has too few buffers, whose frames
  /// are copied.
  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["RETICLE_LAB_PROGRAMS"] != nil, "no release build is named"))
  func `what a screen takes of a frame with nothing in it, and of one that is copied, is told`() throws {
    for other in [["carton"], ["carton", "empty"], ["copied"]] { _ = try addedCost(other) }
  }
}
