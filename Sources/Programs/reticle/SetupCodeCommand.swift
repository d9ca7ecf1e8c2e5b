// `reticle config code` and `reticle config clear-setup`: makes set-up codes and their keys, and removes what codes changed.

import ArgumentParser
import BarcodeMessage
import DeliveryModel
import Glibc
import SetupCodes
import StationConfiguration
import SymbolPrinter

struct SetupCodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "code", abstract: "Make a QR Code that changes a station's configuration.",
    discussion: """
      A station that has the public key in setup.public_keys carries the code out once, while it is valid, if setup.allow lists \
      every key that it changes. Only those who make codes keep the private key: no station needs it.

      The values are checked with the station's configuration, so name a copy of it with --config where it is not installed.

      Exit status: 0, 64 for wrong usage, 65 if --key is no key, 66 if a file is missing, 73 if the key's file is there or \
      cannot be written, 74 if the picture could not be written, 77 if others may read the key, 78 if the station would refuse \
      the code.

      Examples:
        reticle config code --new-key setup.pem
        reticle config code repeat.absence='2 s' --key setup.pem --station 'till-*' -o setup.png
      """)

  @Argument(help: ArgumentHelp("The keys and their new values; lists in brackets.", valueName: "key=value"))
  var changes: [String] = []

  @Option(help: ArgumentHelp("The private key that signs.", valueName: "file"), completion: .file(extensions: ["pem"]))
  var key: String?

  @Option(
    help: ArgumentHelp(
      "Make a key, write it to this file, and print its public key for setup.public_keys.", valueName: "file"),
    completion: .file(extensions: ["pem"]))
  var newKey: String?

  @Flag(help: "Print the public key of --key for setup.public_keys, and make no code.")
  var publicKey = false

  @Option(help: ArgumentHelp("How long the code is valid, at most 7 d.", valueName: "time"))
  var valid = "1 h"

  @Option(
    help: ArgumentHelp(
      "The station.name of the station that may use it; a * at the end matches any ending. (default: every station with the key)",
      valueName: "name"))
  var station: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The picture to write, as PNG or SVG. (default: print the code's text)", valueName: "file"),
    completion: .file(extensions: PictureFileType.allCases.map(\.rawValue)))
  var output: String?

  @Option(help: ConfigurationLoading.help, completion: .file(extensions: ["yaml"]))
  var config: String?

  @Flag(help: "Do not check the values; the station still does.")
  var unchecked = false

  func validate() throws {
    if newKey != nil {
      guard changes.isEmpty, key == nil, !publicKey else { throw ValidationError("give --new-key alone") }
      return
    }
    guard key != nil else { throw ValidationError("give --key FILE, or make a key with --new-key FILE") }
    guard publicKey == changes.isEmpty else {
      throw ValidationError(
        publicKey ? "give --public-key without changes" : "give at least one change, such as repeat.absence='2 s'")
    }
    _ = try parsedChanges()
    _ = try validSeconds()
    if let output { let _: PictureFileType = try fileType(of: output) }
  }

  func run() async throws {
    if let newKey { return try makeKey(newKey) }
    let signing = try signingKey()
    if publicKey { return try StandardOutput.write(signing.publicKey.text + "\n") }
    let changes = try parsedChanges()
    if !unchecked { try await check(changes, signing.publicKey) }
    let code = SetupCode(
      changes, for: station, madeAt: CaptureTime.now().unixMilliseconds / 1000, validSeconds: try validSeconds())
    let text: String
    do throws(SetupCode.Fault) {
      text = try code.text(signedBy: signing)
    } catch {
      throw ValidationError(Self.explanation(error))
    }
    guard let output else { return try StandardOutput.write(text + "\n") }
    try draw(text, output)
  }

  private static func explanation(_ fault: SetupCode.Fault) -> String {
    switch fault {
    case .tooLong(let byteCount):
      "the code would have \(byteCount) bytes, and at most \(SetupCode.textByteCountMax) are easily read; make several codes"
    case .malformed, .signature: "these changes do not fit a set-up code; name each key once"
    }
  }

  private func draw(_ text: String, _ output: String) throws {
    let type: PictureFileType = try fileType(of: output)
    let bytes: [UInt8]
    do throws(SymbolPrinterError) {
      let picture = try SymbolPrinter.print(SymbolRequest(text))
      bytes =
        switch type {
        case .svg: Array(try picture.svg(scale: Self.scale, quietZone: nil).utf8)
        case .png: try picture.png(scale: Self.scale, quietZone: nil)
        }
    } catch {
      throw ValidationError(TerminalText.safe(error.message))
    }
    try OutputFile.write(bytes, to: output)
  }

  /// Pixels of a module's side.
  private static let scale = 8

  private func parsedChanges() throws(ValidationError) -> [SetupCode.Change] {
    guard changes.count <= SetupCode.changeCountMax else {
      throw ValidationError("a code changes at most \(SetupCode.changeCountMax) keys; make several")
    }
    var parsed: [SetupCode.Change] = []
    for text in changes {
      guard let change = SetupCode.Change(text) else {
        throw ValidationError("'\(TerminalText.safe(text))' is no KEY=VALUE, such as repeat.absence='2 s'")
      }
      guard !parsed.contains(where: { $0.key == change.key }) else {
        throw ValidationError("\(TerminalText.safe(change.key)) is there twice; keep one")
      }
      parsed.append(change)
    }
    return parsed
  }

  private func validSeconds() throws(ValidationError) -> Int64 {
    guard let duration = ConfigurationParsing.duration(valid, in: .seconds(1) ... .seconds(SetupCode.validSecondsMax)) else {
      throw ValidationError("--valid must be a time from 1 s to 7 d, such as 1 h")
    }
    return duration.components.seconds
  }

  // MARK: Keys

  private func makeKey(_ path: String) throws {
    guard let made = SetupSigningKey.generate() else {
      throw failure(70, "OpenSSL cannot make an Ed25519 key")
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    var code = descriptor < 0 ? errno : made.pem.withUnsafeBytes { writeAll(descriptor, $0) }
    if descriptor >= 0, close(descriptor) != 0, code == 0 { code = errno }
    guard code == 0 else {
      let remedy = code == EEXIST ? "; a key is never overwritten, so name another file" : ""
      throw failure(73, "cannot write \(path): \(errorText(code))\(remedy)")
    }
    try StandardOutput.write(made.publicKey.text + "\n")
  }

  private func signingKey() throws -> SetupSigningKey {
    let path = key ?? ""
    var status = stat()
    guard stat(path, &status) == 0 else { throw failure(66, "cannot read \(path): \(errorText(errno))") }
    guard status.st_mode & 0o077 == 0 else {
      throw failure(77, "others may read \(path), and could make codes; run `chmod 600` on it")
    }
    let bytes: [UInt8]?
    do throws(FileFault) {
      bytes = try DurableFile.read(path, byteCountMax: SetupSigningKey.pemByteCountMax)
    } catch {
      throw failure(66, "cannot read \(error)")
    }
    guard let bytes, let key = SetupSigningKey(pem: bytes) else {
      throw failure(65, "\(path) holds no key of `reticle config code --new-key`")
    }
    return key
  }

  // MARK: Checking

  /// Checks what the station would check, except time and replay.
  private func check(_ changes: [SetupCode.Change], _ publicKey: SetupPublicKey) async throws {
    guard let path = ConfigurationLoading.file(config) else {
      throw failure(
        66,
        "the values cannot be checked, as there is no \(ConfigurationLoading.installedFile); name a copy of the station's "
          + "configuration with --config, or give --unchecked")
    }
    let environment =
      ConfigurationLoading.isInstalled(path) ? ConfigurationLoading.serviceEnvironment() : environmentVariables()
    do throws(ConfigurationError) {
      let present = try await StationConfiguration.loadWithOrigins(path: path, environment: environment).configuration
      if let problem = problem(present, changes, publicKey) {
        throw ConfigurationError(file: path, problems: [ConfigurationProblem(problem)])
      }
      _ = try await StationConfiguration.loadWithOrigins(
        path: path, environment: environment, overlay: .instead(present.setup.overlay.changed(by: changes)))
    } catch {
      throw failure(78, "a station with this configuration would refuse the code: \(error)")
    }
  }

  private func problem(
    _ present: StationConfiguration, _ changes: [SetupCode.Change], _ publicKey: SetupPublicKey
  ) -> String? {
    guard present.setup.publicKeys.contains(publicKey) else {
      return "setup.public_keys does not hold the public key of \(key ?? ""), \(publicKey.text); add it"
    }
    if let barred = changes.first(where: { !present.setup.allows($0.key) }) {
      return "setup.allow does not list \(barred.key); add it, if set-up codes may change it"
    }
    let code = SetupCode(changes, for: station, madeAt: 0, validSeconds: 1)
    guard code.isFor(present.stationName) else {
      return "station.name is \(present.stationName), which is not \(station ?? "")"
    }
    return nil
  }

  /// Writes a message to standard error; returns the exit status.
  private func failure(_ status: Int32, _ message: String) -> ExitCode {
    StandardOutput.writeError("reticle: \(TerminalText.quoting(message))\n")
    return ExitCode(status)
  }
}

