// Turns newly plugged-in cameras into events.

import Devices
import ScanControl
import ServiceLifecycle

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
