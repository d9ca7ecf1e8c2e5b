// Behaviour T6 on a real line and a real camera driver: light for exposures, and no light if no frames are examined.

import Foundation
import Testing

@Suite(.inTheLab, .serialized) struct StrobeLabTests {
  private func station(reopen: String) -> String {
    """
    camera: {source: libcamera, size: 320x240, exposure_us: 500, frame_rate: 30}
    outbox: {path: outbox.sqlite}
    console: {port: 9470}
    session: {reopen: \(reopen)}
    torch: {line: TORCH, mode: 'on', strobe: true}
    """
  }

  /// A station with a pulsing line.
  private func lab(reopen: String) -> LabScript {
    var lab = LabScript()
    lab.addLines(["TORCH"])
    lab.plugCamera("320x240@30")
    lab.startStation(station(reopen: reopen))
    lab.awaitPulse()
    return lab
  }

  @Test func `T6: the line pulses at the camera's rate, and is dark while no session is open`() throws {
    var lab = lab(reopen: "after 2 s")
    lab.pause(0.5)
    lab.sample(2000, "scanning")
    lab.expect(.metric("reticle_torch_on", is: 1))
    lab.show(.label("LABEL"))
    lab.await(.scanned("LABEL"), within: 10)
    lab.pause(0.1)
    lab.sample(500, "closed")
    lab.expect(.metric("reticle_torch_on", is: 0))
    lab.show(.empty)
    lab.pause(3)
    lab.sample(500, "reopened")
    lab.stopStation()
    let run = try lab.run()
    // 2000 samples take a little more than 2 s; a pulse is 13 ms of 33.
    let pulses = try run.number("scanning-pulses")
    #expect((57...66).contains(pulses), "\(pulses) pulses in 2 s")
    #expect((600...1000).contains(try run.number("scanning-lit")))
    #expect(try run.number("closed-lit") == 0)
    #expect(try run.number("reopened-pulses") >= 10)
  }

  @Test func `T1, T6: the line is dark while the camera hangs, and pulses again when it answers`() throws {
    var lab = lab(reopen: "after 2 s")
    lab.freezeCamera()
    lab.pause(3)
    lab.sample(500, "frozen")
    lab.thawCamera()
    lab.pause(5)
    lab.awaitPulse()
    lab.stopStation()
    let run = try lab.run()
    #expect(try run.number("frozen-lit") == 0)
  }

  @Test func `T1, T3: after kill -9 the last command leaves the line dark`() throws {
    var lab = lab(reopen: "after 2 s")
    lab.killStation()
    lab.run("reticle", "torch", "off", "--config", "station.yaml")
    lab.sample(200, "killed")
    let run = try lab.run()
    #expect(try run.number("killed-lit") == 0)
  }

  @Test func `T2, T6: an LED that cannot strobe stays dark, and the log and the doctor say what to do`() throws {
    var lab = LabScript()
    lab.addLED()
    lab.plugCamera("320x240@30")
    lab.configure(
      """
      camera: {source: libcamera, size: 320x240, exposure_us: 500}
      outbox: {path: outbox.sqlite}
      torch: {led: torch, mode: 'on', strobe: true}
      """)
    lab.expect(.doctorFinds("torch-flash-absent", "torch"))
    lab.startStation()
    lab.await(.log("this LED has no flash"), within: 10)
    lab.pause(1)
    lab.expect(.brightness(is: 0))
    lab.stopStation()
    _ = try lab.run()
  }

  @Test func `T6: whenever a frame that gave a scan was exposed, there was light`() throws {
    var lab = lab(reopen: "after 0 s")
    lab.start("light", "watch_line", "TORCH")
    for number in 1...5 {
      lab.pause(0.37)
      lab.show(.label("LABEL\(number)"))
      lab.await(.scanned("LABEL\(number)"), within: 10)
    }
    lab.stop("light")
    lab.stopStation()
    let run = try lab.run()
    let light = run.lines(of: "light").compactMap { line -> (time: Double, isLit: Bool)? in
      let words = line.split(separator: " ")
      guard words.count == 2, let time = Double(words[0]) else { return nil }
      return (time, words[1] == "1")
    }
    let exposures = try run.scans().map { try $0.exposure() }
    #expect(exposures.count == 5)
    for time in exposures {
      // A record's time is rounded to a whole millisecond.
      let around = light.filter { $0.time > time - 0.0005 && $0.time < time + 0.0015 }
      #expect(around.count > 1 && around.allSatisfy { $0.isLit }, "\(time): \(around)")
    }
    let share = Double(light.count { $0.isLit }) / Double(max(1, light.count))
    #expect(share < 0.55, "lit for \(share) of the time")
  }
}

extension LabScript {
  /// A pulse is shorter than the usual interval between checks.
  fileprivate mutating func awaitPulse(at location: SourceLocation = #_sourceLocation) {
    self.await(.line("TORCH", is: 1), within: 20, every: 0.001, at: location)
  }

  /// Samples the torch's line `count` times, once per millisecond, as `NAME-pulses` and `NAME-lit`.
  fileprivate mutating func sample(_ count: Int, _ name: String, at location: SourceLocation = #_sourceLocation) {
    step(["sample_line", "TORCH", "\(count)", name], at: location)
  }
}
