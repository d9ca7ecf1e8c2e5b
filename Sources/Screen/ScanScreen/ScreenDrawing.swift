// Start reading here: the whole picture at one moment, from content, layout, preview geometry and moving parts. Three layers
// (behaviour W1): the preview at the bottom, which others draw; then the overlay; then the controls.

public import BarcodeTypes

/// Creates display lists. A pure function of its arguments.
public struct ScreenDrawing: Sendable {
  public let style: ScreenStyle

  public init(style: ScreenStyle) { self.style = style }

  /// The picture at a moment of the boot-time clock.
  ///
  /// - Parameters:
  ///   - scene: the geometry of the preview and its viewport; nil while no preview is shown, and then there is no overlay.
  public func list(
    view: ScreenView, panel: ScreenSize, turn: QuarterTurn, scene: OverlayScene?, movements: ScreenMovements,
    at nanoseconds: Int64
  ) -> DisplayList {
    DisplayList(
      panel: panel, turn: turn,
      overlay: overlay(panel: panel, unit: view.layout.unit, scene: scene, movements: movements, at: nanoseconds),
      controls: controls(view: view, movements: movements, at: nanoseconds))
  }

  /// The items over the preview. They follow the codes from frame to frame; texts and controls do not.
  ///
  /// - Parameter unit: the layout's unit, in pixels.
  public func overlay(
    panel: ScreenSize, unit: Double, scene: OverlayScene?, movements: ScreenMovements, at nanoseconds: Int64
  ) -> [DisplayItem] {
    guard movements.revealed(at: nanoseconds) > 0 else { return [] }
    guard let scene else { return [.fill([.rectangle(OverlayDrawing.square(over: panel))], style.colours.background)] }
    return OverlayDrawing(scene: scene, style: style, unit: unit).items(movements, at: nanoseconds)
  }

  /// Texts and controls.
  public func controls(view: ScreenView, movements: ScreenMovements, at nanoseconds: Int64) -> [DisplayItem] {
    let drawing = ControlDrawing(view: view, style: style)
    let revealed = movements.revealed(at: nanoseconds)
    var items: [DisplayItem] = []
    if revealed > 0 { items += drawing.scannerItems() + drawing.reviewItems() }
    if revealed < 1 {
      // The idle screen slides up and reveals the scanner beneath it (behaviour S5).
      let offset = ScreenPoint(x: 0, y: -(revealed * view.layout.height).rounded())
      items += drawing.idleItems().map { $0.moved(by: offset) }
    }
    return items + drawing.listItems() + drawing.dialogItems()
  }
}
