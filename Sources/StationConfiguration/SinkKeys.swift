// The rows of the table for the outbox and its sinks.

import BarcodeMessage
import Delivery
import Devices

extension ConfigurationKey {
  static let outboxPath = Self(
    "outbox.path", .path(isPresent: false), "/var/lib/reticle/outbox.sqlite",
    "The database in which scans wait. Its folder must be writable and outlive a power cut.")
  static let outboxSynchronous = Self(
    "outbox.synchronous", .choice(words(OutboxSettings.Synchronous.self)), "full",
    "When a scan counts as written: when the storage has it, or when the operating system has it.")
  static let outboxWhenFull = Self(
    "outbox.when_full", .choice(["refuse", "discard oldest"]), "refuse",
    "What happens when no more undelivered scans fit: the new scan is refused, or the oldest discarded.")
  static let outboxOnTrouble = Self(
    "outbox.on_trouble", .choice(["auto"] + words(OutboxSettings.TroublePolicy.self)), "auto",
    "What happens to new scans while the storage is in trouble: they are refused, or held in memory at risk; auto refuses "
      + "where a lamp, buzzer or screen tells a good read.")
  static let outboxUndelivered = Self(
    "outbox.undelivered", .integer(1...10_000_000), "100000", "How many undelivered scans are kept.")
  static let outboxSize = Self("outbox.megabytes", .integer(1...65_536), "256", "How large the database may become.")
  static let outboxAge = Self(
    "outbox.age", .durationOr("forever", .seconds(60) ... .seconds(3650 * 86_400)), "forever",
    "How long undelivered scans are kept, by time that has surely passed: a wrong clock discards nothing.")
  static let outboxDelivered = Self(
    "outbox.delivered", .integer(0...10_000_000), "1000", "How many delivered scans are kept to be looked up.")

  static let sinkName = Self(
    "sinks[].name", .text(64), "", "What this way out is called in logs and metrics; by default its kind.")

  static let sinkDeadLetterAfter = Self(
    "sinks[].dead_letter_after", .choice(["3", "5", "10", "20", "50", "100", "never"]), "10",
    "After how many rejections a scan becomes a dead letter, so that others pass; never keeps the order.")

  static let standardOutput = Self(
    "sinks[].stdout", .nothing, "", "JSON lines on standard output, one scan a line.")

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
