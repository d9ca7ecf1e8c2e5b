// What an operator can choose about sessions, confirmation, repeats and votes.

public import BarcodeTypes

/// Settings of a `ScanController`, fixed for its life.
public struct ScanSettings: Equatable, Sendable {
  /// False: no entry point opens a session (SPEC S0).
  public var isEnabled = true
  /// The entry point that opens the first session: with `boot`, the start of the service does.
  public var entry = EntryPoint.boot
  public var reopening = Reopening.after(.zero)
  public var confirmation = Confirmation.never
  /// Whether results put up for review are announced first (SPEC N6).
  public var isSpoken = false
  /// How long a code must have been out of view before it counts as presented again.
  public var repeatAbsence = Duration.seconds(1)
  public var votes = VoteSettings()

  public init() {}
}

/// Where a session is opened from (SPEC S1).
public enum EntryPoint: String, CaseIterable, Equatable, Sendable {
  /// The start of the service.
  case boot
  /// A button on a line, or a key.
  case shortcut
  /// The control interface, or a touch on the idle screen.
  case search
}

/// When a session that ended by a scan is followed by the next one. A session that the user closed is not.
public enum Reopening: Equatable, Sendable {
  /// After a delay. Without delay the running capture session is handed to the next session, and no frame is lost.
  case after(Duration)
  /// When the results were confirmed or dismissed; where nothing had to be, on the confirm button.
  case onConfirmation
  /// On the trigger.
  case onTrigger
}

/// Which results are put before the user first (SPEC N1, N2).
public enum Confirmation: String, CaseIterable, Equatable, Sendable {
  /// None: every result is forwarded at once.
  case never
  /// Results of symbologies that can hold more than digits.
  case alphanumeric
  /// All.
  case always

  func isNeeded(for symbology: Symbology) -> Bool {
    switch self {
    case .never: false
    case .alphanumeric: !symbology.isNumericOnly
    case .always: true
    }
  }
}

/// How many frames must agree on a code of a weakly protected symbology.
public struct VoteSettings: Equatable, Sendable {
  /// Symbologies without a check character that all encoders write, or with one that lets a tenth of errors pass.
  public static let weaklyProtected = SymbologySet().with(.itf).with(.itf14).with(.code39).with(.codabar).with(.upce)

  /// Symbologies that are voted on.
  public var symbologies = VoteSettings.weaklyProtected
  /// Frames that must agree; 1 switches voting off.
  public var frameCount = 2
  /// The longest time from one agreeing frame to the next. 0.5 s is 15 frames at 30 frames a second: enough for a label
  /// in a moving hand, too short for two misreads of independent noise to meet.
  public var window = Duration.milliseconds(500)

  public init() {}
}
