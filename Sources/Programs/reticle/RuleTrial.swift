// The effect of a configuration's rules, sets and comparison on typed labels, line by line.

import BarcodeMessage
import BarcodeTypes
import DeliveryModel
import HostText
import Sinks
import Station
import StationConfiguration

/// A trial of a configuration with a sequence of labels.
struct RuleTrial {
  private let station: StationConfiguration
  private let moment: RuleMoment
  private var sets: SetGathering<ScanRecord>
  private var comparing: Comparing?
  private var lines: [String] = []
  /// The number of labels scanned.
  private var count = 0

  init(_ station: StationConfiguration, at moment: RuleMoment) {
    self.station = station
    self.moment = moment
    sets = SetGathering(station.host.sets)
    comparing = station.host.comparison.map { Comparing($0) }
  }

  /// The result of the trial.
  var text: String { lines.joined(separator: "\n") + "\n" }

  /// Scans a label: adds the effect of each rule, and the text of each sink.
  mutating func scan(_ content: HostContent) {
    var steps: [RuleStep]? = []
    let texts = station.host.texts(of: content, for: station.sinks.map(\.hostSink), at: moment, steps: &steps)
    add("label", content.text)
    for step in steps ?? [] {
      add(
        step.rule + (step.sink.map { " for \($0)" } ?? ""), step.reason.map { "no: \($0)" } ?? "matches: \(step.text)")
    }
    if !texts.flags.isEmpty { add("flags", texts.flags.joined(separator: ", ")) }
    if texts.isOverBudget {
      lines.append("! the rules would take too long for this label: it is sent without them")
    }
    var record = ScanRecord(
      id: ScanID(high: 0, low: 0), station: station.stationName,
      symbology: "\(content.symbology.name)", aimIdentifier: content.aimIdentifier, text: content.text,
      bytes: Array(content.text.utf8), captured: CaptureTime(unixMilliseconds: 0, bootNanoseconds: 0, bootID: ""))
    record.take(texts)
    count += 1
    if let dropper = texts.dropper {
      tellSinks(record)
      lines.append("! dropped by \(TerminalText.safe(dropper)): no sink gets it")
      return
    }
    let identity = Array(record.symbology.utf8) + [0] + record.bytes
    // The labels' positions are unknown: each is placed to the right of and below the previous one.
    let part = SetPart(record, identity: identity, flags: record.flags, x: count, y: count)
    let (outcome, givenUp) = sets.take(part, at: 0)
    if let givenUp { tell(givenUp) }
    switch outcome {
    case .none: tellCompared(record, nil)
    case .waiting(let missing): lines.append("! it waits in a set for \(list(missing))")
    case .whole(let set, let parts):
      add("set", set.name)
      let texts = parts.map { $0.item.hostText ?? $0.item.text }
      tellCompared(ScanRecord(set, parts.map { ($0.part, $0.item) }), set.verdict(texts))
    }
  }

  /// Adds the sets that are given up at the end.
  mutating func end() { for set in sets.expire(at: .max) { tell(set) } }

  /// Adds the outcome of comparing a message, and the text of each sink.
  private mutating func tellCompared(_ record: ScanRecord, _ ownVerdict: Verdict?) {
    let verdict = ownVerdict ?? comparing?.take(record.hostText ?? record.text, flags: record.flags)
    if let verdict { add("compared", verdict.flags.joined(separator: ", ")) }
    tellSinks(record)
  }

  private mutating func tellSinks(_ record: ScanRecord) {
    for name in station.sinks.map(\.name) {
      let own = record.addressed(to: name)
      let isSent = record.sinks?.contains(name) != false
      add(name, isSent ? "sends: \(own.hostText ?? own.text)" : "does not get it")
    }
  }

  private mutating func tell(_ set: IncompleteSet<ScanRecord>) {
    lines.append("! \(TerminalText.safe(set.set)) is not complete without \(list(set.missing)): no sink gets it")
    let text = station.noReads.incomplete(set: set.set, missing: set.missing)
    for sink in station.sinks.map(\.hostSink) where station.noReads.reach(sink, text: text) {
      add(sink.name, text.map { "sends: \($0)" } ?? "sends a record of it")
    }
  }

  private func list(_ parts: [String]) -> String { TerminalText.safe(parts.joined(separator: ", ")) }

  private mutating func add(_ head: String, _ text: String) {
    lines.append("\(TerminalText.safe(head))\t\(TerminalText.safe(text))")
  }
}
