// Passes touches to the screen, which knows its controls; keys become buttons.

import Devices
import ScanControl
import ScanLoop
import ServiceLifecycle

final class ScreenInputLoop: Service {
  private let input: any ScreenInput
  private let mailbox: ScreenMailbox
  private let events: EventQueue
  private let time: any DeviceTime

  init(input: any ScreenInput, mailbox: ScreenMailbox, events: EventQueue, time: any DeviceTime) {
    self.input = input
    self.mailbox = mailbox
    self.events = events
    self.time = time
  }

  func run() async {
    for await act in input.acts().cancelOnGracefulShutdown() {
      switch act {
      case .touch(let x, let y): mailbox.touch(TouchedPlace(x: x, y: y))
      case .button(.trigger): events.offer(.triggerPulsed)
      case .button(let button) where mailbox.press(button, at: time.now()): break
      case .button(let button):
        if let event = Event(ButtonChange(button, isPressed: true)) { events.offer(event) }
      case .turn(let turn): mailbox.turn(turn)
      case .equipment(let equipment):
        mailbox.setEquipment(equipment)
        events.post(.inputReported(canConfirm: equipment.canConfirm))
      }
    }
    // Missing input devices do not end the station: nothing can be pressed.
    if !Task.isShuttingDownGracefully {
      mailbox.setEquipment(.none)
      events.post(.inputReported(canConfirm: false))
    }
    try? await gracefulShutdown()
  }
}
