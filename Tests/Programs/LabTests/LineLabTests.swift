// Behaviour §3 and the triggers of §9 on a real GPIO chip: torch, buttons and lamps on lines that the test reads and presses.

import Foundation
import Testing

@Suite(.inTheLab, .serialized) struct LineLabTests {
  private let label = LabPicture.label("LABEL")
  private let dark = LabPicture.grey(12)
  private let bright = LabPicture.grey(240)

  /// - Parameter keys: configuration of devices other than the camera.
  private func station(_ keys: String) -> String {
    """
    camera: {source: libcamera, size: 320x240}
    outbox: {path: outbox.sqlite}
    console: {port: 9470}
    repeat: {absence: 300 ms}
    \(keys)
    """
  }

  /// A chip with all the lines that a test may wire, and a camera.
  private func lab(showing picture: LabPicture) -> LabScript {
    var lab = LabScript()
    lab.addLines(
      ["TORCH", "TORCH_BUTTON", "TRIGGER", "GOOD", "BAD", "BUZZER"], buttons: ["TORCH_BUTTON", "TRIGGER"])
    lab.plugCamera("320x240@30", showing: picture)
    return lab
  }

  @Test func `T1, T3, T4: the torch button lights the line, and a second press or the end of the session turns it off`()
    throws
  {
    var lab = lab(showing: .empty)
    lab.startStation(station("torch: {line: 'lab0:TORCH'}\nbuttons: {torch: {line: TORCH_BUTTON}}"))
    lab.await(.log("state=on"), within: 10, pressing: "TORCH_BUTTON")
    lab.expect(.line("TORCH", is: 1))
    lab.press("TORCH_BUTTON")
    lab.await(.line("TORCH", is: 0), within: 2)
    lab.press("TORCH_BUTTON")
    lab.await(.line("TORCH", is: 1), within: 2)
    lab.show(label)
    lab.await(.scanned("LABEL"), within: 10)
    lab.await(.line("TORCH", is: 0), within: 2)
    lab.press("TORCH_BUTTON")
    lab.await(.line("TORCH", is: 1), within: 2)
    lab.stopStation()
    lab.expect(.line("TORCH", is: 0))
    _ = try lab.run()
  }

  /// The former station's thread sleeps for up to 250 ms before it lets go of the lines.
  @Test func `T3: a button works as soon as the configuration is read again`() throws {
    var lab = lab(showing: .empty)
    lab.startStation(station("torch: {line: TORCH}\nbuttons: {torch: {line: TORCH_BUTTON}}"))
    lab.await(.log("state=on"), within: 10, pressing: "TORCH_BUTTON")
    for round in 1...6 {
      lab.signalStation("HUP")
      lab.await(.log("the station starts", times: round + 1), within: 10)
      lab.await(.line("TORCH", is: 0), within: 2)
      lab.await(.line("TORCH", is: 1), within: 3, pressing: "TORCH_BUTTON")
    }
    lab.stopStation()
    #expect(try !lab.run().text(of: "log").contains("holds the line"))
  }

  @Test func `T1, T3: a torch that is lit when its line is low is dark from the start, and lit by a low line`() throws {
    var lab = lab(showing: .empty)
    lab.configure(station("torch: {line: 'lab0:0', active: low}\nbuttons: {torch: {line: TORCH_BUTTON}}"))
    lab.run("reticle", "torch", "status", "--config", "station.yaml", into: "torch")
    lab.expect(.file("torch", is: "off"))
    lab.startStation()
    lab.await(.line("TORCH", is: 1), within: 5)
    lab.await(.log("state=on"), within: 10, pressing: "TORCH_BUTTON")
    lab.expect(.line("TORCH", is: 0))
    lab.stopStation()
    _ = try lab.run()
  }

  @Test func `T2: a command cannot drive a line that the station drives; it says so and changes nothing`() throws {
    var lab = lab(showing: .empty)
    lab.startStation(station("torch: {line: 'lab0:0', active: low}\nbuttons: {torch: {line: TORCH_BUTTON}}"))
    lab.await(.log("state=on"), within: 10, pressing: "TORCH_BUTTON")
    lab.run("reticle", "torch", "off", "--config", "station.yaml", into: "torch", status: 1)
    lab.expect(.file("torch", is: "reticle: lab0:0: reticle holds the line; stop it, or use another line"))
    lab.expect(.line("TORCH", is: 0))
    lab.stopStation()
    _ = try lab.run()
  }

