// What a test does in the device lab and what must then be so: steps that are run one after another in one boot. Each step is
// a call of a word of lab.sh, which does it; the words' Swift names are here and in the files beside this one.

import Foundation
import Testing

/// Something that holds or does not, and that a test waits for or expects.
struct LabFact {
  /// A word of lab.sh, or a program, and its arguments; it succeeds when the fact holds.
  let words: [String]

  static prefix func ! (fact: LabFact) -> LabFact { LabFact(words: ["not"] + fact.words) }

  /// A file of the test's folder holds lines with a text.
  ///
  /// - Parameter times: how many lines; nil for at least one.
  static func file(_ name: String, says text: String, times: Int? = nil) -> LabFact {
    LabFact(words: ["says", name, text] + (times.map { ["\($0)"] } ?? []))
  }

  /// A file whose first line is a value.
  static func file(_ path: String, is value: String) -> LabFact { LabFact(words: ["file_is", path, value]) }

  static func fileExists(_ path: String) -> LabFact { LabFact(words: ["exists", path]) }

  /// A command's output holds a text.
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
  /// Of the camera that is plugged in: `WIDTHxHEIGHT@FRAMES_PER_SECOND`.
  var cameraFormat = "640x480@30"
  /// Each configuration of the station is a file of its own.
  var configurationCount = 0

  /// Adds a step: a word of lab.sh, or a program, with its arguments.
  mutating func step(_ words: [String], at location: SourceLocation = #_sourceLocation) {
    steps.append(Step(words: words, location: location))
  }

  /// Puts a file into the test's folder before the first step.
  mutating func add(_ text: String, as name: String) { texts[name] = text }

  mutating func add(_ picture: LabPicture, as name: String, size: LabPicture.Size = LabPicture.Size(320, 240)) {
    pictures[name] = (picture, size)
  }

  /// Puts a file from beside this one into the test's folder.
  mutating func add(source name: String) { sources.insert(name) }

  // MARK: Waiting and expecting

  /// Waits for a fact.
  ///
  /// - Parameters:
  ///   - seconds: after which the test fails.
  ///   - interval: seconds from one look to the next.
  ///   - button: a line that is pressed after each look in vain.
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

  /// A user who is in no group.
  static let stranger = ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups"]

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - file: what its output is written to.
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

  /// Starts a program in the background; what it says goes to the files `NAME` and `NAME.errors`.
  mutating func start(_ name: String, _ words: String..., at location: SourceLocation = #_sourceLocation) {
    start(name, words, at: location)
  }

  mutating func start(_ name: String, _ words: [String], at location: SourceLocation = #_sourceLocation) {
    step(["start", name, name, name + ".errors"] + words, at: location)
  }

  /// Ends a program that was started, however it takes that.
  mutating func stop(_ name: String, at location: SourceLocation = #_sourceLocation) {
    step(["stop", name, "TERM", "any"], at: location)
  }

  /// Waits until a program has ended by itself, with status 0.
  mutating func finish(_ name: String, at location: SourceLocation = #_sourceLocation) {
    step(["finish", name, "0"], at: location)
  }

  /// What only one test does, in the shell's own words.
  mutating func shell(_ body: String, at location: SourceLocation = #_sourceLocation) {
    step(["eval", body], at: location)
  }

  // MARK: Telling

  /// Keeps what a command says as the run's value of a name.
  mutating func print(_ name: String, _ command: String..., at location: SourceLocation = #_sourceLocation) {
    step(["print", name] + command, at: location)
  }

  /// Keeps the time, for `LabRun.seconds`.
  mutating func stamp(_ name: String, at location: SourceLocation = #_sourceLocation) {
    step(["stamp", name], at: location)
  }

  // MARK: Running

  /// Boots a lab and takes the steps in it. Fails the test, at the line of the step, if one fails.
  ///
  /// - Parameters:
  ///   - hasSimulatedTime: false for what has to be seen at the machine's own pace.
  ///   - limit: seconds of real time, after which the lab is ended and the test fails.
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

  /// Fails the test at the step at which a run ended.
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

  /// A word as the shell takes it literally.
  private static func quoted(_ word: String) -> String { "'" + word.replacing("'", with: "'\\''") + "'" }
}
