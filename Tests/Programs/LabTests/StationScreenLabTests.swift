// The whole station on a panel: what it shows while it scans, and how it shares the panel with other programs.

import BarcodeTypes
import Foundation
import ScanScreen
import TestSupport
import Testing

@Suite(.inTheLab, .serialized) struct StationScreenLabTests {
  private let panel = ScreenSize(width: 640, height: 480)

  /// A frame as large as the panel, so that their pixels correspond.
  @Test(arguments: ["nv12", "yuyv"])
  func `V1, V4, N5, W1: a station shows what it scans: preview, viewport and outline are at the right pixels`(
    format: String
  ) throws {
    let inside = LabPicture.label("INSIDE", modulePixels: 7)
    // A label outside the viewport: visible, but not scanned.
    let small = try LabPicture.label("BESIDE").luma(LabPicture.Size(160, 160))
    var luma = [UInt8](repeating: 90, count: 640 * 480)
    for y in 0..<160 { for x in 0..<160 { luma[(y + 160) * 640 + x] = small[y * 160 + x] } }
    let beside = LabPicture.luma("beside", luma)

    var lab = LabScript()
    lab.addScreen()
    lab.plugCamera("640x480@10", showing: beside)
    lab.startStation(
      """
      camera: {source: libcamera, size: 640x480, format: \(format)}
      outbox: {path: outbox.sqlite}
      confirm: never
      screen: {mode: 640x480}
      """, arguments: ["--screen", "kms"])
    lab.await(.stationStarted, within: 20)
    lab.pause(3)
    lab.expect(!.anyScan)
    lab.takeScreenshot("beside")
    lab.step(["screen_figures"])
    lab.show(inside)
    lab.await(.scanned("INSIDE"), within: 20)
    lab.pause(3)
    lab.takeScreenshot("inside")
    lab.stopStation()
    let run = try lab.run()
    let geometry = PreviewGeometry(frame: panel, panel: panel, orientation: FrameOrientation())
    let viewport = ViewportPlace(.square(ScreenLayout.viewportPart), in: geometry)
    let scans = try run.scans()
    try #require(scans.map(\.text) == ["INSIDE"])
    // The panel reads the camera's own seven buffers, or the planes that were made of packed pixels for the decoder: there
    // is no memory for copies.
    #expect(try run.number("imported") > 0)
    let buffers = try run.number("buffers")
    #expect(format == "nv12" ? buffers == 7 : buffers > 7 && buffers <= 12, "\(buffers)")
    let hole = viewport.rect
    for (name, picture) in [("beside", beside), ("inside", inside)] {
      let shot = try run.screenshot(name)
      let luma = try picture.luma(LabPicture.Size(640, 480))
      #expect(shot.width == 640 && shot.height == 480)
      // The torch control is below the viewport and the prompt above: between them is only the preview.
      for y in stride(from: Int(hole.y) + 1, to: Int(hole.bottom) - 1, by: 7) {
        for x in stride(from: 2, to: 638, by: 7) {
          let isInside = Double(x) >= hole.x && Double(x) < hole.right
          let isNearEdge = abs(Double(x) - hole.x) < 12 || abs(Double(x) - hole.right) < 12
          if isNearEdge || name == "inside" && isInside { continue }
          // The list of codes is next to the viewport.
          if name == "inside" && Double(x) > hole.right { continue }
          let expected = Int(luma[y * 640 + x]) / (isInside ? 1 : 2)
          #expect(abs(shot.grey(x, y) - expected) <= 3, "\(name): \(x), \(y)")
        }
      }
    }
    // The outline is at the corners in the scan record.
    let shot = try run.screenshot("inside")
    let corners = scans[0].corners.map { ScreenPoint(x: $0[0] + 0.5, y: $0[1] + 0.5) }
    try #require(corners.count == 4)
    for index in 0..<4 {
      let (from, to) = (corners[index], corners[(index + 1) % 4])
      for part in [0.0, 0.3, 0.6] {
        let (x, y) = (from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part)
        #expect(shot.isAccent(Int(x), Int(y)), "\(x), \(y)")
      }
    }
  }

  /// A station with a small camera and its own panel.
  ///
  /// - Parameters:
  ///   - terminal: a key that names the panel's terminal.
  ///   - keys: further configuration.
  private func station(terminal: String = "", _ keys: String = "") -> String {
    """
    camera: {source: libcamera, size: 320x240}
    outbox: {path: outbox.sqlite}
    console: {port: 9470}
    repeat: {absence: 300 ms}
    confirm: never
    screen: {output: kms, mode: 640x480\(terminal)}
    \(keys)
    """
  }

