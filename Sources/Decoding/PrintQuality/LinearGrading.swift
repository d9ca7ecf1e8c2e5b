// Grades of linear symbols: ten profiles across the bars, each as good as its worst parameter (ISO/IEC 15416:2016 §5.4).

import BarcodeDecoder
public import BarcodeTypes

/// A graded profile.
public struct ProfileQuality: Sendable {
  public let profile: ScanReflectanceProfile
  public let parameters: [QualityParameter]
  /// Nil if the profile was not decoded.
  public let decoding: LinearDecoding?
  /// The lowest grade of a parameter; 0.0 without decoding.
  public let grade: Grade

  /// Grades a profile.
  ///
  /// - Parameters:
  ///   - payload: of the symbol as the decoder reports it.
  public init(_ profile: ScanReflectanceProfile, as symbology: Symbology, _ kind: LinearKind, payload: [UInt8]) {
    self.profile = profile
    let found = kind.decode(profile.widths)
    let decoding = found.flatMap { kind.matches($0, payload: payload) ? $0 : nil }
    self.decoding = decoding
    let contrast = profile.symbolContrast
    var parameters = [
      QualityParameter(.decode, nil, decoding == nil ? .fail : .best),
      QualityParameter(.symbolContrast, contrast, GradeScale.symbolContrast.grade(contrast)),
      // Whole thousandths: the threshold is met exactly by drawn symbols.
      QualityParameter(
        .minimumReflectance, profile.minimum,
        (profile.minimum * 1000).rounded() <= (profile.maximum * 500).rounded() ? .best : .fail),
    ]
    if let edge = profile.edgeContrastMin, let nonUniformity = profile.nonUniformityMax, contrast > 0 {
      let modulation = edge / contrast
      let defects = nonUniformity / contrast
      parameters += [
        QualityParameter(.edgeContrast, edge, (edge * 100).rounded() >= Self.edgeContrastPercentMin ? .best : .fail),
        QualityParameter(.modulation, modulation, GradeScale.modulation.grade(modulation)),
        QualityParameter(.defects, defects, GradeScale.defects.grade(defects)),
      ]
    }
    if let decoding {
      let decodability = decoding.decodability
      parameters.append(QualityParameter(.decodability, decodability, GradeScale.decodability.grade(decodability)))
      parameters += Self.measures(of: profile, decoding, symbology)
    }
    self.parameters = parameters
    grade = decoding == nil ? .fail : parameters.compactMap(\.grade).min() ?? .fail
  }

  /// ISO/IEC 15416: the least edge contrast that passes.
  private static let edgeContrastPercentMin = 15.0
  /// By how much a quiet zone may fall short of the standard's, in modules: the edges of both its ends are measured.
  private static let quietZoneTolerance = 0.25

  /// The quiet zone and the print growth.
  private static func measures(
    of profile: ScanReflectanceProfile, _ decoding: LinearDecoding, _ symbology: Symbology
  ) -> [QualityParameter] {
    let widths = profile.widths
    let module = widths.reduce(0, +) / decoding.moduleCount
    var parameters: [QualityParameter] = []
    if let zones = profile.quietZones {
      let needed = LinearKind.quietZones(of: symbology)
      // The excess over the required width; the worse side counts.
      let before = zones.before.samples / module - needed.before
      let after = zones.after.samples / module - needed.after
      let isCut = before < after ? zones.before.isCut : zones.after.isCut
      let lacking = min(before, after)
      let isEnough = lacking >= -quietZoneTolerance
      parameters.append(
        QualityParameter(
          .quietZone, (before < after ? zones.before : zones.after).samples / module,
          isEnough ? .best : isCut ? nil : .fail))
    }
    let bars = stride(from: 0, to: widths.count, by: 2).map { widths[$0] / module - decoding.idealWidths[$0] }
    parameters.append(QualityParameter(.printGrowth, bars.reduce(0, +) / Double(bars.count), nil))
    return parameters
  }
}

/// Grades linear symbols.
enum LinearGrading {
  static let standard = "ISO/IEC 15416:2016"
  /// Profiles per symbol, and the part of the bars' height over which they spread (ISO/IEC 15416: ten, and all but a tenth at
  /// either end).
  static let (profileCount, bandTop, bandHeight) = (10, 0.1, 0.8)
  /// The aperture's diameter in modules, unless the caller gives one. The apertures of ISO/IEC 15416 Table 1 are 0.4 to 0.8 of the
  /// modules for which they are meant.
  static let apertureModules = 0.5
  /// Samples per module of a profile.
  private static let samplesPerModule = 16.0
  /// Modules beyond the quiet zones.
  private static let marginModules = 1.0

