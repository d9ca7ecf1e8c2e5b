// Checks the drawings in docs/architecture.md and the README against Package.swift and the sources, so that none becomes
// outdated.

import Foundation
import Testing

@Suite struct DrawingTests {
  /// The lines between a page's heading and the next one.
  private static func section(_ heading: String, of page: String) throws -> [Substring] {
    let lines = try Checkout.text(page).split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0 == "## " + heading }, "\(page) has no \(heading)")
    return Array(lines[(start + 1)...].prefix { !$0.hasPrefix("## ") })
  }

  /// The targets of Package.swift other than tests, with the targets on which each depends.
  private static func package() throws -> [String: Set<String>] {
    let rooms = Set(FloorTable.rooms.map(\.name))
    var targets: [String: Set<String>] = [:]
    let parts = try Checkout.text("Package.swift").split(
      separator: /\n    \.(?=(?:target|executableTarget|systemLibrary|testTarget)\()/)
    for part in parts.dropFirst() where !part.hasPrefix("testTarget") && !part.contains("path: \"Tests/") {
      let name = try #require(part.firstMatch(of: /name: "([^"]+)"/)?.1, "\(part)")
      let words = part.matches(of: /"([^"]+)"/).map { String($0.1) }
      targets[String(name)] = Set(words).intersection(rooms).subtracting([String(name)])
    }
    return targets
  }

  @Test func `Package.swift and the table of floors have the same targets, and each the same dependencies`() throws {
    let package = try Self.package()
    #expect(package.count > 40)
    #expect(Set(package.keys) == Set(FloorTable.rooms.map(\.name)))
    for room in FloorTable.rooms { #expect(package[room.name] == Set(room.rooms), "\(room.name)") }
  }

  @Test func `only the trait Station asks for other packages, and the decoder's products do without them`() throws {
    let manifest = try Checkout.text("Package.swift")
    // The single use is in the function that all others call.
    #expect(manifest.ranges(of: ".product(").count == 1)
    #expect(manifest.contains("condition: .when(traits: [\"Station\"])"))
    for name in ["BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "PictureFiles", "Devices"] {
      let target = manifest.split(separator: /\n    \.(?=target\()/).first {
        $0.contains("name: \"\(name)\"") && $0.hasPrefix("target")
      }
      #expect(target?.contains(".station(") == false, "\(name)")
    }
  }

  @Test func `the drawing of the floors shows every target on its floor, and nothing else`() throws {
    var floor = 0
    var drawn: [String: Int] = [:]
    for line in try Self.section("Floors", of: "docs/architecture.md") {
      guard let row = line.wholeMatch(of: #/ ([0-9 ]) │ (.+)/#) else { continue }
      if let number = Int(row.1) { floor = number }
      for name in row.2.split(separator: " ") { drawn[String(name)] = floor }
    }
    #expect(drawn == Dictionary(uniqueKeysWithValues: FloorTable.rooms.map { ($0.name, $0.floor) }))
  }

  @Test(arguments: ["One frame's way", "One key's way", "One scan's way"])
  func `each stop on a drawn way is declared in the file next to it`(way: String) throws {
    var count = 0
    for line in try Self.section(way, of: "docs/architecture.md") {
      guard let stop = line.firstMatch(of: /[▼▶] (\w+) +(\S+\.swift)  +\S/) else {
        #expect(!line.contains(".swift"), "\(line)")
        continue
      }
      count += 1
      let source = try String(contentsOf: Checkout.source(stop.2), encoding: .utf8)
      let declaration = try Regex("\\b(?:class|struct|enum|actor|protocol|func) \(stop.1)\\b")
      #expect(source.contains(declaration), "\(stop.2) declares no \(stop.1)")
    }
    #expect(count > 5)
  }

  @Test func `the README's way of a frame names existing files and folders`() throws {
    var count = 0
    for line in try Self.section("Follow one frame", of: "README.md") where line.hasPrefix("| ") {
      guard let cells = line.wholeMatch(of: /\| [0-9]+ \| .+ \| (.+) \|/) else { continue }
      // A name without a target is in the folder of the previous one.
      var folder = Checkout.sources
      for name in cells.1.matches(of: /`([^`]+)`/).map({ String($0.1) }) {
        let isWhole = FileManager.default.fileExists(atPath: Checkout.source(name).path)
        let file = isWhole ? Checkout.source(name) : folder.appending(path: name)
        #expect(FileManager.default.fileExists(atPath: file.path), "\(name)")
        folder = file.deletingLastPathComponent()
        count += 1
      }
    }
    #expect(count > 15)
  }

  @Test func `each area holds the targets that the page and Package.swift list for it, in the same order of areas`() throws {
    var listed: [(area: String, targets: [String])] = []
    for line in try Self.section("Areas", of: "docs/architecture.md") {
      guard let row = line.wholeMatch(of: /\| `([A-Za-z]+)` \| [^|]+ \| ([^|]+) \|/) else { continue }
      listed.append((String(row.1), row.2.matches(of: /`([^`]+)`/).map { String($0.1) }))
    }
    for (area, targets) in listed {
      #expect(try Checkout.folders(in: Checkout.sources.appending(path: area)) == targets.sorted(), "\(area)")
    }
    #expect(try Checkout.areaNames == listed.map(\.area).sorted())
    let manifest = try Checkout.text("Package.swift")
    let sections = manifest.matches(of: /(?m)^ +\/\/ Sources\/([A-Za-z]+)$/).map { String($0.1) }
    #expect(sections == listed.map(\.area).filter { $0 != "Fuzzing" })
    let testAreas = manifest.matches(of: /(?m)^ +\/\/ Tests\/([A-Za-z]+)$/).map { String($0.1) }
    #expect(testAreas == listed.map(\.area).filter { testAreas.contains($0) } + ["House"])
    #expect(try Checkout.folders(in: Checkout.folder.appending(path: "Tests")) == testAreas.sorted())
    for (area, targets) in listed {
      for target in targets { #expect(manifest.contains("path: \"Sources/\(area)/\(target)\""), "\(target)") }
    }
  }

  @Test func `the README's floors are those of the table`() throws {
    let floors = Dictionary(uniqueKeysWithValues: FloorTable.rooms.map { ($0.name, $0.floor) })
    var count = 0
    for line in try Self.section("Follow one frame", of: "README.md") {
      guard let row = line.wholeMatch(of: /\| ([0-9]) \| ([^|]+) \|/) else { continue }
      for name in row.2.matches(of: /`([^`]+)`/).map({ String($0.1) }) {
        count += 1
        #expect(floors[name] == Int(row.1), "\(name)")
      }
    }
    #expect(count > 20)
  }
}
