// Grades of matrix symbols: as good as their worst parameter (ISO/IEC 15415:2011 §7, from public descriptions of it).

import BarcodeDecoder
import BarcodeTypes

/// The matrix symbologies that are graded.
enum MatrixKind: Sendable {
  case dataMatrix, qr

  /// Nil for a symbology that is not graded.
  init?(_ symbology: Symbology) {
    switch symbology {
    case .datamatrix: self = .dataMatrix
    case .qr: self = .qr
    default: return nil
    }
  }

  /// The light modules that the symbology's standard asks for on each side.
  var quietZone: Int { self == .qr ? 4 : 1 }

  /// The patterns of all sizes, by what `read` takes.
  var patterns: [(index: Int, rows: Int, columns: Int)] {
    switch self {
    case .dataMatrix: DataMatrixStructure.sizes.enumerated().map { ($0.offset, $0.element.rows, $0.element.columns) }
    case .qr: QRStructure.versions.map { ($0, QRStructure.size(version: $0), QRStructure.size(version: $0)) }
    }
  }

  func pattern(_ index: Int) -> MatrixPattern {
    switch self {
    case .dataMatrix: DataMatrixStructure.pattern(size: index)
    case .qr: QRStructure.pattern(version: index)
    }
  }

  func read(_ values: [Int16], _ index: Int) -> MatrixReading? {
    switch self {
    case .dataMatrix: DataMatrixStructure.read(values, size: index)
    case .qr: QRStructure.read(values, version: index)
    }
  }
}

/// A measured matrix symbol.
public struct MatrixQuality: Sendable {
  public let rows: Int
  public let columns: Int
  /// Whether each module was printed dark, row by row; as it looks if the symbol could not be corrected.
  public let isDark: [Bool]
  /// How far each module is on its own side of the threshold, as a share of what is possible; negative on the other side.
  public let margins: [Double]
  public let segments: [PatternSegment]
}

/// Grades matrix symbols.
enum MatrixGrading {
  static let standard = "ISO/IEC 15415:2011"
  static let directStandard = "ISO/IEC 29158:2020"
  /// The aperture's diameter in modules unless the caller gives one: ISO/IEC 15415 leaves it to applications, which ask for 0.5 to
  /// 0.8 of the smallest module.
  static let apertureModules = 0.8
  /// The aperture with which sizes are told apart and edges are found, in modules.
  static let narrowApertureModules = 0.4
  /// Sizes that are tried, the likeliest first, and the share of fixed modules that must be right.
  private static let (trialCount, agreementMin) = (3, 0.75)
  /// The most that the sides of a module differ, as their ratio.
  private static let sideRatioMax = 1.8

  static func grade(
    _ luma: LumaView, _ symbol: DecodedSymbol, _ kind: MatrixKind, _ options: GradingOptions
  ) throws(GradingRefusal) -> SymbolQuality {
    let plane = SymbolPlane(symbol.corners)
    let trials = likelySizes(luma, plane, kind, isInverted: symbol.isInverted, options)
    guard let first = trials.first else { throw .form }
    let sizes = kind.patterns
    var fallback: MatrixMeasurement?
    for index in trials {
      guard let size = sizes.first(where: { $0.index == index }) else { continue }
      let module = min(plane.width / Double(size.columns), plane.height / Double(size.rows))
      guard module >= SymbolGrader.modulePixelsMin else {
        if index == first { throw .tooSmall(module) }
        continue
      }
      let measurement = MatrixMeasurement(
        luma, MatrixGrid(columns: size.columns, rows: size.rows, plane: plane), quietZone: kind.quietZone,
        isInverted: symbol.isInverted, options)
      guard let measurement else { throw .cut }
      if let reading = kind.read(measurement.values, index) {
        return quality(measurement, reading, kind, index, options)
      }
      fallback = fallback ?? measurement
    }
    guard let fallback else { throw .form }
    return unreadable(fallback, options)
  }