  static func grade(
    _ luma: LumaView, _ symbol: DecodedSymbol, _ kind: LinearKind, payload: [UInt8], _ options: GradingOptions
  ) throws(GradingRefusal) -> SymbolQuality {
    guard !symbol.isInverted else { throw .lightBars }
    let plane = SymbolPlane(symbol.corners)
    let rows = (0..<profileCount).map { bandTop + bandHeight * (Double($0) + 0.5) / Double(profileCount) }
    let moduleCount = roughModuleCount(luma, plane, kind, rows, options)
    let modulePixels = plane.width / moduleCount
    guard modulePixels >= SymbolGrader.modulePixelsMin else { throw .tooSmall(modulePixels) }
    let aperture = options.apertureModules ?? apertureModules
    let picture = ReflectancePicture(luma, transfer: options.transfer, aperture: aperture * modulePixels)
    let zones = LinearKind.quietZones(of: symbol.symbology)
    let profiles = rows.compactMap { row -> ProfileQuality? in
      guard
        let profile = profile(
          picture, plane, row: row, moduleCount: moduleCount, before: zones.before + marginModules,
          after: zones.after + marginModules)
      else { return nil }
      return ProfileQuality(profile, as: symbol.symbology, kind, payload: payload)
    }
    guard !profiles.isEmpty else { throw .cut }
    return SymbolQuality(
      standard: standard, grade: Grade(meanOf: profiles.map(\.grade)), parameters: means(profiles),
      modulePixels: modulePixels, apertureModules: aperture,
      remarks: SymbolGrader.remarks(modulePixels: modulePixels) + cutRemarks(profiles), detail: .linear(profiles))
  }

  /// The number of modules across the symbol, from the first line whose elements tell it; from its narrowest elements otherwise.
  private static func roughModuleCount(
    _ luma: LumaView, _ plane: SymbolPlane, _ kind: LinearKind, _ rows: [Double], _ options: GradingOptions
  ) -> Double {
    let picture = ReflectancePicture(luma, transfer: options.transfer, aperture: 1)
    var narrowest: [Double] = []
    // From the middle outwards.
    for row in rows.sorted(by: { abs($0 - 0.5) < abs($1 - 0.5) }) {
      // Four samples per pixel, and a little of both quiet zones.
      let count = plane.width * 4
      guard
        let profile = profile(
          picture, plane, row: row, moduleCount: count / samplesPerModule, before: plane.width * 0.005,
          after: plane.width * 0.005)
      else { continue }
      let widths = profile.widths
      if let decoding = kind.decode(widths) { return decoding.moduleCount }
      if let least = widths.sorted().dropFirst(widths.count / 8).first { narrowest.append(least / widths.reduce(0, +)) }
    }
    let least = narrowest.sorted().dropFirst(narrowest.count / 2).first
    return least.map { 1 / max($0, 1e-3) } ?? 95
  }

  /// The reflectance along a row; nil if the symbol itself leaves the picture. What of the margins is outside is left out.
  ///
  /// - Parameters:
  ///   - row: from 0, the symbol's upper edge, to 1.
  ///   - before: modules before the symbol.
  private static func profile(
    _ picture: ReflectancePicture, _ plane: SymbolPlane, row: Double, moduleCount: Double, before: Double, after: Double
  ) -> ScanReflectanceProfile? {
    let first = -Int((before * samplesPerModule).rounded())
    let last = Int(((moduleCount + after) * samplesPerModule).rounded())
    var samples: [Double] = []
    var start = first
    for index in first...last {
      let value = picture.reflectance(at: plane.place(Double(index) / (moduleCount * samplesPerModule), row))
      if let value {
        samples.append(value)
      } else if index <= 0 {
        samples = []
        start = index + 1
      } else if Double(index) < (moduleCount - 1) * samplesPerModule {
        return nil
      } else {
        break
      }
    }
    guard samples.count > 2 else { return nil }
    return ScanReflectanceProfile(
      samples: samples, moduleSamples: samplesPerModule, start: Double(-start),
      end: Double(-start) + moduleCount * samplesPerModule)
  }

  /// The means of each parameter over the profiles that have it.
  private static func means(_ profiles: [ProfileQuality]) -> [QualityParameter] {
    QualityParameter.Kind.allCases.compactMap { kind in
      let all = profiles.flatMap(\.parameters).filter { $0.kind == kind }
      guard !all.isEmpty else { return nil }
      let measures = all.compactMap(\.measure)
      let grades = all.compactMap(\.grade)
      return QualityParameter(
        kind, measures.isEmpty ? nil : measures.reduce(0, +) / Double(measures.count),
        grades.isEmpty ? nil : Grade(meanOf: grades))
    }
  }

  private static func cutRemarks(_ profiles: [ProfileQuality]) -> [String] {
    let isUnknown = profiles.contains { $0.parameters.contains { $0.kind == .quietZone && $0.grade == nil } }
    return isUnknown ? ["The picture ends within a quiet zone, which is not graded: show more around the symbol."] : []
  }
}
