// Folders inside a target are layers, too: a name that one folder declares and another uses is an arrow between them, and
// arrows must not form cycles. The arrows come from the words of the sources, as Swift has no imports below targets.

import Foundation
import Testing

@Suite struct FolderTests {
  /// A file's folder within its target; empty for the target's top folder.
  private struct File {
    let folder: String
    let text: SourceText
  }

  /// For each folder, the folders that it refers to, with a word as evidence.
  private static func arrows(between files: [File]) -> [String: [String: String]] {
    let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    var owners: [Substring: Set<String>] = [:]
    for file in files {
      let words = file.text.words
      for index in words.indices.dropLast() where kinds.contains(words[index].word) {
        owners[words[index + 1].word, default: []].insert(file.folder)
      }
    }
    var arrows: [String: [String: String]] = [:]
    for file in files {
      for (word, line) in file.text.words {
        // A name declared by two folders is no evidence.
        guard let folders = owners[word], folders.count == 1, let other = folders.first, other != file.folder else {
          continue
        }
        arrows[file.folder, default: [:]][other] = "\(file.text.path):\(line) names \(word)"
      }
    }
    return arrows
  }

  /// The arrows that are part of a cycle, as the words that show them.
  private static func circles(_ arrows: [String: [String: String]]) -> [String] {
    func reaches(_ target: String, from start: String) -> Bool {
      var seen: Set<String> = []
      var waiting = [start]
      while let folder = waiting.popLast() {
        if folder == target { return true }
        guard seen.insert(folder).inserted else { continue }
        waiting += arrows[folder, default: [:]].keys
      }
      return false
    }
    return arrows.flatMap { folder, others in
      others.compactMap { other, proof in reaches(folder, from: other) ? proof : nil }
    }
  }

  /// The files of a target.
  private static func files(of target: String) throws -> [File] {
    let root = Checkout.source(target)
    guard let walk = FileManager.default.enumerator(atPath: root.path) else { return [] }
    return try walk.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.map { path in
      File(
        folder: path.split(separator: "/").dropLast().joined(separator: "/"),
        text: SourceText(try String(contentsOf: root.appending(path: path), encoding: .utf8), path: "\(target)/\(path)"))
    }
  }

  @Test(arguments: FloorTable.rooms.map(\.name))
  func `the folders of a target form no cycle`(target: String) throws {
    let circles = Self.circles(Self.arrows(between: try Self.files(of: target)))
    #expect(circles.isEmpty, "\(circles.sorted().joined(separator: "\n"))")
  }

  @Test func `only the register names what is in a symbology's folder`() throws {
    let arrows = Self.arrows(between: try Self.files(of: "BarcodeDecoder"))
    let named = arrows["Symbologies", default: [:]].keys.filter { $0.hasPrefix("Symbologies/") }
    let folders = Set(try Self.files(of: "BarcodeDecoder").map(\.folder).filter { $0.hasPrefix("Symbologies/") })
    #expect(Set(named) == folders, "a symbology is not in the register")
    for (folder, others) in arrows where folder != "Symbologies" {
      for (other, proof) in others where other.hasPrefix("Symbologies/") {
        Issue.record("\(proof), which is in \(other): only the register may")
      }
    }
  }

  @Test func `a cycle is found, and a chain is not mistaken for one`() {
    func file(_ folder: String, _ text: String) -> File { File(folder: folder, text: SourceText(text, path: folder)) }
    let top = file("", "struct Top { var a: A }")
    let a = file("A", "struct A { var b: B }")
    let b = file("B", "struct B {}")
    #expect(Self.circles(Self.arrows(between: [top, a, b])).isEmpty)
    let back = file("B", "struct B { func make() -> A { A() } }")
    #expect(Self.circles(Self.arrows(between: [top, a, back])).sorted() == ["A:1 names B", "B:1 names A"])
  }
}
