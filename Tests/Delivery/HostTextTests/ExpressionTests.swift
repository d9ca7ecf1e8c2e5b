// Expressions: what they match, compared with Swift's own Regex, and their bounded cost for any expression and label.

import Testing

@testable import HostText

@Suite(.timeLimit(.minutes(2))) struct ExpressionTests {
  /// The texts of the whole match and of each group; nil if there is no match.
  private func match(_ source: String, _ text: String) throws -> [String?]? {
    var budget = RuleBudget()
    let scalars = text.unicodeScalars.map(\.value)
    guard case .match(let ranges) = try Expression(source).match(scalars, &budget) else { return nil }
    return ranges.map { range in
      range.map { String(String.UnicodeScalarView(scalars[$0].compactMap { Unicode.Scalar($0) })) }
    }
  }

  @Test(
    arguments: [
      ("TK([0-9]+)-(.*)", "TK17-a\nb", ["TK17-a\nb", "17", "a\nb"]), ("a|bc", "bc", ["bc"]), ("a|bc", "abc", nil),
      ("^abc$", "abc", ["abc"]), ("(?i)lot[a-c]x", "LOTBX", ["LOTBX"]), ("(a)?b", "b", ["b", nil]),
      (#"\d{3,5}"#, "1234", ["1234"]), (#"\d{3,5}"#, "12", nil), (#"\d{3}"#, "1234", nil),
      (#"\d{2,}"#, "1234567", ["1234567"]),
      (#"(.*?)\x1D(.*)"#, "a\u{1D}b\u{1D}c", ["a\u{1D}b\u{1D}c", "a", "b\u{1D}c"]),
      (#"(.*)\x1D(.*)"#, "a\u{1D}b\u{1D}c", ["a\u{1D}b\u{1D}c", "a\u{1D}b", "c"]),
      ("(?<lot>[^-]+)-(?:x|y)", "4711-y", ["4711-y", "4711"]), (#"[\d\]\\-]+"#, "1]\\-", ["1]\\-"]), ("[]a]+", "]a", ["]a"]),
      ("[^]a]+", "xyz", ["xyz"]), ("", "", [""]), ("", "a", nil), ("(?i)[^a]", "A", nil), (#"\W\S\D"#, "-xy", ["-xy"]),
      (".", "😀", ["😀"]),
    ] as [(String, String, [String?]?)])
  func `an expression matches the whole text or not at all`(_ source: String, _ text: String, _ expected: [String?]?) throws
  {
    #expect(try match(source, text) == expected)
  }

  @Test(
    arguments: [
      ("(", "a ( is not closed; write \\( for the character"), (")", "a ) closes nothing; write \\) for the character"),
      ("*a", "* stands behind nothing"), ("a**", "* follows another repetition"), ("[a", "a [ is not closed"),
      ("(a*)*", "the repeated part can match nothing"), ("a{3,2}", "no count from less to more"),
      ("a{x}", "a count is written such as"),
      (#"(a)\1"#, "\\1 is not read"), ("(?=a)", "looking ahead and back is not"),
      ("(?<=a)b", "looking ahead and back is not"),
      (#"\p{L}"#, "\\p is not read"), ("[z-a]", "a range goes from less to more"), ("a\\", "it ends with a backslash"),
      (".{500}.{500}", "instructions; at most 512 fit"), (#"\x1"#, "two hexadecimal digits"),
      ("(?<a>x)(?<a>y)", "each name once"), (String(repeating: "()", count: 10), "more than 9 groups"),
      (String(repeating: "(?:", count: 20), "stand inside each other"),
      (String(repeating: "a", count: 201), "write at most 200"),
      ("((((a{100}){100}){100}){100}){100}", "instructions; at most 512 fit"),
      ("a{99999999999999999999}", "a count is written"),
    ])
  func `errors in an expression are reported with a remedy`(_ source: String, _ expected: String) {
    let error = #expect(throws: ExpressionError.self) { try Expression(source) }
    #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
  }

  /// A random expression over few letters. Repeated parts cannot be empty.
  private func randomExpression(_ depth: Int, canBeNothing: Bool, _ random: inout some RandomNumberGenerator) -> String {
    func atom() -> String {
      ["a", "b", "c", ".", "[ab]", "[^b]", #"\d"#, #"\w"#, "1"].randomElement(using: &random) ?? "a"
    }
    guard depth > 0 else { return atom() }
    switch Int.random(in: 0..<7, using: &random) {
    case 0: return "(" + randomExpression(depth - 1, canBeNothing: canBeNothing, &random) + ")"
    case 1:
      return "(?:" + randomExpression(depth - 1, canBeNothing: canBeNothing, &random) + "|"
        + randomExpression(depth - 1, canBeNothing: canBeNothing, &random) + ")"
    case 2, 3:
      guard canBeNothing else { fallthrough }
      let lazy = Bool.random(using: &random) ? "?" : ""
      let count = ["*", "?", "{0,2}"].randomElement(using: &random) ?? "*"
      return "(?:" + randomExpression(depth - 1, canBeNothing: false, &random) + ")" + count + lazy
    case 4:
      let lazy = Bool.random(using: &random) ? "?" : ""
      let count = ["+", "{2}", "{1,3}", "{2,}"].randomElement(using: &random) ?? "+"
      return "(?:" + randomExpression(depth - 1, canBeNothing: false, &random) + ")" + count + lazy
    default:
      return randomExpression(depth - 1, canBeNothing: canBeNothing, &random)
        + randomExpression(depth - 1, canBeNothing: false, &random)
    }
  }

  @Test func `it matches what Swift's Regex matches, and its groups have the same text`() throws {
    var random = SystemRandomNumberGenerator()
    var matchCount = 0
    for _ in 0..<1500 {
      let source = randomExpression(4, canBeNothing: true, &random)
      guard let expression = try? Expression(source) else { continue }
      let regex = try Regex(source).matchingSemantics(.unicodeScalar).dotMatchesNewlines().asciiOnlyCharacterClasses()
      for _ in 0..<4 {
        let text = String((0..<Int.random(in: 0...8)).map { _ in "abc1".randomElement(using: &random) ?? "a" })
        let judge = try regex.wholeMatch(in: text).map { match in match.output.map { $0.substring.map(String.init) } }
        #expect(try match(expression.source, text) == judge, "\(source) in \(text)")
        if judge != nil { matchCount += 1 }
      }
    }
    #expect(matchCount > 100)
  }

  @Test(
    arguments: [
      "(?:a+)+b", "(?:a|a)*b", "(?:a|aa)+$b", "(.*)(.*)(.*)(.*)b", "(?:a?){40}a{40}b", "(?:(?:a|b)*c)*d", ".*.*.*.*.*.*x",
      "(?:[a-z]+.?)+[0-9]", "(?:(?:(?:a{1,4}){1,4}){1,4}){1,2}b",
    ])
  func `an expression that keeps a backtracking matcher busy for ever ends within its steps`(_ source: String) throws {
    let expression = try Expression(source)
    let text = Array(repeating: UInt32(0x61), count: 7000)
    var budget = RuleBudget()
    let outcome = expression.match(text, &budget)
    #expect(outcome == .none || outcome == .exhausted)
    // No character costs more steps than there are instructions, and the copies of four groups one more each.
    var short = RuleBudget()
    _ = expression.match(Array(text.prefix(50)), &short)
    #expect(RuleBudget.stepCountMax - short.stepCount <= 2 * 51 * expression.code.count)
  }
}
