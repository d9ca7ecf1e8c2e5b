// What hosts, the console and programs command becomes events, as presses of buttons do; what they ask is answered from the
// controller's state.

import BarcodeTypes
import Devices
import ScanControl

/// Passes commands on to who carries them out, over whatever line they come.
struct CommandDesk: Sendable {
  let events: EventQueue
  /// Who turns the screen; nil where there is none, and then a turn turns nothing.
  let screen: ScreenMailbox?

  /// - Returns: false if so much else waits that the command was not taken. A question changes nothing.
  func pass(_ command: HostCommand) -> Bool {
    if command == .turn { screen?.turn(.clockwise) }
    return Event(command).map { events.offer($0) } ?? true
  }
}

extension ScanController {
  /// The session, the torch and the screen, if there is one, in words: `session=scanning torch=off screen=available`.
  var summary: String {
    let word =
      switch session {
      case .switchedOff: "disabled"
      case .idle: "idle"
      case .checkingPermission, .opening: "opening"
      case .scanning: "scanning"
      case .announcing, .reviewing: "reviewing"
      case .failed: "failed"
      case .waiting: "waiting"
      case .finished: "finished"
      }
    let light = torch.isOn ? "on" : isTorchEnabled ? "off" : "unavailable"
    let view = screen == .absent ? "" : " screen=\(screen.rawValue)"
    return "session=\(word) torch=\(light)\(view)"
  }
}

extension SessionState {
  /// Why this state does not scan, nor will at the next trigger; nil if it does or will.
  ///
  /// - Parameter isCameraLoaded: whether the camera worked before: then the next session opens in a moment.
  func trouble(isCameraLoaded: Bool) -> String? {
    switch self {
    case .switchedOff: "the scanner is switched off"
    case .checkingPermission, .opening: isCameraLoaded ? nil : "the camera is starting"
    case .failed(let dialog): dialog.cause
    case .finished: "the station is ending"
    case .idle, .scanning, .announcing, .reviewing, .waiting: nil
    }
  }
}
