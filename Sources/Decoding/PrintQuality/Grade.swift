// Grades, and the scales that turn measures into them.

/// A print quality grade in tenths, 0.0 to 4.0 (ISO/IEC 15416:2016, continuous grading).
public struct Grade: Comparable, Sendable {
  /// 0…40.
  public let tenths: Int

  public static let best = Grade(tenths: 40)
  public static let fail = Grade(tenths: 0)

  /// Clamps to 0…40.
  public init(tenths: Int) { self.tenths = min(40, max(0, tenths)) }

  /// Rounds to the nearest tenth.
  public init(_ value: Double) { self.init(tenths: Int((value * 10).rounded())) }

  /// The mean of grades, rounded to the nearest tenth: a symbol's grade from those of its profiles. 0.0 without profiles.
  public init(meanOf grades: [Grade]) {
    self.init(grades.isEmpty ? 0 : Double(grades.reduce(0) { $0 + $1.tenths }) / Double(10 * grades.count))
  }

  public var value: Double { Double(tenths) / 10 }

  /// A from 3.5, B from 2.5, C from 1.5, D from 0.5, otherwise F.
  public var letter: Character {
    switch tenths {
    case 35...: "A"
    case 25...: "B"
    case 15...: "C"
    case 5...: "D"
    default: "F"
    }
  }

  /// With one decimal, such as `3.6`.
  public var text: String { "\(tenths / 10).\(tenths % 10)" }

  public static func < (one: Grade, other: Grade) -> Bool { one.tenths < other.tenths }
}

/// The measures at which a parameter reaches whole grades. Between two of them the grade grows evenly with the measure.
///
/// The thresholds are those of the standards' first editions, which later ones keep. The interpolation is that of ISO/IEC
/// 15416:2016 as public descriptions give it: measures in whole hundredths, grades in tenths, and 4.0 only from its threshold on.
/// The same interpolation is applied to the thresholds of ISO/IEC 15415:2011, whose own grades are whole numbers.
public struct GradeScale: Sendable {
  /// The measures for the grades 4, 3, 2 and 1.
  let thresholds: [Double]
  /// The measure below which the grade is 0; nil if it is 0 beyond the last threshold.
  let zero: Double?

  private init(_ four: Double, _ three: Double, _ two: Double, _ one: Double, zero: Double? = nil) {
    thresholds = [four, three, two, one]
    self.zero = zero
  }

  /// The grade of a measure.
  public func grade(_ measure: Double) -> Grade {
    let value = (measure * 100).rounded() / 100
    let isRising = thresholds[0] > thresholds[3]
    func reaches(_ threshold: Double) -> Bool {
      isRising ? value >= threshold - Self.tolerance : value <= threshold + Self.tolerance
    }
    let steps = thresholds + (zero.map { [$0] } ?? [])
    guard let index = steps.firstIndex(where: reaches) else { return .fail }
    if index == 0 { return .best }
    let share = (value - steps[index]) / (steps[index - 1] - steps[index])
    let tenths = Int((share * 10).rounded())
    return Grade(tenths: (4 - index) * 10 + min(9, max(0, tenths)))
  }

  /// The measure that a grade asks for, the inverse of `grade` without its rounding. For 0 it is the last threshold.
  func threshold(of grade: Grade) -> Double {
    let steps = thresholds + [zero ?? thresholds[3]]
    let whole = min(3, grade.tenths / 10)
    let share = Double(grade.tenths - 10 * whole) / 10
    return steps[4 - whole] + share * (steps[3 - whole] - steps[4 - whole])
  }

  /// Rounding of binary fractions.
  private static let tolerance = 1e-9

  // ISO/IEC 15416:2016, from public descriptions of its table of grades.
  public static let symbolContrast = GradeScale(0.70, 0.55, 0.40, 0.20, zero: 0.15)
  public static let modulation = GradeScale(0.70, 0.60, 0.50, 0.40, zero: 0.30)
  public static let defects = GradeScale(0.15, 0.20, 0.25, 0.30)
  public static let decodability = GradeScale(0.62, 0.50, 0.37, 0.25, zero: 0.20)

  // ISO/IEC 15415:2011, from public descriptions of its tables.
  public static let matrixContrast = GradeScale(0.70, 0.55, 0.40, 0.20)
  public static let moduleModulation = GradeScale(0.50, 0.40, 0.30, 0.20)
  public static let axialNonUniformity = GradeScale(0.06, 0.08, 0.10, 0.12)
  public static let gridNonUniformity = GradeScale(0.38, 0.50, 0.63, 0.75)
  public static let unusedErrorCorrection = GradeScale(0.62, 0.50, 0.37, 0.25)

  /// Of ISO/IEC 16022:2006 Annex M and ISO/IEC 18004:2015 Annex L for the mean grade of a symbol's segments.
  static let segmentMean = GradeScale(4.0, 3.5, 3.0, 2.5)
}
