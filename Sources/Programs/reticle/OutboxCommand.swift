// `reticle outbox`: shows scans that wait for delivery and lets an operator act on them, with or without a running station.

import ArgumentParser
import BarcodeMessage
import DeliveryModel
import FoundationEssentials
import Glibc
import Outbox
import StationConfiguration

struct OutboxCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outbox",
    abstract: "Look into the outbox, and retry, purge or export its scans.",
    discussion: """
      Works while a station is running, which then does what is asked within seconds, and when none is. \(statuses)
      """,
    subcommands: [List.self, Show.self, Retry.self, Purge.self, Export.self])

  private static let statuses =
    "Exit status: 0, 64 for wrong usage, 66 if there is no outbox or no such scan, 69 if it cannot be used, 74 if the answer "
    + "cannot be written, 78 if the configuration is wrong."

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  /// The options that select an outbox.
  struct Place: ParsableArguments {
    @Option(help: ConfigurationLoading.help, completion: .file(extensions: ["yaml"]))
    var config: String?

    @Option(
      help: ArgumentHelp("The outbox file; overrides the configuration's.", valueName: "file"), completion: .file())
    var path: String?

    /// The settings of an existing outbox.
    func settings() async throws -> OutboxSettings {
      var settings: OutboxSettings
      do throws(ConfigurationError) {
        settings = try await StationConfiguration.load(
          path: path == nil ? ConfigurationLoading.file(config) : config, environment: environmentVariables()
        ) {
          // The camera is irrelevant here, even if none is configured.
          $0.camera.pictures = ["/"]
        }.outbox
      } catch {
        throw failure(78, error.description)
      }
      settings.path = path ?? settings.path
      guard access(settings.path, F_OK) == 0 else {
        throw failure(66, "there is no outbox \(settings.path); name the station's configuration or its outbox.path")
      }
      return settings
    }
  }

  /// The options that select scans.
  struct Choice: ParsableArguments {
    @Option(help: ArgumentHelp("Only scans that this sink does not have yet.", valueName: "name"))
    var sink: String?

    @Flag(help: "Include delivered scans that are still kept.")
    var all = false

    @Option(help: ArgumentHelp("The sequence number of the first scan.", valueName: "number"))
    var from: Int64 = 1

    @Option(help: ArgumentHelp("The sequence number of the last scan.", valueName: "number"))
    var through: Int64 = .max

    func validate() throws {
      guard from >= 1, through >= from else { throw ValidationError("--from and --through must be 1 or more, in order") }
      guard sink == nil || !all else { throw ValidationError("--sink and --all exclude each other") }
    }

    /// The sequence number that precedes the selected scans.
    func start(_ sinks: [OutboxReader.SinkProgress]) throws -> Int64 {
      if all { return from - 1 }
      if let sink, !sinks.contains(where: { $0.name == sink }) {
        let names = sinks.map(\.name).joined(separator: ", ")
        throw failure(66, "there is no sink \(sink) in this outbox; there are \(names.isEmpty ? "none" : names)")
      }
      let positions = sinks.filter { sink == nil || $0.name == sink }.map(\.position)
      return max(from - 1, positions.min() ?? 0)
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the sinks and the scans that wait.", discussion: statuses)

    @OptionGroup var place: Place
    @OptionGroup var choice: Choice

    @Option(help: ArgumentHelp("The most scans to list.", valueName: "number")) var limit = 100
    @Flag(help: "List dead letters instead: scans that receivers permanently refused, with the reason.") var dead = false
    @Option(help: ArgumentHelp("How to write the answer: text or json.", valueName: "format")) var format = Format.text

    func validate() throws {
      guard (0...100_000).contains(limit) else { throw ValidationError("--limit must be from 0 to 100000") }
    }

    func run() async throws {
      let settings = try await place.settings()
      try await reading {
        let reader = try OutboxReader(path: settings.path)
        if dead { return try listDead(reader) }
        let sinks = try reader.sinks()
        let found = try reader.records(after: try choice.start(sinks), limit: limit)
        let scans = found.prefix { $0.sequence <= choice.through }
        try StandardOutput.write(format == .json ? json(sinks, scans) : Array(text(sinks, scans).utf8))
      }
    }

    private func text(_ sinks: [OutboxReader.SinkProgress], _ scans: ArraySlice<ScanRecord>) -> String {
      var lines = sinks.map { sink in
        "\(sink.name): \(sink.undeliveredCount) undelivered, has everything up to #\(sink.position)"
          + (sink.deadCount > 0 ? ", \(sink.deadCount) dead letters" : "")
          + (sink.isConfigured ? "" : ", no longer configured")
      }
      if sinks.isEmpty { lines = ["no sink has taken a scan yet"] }
      lines += scans.map { scan in
        let waiting = sinks.filter { $0.waits(for: scan.sequence) }.map(\.name).joined(separator: ", ")
        return line(of: scan) + (waiting.isEmpty ? "" : " for \(waiting)")
      }
      return lines.joined(separator: "\n") + "\n"
    }

    private func listDead(_ reader: OutboxReader) throws {
      let letters = try reader.deadLetters().filter { choice.sink == nil || $0.letter.sink == choice.sink }.prefix(limit)
      if format == .json {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let answer = letters.map { DeadAnswer(letter: $0.letter, scan: $0.scan) }
        return try StandardOutput.write(JSONText.safe(try encoder.encode(answer)) + [0x0A])
      }
      let lines = letters.map { letter, scan in
        "\(scan.map(line) ?? "#\(letter.number)") for \(letter.sink), after \(letter.tryCount) tries: "
          + TerminalText.safe(letter.problem)
      }
      try StandardOutput.write(lines.isEmpty ? "there are no dead letters\n" : lines.joined(separator: "\n") + "\n")
    }

    private struct DeadAnswer: Encodable {
      let letter: DeadLetter
      let scan: ScanRecord?
    }

    private struct Answer: Encodable {
      struct Sink: Encodable {
        let name: String
        let position: Int64
        let undelivered: Int
        let dead: Int
        let configured: Bool
      }
      let sinks: [Sink]
      let scans: [ScanRecord]
    }

    private func json(_ sinks: [OutboxReader.SinkProgress], _ scans: ArraySlice<ScanRecord>) throws -> [UInt8] {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let sinks = sinks.map {
        Answer.Sink(
          name: $0.name, position: $0.position, undelivered: $0.undeliveredCount, dead: $0.deadCount,
          configured: $0.isConfigured)
      }
      return JSONText.safe(try encoder.encode(Answer(sinks: sinks, scans: Array(scans)))) + [0x0A]
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show one scan.", discussion: statuses)

    @Argument(help: "The scan's id, or its sequence number.") var scan: String
    @OptionGroup var place: Place
    @Option(help: ArgumentHelp("How to write the answer: text or json.", valueName: "format")) var format = Format.text

    func validate() throws {
      guard Int64(scan) ?? 0 <= 0, ScanID(scan) == nil else { return }
      throw ValidationError("\(TerminalText.safe(scan)) is neither a scan's id nor a sequence number")
    }

    func run() async throws {
      let settings = try await place.settings()
      try await reading {
        let reader = try OutboxReader(path: settings.path)
        var found: ScanRecord?
        if let number = Int64(scan), number > 0 {
          found = try reader.records(after: number - 1, limit: 1).first { $0.sequence == number }
        } else if let id = ScanID(scan) {
          found = try reader.record(id)
        }
        guard let found else { throw failure(66, "there is no scan \(scan); delivered ones are kept for a while only") }
        let json = String(decoding: found.json(), as: UTF8.self)
        if format == .json { return try StandardOutput.write(json + "\n") }
        let waiting = try reader.sinks().filter { $0.waits(for: found.sequence) }.map(\.name)
        try StandardOutput.write(
          """
          \(line(of: found))
          id \(found.id), station \(TerminalText.safe(found.station)), confidence \(found.confidence)
          \(waiting.isEmpty ? "delivered to every sink" : "waits for \(waiting.joined(separator: ", "))")
          \(json)

          """)
      }
    }
  }

  struct Retry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Try now what waits or is parked, or deliver again what was delivered.",
      discussion: "With --from, every scan from that one on goes out again, under its old id. \(statuses)")

    @OptionGroup var place: Place
    @Option(help: ArgumentHelp("Only this sink.", valueName: "name")) var sink: String?
    @Option(help: ArgumentHelp("The sequence number of the first scan to deliver again.", valueName: "number"))
    var from: Int64?
    @Flag(help: "Deliver dead letters again.") var dead = false

    func validate() throws {
      guard from ?? 1 >= 1 else { throw ValidationError("--from must be 1 or more") }
      guard !dead || from == nil else { throw ValidationError("--dead and --from exclude each other") }
    }

    func run() async throws {
      let request = OutboxRequest(dead ? .retryDead : from == nil ? .retry : .redeliver, sink: sink, sequence: from)
      try await ask(request, place)
    }
  }

  struct Purge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Permanently skip undelivered scans of a sink.",
      discussion: "They count as discarded. Export them first. \(statuses)")

    @OptionGroup var place: Place
    @Option(help: ArgumentHelp("Only for this sink. Default: all sinks.", valueName: "name")) var sink: String?
    @Option(help: ArgumentHelp("The sequence number of the last scan to skip.", valueName: "number"))
    var through: Int64?
    @Flag(help: "Give up dead letters instead; with --through only the one with that number.") var dead = false
    @Flag(help: "Confirm the purge.") var yes = false

    func validate() throws {
      guard yes else { throw ValidationError("purged scans are never delivered; add --yes to confirm") }
      guard through ?? 1 >= 1 else { throw ValidationError("--through must be 1 or more") }
    }

    func run() async throws {
      try await ask(OutboxRequest(dead ? .purgeDead : .purge, sink: sink, sequence: through), place)
    }
  }

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write scans as JSON lines, each as it would be delivered.",
      discussion: """
        Those that some sink does not have yet, unless told otherwise. Nothing in the outbox is changed. \(statuses)
        """)

    @OptionGroup var place: Place
    @OptionGroup var choice: Choice

    @Flag(help: "The dead letters instead.") var dead = false

    /// The most scans in memory at once.
    static let pageCount = 500

    func run() async throws {
      let settings = try await place.settings()
      try await reading {
        let reader = try OutboxReader(path: settings.path)
        if dead {
          let scans = try reader.deadLetters().filter { choice.sink == nil || $0.letter.sink == choice.sink }.compactMap(
            \.scan)
          return try StandardOutput.write(scans.flatMap { $0.json() + [0x0A] })
        }
        var last = try choice.start(try reader.sinks())
        while true {
          let page = try reader.records(after: last, limit: Self.pageCount)
          let chosen = page.prefix { $0.sequence <= choice.through }
          try StandardOutput.write(chosen.flatMap { $0.json() + [0x0A] })
          guard let end = page.last, chosen.count == page.count else { return }
          last = end.sequence
        }
      }
    }
  }
}

/// A scan on one line for people.
private func line(of scan: ScanRecord) -> String {
  "#\(scan.sequence) \(scan.captured.text) \(scan.symbology) \(scan.aimIdentifier) \"\(TerminalText.safe(scan.text))\""
}

/// Submits a request and reports what was done.
private func ask(_ request: OutboxRequest, _ place: OutboxCommand.Place) async throws {
  let settings = try await place.settings()
  try await reading {
    try StandardOutput.write(try await OutboxOperator(settings: settings).perform(request) + "\n")
  }
}

/// Converts an outbox's errors to messages and exit statuses.
private func reading(_ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch let trouble as OutboxTrouble {
    throw failure(69, "\(trouble); \(trouble.remedy)")
  }
}

/// Writes a message to standard error; returns the exit status.
private func failure(_ status: Int32, _ message: String) -> ExitCode {
  StandardOutput.writeError("reticle: \(message)\n")
  return ExitCode(status)
}