  /// The sizes whose fixed patterns agree best with the picture, the best one first.
  private static func likelySizes(
    _ luma: LumaView, _ plane: SymbolPlane, _ kind: MatrixKind, isInverted: Bool, _ options: GradingOptions
  ) -> [Int] {
    var scored: [(index: Int, score: Double)] = []
    for size in kind.patterns {
      let (width, height) = (plane.width / Double(size.columns), plane.height / Double(size.rows))
      guard min(width, height) >= 1, max(width, height) <= sideRatioMax * min(width, height) else { continue }
      let picture = ReflectancePicture(
        luma, transfer: options.transfer, aperture: narrowApertureModules * min(width, height))
      let modules = kind.pattern(size.index).fixedModules
      let grid = MatrixGrid(columns: size.columns, rows: size.rows, plane: plane)
      let seen = modules.map { picture.reflectance(at: grid.center($0.column, $0.row)) ?? 0.5 }
      let (low, high) = (seen.min() ?? 0, seen.max() ?? 0)
      let right = zip(modules, seen).count { module, value in (value < (low + high) / 2) == (module.isDark != isInverted) }
      scored.append((size.index, Double(right) / Double(modules.count)))
    }
    return scored.filter { $0.score >= agreementMin }.sorted { $0.score > $1.score }.prefix(trialCount).map(\.index)
  }

  // MARK: Parameters

  private static func quality(
    _ measurement: MatrixMeasurement, _ reading: MatrixReading, _ kind: MatrixKind, _ index: Int, _ options: GradingOptions
  ) -> SymbolQuality {
    let levels = options.isDirectMark ? measurement.meanLevels(reading.isDark) : measurement.extremeLevels
    let isDark = reading.isDark
    let margins = isDark.indices.map { levels.margin(measurement.reflectances[$0], isDark: isDark[$0]) }
    let segments = kind.segments(reading.pattern, version: index).map { segment in
      segment.graded { module in
        measurement.reflectance(module.column, module.row).map { levels.margin($0, isDark: module.isDark) }
      }
    }
    let unused = reading.blocks.map { unusedErrorCorrection($0, wrongCount: $0.wrongCount) }.min() ?? 0
    var parameters = [QualityParameter(.decode, nil, .best), levels.contrastParameter]
    let modulation = overlaid(reading, margins.map(abs))
    if options.isDirectMark {
      parameters.append(QualityParameter(.cellModulation, nil, overlaid(reading, margins)))
    } else {
      parameters += [
        QualityParameter(.modulation, nil, modulation),
        QualityParameter(.reflectanceMargin, nil, overlaid(reading, margins)),
      ]
    }
    parameters.append(QualityParameter(.fixedPatternDamage, nil, damage(segments)))
    if kind == .qr {
      let size = reading.pattern.columns
      func better(_ copies: [[(row: Int, column: Int)]]) -> Grade {
        copies.map { copy in
          FixedSegment(
            name: "", scale: .count,
            modules: copy.map { FixedModule(column: $0.column, row: $0.row, isDark: isDark[$0.row * size + $0.column]) }
          ).graded { margins[$0.row * size + $0.column] }.grade
        }.max() ?? .best
      }
      parameters.append(QualityParameter(.formatInformation, nil, better(QRStructure.formatPlaces(version: index))))
      let versions = QRStructure.versionPlaces(version: index)
      if !versions.isEmpty { parameters.append(QualityParameter(.versionInformation, nil, better(versions))) }
    }
    parameters += geometry(measurement.grid)
    parameters.append(
      QualityParameter(.unusedErrorCorrection, unused, GradeScale.unusedErrorCorrection.grade(unused)))
    parameters += growth(measurement.grid)
    return SymbolQuality(
      standard: options.isDirectMark ? directStandard : standard, grade: parameters.compactMap(\.grade).min() ?? .fail,
      parameters: parameters, modulePixels: measurement.grid.moduleWidth, apertureModules: measurement.apertureModules,
      remarks: measurement.remarks,
      detail: .matrix(
        MatrixQuality(
          rows: reading.pattern.rows, columns: reading.pattern.columns, isDark: isDark, margins: margins, segments: segments)
      ))
  }

