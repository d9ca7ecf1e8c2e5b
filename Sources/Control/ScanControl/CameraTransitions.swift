// Permission, loading, recording, failures and recovery (behaviour §2, S2, S3).

extension ScanController {
  mutating func permissionReported(_ permission: Permission, _ now: Instant, _ actions: inout [Action]) {
    camera.permission = permission
    switch permission {
    case .authorized:
      if camera.state == .permissionDenied { camera.state = .notLoaded }
    case .denied, .restricted:
      camera.state = .permissionDenied
      camera.isLoaded = false
    case .notDetermined: break
    }
    switch session {
    case .checkingPermission, .opening: proceedOpening(now, &actions)
    case .failed: proceedRecovery(now, &actions)
    case .scanning: if permission == .denied || permission == .restricted { fail(permissionDialog, now, &actions) }
    case .switchedOff, .idle, .announcing, .reviewing, .waiting, .finished: break
    }
  }

  private var permissionDialog: Dialog { camera.permission == .restricted ? .permissionRestricted : .permissionDenied }

  /// Continues opening a session after a report of permission.
  private mutating func proceedOpening(_ now: Instant, _ actions: inout [Action]) {
    switch camera.permission {
    case .denied, .restricted: fail(permissionDialog, now, &actions)
    case .notDetermined:
      // No decision has been made yet: ask once, then check again from time to time.
      guard session == .checkingPermission else { return camera.scheduleRetry(after: now) }
      session = .opening
      presentScanner(now, &actions)
      actions.append(.requestPermission)
    case .authorized:
      session = .opening
      presentScanner(now, &actions)
      if !camera.isLoaded {
        loadCamera(&actions)
      } else if camera.state == .available {
        startCaptureIfReady(&actions)
      } else if let dialog = camera.dialog {
        fail(dialog, now, &actions)
      }
    }
  }

  /// Continues recovery after a report of permission while an error dialog is up.
  private mutating func proceedRecovery(_ now: Instant, _ actions: inout [Action]) {
    switch camera.permission {
    case .denied, .restricted: fail(permissionDialog, now, &actions)
    case .notDetermined: camera.scheduleRetry(after: now)
    case .authorized: if !camera.isLoaded { loadCamera(&actions) }
    }
  }

  private mutating func loadCamera(_ actions: inout [Action]) {
    guard !camera.isLoading else { return }
    camera.isLoading = true
    actions.append(.loadCamera)
  }

  mutating func cameraLoaded(_ now: Instant, _ actions: inout [Action]) {
    guard camera.isLoading else { return }
    camera.isLoading = false
    camera.isLoaded = true
    actions.append(.readTorchCapability)
    if let interruption = lastingInterruption { return cameraInterrupted(interruption, now, &actions) }
    camera.retryAt = nil
    guard case .failed = session else { return becomeAvailable(now, &actions) }
    // The dialog stays until a frame has come (behaviour C5).
    startCapture(&actions)
  }

  /// A frame proves that the camera works: a dialog closes automatically, and the next retry is quick again (behaviour C5).
  /// Returns whether a dialog closed; the scene is lit if the frame does not end the session.
  mutating func frameCame(_ now: Instant, _ actions: inout [Action]) -> Bool {
    guard camera.capture == .running else { return false }
    camera.endRetries()
    guard case .failed = session else { return false }
    camera.state = .available
    camera.dialog = nil
    actions.append(.dismissDialog)
    presentScanner(now, &actions)
    beginScanning(now, &actions)
    return true
  }

  mutating func cameraFailed(_ failure: CameraFailure, _ now: Instant, _ actions: inout [Action]) {
    camera.isLoading = false
    camera.isLoaded = false
    camera.state = .unavailable
    camera.dialog = .failed(failure)
    failIfOpen(.failed(failure), now, &actions)
  }

  /// Another process holds the camera. No event signals its release, so the station loads the camera again after a wait.
  /// Ignored unless the camera is loaded or loading (behaviour C2).
  mutating func cameraInUse(_ now: Instant, _ actions: inout [Action]) {
    guard camera.isLoaded || camera.isLoading else { return }
    camera.isLoading = false
    camera.isLoaded = false
    camera.state = .inUseByAnotherApplication
    camera.dialog = .interrupted(.inUseByAnotherApplication)
    failIfOpen(.interrupted(.inUseByAnotherApplication), now, &actions)
  }

