// Comments, messages, test names and pages are plain English (CONTRIBUTING, "Plain English"): expressions that do not name who
// acts, or that have a plainer form, do not come back.

import Foundation
import Testing

@Suite struct ProseTests {
  /// Expressions to avoid, and plainer ones. Lower case; each matches whole words.
  private static let expressions: [(avoided: String, instead: String)] = [
    ("nobody|no one", "name who: no client, no session"),
    ("for good", "permanently"),
    ("whoever|whatever|whichever", "anyone who, any, regardless of"),
    ("anew", "again"),
    ("of (its|their) own accord", "automatically"),
    ("(can|may|to) be had", "is available"),
    ("so many times|so many at most", "give the number a name"),
    ("(line|scan|frame|code|symbol|picture|request|attempt)s? a (second|minute|hour|day|frame|scan|line)", "per"),
    ("any ?more", "no longer"),
    ("comes? of it", "name the result"),
  ]

  private let patterns: [(pattern: Regex<AnyRegexOutput>, instead: String)] = {
    var patterns = ProseTests.expressions.map { (try! Regex("\\b(\($0.avoided))\\b").ignoresCase(), $0.instead) }
    patterns.append((try! Regex("^\\s*///? What "), "begin with the noun"))
    return patterns
  }()

  /// The part of a line of Swift that people read: its comment, a test's name, or a text of several words.
  private func prose(_ line: Substring, isLiteral: Bool, hasMessages: Bool) -> Substring? {
    if isLiteral { return line }
    if let comment = line.firstRange(of: /(^|\s)\/\/.*/) { return line[comment] }
    if let name = line.firstMatch(of: /@(Test|Suite).*func `(.*)`/)?.2 { return name }
    guard hasMessages else { return nil }
    return line.firstRange(of: /"([^"\\]|\\.)* ([^"\\]|\\.)*"/).map { line[$0] }
  }

  /// The lines of a file that are prose, with their numbers from 1.
  private func prose(of text: String, path: String) -> [(number: Int, line: Substring)] {
    let isSwift = path.hasSuffix(".swift")
    // The texts of tests are data.
    let hasMessages = !path.hasPrefix("Tests/")
    var isFenced = false
    var lines: [(Int, Substring)] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.contains(isSwift ? "\"\"\"" : "```"), line.matches(of: /"""/).count != 2 { isFenced.toggle() }
      if isSwift {
        if let prose = prose(line, isLiteral: isFenced && hasMessages, hasMessages: hasMessages) {
          lines.append((index + 1, prose))
        }
      } else if !isFenced {
        lines.append((index + 1, line))
      }
    }
    return lines
  }

  private func hits(in text: String, path: String) -> [String] {
    prose(of: text, path: path).flatMap { number, line in
      patterns.filter { line.contains($0.pattern) }.map {
        "\(path):\(number): \($0.instead): \(line.trimmingPrefix(while: { $0 == " " }))"
      }
    }
  }

  @Test func `comments, messages and pages avoid expressions that have a plainer form`() throws {
    var found: [String] = []
    for folder in ["Sources", "Tests", "docs", "deploy", "."] {
      let files =
        folder == "."
        ? ["README.md", "CHANGELOG.md"]
        : try FileManager.default.subpathsOfDirectory(atPath: Checkout.folder.appending(path: folder).path)
          .filter { $0.hasSuffix(".md") || $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
      for path in files where !path.hasSuffix("/ProseTests.swift") {
        found += hits(in: try Checkout.text(path), path: path)
      }
    }
    #expect(found.isEmpty, "\(found.count):\n\(found.sorted().joined(separator: "\n"))")
  }

  @Test func `an avoided expression is found in a comment, a message, a test name and a page, and not in code`() {
    for line in [
      "/// Kept for good.", "  say(\"kept for good\")", "  @Test func `it is kept for good`() {}", "// What it holds",
    ] {
      #expect(hits(in: line, path: "a.swift").count == 1, "\(line)")
    }
    #expect(hits(in: "case nobody, whatever", path: "a.swift").isEmpty)
    #expect(hits(in: "It is kept for good.\n```\nfor good\n```\n", path: "a.md").count == 1)
  }
}
