// The controller's only knowledge of the camera: permission, state, and whether it records.

/// Whether Reticle may use the camera (behaviour §2).
public enum Permission: String, CaseIterable, Equatable, Sendable {
  /// Not asked yet.
  case notDetermined
  /// Switched off by policy: configuration, or a privacy switch.
  case restricted
  /// A device node refused to open (EACCES, EPERM).
  case denied
  case authorized
}

/// What the camera can do for us now (behaviour §2).
public enum CameraState: String, CaseIterable, Equatable, Sendable {
  case notLoaded
  case permissionDenied
  case unavailable
  case inUseByAnotherApplication
  case multipleForegroundApps
  case applicationInBackground
  case available
}

/// Why a working camera is kept from us for a while (behaviour C3).
public enum Interruption: Equatable, Sendable {
  /// The console was switched away from us, the seat suspended, or the station asked to pause.
  case applicationInBackground
  /// Another process holds the camera.
  case inUseByAnotherApplication
  /// Another program holds the screen.
  case multipleForegroundApps

  var state: CameraState {
    switch self {
    case .applicationInBackground: .applicationInBackground
    case .inUseByAnotherApplication: .inUseByAnotherApplication
    case .multipleForegroundApps: .multipleForegroundApps
    }
  }
}

/// What made the camera unavailable (behaviour C1, C3, C4).
public enum CameraFault: Equatable, Sendable {
  case noCameraMatches
  case cannotBeOpened
  case streamsCannotBeConfigured
  case noLumaStream
  case runtimeError
  case disconnected
  /// No frame came for longer than the deadline on frame progress.
  case silent
}

/// A fault with what the device said about it.
public struct CameraFailure: Equatable, Sendable {
  public var fault: CameraFault
  /// For the dialog and the log: the device, what was tried, what it answered.
  public var detail: String

  public init(_ fault: CameraFault, detail: String = "") {
    self.fault = fault
    self.detail = detail
  }
}

/// What an error dialog is about.
public enum Dialog: Equatable, Sendable {
  case permissionDenied
  case permissionRestricted
  case interrupted(Interruption)
  case failed(CameraFailure)
}

/// The one owner of what is known about the camera.
///
///     notLoaded ──loadCamera──► (loading) ──cameraLoaded──► available ◄──interruptionEnded──┐
///         ▲                         │                        │     └──cameraInterrupted──► interrupted (three states)
///         │                         └──cameraFailed──► unavailable ◄──cameraFailed──┘
///         └── permission denied ──► permissionDenied ──permissionReported(authorized)──► notLoaded
public struct CameraStatus: Equatable, Sendable {
  public internal(set) var permission = Permission.notDetermined
  public internal(set) var state = CameraState.notLoaded
  public internal(set) var capture = CaptureState.stopped
  /// Whether an outcome of loading is awaited.
  public internal(set) var isLoading = false
  /// Whether loading has succeeded and no failure came since: only then are interruptions listened to (behaviour C2).
  public internal(set) var isLoaded = false
  /// The cause of the present trouble, if there is any.
  public internal(set) var dialog: Dialog?
  /// The number of the last capture run; frames of other runs are discarded (behaviour C7).
  public internal(set) var run: UInt32 = 0
  /// When to try to get the camera again.
  public internal(set) var retryAt: Instant?
  var retryCount = 0

  /// The wait before attempt n to get the camera again: 0.5 s · 2ⁿ, at most 30 s.
  ///
  /// | n | 0 | 1 | 2 | 3 | 4 | 5 | 6 and more |
  /// |---|---|---|---|---|---|---|---|
  /// | s | 0.5 | 1 | 2 | 4 | 8 | 16 | 30 |
  static func retryDelay(attempt: Int) -> Duration {
    attempt >= 6 ? .seconds(30) : .milliseconds(500 << max(0, attempt))
  }

  mutating func scheduleRetry(after now: Instant) {
    retryAt = now.advanced(by: CameraStatus.retryDelay(attempt: retryCount))
    retryCount += 1
  }

  mutating func endRetries() {
    retryAt = nil
    retryCount = 0
  }
}

/// Whether the camera records.
public enum CaptureState: Equatable, Sendable { case stopped, starting, running }