  /// Begins an interruption that lasts until the station resumes or the screen returns. Ignored unless the camera is loaded
  /// (behaviour C2).
  mutating func cameraInterrupted(_ interruption: Interruption, _ now: Instant, _ actions: inout [Action]) {
    guard camera.isLoaded else { return }
    camera.state = interruption.state
    camera.dialog = .interrupted(interruption)
    failIfOpen(.interrupted(interruption), now, &actions)
  }

  /// A camera has arrived: if the station waits for one, it tries at once, and later waits are short again (behaviour C5).
  mutating func cameraArrived(_ actions: inout [Action]) {
    camera.retryCount = 0
    if camera.retryAt != nil { retryCamera(&actions) }
  }

  mutating func interruptionEnded(_ now: Instant, _ actions: inout [Action]) {
    guard camera.isLoaded, camera.state != .available, camera.capture == .stopped else { return }
    becomeAvailable(now, &actions)
  }

  /// Marks the camera as available and closes a dialog about an interruption. The camera stays interrupted while the station
  /// is paused or, if nothing may be scanned unseen, while another program has the screen.
  private mutating func becomeAvailable(_ now: Instant, _ actions: inout [Action]) {
    if let interruption = lastingInterruption { return cameraInterrupted(interruption, now, &actions) }
    camera.state = .available
    camera.dialog = nil
    camera.retryAt = nil
    if case .failed = session {
      actions.append(.dismissDialog)
      session = .opening
      presentScanner(now, &actions)
    }
    startCaptureIfReady(&actions)
  }

  /// Shows trouble with the camera if a session needs it; otherwise the next session discovers it.
  private mutating func failIfOpen(_ dialog: Dialog, _ now: Instant, _ actions: inout [Action]) {
    switch session {
    case .opening, .scanning, .failed: fail(dialog, now, &actions)
    case .checkingPermission, .switchedOff, .idle, .announcing, .reviewing, .waiting, .finished:
      turnTorchOff(&actions)
    }
  }

  private mutating func fail(_ dialog: Dialog, _ now: Instant, _ actions: inout [Action]) {
    stopCapture(&actions)
    turnTorchOff(&actions)
    if session != .failed(dialog) {
      session = .failed(dialog)
      actions.append(.showDialog(dialog))
    }
    if camera.isLoaded { camera.retryAt = nil } else { camera.scheduleRetry(after: now) }
  }

  /// Starts again from the permission check: permission may have been granted, or the camera plugged in.
  mutating func retryCamera(_ actions: inout [Action]) {
    camera.retryAt = nil
    switch session {
    case .opening, .failed: actions.append(.readPermission)
    case .switchedOff, .idle, .checkingPermission, .scanning, .announcing, .reviewing, .waiting, .finished: break
    }
  }

  /// Starts recording once the scanner is about to be visible and the camera is available, in either order
  /// (behaviour S3).
  mutating func startCaptureIfReady(_ actions: inout [Action]) {
    guard session == .opening, visibility == .visible, camera.state == .available, camera.capture == .stopped
    else { return }
    startCapture(&actions)
  }

  private mutating func startCapture(_ actions: inout [Action]) {
    camera.run &+= 1
    camera.capture = .starting
    if input.awaitedUntil == nil { actions.append(.startCapture(run: camera.run)) } else { input.holdsCapture = true }
  }

  mutating func captureStarted(_ run: UInt32, _ now: Instant, _ actions: inout [Action]) {
    guard run == camera.run, camera.capture == .starting else { return }
    camera.capture = .running
    guard session == .opening else { return }
    beginScanning(now, &actions)
    lightScene(&actions)
  }

  private mutating func beginScanning(_ now: Instant, _ actions: inout [Action]) {
    session = .scanning(until: nil)
    repeats.captureBegan()
    triggeredCaptureStarted(now, &actions)
  }

  mutating func stopCapture(_ actions: inout [Action]) {
    guard camera.capture != .stopped else { return }
    camera.capture = .stopped
    guard !input.holdsCapture else { return input.holdsCapture = false }
    actions.append(.stopCapture)
  }
}
