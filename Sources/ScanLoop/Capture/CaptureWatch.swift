// Whether the thread that owns the camera and the decoder gets on, and what its sensor does. A device that never returns from a
// call, and a picture that the decoder never finishes, both show here and nowhere else.

package import Devices
import Synchronization

/// What the capture thread is at, written by it and read by whoever feeds a watchdog.
package final class CaptureWatch: Sendable {
  /// When the work at hand was begun, in nanoseconds of the boot clock; 0 while the thread waits for work.
  private let begunAt = Atomic<Int64>(0)
  private let reading = Mutex(SensorReading())
  private let time: any DeviceTime

  package init(time: any DeviceTime) { self.time = time }

  /// A piece of work begins: a command, or one frame.
  func begin() { begunAt.store(max(1, time.now()), ordering: .relaxed) }

  /// The thread waits for work again.
  func end() { begunAt.store(0, ordering: .relaxed) }

  /// What the sensor did for the last frame (behaviour C8).
  package var sensor: SensorReading { reading.withLock { $0 } }

  func sensorRead(_ reading: SensorReading) { self.reading.withLock { $0 = reading } }

  /// Whether the thread waits for work, or has been at one piece of it for no longer than `limit`.
  package func isAlive(within limit: Duration) -> Bool {
    let begun = begunAt.load(ordering: .relaxed)
    guard begun > 0 else { return true }
    return .nanoseconds(time.now() - begun) <= limit
  }
}
