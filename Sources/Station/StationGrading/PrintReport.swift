// The trends of print as the console and other programs get them.

import PrintQuality

/// The present trends of print grades.
public struct PrintReport: Encodable, Equatable, Sendable {
  /// The trend of a symbology at a sink.
  public struct Line: Encodable, Equatable, Sendable {
    public var sink: String
    public var symbology: String
    /// The mean of the last grades, 0.0 to 4.0, in hundredths.
    public var grade: Double
    /// The letter of the mean, A to F.
    public var letter: String
    /// The grades in the mean, up to `PrintTrend.gradeCountMax`.
    public var gradeCount: Int
    /// Whether the mean has fallen below `grading.alarm_below`.
    public var isAlarmed: Bool

    init(sink: String, symbology: String, mean: Double, gradeCount: Int, isAlarmed: Bool) {
      (self.sink, self.symbology, self.gradeCount, self.isAlarmed) = (sink, symbology, gradeCount, isAlarmed)
      grade = (mean * 100).rounded() / 100
      letter = String(Grade(mean).letter)
    }
  }

  /// By sink and symbology.
  public var lines: [Line]
  /// The sentence about the limits of the measurement.
  public var limitation = SymbolQuality.limitation

  /// The advice for a line whose alarm is raised.
  public static let remedy =
    "Change the ribbon or clean the print head; if new labels look well printed, clean the camera's window and check its light and "
    + "focus."

  /// Why an operator should look at the printer, one sentence per alarm without its full stop.
  public var alarms: [String] {
    lines.filter(\.isAlarmed).map {
      "\($0.symbology) symbols for \($0.sink) are badly printed: \($0.grade) (\($0.letter)) on average"
    }
  }

  /// The alarms for a sink that publishes the station's health, such as ` print-alarms=erp/qr,erp/code128`; empty without any.
  public var words: String {
    let alarmed = lines.filter(\.isAlarmed).map { "\($0.sink)/\($0.symbology)" }
    return alarmed.isEmpty ? "" : " print-alarms=" + alarmed.joined(separator: ",")
  }
}
