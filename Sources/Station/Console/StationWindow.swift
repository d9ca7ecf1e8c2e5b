// The window through which the status server looks into a running station, and hands commands in. It is made before the
// station, which puts itself behind it, and holds nothing that the station would have to wait for.

import Delivery
import Devices
import ScanControl
import ScanScreen
import Synchronization

/// What can be seen of a station from outside.
public final class StationWindow: Sendable {
  /// How long one piece of work of the capture thread may take before the station counts as hung: far above any frame, and
  /// below the watchdog of the unit.
  static let captureLimit = Duration.seconds(10)

  let snapshots = SnapshotDesk()
  private let inside = Mutex<Inside?>(nil)

  private struct Inside {
    let control: ControllerLoop
    let watch: CaptureWatch
    let desk: CommandDesk
  }

  public init() {}

  /// A station puts itself behind the window.
  func attach(_ control: ControllerLoop, _ watch: CaptureWatch, _ desk: CommandDesk) {
    inside.withLock { $0 = Inside(control: control, watch: watch, desk: desk) }
  }

  /// What became of a command.
  enum Passing { case taken, busy, starting }

  /// Passes on a command; it is not waited for.
  func pass(_ command: HostCommand) -> Passing {
    guard let inside = inside.withLock({ $0 }) else { return .starting }
    return inside.desk.pass(command) ? .taken : .busy
  }

  /// How the session and the torch are, in words of the program's own.
  func summary() async -> String {
    guard let inside = inside.withLock({ $0 }) else { return "session=starting" }
    return await inside.control.summary
  }

  /// What can be pressed now, with names and values (behaviour W4).
  func controls() async -> [PlacedControl] {
    guard let inside = inside.withLock({ $0 }) else { return [] }
    return await inside.control.controls
  }

  /// How the camera is, and what its sensor did for the last frame; nil while the station starts.
  func camera() async -> (status: CameraStatus, sensor: SensorReading)? {
    guard let inside = inside.withLock({ $0 }) else { return nil }
    return (await inside.control.state.camera, inside.watch.sensor)
  }

  /// Why the station does not scan now; nothing if it does, or would at the next trigger or session.
  public func scanningTroubles() async -> [String] {
    guard let inside = inside.withLock({ $0 }) else { return ["the station is starting"] }
    guard inside.watch.isAlive(within: Self.captureLimit) else { return ["the camera or the decoder hangs"] }
    return await inside.control.trouble.map { [$0] } ?? []
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

extension SessionState {
  /// Why this state does not scan, nor will at the next trigger; nil if it does or will.
  ///
  /// - Parameter isCameraLoaded: whether the camera worked before: then the next session opens in a moment.
  func trouble(isCameraLoaded: Bool) -> String? {
    switch self {
    case .switchedOff: "the scanner is switched off"
    case .checkingPermission, .opening: isCameraLoaded ? nil : "the camera is starting"
    case .failed(let dialog): dialog.detail.isEmpty ? dialog.title : "\(dialog.title): \(dialog.detail)"
    case .finished: "the station is ending"
    case .idle, .scanning, .announcing, .reviewing, .waiting: nil
    }
  }
}
