// The result of a run in the lab: its output and the files that it left.

import Foundation
import Testing

/// A run and its folder, which is deleted with it.
final class LabRun {
  let status: Int32
  let output: String
  let errors: String
  private let folder: URL

  init(status: Int32, output: String, errors: String, folder: URL) {
    self.status = status
    self.output = output
    self.errors = errors
    self.folder = folder
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  // MARK: Values

  /// The lines written by programs and the script.
  var lines: [String] { Self.lines(output) }

  /// The last value written under a name.
  subscript(name: String) -> String? { Self.value(name, in: lines) }

  func number(_ name: String, at location: SourceLocation = #_sourceLocation) throws -> Int {
    try #require(self[name].flatMap { Int($0) }, "\(name) is missing", sourceLocation: location)
  }

  /// Seconds from one stamp to another.
  func seconds(from begin: String, to end: String) throws -> Double {
    let times = try [begin, end].map { name in try #require(self[name].flatMap { Double($0) }, "\(name) is missing") }
    return times[1] - times[0]
  }

  /// The station's resources at a point in time.
  struct Measurement {
    let openFiles: Int
    /// Kilobytes, current and peak.
    let memory: Int
    let peakMemory: Int
  }

  func measurement(_ name: String) throws -> Measurement {
    Measurement(
      openFiles: try number("\(name)-files"), memory: try number("\(name)-memory"), peakMemory: try number("\(name)-peak"))
  }

  // MARK: Files

  func bytes(of name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }

  /// A file's text; empty if the file does not exist.
  func text(of name: String) -> String { (try? bytes(of: name)).map { String(decoding: $0, as: UTF8.self) } ?? "" }

  func lines(of name: String) -> [String] { Self.lines(text(of: name)) }

  /// The last value that a program wrote under a name into a file.
  func value(_ name: String, in file: String) -> String? { Self.value(name, in: lines(of: file)) }

  var log: String { text(of: "log") }

  /// A scan as written to the station's standard output.
  struct Scan: Decodable {
    let text: String
    let captured: String
    let corners: [[Double]]

    /// Seconds since 1970 at which the frame was exposed.
    func exposure() throws -> Double {
      try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(captured).timeIntervalSince1970
    }
  }

  func scans() throws -> [Scan] {
    try lines(of: "scans").map { try JSONDecoder().decode(Scan.self, from: Data($0.utf8)) }
  }

  /// The troubles found by the doctor.
  func troubles(_ name: String) throws -> Set<String> {
    struct Report: Decodable {
      struct Finding: Decodable { let id: String? }
      let findings: [Finding]
    }
    return Set(try JSONDecoder().decode(Report.self, from: bytes(of: name + ".json")).findings.compactMap(\.id))
  }

  func screenshot(_ name: String) throws -> Screenshot { try Screenshot(bytes(of: name + ".ppm")) }

  private static func lines(_ text: String) -> [String] { text.split(whereSeparator: \.isNewline).map(String.init) }

  private static func value(_ name: String, in lines: [String]) -> String? {
    lines.last { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
  }
}
