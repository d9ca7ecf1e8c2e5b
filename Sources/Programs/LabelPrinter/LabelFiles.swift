// Labels as PNG and SVG pictures, and as graphics in ZPL II, the language of Zebra's printers and of many others.

public import SymbolPrinter

extension Label {
  /// An 8-bit grey picture, row by row, with its size in pixels. Bars lie on whole pixels.
  ///
  /// - Parameter scale: pixels per module side.
  public func pixels(scale: Int) throws(SymbolPrinterError) -> (width: Int, height: Int, pixels: [UInt8]) {
    let (width, height) = try size(scale: scale)
    guard max(width, height) <= SymbolPrinterLimits.sidePixelsMax else {
      throw .pictureTooLarge(width: width, height: height)
    }
    if !picture.marks.isEmpty {
      // MaxiCode has no text, and the same quiet zone on each side.
      return try picture.pixels(scale: scale, quietZone: Int(left))
    }
    var pixels = [UInt8](repeating: 255, count: width * height)
    for bar in bars {
      let columns = Int(bar.x) * scale..<min(width, Int(bar.x + bar.width) * scale)
      let rows = Int((bar.y * Double(scale)).rounded())..<min(height, Int(((bar.y + bar.height) * Double(scale)).rounded()))
      for y in rows { for x in columns { pixels[y * width + x] = 0 } }
    }
    if !lines.isEmpty {
      let font = try font()
      for line in lines { font.paint(line, scale: scale, &pixels, width: width, height: height) }
    }
    return (width, height, pixels)
  }

  /// The bytes of a PNG file, 8-bit grey.
  public func png(scale: Int) throws(SymbolPrinterError) -> [UInt8] {
    let drawn = try pixels(scale: scale)
    guard let file = ModulePicture.pngFile(drawn.pixels, width: drawn.width, height: drawn.height) else {
      throw .refused(picture.symbology, detail: "the PNG library failed")
    }
    return file
  }

  /// An SVG drawing in units of modules: a white rectangle, the bars as a path, and the text as outlines, which need no font.
  ///
  /// - Parameter scale: units of `width` and `height` per module side.
  public func svg(scale: Int) throws(SymbolPrinterError) -> String {
    let (pixelWidth, pixelHeight) = try size(scale: scale)
    let (viewWidth, viewHeight) = (decimalText(width), decimalText(height))
    var svg = """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" width="\(pixelWidth)" height="\(pixelHeight)" \
      viewBox="0 0 \(viewWidth) \(viewHeight)">
      <rect width="\(viewWidth)" height="\(viewHeight)" fill="#fff"/>

      """
    let path = bars.map { bar in
      "M\(decimalText(bar.x)) \(decimalText(bar.y))h\(decimalText(bar.width))v\(decimalText(bar.height))h-\(decimalText(bar.width))z"
    }
    if !path.isEmpty { svg += "<path fill=\"#000\" shape-rendering=\"crispEdges\" d=\"\(path.joined())\"/>\n" }
    for mark in picture.marks { svg += mark.svg(left: left, top: top) }
    if !lines.isEmpty {
      let font = try font()
      svg += "<path fill=\"#000\" d=\"\(lines.map { font.path($0) }.joined())\"/>\n"
    }
    return svg + "</svg>\n"
  }

  /// The most bytes of a field of graphics in ZPL.
  private static let zplFieldByteCountMax = 99_999

  /// A label in ZPL II: graphics, which print every symbology as it is drawn here, on printers that cannot draw it too.
  ///
  /// - Parameter scale: the printer's dots per module side.
  public func zpl(scale: Int) throws(SymbolPrinterError) -> String {
    let drawn = try pixels(scale: scale)
    let bytesPerRow = (drawn.width + 7) / 8
    let rowCountMax = max(1, Self.zplFieldByteCountMax / bytesPerRow)
    var zpl = "^XA\n"
    for top in stride(from: 0, to: drawn.height, by: rowCountMax) {
      let rows = top..<min(drawn.height, top + rowCountMax)
      let byteCount = rows.count * bytesPerRow
      zpl += "^FO0,\(top)^GFA,\(byteCount),\(byteCount),\(bytesPerRow),\n"
      for y in rows {
        var line: [UInt8] = []
        for byte in 0..<bytesPerRow {
          var bits = 0
          for x in 8 * byte..<8 * byte + 8 {
            bits = bits << 1 | (x < drawn.width && drawn.pixels[y * drawn.width + x] < 128 ? 1 : 0)
          }
          for digit in [bits >> 4, bits & 15] { line.append(UInt8(digit < 10 ? 48 + digit : 55 + digit)) }
        }
        zpl += String(decoding: line, as: UTF8.self) + "\n"
      }
      zpl += "^FS\n"
    }
    return zpl + "^XZ\n"
  }

  private func size(scale: Int) throws(SymbolPrinterError) -> (width: Int, height: Int) {
    guard SymbolPrinterLimits.scale.contains(scale) else {
      throw .outOfRange(name: "scale", range: SymbolPrinterLimits.scale)
    }
    return (Int((width * Double(scale)).rounded(.up)), Int((height * Double(scale)).rounded(.up)))
  }

  private func font() throws(SymbolPrinterError) -> LabelFont {
    guard let font = LabelFont() else {
      throw .refused(picture.symbology, detail: "there is no memory for its text; leave the text out")
    }
    return font
  }
}
