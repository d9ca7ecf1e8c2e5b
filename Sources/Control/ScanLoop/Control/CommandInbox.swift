// Commands from hosts, the console and programs become events, like button presses; questions are answered from the
// controller's state.

import BarcodeTypes
import Devices
import ScanControl

/// Passes commands from any connection on to the controller or the screen.
struct CommandInbox: Sendable {
  let events: EventQueue
  /// The screen that turns; nil without a screen, and then a turn has no effect.
  let screen: ScreenMailbox?

  /// - Returns: false if the command was refused because too many events wait. A question changes nothing.
  func pass(_ command: HostCommand) -> Bool {
    if command == .turn { screen?.turn(.clockwise) }
    return Event(command).map { events.offer($0) } ?? true
  }

  /// Passes on a command and waits for the controller's decision.
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
  /// The command had no effect.
  case nothing
  /// Refused: too many events wait, or the station is ending.
  case busy
}

/// The state of the session, the torch and the screen, one word each.
package struct StationWords: Equatable, Sendable {
  package var session: String
  package var torch: String
  /// Nil in a station without a screen.
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

  /// The state in one line: `session=scanning torch=off screen=available`.
  var summary: String {
    let words = words
    return "session=\(words.session) torch=\(words.torch)" + (words.screen.map { " screen=\($0)" } ?? "")
  }
}

extension SessionState {
  /// Why this state does not scan and will not at the next trigger; nil if it does or will.
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
