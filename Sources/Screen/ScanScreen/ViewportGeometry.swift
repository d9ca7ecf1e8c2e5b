// The viewport: a place on the panel and exactly the part of the frame under it (behaviour V1). The frame's pixels come
// first: the requested viewport is rounded to whole frame pixels, and the drawing follows those pixels.

public import BarcodeTypes

/// Where codes are recognised.
public enum ViewportChoice: Equatable, Sendable {
  /// The whole frame, including its invisible parts; nothing is darkened.
  case whole
  /// A square in the middle of the panel, its side as a fraction of the panel's shorter side, 0…1. It is the same square in
  /// every rotation of the panel.
  case square(Double)
  /// A part of the frame, 0…1 each way from the frame's top left; invisible parts do not count.
  case frame(x: Double, y: Double, width: Double, height: Double)
}

/// A viewport for reading and for drawing.
public struct ViewportPlace: Equatable, Sendable {
  /// The decoder's region of interest, in frame pixels.
  public var region: PixelRegion
  /// The same region on the panel.
  public var rect: ScreenRect

  public init(_ choice: ViewportChoice, in geometry: PreviewGeometry) {
    switch choice {
    case .whole:
      region = PixelRegion(x: 0, y: 0, width: geometry.frame.width, height: geometry.frame.height)
      rect = geometry.rect(of: geometry.visible)
      return
    case .square(let part):
      let side = Double(geometry.panel.shorterSide) * min(max(part, 0), 1)
      let middle = ScreenPoint(x: Double(geometry.panel.width) / 2, y: Double(geometry.panel.height) / 2)
      region = geometry.region(under: ScreenRect(center: middle, width: side, height: side))
    case .frame(let x, let y, let width, let height):
      let frameWidth = Double(geometry.frame.width)
      let frameHeight = Double(geometry.frame.height)
      let corners = [
        ScreenPoint(x: x * frameWidth, y: y * frameHeight),
        ScreenPoint(x: (x + width) * frameWidth, y: (y + height) * frameHeight),
      ]
      region = geometry.region(under: ScreenRect(around: corners.map { geometry.panelPoint($0) }))
    }
    rect = geometry.rect(of: region)
  }
}

/// A rectangle in fractions of a frame, 0…1 each way, from the top left. The default is the whole frame.
public struct Viewport: Equatable, Sendable {
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double

  public init(x: Double = 0, y: Double = 0, width: Double = 1, height: Double = 1) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  public static let whole = Viewport()

  /// The pixels of a frame that lie at least half inside the viewport: edges are rounded to the nearest pixel edge, and at
  /// least one pixel remains.
  public func region(inWidth frameWidth: Int, height frameHeight: Int) -> PixelRegion {
    let left = edge(x, frameWidth - 1, frameWidth)
    let top = edge(y, frameHeight - 1, frameHeight)
    let right = max(left + 1, edge(x + width, frameWidth, frameWidth))
    let bottom = max(top + 1, edge(y + height, frameHeight, frameHeight))
    return PixelRegion(x: left, y: top, width: right - left, height: bottom - top)
  }

  private func edge(_ part: Double, _ last: Int, _ side: Int) -> Int {
    min(last, max(0, Int((part * Double(side)).rounded())))
  }
}
