// Reflectance as a measuring aperture sees it, and the plane of a symbol in the picture.

import BarcodeTypes

/// How luma encodes light.
public enum LumaTransfer: String, CaseIterable, Sendable {
  /// The curve of IEC 61966-2-1, as picture files and most cameras have it.
  case srgb
  /// Luma grows evenly with light, as in most machine vision cameras.
  case linear

  /// Reflectance for luma 0…255, relative to the picture's white.
  var table: [Double] {
    (0...255).map { luma in
      let value = Double(luma) / 255
      guard self == .srgb else { return value }
      return value <= 0.040_45 ? value / 12.92 : power24((value + 0.055) / 1.055)
    }
  }

  /// `value` to the power of 2.4, for 0…1: the fifth root of its twelfth power by Newton's method. Standard library alone.
  private func power24(_ value: Double) -> Double {
    guard value > 0 else { return 0 }
    let square = value * value
    let fourth = square * square
    let twelfth = fourth * fourth * fourth
    var root = square
    for _ in 0..<60 {
      let next = root - (root * root * root * root * root - twelfth) / (5 * root * root * root * root)
      if (next - root).magnitude < 1e-15 { break }
      root = next
    }
    return root
  }
}

struct Point: Equatable, Sendable {
  var x: Double
  var y: Double

  static func + (a: Point, b: Point) -> Point { Point(x: a.x + b.x, y: a.y + b.y) }
  static func - (a: Point, b: Point) -> Point { Point(x: a.x - b.x, y: a.y - b.y) }
  static func * (a: Point, factor: Double) -> Point { Point(x: a.x * factor, y: a.y * factor) }
  var length: Double { (x * x + y * y).squareRoot() }
}

extension Point {
  init(_ point: PixelPoint) { self.init(x: Double(point.x.bits) / 65536, y: Double(point.y.bits) / 65536) }
}

/// A picture's reflectance through a round aperture. Borrows the luma: use it only while that is lent.
struct ReflectancePicture {
  private let luma: LumaView
  private let table: [Double]
  /// The aperture's sampling points around its centre.
  private let offsets: [Point]

  /// Sampling points across an aperture at most, and their distance in pixels if there are fewer.
  private static let (pointCountMax, pointDistance) = (11, 0.5)

  /// - Parameter aperture: the diameter in pixels.
  init(_ luma: LumaView, transfer: LumaTransfer, aperture: Double) {
    self.luma = luma
    table = transfer.table
    let radius = aperture / 2
    let count = max(3, min(Self.pointCountMax, Int((aperture / Self.pointDistance).rounded(.up)) | 1))
    var offsets: [Point] = []
    for row in 0..<count {
      for column in 0..<count {
        let x = (2 * Double(column) + 1 - Double(count)) / Double(count)
        let y = (2 * Double(row) + 1 - Double(count)) / Double(count)
        if x * x + y * y <= 1 { offsets.append(Point(x: x * radius, y: y * radius)) }
      }
    }
    self.offsets = offsets
  }

  /// The mean reflectance under the aperture at a place; nil if its centre is outside the picture.
  func reflectance(at place: Point) -> Double? {
    guard place.x > -0.5, place.y > -0.5, place.x < Double(luma.width) - 0.5, place.y < Double(luma.height) - 0.5 else {
      return nil
    }
    var sum = 0.0
    for offset in offsets { sum += interpolated(place + offset) }
    return sum / Double(offsets.count)
  }

  /// Between four pixels; beyond the picture's edge that of the edge.
  private func interpolated(_ place: Point) -> Double {
    let x = min(Double(luma.width - 1), max(0, place.x))
    let y = min(Double(luma.height - 1), max(0, place.y))
    let (column, row) = (Int(x), Int(y))
    let (right, below) = (min(luma.width - 1, column + 1), min(luma.height - 1, row + 1))
    let (dx, dy) = (x - Double(column), y - Double(row))
    let upper = level(column, row) * (1 - dx) + level(right, row) * dx
    let lower = level(column, below) * (1 - dx) + level(right, below) * dx
    return upper * (1 - dy) + lower * dy
  }

  private func level(_ column: Int, _ row: Int) -> Double { table[Int(luma[column, row])] }
}

/// The plane of a symbol: the unit square, (0, 0) at its top left, projected into the picture.
struct SymbolPlane: Sendable {
  /// From the symbol's top left, clockwise.
  let corners: [Point]
  private let x: (Double, Double, Double)
  private let y: (Double, Double, Double)
  private let w: (Double, Double)

  init(_ quad: Quad) { self.init([quad.topLeft, quad.topRight, quad.bottomRight, quad.bottomLeft].map(Point.init)) }

  init(_ corners: [Point]) {
    self.corners = corners
    let (a, b, c, d) = (corners[0], corners[1], corners[2], corners[3])
    let sum = a - b + c - d
    let (one, two) = (b - c, d - c)
    let scale = one.x * two.y - two.x * one.y
    let g = scale == 0 ? 0 : (sum.x * two.y - two.x * sum.y) / scale
    let h = scale == 0 ? 0 : (one.x * sum.y - sum.x * one.y) / scale
    x = (b.x - a.x + g * b.x, d.x - a.x + h * d.x, a.x)
    y = (b.y - a.y + g * b.y, d.y - a.y + h * d.y, a.y)
    w = (g, h)
  }

  func place(_ u: Double, _ v: Double) -> Point {
    let scale = 1 / (w.0 * u + w.1 * v + 1)
    return Point(x: (x.0 * u + x.1 * v + x.2) * scale, y: (y.0 * u + y.1 * v + y.2) * scale)
  }

  /// The mean lengths of the upper and lower side, and of the left and right one, in pixels.
  var width: Double { ((corners[1] - corners[0]).length + (corners[2] - corners[3]).length) / 2 }
  var height: Double { ((corners[3] - corners[0]).length + (corners[2] - corners[1]).length) / 2 }
}
