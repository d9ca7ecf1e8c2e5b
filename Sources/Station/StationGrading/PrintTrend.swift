// The grades of the last scans, with the alarm that their mean raises and clears: a plain value.

public import PrintQuality

/// The trend of print grades of a symbology at a sink.
public struct PrintTrend: Equatable, Sendable {
  /// The grades whose mean is the trend: enough that single labels matter little, and few enough that a worn ribbon shows within
  /// a roll of labels.
  public static let gradeCountMax = 20
  /// The grades without which no alarm is raised: a few bad labels at the start are no trend.
  public static let alarmCountMin = 10
  /// By how much the mean must exceed the threshold to clear an alarm: the spread of the mean while the print stays the same, so that an
  /// alarm does not come and go.
  public static let clearMargin = 0.3

  /// A change of the alarm.
  public enum Change: Equatable, Sendable { case raised, cleared }

  /// Oldest first.
  private var grades: [Grade] = []
  /// The mean below which the alarm is raised, 0.0 to 4.0.
  private let alarmBelow: Double
  public private(set) var isAlarmed = false

  public init(alarmBelow: Double) { self.alarmBelow = alarmBelow }

  public var gradeCount: Int { grades.count }

  /// The mean of the last grades, 0.0 to 4.0; nil before the first.
  public var mean: Double? {
    guard !grades.isEmpty else { return nil }
    return Double(grades.reduce(0) { $0 + $1.tenths }) / Double(10 * grades.count)
  }

  /// Adds the grade of a scan.
  ///
  /// - Returns: how that changed the alarm; nil if it did not.
  public mutating func add(_ grade: Grade) -> Change? {
    if grades.count == Self.gradeCountMax { grades.removeFirst() }
    grades.append(grade)
    guard let mean else { return nil }
    if isAlarmed, mean >= min(alarmBelow + Self.clearMargin, Grade.best.value) {
      isAlarmed = false
      return .cleared
    }
    if !isAlarmed, grades.count >= Self.alarmCountMin, mean < alarmBelow {
      isAlarmed = true
      return .raised
    }
    return nil
  }
}
