// Start reading here: what the grading of a symbol tells.

public import BarcodeTypes

/// A measured property of a symbol's print.
public struct QualityParameter: Equatable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case decode
    case symbolContrast = "symbol_contrast"
    case minimumReflectance = "minimum_reflectance"
    case edgeContrast = "edge_contrast"
    case modulation
    case reflectanceMargin = "reflectance_margin"
    case defects
    case decodability
    case quietZone = "quiet_zone"
    case fixedPatternDamage = "fixed_pattern_damage"
    case formatInformation = "format_information"
    case versionInformation = "version_information"
    case axialNonUniformity = "axial_non_uniformity"
    case gridNonUniformity = "grid_non_uniformity"
    case unusedErrorCorrection = "unused_error_correction"
    case printGrowth = "print_growth"
    case printGrowthAcross = "print_growth_across"
    case cellContrast = "cell_contrast"
    case cellModulation = "cell_modulation"

    /// Its name for people.
    public var title: String {
      switch self {
      case .printGrowth: "print growth, along"
      case .printGrowthAcross: "print growth, across"
      case .axialNonUniformity: "axial non-uniformity"
      case .gridNonUniformity: "grid non-uniformity"
      default: rawValue.split(separator: "_").joined(separator: " ")
      }
    }

    /// Whether the measure counts modules; otherwise it is a share.
    public var isInModules: Bool {
      switch self {
      case .quietZone, .gridNonUniformity, .printGrowth, .printGrowthAcross: true
      default: false
      }
    }
  }

  public let kind: Kind
  /// A share of 1, or modules; nil for what only passes or fails.
  public let measure: Double?
  /// Nil for a measure that is reported without a grade.
  public let grade: Grade?

  public init(_ kind: Kind, _ measure: Double? = nil, _ grade: Grade?) {
    (self.kind, self.measure, self.grade) = (kind, measure, grade)
  }
}

/// The grade of a symbol and what it is made of.
public struct SymbolQuality: Sendable {
  public enum Detail: Sendable {
    /// The graded profiles, from the top of the symbol.
    case linear([ProfileQuality])
    case matrix(MatrixQuality)
  }

  /// The standard whose method is followed, such as `ISO/IEC 15416:2016`.
  public let standard: String
  public let grade: Grade
  /// For a linear symbol, the means over its profiles.
  public let parameters: [QualityParameter]
  /// The width of a module in pixels, along the symbol's rows.
  public let modulePixels: Double
  /// The diameter of the measuring aperture, in modules.
  public let apertureModules: Double
  /// Sentences about the limits of this measurement.
  public let remarks: [String]
  public let detail: Detail

  /// The sentence that every output of a grade contains.
  public static let limitation =
    "An uncalibrated camera measured relative reflectance: use the grade for process control, not for verification."

  /// The parameters that have the lowest grade.
  public var limitingParameters: [QualityParameter] {
    let graded = parameters.filter { $0.grade != nil }
    guard let least = graded.compactMap(\.grade).min(), least < .best else { return [] }
    return graded.filter { $0.grade == least }
  }
}

/// Why a symbol that was read cannot be graded.
public enum GradingRefusal: Error, Equatable, Sendable {
  case symbology(Symbology)
  /// A linear symbol with light bars on dark ground.
  case lightBars
  /// Its modules are smaller than `SymbolGrader.modulePixelsMin`; their size in pixels.
  case tooSmall(Double)
  /// A part of it is outside the picture.
  case cut
  /// A form of the symbology that is not graded, such as Model 1 of QR Code, or fixed patterns that agree with no size.
  case form

  /// A sentence without its full stop.
  public var message: String {
    switch self {
    case .symbology(let symbology): "grading of \(symbology.name) is not supported"
    case .lightBars: "grading of light bars on dark ground is not supported"
    case .tooSmall(let module):
      "its modules have \(module.text(1)) pixels, and grading needs \(SymbolGrader.modulePixelsMin.text(0)); move the camera closer"
    case .cut: "a part of the symbol is outside the picture"
    case .form: "its fixed patterns fit no size of the symbology that can be graded"
    }
  }
}

extension QualityParameter {
  /// The measure for people: percent, or modules with two decimals; empty without a measure.
  public var measureText: String {
    guard let measure else { return "" }
    return kind.isInModules ? "\(measure.text(2)) modules" : "\((measure * 100).text(0)) %"
  }
}

extension Double {
  /// Rounded to a number of decimals, at most 4.
  package func text(_ decimals: Int) -> String {
    let scale = [1, 10, 100, 1000, 10_000][Swift.min(4, Swift.max(0, decimals))]
    let value = Int((self * Double(scale)).rounded())
    let (whole, part) = Swift.abs(value).quotientAndRemainder(dividingBy: scale)
    let sign = value < 0 ? "-" : ""
    return scale == 1 ? "\(sign)\(whole)" : "\(sign)\(whole)." + String(part + scale).dropFirst()
  }
}
