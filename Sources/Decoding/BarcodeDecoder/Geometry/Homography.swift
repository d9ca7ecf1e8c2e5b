// The projective map from a symbol's plane to the picture, in integers. All coefficients share one denominator, so that
// nothing is divided until a point is mapped.

import BarcodeTypes

/// A place in a picture in 1/256 pixels; (0, 0) is the centre of the top left pixel.
struct SubpixelPoint: Equatable, BitwiseCopyable {
  var x: Int
  var y: Int

  init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }

  /// The same place as a public coordinate, clamped to its range.
  var pixelPoint: PixelPoint {
    let limit = Int(Int32.max >> 8)
    let x = max(-limit, min(limit, x))
    let y = max(-limit, min(limit, y))
    return PixelPoint(x: Fixed16(bits: Int32(x << 8)), y: Fixed16(bits: Int32(y << 8)))
  }
}

/// The square of the distance between two points.
func squaredDistance(_ a: SubpixelPoint, _ b: SubpixelPoint) -> Int {
  let x = a.x - b.x
  let y = a.y - b.y
  return x * x + y * y
}

/// Whether two points are less than `reach` apart; computed without a square root.
func isNear(_ a: SubpixelPoint, _ b: SubpixelPoint, within reach: Int) -> Bool { squaredDistance(a, b) < reach * reach }

/// The distance between two points, in their unit.
func distance(_ a: SubpixelPoint, _ b: SubpixelPoint) -> Int { Int(integerRoot(UInt64(squaredDistance(a, b)))) }

/// Four corners of a quadrilateral in order: the images of the plane's (0, 0), (1, 0), (1, 1) and (0, 1).
struct SubpixelQuad: BitwiseCopyable {
  var topLeft: SubpixelPoint
  var topRight: SubpixelPoint
  var bottomRight: SubpixelPoint
  var bottomLeft: SubpixelPoint

  subscript(index: Int) -> SubpixelPoint {
    get {
      switch index {
      case 0: topLeft
      case 1: topRight
      case 2: bottomRight
      default: bottomLeft
      }
    }
    set {
      switch index {
      case 0: topLeft = newValue
      case 1: topRight = newValue
      case 2: bottomRight = newValue
      default: bottomLeft = newValue
      }
    }
  }

  /// The same corners in the pixels of a picture that is `scale` times as large.
  func corners(scale: Int) -> Quad {
    func place(_ point: SubpixelPoint) -> PixelPoint {
      SubpixelPoint(x: point.x * scale + (scale - 1) * 128, y: point.y * scale + (scale - 1) * 128).pixelPoint
    }
    return Quad(
      topLeft: place(topLeft), topRight: place(topRight), bottomRight: place(bottomRight), bottomLeft: place(bottomLeft))
  }
}

/// Maps the unit square to a quadrilateral: x = (a·s + b·t) / (g·s + h·t + w) + x₀ and y likewise.
struct Homography: BitwiseCopyable {
  /// Plane coordinates are in units of 1/65536 of the square's side.
  static let unit = 1 << 16

  let a: Int, b: Int, d: Int, e: Int, g: Int, h: Int, w: Int
  let origin: SubpixelPoint

  /// Nil if the corners do not form a convex quadrilateral or are too far apart (a side over 16384 pixels).
  init?(_ quad: SubpixelQuad) {
    let x1 = quad.topRight.x - quad.topLeft.x
    let y1 = quad.topRight.y - quad.topLeft.y
    let x2 = quad.bottomRight.x - quad.topLeft.x
    let y2 = quad.bottomRight.y - quad.topLeft.y
    let x3 = quad.bottomLeft.x - quad.topLeft.x
    let y3 = quad.bottomLeft.y - quad.topLeft.y
    let limit = 1 << 22
    guard abs(x1) < limit, abs(y1) < limit, abs(x2) < limit, abs(y2) < limit, abs(x3) < limit, abs(y3) < limit else {
      return nil
    }
    let sumX = x2 - x1 - x3
    let sumY = y2 - y1 - y3
    var w = (x1 - x2) * (y3 - y2) - (x3 - x2) * (y1 - y2)
    var g = sumX * (y3 - y2) - (x3 - x2) * sumY
    var h = (x1 - x2) * sumY - sumX * (y1 - y2)
    // Every corner must be on the same side of the horizon: w, w + g, w + h, w + g + h of one sign.
    if w < 0 {
      w = -w
      g = -g
      h = -h
    }
    guard w > 0, w + g > 0, w + h > 0, w + g + h > 0 else { return nil }
    // 21 significant bits of the denominator leave room for products with coordinates (22 bits) and plane units (17 bits).
    let widest = max(w, max(abs(g), abs(h)))
    let shift = max(0, 43 - widest.leadingZeroBitCount)
    w >>= shift
    g >>= shift
    h >>= shift
    guard w > 0, w + g > 0, w + h > 0, w + g + h > 0 else { return nil }
    a = x1 * (w + g)
    d = y1 * (w + g)
    b = x3 * (w + h)
    e = y3 * (w + h)
    self.w = w
    self.g = g
    self.h = h
    origin = quad.topLeft
  }

  /// The image of (s, t), in units of `Homography.unit`, each between -1 and 2 squares. A point beyond the horizon maps far
  /// outside any picture.
  @inline(__always) func map(_ s: Int, _ t: Int) -> SubpixelPoint {
    let denominator = g &* s &+ h &* t &+ w &* Homography.unit
    guard denominator > 0 else { return SubpixelPoint(x: -(1 << 30), y: -(1 << 30)) }
    return SubpixelPoint(
      x: (a &* s &+ b &* t) / denominator &+ origin.x, y: (d &* s &+ e &* t) / denominator &+ origin.y)
  }
}

/// The integer square root, rounded down: Newton's iteration, falling from a power of two that is not below the root.
func integerRoot(_ value: UInt64) -> UInt64 {
  guard value > 1 else { return value }
  var root: UInt64 = 1 << UInt64((65 - value.leadingZeroBitCount) / 2)
  while true {
    let next = (root + value / root) >> 1
    if next >= root { return root }
    root = next
  }
}
