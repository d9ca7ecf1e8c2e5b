// A rule between a scan and its text: its conditions and its actions.

import BarcodeMessage
public import BarcodeTypes

/// A period of the day, in minutes from midnight.
public struct DayPart: Equatable, Sendable {
  /// The first minute, 0…1439.
  public var begin: Int
  /// The minute at which it ends; if it is before `begin`, it belongs to the next day.
  public var end: Int

  public static let minuteCount = 24 * 60

  public init(begin: Int, end: Int) { (self.begin, self.end) = (begin, end) }

  /// Reads `08:00-17:30`.
  public init?(_ text: String) {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).compactMap { end -> Int? in
      let parts = end.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, parts[1].utf8.count == 2, (1...2).contains(parts[0].utf8.count), let hour = Int(parts[0]),
        let minute = Int(parts[1]), (0...24).contains(hour), (0...59).contains(minute),
        hour * 60 + minute <= Self.minuteCount
      else { return nil }
      return hour * 60 + minute
    }
    guard ends.count == 2, text.split(separator: "-", omittingEmptySubsequences: false).count == 2, ends[0] != ends[1],
      ends[0] < Self.minuteCount
    else { return nil }
    self.init(begin: ends[0], end: ends[1])
  }

  func contains(_ minute: Int) -> Bool {
    begin < end ? (begin..<end).contains(minute) : minute >= begin || minute < end
  }
}

/// The conditions of a rule. Nil or empty ones are ignored; all others must hold.
public struct RuleConditions: Equatable, Sendable {
  public var symbologies: SymbologySet?
  /// Allowed lengths of the text, in characters.
  public var lengths: ClosedRange<Int>?
  public var prefix: String?
  /// Must match the whole text.
  public var expression: Expression?
  /// GS1 application identifiers that must all be present.
  public var identifiers: [String] = []
  /// Fields of a licence or label that must all be present.
  public var fields: [String] = []
  /// The sinks to which the rule applies.
  public var sinks: [String] = []
  public var hours: DayPart?

  public init() {}
}

/// The actions of a rule on a scan that it matches.
public struct RuleActions: Equatable, Sendable {
  /// How processing continues after the rule.
  public enum Ending: String, CaseIterable, Sendable {
    /// The next rule examines the scan, with its present text.
    case goOn = "go on"
    /// No further rule examines the scan.
    case keep
    /// The scan is dropped: no host gets it.
    case drop
  }

  public var ending = Ending.goOn
  public var rewrite: TextTemplate?
  /// The sinks that get the scan; empty: no change.
  public var sinks: [String] = []
  /// A flag for the record.
  public var flag: String?

  public init() {}

  public var isEmpty: Bool { self == RuleActions() }
}

/// A rule between scans and texts.
public struct Rule: Equatable, Sendable {
  /// The most rules of a station.
  public static let countMax = 64

  public var name: String
  public var conditions = RuleConditions()
  public var actions = RuleActions()

  public init(name: String) { self.name = name }
}

/// The time of a scan, for rules.
public struct RuleMoment: Equatable, Sendable {
  /// Local time, from midnight.
  public var minuteOfDay: Int
  public var year: Int

  public init(minuteOfDay: Int, year: Int) { (self.minuteOfDay, self.year) = (minuteOfDay, year) }
}

/// The effect of a rule on a scan, for display.
public struct RuleStep: Equatable, Sendable {
  public var rule: String
  /// The sink concerned; nil: all sinks that no rule names.
  public var sink: String?
  /// Why the rule did not match; nil if it did.
  public var reason: String?
  /// The text after the rule.
  public var text: String
}

/// The effect of all rules on a scan, for one sink or for all sinks that no rule names.
struct RuleRun {
  var message: HostMessage
  var isRewritten = false
  var flags: [String] = []
  /// The sinks that get the scan; nil: all.
  var sinks: Set<String>?
  /// The rule that dropped the scan.
  var dropper: String?
  /// The indices of the rules that matched.
  var matched: Set<Int> = []
}

extension [Rule] {
  /// Applies the rules in order.
  ///
  /// - Parameters:
  ///   - message: the data before the first rule.
  ///   - sink: the sink concerned, if a rule names it.
  func run(
    _ message: HostMessage, of content: HostContent, for sink: String?, at moment: RuleMoment,
    _ budget: inout RuleBudget, _ steps: inout [RuleStep]?
  ) -> RuleRun {
    var run = RuleRun(message: message)
    for (index, rule) in enumerated() {
      let reason = rule.apply(to: &run, of: content, for: sink, at: moment, &budget)
      if reason == nil { run.matched.insert(index) }
      steps?.append(RuleStep(rule: rule.name, sink: sink, reason: reason, text: run.message.text()))
      if budget.isExhausted || reason == nil && rule.actions.ending != .goOn { break }
    }
    return run
  }
}

extension Rule {
  /// Applies the rule if it matches; otherwise returns the reason why not.
  fileprivate func apply(
    to run: inout RuleRun, of content: HostContent, for sink: String?, at moment: RuleMoment, _ budget: inout RuleBudget
  ) -> String? {
    if let symbologies = conditions.symbologies, !symbologies.contains(content.symbology) {
      return "the symbology is \(content.symbology.name)"
    }
    if !conditions.sinks.isEmpty, sink.map(conditions.sinks.contains) != true {
      return "it is for \(conditions.sinks.joined(separator: ", "))"
    }
    if let hours = conditions.hours, !hours.contains(moment.minuteOfDay) { return "it is another time of day" }
    let count = run.message.scalars.count
    if let lengths = conditions.lengths, !lengths.contains(count) { return "the text has \(count) characters" }
    if let prefix = conditions.prefix {
      let wanted = prefix.unicodeScalars.map(\.value)
      guard run.message.scalars.lazy.map(\.value).starts(with: wanted) else { return "the text begins otherwise" }
    }
    for identifier in conditions.identifiers where !content.elements.contains(where: { $0.identifier == identifier }) {
      return "there is no (\(identifier))"
    }
    for field in conditions.fields where !content.fields.contains(where: { $0.identifier == field }) {
      return "there is no field \(field)"
    }
    var groups: [Range<Int>?] = [0..<count]
    if let expression = conditions.expression {
      guard budget.spend(count) else { return RuleBudget.reason }
      switch expression.match(run.message.scalars.map(\.value), &budget) {
      case .none: return "the expression does not match"
      case .exhausted: return RuleBudget.reason
      case .match(let found): groups = found
      }
    }
    if let rewrite = actions.rewrite {
      let source = TemplateSource(message: run.message, groups: groups, content: content, year: moment.year)
      do throws(TemplateProblem) {
        run.message = try rewrite.message(of: source, &budget)
        run.isRewritten = true
      } catch {
        return error.description
      }
    }
    if let flag = actions.flag, !run.flags.contains(flag) { run.flags.append(flag) }
    if !actions.sinks.isEmpty { run.sinks = Set(actions.sinks) }
    if actions.ending == .drop { run.dropper = name }
    return nil
  }
}

extension RuleBudget {
  static let reason = "the rules have used up the steps of a scan"
}
