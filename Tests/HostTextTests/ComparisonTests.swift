// Match codes: a scan against a reference, and counting.

import HostText
import Testing

@Suite struct ComparisonTests {
  @Test func `H4: a scan matches the reference or not, and the last of a count is full`() {
    var comparison = Comparison()
    comparison.reference = "A"
    comparison.countMax = 2
    var comparing = Comparing(comparison)
    let verdicts = ["A", "B", "A", "A", "a"].map { comparing.take($0, flags: []) }
    #expect(verdicts == [.match, .mismatch, .full, .match, .mismatch])
    #expect(Verdict.full.flags == ["match", "full"] && Verdict.mismatch.flags == ["mismatch"])
  }

  @Test func `without a reference the first compared scan is one, and only flagged scans are compared`() {
    var comparison = Comparison()
    comparison.flag = "product"
    var comparing = Comparing(comparison)
    #expect(comparing.take("X", flags: ["other"]) == nil)
    #expect(comparing.take("A", flags: ["product"]) == .match)
    #expect(comparing.take("X", flags: []) == nil)
    #expect(comparing.take("B", flags: ["product"]) == .mismatch)
    #expect(comparing.take("A", flags: ["product", "other"]) == .match)
  }
}
