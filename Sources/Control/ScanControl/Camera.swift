// The controller's view of the camera: permission, state, and whether it records.

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

/// The camera's state as the controller knows it (behaviour §2).
public enum CameraState: String, CaseIterable, Equatable, Sendable {
  case notLoaded
  case permissionDenied
  case unavailable
  case inUseByAnotherApplication
  case multipleForegroundApps
  case applicationInBackground
  case available
}

/// Why a working camera is temporarily unavailable to the station (behaviour C3).
public enum Interruption: Equatable, Sendable {
  /// The user switched to another console, the seat was suspended, or a command paused the station.
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

/// Why the camera is unavailable (behaviour C1, C3, C4).
public enum CameraFault: Equatable, Sendable {
  case noCameraMatches
  case cannotBeOpened
  case streamsCannotBeConfigured
  case noLumaStream
  case runtimeError
  case disconnected
  /// No frame arrived within the deadline for frame progress.
  case silent
}

/// A fault with the device's own description of it.
public struct CameraFailure: Equatable, Sendable {
  public var fault: CameraFault
  /// Detail for the dialog and the log: the device, what was tried, and its answer.
  public var detail: String

  public init(_ fault: CameraFault, detail: String = "") {
    self.fault = fault
    self.detail = detail
  }
}

/// The subject of an error dialog.
public enum Dialog: Equatable, Sendable {
  case permissionDenied
  case permissionRestricted
  case interrupted(Interruption)
  case failed(CameraFailure)
}

/// The controller's entire knowledge of the camera.
///
///     notLoaded ──loadCamera──► (loading) ──cameraLoaded──► available ◄──interruptionEnded──┐
///         ▲                         │                        │     └──cameraInterrupted──► interrupted (three states)
///         │                         └──cameraFailed──► unavailable ◄──cameraFailed──┘
///         └── permission denied ──► permissionDenied ──permissionReported(authorized)──► notLoaded
public struct CameraStatus: Equatable, Sendable {
  public internal(set) var permission = Permission.notDetermined
  public internal(set) var state = CameraState.notLoaded
  public internal(set) var capture = CaptureState.stopped
  /// Whether loading is in progress.
  public internal(set) var isLoading = false
  /// Whether loading has succeeded and nothing has failed since. Interruptions are ignored otherwise (behaviour C2).
  public internal(set) var isLoaded = false
  /// The cause of the current trouble, if any.
  public internal(set) var dialog: Dialog?
  /// The number of the last capture run; frames of other runs are discarded (behaviour C7).
  public internal(set) var run: UInt32 = 0
  /// When to try the camera again.
  public internal(set) var retryAt: Instant?
  var retryCount = 0

  /// The wait before retry n of the camera: 0.5 s · 2ⁿ, at most 30 s.
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