  /// The quality of a symbol that only the decoder's erasures or sharpening read: the reference decode algorithm has neither.
  private static func unreadable(_ measurement: MatrixMeasurement, _ options: GradingOptions) -> SymbolQuality {
    let levels = measurement.extremeLevels
    let isDark = measurement.values.map { $0 > 0 }
    let grid = measurement.grid
    return SymbolQuality(
      standard: options.isDirectMark ? directStandard : standard, grade: .fail,
      parameters: [QualityParameter(.decode, nil, .fail), levels.contrastParameter] + geometry(grid) + growth(grid),
      modulePixels: grid.moduleWidth, apertureModules: measurement.apertureModules,
      remarks: measurement.remarks + [
        "The symbol was read only with more effort than the standard's reference decode algorithm makes, so the grade is 0.0."
      ],
      detail: .matrix(
        MatrixQuality(
          rows: grid.rows, columns: grid.columns, isDark: isDark,
          margins: isDark.indices.map { levels.margin(measurement.reflectances[$0], isDark: isDark[$0]) }, segments: [])))
  }

  private static func geometry(_ grid: MatrixGrid) -> [QualityParameter] {
    let (width, height) = (grid.moduleWidth, grid.moduleHeight)
    let axial = abs(width - height) / ((width + height) / 2)
    let deviation = grid.deviationMax
    return [
      QualityParameter(.axialNonUniformity, axial, GradeScale.axialNonUniformity.grade(axial)),
      QualityParameter(.gridNonUniformity, deviation, deviation.map(GradeScale.gridNonUniformity.grade)),
    ]
  }

  private static func growth(_ grid: MatrixGrid) -> [QualityParameter] {
    [QualityParameter(.printGrowth, grid.growth.along, nil), QualityParameter(.printGrowthAcross, grid.growth.across, nil)]
  }

  /// The share of a block's error correction that is left: 1 - 2t / (d - p).
  private static func unusedErrorCorrection(_ block: MatrixReading.Block, wrongCount: Int) -> Double {
    max(0, 1 - 2 * Double(wrongCount) / Double(max(1, block.checkCount - block.reservedCount)))
  }

  /// The parameter grade overlay of ISO/IEC 15415: the best level at which the codewords that miss it, counted as errors, leave an
  /// unused error correction as good; of the worst block. A codeword is as good as its worst module.
  ///
  /// - Parameter margins: of the modules.
  static func overlaid(_ reading: MatrixReading, _ margins: [Double]) -> Grade {
    let count = (reading.codewords.compactMap(\.self).max() ?? -1) + 1
    var least = [Double](repeating: .infinity, count: count)
    for (place, codeword) in reading.codewords.enumerated() {
      if let codeword { least[codeword] = min(least[codeword], margins[place]) }
    }
    return reading.blocks.map { block in
      var best = Grade.fail
      for tenths in stride(from: 40, through: 1, by: -1) {
        let level = Grade(tenths: tenths)
        if level <= best { break }
        let threshold = GradeScale.moduleModulation.threshold(of: level) - 1e-9
        let wrong = block.codewords.count { least[$0] < threshold }
        let unused = GradeScale.unusedErrorCorrection.grade(unusedErrorCorrection(block, wrongCount: wrong))
        best = max(best, min(level, unused))
      }
      return best
    }.min() ?? .fail
  }

  /// The worst segment, or the grade of their mean if that is worse.
  static func damage(_ segments: [PatternSegment]) -> Grade {
    guard let worst = segments.map(\.grade).min() else { return .fail }
    let mean = segments.reduce(0) { $0 + $1.grade.value } / Double(segments.count)
    return min(worst, GradeScale.segmentMean.grade(mean))
  }
}

/// The reflectances of a symbol's modules and quiet zone.
struct MatrixMeasurement {
  let grid: MatrixGrid
  let apertureModules: Double
  /// Of all modules, row by row; in a symbol with light modules on dark ground, what is missing to 1.
  let reflectances: [Double]
  /// Of the modules around the symbol, by row and column from -`quietZone`; nil outside the picture.
  private let surroundings: [Double?]
  private let quietZone: Int

