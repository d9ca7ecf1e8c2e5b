// `reticle config`: write a configuration to begin with, check one, and see what every key is worth.

import ArgumentParser
import Boards
import Glibc
import StationConfiguration
import StationDoctor

struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Write, check and explain the configuration.",
    subcommands: [Initialize.self, Check.self, Show.self, Reference.self])

  struct Initialize: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "init", abstract: "Write a configuration in which every key is explained.",
      discussion: "An existing file is never overwritten. Exit status: 0, 73 if the file is there or cannot be written.")

    @Option(name: .shortAndLong, help: ArgumentHelp("Where to write it instead of standard output.", valueName: "file"))
    var output: String?

    @Option(
      help: ArgumentHelp(
        "The board that it is for, as `reticle boards` lists them, or \"this\": its camera, torch, buttons and lamps are set.",
        valueName: "board"), completion: .list(["this"] + BoardFile.all.map(\.name)))
    var board: String?

    func validate() throws { if let board { _ = try BoardsCommand.board(board) } }

    func run() throws {
      let text: String
      if let board {
        text = ConfigurationReference.startingFile(like: try BoardsCommand.board(board).section("configuration"))
      } else {
        text = ConfigurationReference.startingFile(["camera.source": "libcamera"])
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
      discussion: "Exit status: 0 if it is right, 78 if not.")

    @Argument(help: "The configuration, a YAML file.", completion: .file(extensions: ["yaml"])) var file: String

    func run() async throws {
      _ = try await loadedConfiguration(file)
      try StandardOutput.write("\(file) is right\n")
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the value of every key, and where it comes from.",
      discussion: "Secrets are hidden. Exit status: 0, 78 if the configuration is wrong.")

    @Option(help: ConfigurationLoading.help, completion: .file(extensions: ["yaml"])) var config: String?

    func run() async throws {
      for value in try await loadedConfiguration(ConfigurationLoading.file(config)).values {
        try StandardOutput.write("\(value)\n")
      }
    }
  }

  struct Reference: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the reference page of all keys, in Markdown.")

    func run() throws { try StandardOutput.write(ConfigurationReference.page) }
  }
}

/// A configuration, or what is wrong with it on standard error and status 78.
private func loadedConfiguration(_ file: String?) async throws -> (
  configuration: StationConfiguration, values: [EffectiveValue]
) {
  do throws(ConfigurationError) {
    return try await StationConfiguration.loadWithOrigins(path: file, environment: environmentVariables())
  } catch {
    StandardOutput.writeError("reticle: \(error)\n")
    throw ExitCode(78)
  }
}
