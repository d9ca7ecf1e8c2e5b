// Rules between a scan and its text, in the order in which they are written.

import BarcodeMessage
import BarcodeTypes
import HostText

extension ConfigurationKey {
  static let ruleName = Self(
    "rules[].name", .text(64), "",
    "The rule's name in logs and in the doctor's report. Default: its position, such as rule 1.")
  static let ruleSymbologies = Self(
    "rules[].when.symbology", .symbologies(Symbology.allCases.map { "\($0.name)" }), "",
    "The symbologies to which the rule "
      + "applies.")
  static let ruleLength = Self(
    "rules[].when.length", .lengths(1...8191), "", "The required number of characters in the text.")
  static let rulePrefix = Self("rules[].when.prefix", .bytes(64), "", "The required beginning of the text.")
  static let ruleMatches = Self(
    "rules[].when.matches", .text(Expression.countMax), "",
    "A regular expression that must match the whole text: characters, . [a-z] \\\\d \\\\w \\\\s, groups, alternatives, * "
      + "+ ? {2,5}, lazy repetition, and (?i) at the beginning. Look-ahead and look-behind are not supported, because "
      + "matching time is bounded.")
  static let ruleIdentifiers = Self(
    "rules[].when.ai", .texts(4), "", "GS1 application identifiers that must all be present, such as [\"01\", \"10\"].")
  static let ruleFields = Self(
    "rules[].when.field", .texts(4), "",
    "Fields that must all be present: of a driver licence, such as DBB, or data identifiers of a label, such as 1P.")
  static let ruleForSinks = Self(
    "rules[].when.sink", .texts(64), "", "Names of the sinks whose text the rule changes. Default: all.")
  static let ruleHours = Self("rules[].when.hours", .hours, "", "The time of day, in local time.")
  static let ruleScan = Self(
    "rules[].then.scan", .choice(words(RuleActions.Ending.self)), "go on",
    "What follows the rule: go on to the next rule, keep the scan without further rules, or drop it: no host gets it, but "
      + "it is counted.")
  static let ruleRewrite = Self(
    "rules[].then.rewrite", .text(TextTemplate.countMax), "",
    "The new text: words, \\\\x09, and parts in braces such as {text}, {1}, {lot}, {(01)}, {[1P]} or {(17)|date "
      + "DD.MM.YYYY}. Functions are cut, pad, pad_right, trim, replace, upper, lower and date.")
  static let ruleSinks = Self("rules[].then.sinks", .texts(64), "", "Names of the only sinks that get the scan.")
  static let ruleFlag = Self("rules[].then.flag", .text(32), "", "A word added to the record's flags.")

  /// The keys of this file.
  static let rules = [
    ruleName, ruleSymbologies, ruleLength, rulePrefix, ruleMatches, ruleIdentifiers, ruleFields, ruleForSinks, ruleHours,
    ruleScan,
    ruleRewrite, ruleSinks, ruleFlag,
  ]
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
    if reading.isWritten("\(place).name") { rule.name = reading.text(.ruleName, as: "\(place).name") ?? rule.name }
    rule.conditions = conditions("\(place).when", sinks, &reading)
    rule.actions = actions("\(place).then", rule.conditions, sinks, &reading)
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
    _ section: String, _ sinks: [String], _ reading: inout ConfigurationReading
  ) -> RuleConditions {
    var conditions = RuleConditions()
    func name(_ key: String) -> String? { reading.isWritten("\(section).\(key)") ? "\(section).\(key)" : nil }
    if let name = name("symbology") { conditions.symbologies = reading.symbologies(.ruleSymbologies, name) }
    if let name = name("length") { conditions.lengths = reading.lengths(.ruleLength, name) }
    if let name = name("prefix") {
      conditions.prefix = reading.bytes(.rulePrefix, name).map { HostTextReading.text($0) }
    }
    if let name = name("matches"), let text = reading.text(.ruleMatches, as: name) {
      do throws(ExpressionError) {
        conditions.expression = try Expression(text)
      } catch {
        reading.report("\(name) is \"\(text)\": \(error)", at: reading.place(of: name))
      }
    }
    if let name = name("ai") {
      conditions.identifiers = reading.texts(.ruleIdentifiers, at: name)
      for identifier in conditions.identifiers where !GS1Element.isIdentifier(identifier) {
        reading.report(
          "\(name) has \"\(identifier)\", which is no application identifier of GS1; write such as [\"01\", \"10\"]",
          at: reading.place(of: name))
      }
    }
    if let name = name("field") { conditions.fields = reading.texts(.ruleFields, at: name) }
    if let name = name("sink") { conditions.sinks = names(name, .ruleForSinks, sinks, &reading) }
    if let name = name("hours") { conditions.hours = reading.hours(.ruleHours, name) }
    return conditions
  }

  private static func actions(
    _ section: String, _ conditions: RuleConditions, _ sinks: [String], _ reading: inout ConfigurationReading
  ) -> RuleActions {
    var actions = RuleActions()
    func name(_ key: String) -> String? { reading.isWritten("\(section).\(key)") ? "\(section).\(key)" : nil }
    if let name = name("scan") {
      actions.ending = reading.choice(.ruleScan, RuleActions.Ending.self, name) ?? actions.ending
    }
    if let name = name("rewrite"), let text = reading.text(.ruleRewrite, as: name) {
      do throws(TemplateError) {
        actions.rewrite = try TextTemplate(text, expression: conditions.expression)
      } catch {
        reading.report("\(name) is \"\(text)\": \(error)", at: reading.place(of: name))
      }
    }
    if let name = name("sinks") { actions.sinks = names(name, .ruleSinks, sinks, &reading) }
    if let name = name("flag") { actions.flag = flag(name, &reading) }
    return actions
  }

  /// Reads a flag; flags that comparing sets itself are refused.
  private static func flag(_ name: String, _ reading: inout ConfigurationReading) -> String? {
    let flag = reading.text(.ruleFlag, as: name)
    if let flag, Comparison.ownFlags.contains(flag) {
      reading.report(
        "\(name) is \(flag), which compare and sets set themselves; choose another word", at: reading.place(of: name))
    }
    return flag
  }

  /// Reads names of existing sinks.
  private static func names(
    _ name: String, _ key: ConfigurationKey, _ sinks: [String], _ reading: inout ConfigurationReading
  ) -> [String] {
    let names = reading.texts(key, at: name)
    for one in names where !sinks.contains(one) {
      let near = nearest(to: one, among: sinks)
      reading.report(
        "\(name) has \"\(one)\", and no sink is called so; "
          + (near.map { "did you mean \($0)?" } ?? "there are \(sinks.joined(separator: ", "))"), at: reading.place(of: name)
      )
    }
    return names
  }
}
