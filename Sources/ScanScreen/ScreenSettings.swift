// What is chosen about a screen.

public import BarcodeTypes

/// How a station's screen is set up.
public struct ScreenSettings: Equatable, Sendable {
  public var style = ScreenStyle()
  /// How the screen is mounted: its content is turned so far clockwise on the panel.
  public var turn = QuarterTurn.none
  /// How the camera's picture lies on an upright screen.
  public var camera = FrameOrientation()
  public var viewport = ViewportChoice.square(ScreenLayout.viewportPart)
  /// A PNG file that is shown as the focus frame; nil for the one that is drawn.
  public var focusFramePicture: String?

  public init() {}
}
