// The operator's settings for a screen.

public import BarcodeTypes

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
