// The rows of the table for the outbox and its sinks.

import BarcodeMessage
import Delivery
import Devices

extension ConfigurationKey {
  static let outboxPath = Self(
    "outbox.path", .path(isPresent: false), "/var/lib/reticle/outbox.sqlite",
    "The database of waiting scans. Its folder must be writable and survive a power cut.")
  static let outboxSynchronous = Self(
    "outbox.synchronous", .choice(words(OutboxSettings.Synchronous.self)), "full",
    "When a scan counts as written: when the storage device has it, or when the operating system has it.")
  static let outboxWhenFull = Self(
    "outbox.when_full", .choice(["refuse", "discard oldest"]), "refuse",
    "When no more undelivered scans fit: refuse the new scan, or discard the oldest.")
  static let outboxOnTrouble = Self(
    "outbox.on_trouble", .choice(["auto"] + words(OutboxSettings.TroublePolicy.self)), "auto",
    "New scans while storage has trouble: refuse them, or hold them in memory at risk; auto refuses if a lamp, buzzer or "
      + "screen confirms good reads.")
  static let outboxUndelivered = Self(
    "outbox.undelivered", .integer(1...10_000_000), "100000", "The most undelivered scans kept.")
  static let outboxSize = Self(
    "outbox.megabytes", .integer(1...65_536), "256",
    "The largest size of the database, in "
      + "megabytes.")
  static let outboxAge = Self(
    "outbox.age", .durationOr("forever", .seconds(60) ... .seconds(3650 * 86_400)), "forever",
    "How long undelivered scans are kept, measured in time that has certainly passed: a wrong clock discards nothing.")
  static let outboxDelivered = Self(
    "outbox.delivered", .integer(0...10_000_000), "1000", "The number of delivered scans kept for look-up.")

  static let sinkName = Self(
    "sinks[].name", .text(64), "", "The sink's name in logs and metrics. Default: its kind.")

  static let sinkDeadLetterAfter = Self(
    "sinks[].dead_letter_after", .choice(["3", "5", "10", "20", "50", "100", "never"]), "10",
    "The number of rejections after which a scan becomes a dead letter and no longer blocks later scans; never keeps the "
      + "order.")

  static let standardOutput = Self(
    "sinks[].stdout", .nothing, "", "JSON lines on standard output, one line per scan.")

  /// The keys of the outbox and its sinks.
  static let delivery: [ConfigurationKey] =
    [
      outboxPath, outboxSynchronous, outboxWhenFull, outboxOnTrouble, outboxUndelivered, outboxSize, outboxAge,
      outboxDelivered, sinkName, sinkDeadLetterAfter,
    ] + SinkKind.all.flatMap(\.keys)

  static func words<Choice: RawRepresentable<String> & CaseIterable>(_ type: Choice.Type) -> [String] {
    type.allCases.map(\.rawValue)
  }
}
