// Grading the print of scans: whether, and when the alarm is raised.

public import PrintQuality

/// Settings of the grading of scans.
public struct GradingSettings: Equatable, Sendable {
  /// The mean grade below which the alarm is raised; 0.0: never.
  public var alarmBelow = 2.0
  /// How the camera's luma encodes light.
  public var transfer = LumaTransfer.srgb

  public init() {}
}

/// The section as it is written.
struct WrittenGrading {
  var isEnabled = false
  var settings = GradingSettings()

  static let keys = KeySection(
    "grading", WrittenGrading(),
    [
      Field(
        "enabled", \.isEnabled, .flag,
        "Grades the print of scanned symbols in the frames where they were read, while the processor has time, and keeps the "
          + "mean of the last 20 grades per sink and symbology. For process control, not for verification."),
      Field(
        "alarm_below", \.settings.alarmBelow, .decimal(0...4),
        "The mean grade below which labels are reported as badly printed, with the remedy: 4 is A, 2 is C, 0 never reports."),
      Field(
        "transfer", \.settings.transfer, .choice,
        "How the camera's grey values encode light: srgb, as most cameras do, or linear, as many machine vision cameras do."),
    ])

  /// Nil if nothing is graded.
  static func read(_ reading: inout ConfigurationReading) -> GradingSettings? {
    var written = WrittenGrading()
    keys.read(&reading, into: &written)
    if written.isEnabled { return written.settings }
    if !reading.isWritten("grading.enabled") {
      for key in keys.rows where reading.isWritten(key.name) {
        reading.report(
          "\(key.name) has no effect without grading.enabled; write grading.enabled: true", at: reading.place(of: key.name))
      }
    }
    return nil
  }
}
