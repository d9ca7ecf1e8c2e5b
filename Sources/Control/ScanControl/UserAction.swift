// Metrics of users' actions, under their documented names (behaviour §8).

/// A user's action, counted once each time it happens.
public enum UserAction: String, CaseIterable, Equatable, Sendable {
  /// A session was opened through a shortcut.
  case openedByShortcut = "ApplicationShortcut.ScanQRCodePressed"
  /// A session was opened through search.
  case openedBySearch = "IOS.Spotlight.Action"
  /// A session was closed without scanning a code.
  case closed = "MobileQRScannerClose"
  /// A session was closed from an error dialog.
  case closedFromError = "MobileQRScannerError"
  /// A session ended with a scan. Counted once per session, however many codes the deciding frame showed: the three endings
  /// of behaviour S4 add up to the number of sessions ended.
  case scannedCode = "MobileQRScannerScannedCode"
  /// The user switched the torch on, and it is on.
  case torchOn = "MobileQRScannerTorchOn"
}

/// Why a seen code is not reported.
public enum Suppression: String, CaseIterable, Equatable, Sendable {
  /// The same code came back before it had been out of view for the set time.
  case repeated
  /// Too few frames agreed on a code of a weakly protected symbology.
  case outvoted
  /// The code is part of a presentation that was already scanned.
  case presented
  /// Another code of the same package was chosen, or the code is a link on the package of an article (behaviour N12).
  case package
  /// The code holds no text (behaviour N3).
  case empty
  /// The code carries invalid GS1 data, which `gs1.invalid` refuses.
  case invalid
  /// The frame belongs to a capture run that is over.
  case late
  /// The result was not confirmed in time, or before the station ended or paused.
  case unconfirmed
  /// The user cancelled the result instead of confirming it.
  case cancelled
  /// A rule dropped the result.
  case dropped
}

/// Why a reviewed result is not forwarded.
public enum Discard: CaseIterable, Equatable, Sendable {
  case cancelled
  /// The user did not answer within `ScanController.reviewDurationMax`.
  case timedOut
  /// The station ended, paused or reloaded its configuration before the user answered.
  case stopped

  /// The suppression under which it is counted.
  public var suppression: Suppression { self == .cancelled ? .cancelled : .unconfirmed }
}
