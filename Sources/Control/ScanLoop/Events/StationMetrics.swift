// The station's metrics, created once so that counting allocates nothing. Names follow Prometheus: one prefix, base units,
// `_total` for counters, and never a payload as a label.

import BarcodeDecoder
import BarcodeTypes
package import Devices
import Metrics
import ScanControl

/// Every metric of capture and control.
package struct StationMetrics: Sendable {
  private let captured: Counter
  private let dropped: Counter
  private let skipped: Counter
  private let decoded: Counter
  private let rested: Counter
  private let decodeTime: Metrics.Timer
  private let captureToDecode: Metrics.Timer
  /// Frames with untried candidates, by the limit that was reached.
  private let decodeLimits: (work: Counter, patience: Counter, candidates: Counter, symbols: Counter)
  private let workLimit: Gauge
  private let cameraFailures: Counter
  private let lost: Counter
  private let noReads: Counter
  private let torch: Gauge
  /// The sensor's last reported settings.
  private let sensor: (exposure: Gauge, gain: Gauge, frame: Gauge, lens: Gauge)
  /// One gauge per cause; 1 for the current one.
  private let screen: [(cause: ScreenTrouble.Cause, gauge: Gauge)]
  /// One gauge per state; 1 for the state known to the controller.
  private let screenStates: [(state: ScreenState, gauge: Gauge)]
  /// One gauge per permission and camera state; 1 for those known to the controller.
  private let permissions: [(permission: Permission, gauge: Gauge)]
  private let cameraStates: [(state: CameraState, gauge: Gauge)]
  /// Indexed by the symbology's raw value.
  private let scans: [Counter]
  private let unread: [UnreadSymbol.Help: Counter]
  private let suppressions: [Suppression: Counter]
  private let userActions: [UserAction: Counter]

  init(factory: any MetricsFactory = MetricsSystem.factory) {
    captured = Counter(label: "reticle_frames_captured_total", factory: factory)
    dropped = Counter(label: "reticle_frames_dropped_total", factory: factory)
    skipped = Counter(label: "reticle_frames_skipped_total", factory: factory)
    decoded = Counter(label: "reticle_frames_decoded_total", factory: factory)
    rested = Counter(label: "reticle_frames_rested_total", factory: factory)
    decodeTime = Metrics.Timer(label: "reticle_decode_seconds", factory: factory)
    captureToDecode = Metrics.Timer(label: "reticle_capture_to_decode_seconds", factory: factory)
    func decodeLimit(_ name: String) -> Counter {
      Counter(label: "reticle_decode_limits_total", dimensions: [("limit", name)], factory: factory)
    }
    workLimit = Gauge(label: "reticle_decode_work_limit", factory: factory)
    decodeLimits = (
      decodeLimit("work"), decodeLimit("patience"), decodeLimit("candidates"), decodeLimit("symbols")
    )
    cameraFailures = Counter(label: "reticle_camera_failures_total", factory: factory)
    lost = Counter(label: "reticle_scans_lost_total", factory: factory)
    noReads = Counter(label: "reticle_no_reads_total", factory: factory)
    torch = Gauge(label: "reticle_torch_on", factory: factory)
    sensor = (
      Gauge(label: "reticle_sensor_exposure_seconds", factory: factory),
      Gauge(label: "reticle_sensor_gain", factory: factory),
      Gauge(label: "reticle_sensor_frame_seconds", factory: factory),
      Gauge(label: "reticle_sensor_lens_dioptres", factory: factory)
    )
    screen = ScreenTrouble.Cause.allCases.map {
      ($0, Gauge(label: "reticle_screen_trouble", dimensions: [("state", $0.rawValue)], factory: factory))
    }
    screenStates = ScreenState.allCases.filter { $0 != .absent }.map {
      ($0, Gauge(label: "reticle_screen_state", dimensions: [("state", $0.rawValue)], factory: factory))
    }
    permissions = Permission.allCases.map {
      ($0, Gauge(label: "reticle_camera_permission", dimensions: [("permission", $0.rawValue)], factory: factory))
    }
    cameraStates = CameraState.allCases.map {
      ($0, Gauge(label: "reticle_camera_state", dimensions: [("state", $0.rawValue)], factory: factory))
    }
    scans = Symbology.allCases.map {
      Counter(label: "reticle_scans_total", dimensions: [("symbology", "\($0.name)")], factory: factory)
    }
    unread = Dictionary(
      uniqueKeysWithValues: UnreadSymbol.Help.allCases.map {
        ($0, Counter(label: "reticle_unread_symbols_total", dimensions: [("help", $0.rawValue)], factory: factory))
      })
    suppressions = Dictionary(
      uniqueKeysWithValues: Suppression.allCases.map {
        let dimensions = [("reason", $0.rawValue)]
        return ($0, Counter(label: "reticle_scans_suppressed_total", dimensions: dimensions, factory: factory))
      })
    userActions = Dictionary(
      uniqueKeysWithValues: UserAction.allCases.map {
        let dimensions = [("action", $0.rawValue)]
        return ($0, Counter(label: "reticle_user_actions_total", dimensions: dimensions, factory: factory))
      })
  }

  func framesCaptured(_ count: Int) { if count > 0 { captured.increment(by: count) } }
  func framesDropped(_ count: Int) { if count > 0 { dropped.increment(by: count) } }
  func framesSkipped(_ count: Int) { if count > 0 { skipped.increment(by: count) } }

  /// Updates the sensor's actual settings (behaviour C8); values that it does not report stay unchanged.
  func sensorRead(_ reading: SensorReading) {
    if let exposure = reading.exposureMicroseconds { sensor.exposure.record(Double(exposure) / 1e6) }
    if let gain = reading.gain { sensor.gain.record(gain) }
    if let frame = reading.frameDurationMicroseconds { sensor.frame.record(Double(frame) / 1e6) }
    if let lens = reading.lensPosition { sensor.lens.record(lens) }
  }

  /// Counts a frame that was not decoded because nothing had changed.
  func frameRested() { rested.increment() }

  /// - Parameters:
  ///   - nanoseconds: the time spent decoding.
  ///   - sinceCapture: nanoseconds from the exposure to the end of decoding.
  func frameDecoded(nanoseconds: Int64, sinceCapture: Int64) {
    decoded.increment()
    decodeTime.recordNanoseconds(nanoseconds)
    captureToDecode.recordNanoseconds(sinceCapture)
  }

  func decodeLimited(_ limits: DecodeLimits, work: Int) {
    workLimit.record(work)
    if limits.hasReachedWork { decodeLimits.work.increment() }
    if limits.hasReachedPatience { decodeLimits.patience.increment() }
    if limits.hasReachedCandidates { decodeLimits.candidates.increment() }
    if limits.hasReachedSymbols { decodeLimits.symbols.increment() }
  }

  /// Counts a symbol that was in view for a while and could not be read.
  func unreadFound(_ help: UnreadSymbol.Help) { unread[help]?.increment() }
  func cameraFailed() { cameraFailures.increment() }
  func scanned(_ symbology: Symbology) { scans[Int(symbology.rawValue)].increment() }
  func noRead() { noReads.increment() }
  func scanLost() { lost.increment() }
  func suppressed(_ reason: Suppression, _ count: Int) { suppressions[reason]?.increment(by: count) }
  func userAction(_ action: UserAction) { userActions[action]?.increment() }
  /// Sets why the screen is unavailable; nil while the station has it.
  package func screenIs(_ trouble: ScreenTrouble.Cause?) {
    for (cause, gauge) in screen { gauge.record(cause == trouble ? 1 : 0) }
  }

  func screenReported(_ state: ScreenState) {
    for (one, gauge) in screenStates { gauge.record(one == state ? 1 : 0) }
  }

  func cameraReported(_ permission: Permission, _ state: CameraState) {
    for (one, gauge) in permissions { gauge.record(one == permission ? 1 : 0) }
    for (one, gauge) in cameraStates { gauge.record(one == state ? 1 : 0) }
  }

  func torchObserved(isOn: Bool) { torch.record(isOn ? 1 : 0) }
}