  @Test func `T2, T5: a torch on a line that another program holds cannot be driven until the line is free`() throws {
    var lab = lab(showing: .empty)
    lab.configure(station("torch: {line: TORCH}\nbuttons: {torch: {line: TORCH_BUTTON}}"))
    lab.takeLine(0)
    lab.await(.lineIsHeld("TORCH"), within: 5)
    lab.run("reticle", "torch", "on", "--config", "station.yaml", into: "torch", status: 1)
    lab.expect(.file("torch", says: "holds the line"))
    lab.startStation()
    lab.await(.stationStarted, within: 5)
    lab.pause(1)
    lab.press("TORCH_BUTTON")
    lab.pause(0.5)
    lab.expect(.line("TORCH", is: 0))
    lab.expect(!.log("state=on"))
    lab.expect(.log("holds the line"))
    lab.stopStation()
    lab.stop("holder")
    lab.run("reticle", "torch", "on", "--config", "station.yaml")
    _ = try lab.run()
  }

  @Test func `T1: after kill -9 the unit's last command turns the torch off`() throws {
    var lab = lab(showing: .empty)
    lab.addLED()
    lab.startStation(station("torch: {led: torch, mode: 'on'}"))
    lab.await(.brightness(is: 255), within: 5)
    lab.killStation()
    // A lamp stays lit when the process is gone.
    lab.expect(.brightness(is: 255))
    lab.run("reticle", "torch", "status", "--config", "station.yaml", into: "torch")
    lab.expect(.file("torch", is: "on"))
    lab.run("reticle", "torch", "off", "--config", "station.yaml", into: "torch")
    lab.expect(.file("torch", is: "off"))
    lab.expect(.brightness(is: 0))
    lab.run("reticle", "torch", "status", "--config", "station.yaml", into: "torch")
    lab.expect(.file("torch", is: "off"))
    _ = try lab.run()
  }

  @Test func `T6: a dark scene lights the torch automatically, and daylight turns it off`() throws {
    var lab = lab(showing: bright)
    lab.startStation(station("torch: {line: TORCH, mode: auto}"))
    lab.await(.stationStarted, within: 5)
    lab.pause(1.5)
    lab.expect(.line("TORCH", is: 0))
    lab.show(dark)
    lab.await(.line("TORCH", is: 1), within: 5)
    lab.show(.empty)
    lab.pause(1.5)
    lab.expect(.line("TORCH", is: 1))
    lab.show(bright)
    lab.await(.line("TORCH", is: 0), within: 5)
    lab.stopStation()
    _ = try lab.run()
  }

  @Test(arguments: ["fixed", "automatic", "bracket"])
  func `T1, T6: with each strategy, a torch that lights a dark scene goes out with its session and with its process`(
    exposure: String
  ) throws {
    var lab = lab(showing: dark)
    lab.startStation(
      station("torch: {line: TORCH, mode: auto}\nsession: {reopen: after 2 s}").replacing(
        "320x240}", with: "320x240, exposure: \(exposure)}"))
    lab.await(.line("TORCH", is: 1), within: 8)
    lab.show(label)
    lab.await(.scanned("LABEL"), within: 10)
    lab.await(.line("TORCH", is: 0), within: 2)
    lab.show(dark)
    lab.await(.line("TORCH", is: 1), within: 8)
    lab.killStation()
    lab.await(.line("TORCH", is: 0), within: 2)
    // The lab's camera has no exposure, gain or lens, and nothing is wished from it.
    lab.expect(!.log("is not valid"))
    _ = try lab.run()
  }

  private func permission(_ permission: String) -> LabFact {
    .metric("reticle_camera_permission{permission=\"\(permission)\"}", is: 1)
  }

