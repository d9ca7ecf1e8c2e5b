// Sets of codes: complete and in order, or abandoned with the names of the missing parts.

import HostText
import Testing

@Suite struct ScanSetTests {
  private let second: Int64 = 1_000_000_000

  private func gathering(_ parts: [String], _ change: (inout ScanSet) -> Void = { _ in }) -> SetGathering<String> {
    var set = ScanSet(name: "carton", parts: parts)
    change(&set)
    return SetGathering([set])
  }

  private func part(_ text: String, _ flag: String, x: Int = 0, y: Int = 0) -> SetPart<String> {
    SetPart(text, identity: Array(text.utf8), flags: [flag], x: x, y: y)
  }

  /// The texts of a complete set, in order, or the names of the missing parts.
  private func words(_ outcome: SetGathering<String>.Outcome) -> String {
    switch outcome {
    case .none: "none"
    case .waiting(let missing): "waiting for " + missing.joined(separator: ", ")
    case .whole(_, let parts): parts.map { "\($0.part)=\($0.item)" }.joined(separator: " ")
    }
  }

  @Test func `H3: a set is complete when all parts have been scanned, in any order`() {
    var gathering = gathering(["product", "serial", "serial"])
    #expect(words(gathering.take(part("S1", "serial"), at: 0).outcome) == "waiting for product, serial")
    #expect(words(gathering.take(part("x", "other"), at: 1).outcome) == "none")
    #expect(words(gathering.take(part("P", "product"), at: 2).outcome) == "waiting for serial")
    // The same code does not count as a second one.
    #expect(words(gathering.take(part("S1", "serial"), at: 3).outcome) == "waiting for serial")
    #expect(words(gathering.take(part("S2", "serial"), at: 4).outcome) == "product=P serial=S1 serial=S2")
    #expect(gathering.nextDeadline == nil)
    #expect(words(gathering.take(part("P", "product"), at: 5).outcome) == "waiting for serial, serial")
  }

  @Test(
    arguments: [
      (.parts, "a=1 b=2 b=3"), (.scanned, "b=2 a=1 b=3"), (.leftToRight, "b=3 a=1 b=2"), (.topToBottom, "b=2 b=3 a=1"),
    ] as [(ScanSet.Order, String)])
  func `the parts are sent in the chosen order`(_ order: ScanSet.Order, _ expected: String) {
    var gathering = gathering(["a", "b", "b"]) { $0.order = order }
    _ = gathering.take(part("2", "b", x: 30, y: 10), at: 0)
    _ = gathering.take(part("1", "a", x: 20, y: 30), at: 0)
    #expect(words(gathering.take(part("3", "b", x: 10, y: 20), at: 0).outcome) == expected)
  }

  @Test func `H3: a set continues if the new configuration defines it identically, any other is abandoned`() {
    var (cartons, pairs) = (ScanSet(name: "carton", parts: ["a", "b"]), ScanSet(name: "pair", parts: ["c", "d"]))
    var earlier = SetGathering<String>([cartons, pairs])
    _ = earlier.take(part("1", "a"), at: 0)
    _ = earlier.take(part("2", "c"), at: second)
    pairs.limit = second
    cartons.name = "carton"
    var later = SetGathering<String>([pairs, cartons])
    let givenUp = later.takeOver(earlier)
    #expect(givenUp.map(\.set) == ["pair"] && givenUp.map(\.missing) == [["d"]])
    #expect(later.nextDeadline == 5 * second)
    #expect(words(later.take(part("3", "b"), at: 2 * second).outcome) == "a=1 b=3")
  }

  @Test func `H3: a set whose time is over is abandoned, with its missing parts`() {
    var gathering = gathering(["a", "b", "c"]) { $0.limit = 3 * second }
    _ = gathering.take(part("1", "a"), at: second)
    _ = gathering.take(part("3", "c"), at: 2 * second)
    #expect(gathering.nextDeadline == 4 * second)
    #expect(gathering.expire(at: 4 * second - 1).isEmpty)
    let given = gathering.expire(at: 4 * second)
    #expect(given.map(\.set) == ["carton"] && given.map(\.missing) == [["b"]] && given.map(\.parts) == [["1", "3"]])
    #expect(gathering.nextDeadline == nil && gathering.expire(at: 9 * second).isEmpty)
    #expect(words(gathering.take(part("2", "b"), at: 5 * second).outcome) == "waiting for a, c")
  }

  @Test func `a second code for a part starts the set again`() {
    var gathering = gathering(["a", "b"])
    _ = gathering.take(part("1", "a"), at: 0)
    let (outcome, given) = gathering.take(part("2", "a"), at: second)
    #expect(words(outcome) == "waiting for b")
    #expect(given?.missing == ["b"] && given?.parts == ["1"])
    #expect(words(gathering.take(part("x", "b"), at: 2 * second).outcome) == "a=2 b=x")
  }
}
