// Symbols drawn by libzint as a camera sees them on paper: light and ink in linear reflectance, defects of a given strength, a slight
// turn, blur and noise.

import BarcodeDecoder
public import BarcodeTypes
import Glibc
public import PrintQuality
public import SymbolPrinter
import TestScenes

/// A picture of a symbol with a defect.
public struct WornSymbol: Sendable {
  public let symbology: Symbology
  public let luma: [UInt8]
  public let width: Int
  public let height: Int

  /// Reflectance of paper and ink.
  private static let (paper, ink) = (0.85, 0.05)
  /// Bars of linear symbols, in modules: enough for ten profiles.
  private static let barModules = 16.0
  /// Light modules on each side, more than any quiet zone.
  private static let margin = 14.0
  /// A lens's blur as standard deviation, in modules.
  private static let lensBlur = 0.12
  /// Samples along a pixel's side.
  private static let sampleCount = 3

  /// Draws a symbol.
  ///
  /// - Parameters:
  ///   - defect: nil for none.
  ///   - strength: 0…1.
  ///   - scale: pixels per module.
  ///   - seed: of the turn, the place between pixels, the places of defects, and of noise.
  ///   - noise: standard deviation in levels of luma.
  ///   - noiseSeed: of the noise alone.
  public init(
    _ picture: ModulePicture, _ defect: Defect? = nil, strength: Double = 0, scale: Double = 8, seed: UInt64 = 1,
    noise: Double = 0, noiseSeed: UInt64 = 1
  ) {
    symbology = picture.symbology
    var random = SeededNoise(seed: seed)
    let sheet = Sheet(picture, defect, strength: strength, barModules: Self.barModules, margin: Self.margin, &random)
    let angle = Double.random(in: -0.05...0.05, using: &random)
    let shift = (x: Double.random(in: 0..<1, using: &random), y: Double.random(in: 0..<1, using: &random))
    let (sine, cosine) = (sin(angle), cos(angle))
    let room = (width: sheet.width + 2 * Self.margin, height: sheet.height + 2 * Self.margin)
    width = Int(((room.width * abs(cosine) + room.height * abs(sine)) * scale).rounded(.up))
    height = Int(((room.height * abs(cosine) + room.width * abs(sine)) * scale).rounded(.up))
    var light = [Double](repeating: 0, count: width * height)
    let darkness = defect == .fading ? Self.ink + strength * (Self.paper - Self.ink) : Self.ink
    let middle = (x: Double(width) / 2 + shift.x, y: Double(height) / 2 + shift.y)
    for y in 0..<height {
      for x in 0..<width {
        var covered = 0.0
        for sample in 0..<Self.sampleCount * Self.sampleCount {
          let column = (Double(sample % Self.sampleCount) + 0.5) / Double(Self.sampleCount)
          let row = (Double(sample / Self.sampleCount) + 0.5) / Double(Self.sampleCount)
          let dx = (Double(x) + column - middle.x) / scale
          let dy = (Double(y) + row - middle.y) / scale
          covered += sheet.coverage(
            dx * cosine + dy * sine + sheet.width / 2, dy * cosine - dx * sine + sheet.height / 2)
        }
        let share = covered / Double(Self.sampleCount * Self.sampleCount)
        light[y * width + x] = Self.paper + (darkness - Self.paper) * share
      }
    }
    let sigma = Self.lensBlur + (defect == .blur ? strength * 0.5 : 0)
    light = blurred(light, width: width, height: height, sigma: sigma * scale)
    var noises = SeededNoise(seed: noiseSeed)
    luma = light.map { value in
      var level = 255 * (value <= 0.003_130_8 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055)
      if noise > 0 { level += noise * noises.normal() }
      return UInt8(min(255, max(0, level.rounded())))
    }
  }

  /// The quality of the symbol as the decoder reads it; nil if it does not.
  public func graded(_ options: GradingOptions = GradingOptions()) throws(GradingRefusal) -> SymbolQuality? {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(symbology)
    var workspace = Workspace(pixelCountMax: width * height)
    var quality: Result<SymbolQuality, GradingRefusal>?
    luma.withUnsafeBufferPointer { bytes in
      let view = LumaView(base: bytes.baseAddress!, width: width, height: height, bytesPerRow: width)
      _ = Decoder.decode(view, settings: settings, workspace: &workspace)
      guard workspace.symbolCount > 0 else { return }
      let symbol = workspace.symbol(0)
      let span = workspace.payload(0)
      let payload = span.indices.map { span[$0] }
      quality = Result { () throws(GradingRefusal) in
        try SymbolGrader.grade(view, symbol, payload: payload, options)
      }
    }
    return try quality?.get()
  }
}

/// Ink on paper, in modules from the symbol's top left.
private struct Sheet {
  let width: Double
  let height: Double
  /// The share of modules that are wrong at full strength: enough to exhaust the error correction.
  private static let wrongShareMax = 0.05
  private let modules: [[Bool]]
  private let rowHeight: Double
  private let growth: Double
  private let sway: Double
  private let stretch: Double
  private let spots: [(x: Double, y: Double, radius: Double)]
  private let spotStrength: Double
  /// The distance of something dark to the left of the symbol; nil for nothing.
  private let barrier: Double?

