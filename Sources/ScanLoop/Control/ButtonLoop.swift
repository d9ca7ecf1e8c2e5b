// Buttons that go down or come up become events.

import Devices
import ScanControl
import ServiceLifecycle

final class ButtonLoop: Service {
  private let buttons: any Buttons
  private let events: EventQueue

  init(buttons: any Buttons, events: EventQueue) {
    self.buttons = buttons
    self.events = events
  }

  func run() async {
    for await change in buttons.changes().cancelOnGracefulShutdown() {
      if let event = Event(change) { events.offer(event) }
    }
    // Buttons that go away are no reason to end the station.
    try? await gracefulShutdown()
  }
}
