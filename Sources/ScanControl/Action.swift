// What is to be done. The runtime carries these out in order and answers with events; it decides nothing itself.

/// Something for the runtime to do. None may be waited for on the controller's loop except `forward`.
public enum Action: Equatable, Sendable {
  // The camera
  /// Answer with `permissionReported`.
  case readPermission
  /// Ask whoever grants it; answer with `permissionReported`.
  case requestPermission
  /// Answer with `cameraLoaded` or `cameraFailed`.
  case loadCamera
  /// Build a capture session and record; answer with `captureStarted` or `cameraFailed`, then with frames of this run.
  case startCapture(run: UInt32)
  /// Stop recording and destroy the capture session (behaviour C7).
  case stopCapture

  // The screen
  case showIdleScreen(isSwitchedOff: Bool)
  /// Reveal the scanner (behaviour S5); answer with `scannerAppeared` when it is about to be visible.
  case presentScanner
  case dismissScanner
  case showDialog(Dialog)
  case dismissDialog
  /// Show the results for confirmation, the one with the focus marked.
  case showReview(Review)
  case dismissReview
  /// Play the animation of a recognised code (behaviour N6): of what the same event forwards or puts up for review.
  case flash
  /// Say that these were scanned, in place of the animation; answer with `announcementFinished`.
  case announce([ScanResult])
  /// The screen is this from now on: tell whoever watches over the station (behaviour C3).
  case reportScreen(ScreenState)

  /// Results are put before the user from now on, or are all forwarded at once: what can confirm them has come or gone.
  case reportConfirmation(isPossible: Bool)

  // Results
  /// Write to the outbox, then acknowledge to the user. In the order of the frame.
  case forward([ScanResult])
  /// A triggered session ended without a scan: tell whoever pulled the trigger, and hosts.
  case reportNoRead(NoRead)
  /// Count and log results that were put before the user and are not forwarded.
  case discard([ScanResult], Discard)
  case countSuppressed(Suppression, Int)
  case count(UserAction)

  // The torch
  /// Answer with `torchCapabilityReported`.
  case readTorchCapability
  /// Answer with `torchObserved` or `torchRefused`.
  case setTorch(isOn: Bool)
  /// The torch does this now (behaviour T3).
  case showTorch(isOn: Bool)
  /// The torch control is enabled or disabled (behaviour T5).
  case showTorchAvailability(Bool)

  // The service
  /// Nothing more will come: let delivery finish and end.
  case finish
}
