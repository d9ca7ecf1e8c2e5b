// The effect of a configuration's rules, sets and comparison on typed labels, line by line.

import BarcodeMessage
public import BarcodeTypes
import DeliveryModel
public import HostText
import Sinks
public import StationConfiguration

/// A trial of a configuration with a sequence of labels.
public struct RuleTrial: Sendable {
  /// A line of the result: the head names the label, the rule or the sink; a line without a head is a remark.
  public struct Line: Equatable, Sendable, Encodable {
    public var head: String?
    public var text: String
  }

  private let station: StationConfiguration
  private let moment: RuleMoment
  private var sets: SetGathering<ScanRecord>
  private var comparing: Comparing?
  public private(set) var lines: [Line] = []
  /// The number of labels scanned.
  private var count = 0

  public init(_ station: StationConfiguration, at moment: RuleMoment) {
    self.station = station
    self.moment = moment
    sets = SetGathering(station.host.sets)
    comparing = station.host.comparison.map { Comparing($0) }
  }

  /// The result of the trial for a terminal.
  public var text: String {
    lines.map { line in (line.head.map { TerminalText.safe($0) + "\t" } ?? "! ") + TerminalText.safe(line.text) + "\n" }
      .joined()
  }

  /// Scans a label: adds the effect of each rule, and the text of each sink.
  public mutating func scan(_ content: HostContent) {
    var steps: [RuleStep]? = []
    let texts = station.host.texts(of: content, for: station.sinks.map(\.hostSink), at: moment, steps: &steps)
    add("label", content.text)
    for step in steps ?? [] {
      add(
        step.rule + (step.sink.map { " for \($0)" } ?? ""), step.reason.map { "no: \($0)" } ?? "matches: \(step.text)")
    }
    if !texts.flags.isEmpty { add("flags", texts.flags.joined(separator: ", ")) }
    if texts.isOverBudget {
      remark("the rules would take too long for this label: it is sent without them")
    }
    var record = ScanRecord(
      id: ScanID(high: 0, low: 0), station: station.stationName,
      symbology: "\(content.symbology.name)", aimIdentifier: content.aimIdentifier, text: content.text,
      bytes: Array(content.text.utf8), captured: CaptureTime(unixMilliseconds: 0, bootNanoseconds: 0, bootID: ""))
    record.take(texts)
    count += 1
    if let dropper = texts.dropper {
      tellSinks(record)
      remark("dropped by \(dropper): no sink gets it")
      return
    }
    let identity = Array(record.symbology.utf8) + [0] + record.bytes
    // The labels' positions are unknown: each is placed to the right of and below the previous one.
    let part = SetPart(record, identity: identity, flags: record.flags, x: count, y: count)
    let (outcome, givenUp) = sets.take(part, at: 0)
    if let givenUp { tell(givenUp) }
    switch outcome {
    case .none: tellCompared(record, nil)
    case .waiting(let missing): remark("it waits in a set for \(list(missing))")
    case .whole(let set, let parts):
      add("set", set.name)
      let texts = parts.map { $0.item.hostText ?? $0.item.text }
      tellCompared(ScanRecord(set, parts.map { ($0.part, $0.item) }), set.verdict(texts))
    }
  }

  /// Adds the sets that are given up at the end.
  public mutating func end() { for set in sets.expire(at: .max) { tell(set) } }

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
    remark("\(set.set) is not complete without \(list(set.missing)): no sink gets it")
    let text = station.noReads.incomplete(set: set.set, missing: set.missing)
    for sink in station.sinks.map(\.hostSink) where station.noReads.reach(sink, text: text) {
      add(sink.name, text.map { "sends: \($0)" } ?? "sends a record of it")
    }
  }

  private func list(_ parts: [String]) -> String { parts.joined(separator: ", ") }

  private mutating func add(_ head: String, _ text: String) { lines.append(Line(head: head, text: text)) }

  private mutating func remark(_ text: String) { lines.append(Line(head: nil, text: text)) }
}

// MARK: What is typed

extension RuleTrial {
  /// The minute of the day of a time such as 22:30; nil if it is none.
  public static func minute(of time: String) -> Int? {
    DayPart("\(time)-\(time == "00:00" ? "00:01" : "00:00")")?.begin
  }

  /// A typed label as the content of a scan. Element strings of a GS1 symbol begin with `^`, which stands for FNC1, or are written
  /// with identifiers in parentheses.
  ///
  /// - Parameters:
  ///   - aim: the AIM symbology identifier, if it is not the usual one.
  ///   - year: the present one, to which years of two digits are near.
  public static func content(_ data: String, _ symbology: Symbology, aim: String?, year: Int) -> HostContent {
    var text = data
    var isGS1 = false
    if data.hasPrefix("("), let message = try? GS1Message(humanReadable: data) {
      (text, isGS1) = (message.elementStrings, true)
    } else if data.hasPrefix("^") || data.hasPrefix("\u{1D}") {
      (text, isGS1) = (String(data.dropFirst()).replacing("^", with: "\u{1D}"), true)
    }
    let letter = String(Unicode.Scalar(symbology.aimCodeCharacter))
    let gs1Modifiers = ["C": "1", "d": "2", "Q": "3", "z": "1"]
    let identifier = aim ?? "]\(letter)" + (isGS1 ? gs1Modifiers[letter] ?? "0" : symbology == .ean8 ? "4" : "0")
    let reading = GS1Reading(symbology: symbology, isGS1: isGS1, text: text)
    return HostContent(
      symbology: symbology, aimIdentifier: identifier, text: text, isGS1: isGS1, elements: reading?.elements ?? [],
      fields: MessageField.fields(of: text, currentYear: year))
  }
}
