// The controller alone, in a session that records all the time.

import ScanControl

/// A permanently recording session, and its reports.
struct RecordedSession {
  private var controller: ScanController
  private var now: Instant
  private var sequence: UInt64 = 0
  private(set) var texts: [String] = []
  private(set) var outvotedCount = 0

  init(_ settings: ScanSettings, at start: Instant = Instant(nanoseconds: 1_000_000_000)) {
    now = start
    controller = ScanController(settings: settings)
    for event in [.serviceStarted, .permissionReported(.authorized), .scannerAppeared, .cameraLoaded] as [Event] {
      _ = controller.handle(event, at: now)
    }
    _ = controller.handle(.captureStarted(run: controller.camera.run), at: now)
  }

  /// Adds a frame, 33 ms after the last one.
  mutating func frame(_ sightings: [Sighting]) { frame(sightings, at: now.advanced(by: .milliseconds(33))) }

  /// Adds a frame of a moment after the last one's.
  mutating func frame(_ sightings: [Sighting], at moment: Instant) {
    sequence += 1
    now = moment
    let report = FrameReport(run: controller.camera.run, sequence: sequence, capturedAt: now, sightings: sightings)
    for action in controller.handle(.frameDecoded(report), at: now) {
      if case .forward(let results) = action { texts += results.map(\.code.text) }
      if case .countSuppressed(.outvoted, let count) = action { outvotedCount += count }
    }
  }
}
