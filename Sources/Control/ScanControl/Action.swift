// Actions for the runtime, which carries them out in order and answers with events; it decides nothing itself.

/// An action for the runtime. Only `forward` may block the controller's loop.
public enum Action: Equatable, Sendable {
  // The camera
  /// Answer with `permissionReported`.
  case readPermission
  /// Ask the authority that grants permission; answer with `permissionReported`.
  case requestPermission
  /// Answer with `cameraLoaded` or `cameraFailed`.
  case loadCamera
  /// Build a capture session and record; answer with `captureStarted` or `cameraFailed`, then with frames of this run.
  case startCapture(run: UInt32)
  /// Stop recording and destroy the capture session (behaviour C7).
  case stopCapture

  // The screen
  /// Reveal the scanner (behaviour S5); answer with `scannerAppeared` when it is about to be visible.
  case presentScanner
  case showDialog(Dialog)
  case dismissDialog
  /// Show the results for confirmation and mark the one with the focus.
  case showReview(Review)
  /// Mark these results in the preview; if `flashes`, with the animation of a recognised code (behaviour N6).
  case showScan([ScanResult], flashes: Bool)
  /// Announce the scanned results; answer with `announcementFinished`.
  case announce([ScanResult])
  /// The screen has entered this state: report it to the monitors of the station (behaviour C3).
  case reportScreen(ScreenState)
  /// The scanner is switched off until `enableRequested`, or by the configuration (behaviour S0).
  case reportSwitchedOff
  /// Whether new results are put before the user or all forwarded at once: an input device that can confirm them has come or
  /// gone.
  case reportConfirmation(isPossible: Bool)

  // Results
  /// Write the results to the outbox, in the frame's order, then acknowledge them to the user.
  case forward([ScanResult])
  /// A triggered session ended without a scan: report it to the trigger's user and to hosts.
  case reportNoRead(NoRead)
  /// Count and log results that were put before the user but are not forwarded.
  case discard([ScanResult], Discard)
  case countSuppressed(Suppression, Int)
  case count(UserAction)

  // The torch
  /// Answer with `torchCapabilityReported`.
  case readTorchCapability
  /// Answer with `torchObserved` or `torchRefused`.
  case setTorch(isOn: Bool)
  /// Show the torch as on or off (behaviour T3).
  case showTorch(isOn: Bool)
  /// Enable or disable the torch control (behaviour T5).
  case showTorchAvailability(Bool)

  // The service
  /// Nothing more will come: let delivery finish, then end.
  case finish
}
