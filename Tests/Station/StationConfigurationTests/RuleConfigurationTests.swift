// The texts of symbologies, rules, sets and comparisons in the configuration.

import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
import DeliveryModel
import Devices
import Foundation
import HostText
import ScanControl
import ScanScreen
import StationConfiguration
import Testing

@Suite struct RuleConfigurationTests {
  @Test func `the text of each symbology is chosen, in the file or the environment`() async throws {
    let configuration = try await load(
      """
      camera: {pictures: a}
      text:
        any: {suffix: \\x09, case: upper}
        upca: {form: ean13}
        databar-limited: {fnc1: "|", aim: true, control_characters: separator only}
      """, ["RETICLE_TEXT_EAN13_CHECK_DIGIT": "false", "RETICLE_TEXT_DATABAR_LIMITED_LABEL": "r"])
    var any = TextChoices()
    (any.suffix, any.letters) = ("\t", .upper)
    var limited = TextChoices()
    (limited.separator, limited.sendsAIMIdentifier, limited.controlCharacters, limited.label) = (
      "|", true, .separatorOnly, "r"
    )
    #expect(configuration.host.choices == any)
    #expect(configuration.host.choicesBySymbology[.upca]?.form == .ean13)
    #expect(configuration.host.choicesBySymbology[.databarLimited] == limited)
    #expect(configuration.host.choicesBySymbology[.ean13]?.sendsCheckDigit == false)
    #expect(configuration.host.choicesBySymbology.count == 3)
  }

  @Test(
    arguments: [
      ("ean-13: {aim: true}", "line 2: text.ean-13: there is no symbology ean-13; did you mean ean13?"),
      ("ean13: {sufix: x}", "line 2: text.ean13.sufix is not a key; did you mean text.ean13.suffix?"),
      ("ean13: {form: ean14}", "line 2: text.ean13.form is \"ean14\"; it must be one of own, upca, ean13, gtin14"),
      ("any: {suffix: \\x1}", "text.any.suffix is \"\\x1\"; it must be up to 20 ASCII characters"),
      ("qr: {check_digit: false}", "text.qr.check_digit has no effect on qr: it is for EAN, UPC and ITF-14; take it out"),
      (
        "code39: {check_digit: false}", "text.code39.check_digit has no effect on code39: write decoder.code39.check instead"
      ),
      ("itf14: {addon: joined}", "text.itf14.addon has no effect on itf14: only EAN and UPC have add-ons; take it out"),
      ("qr: true", "text.qr is a section; write its keys below it, such as text.qr.form"),
    ])
  func `errors in texts are reported with their remedy`(_ text: String, _ expected: String) async {
    let complaint = await complaint("camera: {pictures: a}\ntext: {\(text)}")
    #expect(complaint.contains(expected), "\(complaint)")
  }

