// The instructions that the decoder executes per frame on ARM, by stage.

import Foundation
import Testing

/// Counts of instructions by address, from the program's start.
struct InstructionCount {
  private static let instructionBytes: UInt64 = 4

  private(set) var byAddress: [UInt64: Int] = [:]

  var total: Int { byAddress.values.reduce(0, +) }

  /// The instructions to decode pictures, without loading them: their difference between decoding each twice and once.
  ///
  /// - Parameter effort: the gate's, as its `main.c` says.
  init(decoding paths: [String], effort: String, with program: String) throws {
    let twice = try Self.executed(program, [effort, "2"] + paths)
    let once = try Self.executed(program, [effort, "1"] + paths)
    byAddress = twice.merging(once.mapValues { -$0 }, uniquingKeysWith: +).filter { $0.value != 0 }
  }

  private static func executed(_ program: String, _ arguments: [String]) throws -> [UInt64: Int] {
    let folder = try Place.makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "blocks")
    let script = Place.package.appending(path: "Tests/Decoding/GateTests/Embedded/count-instructions").path
    let result = try run(script, [file.path, program] + arguments)
    try #require(result.status == 0, "\(result.errors)")
    var counts: [UInt64: Int] = [:]
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ")
      let start = try #require(UInt64(words[0], radix: 16))
      let (length, count) = (try #require(UInt64(words[1])), try #require(Int(words[2])))
      for index in 0..<length { counts[start + index * instructionBytes, default: 0] += count }
    }
    return counts
  }
}

/// The stages of a program's instructions, by its line tables.
struct InstructionStages {
  /// Indices in `CostStage.all`.
  private var byAddress: [UInt64: Int] = [:]

  /// A place as the toolchain's llvm-symbolizer reports it: the innermost function first.
  private struct Place: Decodable {
    struct Function: Decodable {
      var file: String
      var startFile: String

      enum CodingKeys: String, CodingKey {
        case file = "FileName"
        case startFile = "StartFileName"
      }
    }

    var address: String
    var functions: [Function]?

    enum CodingKeys: String, CodingKey {
      case address = "Address"
      case functions = "Symbol"
    }
  }

  init(of addresses: some Sequence<UInt64>, in program: String) throws {
    let result = try run(
      try Self.symbolizer(), ["--obj=\(program)", "--output-style=JSON", "--no-demangle"],
      input: addresses.map { "0x" + String($0, radix: 16) }.joined(separator: "\n"))
    try #require(result.status == 0, "\(result.errors)")
    let decoder = JSONDecoder()
    for line in result.output.split(separator: "\n") {
      let place = try decoder.decode(Place.self, from: Data(line.utf8))
      let functions = place.functions ?? []
      let address = try #require(UInt64(place.address.dropFirst(2), radix: 16))
      byAddress[address] = CostStage.index(ofFiles: functions.map(\.file) + functions.map(\.startFile))
    }
  }

  /// The counts by stage, in the order of `CostStage.all`.
  func counts(_ count: InstructionCount) -> [Int] {
    var counts = [Int](repeating: 0, count: CostStage.all.count)
    for (address, executed) in count.byAddress { counts[byAddress[address] ?? counts.count - 1] += executed }
    return counts
  }

  /// The symbolizer of the toolchain that compiled the program.
  private static func symbolizer() throws -> String {
    struct Target: Decodable {
      struct Paths: Decodable { var runtimeResourcePath: String }
      var paths: Paths
    }
    let result = try run("swiftc", ["-print-target-info"])
    let target = try JSONDecoder().decode(Target.self, from: Data(result.output.utf8))
    // usr/lib/swift, beside usr/bin.
    return URL(filePath: target.paths.runtimeResourcePath).appending(path: "../../bin/llvm-symbolizer").standardized.path
  }
}