  @Test func `S2, T1: the privacy switch closes the camera and turns the torch off; once it is open, scanning continues`()
    throws
  {
    var lab = LabScript()
    lab.addLines(["TORCH", "PRIVACY"], buttons: ["PRIVACY"])
    lab.plugCamera("320x240@30", showing: label)
    lab.startStation(
      station("torch: {line: TORCH, mode: 'on'}").replacing("320x240}", with: "320x240, privacy_line: 'lab0:PRIVACY'}"))
    lab.await(.scanned("LABEL", times: 1), within: 10)
    lab.await(.line("TORCH", is: 1), within: 5)
    lab.expect(permission("authorized"))
    lab.show(.empty)
    lab.pause(1)
    for round in 1...2 {
      lab.hold("PRIVACY")
      lab.await(permission("restricted"), within: 2)
      lab.expect(.log("the camera is switched off", times: round))
      lab.expect(.log("turn the privacy switch off", times: round))
      lab.expect(.metric("reticle_camera_state{state=\"permissionDenied\"}", is: 1))
      lab.await(.line("TORCH", is: 0), within: 2)
      lab.show(label)
      lab.pause(2)
      lab.expect(.scanned("LABEL", times: round))
      lab.release("PRIVACY")
      lab.await(.scanned("LABEL", times: round + 1), within: 5)
      lab.expect(permission("authorized"))
      lab.await(.line("TORCH", is: 1), within: 2)
      lab.show(.empty)
      lab.pause(1)
    }
    lab.stopStation()
    _ = try lab.run()
  }

  @Test func `S2: while its privacy switch cannot be read, the camera stays closed, and the log says why`() throws {
    var lab = LabScript()
    lab.addLines(["TORCH", "PRIVACY"], buttons: ["PRIVACY"])
    lab.plugCamera("320x240@30", showing: label)
    lab.takeLine(1)
    lab.await(.lineIsHeld("PRIVACY"), within: 5)
    lab.startStation(station("").replacing("320x240}", with: "320x240, privacy_line: PRIVACY}"))
    lab.await(.log("so the camera stays switched off"), within: 5)
    lab.expect(.log("holds the line"))
    lab.pause(2)
    lab.expect(!.anyScan)
    lab.expect(.log("so the camera stays switched off", times: 1))
    lab.stop("holder")
    lab.await(.scanned("LABEL"), within: 10)
    lab.stopStation()
    _ = try lab.run()
  }

  private let level = """
    trigger: {mode: level}
    buttons: {trigger: {line: TRIGGER, bias: down}}
    outputs:
      good_read: {line: GOOD, good_read: 1 s}
      no_read: {line: BAD, no_read: 1 s}
      buzzer: {line: BUZZER, good_read: [], no_read: [300 ms, 100 ms, 300 ms]}
    """

  @Test func `level trigger: the station scans only once it is held, and the lamp shows the good read`() throws {
    var lab = lab(showing: label)
    lab.startStation(station(level))
    lab.await(.stationStarted, within: 5)
    lab.pause(1)
    lab.expect(!.anyScan)
    lab.hold("TRIGGER")
    lab.await(.scanned("LABEL"), within: 10)
    lab.await(.line("GOOD", is: 1), within: 2)
    lab.release("TRIGGER")
    lab.pause(1)
    lab.expect(.line("BAD", is: 0))
    lab.expect(.userAction("MobileQRScannerScannedCode", times: 1))
    lab.expect(.metric("reticle_no_reads_total", is: 0))
    lab.stopStation()
    lab.expect(.scanned("LABEL", times: 1))
    _ = try lab.run()
  }

  @Test func `level trigger: a release without a label is a no-read, which lamp and buzzer signal`() throws {
    var lab = lab(showing: .empty)
    lab.startStation(station(level))
    lab.await(.stationStarted, within: 5)
    lab.pause(0.5)
    lab.hold("TRIGGER")
    lab.pause(1)
    lab.release("TRIGGER")
    lab.await(.line("BAD", is: 1), within: 2)
    lab.await(.line("BUZZER", is: 1), within: 2)
    lab.await(.line("BAD", is: 0), within: 4)
    lab.expect(.metric("reticle_no_reads_total", is: 1))
    lab.expect(.userAction("MobileQRScannerClose", times: 1))
    lab.stopStation()
    _ = try lab.run()
  }

