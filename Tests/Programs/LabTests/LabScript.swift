// The actions of a test in the device lab and the facts that must then hold: steps that run one after another in a single
// boot. Each step calls a word of lab.sh; the Swift names of the words are here and in the neighbouring files.

import Foundation
import Testing

/// A fact that holds or does not, for tests to wait for or expect.
struct LabFact {
  /// A word of lab.sh or a program, with its arguments; it succeeds if the fact holds.
  let words: [String]

  static prefix func ! (fact: LabFact) -> LabFact { LabFact(words: ["not"] + fact.words) }

  /// A file in the test's folder has lines that contain a text.
  ///
  /// - Parameter times: the number of such lines; nil for at least one.
  static func file(_ name: String, says text: String, times: Int? = nil) -> LabFact {
    LabFact(words: ["says", name, text] + (times.map { ["\($0)"] } ?? []))
  }

  /// The first line of a file is a value.
  static func file(_ path: String, is value: String) -> LabFact { LabFact(words: ["file_is", path, value]) }

  static func fileExists(_ path: String) -> LabFact { LabFact(words: ["exists", path]) }

  /// A command's output contains a text.
  static func output(of command: [String], says text: String) -> LabFact { LabFact(words: ["finds", text] + command) }

  static func runs(_ name: String) -> LabFact { LabFact(words: ["runs", name]) }
}

/// Steps, and the files that they need.
struct LabScript {
  private struct Step {
    let words: [String]
    let location: SourceLocation
  }

  private var steps: [Step] = []
  private var texts: [String: String] = [:]
  private var pictures: [String: (picture: LabPicture, size: LabPicture.Size)] = [:]
  private var sources: Set<String> = ["lab.sh"]
  /// The format of the plugged-in camera: `WIDTHxHEIGHT@FRAMES_PER_SECOND`.
  var cameraFormat = "640x480@30"
  /// Number of the station's configurations; each is a separate file.
  var configurationCount = 0

  /// Adds a step: a word of lab.sh, or a program, with its arguments.
  mutating func step(_ words: [String], at location: SourceLocation = #_sourceLocation) {
    steps.append(Step(words: words, location: location))
  }

  /// Adds a file to the test's folder before the first step.
  mutating func add(_ text: String, as name: String) { texts[name] = text }

  mutating func add(_ picture: LabPicture, as name: String, size: LabPicture.Size = LabPicture.Size(320, 240)) {
    pictures[name] = (picture, size)
  }

  /// Adds a file from the folder of this source file to the test's folder.
  mutating func add(source name: String) { sources.insert(name) }

  // MARK: Waiting and expecting

  /// Waits for a fact.
  ///
  /// - Parameters:
  ///   - seconds: the time after which the test fails.
  ///   - interval: seconds between two checks.
  ///   - button: a line that is pressed after each failed check.
  mutating func await(
    _ fact: LabFact, within seconds: Int, every interval: Double = 0.05, pressing button: String? = nil,
    at location: SourceLocation = #_sourceLocation
  ) {
    step(["await", "\(seconds)", "\(interval)"] + (button.map { ["pressing", $0] } ?? []) + fact.words, at: location)
  }

  mutating func expect(_ fact: LabFact, at location: SourceLocation = #_sourceLocation) {
    step(["expect"] + fact.words, at: location)
  }

  mutating func pause(_ seconds: Double, at location: SourceLocation = #_sourceLocation) {
    step(["pause", "\(seconds)"], at: location)
  }

  // MARK: Programs

  /// Runs a program as a user without any groups.
  static let stranger = ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups"]

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - file: the file for its output.
  ///   - status: the exit status that it must have; nil for any.
  mutating func run(
    _ words: String..., into file: String = "output", status: Int? = 0, at location: SourceLocation = #_sourceLocation
  ) {
    run(words, into: file, status: status, at: location)
  }

