// Start reading here: the whole picture of one moment, made of the content, the layout, the place of the preview and what
// moves. Three layers (behaviour W1): the preview is below and not ours to draw; then the overlay; then the controls.

public import BarcodeTypes

/// Makes display lists. A function of its arguments and of nothing else.
public struct ScreenDrawing: Sendable {
  public let style: ScreenStyle

  public init(style: ScreenStyle) { self.style = style }

  /// The picture at a moment of the boot-time clock.
  ///
  /// - Parameters:
  ///   - scene: where the preview and its viewport are; nil while no preview is shown, and then there is no overlay.
  public func list(
    view: ScreenView, panel: ScreenSize, turn: QuarterTurn, scene: OverlayScene?, movements: ScreenMovements,
    at nanoseconds: Int64
  ) -> DisplayList {
    DisplayList(
      panel: panel, turn: turn,
      overlay: overlay(panel: panel, unit: view.layout.unit, scene: scene, movements: movements, at: nanoseconds),
      controls: controls(view: view, movements: movements, at: nanoseconds))
  }

  /// What lies over the preview. It moves with the codes, from frame to frame; what is read or pressed does not.
  ///
  /// - Parameter unit: of the layout, in pixels.
  public func overlay(
    panel: ScreenSize, unit: Double, scene: OverlayScene?, movements: ScreenMovements, at nanoseconds: Int64
  ) -> [DisplayItem] {
    guard movements.revealed(at: nanoseconds) > 0 else { return [] }
    guard let scene else { return [.fill([.rectangle(OverlayDrawing.square(over: panel))], style.colours.background)] }
    return OverlayDrawing(scene: scene, style: style, unit: unit).items(movements, at: nanoseconds)
  }

  /// What is read and pressed.
  public func controls(view: ScreenView, movements: ScreenMovements, at nanoseconds: Int64) -> [DisplayItem] {
    let drawing = ControlDrawing(view: view, style: style)
    let revealed = movements.revealed(at: nanoseconds)
    var items: [DisplayItem] = []
    if revealed > 0 { items += drawing.scannerItems() + drawing.reviewItems() }
    if revealed < 1 {
      // The idle screen moves up and reveals the scanner beneath it (behaviour S5).
      let offset = ScreenPoint(x: 0, y: -(revealed * view.layout.height).rounded())
      items += drawing.idleItems().map { $0.moved(by: offset) }
    }
    return items + drawing.listItems() + drawing.dialogItems()
  }
}
