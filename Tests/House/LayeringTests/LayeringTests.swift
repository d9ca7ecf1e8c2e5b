// A target imports only from lower floors, and its code does not use what its floor forbids. SwiftPM permits transitive
// imports, so the tests read the sources themselves.

import Foundation
import Testing

@Suite struct LayeringTests {
  private static let roomNames = FloorTable.rooms.map(\.name)

  private static func files(of target: String) throws -> [SourceText] {
    let folder = Checkout.source(target)
    guard let walk = FileManager.default.enumerator(atPath: folder.path) else { return [] }
    return try walk.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted().map { name in
      SourceText(try String(contentsOf: folder.appending(path: name), encoding: .utf8), path: "\(target)/\(name)")
    }
  }

  @Test func `every target has exactly one row`() throws {
    #expect(Checkout.areas.count > 40)
    for target in Checkout.areas.keys { #expect(Self.roomNames.contains(target), "\(target) has no row in FloorTable") }
    #expect(Set(Self.roomNames).count == Self.roomNames.count)
  }

  @Test func `the plan leads only downwards`() {
    let floors = Dictionary(uniqueKeysWithValues: FloorTable.rooms.map { ($0.name, $0.floor) })
    for room in FloorTable.rooms {
      for name in room.rooms {
        // A system library and its C header share a floor.
        let isBelow = floors[name].map { $0 < room.floor || (name.hasPrefix("System") && $0 == room.floor) }
        #expect(isBelow == true, "\(room.name) on floor \(room.floor) may not import \(name)")
      }
    }
  }

  @Test(arguments: FloorTable.rooms.map(\.name))
  func `a target imports only what its row allows`(name: String) throws {
    let room = try #require(FloorTable.rooms.first { $0.name == name })
    for file in try Self.files(of: name) {
      for (module, line) in file.imports {
        let isAllowed =
          Self.roomNames.contains(module)
          ? room.rooms.contains(module)
          : !FloorTable.neverImported.contains(module) && (room.libraries?.contains(module) ?? true)
        #expect(isAllowed, "\(file.path):\(line) imports \(module)")
      }
    }
  }

  @Test(arguments: FloorTable.rooms.map(\.name))
  func `a target imports every target that its row allows, so that none is built needlessly`(name: String) throws {
    let room = try #require(FloorTable.rooms.first { $0.name == name })
    let files = try Self.files(of: name)
    guard !files.isEmpty else { return }
    let imported = Set(files.flatMap { $0.imports.map(\.module) })
    #expect(Set(room.rooms).subtracting(imported).isEmpty)
  }

  @Test(arguments: FloorTable.rooms.filter { !$0.never.isEmpty }.map(\.name))
  func `the code of a floor uses none of the words banned there`(name: String) throws {
    let room = try #require(FloorTable.rooms.first { $0.name == name })
    var reasons: [Substring: String] = [:]
    for ban in room.never { for word in ban.words { reasons[word[...]] = ban.reason } }
    for file in try Self.files(of: name) {
      for (word, line) in file.words {
        if let reason = reasons[word] { Issue.record("\(file.path):\(line) says \(word): \(reason)") }
      }
    }
  }

  @Test func `the source reader sees imports and words, not comments and string literals`() {
    let file = SourceText(
      """
      // import Foundation
      @testable import Station
      public import struct Devices.Button
      let a = "class \\" Double" // Float
      /* actor
      Task */ let number: Int
      var any = a as any Button
      """, path: "")
    #expect(file.imports.map(\.module) == ["Station", "Devices"])
    #expect(file.imports.map(\.line) == [2, 3])
    #expect(file.words.map { String($0.word) } == ["let", "a", "let", "number", "Int", "var", "a", "as", "any", "Button"])
    #expect(file.words.last?.line == 7)
  }
}
