// What hosts command becomes events, as presses of buttons do; what they ask is answered from the controller's state.

import BarcodeTypes
import Delivery
import Devices
import ScanControl
import ServiceLifecycle

/// Passes commands on to who carries them out, over whatever line they come.
struct CommandDesk: Sendable {
  let events: EventQueue
  /// Who turns the screen; nil where there is none, and then a turn turns nothing.
  let screen: ScreenMailbox?

  /// - Returns: false if so much else waits that the command was not taken. A question changes nothing.
  func pass(_ command: HostCommand) -> Bool {
    if command == .turn { screen?.turn(.housing(.clockwise)) }
    return Event(command).map { events.offer($0) } ?? true
  }
}

/// Serves hosts on serial lines.
final class HostCommandLoop: Service {
  private let requests: AsyncStream<HostRequest>
  private let desk: CommandDesk
  private let control: ControllerLoop
  private let deliverySummary: @Sendable () async -> String

  /// - Parameter deliverySummary: the part of `status` that delivery knows.
  init(
    requests: AsyncStream<HostRequest>, desk: CommandDesk, control: ControllerLoop,
    deliverySummary: @escaping @Sendable () async -> String
  ) {
    self.requests = requests
    self.desk = desk
    self.control = control
    self.deliverySummary = deliverySummary
  }

  func run() async {
    for await request in requests.cancelOnGracefulShutdown() {
      if request.command == .status {
        request.answer(.status("\(await control.summary) \(await deliverySummary())"))
      } else {
        request.answer(desk.pass(request.command) ? .done(request.command) : .busy(request.command))
      }
    }
    // Hosts that go away are no reason to end the station.
    try? await gracefulShutdown()
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