  init(
    _ picture: ModulePicture, _ defect: Defect?, strength: Double, barModules: Double, margin: Double,
    _ random: inout SeededNoise
  ) {
    let isLinear = picture.symbology.family == .linear
    var modules = picture.rows.map(\.modules)
    // Bars may be drawn in several rows: the highest one is the symbol.
    if isLinear, let row = picture.rows.max(by: { $0.height < $1.height }) { modules = [row.modules] }
    let wrong = Self.order(of: modules, picture.symbology, isFixed: defect == .brokenPatterns, &random)
    if defect == .wrongModules || defect == .brokenPatterns {
      for place in wrong.prefix(Int((strength * Self.wrongShareMax * Double(wrong.count)).rounded())) {
        modules[place.row][place.column].toggle()
      }
    }
    self.modules = modules
    rowHeight = isLinear ? barModules : 1
    stretch = defect == .stretch ? 1 + 0.16 * strength : 1
    width = Double(modules[0].count) * stretch
    height = Double(modules.count) * rowHeight
    growth = defect == .growth ? 0.45 * strength : defect == .loss ? -0.45 * strength : 0
    sway = defect == .sway ? 0.6 * strength : 0
    var spots: [(x: Double, y: Double, radius: Double)] = []
    let count = isLinear ? 60 : modules.count
    for _ in 0..<count {
      spots.append(
        (
          Double.random(in: 0...width, using: &random), Double.random(in: 0...height, using: &random),
          isLinear ? 0.35 : 0.7
        ))
    }
    self.spots = defect == .spots ? spots : []
    spotStrength = strength
    barrier = defect == .narrowQuietZone ? (margin - 2) * (1 - strength) + 0.5 * strength : nil
  }

  /// Modules that may be wrong, in a random order: those of fixed patterns, or all others.
  private static func order(
    of modules: [[Bool]], _ symbology: Symbology, isFixed: Bool, _ random: inout SeededNoise
  ) -> [(row: Int, column: Int)] {
    guard symbology.family == .matrix else { return [] }
    let (rows, columns) = (modules.count, modules[0].count)
    var places: [(row: Int, column: Int)] = []
    for row in 0..<rows {
      for column in 0..<columns {
        let isPattern =
          symbology == .datamatrix
          ? row == 0 || column == 0 || row == rows - 1 || column == columns - 1
          : (row < 9 || row >= rows - 8) && column < 9 || row < 9 && column >= columns - 8 || row == 6 || column == 6
        if isPattern == isFixed { places.append((row, column)) }
      }
    }
    return places.shuffled(using: &random)
  }

  /// How much of a place is covered with ink, 0…1.
  func coverage(_ x: Double, _ y: Double) -> Double {
    if let barrier, x < -barrier, x > -barrier - 1.5, y > -1, y < height + 1 { return 1 }
    var place = (x: x / stretch, y: y)
    if sway > 0 {
      place.x += sway * sin(2 * Double.pi * y / max(8, height))
      place.y += sway * sin(2 * Double.pi * x / max(8, width))
    }
    let isDark = isInk(place.x, place.y)
    for spot in spots where (x - spot.x) * (x - spot.x) + (y - spot.y) * (y - spot.y) < spot.radius * spot.radius {
      return isDark ? 1 - spotStrength : spotStrength
    }
    return isDark ? 1 : 0
  }

  private func isInk(_ x: Double, _ y: Double) -> Bool {
    if growth == 0 { return isDark(x, y) }
    let reach = abs(growth) / 2
    let vertical = rowHeight == 1 ? reach : 0
    let corners = [(-reach, -vertical), (reach, -vertical), (-reach, vertical), (reach, vertical)]
    return growth > 0
      ? corners.contains { isDark(x + $0.0, y + $0.1) } : corners.allSatisfy { isDark(x + $0.0, y + $0.1) }
  }

  private func isDark(_ x: Double, _ y: Double) -> Bool {
    let (column, row) = (Int(x.rounded(.down)), Int((y / rowHeight).rounded(.down)))
    guard row >= 0, row < modules.count, column >= 0, column < modules[row].count else { return false }
    return modules[row][column]
  }
}

/// Gaussian blur.
private func blurred(_ light: [Double], width: Int, height: Int, sigma: Double) -> [Double] {
  let reach = Int((3 * sigma).rounded(.up))
  guard reach > 0 else { return light }
  var weights = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
  let sum = weights.reduce(0, +)
  weights = weights.map { $0 / sum }
  var across = light
  for y in 0..<height {
    for x in 0..<width {
      var value = 0.0
      for step in -reach...reach { value += weights[step + reach] * light[y * width + min(width - 1, max(0, x + step))] }
      across[y * width + x] = value
    }
  }
  var result = across
  for y in 0..<height {
    for x in 0..<width {
      var value = 0.0
      for step in -reach...reach { value += weights[step + reach] * across[min(height - 1, max(0, y + step)) * width + x] }
      result[y * width + x] = value
    }
  }
  return result
}

extension SeededNoise {
  /// A normally distributed number with a standard deviation of 1, by Box and Muller's method.
  fileprivate mutating func normal() -> Double {
    let (one, other) = (Double.random(in: 1e-12..<1, using: &self), Double.random(in: 0..<1, using: &self))
    return (-2 * log(one)).squareRoot() * cos(2 * Double.pi * other)
  }
}
