// Turns newly plugged-in cameras into events, and button presses and releases that the screen does not consume.

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
    // Losing the buttons does not end the station.
    try? await gracefulShutdown()
  }
}

final class ArrivalLoop: Service {
  private let arrivals: any CameraArrivals
  private let events: EventQueue

  init(arrivals: any CameraArrivals, events: EventQueue) {
    self.arrivals = arrivals
    self.events = events
  }

  func run() async {
    for await _ in arrivals.arrivals().cancelOnGracefulShutdown() { events.offer(.cameraArrived) }
    // Without notices of new cameras, the controller retries from time to time.
    try? await gracefulShutdown()
  }
}
