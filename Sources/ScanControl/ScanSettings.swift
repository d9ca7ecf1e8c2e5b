// What an operator can choose about sessions, confirmation, repeats and votes.

public import BarcodeTypes

/// Settings of a `ScanController`, fixed for its life.
public struct ScanSettings: Equatable, Sendable {
  /// False: no entry point opens a session (behaviour S0).
  public var isEnabled = true
  /// The entry point that opens the first session: with `boot`, the start of the service does.
  public var entry = EntryPoint.boot
  /// The entry points that open sessions at all; each can be switched off by itself (behaviour S1).
  public var entries = EntryPoints.all
  public var reopening = Reopening.after(.zero)
  public var confirmation = Confirmation.never
  /// Whether results are confirmed only while something is plugged in at the screen to confirm them with.
  public var confirmsOnlyWithInput = false
  /// Whether results put up for review are announced first (behaviour N6).
  public var isSpoken = false
  /// How long a code must have been out of view before it counts as presented again.
  ///
  /// Found over 1000 drawn presentations at 30 frames a second (`sequence-lab measure 1000 7`): of three labels one came again
  /// at once, after 0.3 to 3 s, and of ten three were covered for up to 0.8 s while they were held. With 0.25 s, 276 were
  /// scanned twice, with 0.5 s 120, with 1 s none. With 1 s, 72 that came again sooner were taken for the one before, with 2 s
  /// 198.
  public var repeatAbsence = Duration.seconds(1)
  /// Whether each frame is a presentation of its own: frames are pictures that have nothing to do with each other, and a code is
  /// reported of each that shows it.
  public var isEachFrameNew = false
  public var votes = VoteSettings()
  /// What becomes of the codes of one package (behaviour N12); nil: each code is a result.
  public var retail: RetailSettings?
  /// Whether a code with GS1 data that are wrong is no result (behaviour N11).
  public var refusesWrong = false
  /// Whether sessions are interrupted while another program or another console has the screen; else scanning goes on unseen.
  public var pausesWithoutScreen = false
  public var trigger = TriggerMode.continuous
  public var torch = TorchMode.manual
  public var sceneLevels = SceneLevels()

  public init() {}
}

/// What begins and ends a session.
public enum TriggerMode: Equatable, Sendable {
  /// Nothing: sessions follow each other by the reopening policy.
  case continuous
  /// As continuous, but what is presented together is one scan: after it, nothing is reported before the view has been
  /// empty for the time of absence.
  case presentation
  /// The trigger held down opens a session, its release ends it. A press without a release, such as a key's or a command's,
  /// opens a session that ends by a scan, or after this time.
  case level(limit: Duration)
  /// A press opens a session that ends by a scan, or after this time.
  case edge(limit: Duration)
  /// A press opens a session that lasts this long and reports every code that is presented in it.
  case timed(Duration)

  /// Whether nothing but the trigger opens sessions by itself.
  public var opensSessions: Bool {
    switch self {
    case .continuous, .presentation: false
    case .level, .edge, .timed: true
    }
  }

  /// Whether a scan does not end the session.
  var reportsAll: Bool { if case .timed = self { true } else { false } }

  /// Whether the release of the trigger ends the session that its press has opened.
  var endsOnRelease: Bool { if case .level = self { true } else { false } }

  /// How long a session may record that was opened by a press; nil where there is no trigger.
  var limit: Duration? {
    switch self {
    case .continuous, .presentation: nil
    case .level(let limit), .edge(let limit), .timed(let limit): limit
    }
  }
}

/// Who switches the torch (behaviour T6).
public enum TorchMode: String, CaseIterable, Equatable, Sendable {
  /// The user alone.
  case manual
  /// It is on while a session records.
  case on
  /// By the brightness of the scene.
  case automatic = "auto"
}

/// When the automatic torch changes, by the mean luma of the frame. The torch itself makes the scene brighter: the gap
/// between the levels must be wider than that, or it would blink.
public struct SceneLevels: Equatable, Sendable {
  /// A scene darker than this is lit. 50 of 255 is where a sensor with automatic gain ends up when it has none left.
  public var darkBelow: UInt8 = 50
  /// A lit scene brighter than this needs no torch any more: daylight that clips paper.
  public var brightAbove: UInt8 = 200
  /// How long a scene must be so: longer than a hand passes, and than automatic exposure takes to settle (3 frames).
  public var dwell = Duration.milliseconds(600)

  public init() {}
}

/// Where a session is opened from (behaviour S1).
public enum EntryPoint: String, CaseIterable, Equatable, Sendable {
  /// The start of the service.
  case boot
  /// A button on a line, or a key.
  case shortcut
  /// The control interface, or a touch on the idle screen.
  case search
}

/// A set of entry points.
public struct EntryPoints: Equatable, Sendable, ExpressibleByArrayLiteral {
  public static let all = EntryPoints(EntryPoint.allCases)

  private let bits: UInt8

  public init(_ entries: [EntryPoint]) { bits = entries.reduce(0) { $0 | Self.bit(of: $1) } }

  public init(arrayLiteral entries: EntryPoint...) { self.init(entries) }

  public func contains(_ entry: EntryPoint) -> Bool { bits & Self.bit(of: entry) != 0 }

  private static func bit(of entry: EntryPoint) -> UInt8 {
    switch entry {
    case .boot: 1
    case .shortcut: 2
    case .search: 4
    }
  }
}

/// When a session that ended by a scan is followed by the next one.
public enum Reopening: Equatable, Sendable {
  /// After a delay. Without delay the running capture session is handed to the next session, and no frame is lost. A session
  /// that the user closed is followed after `ScanController.closedPause` where sessions open by themselves at the start.
  case after(Duration)
  /// When the results were confirmed or dismissed; where nothing had to be, on the confirm button.
  case onConfirmation
  /// On the trigger.
  case onTrigger
}

/// Which results are put before the user first (behaviour N1, N2).
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
  public static let weaklyProtected = SymbologySet().with(.itf).with(.itf14).with(.code39).with(.codabar).with(.upce).with(
    .msi)

  /// Symbologies that are voted on.
  public var symbologies = VoteSettings.weaklyProtected
  /// Frames that must agree; 1 switches voting off.
  ///
  /// Of 1000 presentations of which 3 % of the frames were misread in a random digit, one frame let 544 wrong scans through and
  /// two that agree 3. Over the presentations of `ScanSettings.repeatAbsence`, two cost a frame's time a scan and 6 labels of
  /// 984, which were read in one frame only; three cost two frames' time and 10 labels. The decoder itself misread none of the
  /// 79 446 frames.
  public var frameCount = 2
  /// The longest time from one agreeing frame to the next. 0.5 s is 15 frames at 30 frames a second: enough for a label
  /// in a moving hand, too short for two misreads of independent noise to meet.
  public var window = Duration.milliseconds(500)

  public init() {}
}
