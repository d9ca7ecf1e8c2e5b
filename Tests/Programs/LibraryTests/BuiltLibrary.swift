// libreticle and the test's programs over it, built once.

import Foundation
import TestSupport
import Testing

/// The result of a program.
struct ProgramResult {
  var status: Int32
  var output: String
  var errors: String

  var lines: [Substring] { output.split(separator: "\n") }
}

/// Runs a program to its end, with `input` on its standard input.
func run(
  _ program: String, _ arguments: [String], input: String = "", in folder: URL? = nil,
  environment more: [String: String] = [:]
) throws -> ProgramResult {
  let work = try Place.makeTemporaryFolder()
  defer { try? FileManager.default.removeItem(at: work) }
  // Files instead of pipes: a full pipe without a reader would block the program.
  let files = ["in", "out", "err"].map { work.appending(path: $0) }
  for file in files { try Data(file.lastPathComponent == "in" ? Array(input.utf8) : []).write(to: file) }
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = [program] + arguments
  process.environment = ProcessInfo.processInfo.environment.merging(more) { $1 }
  if let folder { process.currentDirectoryURL = folder }
  process.standardInput = try FileHandle(forReadingFrom: files[0])
  process.standardOutput = try FileHandle(forWritingTo: files[1])
  process.standardError = try FileHandle(forWritingTo: files[2])
  try process.run()
  process.waitUntilExit()
  return ProgramResult(
    status: process.terminationStatus, output: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self),
    errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self))
}

/// The folders that the tests work in.
enum Place {
  static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  static let source = package.appending(path: "Sources/Library/libreticle")

  /// Public sample pictures, which are not part of the package: `RETICLE_SHARED`, or a folder `shared` next to the package.
  static let shared: URL? = {
    let folder =
      ProcessInfo.processInfo.environment["RETICLE_SHARED"].map { URL(filePath: $0) }
      ?? package.deletingLastPathComponent().appending(path: "shared")
    return FileManager.default.fileExists(atPath: folder.appending(path: "corpus/manifest.jsonl").path) ? folder : nil
  }()

  static func makeTemporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "reticle-library-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}

/// The library for a machine, installed below .build as a user installs it.
struct BuiltLibrary {
  let machine: String
  /// Whether AddressSanitizer checks its accesses to memory.
  let isChecked: Bool
  /// Where it is installed.
  let prefix: URL

  static let x86 = Result { try BuiltLibrary(machine: "x86_64") }
  static let arm = Result { try BuiltLibrary(machine: "aarch64") }
  static let checked = Result { try BuiltLibrary(machine: "x86_64", isChecked: true) }

  private init(machine: String, isChecked: Bool = false) throws {
    self.machine = machine
    self.isChecked = isChecked
    prefix = Place.package.appending(path: ".build/library/\(machine)\(isChecked ? "-address" : "")/installed")
    try? FileManager.default.removeItem(at: prefix)
    let script = Place.package.appending(path: "deploy/library").path
    let built = try run(
      script, ["--architecture", machine, "--prefix", prefix.path] + (isChecked ? ["--sanitize", "address"] : []))
    try #require(built.status == 0, "\(machine): \(built.errors)\(built.output)")
  }

  /// Compiles a C program with all warnings as errors, by default against the static library.
  func compile(_ source: URL, _ options: [String] = [], isShared: Bool = false) throws -> String {
    let program = prefix.appending(path: source.deletingPathExtension().lastPathComponent).path
    let library = prefix.appending(path: "lib").path
    let compiler =
      isChecked ? try Self.swiftsClang() : machine == "x86_64" ? "gcc" : "aarch64-linux-gnu-gcc"
    let options = options + (isChecked ? ["-fsanitize=address"] : [])
    let result = try run(
      compiler,
      [
        "-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-I",
        prefix.appending(path: "include").path, "-o", program, source.path,
      ] + options + (isShared ? ["-L\(library)", "-Wl,-rpath,\(library)", "-lreticle"] : ["\(library)/libreticle.a"]))
    try #require(result.status == 0, "\(result.errors)")
    return program
  }

  /// The compiler whose AddressSanitizer fits Swift's.
  private static func swiftsClang() throws -> String {
    let swift = try run("sh", ["-c", "readlink -f \"$(command -v swiftc)\""]).output
    return URL(filePath: swift.trimmingCharacters(in: .whitespacesAndNewlines)).deletingLastPathComponent()
      .appending(path: "clang").path
  }

  /// Compiles one of the test's programs.
  func program(_ name: String, _ options: [String] = []) throws -> String {
    try compile(Place.package.appending(path: "Tests/Programs/LibraryTests/Programs/\(name).c"), options)
  }
}
