// The pages that list symbologies, against the catalogue: each names every one of them once, in the catalogue's order.

import BarcodeTypes
import Foundation
import Testing

@Suite struct CatalogueTests {
  private static let names = Symbology.allCases.map { "\($0.name)" }

  private static func page(_ path: String) throws -> String {
    let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: checkout.appending(path: path), encoding: .utf8)
  }

  @Test func `ids and titles are unique`() {
    #expect(Set(Self.names).count == Symbology.count)
    #expect(Set(Symbology.allCases.map { "\($0.title)" }).count == Symbology.count)
  }

  @Test func `README has a row of limits for each symbology`() throws {
    let rows = try Self.page("README.md").matches(of: /(?m)^\| `([a-z0-9-]+)` \|/).map { String($0.1) }
    #expect(rows == Self.names)
  }

  @Test func `README's rows say which symbologies are looked for on request only`() throws {
    let rows = try Self.page("README.md").matches(of: /(?m)^\| `([a-z0-9-]+)` \|.*looked for on request \|$/).map {
      String($0.1)
    }
    #expect(rows == Symbology.allCases.filter { !SymbologySet.onByDefault.contains($0) }.map { "\($0.name)" })
  }

  @Test func `help names the symbologies and those that are off by default`() throws {
    let run = try CommandRun("help", "scan")
    let others = Symbology.allCases.filter { !SymbologySet.onByDefault.contains($0) }.map { "\($0.name)" }
    let help = run.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      help.contains("out of \(Self.names.joined(separator: ", ")). (default: all but \(others.joined(separator: ", ")))"))
  }
}
