// Symbols as PNG and SVG files.

import CPicture

extension ModulePicture {
  /// The bytes of a PNG file, 8-bit grey.
  ///
  /// - Parameters:
  ///   - scale: pixels per module side.
  ///   - quietZone: quiet zone in modules on each side; nil for the standard's.
  public func png(scale: Int, quietZone: Int? = nil) throws(SymbolPrinterError) -> [UInt8] {
    let picture = try pixels(scale: scale, quietZone: quietZone)
    guard let file = Self.pngFile(picture.pixels, width: picture.width, height: picture.height) else {
      throw .refused(symbology, detail: "the PNG library failed")
    }
    return file
  }

  /// The bytes of a PNG file of grey pixels; nil if the library fails.
  package static func pngFile(_ pixels: [UInt8], width: Int, height: Int) -> [UInt8]? {
    var file: [UInt8] = []
    var detail = cpicture_detail()
    let code = withUnsafeMutablePointer(to: &file) { file in
      cpicture_png_write(
        pixels, UInt32(width), UInt32(height), width, 1,
        { context, bytes, count in
          context?.assumingMemoryBound(to: [UInt8].self).pointee.append(
            contentsOf: UnsafeBufferPointer(start: bytes, count: count))
          return 0
        }, file, &detail)
    }
    return code == 0 ? file : nil
  }

  /// An SVG drawing: a white rectangle, and the dark modules as a single path in units of modules.
  ///
  /// - Parameters:
  ///   - scale: units of `width` and `height` per module side.
  ///   - quietZone: quiet zone in modules on each side; nil for the standard's.
  public func svg(scale: Int, quietZone: Int? = nil) throws(SymbolPrinterError) -> String {
    let quiet = quietZone ?? standardQuietZone
    let (pixelWidth, pixelHeight) = try size(scale: scale, quietZone: quiet)
    let viewWidth = decimalText(width + Double(2 * quiet))
    let viewHeight = decimalText(height + Double(2 * quiet))
    var svg = """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" width="\(pixelWidth)" height="\(pixelHeight)" \
      viewBox="0 0 \(viewWidth) \(viewHeight)" shape-rendering="\(marks.isEmpty ? "crispEdges" : "geometricPrecision")">
      <rect width="\(viewWidth)" height="\(viewHeight)" fill="#fff"/>

      """
    if !rows.isEmpty { svg += "<path fill=\"#000\" d=\"\(path(left: Double(quiet), top: Double(quiet)))\"/>\n" }
    for mark in marks { svg += mark.svg(left: Double(quiet), top: Double(quiet)) }
    return svg + "</svg>\n"
  }

  /// The rows as an SVG path: a closed rectangle per run of dark modules.
  ///
  /// - Parameters:
  ///   - left: the left edge, in the drawing's units.
  ///   - top: the upper edge.
  ///   - module: the width of a module.
  ///   - rowScale: the height of a row whose `height` is 1; nil: as `module`.
  public func path(left: Double, top: Double, module: Double = 1, rowScale: Double? = nil) -> String {
    let rowScale = rowScale ?? module
    var path = ""
    var top = top
    for row in rows {
      var column = 0
      while column < row.modules.count {
        guard row.modules[column] else {
          column += 1
          continue
        }
        let start = column
        while column < row.modules.count, row.modules[column] { column += 1 }
        let length = decimalText(Double(column - start) * module)
        path +=
          "M\(decimalText(left + Double(start) * module)) \(decimalText(top))h\(length)v\(decimalText(row.height * rowScale))h-\(length)z"
      }
      top += row.height * rowScale
    }
    return path
  }
}

extension ModulePicture.Mark {
  /// An element of an SVG drawing in modules; the symbol's upper left corner is at `left` and `top`.
  package func svg(left: Double, top: Double) -> String {
    let colour = isDark ? "#000" : "#fff"
    let centerX = x + left
    let centerY = y + top
    if !isHexagon {
      return
        "<circle cx=\"\(decimalText(centerX))\" cy=\"\(decimalText(centerY))\" r=\"\(decimalText(radius))\" fill=\"\(colour)\"/>\n"
    }
    let inner = radius * 0.866_025_403_784
    let corners = [
      (0, -radius), (inner, -radius / 2), (inner, radius / 2), (0, radius), (-inner, radius / 2), (-inner, -radius / 2),
    ]
    let points = corners.map { "\(decimalText(centerX + $0.0)),\(decimalText(centerY + $0.1))" }.joined(separator: " ")
    return "<polygon points=\"\(points)\" fill=\"\(colour)\"/>\n"
  }
}

/// A number with at most three decimals.
package func decimalText(_ value: Double) -> String {
  let thousandths = Int((value * 1000).rounded())
  let (whole, part) = abs(thousandths).quotientAndRemainder(dividingBy: 1000)
  let sign = thousandths < 0 ? "-" : ""
  if part == 0 { return "\(sign)\(whole)" }
  var digits = String(part + 1000).dropFirst()
  while digits.last == "0" { digits.removeLast() }
  return "\(sign)\(whole).\(digits)"
}
