// Symbols as drawn by programs, each module a square of whole pixels, and how far reported corners are from the true ones.

import BarcodeDecoder
import BarcodeTypes

extension Picture {
  /// The modules of a matrix, or a row of bars 20 modules high, in squares of `side` pixels with a margin of `margin` light
  /// pixels.
  static func sharp(_ modules: [[Bool]], side: Int, margin: Int, light: UInt8 = 220, dark: UInt8 = 20) -> Picture {
    let rows = modules.count == 1 ? Array(repeating: modules[0], count: 20) : modules
    var picture = Picture(
      width: rows[0].count * side + 2 * margin, height: rows.count * side + 2 * margin, grey: light)
    for (y, row) in rows.enumerated() {
      for (x, isDark) in row.enumerated() where isDark {
        for line in 0..<side {
          let first = (margin + y * side + line) * picture.width + margin + x * side
          for pixel in first..<(first + side) { picture.pixels[pixel] = dark }
        }
      }
    }
    return picture
  }

  /// The given columns of the picture.
  func cut(_ columns: Range<Int>) -> Picture {
    var cut = Picture(width: columns.count, height: height)
    for y in 0..<height {
      for (place, x) in columns.enumerated() { cut.pixels[y * cut.width + place] = pixels[y * width + x] }
    }
    return cut
  }
}

/// A row of modules, from the widths of elements in modules; the first element is a bar.
func bars(_ elements: [Int]) -> [[Bool]] {
  [elements.enumerated().flatMap { index, width in Array(repeating: index % 2 == 0, count: width) }]
}

/// The distances of reported corners from the true ones, in pixels.
func cornerDistances(_ quad: Quad, _ corners: [(Double, Double)]) -> [Double] {
  zip([quad.topLeft, quad.topRight, quad.bottomRight, quad.bottomLeft], corners).map { point, corner in
    let dx = Double(point.x.bits) / 65536 - corner.0
    let dy = Double(point.y.bits) / 65536 - corner.1
    return (dx * dx + dy * dy).squareRoot()
  }
}

/// The greatest distance of a reported corner from the true one, in modules.
func cornerError(_ symbol: DecodedSymbol, _ corners: [(Double, Double)], modulePixels: Double) -> Double {
  cornerDistances(symbol.corners, corners).max()! / modulePixels
}
