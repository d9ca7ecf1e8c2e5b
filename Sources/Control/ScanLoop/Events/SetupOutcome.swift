// The outcome of a set-up code: a QR Code that changes the station's configuration instead of being a scan.

public import ScanControl

/// The reason why a set-up code changes nothing.
public enum SetupRefusal: String, CaseIterable, Equatable, Sendable {
  /// The text is damaged, or of another version.
  case malformed
  /// No key that the station knows signed it.
  case signature
  /// It is for another station.
  case station
  /// The station's clock is not synchronised, so its age is unknown.
  case clock
  /// It was valid earlier.
  case expired
  /// It was made later than now.
  case future
  /// It was carried out before.
  case used
  /// It changes a key that is not listed for set-up codes.
  case key
  /// The configuration would be wrong with it.
  case value
  /// The station cannot store it.
  case storage
  /// The station could not start with it, and has its former settings again.
  case start
  /// Another change is under way.
  case busy
}

/// The outcome of a set-up code.
public enum SetupOutcome: Equatable, Sendable {
  /// The change is stored, and the station starts over with it.
  case accepted
  /// The station has started with the change: one `KEY=VALUE` per key.
  case changed([String])
  /// Nothing has changed. The detail, if any, says which key or value is concerned.
  case refused(SetupRefusal, detail: String)
}

/// The outcome of the set-up code that made this station replace the former one, for the screen and the signals.
public struct SetupNotice: Sendable {
  public var outcome: SetupOutcome
  /// The set-up code.
  public var result: ScanResult

  public init(_ outcome: SetupOutcome, of result: ScanResult) { (self.outcome, self.result) = (outcome, result) }
}
