// What the screen has to say, taken from the controller's state by whoever runs the screen: this floor does not know the
// controller, and shows nothing that is not in here.

public import BarcodeTypes

/// A code of the list or a review.
public struct CodeRow: Equatable, Sendable {
  /// As it came; it is made fit to be seen where it is drawn.
  public var value: String
  /// The symbology's name for people, such as `QR Code`.
  public var type: String
  public var isLink: Bool
  /// Whether it stands for a symbol that cannot be read: then the value says what would help (behaviour N10).
  public var isUnread = false
  /// Its rectified picture, if there is one.
  public var image: ImageReference?

  public init(value: String, type: String, isLink: Bool, image: ImageReference? = nil) {
    self.value = value
    self.type = type
    self.isLink = isLink
    self.image = image
  }
}

/// Results that wait for the user's word.
public struct ReviewContent: Equatable, Sendable {
  public var rows: [CodeRow]
  public var focusIndex: Int
  /// The value that the prompt's outcome is about, where a result before these was decided on a moment ago; else the card asks.
  public var decided: String?
  /// How the card is answered, where nothing of it can be touched.
  public var hint: ScreenText?

  public init(rows: [CodeRow], focusIndex: Int, hint: ScreenText? = nil) {
    self.rows = rows
    self.focusIndex = focusIndex
    self.hint = hint
  }
}

/// A square of light and dark modules: a QR Code that the screen shows.
public struct ModuleGrid: Equatable, Sendable {
  /// Modules of a row and of a column, without quiet zone.
  public let side: Int
  /// Rows from the top.
  public let isDark: [Bool]

  /// - Parameter isDark: `side * side` of them.
  public init(side: Int, isDark: [Bool]) {
    precondition(side > 0 && isDark.count == side * side)
    self.side = side
    self.isDark = isDark
  }
}

/// What was scanned last, for the user to read (behaviour W5).
public struct ResultContent: Equatable, Sendable {
  public var row: CodeRow
  /// Codes that were scanned together with it.
  public var moreCount: Int

  public init(row: CodeRow, moreCount: Int = 0) {
    self.row = row
    self.moreCount = moreCount
  }
}

/// A page of the list that the user has opened: one code, or a part of one whose value is long (behaviour N5).
public struct ListContent: Equatable, Sendable {
  /// The code, its value no longer than `String.shownScalarCountMax`: what is longer goes on on the next page.
  public var row: CodeRow
  /// From 1.
  public var position: Int
  public var count: Int
  /// The link as a QR Code to take along; nil for what is none.
  public var symbol: ModuleGrid?
  /// How the list is worked, where nothing of it can be touched.
  public var hint: ScreenText?

  public init(row: CodeRow, position: Int, count: Int, symbol: ModuleGrid? = nil) {
    self.row = row
    self.position = position
    self.count = count
    self.symbol = symbol
  }
}

/// What an error dialog is about: a title for the user, and for a technician what the device said and what to do.
public struct DialogContent: Equatable, Sendable {
  public var title: ScreenText
  public var advice: ScreenText
  /// What the device said; may be empty.
  public var detail: String
  public var remedy: ScreenText
  /// All of it as a QR Code, to be taken along on a phone (behaviour C9).
  public var symbol: ModuleGrid?

  public init(title: ScreenText, advice: ScreenText = .advice, detail: String, remedy: ScreenText) {
    self.title = title
    self.advice = advice
    self.detail = detail
    self.remedy = remedy
  }
}

/// The torch as it was observed (behaviour T3, T5).
public struct TorchContent: Equatable, Sendable {
  public var isOn: Bool
  public var isEnabled: Bool
  /// Whether the board has one that somebody at the screen can switch; else there is no control for it.
  public var isPresent: Bool
  /// The control's name: with the key where only a key switches the torch.
  public var name: ScreenText

  public init(isOn: Bool = false, isEnabled: Bool = false, isPresent: Bool = true, name: ScreenText = .torch) {
    self.isOn = isOn
    self.isEnabled = isEnabled
    self.isPresent = isPresent
    self.name = name
  }
}

/// What a prompt is about.
public enum PromptTone: Equatable, Sendable {
  /// Something to do.
  case plain
  /// A scan that is stored.
  case good
  /// A scan that is not.
  case warning
}

/// The state of the screen, without what moves.
public struct ScreenContent: Equatable, Sendable {
  public var stationName = ""
  /// What the idle screen says.
  public var idleTitle = ScreenText.ready
  public var idleHint: ScreenText? = .touchToStart
  /// What the scanner says above the viewport.
  public var prompt = ScreenText.aim
  /// The number that the prompt's words name, if they name one.
  public var promptCount = 0
  public var promptTone = PromptTone.plain
  /// The codes of the last frame.
  public var codes: [CodeRow] = []
  /// What was scanned; nil while nothing is to be read.
  public var result: ResultContent?
  public var review: ReviewContent?
  /// The list of codes, while the user has it open.
  public var list: ListContent?
  public var dialog: DialogContent?
  public var torch = TorchContent()
  /// Whether something on the screen can be pressed; else nothing that only a finger presses is drawn.
  public var hasTouch = true

  public init() {}
}

/// What moves: by itself, with the moments at which it began, or as the codes move before the camera.
public struct ScreenMovements: Equatable, Sendable {
  /// The idle screen's slide; nil while nothing slides.
  public var slide: AnimationSpan?
  /// Where the slide ends, or has ended: whether the scanner is revealed.
  public var isScannerRevealed = false
  /// The corners of the codes of the last frame, in its pixels.
  public var outlines: [Quad] = []
  /// The corners of symbols that cannot be read (behaviour N10).
  public var unreadOutlines: [Quad] = []
  public var flash: AnimationSpan?
  public var focus: AnimationSpan?
  /// The code that the focus frame moves to: its corners in the frame, and its rectified picture.
  public var focusCorners: Quad?
  public var focusImage: ImageReference?

  public static let slideSeconds = 0.35
  public static let flashSeconds = 0.3

  public init() {}

  /// Whether something will look different a moment later without anything having happened.
  public func isMoving(at nanoseconds: Int64) -> Bool {
    max(slide?.end ?? .min, flash?.end ?? .min, focus?.end ?? .min) > nanoseconds
  }

  /// Whether the idle screen slides.
  public func isSliding(at nanoseconds: Int64) -> Bool { (slide?.end ?? .min) > nanoseconds }

  /// How much of the scanner is revealed, 0…1.
  func revealed(at nanoseconds: Int64) -> Double {
    let progress = slide?.progress(at: nanoseconds) ?? 1
    return isScannerRevealed ? progress : 1 - progress
  }
}
