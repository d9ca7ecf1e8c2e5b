// An operator's settings for a screen: colours, measures, orientation, viewport.

public import BarcodeTypes

/// The screen's colours. The defaults keep text at a contrast of at least 7 : 1 on its background (WCAG 2.2, 1.4.6), for
/// people who glance at a kiosk in passing.
public struct ScreenColours: Equatable, Sendable {
  /// The background of the idle screen.
  public var background = Colour(red: 0x0B, green: 0x13, blue: 0x20)
  /// Cards, and the background of controls over the preview.
  public var surface = Colour(red: 0x16, green: 0x20, blue: 0x30)
  public var text = Colour(red: 0xFF, green: 0xFF, blue: 0xFF)
  /// Less important text.
  public var quietText = Colour(red: 0xC3, green: 0xCD, blue: 0xDB)
  /// Recognised codes, and controls to press.
  public var accent = Colour(red: 0x3D, green: 0xDC, blue: 0x84)
  /// Text on the accent colour.
  public var accentText = Colour(red: 0x05, green: 0x1B, blue: 0x0F)
  public var border = Colour(red: 0xFF, green: 0xFF, blue: 0xFF)
  /// The darkening outside the viewport (behaviour V4: half-transparent black).
  public var darkening = Colour(red: 0, green: 0, blue: 0, alpha: 128)
  public var warning = Colour(red: 0xFF, green: 0xB4, blue: 0x3F)

  public init() {}
}

/// The screen's look and movement.
public struct ScreenStyle: Equatable, Sendable {
  public var colours = ScreenColours()
  public var words = ScreenWords()
  /// Space between a code and the focus frame around it, in layout units (behaviour W3).
  public var focusPadding = 8.0
  /// Seconds that the focus frame takes to reach a code (behaviour W3).
  public var focusDuration = 0.5
  /// Whether the painter has a picture of the focus frame.
  public var hasFocusFramePicture = false

  public init() {}
}

/// The configuration of a station's screen.
public struct ScreenSettings: Equatable, Sendable {
  public var style = ScreenStyle()
  /// The screen's mounting: its content is rotated clockwise on the panel by this turn.
  public var turn = QuarterTurn.none
  /// The orientation of the camera's picture on an upright screen.
  public var camera = FrameOrientation()
  public var viewport = ViewportChoice.square(ScreenLayout.viewportPart)
  /// A PNG file shown as the focus frame; nil for the built-in drawing.
  public var focusFramePicture: String?

  public init() {}
}
