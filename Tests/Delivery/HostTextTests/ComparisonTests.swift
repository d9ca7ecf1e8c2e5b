// Match codes: a scan against a reference, and counting.

import HostText
import Testing

@Suite struct ComparisonTests {
  @Test func `H4: a scan matches the reference or not, and the last one of a count completes it`() {
    var comparison = Comparison()
    comparison.reference = "A"
    comparison.countMax = 2
    var comparing = Comparing(comparison)
    let verdicts = ["A", "B", "A", "A", "a"].map { comparing.take($0, flags: []) }
    #expect(verdicts == [.match, .mismatch, .full, .match, .mismatch])
    #expect(Verdict.full.flags == ["match", "full"] && Verdict.mismatch.flags == ["mismatch"])
  }

  @Test func `H4: a comparison with an unchanged definition keeps its reference and its count`() {
    var comparison = Comparison()
    comparison.countMax = 2
    var earlier = Comparing(comparison)
    #expect(earlier.take("A", flags: []) == .match)
    var later = Comparing(comparison, after: earlier)
    #expect(later.take("B", flags: []) == .mismatch && later.take("A", flags: []) == .full)
    comparison.countMax = 3
    var other = Comparing(comparison, after: earlier)
    #expect(other.take("B", flags: []) == .match)
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
