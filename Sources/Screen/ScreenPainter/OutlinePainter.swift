// Draws the outlines of codes, which move with every frame. Each pixel near an edge gets the colour for its distance from
// it, so that both lines of an outline are drawn at once: a fifth of the time that a general rasteriser takes for two
// strokes (Cairo 1.16, outlines of 180 and 270 pixels).

import BarcodeTypes
import ScanScreen

final class OutlinePainter {
  /// A line from corner to corner.
  private struct Edge {
    var start: ScreenPoint
    /// The unit vector from one corner to the next; neither component is zero, so both can be divisors.
    var along: ScreenPoint
    var inverse: ScreenPoint
    var length: Double
    /// The pixels that the line touches: half-open ranges of columns and rows.
    var columns: Range<Int>
    var rows: Range<Int>
  }

  /// Distances have a resolution of 1/16 pixel: within that, a smoothed edge changes by 16 of 255 levels.
  private static let stepsPerPixel = 16.0
  /// Rows drawn together.
  private static let rowCount = 8

  private var edges: [Edge] = []
  /// The distance from its middle up to which a line is visible.
  private var reach = 0.0
  /// Premultiplied colours by distance from the middle of a line; the last one is for pixels without a line.
  private var colours: [UInt32] = []
  private var shape: (colour: Colour, width: Double, ground: Colour, groundWidth: Double)?
  /// The distances of several rows of pixels; pixels without a line have the index of the last colour.
  private var distances: [UInt16] = []

  /// Sets the outline to draw next.
  func set(_ points: [ScreenPoint], _ colour: Colour, _ width: Double, _ ground: Colour, _ groundWidth: Double) {
    // A line does not touch a pixel whose middle is half a pixel outside it.
    reach = groundWidth / 2 + 0.5
    edges.removeAll(keepingCapacity: true)
    for (index, start) in points.enumerated() {
      let end = points[index + 1 == points.count ? 0 : index + 1]
      let (x, y) = (end.x - start.x, end.y - start.y)
      let length = (x * x + y * y).squareRoot()
      guard length.isFinite else { return edges.removeAll() }
      func part(_ side: Double) -> Double { abs(side) > 1e-9 * length ? side / length : 1e-9 }
      let along = ScreenPoint(x: part(x), y: part(y))
      edges.append(
        Edge(
          start: start, along: along, inverse: ScreenPoint(x: 1 / along.x, y: 1 / along.y), length: length,
          columns: reached(start.x, end.x), rows: reached(start.y, end.y)))
    }
    if let shape, shape == (colour, width, ground, groundWidth) { return }
    shape = (colour, width, ground, groundWidth)
    colours.removeAll(keepingCapacity: true)
    for step in 0..<Int((reach * Self.stepsPerPixel).rounded(.up)) {
      let distance = (Double(step) + 0.5) / Self.stepsPerPixel
      let below = Self.pixel(ground, covered: groundWidth / 2 + 0.5 - distance)
      colours.append(Self.laid(Self.pixel(colour, covered: width / 2 + 0.5 - distance), over: below))
    }
    colours.append(0)
  }

  private func reached(_ a: Double, _ b: Double) -> Range<Int> {
    // Beyond this distance from any panel, the exact position does not matter.
    func whole(_ place: Double) -> Int { Int(min(max(place, -65_536), 65_536)) }
    return whole((min(a, b) - reach).rounded(.down))..<whole((max(a, b) + reach).rounded(.up))
  }

  /// Draws the parts of the outline that lie in the given regions.
  ///
  /// - Parameter isDrawn: whether a region was already drawn into. A region that was not has undefined pixels: if the
  ///    outline comes near, all of them are written, those off the outline as clear.
  func draw(in regions: [PixelRegion], _ isDrawn: inout [Bool], of pixels: UnsafeMutablePointer<UInt32>, pixelsPerRow: Int) {
    let width = regions.reduce(0) { max($0, $1.width) }
    if distances.count < Self.rowCount * width { distances = [UInt16](repeating: 0, count: Self.rowCount * width) }
    // Through pointers, because this runs for some hundred regions.
    edges.withUnsafeBufferPointer { edges in
      colours.withUnsafeBufferPointer { colours in
        distances.withUnsafeMutableBufferPointer { distances in
          guard let distances = distances.baseAddress else { return }
          for (index, region) in regions.enumerated() {
            let columns = region.x..<region.x + region.width
            let end = region.y + region.height
            guard Self.reach(edges, columns, region.y..<end) else { continue }
            var top = region.y
            while top < end {
              let rows = top..<min(top + Self.rowCount, end)
              draw(edges, colours, in: columns, rows, over: isDrawn[index], distances, pixels, pixelsPerRow)
              top = rows.upperBound
            }
            isDrawn[index] = true
          }
        }
      }
    }
  }

  /// Whether an edge may touch the given pixels.
  private static func reach(_ edges: UnsafeBufferPointer<Edge>, _ columns: Range<Int>, _ rows: Range<Int>) -> Bool {
    for edge in edges where edge.columns.overlaps(columns) && edge.rows.overlaps(rows) { return true }
    return false
  }

