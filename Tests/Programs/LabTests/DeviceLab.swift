// The device lab: a kernel in a process, with a camera, lines and serial ports that tests plug, press and pull. It is in
// ../shared/lab next to the checkout, or where RETICLE_SHARED points; without it, these tests are skipped with a message.

import Foundation
import TestSupport
import Testing

/// Runs programs in the lab. Each run boots its own kernel (0.2 s) and starts without devices.
enum DeviceLab {
  static let missing: Comment = "the device lab is neither in RETICLE_SHARED nor next to the checkout: nothing is tested"

  /// The folder of the lab; nil if it does not exist.
  static let folder: URL? = {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let shared =
      ProcessInfo.processInfo.environment["RETICLE_SHARED"].map { URL(fileURLWithPath: $0) }
      ?? package.deletingLastPathComponent().appending(path: "shared")
    let lab = shared.appending(path: "lab")
    return FileManager.default.isExecutableFile(atPath: lab.appending(path: "lab").path) ? lab : nil
  }()

  static var isThere: Bool { folder != nil }

  /// The folder of the programs under test: that of the test program, unless RETICLE_LAB_PROGRAMS names another, such as
  /// that of a build for another root.
  static let programs: String =
    ProcessInfo.processInfo.environment["RETICLE_LAB_PROGRAMS"].map {
      URL(fileURLWithPath: $0).resolvingSymlinksInPath().path
    } ?? BuiltPrograms.folder.path

  /// Another root folder for the lab, such as one with a newer Debian; the programs under test must have been built for it.
  private static let root = ProcessInfo.processInfo.environment["RETICLE_LAB_ROOT"]

  /// Further folders that programs under test need, such as that of Swift's libraries; separated by colons.
  private static let folders = ProcessInfo.processInfo.environment["RETICLE_LAB_FOLDERS"]?.split(separator: ":") ?? []

  /// Boots a lab and runs a program in it, as root, in a folder of its own with the given files. `reticle` is on the path.
  ///
  /// The clock jumps over idle time, and computing takes no time: an event comes at its time, no matter how busy the machine
  /// is.
  ///
  /// - Parameters:
  ///   - hasSimulatedTime: false for tests that need the machine's own pace.
  ///   - limit: seconds of real time, after which the lab is killed and the status is 124.
  ///   - kernelArguments: passed to the lab's kernel, such as `vkms.enable_overlay=0`.
  static func run(
    _ words: [String], files: [String: [UInt8]], hasSimulatedTime: Bool, limit: Int, kernelArguments: [String]
  ) throws -> LabRun {
    try prepared.get()
    let lab = try #require(folder)
    var arguments = ["--timeout", "\(limit)", "--ro", programs]
    for folder in folders { arguments += ["--ro", String(folder)] }
    if let root { arguments += ["--root", root] }
    if hasSimulatedTime { arguments.append("--time-travel") }
    for argument in kernelArguments { arguments += ["--arg", argument] }
    // The lab ends itself after its limit; if it fails to, it is killed from here.
    return try process(
      lab.appending(path: "lab"), arguments + ["--"] + words, files: files, limit: .seconds(limit + bootLimit))
  }

  /// Runs a program under test on this machine itself, for tests that only need its computation.
  static func runOutside(_ program: String, _ arguments: [String], limit: Duration) throws -> LabRun {
    let run = try process(URL(fileURLWithPath: programs).appending(path: program), arguments, limit: limit)
    try #require(run.status == 0, "\(run.output)\n\(run.errors)")
    return run
  }

  /// Reads a file in the folder of this source file.
  static func source(_ name: String) throws -> [UInt8] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    return Array(try Data(contentsOf: folder.appending(path: name)))
  }

  /// Seconds that a lab may take beyond its script's limit before it is killed: to boot, and to end when asked to.
  private static let bootLimit = 60
  /// Time limit for fetching packages and compiling the lab's programs, in seconds.
  private static let setupLimit = 900

  /// Installs what the lab needs, once; does nothing if everything is installed.
  private static let prepared = Result {
    guard let lab = folder else { return }
    let setup = try process(lab.appending(path: "setup"), [], limit: .seconds(setupLimit))
    try #require(setup.status == 0, "the lab could not be set up: \(setup.errors)")
  }

  /// Runs a program in a new folder with the given files.
  private static func process(
    _ program: URL, _ arguments: [String], files: [String: [UInt8]] = [:], limit: Duration
  ) throws -> LabRun {
    let place = FileManager.default.temporaryDirectory.appending(path: "reticle-lab-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    for (name, bytes) in files { try Data(bytes).write(to: place.appending(path: name)) }
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = programs + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
    // Files instead of pipes: nothing has to read them while the program runs.
    let outputs = ["standard.output", "standard.errors"].map { place.appending(path: $0) }
    let status = try BoundedProcess.run(
      program.path, arguments, in: place.path, environment: environment, output: outputs[0].path, errors: outputs[1].path,
      limit: limit)
    let texts = try outputs.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return LabRun(status: status, output: texts[0], errors: texts[1], folder: place)
  }
}

/// The tests that need the lab.
extension Trait where Self == ConditionTrait {
  static var inTheLab: Self { .enabled(if: DeviceLab.isThere, DeviceLab.missing) }
}
