// Start reading here: the whole picture of one moment, made of the content, the layout, the place of the preview and what
// moves. Three layers (SPEC W1): the preview is below and not ours to draw; then the overlay; then the controls.

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
    var list = DisplayList(panel: panel, turn: turn)
    let controls = ControlDrawing(view: view, style: style)
    let revealed = movements.revealed(at: nanoseconds)
    if revealed > 0 {
      if let scene {
        list.overlay = OverlayDrawing(scene: scene, style: style, unit: view.layout.unit)
          .items(view.content, movements, at: nanoseconds)
      } else {
        list.overlay = [.fill([.rectangle(OverlayDrawing.square(over: panel))], style.colours.background)]
      }
      list.controls = controls.scannerItems() + controls.reviewItems()
    }
    if revealed < 1 {
      // The idle screen moves up and reveals the scanner beneath it (SPEC S5).
      let offset = ScreenPoint(x: 0, y: -(revealed * view.layout.height).rounded())
      list.controls += controls.idleItems().map { $0.moved(by: offset) }
    }
    list.controls += controls.dialogItems()
    return list
  }
}
