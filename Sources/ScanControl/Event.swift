// What happened. Everything that the controller learns comes as one of these, in order.

/// Something that happened outside of the controller.
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
  /// The trigger by a key or a command, which has no release.
  case triggerPulsed
  /// The confirm button, touch, key or console command (behaviour N2).
  case goPressed
  /// A result under review was chosen, by its index in the review.
  case resultChosen(Int)
  /// The next result under review is to have the focus, after the last one the first.
  case nextResultRequested
  /// Close, or Cancel in a dialog or review.
  case cancelPressed
  case torchPressed
  /// The torch is to be so, whatever it is now.
  case torchRequested(isOn: Bool)
  /// The scanner is to be switched off, or on again, while the service runs.
  case disableRequested
  case enableRequested

  // The screen
  /// The scanner is about to be visible. Without a screen it is as soon as it is presented.
  case scannerAppeared
  case announcementFinished
  /// Whether something is plugged in at the screen with which a user can confirm a result; told when it is first known, too.
  case inputReported(canConfirm: Bool)
  /// What the screen is now. Scanning does not depend on it.
  case screenReported(ScreenState)

  // The camera
  case permissionReported(Permission)
  case cameraLoaded
  /// Loading, starting or recording failed, or the camera went away.
  case cameraFailed(CameraFailure)
  /// Another process holds the camera: it cannot be loaded, or gives no stream.
  case cameraInUse
  /// A camera may have been plugged in.
  case cameraArrived
  case captureStarted(run: UInt32)
  case frameDecoded(FrameReport)
  /// The mean luma of a frame that was just recorded, 0…255; from time to time.
  case sceneMeasured(brightness: UInt8)
  /// There are no more frames: a source of pictures was played to its end.
  case framesEnded(run: UInt32)

  // The torch
  case torchCapabilityReported(TorchCapability)
  /// What the torch does, as read back.
  case torchObserved(isOn: Bool)
  /// A request failed; what the torch does now, as read back.
  case torchRefused(isOn: Bool)
}