struct ClearSetupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear-setup", abstract: "Remove the changes of set-up codes.",
    discussion: """
      The configuration file then holds alone, from the station's next start or reload on. Codes that were used stay used.

      Exit status: 0, 74 if the file cannot be removed, 78 if the configuration is wrong.
      """)

  @Option(help: ConfigurationLoading.help, completion: .file(extensions: ["yaml"])) var config: String?

  func run() async throws {
    let path = ConfigurationLoading.file(config)
    let environment =
      path.map(ConfigurationLoading.isInstalled) == true
      ? ConfigurationLoading.serviceEnvironment() : environmentVariables()
    let files: SetupFiles
    do throws(ConfigurationError) {
      files = try await StationConfiguration.loadWithOrigins(path: path, environment: environment, overlay: .none)
        .configuration.setup.files
    } catch {
      StandardOutput.writeError("reticle: \(error)\n")
      throw ExitCode(78)
    }
    let wasThere: Bool
    do throws(FileFault) {
      wasThere = try files.clear()
    } catch {
      StandardOutput.writeError("reticle: cannot remove \(TerminalText.quoting("\(error)"))\n")
      throw ExitCode(74)
    }
    try StandardOutput.write(
      wasThere
        ? "\(TerminalText.safe(files.overlayPath)) is removed; reload the station with `sudo systemctl reload reticle`\n"
        : "no set-up code has changed anything\n")
  }
}
