// Rules between a scan and its text, in the order in which they are written.

import BarcodeMessage
import BarcodeTypes
import HostText

/// A rule's keys, while they are read.
struct WrittenRule {
  var name: String?
  var conditions = RuleConditions()
  /// A regular expression.
  var matches: String?
  var actions = RuleActions()
  /// A template.
  var rewrite: String?

  static let nameKeys = KeySection(
    "rules[]", WrittenRule(),
    [
      Field(
        "name", \.name, .optional(.text(64)),
        "The rule's name in logs and in the doctor's report. Default: its position, such as rule 1.")
    ])

  static let conditionKeys = KeySection(
    "rules[].when", WrittenRule(),
    [
      Field(
        "symbology", \.conditions.symbologies, .optional(.symbologies(.all)), "The symbologies to which the rule applies."),
      Field("length", \.conditions.lengths, .optional(.range(1...8191)), "The required number of characters in the text."),
      Field("prefix", \.conditions.prefix, .optional(.bytes(64)), "The required beginning of the text."),
      Field(
        "matches", \.matches, .optional(.text(Expression.countMax)),
        "A regular expression that must match the whole text: characters, . [a-z] \\\\d \\\\w \\\\s, groups, "
          + "alternatives, * + ? {2,5}, lazy repetition, and (?i) at the beginning. Look-ahead and look-behind are not "
          + "supported, because matching time is bounded."),
      Field(
        "ai", \.conditions.identifiers, .texts(4),
        "GS1 application identifiers that must all be present, such as [\"01\", \"10\"]."),
      Field(
        "field", \.conditions.fields, .texts(4),
        "Fields that must all be present: of a driver licence, such as DBB, or data identifiers of a label, such as 1P."),
      Field("sink", \.conditions.sinks, .texts(64), "Names of the sinks whose text the rule changes. Default: all."),
      Field("hours", \.conditions.hours, .optional(.hours), "The time of day, in local time."),
    ])

  static let actionKeys = KeySection(
    "rules[].then", WrittenRule(),
    [
      Field(
        "scan", \.actions.ending, .choice,
        "What follows the rule: go on to the next rule, keep the scan without further rules, or drop it: no host gets "
          + "it, but it is counted."),
      Field(
        "rewrite", \.rewrite, .optional(.text(TextTemplate.countMax)),
        "The new text: words, \\\\x09, and parts in braces such as {text}, {1}, {lot}, {(01)}, {[1P]} or {(17)|date "
          + "DD.MM.YYYY}. Functions are cut, pad, pad_right, trim, replace, upper, lower and date."),
      Field("sinks", \.actions.sinks, .texts(64), "Names of the only sinks that get the scan."),
      Field("flag", \.actions.flag, .optional(.text(32)), "A word added to the record's flags."),
    ])

  /// The rows of these keys in the table.
  static var rows: [ConfigurationKey] { nameKeys.rows + conditionKeys.rows + actionKeys.rows }
}

/// Reads the list `rules`.
struct RuleReading {
  private static let list = ConfigurationReading.rulesName
  private static let example = "- when: {prefix: \"S\"} and below it then: {scan: drop}"

  /// - Parameter sinks: the names of the sinks.
  static func read(_ reading: inout ConfigurationReading, sinks: [String]) -> [Rule] {
    guard reading.file.sections[list] != nil || reading.file.entries[list] != nil else { return [] }
    let places = reading.places(in: list)
    guard !places.isEmpty, places.count <= Rule.countMax else {
      reading.takeOver(list)
      reading.report(
        "\(list) must be a list of 1 to \(Rule.countMax) rules, such as \(example)", at: reading.place(of: list))
      return []
    }
    var rules: [Rule] = []
    for (index, place) in places.enumerated() {
      guard reading.file.sections[place] != nil else {
        reading.takeOver(place)
        reading.report("\(place) must be a rule, such as \(example)", at: reading.place(of: place))
        continue
      }
      let rule = rule(place, index, sinks, &reading)
      if rules.contains(where: { $0.name == rule.name }) {
        reading.report(
          "\(place) is called \(rule.name) like another rule; give it a name of its own", at: reading.place(of: place))
      }
      rules.append(rule)
    }
    return rules
  }