  private func draw(
    _ edges: UnsafeBufferPointer<Edge>, _ colours: UnsafeBufferPointer<UInt32>, in columns: Range<Int>,
    _ rows: Range<Int>, over isDrawn: Bool, _ distances: UnsafeMutablePointer<UInt16>,
    _ pixels: UnsafeMutablePointer<UInt32>, _ pixelsPerRow: Int
  ) {
    let width = columns.count
    distances.update(repeating: UInt16(colours.count - 1), count: rows.count * width)
    for edge in edges where edge.columns.overlaps(columns) && edge.rows.overlaps(rows) {
      for y in rows.clamped(to: edge.rows) {
        Self.measure(edge, reach, y, from: columns.lowerBound, count: width, distances + (y - rows.lowerBound) * width)
      }
    }
    for y in rows {
      let row = distances + (y - rows.lowerBound) * width
      let target = pixels + y * pixelsPerRow + columns.lowerBound
      if isDrawn {
        Self.lay(colours, row, over: target, count: width)
      } else {
        Self.write(colours, row, to: target, count: width)
      }
    }
  }

  /// Reduces the distances of a row of pixels to those from an edge and its first corner.
  private static func measure(
    _ edge: Edge, _ reach: Double, _ y: Int, from x: Int, count: Int, _ distances: UnsafeMutablePointer<UInt16>
  ) {
    // From the corner to the middle of the first pixel.
    let left = Double(x) + 0.5 - edge.start.x
    let down = Double(y) + 0.5 - edge.start.y
    if abs(down) < reach {
      let half = (reach * reach - down * down).squareRoot()
      var index = max(0, Int(-half - left))
      let end = min(Double(count), half - left)
      while Double(index) < end {
        let across = left + Double(index)
        let distance = UInt16((across * across + down * down).squareRoot() * stepsPerPixel)
        distances[index] = min(distances[index], distance)
        index &+= 1
      }
    }
    guard edge.length > 0 else { return }
    // Within reach of the edge: not beyond its start or its end.
    let middle = down * edge.along.x * edge.inverse.y
    let halfAcross = reach * abs(edge.inverse.y)
    let begin = -down * edge.along.y * edge.inverse.x
    let end = begin + edge.length * edge.inverse.x
    let first = max(max(middle - halfAcross, min(begin, end)) - left, 0)
    let last = min(min(middle + halfAcross, max(begin, end)) - left, Double(count - 1))
    guard first <= last else { return }
    // In 65536ths of a step; the reach is far below the limit of 2048 pixels.
    let scale = stepsPerPixel * 65_536
    let step = Int32(-edge.along.y * scale)
    // The first pixel whose middle is not before that position.
    var index = Int(first)
    if Double(index) < first { index &+= 1 }
    let upper = Int(last)
    var distance = Int32((down * edge.along.x - (left + Double(index)) * edge.along.y) * scale)
    while index <= upper {
      let steps = UInt16(truncatingIfNeeded: distance.magnitude &>> 16)
      distances[index] = min(distances[index], steps)
      distance &+= step
      index &+= 1
    }
  }

  private static func write(
    _ colours: UnsafeBufferPointer<UInt32>, _ distances: UnsafePointer<UInt16>, to target: UnsafeMutablePointer<UInt32>,
    count: Int
  ) {
    guard let base = colours.baseAddress else { return }
    var index = 0
    while index < count {
      target[index] = base[Int(distances[index])]
      index &+= 1
    }
  }

  private static func lay(
    _ colours: UnsafeBufferPointer<UInt32>, _ distances: UnsafePointer<UInt16>, over target: UnsafeMutablePointer<UInt32>,
    count: Int
  ) {
    guard let base = colours.baseAddress else { return }
    let far = UInt16(truncatingIfNeeded: colours.count - 1)
    var index = 0
    while index < count {
      let distance = distances[index]
      if distance < far {
        let colour = base[Int(distance)]
        let below = target[index]
        target[index] = below == 0 ? colour : laid(colour, over: below)
      }
      index &+= 1
    }
  }

  private static func pixel(_ colour: Colour, covered: Double) -> UInt32 {
    let alpha = Double(colour.alpha) / 255 * min(max(covered, 0), 1)
    func level(_ channel: UInt8) -> UInt32 { UInt32((Double(channel) * alpha).rounded()) }
    return level(255) << 24 | level(colour.red) << 16 | level(colour.green) << 8 | level(colour.blue)
  }

  /// Multiplies the lower pixel by the upper pixel's transparency, and adds the upper pixel.
  private static func laid(_ above: UInt32, over below: UInt32) -> UInt32 {
    let channels: UInt32 = 0x00FF_00FF
    let rest = 255 &- above >> 24
    // Two channels at once, each times `rest`, divided by 255 with rounding.
    let even = (below & channels) &* rest &+ 0x0080_0080
    let odd = (below >> 8 & channels) &* rest &+ 0x0080_0080
    return ((even &+ (even >> 8 & channels)) >> 8 & channels | (odd &+ (odd >> 8 & channels)) & ~channels) &+ above
  }
}
