// The content of the screen, derived from the controller's state by the screen's model. This module does not know the
// controller, and shows only this content.

public import BarcodeTypes

/// A code of the list or a review.
public struct CodeRow: Equatable, Sendable {
  /// The value as scanned; it is made presentable when drawn.
  public var value: String
  /// The symbology's display name, such as `QR Code`.
  public var type: String
  public var isLink: Bool
  /// Whether the row represents an unreadable symbol; the value is then advice for the user (behaviour N10).
  public var isUnread = false
  /// Its rectified picture, if any.
  public var image: ImageReference?

  public init(value: String, type: String, isLink: Bool, image: ImageReference? = nil) {
    self.value = value
    self.type = type
    self.isLink = isLink
    self.image = image
  }
}

/// Results that wait for confirmation.
public struct ReviewContent: Equatable, Sendable {
  public var rows: [CodeRow]
  public var focusIndex: Int
  /// The value of the result that was just decided on, to which the prompt's outcome refers; nil: the card asks.
  public var decided: String?
  /// How to answer the card, if it cannot be touched.
  public var hint: ScreenText?

  public init(rows: [CodeRow], focusIndex: Int, hint: ScreenText? = nil) {
    self.rows = rows
    self.focusIndex = focusIndex
    self.hint = hint
  }
}

/// A square of light and dark modules: a QR Code on the screen.
public struct ModuleGrid: Equatable, Sendable {
  /// Modules per side, without quiet zone.
  public let side: Int
  /// Rows from the top.
  public let isDark: [Bool]

  /// - Parameter isDark: `side * side` modules.
  public init(side: Int, isDark: [Bool]) {
    precondition(side > 0 && isDark.count == side * side)
    self.side = side
    self.isDark = isDark
  }
}

/// The last scan, for the user to read (behaviour W5).
public struct ResultContent: Equatable, Sendable {
  public var row: CodeRow
  /// The number of codes scanned together with it.
  public var moreCount: Int

  public init(row: CodeRow, moreCount: Int = 0) {
    self.row = row
    self.moreCount = moreCount
  }
}

/// A page of the opened list: one code, or a part of a code with a long value (behaviour N5).
public struct ListContent: Equatable, Sendable {
  /// The code, with at most `String.shownScalarCountMax` scalars of its value; a longer value continues on the next page.
  public var row: CodeRow
  /// The page's number, from 1.
  public var position: Int
  public var count: Int
  /// The link as a QR Code for the reader's phone; nil if the value is not a link.
  public var symbol: ModuleGrid?
  /// How to use the list, if it cannot be touched.
  public var hint: ScreenText?

  public init(row: CodeRow, position: Int, count: Int, symbol: ModuleGrid? = nil) {
    self.row = row
    self.position = position
    self.count = count
    self.symbol = symbol
  }
}

/// The content of an error dialog: a title for the user; the device's message and the remedy for a technician.
public struct DialogContent: Equatable, Sendable {
  public var title: ScreenText
  public var advice: ScreenText
  /// The device's message; may be empty.
  public var detail: String
  public var remedy: ScreenText
  /// All of it as a QR Code for a phone (behaviour C9).
  public var symbol: ModuleGrid?

  public init(title: ScreenText, advice: ScreenText = .advice, detail: String, remedy: ScreenText) {
    self.title = title
    self.advice = advice
    self.detail = detail
    self.remedy = remedy
  }
}

/// The torch as observed (behaviour T3, T5).
public struct TorchContent: Equatable, Sendable {
  public var isOn: Bool
  public var isEnabled: Bool
  /// Whether the board has a torch that a user at the screen can switch; otherwise its control is not shown.
  public var isPresent: Bool
  /// The control's name, including the key if only a key switches the torch.
  public var name: ScreenText

  public init(isOn: Bool = false, isEnabled: Bool = false, isPresent: Bool = true, name: ScreenText = .torch) {
    self.isOn = isOn
    self.isEnabled = isEnabled
    self.isPresent = isPresent
    self.name = name
  }
}

/// The meaning of a prompt.
public enum PromptTone: Equatable, Sendable {
  /// An instruction.
  case plain
  /// A scan that is stored.
  case good
  /// A scan that is not stored.
  case warning
}

/// The state of the screen, without its moving parts.
public struct ScreenContent: Equatable, Sendable {
  public var stationName = ""
  /// The title of the idle screen.
  public var idleTitle = ScreenText.ready
  public var idleHint: ScreenText? = .touchToStart
  /// The prompt above the viewport.
  public var prompt = ScreenText.aim
  /// The number in the prompt, if it has one.
  public var promptCount = 0
  public var promptTone = PromptTone.plain
  /// The codes of the last frame.
  public var codes: [CodeRow] = []
  /// The last scan; nil while none is shown.
  public var result: ResultContent?
  public var review: ReviewContent?
  /// The list of codes, while it is open.
  public var list: ListContent?
  public var dialog: DialogContent?
  public var torch = TorchContent()
  /// Whether the screen can be touched; otherwise controls that need a finger are not drawn.
  public var hasTouch = true

  public init() {}
}

/// Moving parts: animations with their start times, and outlines that follow the codes.
public struct ScreenMovements: Equatable, Sendable {
  /// The idle screen's slide; nil before the first.
  public var slide: AnimationSpan?
  /// The slide's end state: whether the scanner is revealed.
  public var isScannerRevealed = false
  /// The corners of the last frame's codes, in its pixels.
  public var outlines: [Quad] = []
  /// The corners of unreadable symbols (behaviour N10).
  public var unreadOutlines: [Quad] = []
  public var flash: AnimationSpan?
  public var focus: AnimationSpan?
  /// The code that the focus frame moves to: its corners in the frame, and its rectified picture.
  public var focusCorners: Quad?
  public var focusImage: ImageReference?

  public static let slideSeconds = 0.35
  public static let flashSeconds = 0.3

  public init() {}

  /// Whether the picture changes with time alone.
  public func isMoving(at nanoseconds: Int64) -> Bool {
    max(slide?.end ?? .min, flash?.end ?? .min, focus?.end ?? .min) > nanoseconds
  }

  /// Whether the idle screen is sliding.
  public func isSliding(at nanoseconds: Int64) -> Bool { (slide?.end ?? .min) > nanoseconds }

  /// The revealed fraction of the scanner, 0…1.
  func revealed(at nanoseconds: Int64) -> Double {
    let progress = slide?.progress(at: nanoseconds) ?? 1
    return isScannerRevealed ? progress : 1 - progress
  }
}
