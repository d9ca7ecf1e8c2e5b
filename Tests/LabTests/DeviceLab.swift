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
  /// The output's lines; made once, for pictures make them long.
  let lines: [String]

  init(status: Int32, output: String, errors: String) {
    self.status = status
    self.output = output
    self.errors = errors
    lines = output.split(separator: "\n").map(String.init)
  }

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

  /// The folder of the programs under test: that of the test program, unless RETICLE_LAB_PROGRAMS names another, such as that
  /// of a build for another root.
  static let programs: String =
    ProcessInfo.processInfo.environment["RETICLE_LAB_PROGRAMS"].map {
      URL(fileURLWithPath: $0).resolvingSymlinksInPath().path
    } ?? URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

  /// Another root folder for the lab, such as one of a newer Debian; the programs under test must have been built for it.
  private static let root = ProcessInfo.processInfo.environment["RETICLE_LAB_ROOT"]

  /// Other folders that programs under test need, such as that of Swift's libraries; separated by colons.
  private static let folders = ProcessInfo.processInfo.environment["RETICLE_LAB_FOLDERS"]?.split(separator: ":") ?? []

  /// What every script begins with: it ends at the first command that fails, and can wait for something to be so. Waiting
  /// starts no processes, which are dear in the lab.
  private static let prelude = """
    set -eu
    mkfifo /tmp/pause; exec 19<>/tmp/pause
    # await SECONDS COMMAND...: until the command succeeds; fails after so long.
    await() {
      local end=$((${EPOCHREALTIME/[.,]/} + $1 * 1000000)); shift
      until eval "$*" >/dev/null 2>&1; do
        if [ "${EPOCHREALTIME/[.,]/}" -gt "$end" ]; then echo "waited in vain for: $*" >&2; return 1; fi
        read -rt ${step:-0.05} -u 19 || true
      done
    }
    # hold LINE: another program takes a line of the only chip, in the background; its words differ with libgpiod's version.
    hold() {
      local how=--chip
      case $(gpioset --version) in *v1.*) how=--mode=signal ;; esac
      gpioset $how "$(basename /dev/gpiochip*)" $1=0 &
    }
    # hotplug: the real udevd, told only of what tests plug in. `devices udev` tells it of all there is, and that takes a
    # minute where time is simulated.
    hotplug() {
      rm -rf /run/udev; mkdir -p /run/udev
      /lib/systemd/systemd-udevd --daemon 2>/dev/null
      udevadm trigger --action=add --subsystem-match=video4linux --subsystem-match=media --subsystem-match=usb \\
        --subsystem-match=tty --subsystem-match=input
      udevadm settle
      touch /run/lab/udevd
    }

    """

  /// Boots a lab and runs a bash script in it, as root, in a folder of its own with these files. `reticle` is on the path.
  ///
  /// The clock jumps over time in which nothing happens, and computing takes none of it: what a test waits for comes when it
  /// should, however busy the machine is.
  ///
  /// - Parameters:
  ///   - hasSimulatedTime: false for what has to be seen at the machine's own pace.
  ///   - limit: seconds of real time, after which the lab is ended and the status is 124.
  ///   - kernelArguments: passed to the lab's kernel, such as `vkms.enable_overlay=0`.
  static func run(
    _ script: String, files: [String: [UInt8]] = [:], hasSimulatedTime: Bool = true, limit: Int = 300,
    kernelArguments: [String] = []
  ) throws -> LabRun {
    try prepared.get()
    let lab = try #require(folder)
    let place = FileManager.default.temporaryDirectory.appending(path: "reticle-lab-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    for (name, bytes) in files { try Data(bytes).write(to: place.appending(path: name)) }
    try Data((prelude + script).utf8).write(to: place.appending(path: "script.sh"))
    var arguments = ["--timeout", "\(limit)", "--ro", programs]
    for folder in folders { arguments += ["--ro", String(folder)] }
    if let root { arguments += ["--root", root] }
    if hasSimulatedTime { arguments.append("--time-travel") }
    for argument in kernelArguments { arguments += ["--arg", argument] }
    // The lab ends itself after its limit; should it not, it is ended from here.
    return try process(
      lab.appending(path: "lab"), arguments + ["--", "bash", "script.sh"], in: place,
      limit: .seconds(limit + bootLimit))
  }

  /// Seconds that a lab may take beyond its script's limit before it is killed: to boot, and to end when it is told to.
  private static let bootLimit = 60
  /// Seconds for packages to be fetched and the lab's programs to be compiled.
  private static let setupLimit = 900

  /// Installs what the lab needs, once; a machine that has it all is left alone.
  private static let prepared = Result {
    guard let lab = folder else { return }
    let setup = try process(
      lab.appending(path: "setup"), [], in: FileManager.default.temporaryDirectory, limit: .seconds(setupLimit))
    try #require(setup.status == 0, "the lab could not be set up: \(setup.errors)")
  }

  private static func process(_ program: URL, _ arguments: [String], in place: URL, limit: Duration) throws -> LabRun {
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = programs + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
    // Files and not pipes: nobody has to read them while the script runs.
    let outputs = ["out", "err"].map { place.appending(path: "\($0)-\(UUID().uuidString)").path }
    defer { for output in outputs { try? FileManager.default.removeItem(atPath: output) } }
    let status = try BoundedProcess.run(
      program.path, arguments, in: place.path, environment: environment, output: outputs[0], errors: outputs[1],
      limit: limit)
    let texts = try outputs.map { String(decoding: try Data(contentsOf: URL(fileURLWithPath: $0)), as: UTF8.self) }
    return LabRun(status: status, output: texts[0], errors: texts[1])
  }
}
