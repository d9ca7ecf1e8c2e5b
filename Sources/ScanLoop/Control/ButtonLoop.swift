// Buttons that go down or come up become events, but for presses that the screen has.

import Devices
import ScanControl
import ServiceLifecycle

final class ButtonLoop: Service {
  private let buttons: any Buttons
  private let events: EventQueue
  private let screen: ScreenMailbox?
  private let time: any DeviceTime

  init(buttons: any Buttons, events: EventQueue, screen: ScreenMailbox?, time: any DeviceTime) {
    self.buttons = buttons
    self.events = events
    self.screen = screen
    self.time = time
  }

  func run() async {
    for await change in buttons.changes().cancelOnGracefulShutdown() {
      if change.isPressed, screen?.press(change.button, at: time.now()) ?? false { continue }
      if let event = Event(change) { events.offer(event) }
    }
    // Buttons that go away are no reason to end the station.
    try? await gracefulShutdown()
  }
}
