// The console's view into a running station, and its way to pass on commands. It is created before the station, which
// attaches itself, and contains nothing that the station would have to wait for.

package import Devices
public import DeliveryModel
package import ScanControl
package import ScanLoop
package import ScanScreen
import Synchronization

/// The externally visible state of a station.
public final class StationInspector: Sendable {
  /// How long the capture thread may take for a piece of work before the station counts as hung: far longer than any frame
  /// takes, and shorter than the unit's watchdog.
  static let captureLimit = Duration.seconds(10)

  package let snapshots = SnapshotDesk()
  private let inside = Mutex<ScanLoops?>(nil)

  public init() {}

  /// Attaches a station.
  package func attach(_ loops: ScanLoops) { inside.withLock { $0 = loops } }

  /// Passes on a command and waits for the decision; nil while the station starts.
  package func carryOut(_ command: HostCommand) async -> CommandOutcome? {
    guard let loops = inside.withLock({ $0 }) else { return nil }
    return await loops.carryOut(command)
  }

  /// The available controls, with names and values (behaviour W4).
  package func controls() async -> [PlacedControl] {
    guard let loops = inside.withLock({ $0 }) else { return [] }
    return await loops.controls
  }

  /// The state of a station.
  package struct State: Sendable {
    package var controller: ScanController
    /// The sensor's settings for the last frame.
    package var sensor: SensorReading
    /// The settings that the camera's strategy wishes; nil without one.
    package var wish: CameraRequest?
  }

  /// Nil while the station starts.
  package func state() async -> State? {
    guard let loops = inside.withLock({ $0 }) else { return nil }
    return State(controller: await loops.state, sensor: loops.watch.sensor, wish: loops.watch.wish)
  }

  /// Why the station does not scan now; empty if it does, or would at the next trigger or session.
  public func scanningTroubles() async -> [String] {
    guard let loops = inside.withLock({ $0 }) else { return ["the station is starting"] }
    guard loops.watch.isAlive(within: Self.captureLimit) else { return ["the camera or the decoder hangs"] }
    return await loops.trouble.map { [$0] } ?? []
  }

  /// Why the station is not ready for work, one reason per line: it does not scan, its scans are not safe, or they are not
  /// delivered.
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

  /// A picture of the camera's present view.
  package func snapshot() async -> SnapshotDesk.Answer { await snapshots.ask() }
}
