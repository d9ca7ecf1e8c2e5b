// docs/behaviour.md lists every behaviour with its code and its tests, and code and tests cite its rows. These tests check
// both directions.

import Foundation
import Testing

@Suite struct BehaviourTests {
  private static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// A row of the page.
  private struct Row {
    let id: String
    /// Names of source files, and names of test files without their extension.
    let code: [String]
    let tests: [String]
    /// Names of tests that fail without the behaviour.
    let failing: [String]
  }

  /// The rows, and the sections named by headings.
  private static func page() throws -> (rows: [Row], sections: Set<String>) {
    let text = try String(contentsOf: checkout.appending(path: "docs/behaviour.md"), encoding: .utf8)
    var rows: [Row] = []
    var sections: Set<String> = []
    func names(_ cell: Substring) -> [String] { cell.matches(of: #/`([^`]+)`/#).map { String($0.1) } }
    for line in text.split(separator: "\n") {
      if let section = line.firstMatch(of: #/^## (§[0-9]+) /#) { sections.insert(String(section.1)) }
      guard let id = line.firstMatch(of: #/^\| ((?:§|[A-Z])[0-9]+) \|/#)?.1 else { continue }
      let cells = line.split(separator: " | ", omittingEmptySubsequences: false)
      try #require(cells.count == 5, "\(line)")
      let failing = cells[4].matches(of: #/"([^"]+)"/#).map { String($0.1) }
      rows.append(Row(id: String(id), code: names(cells[2]), tests: names(cells[3]), failing: failing))
    }
    return (rows, sections)
  }

  /// Swift files under a folder, with their names.
  private static func files(_ folder: String) throws -> [(name: String, text: String)] {
    let root = checkout.appending(path: folder)
    let walk = try #require(FileManager.default.enumerator(atPath: root.path))
    return try walk.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.map { path in
      (URL(filePath: path).lastPathComponent, try String(contentsOf: root.appending(path: path), encoding: .utf8))
    }
  }

  /// The rows and sections that a file cites, in a comment or at the beginning of a test's name.
  private static func citations(_ text: String) -> Set<String> {
    var cited: Set<String> = []
    func add(_ list: Substring) {
      for id in list.matches(of: #/(?:§|[A-Z])[0-9]+/#) { cited.insert(String(id.0)) }
    }
    for citation in text.matches(of: #/[Bb]ehaviour ((?:§|[A-Z])[0-9]+(?:(?:, | and )(?:behaviour )?(?:§|[A-Z])[0-9]+)*)/#) {
      add(citation.1)
    }
    for name in text.matches(of: #/func `((?:§|[A-Z])[0-9]+(?:, (?:§|[A-Z])[0-9]+)*): /#) { add(name.1) }
    return cited
  }

  @Test func `every row and section that code or tests cite is on the page`() throws {
    let (rows, sections) = try Self.page()
    let known = sections.union(rows.map(\.id))
    var citationCount = 0
    for folder in ["Sources", "Tests"] {
      for (name, text) in try Self.files(folder) where name != "BehaviourTests.swift" {
        for id in Self.citations(text) {
          citationCount += 1
          #expect(known.contains(id), "\(name) cites \(id)")
        }
      }
    }
    #expect(citationCount > 200)
  }

  @Test func `every row names existing code, and exactly the tests that cite it`() throws {
    let sources = Set(try Self.files("Sources").map(\.name))
    var citing: [String: Set<String>] = [:]
    for (name, text) in try Self.files("Tests") where name != "BehaviourTests.swift" {
      for id in Self.citations(text) { citing[id, default: []].insert(name.replacing(".swift", with: "")) }
    }
    let (rows, _) = try Self.page()
    #expect(rows.count > 40 && Set(rows.map(\.id)).count == rows.count)
    for row in rows {
      #expect(!row.code.isEmpty, "\(row.id) has no code")
      for file in row.code { #expect(sources.contains(file), "\(row.id): there is no \(file)") }
      #expect(!row.tests.isEmpty, "\(row.id) has no test")
      #expect(Set(row.tests) == citing[row.id] ?? [], "\(row.id)")
    }
  }

  @Test func `every row names an existing test that fails without its behaviour`() throws {
    var names: Set<String> = []
    for (_, text) in try Self.files("Tests") {
      for name in text.matches(of: #/func `([^`]+)`/#) { names.insert(String(name.1)) }
    }
    for row in try Self.page().rows {
      #expect(!row.failing.isEmpty, "\(row.id)")
      for name in row.failing { #expect(names.contains(name), "\(row.id): \(name)") }
    }
  }

  @Test func `citations are found in comments and in names of tests`() {
    let text = """
      // Behaviour C1, C3: a camera.
      /// Off (behaviour T1 and T3), as in behaviour §3.
      func `S0, N2: a name`() {}
      """
    #expect(Self.citations(text) == ["C1", "C3", "T1", "T3", "§3", "S0", "N2"])
  }
}
