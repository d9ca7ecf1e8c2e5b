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

  /// Passes on a command and waits until the controller has decided about it.
  func carryOut(_ command: HostCommand) async -> CommandOutcome {
    guard let event = Event(command) else {
      if command == .turn, screen == nil { return .nothing }
      return pass(command) ? .done : .busy
    }
    return await withCheckedContinuation { continuation in
      events.offer(event) { hasEffect in
        continuation.resume(returning: hasEffect.map { $0 ? .done : .nothing } ?? .busy)
      }
    }
  }
}

/// Outcome of a host's command.
package enum CommandOutcome: Equatable, Sendable {
  case done
  /// There was nothing for it to do.
  case nothing
  /// So much else waits that it was not taken, or the station ends.
  case busy
}

/// How the session, the torch and the screen are, a word for each.
package struct StationWords: Equatable, Sendable {
  package var session: String
  package var torch: String
  /// nil in a station without a screen.
  package var screen: String?
}

extension ScanController {
  package var words: StationWords {
    let session =
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
    return StationWords(
      session: session, torch: torch.isOn ? "on" : isTorchEnabled ? "off" : "unavailable",
      screen: screen == .absent ? nil : screen.rawValue)
  }

  /// The same in one line: `session=scanning torch=off screen=available`.
  var summary: String {
    let words = words
    return "session=\(words.session) torch=\(words.torch)" + (words.screen.map { " screen=\($0)" } ?? "")
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
