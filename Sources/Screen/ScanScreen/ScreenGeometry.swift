// Points, rectangles and sizes on a screen. A panel's pixels are counted as wired, regardless of its mounting; (0, 0) is the
// outer corner of the first pixel, x grows to the right, y downwards.

/// A size in pixels, each side at least 1.
public struct ScreenSize: Equatable, Sendable {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    precondition(width > 0 && height > 0)
    self.width = width
    self.height = height
  }

  public var shorterSide: Int { min(width, height) }
  public var longerSide: Int { max(width, height) }

  /// The size after a rotation.
  public func turned(_ isSideways: Bool) -> ScreenSize {
    isSideways ? ScreenSize(width: height, height: width) : self
  }
}

/// A point on the screen, in pixels from its top left.
public struct ScreenPoint: Equatable, Sendable {
  public var x: Double
  public var y: Double

  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  static func + (a: ScreenPoint, b: ScreenPoint) -> ScreenPoint { ScreenPoint(x: a.x + b.x, y: a.y + b.y) }
  static func - (a: ScreenPoint, b: ScreenPoint) -> ScreenPoint { ScreenPoint(x: a.x - b.x, y: a.y - b.y) }
}

/// A rectangle on the screen, in pixels from its top left.
public struct ScreenRect: Equatable, Sendable {
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double

  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The rectangle of this size about a centre.
  public init(center: ScreenPoint, width: Double, height: Double) {
    self.init(x: center.x - width / 2, y: center.y - height / 2, width: width, height: height)
  }

  /// The smallest rectangle that contains all points.
  public init(around points: [ScreenPoint]) {
    precondition(!points.isEmpty)
    var (low, high) = (points[0], points[0])
    for point in points {
      low = ScreenPoint(x: min(low.x, point.x), y: min(low.y, point.y))
      high = ScreenPoint(x: max(high.x, point.x), y: max(high.y, point.y))
    }
    self.init(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
  }

  public var right: Double { x + width }
  public var bottom: Double { y + height }
  public var center: ScreenPoint { ScreenPoint(x: x + width / 2, y: y + height / 2) }

  /// The corners, clockwise from the top left.
  public var corners: [ScreenPoint] {
    [
      ScreenPoint(x: x, y: y), ScreenPoint(x: right, y: y), ScreenPoint(x: right, y: bottom), ScreenPoint(x: x, y: bottom),
    ]
  }

  public func contains(_ point: ScreenPoint) -> Bool {
    point.x >= x && point.x < right && point.y >= y && point.y < bottom
  }

  /// The rectangle smaller by this margin on each side; empty at least.
  public func inset(by margin: Double) -> ScreenRect {
    let width = max(0, self.width - 2 * margin)
    let height = max(0, self.height - 2 * margin)
    return ScreenRect(center: center, width: width, height: height)
  }

  /// The smallest rectangle that contains both.
  public func union(_ other: ScreenRect) -> ScreenRect {
    let (left, top) = (min(x, other.x), min(y, other.y))
    return ScreenRect(x: left, y: top, width: max(right, other.right) - left, height: max(bottom, other.bottom) - top)
  }

  func moved(by offset: ScreenPoint) -> ScreenRect {
    ScreenRect(x: x + offset.x, y: y + offset.y, width: width, height: height)
  }

  /// Whether the rectangles share more than an edge.
  public func touches(_ other: ScreenRect) -> Bool {
    x < other.right && other.x < right && y < other.bottom && other.y < bottom
  }
}