  @Test func `a text that a sink cannot send, or sends twice, is an error`() async {
    func serialComplaint(_ serial: String, _ text: String) async -> String {
      await complaint(
        "camera: {pictures: a}\nsinks:\n  - serial: {device: /dev/ttyS9, \(serial)}\ntext: {any: {\(text)}}")
    }
    #expect(await serialComplaint("aim: true", "suffix: x") == "nothing is wrong")
    #expect(
      await serialComplaint("non_ascii: raw", "suffix: x").contains("line 3: the sink serial sends the bytes of symbols"))
    #expect(await serialComplaint("aim: true", "aim: true").contains("so that it comes twice; keep one"))
    #expect(await serialComplaint("commands: true", "suffix: \\x16").contains("so that the echoes of scans are commands"))
  }

  @Test func `rules are read in their order, with all conditions and actions`() async throws {
    let configuration = try await load(
      """
      camera: {pictures: a}
      sinks:
        - stdout
        - serial: {device: /dev/ttyS9}
          name: till
      rules:
        - when: {symbology: [ean13, qr], length: 4-20, prefix: "40", hours: 22:00-06:00, sink: [till]}
          then: {flag: night, sinks: [till], scan: keep}
        - when: {field: [1P, S]}
          then: {rewrite: "{[1P]}"}
        - name: lots
          when: {matches: 'LOT(?<lot>\\d+)', ai: ["01", "10"]}
          then: {rewrite: '{lot}\\x09{(10)}'}
        - then: {scan: drop}
      """)
    let rules = configuration.host.rules
    #expect(rules.map(\.name) == ["rule 1", "rule 2", "lots", "rule 4"])
    #expect(rules[0].conditions.symbologies == [.ean13, .qr])
    #expect(rules[0].conditions.lengths == 4...20)
    #expect(rules[0].conditions.prefix == "40")
    #expect(rules[0].conditions.hours == DayPart(begin: 22 * 60, end: 6 * 60))
    #expect(rules[0].conditions.sinks == ["till"])
    #expect(rules[0].actions.flag == "night" && rules[0].actions.sinks == ["till"] && rules[0].actions.ending == .keep)
    #expect(rules[1].conditions.fields == ["1P", "S"])
    #expect(rules[2].conditions.expression?.source == #"LOT(?<lot>\d+)"#)
    #expect(rules[2].conditions.identifiers == ["01", "10"])
    #expect(rules[2].actions.rewrite?.source == #"{lot}\x09{(10)}"#)
    #expect(rules[3].conditions == RuleConditions() && rules[3].actions.ending == .drop)
  }

  @Test(
    arguments: [
      (
        "then: {flag: x}}, {name: rule 1, then: {flag: y}",
        "rules.1 is called rule 1 like another rule; give it a name of its own"
      ),
      ("when: {prefix: x}", "line 2: rules.0 does nothing; write then: with scan, rewrite, sinks or flag"),
      ("then: {scan: drop, rewrite: x}", "rules.0 drops the scan, so that its rewrite and its sinks have no effect"),
      (
        "when: {matches: '('}, then: {flag: x}",
        "rules.0.when.matches is \"(\": a ( is not closed; write \\( for the character"
      ),
      (
        "then: {rewrite: '{1}'}",
        "rules.0.then.rewrite is \"{1}\": {1}: the expression has 0 groups; put the part that you need in (…)"
      ),
      ("when: {ai: ['01', '05']}, then: {flag: x}", "rules.0.when.ai has \"05\", which is no application identifier of GS1"),
      (
        "when: {sink: [stdou]}, then: {flag: x}",
        "rules.0.when.sink has \"stdou\", and no sink is called so; did you mean stdout?"
      ),
      ("then: {sinks: [till-12]}", "rules.0.then.sinks has \"till-12\", and no sink is called so; there are stdout"),
      (
        "when: {hours: 8-9}, then: {flag: x}",
        "rules.0.when.hours is \"8-9\"; it must be two times of day, such as 08:00-17:30"
      ),
      (
        "when: {symbology: [ean-13]}, then: {flag: x}", "rules.0.when.symbology is \"ean-13\"; it must be a list chosen from"
      ),
      ("drop: true", "rules.0.drop is not a key; rules.0 has name, when, then"),
      ("when: {lenght: 3}, then: {flag: x}", "rules.0.when.lenght is not a key; did you mean rules.0.when.length?"),
    ])
  func `errors in a rule are reported with their line and remedy`(_ rule: String, _ expected: String) async {
    let complaint = await complaint("camera: {pictures: a}\nrules: [{\(rule)}]")
    #expect(complaint.contains(expected) && complaint.contains("line 2: "), "\(complaint)")
  }

  @Test func `sets are read with their parts, and their errors are reported`() async throws {
    let rules = "camera: {pictures: a}\nrules: [{then: {flag: product}}, {then: {flag: serial}}]\n"
    let sets = try await load(
      rules + """
        sets:
          - name: carton
            parts: [product, serial, serial]
            order: left to right
            separator: "|"
            within: 1500 ms
        """
    ).host.sets
    var expected = ScanSet(name: "carton", parts: ["product", "serial", "serial"])
    (expected.order, expected.separator, expected.limit) = (.leftToRight, "|", 1_500_000_000)
    #expect(sets == [expected])
    for (yaml, told) in [
      ("[{parts: [product]}]", "sets.0.parts has 1 parts; write 2 to 32, such as [product, serial]"),
      ("[{parts: [product, seriel]}]", "sets.0.parts has seriel, and no rule sets this flag; did you mean serial?"),
      ("[{parts: [product, weight]}]", "write a rule with then: {flag: weight}"), ("[x]", "sets"),
      ("[{name: a, parts: [product, product]}, {name: a, parts: [serial, serial]}]", "sets.1 is called a like another set"),
      ("[{parts: [product, serial]}, {parts: [product, product]}]", "which is a part of another set"),
    ] {
      #expect(await complaint(rules + "sets: " + yaml).contains(told), "\(yaml)")
    }
  }

  @Test func `the comparison is read, and checked against the rules`() async throws {
    let rules = "camera: {pictures: a}\nrules: [{then: {flag: product}}]\n"
    let comparison = try await load(rules + "compare: {reference: AB 1, flag: product, count: 24}").host.comparison
    #expect(comparison?.reference == "AB 1" && comparison?.flag == "product" && comparison?.countMax == 24)
    #expect(try await load(rules).host.comparison == nil)
    #expect(await complaint(rules + "compare: {flag: prodct}").contains("no rule sets this flag; did you mean product?"))
    #expect(
      await complaint("camera: {pictures: a}\nrules: [{then: {flag: match}}]").contains(
        "which compare and sets set themselves"))
    let set = try await load(rules + "sets: [{parts: [product, product], match: true}]").host.sets
    #expect(set.map(\.mustMatch) == [true])
  }

  @Test func `rules are a list of sections`() async {
    for wrong in ["rules: []", "rules: x", "rules: {then: {flag: x}}"] {
      #expect(await complaint("camera: {pictures: a}\n\(wrong)").contains("rules"), "\(wrong)")
    }
    #expect(
      await complaint("camera: {pictures: a}\nrules: [x, {then: {flag: x}}]").contains("rules.0 must be a rule, such as"))
  }
}
