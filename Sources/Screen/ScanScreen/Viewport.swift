// The part of every frame in which codes are recognised (behaviour V1, V2).

public import BarcodeTypes

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
