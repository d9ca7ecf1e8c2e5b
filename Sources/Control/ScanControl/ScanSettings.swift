// The operator's settings for sessions, confirmation, repeats and votes.

public import BarcodeTypes

/// Settings of a `ScanController`, fixed for its life.
public struct ScanSettings: Equatable, Sendable {
  /// False: no entry point opens a session (behaviour S0).
  public var isEnabled = true
  /// The entry point that opens the first session: with `boot`, the start of the service does.
  public var entry = EntryPoint.boot
  /// The entry points that open sessions; each can be disabled separately (behaviour S1).
  public var entries = EntryPoints.all
  public var reopening = Reopening.after(.zero)
  public var confirmation = Confirmation.never
  /// Whether results are confirmed only while an input device at the screen can confirm them.
  public var confirmsOnlyWithInput = false
  /// Whether results put up for review are announced first (behaviour N6).
  public var isSpoken = false
  /// How long a code must be out of view before it counts as presented again.
  ///
  /// Found over 1000 drawn presentations at 30 frames per second (`sequence-lab measure 1000 7`): one label in three came
  /// back at once, after 0.3 to 3 s, and three in ten were covered for up to 0.8 s while held. With 0.25 s, 276 were scanned
  /// twice, with 0.5 s 120, with 1 s 0. With 1 s, 72 labels that came back sooner were mistaken for the previous
  /// presentation, with 2 s 198.
  public var repeatAbsence = Duration.seconds(1)
  /// Whether each frame is a separate presentation, for pictures that have nothing to do with each other: a code is reported
  /// for each picture that shows it.
  public var isEachFrameNew = false
  public var votes = VoteSettings()
  /// How the codes of a package are sent (behaviour N12); nil: each code is a result.
  public var retail: RetailSettings?
  /// Whether codes with invalid GS1 data are refused (behaviour N11).
  public var refusesWrong = false
  /// Whether sessions are interrupted while another program or console has the screen; otherwise scanning continues unseen.
  public var pausesWithoutScreen = false
  public var trigger = TriggerMode.continuous
  public var torch = TorchMode.manual
  public var sceneLevels = SceneLevels()

  public init() {}
}

/// How sessions begin and end.
public enum TriggerMode: Equatable, Sendable {
  /// No trigger: sessions follow each other by the reopening policy.
  case continuous
  /// Like `continuous`, but codes presented together are one scan: after it, nothing is reported until the view has been
  /// empty for the absence time.
  case presentation
  /// Pressing the trigger opens a session; releasing it ends the session. A press without a release, such as a key's or a
  /// command's, opens a session that ends with a scan or after this time.
  case level(limit: Duration)
  /// A press opens a session that ends with a scan or after this time.
  case edge(limit: Duration)
  /// A press opens a session that lasts this long and reports every code presented in it.
  case timed(Duration)

  /// Whether only the trigger opens sessions, not the reopening policy.
  public var opensSessions: Bool {
    switch self {
    case .continuous, .presentation: false
    case .level, .edge, .timed: true
    }
  }

  /// Whether a scan does not end the session.
  var reportsAll: Bool { if case .timed = self { true } else { false } }

  /// Whether releasing the trigger ends the session that its press opened.
  var endsOnRelease: Bool { if case .level = self { true } else { false } }

  /// How long a session opened by a press may record; nil without a trigger.
  var limit: Duration? {
    switch self {
    case .continuous, .presentation: nil
    case .level(let limit), .edge(let limit), .timed(let limit): limit
    }
  }
}

/// How the torch is switched (behaviour T6).
public enum TorchMode: String, CaseIterable, Equatable, Sendable {
  /// Only by the user.
  case manual
  /// On while a session records.
  case on
  /// By the brightness of the scene.
  case automatic = "auto"
}

/// When the automatic torch switches, by the frame's mean luma. The torch itself brightens the scene: the gap between the
/// levels must exceed that effect, or the torch would blink.
public struct SceneLevels: Equatable, Sendable {
  /// Scenes darker than this are lit. 50 of 255 is the level that a sensor with automatic gain reaches at its maximum gain.
  public var darkBelow: UInt8 = 50
  /// Lit scenes brighter than this no longer need the torch: daylight that clips paper.
  public var brightAbove: UInt8 = 200
  /// How long a scene must stay dark or bright: longer than a hand passes, and longer than automatic exposure takes to
  /// settle (3 frames).
  public var dwell = Duration.milliseconds(600)

  public init() {}
}

/// The origin of a request to open a session (behaviour S1).
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

/// When the next session follows one that ended with a scan.
public enum Reopening: Equatable, Sendable {
  /// After a delay. Without delay, the next session takes over the running capture session, and no frame is lost. After a
  /// session that the user closed, the next follows after `ScanController.closedPause` if sessions open automatically at the
  /// start.
  case after(Duration)
  /// When the results were confirmed or dismissed; if none needed that, on the confirm button.
  case onConfirmation
  /// On the trigger.
  case onTrigger
}

/// Which results need confirmation before they are forwarded (behaviour N1, N2).
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
  /// Symbologies that need a vote.
  public var symbologies = SymbologySet.voted
  /// Frames that must agree; 1 switches voting off.
  ///
  /// Of 1000 presentations in which 3 % of the frames were misread in a random digit, one frame let 544 wrong scans through,
  /// two that agree 3. Over the presentations of `ScanSettings.repeatAbsence`, two cost one frame's time per scan and 6
  /// labels of 984, which were read in one frame only; three cost two frames' time and 10 labels. The decoder itself misread
  /// none of the 79 446 frames.
  public var frameCount = 2
  /// The longest time between agreeing frames. 0.5 s is 15 frames at 30 frames per second: enough for a label in a moving
  /// hand, too short for independent noise to cause two equal misreads.
  public var window = Duration.milliseconds(500)

  public init() {}
}
