// Presses of buttons become events.

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
    for await button in buttons.presses().cancelOnGracefulShutdown() { events.offer(Event(button)) }
    // Buttons that go away are no reason to end the station.
    try? await gracefulShutdown()
  }
}
