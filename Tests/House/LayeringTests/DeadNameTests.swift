// Every name declared in Sources is used elsewhere in Sources: code used only by tests, or not at all, is removed. Names are
// compared regardless of their scope, so a reported name is certainly unused, but an unused namesake of a used name stays
// hidden.

import Foundation
import Testing

@Suite struct DeadNameTests {
  /// Declared here but used elsewhere: by a library, by the system, or by users of our library.
  private static let namedElsewhere: Set<String> = [
    // Requirements of protocols of the standard library and swift-metrics.
    "enqueue", "unownedExecutor", "decrement", "makeCounter", "makeMeter", "makeRecorder", "makeTimer", "destroyCounter",
    "destroyMeter", "destroyRecorder", "destroyTimer",
    // Members of JSON forms and of a kernel structure.
    "datacontenttype", "specversion", "heapFlags",
    // Entry points of programs.
    "DecoderExample", "ReticleCommand", "ScannerExample", "FuzzSymbols",
    // The library's public interface.
    "rescan",
    // A limit that tests check, as nothing has to be cut for it.
    "actionCountMax",
    // Requirements of swift-configuration's protocol.
    "fetchValue", "watchSnapshot", "watchValue",
    // The outbox's check of itself, for tests and the simulation.
    "brokenInvariant",
  ]

  /// Devices that replace real ones in tests.
  private static func isExempt(_ name: String, in path: String) -> Bool {
    name.hasPrefix("Simulated") || path.contains("/Simulated")
  }

  /// The text without comments. Names in text literals count, as they may be interpolated.
  private static func code(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.firstRange(of: /(^|\s)\/\/.*/).map { line[..<$0.lowerBound] } ?? line
    }.joined(separator: "\n")
  }

  /// The names that a text declares. Cases count if they are on a line of their own and not a pattern of a switch.
  private static func declarations(_ code: String) -> [String] {
    let declaring = /\b(?:struct|class|enum|actor|protocol|typealias|associatedtype|func|let|var) +([A-Za-z]\w*)/
    // A function for C is used by C's programs.
    let forSwift = code.replacing(#/@_cdecl\("\w+"\)\s+public func \w+/#, with: "")
    var names = forSwift.matches(of: declaring).map { String($0.1) }
    for line in code.split(separator: "\n") {
      guard let list = line.wholeMatch(of: /\s*(?:indirect )?case ([a-z][^.:?]*)/)?.1 else { continue }
      let plain = list.replacing(/\(.*\)/, with: "").replacing(#/ = .*/#, with: "")
      names += plain.split(separator: /, */).map(String.init).filter { $0.wholeMatch(of: /\w+/) != nil }
    }
    return names.filter { !["let", "var", "func", "class"].contains($0) }
  }

  /// Names that are declared and never used elsewhere, with the files that declare them.
  private static func unused(_ files: [(path: String, text: String)]) -> [String: Set<String>] {
    var uses: [Substring: Int] = [:]
    var declared: [String: (count: Int, files: Set<String>)] = [:]
    for file in files {
      let code = code(file.text)
      for word in code.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }) { uses[word, default: 0] += 1 }
      guard file.path.hasSuffix(".swift") else { continue }
      for name in declarations(code) {
        declared[name, default: (0, [])].count += 1
        declared[name, default: (0, [])].files.insert(file.path)
      }
    }
    return declared.filter { uses[$0.key[...], default: 0] <= $0.value.count }.mapValues(\.files)
  }

  @Test func `every declared name is used somewhere else`() throws {
    let walk = try #require(FileManager.default.enumerator(atPath: Checkout.sources.path))
    let files = try walk.compactMap { $0 as? String }.filter { path in
      [".swift", ".c", ".h", ".cpp"].contains { path.hasSuffix($0) }
    }
    .map { ($0, try String(contentsOf: Checkout.sources.appending(path: $0), encoding: .utf8)) }
    #expect(files.count > 300)
    var unused = Self.unused(files)
    for name in Self.namedElsewhere { #expect(unused.removeValue(forKey: name) != nil, "\(name) needs no exception") }
    for (name, paths) in unused.sorted(by: { $0.key < $1.key }) where !paths.allSatisfy({ Self.isExempt(name, in: $0) }) {
      Issue.record("\(name) is unused: \(paths.sorted().joined(separator: ", "))")
    }
  }

  @Test func `unused names are found, and nothing else`() {
    let text = """
      /// No use of lonely.
      struct Used { let lonely = 1 } // lonely
      enum Kind { case first(Int), alone
      case second }
      func run(_ kind: Kind) -> Used {
        switch kind {
        case .first(let number): print("is \\(number)"); return run(.second)
        case .second: return Used()
        }
      }
      """
    #expect(Set(Self.unused([("a.swift", text)]).keys) == ["lonely"])
    let lines = text.replacing("{ case first(Int), alone", with: "{\n  case first(Int), alone\n")
    #expect(Set(Self.unused([("a.swift", lines)]).keys) == ["lonely", "alone"])
  }
}