  private let terminal = ", terminal: /dev/tty1"

  private func lab() -> LabScript {
    var lab = LabScript()
    lab.addScreen()
    lab.plugCamera("320x240@10")
    return lab
  }

  /// The thief holds the screen for a part of each presentation of a label and of each pause.
  @Test func `C3: a screen stolen again and again comes back each time, and no scan is missed meanwhile`() throws {
    let count = TestDepth.scaled(20)
    // Each theft takes 1.6 s; a presentation takes 1.3 s.
    let texts = (0..<(count * 16 / 13 + 1)).map { "L\($0 % 5)" }
    var lab = lab()
    lab.startStation(station())
    lab.await(.screenState("available"), within: 20)
    lab.stealScreen(from: "station", times: count, heldFor: 0.4, leftFor: 1.2)
    for text in texts {
      lab.show(.label(text))
      lab.pause(0.7)
      lab.show(.empty)
      lab.pause(0.6)
    }
    lab.finish("thief")
    lab.await(.screenState("available"), within: 5)
    lab.expectComposedPicture()
    lab.stopStation()
    lab.expect(.log("state=heldByAnotherProgram", times: count))
    lab.expect(.log("the screen is back", times: count))
    let run = try lab.run(limit: 300 + count * 10)
    #expect(run.value("stolen", in: "thief") == "\(count)")
    // Each presentation is scanned once, in order, no matter which program has the screen.
    #expect(try run.scans().map(\.text) == texts)
  }

  /// The touchscreen and the keyboard are there but not used.
  @Test(arguments: [false, true])
  func `N2: with a panel, text waits for confirmation if a device can confirm it, and is forwarded otherwise`(
    hasInput: Bool
  ) throws {
    var lab = LabScript()
    lab.startUdev()
    lab.addScreen()
    if hasInput {
      lab.add(source: "simulated_user.py")
      lab.start("user", "python3", "simulated_user.py")
      lab.pause(1)
    }
    lab.plugCamera("320x240@10")
    lab.startStation(
      station().replacing("confirm: never\n", with: "").replacing("320x240}", with: "320x240, model: Lab}"))
    lab.await(.screenState("available"), within: 20)
    lab.await(
      .log(hasInput ? "results wait for confirmation" : "nothing at the screen can confirm a result"), within: 20)
    lab.show(.label("LABEL"))
    if hasInput {
      lab.pause(4)
      lab.expect(!.log("nothing at the screen can confirm a result"))
      lab.expect(!.anyScan)
      lab.post("/confirm")
    }
    lab.await(.scanned("LABEL"), within: 10)
    lab.stopStation()
    _ = try lab.run()
  }

  /// The touchscreen and the keyboard are plugged in while libinput is still looking for devices, and after it has reported
  /// that it found nothing.
  @Test(arguments: [0.05, 0.6])
  func `N2: a device that is plugged in during the station's first second can confirm from then on`(seconds: Double) throws {
    var lab = LabScript()
    lab.startUdev()
    lab.addScreen()
    lab.add(source: "simulated_user.py")
    lab.start("user", "python3", "simulated_user.py", "log", "\(seconds)")
    lab.plugCamera("320x240@10")
    lab.pause(2)
    lab.startStation(
      station().replacing("confirm: never\n", with: "").replacing("320x240}", with: "320x240, model: Lab}"))
    lab.await(.log("results wait for confirmation"), within: 20)
    lab.show(.label("LABEL"))
    lab.pause(4)
    lab.expect(!.anyScan)
    lab.post("/confirm")
    lab.await(.scanned("LABEL"), within: 10)
    lab.stopStation()
    // The station never revokes it.
    lab.expect(.log("results wait for confirmation", times: 1))
    _ = try lab.run()
  }