  @Test func `edge trigger: each press is a separate session and scans the label in view`() throws {
    var lab = lab(showing: label)
    lab.startStation(
      station("trigger: {mode: edge, timeout: 500 ms}\nbuttons: {trigger: {line: 'lab0:2', debounce: 5 ms}}"))
    lab.await(.stationStarted, within: 5)
    lab.pause(0.5)
    for count in 1...3 {
      lab.press("TRIGGER")
      lab.await(.scanned("LABEL", times: count), within: 10)
      lab.pause(0.5)
    }
    lab.show(.empty)
    lab.pause(0.2)
    lab.press("TRIGGER")
    lab.pause(2)
    lab.expect(.metric("reticle_no_reads_total", is: 1))
    lab.stopStation()
    lab.expect(.scanned("LABEL", times: 3))
    _ = try lab.run()
  }

  private let confirmed = "confirm: always\nbuttons: {confirm: {line: GOOD}, cancel: {line: BAD}}"

  @Test func `N2: the confirm button forwards a waiting result`() throws {
    var lab = lab(showing: label)
    for button in ["GOOD", "BAD"] { lab.release(button) }
    lab.startStation(station(confirmed))
    lab.await(.log("waits for confirmation"), within: 10)
    lab.pause(1)
    lab.expect(!.anyScan)
    lab.press("GOOD")
    lab.await(.scanned("LABEL"), within: 5)
    lab.stopStation()
    lab.expect(.scanned("LABEL", times: 1))
    _ = try lab.run()
  }

  @Test func `C6: the cancel button closes an error dialog, which is counted, and the next session finds the camera`() throws
  {
    var lab = LabScript()
    lab.startUdev()
    lab.addLines(["CANCEL", "SHORTCUT"], buttons: ["CANCEL", "SHORTCUT"])
    lab.startStation(
      """
      camera: {source: libcamera, size: 320x240, model: Lab}
      outbox: {path: outbox.sqlite}
      console: {port: 9470}
      buttons: {cancel: {line: CANCEL}, shortcut: {line: SHORTCUT}}
      """)
    lab.await(.log("the camera is not there"), within: 10)
    lab.expect(.userAction("MobileQRScannerError", times: 0))
    lab.press("CANCEL")
    lab.await(.userAction("MobileQRScannerError", times: 1), within: 5)
    lab.plugCamera("320x240@30", showing: label)
    lab.press("SHORTCUT")
    lab.await(.scanned("LABEL"), within: 10)
    lab.stopStation()
    _ = try lab.run()
  }

  @Test func `N2: the cancel button discards a result, and the next one waits again`() throws {
    var lab = lab(showing: label)
    for button in ["GOOD", "BAD"] { lab.release(button) }
    lab.startStation(station(confirmed))
    lab.await(.log("waits for confirmation"), within: 10)
    lab.press("BAD")
    lab.pause(0.5)
    // Nothing is left to confirm.
    lab.press("GOOD")
    lab.pause(0.5)
    lab.expect(!.anyScan)
    lab.show(.empty)
    lab.pause(2)
    lab.show(label)
    lab.await(.log("waits for confirmation", times: 2), within: 10)
    lab.press("GOOD")
    lab.await(.scanned("LABEL"), within: 5)
    lab.stopStation()
    lab.expect(.scanned("LABEL", times: 1))
    _ = try lab.run()
  }

  @Test func `the list tells lines as the configuration takes them`() throws {
    var lab = lab(showing: .empty)
    lab.run("reticle", "lines", into: "lines")
    lab.expect(.file("lines", says: "lab0  (/dev/gpiochip0, 8 lines)"))
    lab.expect(.file("lines", says: "  lab0:TORCH  "))
    lab.run("reticle", "lines", "--all", into: "lines")
    lab.expect(.file("lines", says: "input", times: 8))
    lab.configure(station("torch: {line: 'lab0:TORCH'}"))
    for mode in ["on", "off"] { lab.run("reticle", "torch", mode, "--config", "station.yaml") }
    _ = try lab.run()
  }

  @Test func `an unknown line name is an error that says where names are listed`() throws {
    var lab = lab(showing: .empty)
    lab.configure(station("torch: {line: 'lab0:LAMP'}"))
    lab.run("reticle", "torch", "status", "--config", "station.yaml", into: "torch", status: nil)
    lab.expect(.file("torch", is: "reticle: lab0:LAMP: no line has this name; `reticle lines` lists chips and lines"))
    _ = try lab.run()
  }
}
