// Running other programs from the gates.

import Foundation
import Testing

/// The result of a program.
struct ProgramResult {
  var status: Int32
  var output: String
  var errors: String
}

/// The folders that the gates work in.
enum Place {
  /// The package's own folder.
  static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Public sample pictures and the device lab, which are not part of the package: `RETICLE_SHARED`, or a folder `shared`
  /// next to the package. Nil if there is no such folder.
  static let shared: URL? = {
    let folder =
      ProcessInfo.processInfo.environment["RETICLE_SHARED"].map { URL(filePath: $0) }
      ?? package.deletingLastPathComponent().appending(path: "shared")
    return FileManager.default.fileExists(atPath: folder.appending(path: "corpus/manifest.jsonl").path) ? folder : nil
  }()

  /// Creates a temporary folder for a test, which the caller removes.
  static func makeTemporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "reticle-gate-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}

/// Runs a program to its end, with `input` on its standard input.
func run(_ program: String, _ arguments: [String], input: String = "") throws -> ProgramResult {
  let folder = try Place.makeTemporaryFolder()
  defer { try? FileManager.default.removeItem(at: folder) }
  // Files instead of pipes: a full pipe without a reader would block the program.
  let files = ["in", "out", "err"].map { folder.appending(path: $0) }
  for file in files { try Data(file.lastPathComponent == "in" ? Array(input.utf8) : []).write(to: file) }
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = [program] + arguments
  process.standardInput = try FileHandle(forReadingFrom: files[0])
  process.standardOutput = try FileHandle(forWritingTo: files[1])
  process.standardError = try FileHandle(forWritingTo: files[2])
  try process.run()
  process.waitUntilExit()
  return ProgramResult(
    status: process.terminationStatus, output: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self),
    errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self))
}