  @Test func `N5: the list of codes is worked with buttons on lines: it opens, and closes without ending the session`()
    throws
  {
    var lab = lab()
    lab.addLines(["NEXT", "CANCEL"], buttons: ["NEXT", "CANCEL"])
    lab.startStation(station("buttons: {next: {line: NEXT}, cancel: {line: CANCEL}}"))
    lab.await(.screenState("available"), within: 20)
    lab.show(.label("LABEL"))
    lab.await(.scanned("LABEL"), within: 10)
    // The outcome disappears.
    lab.pause(4)
    lab.takeScreenshot("before")
    lab.press("NEXT")
    lab.pause(1)
    lab.takeScreenshot("open")
    lab.press("CANCEL")
    lab.pause(1)
    lab.takeScreenshot("closed")
    lab.expect(.userAction("MobileQRScannerClose", times: 0))
    lab.stopStation()
    let run = try lab.run()
    // The opened list hides the preview.
    func cardPixels(_ name: String) throws -> Int {
      let shot = try run.screenshot(name)
      return stride(from: 0, to: shot.height, by: 4).reduce(0) { count, y in
        count + (0..<shot.width).count { shot.pixel($0, y) == (0x16, 0x20, 0x30) }
      }
    }
    let counts = try ["before", "open", "closed"].map(cardPixels)
    #expect(counts[1] > 20_000 && counts[0] < 1000 && counts[2] < 1000, "\(counts)")
  }

  @Test func `C3, V3: with without_screen: pause, nothing is scanned while another program has the screen`() throws {
    var lab = lab()
    lab.startStation(station("session: {without_screen: pause}"))
    lab.await(.screenState("available"), within: 20)
    lab.show(.label("L0"))
    lab.await(.scanned("L0"), within: 10)
    lab.show(.empty)
    lab.pause(0.6)
    lab.stealScreen(from: "station", times: 1, heldFor: 3, leftFor: 0.1)
    lab.await(.screenState("multipleForegroundApps"), within: 5)
    lab.await(.log("another program holds the screen"), within: 2)
    lab.show(.label("L1"))
    lab.pause(1)
    lab.show(.label("L2"))
    lab.finish("thief")
    lab.await(.screenState("available"), within: 5)
    lab.await(.scanned("L2"), within: 10)
    lab.stopStation()
    #expect(try lab.run().scans().map(\.text) == ["L0", "L2"])
  }

  @Test func `S0, C3, V3: paused by a signal, the station scans nothing until a signal resumes it`() throws {
    var lab = lab()
    lab.startStation(station())
    lab.await(.screenState("available"), within: 20)
    lab.show(.label("L0"))
    lab.await(.scanned("L0"), within: 10)
    lab.show(.empty)
    lab.pause(0.6)
    for (round, text) in ["L1", "L2"].enumerated() {
      lab.signalStation("USR1")
      lab.await(.metric("reticle_camera_state{state=\"applicationInBackground\"}", is: 1), within: 5)
      lab.show(.label("NOT"))
      lab.pause(1.5)
      lab.takeScreenshot("paused")
      // Reloading the configuration does not end the pause.
      if round == 1 { lab.signalStation("HUP") }
      lab.pause(1.5)
      lab.show(.label(text))
      lab.expect(.metric("reticle_camera_state{state=\"available\"}", is: 0))
      lab.signalStation("USR2")
      lab.await(.scanned(text), within: 10)
      lab.expect(.metric("reticle_camera_state{state=\"available\"}", is: 1))
      lab.show(.empty)
      lab.pause(0.6)
    }
    lab.stopStation()
    lab.expect(.log("asked to pause", times: 2))
    #expect(try lab.run().scans().map(\.text) == ["L0", "L1", "L2"])
  }

  @Test func `C3: on another terminal, the station releases the panel and keeps scanning, then takes the panel back`() throws
  {
    var lab = lab()
    lab.startStation(station(terminal: terminal), preloading: "simulated_terminal")
    lab.await(.screenState("available"), within: 20)
    lab.expect(.file("terminal.mode", is: "graphics"))
    lab.show(.label("L0"))
    lab.await(.scanned("L0"), within: 10)
    lab.show(.empty)
    lab.pause(0.6)
    for round in 1...3 {
      lab.leaveTerminal(round: round)
      lab.await(.screenState("applicationInBackground"), within: 5)
      lab.show(.label("L\(round)"))
      lab.await(.scanned("L\(round)"), within: 10)
      lab.show(.empty)
      lab.pause(0.6)
      // The visible program has the panel to itself.
      lab.run("screen-lab", "stream", "640x480", "3", into: "other")
      lab.expect(.file("other", says: "path="))
      lab.enterTerminal()
      lab.await(.screenState("available"), within: 5)
      lab.expectComposedPicture()
    }
    lab.expect(.file("terminal.answers", says: "enter", times: 3))
    lab.stopStation()
    lab.expect(.file("terminal.mode", is: "text"))
    lab.expect(!.fileExists("terminal.process"))
    let run = try lab.run()
    #expect(try run.scans().map(\.text) == ["L0", "L1", "L2", "L3"])
  }

