// Very long runs in simulated time: a share of them at depth 1, more at greater depths.

import Foundation
import TestSupport
import Testing

@Suite(.inTheLab, .serialized) struct LongRunLabTests {
  /// Five minutes of simulated time; an hour at depth 12. Frames are as small as a label permits: the test is about the time
  /// between frames, not their content.
  @Test func `labels come and go for an hour: each presentation is scanned exactly once, and memory use stays constant`()
    throws
  {
    let minutes = TestDepth.scaled(5)
    // A label is shown for 2 s and absent for 1.5 s, and comes back after nine others.
    let texts = (0..<minutes * 60 * 2 / 7).map { "L\($0 % 10)" }
    var lab = LabScript()
    lab.plugCamera("160x120@30")
    lab.startStation("camera: {source: libcamera, size: 160x120}\noutbox: {path: outbox.sqlite}\n")
    lab.await(.stationStarted, within: 20)
    lab.pause(2)
    for (number, text) in texts.enumerated() {
      if number == 20 { lab.measure("after a minute") }
      lab.show(.label(text))
      lab.pause(2)
      lab.show(.empty)
      lab.pause(1.5)
    }
    lab.measure("end")
    lab.stopStation()
    let run = try lab.run(limit: 300 + minutes * 60)
    #expect(try run.scans().map(\.text) == texts)
    let (first, last) = (try run.measurement("after a minute"), try run.measurement("end"))
    print("\(minutes) minutes, \(texts.count) scans: \(first.memory) kB after a minute, \(last.memory) kB at the end")
    #expect(last.openFiles <= first.openFiles)
    // Kilobytes: pages kept by the allocator and the database's cache, but not an amount per scan.
    #expect(last.memory <= first.memory + 3072)
  }

  @Test func `the camera is pulled and plugged again and again: no recovery is missed, nothing leaks`() throws {
    let cycles = TestDepth.scaled(10)
    var lab = LabScript()
    lab.startUdev()
    lab.plugCamera("320x240@5", showing: .label("LABEL"))
    lab.startStation(
      """
      camera: {source: libcamera, model: Lab, size: 320x240, frame_deadline: 1 s}
      outbox: {path: outbox.sqlite}
      """)
    lab.await(.scanned("LABEL"), within: 20)
    for cycle in 1...cycles {
      if cycle == min(4, cycles) { lab.measure("first") }
      lab.unplugCamera()
      lab.await(.log("it was unplugged", times: cycle), within: 30, every: 0.2)
      lab.plugCameraAgain()
      lab.await(.log("the camera can be used again", times: cycle), within: 120, every: 0.2)
    }
    lab.measure("end")
    lab.expect(.runs("station"))
    lab.stopStation()
    lab.expect(.log("the camera can be used again", times: cycles))
    let run = try lab.run(limit: 300 + cycles * 15)
    let (first, last) = (try run.measurement("first"), try run.measurement("end"))
    print("\(cycles) cycles: \(first.memory) kB after three, \(last.memory) kB at the end")
    #expect(last.openFiles <= first.openFiles + 2)
    // Kilobytes: the allocator may keep pages, but not an amount per cycle.
    #expect(last.memory <= first.memory + 1024)
  }
}
