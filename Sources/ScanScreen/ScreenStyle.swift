// Colours and measures that an operator may choose.

/// The screen's colours. The defaults keep text at a contrast of at least 7 : 1 on its ground (WCAG 2.2, 1.4.6), for eyes
/// that glance at a kiosk in passing.
public struct ScreenColours: Equatable, Sendable {
  /// The idle screen.
  public var background = Colour(red: 0x0B, green: 0x13, blue: 0x20)
  /// Cards, and the ground of controls over the preview.
  public var surface = Colour(red: 0x16, green: 0x20, blue: 0x30)
  public var text = Colour(red: 0xFF, green: 0xFF, blue: 0xFF)
  /// Less important text.
  public var quietText = Colour(red: 0xC3, green: 0xCD, blue: 0xDB)
  /// What was recognised, and what is to be pressed.
  public var accent = Colour(red: 0x3D, green: 0xDC, blue: 0x84)
  /// Text on the accent.
  public var accentText = Colour(red: 0x05, green: 0x1B, blue: 0x0F)
  public var border = Colour(red: 0xFF, green: 0xFF, blue: 0xFF)
  /// Outside the viewport (behaviour V4: half-transparent black).
  public var darkening = Colour(red: 0, green: 0, blue: 0, alpha: 128)
  public var warning = Colour(red: 0xFF, green: 0xB4, blue: 0x3F)

  public init() {}
}

/// How the screen looks and moves.
public struct ScreenStyle: Equatable, Sendable {
  public var colours = ScreenColours()
  public var words = ScreenWords()
  /// Space between a code and the focus frame around it, in units of the layout (behaviour W3).
  public var focusPadding = 8.0
  /// Seconds that the focus frame takes to reach a code (behaviour W3).
  public var focusDuration = 0.5
  /// Whether the painter was given a picture of the focus frame.
  public var hasFocusFramePicture = false

  public init() {}
}
