// Where a symbol lies in the picture.

/// A place in a picture, in pixels; (0, 0) is the centre of the top left pixel, y grows downwards.
public struct PixelPoint: Equatable, Sendable, BitwiseCopyable {
  public var x: Fixed16
  public var y: Fixed16

  @inline(__always) public init(x: Fixed16, y: Fixed16) {
    self.x = x
    self.y = y
  }

  @inline(__always) public static func + (a: PixelPoint, b: PixelPoint) -> PixelPoint {
    PixelPoint(x: a.x + b.x, y: a.y + b.y)
  }

  @inline(__always) public static func - (a: PixelPoint, b: PixelPoint) -> PixelPoint {
    PixelPoint(x: a.x - b.x, y: a.y - b.y)
  }
}

/// The four corners of a symbol, without its quiet zone.
///
/// The first corner is the symbol's own top left; the others follow clockwise as the symbol is meant to be seen. In a
/// picture of a mirrored symbol, they therefore run anticlockwise.
public struct Quad: Equatable, Sendable, BitwiseCopyable {
  public var topLeft: PixelPoint
  public var topRight: PixelPoint
  public var bottomRight: PixelPoint
  public var bottomLeft: PixelPoint

  public init(topLeft: PixelPoint, topRight: PixelPoint, bottomRight: PixelPoint, bottomLeft: PixelPoint) {
    self.topLeft = topLeft
    self.topRight = topRight
    self.bottomRight = bottomRight
    self.bottomLeft = bottomLeft
  }

  /// The mean of the corners.
  public var center: PixelPoint {
    let x = Int64(topLeft.x.bits) + Int64(topRight.x.bits) + Int64(bottomRight.x.bits) + Int64(bottomLeft.x.bits)
    let y = Int64(topLeft.y.bits) + Int64(topRight.y.bits) + Int64(bottomRight.y.bits) + Int64(bottomLeft.y.bits)
    return PixelPoint(x: Fixed16(bits: Int32(x >> 2)), y: Fixed16(bits: Int32(y >> 2)))
  }

  /// The middle of the left side, and of the right side.
  public var leftMiddle: PixelPoint { Quad.middle(topLeft, bottomLeft) }
  public var rightMiddle: PixelPoint { Quad.middle(topRight, bottomRight) }

  private static func middle(_ a: PixelPoint, _ b: PixelPoint) -> PixelPoint {
    let (x, y) = (Int64(a.x.bits) + Int64(b.x.bits), Int64(a.y.bits) + Int64(b.y.bits))
    return PixelPoint(x: Fixed16(bits: Int32(x >> 1)), y: Fixed16(bits: Int32(y >> 1)))
  }

  /// Whether a point lies inside, by the sign of the cross product at each side of this convex quad.
  public func contains(_ point: PixelPoint) -> Bool {
    let a = Quad.side(topLeft, topRight, point)
    let b = Quad.side(topRight, bottomRight, point)
    let c = Quad.side(bottomRight, bottomLeft, point)
    let d = Quad.side(bottomLeft, topLeft, point)
    return (a >= 0 && b >= 0 && c >= 0 && d >= 0) || (a <= 0 && b <= 0 && c <= 0 && d <= 0)
  }

  /// The quad moved by a vector.
  public func moved(by offset: PixelPoint) -> Quad {
    Quad(
      topLeft: topLeft + offset, topRight: topRight + offset,
      bottomRight: bottomRight + offset, bottomLeft: bottomLeft + offset)
  }

  /// Twice the signed area of the triangle a, b, p, in 1/256 of square pixels.
  private static func side(_ a: PixelPoint, _ b: PixelPoint, _ p: PixelPoint) -> Int64 {
    let abX = Int64(b.x.bits >> 12) - Int64(a.x.bits >> 12)
    let abY = Int64(b.y.bits >> 12) - Int64(a.y.bits >> 12)
    let apX = Int64(p.x.bits >> 12) - Int64(a.x.bits >> 12)
    let apY = Int64(p.y.bits >> 12) - Int64(a.y.bits >> 12)
    return abX * apY - abY * apX
  }
}

/// A rectangle of whole pixels.
public struct PixelRegion: Equatable, Sendable, BitwiseCopyable {
  public var x: Int
  public var y: Int
  public var width: Int
  public var height: Int

  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}
