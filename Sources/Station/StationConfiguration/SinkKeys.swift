// The keys of the outbox, and those that all kinds of sinks have.

import BarcodeMessage
import DeliveryModel
import Devices
import Outbox

extension OutboxSettings {
  /// The settings, and the policy in trouble as it is written.
  fileprivate struct Written {
    var settings = OutboxSettings()
    /// Nil: it depends on whether a person learns that a scan was refused.
    var onTrouble: TroublePolicy?
  }

  fileprivate static let keys = KeySection(
    "outbox", Written(),
    [
      Field(
        "path", \.settings.path, .path(isPresent: false),
        "The database of waiting scans. Its folder must be writable and survive a power cut."),
      Field(
        "synchronous", \.settings.synchronous, .choice,
        "When a scan counts as written: when the storage device has it, or when the operating system has it."),
      Field(
        "when_full", \.settings.whenFull, .choice,
        "When no more undelivered scans fit: refuse the new scan, or discard the oldest."),
      Field(
        "on_trouble", \.onTrouble, .words([("auto", nil)] + OutboxSettings.TroublePolicy.allCases.map { ($0.rawValue, $0) }),
        "New scans while storage has trouble: refuse them, or hold them in memory at risk; auto refuses if a lamp, "
          + "buzzer or screen confirms good reads."),
      Field(
        "memory", \.settings.memoryCountMax, .integer(1...10_000), "The most scans held in memory while storage has trouble."
      ),
      Field("undelivered", \.settings.undeliveredCountMax, .integer(1...10_000_000), "The most undelivered scans kept."),
      Field("megabytes", \.settings.byteCountMax, .megabytes(1...65_536), "The largest size of the database, in megabytes."),
      Field(
        "age", \.settings.undeliveredAgeMax, .duration(.seconds(60) ... .seconds(3650 * 86_400), or: "forever"),
        "How long undelivered scans are kept, measured in time that has certainly passed: a wrong clock discards nothing."),
      Field(
        "delivered", \.settings.deliveredCountKept, .integer(0...10_000_000),
        "The number of delivered scans kept for look-up."),
    ])

  /// - Parameter tellsGoodReads: whether a person sees or hears that a scan was refused.
  init(_ reading: inout ConfigurationReading, tellsGoodReads: Bool) {
    var written = Written()
    Self.keys.read(&reading, into: &written)
    self = written.settings
    onTrouble = written.onTrouble ?? (tellsGoodReads ? .refuse : .memory)
  }
}

extension SinkReading {
  static let name = Key(
    "sinks[].name", .optional(.text(64)), nil, "The sink's name in logs and metrics. Default: its kind.")
  /// Nil: the order is always kept.
  static let deadLetterAfter = Key(
    "sinks[].dead_letter_after",
    .words([3, 5, 10, 20, 50, 100].map { (count: Int) in ("\(count)", count) } + [("never", nil)]),
    RetrySettings().rejectionCountMax,
    "The number of rejections after which a scan becomes a dead letter and no longer blocks later scans; never keeps the "
      + "order.")
}

extension ConfigurationKey {
  static let standardOutput = Self(
    "sinks[].stdout", .nothing, "", "JSON lines on standard output, one line per scan.")

  /// The keys of the outbox and its sinks.
  static let delivery: [ConfigurationKey] =
    OutboxSettings.keys.rows + [SinkReading.name.row, SinkReading.deadLetterAfter.row] + SinkKind.all.flatMap(\.keys)
}
