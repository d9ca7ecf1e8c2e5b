// The device lab: a kernel in a process, with a camera, lines and serial ports that tests plug, press and pull. It lies
// beside the checkout, in ../shared/lab, or where RETICLE_SHARED says; without it these tests are skipped, with a message.

import Dispatch
import Foundation
import Synchronization
import Testing

/// One run of a script inside the lab, and what came of it.
struct LabRun {
  let status: Int32
  let output: String
  let errors: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// The value of a `NAME=VALUE` line that the script printed last.
  subscript(name: String) -> String? {
    lines.last { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
  }
}

/// Runs scripts in the lab. Each run boots a kernel of its own (0.2 s) and starts with no devices.
enum DeviceLab {
  static let missing: Comment = "the device lab is neither in RETICLE_SHARED nor beside the checkout: nothing is tested"

  /// The folder of the lab; nil if it is not there.
  static let folder: URL? = {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let shared =
      ProcessInfo.processInfo.environment["RETICLE_SHARED"].map { URL(fileURLWithPath: $0) }
      ?? package.deletingLastPathComponent().appending(path: "shared")
    let lab = shared.appending(path: "lab")
    return FileManager.default.isExecutableFile(atPath: lab.appending(path: "lab").path) ? lab : nil
  }()

  static var isThere: Bool { folder != nil }

  /// The program under test, which lies beside the test program.
  static var program: URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "reticle")
  }

  /// What every script begins with: it ends at the first command that fails, and can wait for something to be so.
  private static let prelude = """
    set -eu
    # await SECONDS COMMAND...: until the command succeeds; fails after so long.
    await() {
      local end=$(($(date +%s%N) + $1 * 1000000000)); shift
      until eval "$*" >/dev/null 2>&1; do
        if [ "$(date +%s%N)" -gt "$end" ]; then echo "waited in vain for: $*" >&2; return 1; fi
        sleep ${step:-0.02}
      done
    }

    """

  /// Boots a lab and runs a bash script in it, as root, in a folder of its own with these files. `reticle` is on the path.
  ///
  /// - Parameters:
  ///   - hasSimulatedTime: whether the clock jumps over time in which nothing happens.
  ///   - limit: seconds of real time.
  ///   - kernelArguments: passed to the lab's kernel, such as `vkms.enable_overlay=0`.
  static func run(
    _ script: String, files: [String: [UInt8]] = [:], hasSimulatedTime: Bool = false, limit: Int = 60,
    kernelArguments: [String] = []
  ) throws -> LabRun {
    try prepared.get()
    let lab = try #require(folder)
    let place = FileManager.default.temporaryDirectory.appending(path: "reticle-lab-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    for (name, bytes) in files { try Data(bytes).write(to: place.appending(path: name)) }
    try Data((prelude + script).utf8).write(to: place.appending(path: "script.sh"))
    var arguments = ["--timeout", "\(limit)", "--ro", program.deletingLastPathComponent().path]
    if hasSimulatedTime { arguments.append("--time-travel") }
    for argument in kernelArguments { arguments += ["--arg", argument] }
    return try process(
      lab.appending(path: "lab"), arguments + ["--", "bash", "script.sh"], in: place,
      path: program.deletingLastPathComponent().path, limit: limit + bootLimit)
  }

  /// Seconds that a lab may take beyond its script's limit before it is killed: to boot, and to end when it is told to.
  private static let bootLimit = 60
  /// Seconds for packages to be fetched and the lab's programs to be compiled.
  private static let setupLimit = 900

  /// Installs what the lab needs, once; a machine that has it all is left alone.
  private static let prepared = Result {
    guard let lab = folder else { return }
    let setup = try process(
      lab.appending(path: "setup"), [], in: FileManager.default.temporaryDirectory, path: nil, limit: setupLimit)
    try #require(setup.status == 0, "the lab could not be set up: \(setup.errors)")
  }

  private static func process(_ program: URL, _ arguments: [String], in place: URL, path: String?, limit: Int) throws
    -> LabRun
  {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = place
    var environment = ProcessInfo.processInfo.environment
    if let path { environment["PATH"] = path + ":" + (environment["PATH"] ?? "/usr/bin:/bin") }
    process.environment = environment
    // Files and not pipes: nobody has to read them while the script runs.
    let outputs = ["out", "err"].map { place.appending(path: "\($0)-\(UUID().uuidString)") }
    defer { for output in outputs { try? FileManager.default.removeItem(at: output) } }
    for output in outputs { try Data().write(to: output) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: outputs[0])
    process.standardError = try FileHandle(forWritingTo: outputs[1])
    try process.run()
    let id = process.processIdentifier
    let guardian = DispatchWorkItem { kill(id, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(limit), execute: guardian)
    defer { guardian.cancel() }
    process.waitUntilExit()
    let texts = try outputs.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return LabRun(status: process.terminationStatus, output: texts[0], errors: texts[1])
  }
}
