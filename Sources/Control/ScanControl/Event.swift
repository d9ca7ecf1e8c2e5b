// Events: the controller learns of everything through these, in order.

/// An event outside the controller.
public enum Event: Equatable, Sendable {
  // The service
  case serviceStarted
  case shutdownRequested
  /// A deadline of `ScanController.nextDeadline` may have passed.
  case timePassed

  // The user
  case shortcutPressed
  case searchRequested
  case triggerPressed
  case triggerReleased
  /// The trigger, pulled by a key or a command, which has no release.
  case triggerPulsed
  /// The confirm button, touch, key or console command (behaviour N2).
  case goPressed
  /// The user chose a result under review, by its index in the review.
  case resultChosen(Int)
  /// The next result under review gets the focus; after the last one, the first.
  case nextResultRequested
  /// Close, or Cancel in a dialog or review.
  case cancelPressed
  case torchPressed
  /// Sets the torch on or off, regardless of its present state.
  case torchRequested(isOn: Bool)
  /// Pauses or resumes the scanner while the service runs.
  case disableRequested
  case enableRequested

  // The screen
  /// The scanner is about to be visible. Without a screen, that is as soon as it is presented.
  case scannerAppeared
  case announcementFinished
  /// Whether an input device at the screen can confirm a result; also posted when this is first known.
  case inputReported(canConfirm: Bool)
  /// The screen's new state. Scanning does not depend on it.
  case screenReported(ScreenState)

  // The camera
  case permissionReported(Permission)
  case cameraLoaded
  /// Loading, starting or recording failed, or the camera was unplugged.
  case cameraFailed(CameraFailure)
  /// Another process holds the camera: it cannot be loaded, or delivers no stream.
  case cameraInUse
  /// A camera may have been plugged in.
  case cameraArrived
  case captureStarted(run: UInt32)
  case frameDecoded(FrameReport)
  /// The mean luma of a recent frame, 0…255; posted from time to time.
  case sceneMeasured(brightness: UInt8)
  /// Where a symbol is located but not read, the camera's strategy wishes more light or less.
  case lightWished(isOn: Bool)
  /// No more frames will come: the last picture of the source was played.
  case framesEnded(run: UInt32)

  // The torch
  case torchCapabilityReported(TorchCapability)
  /// The torch's state as read back.
  case torchObserved(isOn: Bool)
  /// A request failed; the torch's state as read back.
  case torchRefused(isOn: Bool)
}
