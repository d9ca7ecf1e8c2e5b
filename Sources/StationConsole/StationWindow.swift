// The window through which the status server looks into a running station, and hands commands in. It is made before the
// station, which puts itself behind it, and holds nothing that the station would have to wait for.

public import Delivery
import Devices
import ScanControl
package import ScanLoop
import ScanScreen
import Synchronization

/// What can be seen of a station from outside.
public final class StationWindow: Sendable {
  /// How long one piece of work of the capture thread may take before the station counts as hung: far above any frame, and
  /// below the watchdog of the unit.
  static let captureLimit = Duration.seconds(10)

  package let snapshots = SnapshotDesk()
  private let inside = Mutex<ScanLoops?>(nil)

  public init() {}

  /// A station puts itself behind the window.
  package func attach(_ loops: ScanLoops) { inside.withLock { $0 = loops } }

  /// Passes on a command and waits until it is decided about; nil while the station starts.
  func carryOut(_ command: HostCommand) async -> CommandOutcome? {
    guard let loops = inside.withLock({ $0 }) else { return nil }
    return await loops.carryOut(command)
  }

  /// How the session and the torch are, in words of the program's own.
  func summary() async -> String {
    guard let loops = inside.withLock({ $0 }) else { return "session=starting" }
    return await loops.summary
  }

  /// What can be pressed now, with names and values (behaviour W4).
  func controls() async -> [PlacedControl] {
    guard let loops = inside.withLock({ $0 }) else { return [] }
    return await loops.controls
  }

  /// Where the controller stands, and the sensor's reading for the last frame; nil while the station starts.
  func state() async -> (controller: ScanController, sensor: SensorReading)? {
    guard let loops = inside.withLock({ $0 }) else { return nil }
    return (await loops.state, loops.watch.sensor)
  }

  /// Why the station does not scan now; nothing if it does, or would at the next trigger or session.
  public func scanningTroubles() async -> [String] {
    guard let loops = inside.withLock({ $0 }) else { return ["the station is starting"] }
    guard loops.watch.isAlive(within: Self.captureLimit) else { return ["the camera or the decoder hangs"] }
    return await loops.trouble.map { [$0] } ?? []
  }

  /// Why the station is not ready for work, each reason in a line: that it does not scan, or that scans are not safe or get
  /// nowhere.
  public func troubles(_ delivery: DeliveryReport) async -> [String] {
    var troubles = await scanningTroubles()
    if let trouble = delivery.outbox.trouble { troubles.append(trouble) }
    if delivery.outbox.inMemoryCount > 0 {
      troubles.append("\(delivery.outbox.inMemoryCount) scans are in memory only and are lost if the station stops")
    }
    for sink in delivery.sinks where sink.isHeldUp {
      let state = sink.phase == "parked" || sink.phase == "stuck" ? sink.phase : "failing"
      troubles.append("\(sink.name) is \(state): \(sink.problem ?? "")")
    }
    return troubles
  }

  /// A picture of what the camera sees now.
  func snapshot() async -> SnapshotDesk.Answer { await snapshots.ask() }
}
