// The cost of named frames on ARM, by stage of the decoder.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct InstructionTests {
  /// `deploy/instructions` sets it: `print` for the table, `accept` to write it to docs/tuning.md.
  private static let wish = ProcessInfo.processInfo.environment["RETICLE_INSTRUCTIONS"]

  /// docs/tuning.md has the accepted figures.
  @Test func `no stage of a frame costs more instructions than accepted`() throws {
    let program = try EmbeddedGate.programs.get().arm
    let folder = try Place.makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let frames = try CostFrames.draw()
    let counts = try frames.map { frame in
      let path = try CostFrames.write(frame.luma, named: frame.name, to: folder)
      return try InstructionCount(decoding: [path], effort: "frame", with: program)
    }
    let stages = try InstructionStages(of: Set(counts.flatMap(\.byAddress.keys)), in: program)
    let table = CostTable(zip(frames, counts).map { ($0.name, stages.counts($1)) })
    let version = try run("swiftc", ["--version"]).output.split(separator: "\n").first { $0.contains("Swift version") }
    let compiler = "Thousands of instructions per frame, compiled by \(version.map(String.init) ?? "an unknown compiler")."
    if Self.wish != nil { print(table.text) }
    if Self.wish == "accept" { return try table.accept(compiler: compiler) }
    let accepted = try CostTable.accepted()
    let differences = table.differences(from: accepted.table)
    let remedy = "deploy/instructions --accept writes the new figures to docs/tuning.md"
    let compilers = compiler == accepted.compiler ? "" : "\naccepted: \(accepted.compiler)\nnow: \(compiler)"
    for (kind, list) in [("more: make it cheaper, or", differences.dearer), ("less: keep it so;", differences.cheaper)]
    where !list.isEmpty {
      Issue.record("Stages of the decoder cost \(kind) \(remedy)\n\(list.joined(separator: "\n"))\(compilers)")
    }
  }

  @Test func `a stage that costs more than accepted is named with its frame`() {
    var counts = CostStage.all.map { _ in 1_000_000 }
    let accepted = CostTable([("carton", counts), ("print", counts)])
    let before = counts
    counts[2] = 1_031_000
    let dearer = CostTable([("carton", before), ("print", counts)]).differences(from: accepted)
    #expect(
      dearer.dearer == ["print: regions of cells: 1031 thousand instructions instead of 1000, +3 %"] && dearer.cheaper == [])
    counts[2] = 1_030_000
    #expect(CostTable([("carton", before), ("print", counts)]).differences(from: accepted) == ([], []))
    counts = before.map { $0 * 104 / 100 }
    #expect(CostTable([("carton", before), ("print", counts)]).differences(from: accepted).dearer.count == counts.count + 1)
    counts[2] = 960_000
    #expect(
      CostTable([("carton", before), ("print", counts)]).differences(from: accepted).cheaper
        == ["print: regions of cells: 960 thousand instructions instead of 1000, -4 %"])
  }

  @Test func `every source of the decoder belongs to a stage, and every stage has sources`() throws {
    let root = Place.package.appending(path: CostStage.folder)
    let walk = try #require(FileManager.default.enumerator(atPath: root.path))
    let sources = walk.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
    for source in sources { #expect(CostStage.stage(ofSource: source) != nil, "\(source)") }
    for name in CostStage.all.flatMap(\.sources) {
      #expect(sources.contains { name.hasSuffix("/") ? $0.hasPrefix(name) : $0 == name }, "no source is \(name)")
    }
  }
}
