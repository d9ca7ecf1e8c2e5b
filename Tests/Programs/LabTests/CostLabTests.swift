// The cost of an idle station on real drivers: memory per frame, and the run time of its threads.

import Foundation
import Testing

@Suite(.inTheLab, .serialized) struct CostLabTests {
  /// Allocations between two snapshots, by caller, as counted by `allocation_recorder.c`.
  private struct Allocations {
    let capture, callback, elsewhere, libcamera, others, frames: Int

    init(_ run: LabRun, from begin: String, to end: String) throws {
      func counts(_ name: String) throws -> [Int] {
        try #require(run[name]).split(separator: " ").compactMap { Int($0) }
      }
      let counted = zip(try counts(end), try counts(begin)).map { $0 - $1 }
      try #require(counted.count == 5)
      (capture, callback, elsewhere, libcamera, others) = (counted[0], counted[1], counted[2], counted[3], counted[4])
      frames = try run.number(end + "-frames") - run.number(begin + "-frames")
    }
  }

  /// Swift's runtime allocates twice to wake the controller's task for a frame that shows something.
  private static let wakingCount = 2

  @Test(arguments: ["nv12", "yuyv"])
  func `the station allocates nothing for a frame of the camera, and libcamera's allocations are printed`(format: String)
    throws
  {
    var lab = LabScript()
    lab.plugCamera("320x240@30")
    lab.startStation(
      """
      camera: {source: libcamera, size: 320x240, format: \(format)}
      outbox: {path: outbox.sqlite}
      console: {port: 9470}
      """, preloading: "allocation_recorder")
    lab.await(.stationStarted, within: 20)
    lab.pause(4)
    lab.countAllocations("empty begin")
    lab.pause(10)
    lab.countAllocations("empty end")
    lab.show(.label("LABEL"))
    lab.await(.scanned("LABEL"), within: 10)
    lab.pause(3)
    lab.countAllocations("label begin")
    lab.pause(10)
    lab.countAllocations("label end")
    lab.stopStation()
    let run = try lab.run()
    for (name, most) in [("empty", 0), ("label", Self.wakingCount)] {
      let allocations = try Allocations(run, from: name + " begin", to: name + " end")
      let perFrame = Double(allocations.libcamera) / Double(max(1, allocations.frames))
      print(
        "\(format), \(name): \(allocations.frames) frames, \(allocations.capture) allocations on the capture thread, "
          + "\(allocations.callback) in libcamera's callbacks, \(perFrame) of libcamera a frame")
      #expect(allocations.frames > 250)
      #expect(allocations.capture <= most * allocations.frames && allocations.callback == 0)
    }
  }

  /// Microseconds per frame, as printed by `screen-lab cost`.
  private struct FrameCost {
    let around, showing, decoding: Double

    init(_ arguments: [String]) throws {
      let run = try DeviceLab.runOutside("screen-lab", ["cost", "150"] + arguments, limit: .seconds(120))
      func number(_ name: String) throws -> Double { try #require(run[name].flatMap { Double($0) }) }
      (around, showing, decoding) = (try number("around"), try number("showing"), try number("decoding"))
      if !arguments.contains("alone") { #expect(try number("frames") > 100) }
    }
  }

  /// The microseconds that a screen adds to a frame, and those of decoding it.
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

  /// The most that a screen may add, in percent of the decoding time.
  private static let mostPercent = 15.0

  /// Runs on this machine itself, as the lab's kernel does not report threads' run times. A screen adds the time of its own
  /// thread and the additional time of the capture thread.
  @Test(arguments: ["still", "empty", "moving"])
  func `a screen takes at most 15 percent of the time of decoding, whether codes lie still or move`(scene: String) throws {
    // Other programs lengthen the times unevenly: the best of several runs is closest to the true cost.
    let isCheap = try (0..<4).contains { _ in
      let (added, decoding) = try addedCost([scene])
      return added * 100 <= decoding * Self.mostPercent
    }
    #expect(isCheap)
  }

  /// A carton without a label, where there is next to nothing to decode, and a camera with too few buffers, whose frames are
  /// copied.
  @Test
  func `the cost of a screen is printed for a frame without a code and for one that is copied`() throws {
    for other in [["carton"], ["carton", "empty"], ["copied"]] { _ = try addedCost(other) }
  }
}

extension LabScript {
  /// Records the allocation counts and the number of frames.
  fileprivate mutating func countAllocations(_ name: String, at location: SourceLocation = #_sourceLocation) {
    print(name, "od", "-An", "-v", "-w40", "-t", "u8", "-N", "40", "allocations", at: location)
    print(name + "-frames", "metric", "reticle_frames_captured_total", at: location)
  }
}
