// A code as seen from straight above: the quadrilateral of a frame, projected onto a rectangle. Computed once per scan.

import BarcodeTypes

struct RectifiedPicture {
  /// The most pixels along the longer side: the size in a focus frame or a review.
  static let sidePixelsMax = 360
  /// Margin around the code, as a fraction of its shorter side, to show the quiet zone.
  static let marginPart = 0.06

  let width: Int
  let height: Int
  /// Rows from the top without gaps.
  let luma: [UInt8]

  /// - Returns: nil if the corners span no area.
  init?(of frame: LumaView, corners: Quad) {
    let corner = [corners.topLeft, corners.topRight, corners.bottomRight, corners.bottomLeft].map {
      (x: Double($0.x.bits) / 65536, y: Double($0.y.bits) / 65536)
    }
    func side(_ a: Int, _ b: Int) -> Double {
      let (x, y) = (corner[a].x - corner[b].x, corner[a].y - corner[b].y)
      return (x * x + y * y).squareRoot()
    }
    let across = max(side(0, 1), side(3, 2))
    let down = max(side(0, 3), side(1, 2))
    guard across >= 1, down >= 1 else { return nil }
    let scale = min(Double(Self.sidePixelsMax) / max(across, down), 4)
    width = max(1, Int((across * scale).rounded()))
    height = max(1, Int((down * scale).rounded()))
    // The map from the unit square to the corners: (a u + b v + c) / (g u + h v + 1), and likewise for y.
    let dx = (corner[1].x - corner[2].x, corner[3].x - corner[2].x)
    let dy = (corner[1].y - corner[2].y, corner[3].y - corner[2].y)
    let sx = corner[0].x - corner[1].x + corner[2].x - corner[3].x
    let sy = corner[0].y - corner[1].y + corner[2].y - corner[3].y
    let area = dx.0 * dy.1 - dx.1 * dy.0
    guard abs(area) > 1e-6 else { return nil }
    let g = (sx * dy.1 - dx.1 * sy) / area
    let h = (dx.0 * sy - sx * dy.0) / area
    let a = corner[1].x - corner[0].x + g * corner[1].x
    let b = corner[3].x - corner[0].x + h * corner[3].x
    let d = corner[1].y - corner[0].y + g * corner[1].y
    let e = corner[3].y - corner[0].y + h * corner[3].y
    let margin = Self.marginPart * Double(min(width, height))
    var luma: [UInt8] = []
    luma.reserveCapacity(width * height)
    for row in 0..<height {
      let v = (Double(row) + 0.5 - margin) / (Double(height) - 2 * margin)
      for column in 0..<width {
        let u = (Double(column) + 0.5 - margin) / (Double(width) - 2 * margin)
        let weight = g * u + h * v + 1
        let x = (a * u + b * v + corner[0].x) / weight
        let y = (d * u + e * v + corner[0].y) / weight
        luma.append(Self.pixel(frame, x, y))
      }
    }
    self.luma = luma
  }

  /// The pixel value at a place; white outside the frame.
  private static func pixel(_ frame: LumaView, _ x: Double, _ y: Double) -> UInt8 {
    guard x >= 0, y >= 0, x <= Double(frame.width - 1), y <= Double(frame.height - 1) else { return 255 }
    let (left, top) = (Int(x), Int(y))
    let (right, bottom) = (min(left + 1, frame.width - 1), min(top + 1, frame.height - 1))
    let (fx, fy) = (x - Double(left), y - Double(top))
    let upper = Double(frame[left, top]) * (1 - fx) + Double(frame[right, top]) * fx
    let lower = Double(frame[left, bottom]) * (1 - fx) + Double(frame[right, bottom]) * fx
    return UInt8(upper * (1 - fy) + lower * fy + 0.5)
  }
}