  mutating func run(
    _ words: [String], into file: String = "output", status: Int? = 0, at location: SourceLocation = #_sourceLocation
  ) {
    step(["run", status.map { "\($0)" } ?? "any", file] + words, at: location)
  }

  /// Starts a program in the background; its output goes to the files `NAME` and `NAME.errors`.
  mutating func start(_ name: String, _ words: String..., at location: SourceLocation = #_sourceLocation) {
    start(name, words, at: location)
  }

  mutating func start(_ name: String, _ words: [String], at location: SourceLocation = #_sourceLocation) {
    step(["start", name, name, name + ".errors"] + words, at: location)
  }

  /// Ends a background program; any exit status is accepted.
  mutating func stop(_ name: String, at location: SourceLocation = #_sourceLocation) {
    step(["stop", name, "TERM", "any"], at: location)
  }

  /// Waits until a program has ended without being asked, with status 0.
  mutating func finish(_ name: String, at location: SourceLocation = #_sourceLocation) {
    step(["finish", name, "0"], at: location)
  }

  /// Runs shell code that only a single test needs.
  mutating func shell(_ body: String, at location: SourceLocation = #_sourceLocation) {
    step(["eval", body], at: location)
  }

  // MARK: Telling

  /// Stores a command's output as a value of the run.
  mutating func print(_ name: String, _ command: String..., at location: SourceLocation = #_sourceLocation) {
    step(["print", name] + command, at: location)
  }

  /// Stores the time, for `LabRun.seconds`.
  mutating func stamp(_ name: String, at location: SourceLocation = #_sourceLocation) {
    step(["stamp", name], at: location)
  }

  // MARK: Running

  /// Boots a lab and runs the steps in it. Fails the test at the line of the step that fails.
  ///
  /// - Parameters:
  ///   - hasSimulatedTime: false for tests that need the machine's own pace.
  ///   - limit: seconds of real time, after which the lab is killed and the test fails.
  ///   - kernelArguments: passed to the lab's kernel, such as `vkms.enable_overlay=0`.
  func run(hasSimulatedTime: Bool = true, limit: Int = 300, kernelArguments: [String] = []) throws -> LabRun {
    var files = texts.mapValues { Array($0.utf8) }
    for (name, drawing) in pictures { files[name] = try drawing.picture.file(drawing.size) }
    for name in sources { files[name] = try DeviceLab.source(name) }
    let lines = steps.enumerated().map { number, step in
      "step \(number) " + step.words.map(Self.quoted).joined(separator: " ")
    }
    files["script.sh"] = Array((". ./lab.sh\n" + lines.joined(separator: "\n") + "\n").utf8)
    let run = try DeviceLab.run(
      ["bash", "script.sh"], files: files, hasSimulatedTime: hasSimulatedTime, limit: limit,
      kernelArguments: kernelArguments)
    try require(run, limit: limit)
    return run
  }

  /// Fails the test at the step where a run ended.
  private func require(_ run: LabRun, limit: Int) throws {
    guard run.status != 0 else { return }
    let prefix = "step="
    let errors = run.errors.split(separator: "\n", omittingEmptySubsequences: false)
    let number = errors.last { $0.hasPrefix(prefix) }.flatMap { Int($0.dropFirst(prefix.count)) }
    let told = errors.filter { !$0.hasPrefix(prefix) }.joined(separator: "\n")
    let cause = run.status == BoundedProcess.timedOut ? "ended after \(limit) s" : "status \(run.status)"
    guard let number, steps.indices.contains(number) else {
      throw LabFailure(description: "The lab did not come to the first step (\(cause)): \(told)")
    }
    try #require(
      run.status == 0, "\(steps[number].words.joined(separator: " ")) (\(cause)): \(told)\nThe station's log:\n\(run.log)",
      sourceLocation: steps[number].location)
  }

  struct LabFailure: Error, CustomStringConvertible {
    let description: String
  }

  /// Quotes a word so that the shell takes it literally.
  private static func quoted(_ word: String) -> String { "'" + word.replacing("'", with: "'\\''") + "'" }
}