  private static func rule(
    _ place: String, _ index: Int, _ sinks: [String], _ reading: inout ConfigurationReading
  ) -> Rule {
    let problemCount = reading.problems.count
    var rule = Rule(name: "rule \(index + 1)")
    var written = WrittenRule()
    WrittenRule.nameKeys.read(place, onlyWritten: true, &reading, into: &written)
    rule.name = written.name ?? rule.name
    rule.conditions = conditions("\(place).when", &written, sinks, &reading)
    rule.actions = actions("\(place).then", written, rule.conditions, sinks, &reading)
    guard reading.problems.count == problemCount else { return rule }
    if rule.actions.isEmpty {
      reading.report(
        "\(place) does nothing; write then: with scan, rewrite, sinks or flag", at: reading.place(of: place))
    } else if rule.actions.ending == .drop, rule.actions.rewrite != nil || !rule.actions.sinks.isEmpty {
      reading.report(
        "\(place) drops the scan, so that its rewrite and its sinks have no effect; take them out, or write scan: keep",
        at: reading.place(of: "\(place).then"))
    }
    return rule
  }

  private static func conditions(
    _ section: String, _ written: inout WrittenRule, _ sinks: [String], _ reading: inout ConfigurationReading
  ) -> RuleConditions {
    WrittenRule.conditionKeys.read(section, onlyWritten: true, &reading, into: &written)
    var conditions = written.conditions
    if let text = written.matches {
      do throws(ExpressionError) {
        conditions.expression = try Expression(text)
      } catch {
        reading.report("\(section).matches is \"\(text)\": \(error)", at: reading.place(of: "\(section).matches"))
      }
    }
    for identifier in conditions.identifiers where !GS1Element.isIdentifier(identifier) {
      reading.report(
        "\(section).ai has \"\(identifier)\", which is no application identifier of GS1; write such as [\"01\", \"10\"]",
        at: reading.place(of: "\(section).ai"))
    }
    checkNames(conditions.sinks, "\(section).sink", sinks, &reading)
    return conditions
  }

  private static func actions(
    _ section: String, _ written: WrittenRule, _ conditions: RuleConditions, _ sinks: [String],
    _ reading: inout ConfigurationReading
  ) -> RuleActions {
    var written = written
    WrittenRule.actionKeys.read(section, onlyWritten: true, &reading, into: &written)
    var actions = written.actions
    if let text = written.rewrite {
      do throws(TemplateError) {
        actions.rewrite = try TextTemplate(text, expression: conditions.expression)
      } catch {
        reading.report("\(section).rewrite is \"\(text)\": \(error)", at: reading.place(of: "\(section).rewrite"))
      }
    }
    checkNames(actions.sinks, "\(section).sinks", sinks, &reading)
    if let flag = actions.flag, Comparison.ownFlags.contains(flag) {
      reading.report(
        "\(section).flag is \(flag), which compare and sets set themselves; choose another word",
        at: reading.place(of: "\(section).flag"))
    }
    return actions
  }

  /// Reports names of sinks that do not exist.
  private static func checkNames(
    _ names: [String], _ key: String, _ sinks: [String], _ reading: inout ConfigurationReading
  ) {
    for name in names where !sinks.contains(name) {
      let near = nearest(to: name, among: sinks)
      reading.report(
        "\(key) has \"\(name)\", and no sink is called so; "
          + (near.map { "did you mean \($0)?" } ?? "there are \(sinks.joined(separator: ", "))"), at: reading.place(of: key))
    }
  }
}

extension ValueForm<ClosedRange<Int>> {
  fileprivate static func range(_ range: ClosedRange<Int>) -> Self {
    Self(.lengths(range), { ConfigurationParsing.lengths($0, in: range) }) { "\($0.lowerBound)-\($0.upperBound)" }
  }
}
