// The accepted cost of each frame by stage: the table in docs/tuning.md, which the gate compares with what it counts.

import Foundation
import Testing

/// Thousands of instructions by stage, a row per stage and one of all, and by frame, a column per frame.
struct CostTable: Equatable {
  static let page = Place.package.appending(path: "docs/tuning.md")
  private static let (begin, end) = ("<!-- instructions -->\n", "<!-- end of instructions -->")
  private static let total = "all"

  var frames: [String]
  /// By stage, and `total`; a number per frame.
  var rows: [(stage: String, thousands: [Int])]

  static func == (one: CostTable, other: CostTable) -> Bool { one.text == other.text }

  /// - Parameter counts: instructions by frame, and by stage in the order of `CostStage.all`.
  init(_ counts: [(name: String, byStage: [Int])]) {
    func thousands(_ count: Int) -> Int { (count + 500) / 1000 }
    frames = counts.map(\.name)
    rows = CostStage.all.indices.map { index in (CostStage.all[index].name, counts.map { thousands($0.byStage[index]) }) }
    rows.append((Self.total, counts.map { thousands($0.byStage.reduce(0, +)) }))
  }

  /// The table in the page, and the compiler that made its program.
  static func accepted() throws -> (table: CostTable, compiler: String) {
    let (_, part, _) = try parts()
    let lines = part.split(separator: "\n")
    let cells = lines.filter { $0.hasPrefix("| ") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let heads = try #require(cells.first, "docs/tuning.md has no table of instructions")
    var table = CostTable([])
    table.frames = Array(heads.dropFirst())
    table.rows = try cells.dropFirst().map { row in (row[0], try row.dropFirst().map { try #require(Int($0)) }) }
    return (table, String(lines.first ?? ""))
  }

  /// Writes the table to the page.
  func accept(compiler: String) throws {
    let (head, _, rest) = try Self.parts()
    try (head + Self.begin + compiler + "\n\n" + text + Self.end + rest).write(
      to: Self.page, atomically: true, encoding: .utf8)
  }

  private static func parts() throws -> (head: String, part: String, rest: String) {
    let page = try String(contentsOf: page, encoding: .utf8)
    let from = try #require(page.range(of: begin))
    let to = try #require(page.range(of: end))
    return (
      String(page[..<from.lowerBound]), String(page[from.upperBound..<to.lowerBound]), String(page[to.upperBound...])
    )
  }

  var text: String {
    func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }
    return line(["stage"] + frames) + "|" + String(repeating: "---|", count: frames.count + 1) + "\n"
      + rows.map { line([$0.stage] + $0.thousands.map(String.init)) }.joined()
  }

  /// The stages and frames that differ from an accepted table by more than the tolerance, a sentence for each.
  func differences(from accepted: CostTable) -> (dearer: [String], cheaper: [String]) {
    guard frames == accepted.frames, rows.map(\.stage) == accepted.rows.map(\.stage) else {
      return (["the table has other stages or frames: run deploy/instructions --accept"], [])
    }
    var (dearer, cheaper): ([String], [String]) = ([], [])
    for (now, before) in zip(rows, accepted.rows) {
      for (index, frame) in frames.enumerated() {
        let (now, before, stage) = (now.thousands[index], before.thousands[index], now.stage)
        let allowed = max(Double(before) * Self.tolerance, Self.leastThousands)
        guard abs(Double(now - before)) > allowed else { continue }
        let change = before == 0 ? "" : ", \(now > before ? "+" : "")\((now - before) * 100 / before) %"
        let sentence = "\(frame): \(stage): \(now) thousand instructions instead of \(before)\(change)"
        if now > before { dearer.append(sentence) } else { cheaper.append(sentence) }
      }
    }
    return (dearer, cheaper)
  }

  /// The share by which a frame or a stage of it may exceed its accepted cost, and the least that counts, in thousands: a stage that
  /// costs little changes by more when the compiler inlines other functions.
  private static let tolerance = 0.03
  private static let leastThousands = 10.0
}