  @Test func `what a keyboard types at the panel's terminal neither shows nor ends the station`() throws {
    var lab = lab()
    lab.startStation(station(terminal: terminal), preloading: "simulated_terminal")
    lab.await(.screenState("available"), within: 20)
    lab.print("begun", "terminal_keys")
    lab.stopStation()
    lab.print("ended", "terminal_keys")
    let run = try lab.run()
    #expect(run["begun"] == "-echo-icanon-isig" && run["ended"] == "echoicanonisig")
  }

  /// The commands that the unit runs after the station has ended for any reason.
  private func lastCommands() throws -> [[String]] {
    let unit = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "deploy/debian/reticle.service")
    return try String(contentsOf: unit, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("ExecStopPost=") }
      .map {
        String($0).replacing("ExecStopPost=-/usr/bin/", with: "")
          .replacing("/etc/reticle/reticle.yaml", with: "station.yaml").split(separator: " ").map(String.init)
      }
  }

  @Test func `T1: after kill -9 the unit's last commands restore the terminal and turn the torch off`() throws {
    let commands = try lastCommands()
    #expect(commands.count == 2)
    var lab = lab()
    lab.addLines(["TORCH"])
    lab.startStation(
      station(terminal: terminal, "torch: {line: TORCH, mode: 'on'}"), preloading: "simulated_terminal")
    lab.await(.screenState("available"), within: 20)
    lab.await(.line("TORCH", is: 1), within: 10)
    lab.killStation()
    lab.expect(.file("terminal.mode", is: "graphics"))
    for command in commands { lab.run(LabScript.preloading("simulated_terminal") + command) }
    lab.expect(.file("terminal.mode", is: "text"))
    lab.expect(!.fileExists("terminal.process"))
    lab.expect(.line("TORCH", is: 0))
    // The panel went back to the kernel with the process, and any program can take it.
    lab.run("screen-lab", "stream", "640x480", "3", into: "other")
    lab.expect(.file("other", says: "path="))
    _ = try lab.run()
  }

  @Test func `W2: a host's command turns the controls, and disturbs neither the camera nor scanning`()
    throws
  {
    let turns = 0...4
    var lab = lab()
    lab.plugSerial()
    lab.openSerial(LabScript.gadgetPort)
    lab.startStation(
      station("sinks: [{serial: {device: \(LabScript.adapterPort), suffix: crlf, commands: true}}]"),
      arguments: ["--log-level", "debug"])
    lab.await(.screenState("available"), within: 20)
    for turn in turns {
      lab.print("turn\(turn)", "still_screen_checksum")
      lab.show(.label("L\(turn % 3)"))
      lab.await(.heard("L[0-9]", times: turn + 1), within: 10)
      lab.show(.empty)
      lab.pause(3)
      lab.say("turn")
      lab.await(.heard("turn ok", times: turn + 1), within: 5)
      lab.pause(1)
    }
    lab.say("status")
    lab.await(.heard(".*screen=available.*"), within: 5)
    lab.stopStation()
    lab.expect(!.log("error reticle: the camera"))
    lab.expect(.log("recording begins", times: 1))
    let run = try lab.run()
    let scans = run.text(of: "heard").matches(of: /L\d/).map { String($0.output) }
    #expect(scans == turns.map { "L\($0 % 3)" })
    // Each rotation looks different, and four of them return to the first.
    let pictures = turns.compactMap { run["turn\($0)"] }
    #expect(pictures.count == 5 && Set(pictures.prefix(4)).count == 4 && pictures[0] == pictures[4])
  }
}

extension LabScript {
  /// The kernel asks the station to leave the terminal, then shows another one.
  fileprivate mutating func leaveTerminal(round: Int, at location: SourceLocation = #_sourceLocation) {
    step(["signal_terminal", "RTMIN"], at: location)
    self.await(.file("terminal.answers", says: "leave", times: round), within: 5, at: location)
    shell("echo 2 >terminal.active", at: location)
  }

  /// The kernel shows the station's terminal again.
  fileprivate mutating func enterTerminal(at location: SourceLocation = #_sourceLocation) {
    shell("echo 1 >terminal.active", at: location)
    step(["signal_terminal", "RTMIN+1"], at: location)
  }
}
