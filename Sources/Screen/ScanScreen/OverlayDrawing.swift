// The overlay: the darkening around the viewport, the outlines of codes, the focus frame and the flash (behaviour V4, N5,
// N6, N10, W3). Everything uses the panel's own pixels and lies where the preview shows it, so turning the controls does not
// move it.

import BarcodeTypes

/// The geometry below the overlay.
public struct OverlayScene: Equatable, Sendable {
  public let geometry: PreviewGeometry
  public let viewport: ViewportPlace

  public init(geometry: PreviewGeometry, viewport: ViewportPlace) {
    self.geometry = geometry
    self.viewport = viewport
  }
}

struct OverlayDrawing {
  let scene: OverlayScene
  let style: ScreenStyle
  /// Pixels per unit.
  let unit: Double

  private var colours: ScreenColours { style.colours }

  /// The square that is darkened outside the viewport: √2 times the longer side, so that it covers the panel in any rotation
  /// (behaviour W2).
  static func square(over panel: ScreenSize) -> ScreenRect {
    let side = (Double(panel.longerSide) * 2.0.squareRoot()).rounded(.up)
    let middle = ScreenPoint(x: Double(panel.width) / 2, y: Double(panel.height) / 2)
    return ScreenRect(center: middle, width: side, height: side)
  }

  func items(_ movements: ScreenMovements, at nanoseconds: Int64) -> [DisplayItem] {
    let hole = scene.viewport.rect
    var items: [DisplayItem] = [
      .fill([.rectangle(Self.square(over: scene.geometry.panel)), .rectangle(hole)], colours.darkening)
    ]
    items += border(hole, isLit: !movements.outlines.isEmpty || movements.focus != nil)
    if movements.focus == nil {
      items += movements.outlines.map { outline($0, colours.accent) }
      items += movements.unreadOutlines.map { outline($0, colours.warning) }
    }
    items += focusFrame(movements, at: nanoseconds)
    if let flash = movements.flash {
      let rest = 1 - flash.progress(at: nanoseconds)
      if rest > 0 { items.append(.fill([.rectangle(hole)], Colour(red: 255, green: 255, blue: 255).faded(to: 0.6 * rest))) }
    }
    return items
  }

  /// A fine line just outside the viewport, and strong corners on its edge.
  private func border(_ hole: ScreenRect, isLit: Bool) -> [DisplayItem] {
    let fine = 2 * unit
    let strong = 5 * unit
    let colour = isLit ? colours.accent : colours.border
    let outside = hole.inset(by: -strong / 2)
    return [
      .stroke([.rectangle(hole.inset(by: -fine / 2))], colour.faded(to: 0.7), width: fine),
      .stroke(brackets(outside.corners, part: 0.12), colour, width: strong),
    ]
  }

  /// The corners of a frame; each arm is this fraction of a side.
  private func brackets(_ corners: [ScreenPoint], part: Double) -> [Figure] {
    (0..<4).map { index in
      let corner = corners[index]
      let before = corners[(index + 3) & 3] - corner
      let after = corners[(index + 1) & 3] - corner
      return .line([
        ScreenPoint(x: corner.x + before.x * part, y: corner.y + before.y * part), corner,
        ScreenPoint(x: corner.x + after.x * part, y: corner.y + after.y * part),
      ])
    }
  }

  /// A code's outline, bright on dark so that it is visible on any label.
  private func outline(_ quad: Quad, _ colour: Colour) -> DisplayItem {
    .outline(
      scene.geometry.panelCorners(of: quad), colour, width: 3 * unit,
      ground: Colour(red: 0, green: 0, blue: 0, alpha: 150), groundWidth: 6 * unit)
  }

  private func focusFrame(_ movements: ScreenMovements, at nanoseconds: Int64) -> [DisplayItem] {
    guard let focus = movements.focus, let quad = movements.focusCorners else { return [] }
    let corners = scene.geometry.panelCorners(of: quad)
    let padding = style.focusPadding * unit
    let movement = FocusMovement(viewport: scene.viewport.rect, corners: corners, padding: padding)
    let pose = movement.pose(focus.progress(at: nanoseconds))
    var items: [DisplayItem] = []
    if let image = movements.focusImage {
      let inner = ScreenSideRatio(corners).size(inside: pose, padding: padding)
      var ground = pose
      ground.width = inner.width + padding
      ground.height = inner.height + padding
      items.append(.fill([.polygon(ground.corners)], Colour(red: 255, green: 255, blue: 255)))
      items.append(
        .image(image, center: pose.center, width: inner.width, height: inner.height, angle: pose.angle))
    }
    if style.hasFocusFramePicture {
      items.append(
        .image(.focusFrame, center: pose.center, width: pose.width, height: pose.height, angle: pose.angle))
    } else {
      items.append(
        .stroke(brackets(pose.corners, part: 0.2), Colour(red: 0, green: 0, blue: 0, alpha: 150), width: 8 * unit))
      items.append(.stroke(brackets(pose.corners, part: 0.2), colours.accent, width: 5 * unit))
    }
    return items
  }
}

/// Width and height of a code laid flat, from its corners.
private struct ScreenSideRatio {
  let width: Double
  let height: Double

  init(_ corners: [ScreenPoint]) {
    width = max(length(corners[1] - corners[0]), length(corners[2] - corners[3]), 1)
    height = max(length(corners[3] - corners[0]), length(corners[2] - corners[1]), 1)
  }

  /// The largest size with this ratio that leaves the padding free inside a frame.
  func size(inside pose: FocusPose, padding: Double) -> (width: Double, height: Double) {
    let scale = min(max(1, pose.width - 2 * padding) / width, max(1, pose.height - 2 * padding) / height)
    return (width * scale, height * scale)
  }
}
