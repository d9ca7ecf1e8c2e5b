// Progress of the thread that owns the camera and the decoder, and its sensor's readings. A device call that never returns
// and a picture that the decoder never finishes show only here.

package import Devices
package import ScanControl
import Synchronization

/// Progress of the capture thread, which writes it; the watchdog's feeder reads it.
package final class CaptureWatch: Sendable {
  /// When the current piece of work began, in nanoseconds of the boot clock; 0 while the thread waits for work.
  private let begunAt = Atomic<Int64>(0)
  private let reading = Mutex(SensorReading())
  private let request = Mutex<CameraRequest?>(nil)
  private let time: any DeviceTime

  package init(time: any DeviceTime) { self.time = time }

  /// Marks the beginning of a piece of work: a command, or one frame.
  func begin() { begunAt.store(max(1, time.now()), ordering: .relaxed) }

  /// Marks that the thread waits for work again.
  func end() { begunAt.store(0, ordering: .relaxed) }

  /// The sensor's settings for the last frame (behaviour C8).
  package var sensor: SensorReading { reading.withLock { $0 } }

  func sensorRead(_ reading: SensorReading) { self.reading.withLock { $0 = reading } }

  /// The settings wished last, with the reason; nil without a strategy.
  package var wish: CameraRequest? { request.withLock { $0 } }

  func wished(_ request: CameraRequest) { self.request.withLock { $0 = request } }

  /// Whether the thread waits for work, or has worked on one piece for at most `limit`.
  package func isAlive(within limit: Duration) -> Bool {
    let begun = begunAt.load(ordering: .relaxed)
    guard begun > 0 else { return true }
    return .nanoseconds(time.now() - begun) <= limit
  }
}
