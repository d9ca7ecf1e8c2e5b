// The drawing of a symbol: modules in rows, or for MaxiCode hexagons and rings. PNG and SVG are derived from it.

public import BarcodeTypes

/// A symbol, ready to be drawn at any scale.
public struct ModulePicture: Sendable {
  /// A row of modules. Linear symbols have one high row.
  public struct Row: Sendable, Equatable {
    /// From the left; true is dark.
    public var modules: [Bool]
    /// In modules.
    public var height: Double
  }

  /// A filled hexagon or a filled disc.
  package struct Mark: Sendable {
    package var x: Double
    package var y: Double
    /// The radius of the circumscribed circle.
    package var radius: Double
    /// Whether it is a hexagon standing on a corner, rather than a disc.
    package var isHexagon: Bool
    package var isDark: Bool
  }

  public let symbology: Symbology
  /// From the top; empty for MaxiCode.
  public internal(set) var rows: [Row] = []
  /// In drawing order; MaxiCode only.
  package var marks: [Mark] = []
  /// In modules, without quiet zone.
  public internal(set) var width: Double
  /// In modules, without quiet zone.
  public internal(set) var height: Double
  /// The text to print with a linear symbol, as its standard asks for: with check digits and brackets; an add-on follows after `+`.
  /// Empty for symbols that have none.
  public internal(set) var humanReadable = ""
  /// The quiet zone that the symbology's standard requires on each side, in modules.
  public var standardQuietZone: Int { PrintedSymbology(symbology).quietZone }

  /// The picture's size at a scale, in pixels, checked against the limits.
  func size(scale: Int, quietZone: Int) throws(SymbolPrinterError) -> (width: Int, height: Int) {
    guard SymbolPrinterLimits.scale.contains(scale) else {
      throw .outOfRange(name: "scale", range: SymbolPrinterLimits.scale)
    }
    guard SymbolPrinterLimits.quietZoneModules.contains(quietZone) else {
      throw .outOfRange(name: "quiet zone", range: SymbolPrinterLimits.quietZoneModules)
    }
    return (
      Int(((width + Double(2 * quietZone)) * Double(scale)).rounded(.up)),
      Int(((height + Double(2 * quietZone)) * Double(scale)).rounded(.up))
    )
  }

  /// An 8-bit grey picture, row by row, with its size in pixels.
  ///
  /// - Parameters:
  ///   - scale: pixels per module side.
  ///   - quietZone: quiet zone in modules on each side; nil for the standard's.
  public func pixels(
    scale: Int, quietZone: Int? = nil
  ) throws(SymbolPrinterError) -> (width: Int, height: Int, pixels: [UInt8]) {
    let quiet = quietZone ?? standardQuietZone
    let (width, height) = try size(scale: scale, quietZone: quiet)
    guard max(width, height) <= SymbolPrinterLimits.sidePixelsMax else {
      throw .pictureTooLarge(width: width, height: height)
    }
    var pixels = [UInt8](repeating: 255, count: width * height)
    var top = Double(quiet)
    for row in rows {
      let first = Int((top * Double(scale)).rounded())
      top += row.height
      let end = Int((top * Double(scale)).rounded())
      guard first < end else { continue }
      for (column, isDark) in row.modules.enumerated() where isDark {
        for x in (quiet + column) * scale..<(quiet + column + 1) * scale { pixels[first * width + x] = 0 }
      }
      for y in first + 1..<end {
        for x in 0..<width { pixels[y * width + x] = pixels[first * width + x] }
      }
    }
    for mark in marks { mark.fill(&pixels, width: width, height: height, scale: scale, quietZone: quiet) }
    return (width, height, pixels)
  }
}

extension ModulePicture.Mark {
  /// Whether a point, in modules, lies inside.
  func contains(x px: Double, y py: Double) -> Bool {
    let dx = abs(px - x)
    let dy = abs(py - y)
    if !isHexagon { return dx * dx + dy * dy <= radius * radius }
    // √3/2 of the outer radius is the inner radius; the slanted sides run from (0, r) to (√3/2 r, r/2).
    let inner = radius * 0.866_025_403_784
    return dx <= inner && dy + dx * 0.577_350_269_190 <= radius
  }

  fileprivate func fill(_ pixels: inout [UInt8], width: Int, height: Int, scale: Int, quietZone: Int) {
    let s = Double(scale)
    let left = max(0, Int((x - radius + Double(quietZone)) * s))
    let right = min(width - 1, Int((x + radius + Double(quietZone)) * s))
    let top = max(0, Int((y - radius + Double(quietZone)) * s))
    let bottom = min(height - 1, Int((y + radius + Double(quietZone)) * s))
    guard left <= right, top <= bottom else { return }
    let all = Self.samplesPerSide * Self.samplesPerSide
    for row in top...bottom {
      for column in left...right {
        let covered = coveredSamples(x: Double(column), y: Double(row), scale: s, quietZone: Double(quietZone))
        let ground = Int(pixels[row * width + column]) * (all - covered)
        pixels[row * width + column] = UInt8((ground + (isDark ? 0 : 255) * covered + all / 2) / all)
      }
    }
  }

  /// Samples along a pixel's side. Edges lie between pixels: grey by the covered share keeps them in place, whereas whole pixels
  /// would make hexagons of three pixels unequal.
  private static let samplesPerSide = 8

  /// How many of a pixel's samples lie inside.
  private func coveredSamples(x: Double, y: Double, scale: Double, quietZone: Double) -> Int {
    func contains(_ dx: Double, _ dy: Double) -> Bool {
      self.contains(x: (x + dx) / scale - quietZone, y: (y + dy) / scale - quietZone)
    }
    let side = Self.samplesPerSide
    // The shapes are convex.
    if contains(0, 0), contains(1, 0), contains(0, 1), contains(1, 1) { return side * side }
    var count = 0
    for row in 0..<side {
      for column in 0..<side
      where contains((Double(column) + 0.5) / Double(side), (Double(row) + 0.5) / Double(side)) {
        count += 1
      }
    }
    return count
  }
}