  /// Nil if the symbol leaves the picture.
  init?(
    _ luma: LumaView, _ rough: MatrixGrid, quietZone: Int, isInverted: Bool, _ options: GradingOptions
  ) {
    self.quietZone = quietZone
    apertureModules = options.apertureModules ?? MatrixGrading.apertureModules
    var grid = rough
    let module = min(grid.moduleWidth, grid.moduleHeight)
    let narrow = ReflectancePicture(luma, transfer: options.transfer, aperture: MatrixGrading.narrowApertureModules * module)
    let wide = ReflectancePicture(luma, transfer: options.transfer, aperture: apertureModules * module)
    func all(_ picture: ReflectancePicture, _ grid: MatrixGrid) -> [Double]? {
      var values: [Double] = []
      for row in 0..<grid.rows {
        for column in 0..<grid.columns {
          guard let value = picture.reflectance(at: grid.measuredCenter(column, row)) else { return nil }
          values.append(value)
        }
      }
      return values
    }
    guard let first = all(wide, grid), let low = first.min(), let high = first.max(), low < high else { return nil }
    grid.fit(narrow, threshold: (low + high) / 2, isInverted: isInverted)
    guard let values = all(wide, grid) else { return nil }
    reflectances = isInverted ? values.map { 1 - $0 } : values
    self.grid = grid
    surroundings = (-quietZone..<grid.rows + quietZone).flatMap { row in
      (-quietZone..<grid.columns + quietZone).map { column in
        (0..<grid.rows).contains(row) && (0..<grid.columns).contains(column)
          ? nil : wide.reflectance(at: grid.center(column, row)).map { isInverted ? 1 - $0 : $0 }
      }
    }
  }

  /// The reflectance of a module of the symbol or its quiet zone; nil outside the picture.
  func reflectance(_ column: Int, _ row: Int) -> Double? {
    if (0..<grid.rows).contains(row), (0..<grid.columns).contains(column) {
      return reflectances[row * grid.columns + column]
    }
    return surroundings[(row + quietZone) * (grid.columns + 2 * quietZone) + column + quietZone]
  }

  /// Above 0 for dark modules, by the global threshold.
  var values: [Int16] {
    let threshold = extremeLevels.threshold
    return reflectances.map { Int16((($0 < threshold ? 1 : -1) * max(1, 1000 * abs($0 - threshold))).rounded()) }
  }

  /// ISO/IEC 15415: between the darkest and the lightest module, quiet zone included.
  var extremeLevels: ModuleLevels {
    let all = reflectances + surroundings.compactMap(\.self)
    return ModuleLevels(dark: all.min() ?? 0, light: all.max() ?? 1, isDirectMark: false)
  }

  /// ISO/IEC 29158: between the means of dark and light modules.
  func meanLevels(_ isDark: [Bool]) -> ModuleLevels {
    func mean(_ wanted: Bool) -> Double {
      let part = reflectances.indices.filter { isDark[$0] == wanted }
      return part.reduce(0) { $0 + reflectances[$1] } / Double(max(1, part.count))
    }
    return ModuleLevels(dark: mean(true), light: mean(false), isDirectMark: true)
  }

  var remarks: [String] {
    let expected =
      (grid.columns + 2 * quietZone) * (grid.rows + 2 * quietZone) - grid.columns * grid.rows
    let isCut = surroundings.count { $0 != nil } < expected
    return SymbolGrader.remarks(modulePixels: min(grid.moduleWidth, grid.moduleHeight))
      + (isCut ? ["The picture ends within the quiet zone; only its visible part is graded."] : [])
  }
}

/// The reflectances between which modules are judged.
struct ModuleLevels {
  var dark: Double
  var light: Double
  var isDirectMark: Bool

  var threshold: Double { (dark + light) / 2 }

  /// How far a module is on its own side of the threshold, as a share of what is possible: 2 |R - GT| / SC of ISO/IEC 15415, with
  /// the sign of the side.
  func margin(_ reflectance: Double, isDark: Bool) -> Double {
    guard light > dark else { return 0 }
    return 2 * (isDark ? threshold - reflectance : reflectance - threshold) / (light - dark)
  }

  /// ISO/IEC 29158, from public descriptions: cell contrast replaces symbol contrast.
  static let cellContrast = [(0.30, 40), (0.25, 30), (0.20, 20), (0.15, 10)]

  var contrastParameter: QualityParameter {
    if isDirectMark {
      let contrast = light > 0 ? (light - dark) / light : 0
      let tenths = Self.cellContrast.first { contrast >= $0.0 }?.1 ?? 0
      return QualityParameter(.cellContrast, contrast, Grade(tenths: tenths))
    }
    return QualityParameter(.symbolContrast, light - dark, GradeScale.matrixContrast.grade(light - dark))
  }
}
