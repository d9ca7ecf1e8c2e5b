// Runs the built commands as separate processes, as scripts do.

import Dispatch
import Foundation
import TestSupport

/// A run of a command, and its result.
struct CommandRun {
  let status: Int32
  let output: Data
  let errors: String

  var text: String { String(decoding: output, as: UTF8.self) }
  var lines: [String] { text.split(separator: "\n").map(String.init) }
  /// Each line of the output as a JSON object.
  var objects: [[String: Any]] {
    lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
  }

  /// Time limit for a command before it is killed; the longest takes seconds.
  static let limit = DispatchTimeInterval.seconds(120)

  static var command: URL { program("reticle") }

  static func program(_ name: String) -> URL { BuiltPrograms.folder.appending(path: name) }

  /// Runs the command to its end, with `input` on its standard input.
  init(_ arguments: String..., input: String = "", program: String = "reticle") throws {
    try self.init(arguments: arguments, input: input, program: Self.program(program))
  }

  init(arguments: [String], input: String = "", program: URL = command) throws {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let (standardInput, standardOutput, standardError) = (Pipe(), Pipe(), Pipe())
    process.standardInput = standardInput
    process.standardOutput = standardOutput
    process.standardError = standardError
    try process.run()
    let guardian = process.endsWithin(Self.limit)
    defer { guardian.cancel() }
    standardInput.fileHandleForWriting.write(Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
    output = standardOutput.fileHandleForReading.readDataToEndOfFile()
    errors = String(decoding: standardError.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
  }
}

extension Process {
  /// Kills a process after a time limit, so that waiting for it or its output ends; cancel the item at the end.
  func endsWithin(_ limit: DispatchTimeInterval) -> DispatchWorkItem {
    let id = processIdentifier
    let item = DispatchWorkItem { kill(id, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: item)
    return item
  }
}

/// A folder for the files of a test, deleted with this object.
final class WorkFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "reticle-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Writes a file and returns its path.
  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let file = url.appending(path: name)
    try Data(bytes).write(to: file)
    return file.path
  }

  func path(_ name: String) -> String { url.appending(path: name).path }
}

/// A white PGM picture.
func blankPicture(width: Int = 40, height: Int = 30) -> [UInt8] {
  Array("P5 \(width) \(height) 255\n".utf8) + [UInt8](repeating: 255, count: width * height)
}
