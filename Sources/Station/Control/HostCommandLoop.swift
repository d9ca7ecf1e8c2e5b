// What hosts say over their serial lines becomes events, as presses of buttons do; what they ask is answered from the
// controller's state.

import BarcodeTypes
import Delivery
import Devices
import ScanControl
import ServiceLifecycle

final class HostCommandLoop: Service {
  private let requests: AsyncStream<HostRequest>
  private let events: EventQueue
  private let control: ControllerLoop
  /// Who turns the screen; nil where there is none, and then a turn turns nothing.
  private let screen: ScreenMailbox?
  private let deliverySummary: @Sendable () async -> String

  /// - Parameter deliverySummary: the part of `status` that delivery knows.
  init(
    requests: AsyncStream<HostRequest>, events: EventQueue, control: ControllerLoop, screen: ScreenMailbox?,
    deliverySummary: @escaping @Sendable () async -> String
  ) {
    self.requests = requests
    self.events = events
    self.control = control
    self.screen = screen
    self.deliverySummary = deliverySummary
  }

  func run() async {
    for await request in requests.cancelOnGracefulShutdown() {
      if request.command == .turn {
        screen?.turn(.housing(.clockwise))
        request.answer(.done(.turn))
      } else if let event = Event(request.command) {
        let isTaken = events.offer(event)
        request.answer(isTaken ? .done(request.command) : .busy(request.command))
      } else {
        request.answer(.status("\(await control.summary) \(await deliverySummary())"))
      }
    }
    // Hosts that go away are no reason to end the station.
    try? await gracefulShutdown()
  }
}

extension Event {
  /// nil for a question, and for what is the screen's own.
  fileprivate init?(_ command: HostCommand) {
    switch command {
    case .trigger: self = .triggerPressed
    case .stop: self = .cancelPressed
    case .torch: self = .torchPressed
    case .enable: self = .enableRequested
    case .disable: self = .disableRequested
    case .confirm: self = .goPressed
    case .turn, .status: return nil
    }
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
