// Maps a frame's pixels to the panel and back (behaviour V1, V2). The visible part of the frame is first cut at whole
// pixels; everything else follows from that cut and the panel by a linear map. A display controller that crops and scales, a
// loop over pixels, and an outline drawn over the preview therefore all use the same places.

public import BarcodeTypes

/// The map between a frame and the panel that it fills.
public struct PreviewGeometry: Equatable, Sendable {
  public let frame: ScreenSize
  public let panel: ScreenSize
  /// The orientation of the frame on the panel's pixels.
  public let orientation: FrameOrientation
  /// The visible part of the frame: centred, as large as the panel's shape allows (aspect fill). Its edges are even if the
  /// frame's size allows, for planes with one colour value per 2×2 pixels.
  public let visible: PixelRegion

  public init(frame: ScreenSize, panel: ScreenSize, orientation: FrameOrientation) {
    self.frame = frame
    self.panel = panel
    self.orientation = orientation
    let shape = panel.turned(orientation.turn.isSideways)
    let scale = max(Double(shape.width) / Double(frame.width), Double(shape.height) / Double(frame.height))
    let width = Self.visibleSide(Double(shape.width) / scale, of: frame.width)
    let height = Self.visibleSide(Double(shape.height) / scale, of: frame.height)
    visible = PixelRegion(
      x: (frame.width - width) / 2 & ~1, y: (frame.height - height) / 2 & ~1, width: width, height: height)
  }

  /// The nearest even number of pixels within the frame.
  private static func visibleSide(_ wanted: Double, of side: Int) -> Int {
    let even = Int((wanted / 2).rounded()) * 2
    return even >= side ? side : max(even, min(2, side))
  }

  /// Panel pixels per frame pixel, along the frame's rows.
  public var scale: Double {
    Double(panel.turned(orientation.turn.isSideways).width) / Double(visible.width)
  }

  /// The panel point of a frame point; (0, 0) is the outer corner of the frame's first pixel.
  public func panelPoint(_ point: ScreenPoint) -> ScreenPoint {
    var u = (point.x - Double(visible.x)) / Double(visible.width)
    let v = (point.y - Double(visible.y)) / Double(visible.height)
    if orientation.isMirrored { u = 1 - u }
    let (x, y) = Self.turned(u, v, orientation.turn)
    return ScreenPoint(x: x * Double(panel.width), y: y * Double(panel.height))
  }

  /// The frame point of a panel point.
  public func framePoint(_ point: ScreenPoint) -> ScreenPoint {
    let x = point.x / Double(panel.width)
    let y = point.y / Double(panel.height)
    var (u, v) = Self.turned(x, y, orientation.turn.inverse)
    if orientation.isMirrored { u = 1 - u }
    return ScreenPoint(
      x: Double(visible.x) + u * Double(visible.width), y: Double(visible.y) + v * Double(visible.height))
  }

  /// Rotates a point of the unit square.
  private static func turned(_ u: Double, _ v: Double, _ turn: QuarterTurn) -> (Double, Double) {
    switch turn {
    case .none: (u, v)
    case .clockwise: (1 - v, u)
    case .half: (1 - u, 1 - v)
    case .anticlockwise: (v, 1 - u)
    }
  }

  /// The panel point of a decoder position, which refers to the centres of pixels.
  public func panelPoint(ofPixel point: PixelPoint) -> ScreenPoint {
    panelPoint(ScreenPoint(x: Double(point.x.bits) / 65536 + 0.5, y: Double(point.y.bits) / 65536 + 0.5))
  }

  /// A symbol's corners on the panel, its own top left first.
  public func panelCorners(of quad: Quad) -> [ScreenPoint] {
    [quad.topLeft, quad.topRight, quad.bottomRight, quad.bottomLeft].map { panelPoint(ofPixel: $0) }
  }

  /// The frame's pixels under a panel rectangle: edges are rounded to the nearest pixel edge, and at least one pixel
  /// remains.
  public func region(under rect: ScreenRect) -> PixelRegion {
    let a = framePoint(ScreenPoint(x: rect.x, y: rect.y))
    let b = framePoint(ScreenPoint(x: rect.right, y: rect.bottom))
    let horizontal = Self.pixels(a.x, b.x, from: visible.x, count: visible.width)
    let vertical = Self.pixels(a.y, b.y, from: visible.y, count: visible.height)
    return PixelRegion(
      x: horizontal.start, y: vertical.start, width: horizontal.count, height: vertical.count)
  }

  private static func pixels(_ a: Double, _ b: Double, from first: Int, count: Int) -> (start: Int, count: Int) {
    let start = min(max(Int(min(a, b).rounded()), first), first + count - 1)
    let end = min(max(Int(max(a, b).rounded()), start + 1), first + count)
    return (start, end - start)
  }

  /// The panel rectangle that a region of the frame fills.
  public func rect(of region: PixelRegion) -> ScreenRect {
    let a = panelPoint(ScreenPoint(x: Double(region.x), y: Double(region.y)))
    let b = panelPoint(ScreenPoint(x: Double(region.x + region.width), y: Double(region.y + region.height)))
    return ScreenRect(around: [a, b])
  }
}
