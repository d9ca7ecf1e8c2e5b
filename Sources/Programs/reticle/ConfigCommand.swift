// `reticle config`: creates a configuration, checks one, and shows the effective value of every key.

import ArgumentParser
import BarcodeMessage
import Boards
import Glibc
import SetupCodes
import StationConfiguration
import StationDoctor

struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Write, check and explain the configuration.",
    subcommands: [
      Initialize.self, Check.self, Show.self, Merge.self, Explain.self, Reference.self, SetupCodeCommand.self,
      ClearSetupCommand.self,
    ])

  struct Initialize: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "init", abstract: "Write a configuration that explains the keys in it.",
      discussion: """
        It asks where scans go: at least one of --webhook, --serial, --tcp, --mqtt and --stdout. The file shows the keys that
        many stations set; with --all, every key. An existing file is never overwritten.

        Exit status: 0, 64 for wrong usage, 73 if the file is there or cannot be written.
        """)

    @Option(name: .shortAndLong, help: ArgumentHelp("Where to write it instead of standard output.", valueName: "file"))
    var output: String?

    @Option(
      help: ArgumentHelp(
        "The board that it is for, as `reticle boards` lists them, or \"this\": its camera, torch, buttons and lamps are set.",
        valueName: "board"), completion: .list(["this"] + BoardFile.all.map(\.name)))
    var board: String?

    @Option(help: ArgumentHelp("Post each scan to this address.", valueName: "url"))
    var webhook: String?

    @Option(
      help: ArgumentHelp(
        "Write each scan to this serial line: /dev/ttyUSB0, or usb:0403:6001 for a USB adapter.", valueName: "device"),
      completion: .file())
    var serial: String?

    @Option(
      help: ArgumentHelp("Connect to this host and send it each scan, such as till.example:9100.", valueName: "host:port"))
    var tcp: String?

    @Option(help: ArgumentHelp("Publish each scan to this broker, such as mqtts://broker.example.", valueName: "broker"))
    var mqtt: String?

    @Flag(help: "Print each scan: for a terminal, not for the service.")
    var stdout = false

    @Flag(help: "Show every key, not only those that many stations set.")
    var all = false

    func validate() throws {
      if let board { _ = try BoardsCommand.board(board) }
      _ = try sinks()
    }

    /// The sinks chosen by the options.
    private func sinks() throws(ValidationError) -> [StartingSink] {
      var sinks: [StartingSink] = []
      if let webhook {
        sinks.append(try Self.sink("--webhook") { () throws(ConfigurationProblem) in try .init(webhook: webhook) })
      }
      if let serial {
        sinks.append(try Self.sink("--serial") { () throws(ConfigurationProblem) in try .init(serial: serial) })
      }
      if let tcp { sinks.append(try Self.sink("--tcp") { () throws(ConfigurationProblem) in try .init(tcp: tcp) }) }
      if let mqtt { sinks.append(try Self.sink("--mqtt") { () throws(ConfigurationProblem) in try .init(mqtt: mqtt) }) }
      if stdout { sinks.append(.standardOutput) }
      guard !sinks.isEmpty else {
        throw ValidationError(
          "a station needs to know where scans go: give --webhook URL, --serial DEVICE, --tcp HOST:PORT or --mqtt BROKER, or --stdout to print them in a terminal"
        )
      }
      return sinks
    }

    private static func sink(
      _ option: String, _ make: () throws(ConfigurationProblem) -> StartingSink
    ) throws(ValidationError) -> StartingSink {
      do throws(ConfigurationProblem) {
        return try make()
      } catch {
        throw ValidationError("\(option): \(TerminalText.safe(error.description))")
      }
    }

    func run() throws {
      let sinks = try sinks()
      let text: String
      if let board {
        let yaml = try BoardsCommand.board(board).section("configuration")
        text = ConfigurationReference.startingFile(like: yaml, sinks: sinks, isWhole: all)
      } else {
        text = ConfigurationReference.startingFile(
          ["camera.source": CameraSource.standard.rawValue], sinks: sinks, isWhole: all)
      }
      guard let output else { return try StandardOutput.write(text) }
      let descriptor = open(output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
      var failure = errno
      if descriptor >= 0 {
        var bytes = text
        failure = bytes.withUTF8 { writeAll(descriptor, UnsafeRawBufferPointer($0)) }
        if close(descriptor) != 0, failure == 0 { failure = errno }
      }
      guard failure == 0 else {
        let remedy = failure == EEXIST ? "; move it away or name another file" : ""
        StandardOutput.writeError("reticle: cannot write \(output): \(errorText(failure))\(remedy)\n")
        throw ExitCode(73)
      }
    }
  }

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Tell everything that is wrong with a configuration.",
      discussion: """
        The service's own file is checked as the service would read it, and refused for what the service refuses; others are \
        with --service. The changes of set-up codes are checked, too.

        Exit status: 0 if it is right, 64 for wrong usage, 66 if no file is named and there is none, 78 if it is wrong.
        """)

    @Argument(help: ConfigurationLoading.help, completion: .file(extensions: ["yaml"])) var file: String?

    @Option(
      help: ArgumentHelp("The same, as other commands take it.", valueName: "file"), completion: .file(extensions: ["yaml"]))
    var config: String?

    @Flag(help: "Check the file as the service's own.") var service = false

    func validate() throws {
      guard file == nil || config == nil else { throw ValidationError("name one configuration, as FILE or with --config") }
    }

    func run() async throws {
      guard let path = ConfigurationLoading.file(file ?? config) else {
        StandardOutput.writeError(
          "reticle: there is no \(ConfigurationLoading.installedFile); name a configuration, or write one with reticle config init\n"
        )
        throw ExitCode(66)
      }
      let isService = service || ConfigurationLoading.isInstalled(path)
      let environment = isService ? ConfigurationLoading.serviceEnvironment() : environmentVariables()
      let problem = try await loadedConfiguration(path, environment).configuration.journalProblem
      let name = TerminalText.safe(path)
      guard let problem else { return try StandardOutput.write("\(name) is right\n") }
      guard isService else {
        return try StandardOutput.write("\(name) is right for a terminal; the service would refuse it: \(problem)\n")
      }
      throw wrong(ConfigurationError(file: path, problems: [problem]))
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the value of every key, and where it comes from.",
      discussion: "Secrets are hidden. Exit status: 0, 78 if the configuration is wrong.")

    @Option(help: ConfigurationLoading.help, completion: .file(extensions: ["yaml"])) var config: String?

    func run() async throws {
      let file = ConfigurationLoading.file(config)
      for value in try await loadedConfiguration(file, environmentVariables()).values {
        try StandardOutput.write("\(value)\n")
      }
    }
  }

  struct Merge: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print one configuration from several.",
      discussion: """
        Where several files have a key, the last one counts: first that of all stations, then that of a group, then the station's. \
        Sections merge key by key; a list or a single value replaces what was there, and a key without a value removes it. Comments \
        are left out. The result is not checked: see reticle config check.

        Exit status: 0, 64 for wrong usage, 66 if a file cannot be read, 78 if one is not YAML.
        """)

    @Argument(help: ArgumentHelp("The files.", valueName: "file"), completion: .file(extensions: ["yaml"])) var files:
      [String]

    func run() throws {
      var texts: [String] = []
      for file in files {
        do throws(FileFault) {
          let bytes = try DurableFile.read(file, byteCountMax: ConfigurationFile.byteCountMax + 1)
          guard let bytes else { throw FileFault(path: file, call: "open", code: ENOENT) }
          guard bytes.count <= ConfigurationFile.byteCountMax else { throw FileFault(path: file, call: "read", code: EFBIG) }
          texts.append(String(decoding: bytes, as: UTF8.self))
        } catch {
          StandardOutput.writeError("reticle: \(error); name files that are there\n")
          throw ExitCode(66)
        }
      }
      let merged: String
      do throws(ConfigurationMergeFault) {
        merged = try ConfigurationMerge.merge(texts)
      } catch {
        StandardOutput.writeError(
          "reticle: \(TerminalText.safe(files[error.position])): this is not YAML: \(error.reason)\n")
        throw ExitCode(78)
      }
      try StandardOutput.write(merged)
    }
  }

  struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Explain a key, or all keys of a section.",
      discussion: "Exit status: 0, 64 if no key or section has that name.")

    @Argument(
      help: ArgumentHelp("A key such as decoder.addons, or a section such as decoder.", valueName: "key"),
      completion: .list(ConfigurationKey.all.map(\.name)))
    var key: String

    func validate() throws {
      guard ConfigurationKey.named(key).isEmpty else { return }
      let similar =
        ConfigurationKey.similar(to: key).map { "; do you mean \($0)?" } ?? "; reticle config reference lists all"
      throw ValidationError("no key or section is named \(TerminalText.safe(key))\(similar)")
    }

    func run() throws {
      let explanations = ConfigurationKey.named(key).map(ConfigurationReference.explanation)
      try StandardOutput.write(explanations.joined(separator: "\n"))
    }
  }

  struct Reference: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the reference page of all keys, in Markdown.")

    func run() throws { try StandardOutput.write(ConfigurationReference.page) }
  }
}

/// Loads a configuration; writes its errors to standard error and exits with status 78 if it is invalid.
private func loadedConfiguration(_ file: String?, _ environment: [String: String]) async throws
  -> StationConfiguration.Loaded
{
  do throws(ConfigurationError) {
    return try await StationConfiguration.loadWithOrigins(path: file, environment: environment, overlay: .stored)
  } catch {
    throw wrong(error)
  }
}

/// Writes the problems to standard error; returns the exit status.
private func wrong(_ error: ConfigurationError) -> ExitCode {
  StandardOutput.writeError("reticle: \(error)\n")
  return ExitCode(78)
}
