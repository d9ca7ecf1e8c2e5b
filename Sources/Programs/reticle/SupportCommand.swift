// `reticle support`: packs what helps others to find a fault into one file: pictures of what failed, the configuration
// without secrets, the log, versions and the doctor's report.

import ArgumentParser
import DeliveryModel
import FoundationEssentials
import Glibc
import StationConfiguration

struct SupportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "support",
    abstract: "Pack pictures, configuration, log and versions into one file for support.",
    discussion: """
      The file is a compressed tar archive. It has the newest pictures, those of no-reads and of symbols that could not be \
      read before those of scans; every key of the configuration with secrets hidden; the service's log, if this user may \
      read it; the versions of the program and the system; and the doctor's report, for which the way to each sink is looked \
      at, as `reticle doctor` does.

      Pictures may show people, and codes are readable in them: look at the file before you send it. Run it with sudo to \
      include the log and what the service alone may read.

      Exit status: 0, 64 for wrong usage, 73 if the file cannot be written or is already there.
      """)

  /// The most bytes of all pictures in the file.
  static let pictureByteCountMax: Int64 = 64 << 20
  /// Lines of the log, the newest ones.
  static let logLineCount = 5000
  private static let programLimit = Duration.seconds(60)
  /// Exit status if the file cannot be written: EX_CANTCREAT of sysexits(3).
  private static let unwritableStatus: Int32 = 73

  @Option(help: ArgumentHelp("The configuration, a YAML file.", valueName: "file"), completion: .file(extensions: ["yaml"]))
  var config = ConfigurationLoading.installedFile

  @Option(name: .shortAndLong, help: ArgumentHelp("The file to write.", valueName: "file"))
  var output = "reticle-support.tar.gz"

  @Option(help: ArgumentHelp("The most pictures, 0 to 1000.", valueName: "count"))
  var pictures = 20

  func validate() throws {
    guard (0...1000).contains(pictures) else { throw ValidationError("--pictures must be 0 to 1000") }
  }

  func run() async throws {
    umask(0o077)
    try claimOutput()
    do {
      let folder = try Self.temporaryFolder()
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let content = "\(folder)/reticle-support"
      try FileManager.default.createDirectory(atPath: "\(content)/pictures", withIntermediateDirectories: true)
      var notes = await collect(content)
      notes.append("Look at the pictures before you send this file: they may show people.")
      for note in notes { StandardOutput.writeError("reticle: \(note)\n") }
      try Data((notes.joined(separator: "\n") + "\n").utf8).write(to: Self.file("\(content)/README.txt"))
      let partial = "\(folder)/archive"
      let words = ["tar", "--create", "--gzip", "--file", partial, "--directory", folder, "reticle-support"]
      if let problem = ExternalProgram.run(words, output: "\(folder)/messages", limit: Self.programLimit) {
        throw failure("the archive cannot be made: \(problem)")
      }
      try Data(contentsOf: Self.file(partial)).write(to: Self.file(output))
    } catch {
      unlink(output)
      throw error is ExitCode ? error : failure("\(output) cannot be written: \(error)")
    }
    try StandardOutput.write("\(output)\n")
  }

  /// Creates the file, so that no other file is replaced, and none is made that others can read.
  private func claimOutput() throws {
    let descriptor = open(output, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let hint = errno == EEXIST ? "; name another file with --output" : ""
      throw failure("\(output) cannot be written: \(errorText(errno))\(hint)")
    }
    close(descriptor)
  }

  private func failure(_ message: String) -> ExitCode {
    StandardOutput.writeError("reticle: \(message)\n")
    return ExitCode(Self.unwritableStatus)
  }

  /// Makes a folder that only this user can enter.
  static func temporaryFolder() throws -> String {
    let base = environmentVariables()["TMPDIR"] ?? "/tmp"
    var template = Array("\(base)/reticle-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func file(_ path: String) -> URL { URL(filePath: path) }

  /// Writes every part to a folder; returns notes about what is missing.
  private func collect(_ folder: String) async -> [String] {
    var notes: [String] = []
    func write(_ text: String, _ name: String) {
      do { try Data(text.utf8).write(to: Self.file("\(folder)/\(name)")) } catch {
        notes.append("\(name) is missing: \(error)")
      }
    }
    write(Self.versions(), "versions.txt")
    var settings: PictureSettings?
    let hasFile = access(config, F_OK) == 0
    if !hasFile { notes.append("\(config) is missing, or this user may not reach it: configuration.txt has the defaults.") }
    do throws(ConfigurationError) {
      let loaded = try await StationConfiguration.loadWithOrigins(
        path: hasFile ? config : nil, environment: ConfigurationLoading.serviceEnvironment())
      settings = loaded.configuration.pictures
      write(loaded.values.map { "\($0)\n" }.joined(), "configuration.txt")
      if let error = loaded.overlayError { notes.append("The changes of set-up codes are not in effect: \(error)") }
    } catch {
      write("\(error)\n", "configuration.txt")
      notes.append(
        "The configuration is wrong, or this user may not read it: configuration.txt has the reason, and no pictures are packed."
      )
    }
    // A child process: the doctor gives up the rights of root.
    let doctor = ["/proc/self/exe", "doctor", "--config", config]
    _ = ExternalProgram.run(doctor, output: "\(folder)/doctor.txt", limit: Self.programLimit)
    let journal = [
      "journalctl", "--unit", "reticle", "--lines", "\(Self.logLineCount)", "--output", "short-iso", "--no-pager",
    ]
    if let problem = ExternalProgram.run(journal, output: "\(folder)/log.txt", limit: Self.programLimit) {
      notes.append("The log is missing: \(problem).")
    } else if Self.isEmptyLog("\(folder)/log.txt") {
      notes.append("The log is missing: the journal has no lines of the service, or this user may not read them.")
    } else if geteuid() != 0 {
      notes.append("The log has only what this user may read; sudo includes all of it.")
    }
    if let settings {
      notes += copyPictures(settings, to: "\(folder)/pictures")
    } else {
      notes.append("No pictures: the station keeps none (pictures.of).")
    }
    return notes
  }

  /// Whether journalctl(1) found no lines: it says so in the last one.
  static func isEmptyLog(_ path: String) -> Bool {
    let text = (try? Data(contentsOf: file(path))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return text.split(separator: "\n").last.map { $0 == "-- No entries --" } ?? true
  }

  /// Versions of the program, its libraries, the system and the board.
  private static func versions() -> String {
    var text = ReticleVersion.text + "\n"
    for path in ["/proc/version", "/etc/os-release", "/proc/device-tree/model"] {
      let bytes = (try? Data(contentsOf: file(path))) ?? Data()
      text += "\n\(path)\n" + String(decoding: bytes.prefix(4096).filter { $0 != 0 }, as: UTF8.self) + "\n"
    }
    return text
  }

  private func copyPictures(_ settings: PictureSettings, to folder: String) -> [String] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: settings.folder) else {
      return ["No pictures: \(settings.folder) is missing, or this user may not read it."]
    }
    var byteCount: Int64 = 0
    var copied = 0
    for name in Self.mostTelling(names) where copied < pictures {
      let path = "\(settings.folder)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        byteCount + Int64(status.st_size) <= Self.pictureByteCountMax
      else { continue }
      // A picture may be deleted at any time.
      guard (try? FileManager.default.copyItem(atPath: path, toPath: "\(folder)/\(name)")) != nil else { continue }
      byteCount += Int64(status.st_size)
      copied += 1
    }
    return ["\(copied) pictures of \(settings.folder) are included."]
  }

  /// Names of pictures: first those of no-reads and unread symbols, then those of scans, each from the newest.
  static func mostTelling(_ names: [String]) -> [String] {
    let pictures = names.compactMap { name in PictureTemplate.parse(name).map { (name: name, kind: $0.kind, id: $0.id) } }
    return pictures.sorted { a, b in
      (a.kind == .scan) == (b.kind == .scan) ? a.id > b.id : b.kind == .scan
    }.map(\.name)
  }
}
