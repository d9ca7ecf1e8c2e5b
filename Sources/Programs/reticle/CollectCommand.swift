// `reticle collect`: the scans of many stations, from a broker into PostgreSQL.

import ArgumentParser
import DeliveryModel
import Devices
import Glibc
import MQTT
import ScanStore
import Synchronization
import UnixSignals

struct CollectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "collect",
    abstract: "Store the scans of stations in PostgreSQL.",
    discussion: """
      Takes scans and no-reads from a broker of MQTT 5 into the table scans of a database, each id once. The broker hears that a scan \
      is taken after the database has committed it: if anything ends in between, the scan comes again and is not stored twice. While \
      the collector or the database is away, the broker keeps the scans. A message that is no scan goes to the table scans_refused, \
      with the reason. Makes the tables, and a partition per day of ids (UTC). Runs until SIGTERM or SIGINT; several at once need \
      client ids of their own and topics in the form $share/GROUP/TOPIC.

      Needs the program psql (Debian: postgresql-client).

      Exit status: 0 after a clean end, 64 for wrong usage.
      """)

  @Option(
    help: ArgumentHelp("The broker: mqtts://host for TLS, or mqtt://host, with :port behind it.", valueName: "address"))
  var broker: String

  @Option(
    help: ArgumentHelp(
      "The database, as a connection string or URI of PostgreSQL; a password belongs in ~/.pgpass.", valueName: "database"))
  var database = "postgresql:///reticle"

  @Option(
    help: ArgumentHelp("A file whose first line is user:password for the broker.", valueName: "file"), completion: .file())
  var credentialsFile: String?

  @Option(
    help: ArgumentHelp("A PEM file with the certificate authorities to trust instead of the system's.", valueName: "file"),
    completion: .file())
  var caFile: String?

  @Option(help: ArgumentHelp("The topics to subscribe to; the second level is the station.", valueName: "topic"))
  var topic = ["reticle/+/scan", "reticle/+/no-read"]

  @Option(help: ArgumentHelp("The client id, by which the broker keeps the session.", valueName: "id"))
  var clientID = "reticle-collector"

  /// The subscriber that the options ask for.
  private func subscriber() throws -> MQTTSubscriber {
    guard let address = MQTTAddress(broker) else {
      throw ValidationError("--broker is not an address; write mqtts://host or mqtt://host, with :port behind it")
    }
    var settings = MQTTSettings(broker: address)
    settings.clientID = clientID
    settings.credentialsFile = credentialsFile
    settings.certificateAuthorityFile = caFile
    do throws(DeliveryProblem) {
      return try MQTTSubscriber(settings, topics: topic)
    } catch {
      throw ValidationError("\(error)")
    }
  }

  func validate() throws { _ = try subscriber() }

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    let isEnding = Ending()
    let signals = Task {
      for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) { isEnding.flag.store(true, ordering: .relaxed) }
    }
    defer { signals.cancel() }
    let command = self
    await Collecting().run(command, isEnding)
  }

  /// Blocks a thread of its own.
  private actor Collecting {
    private nonisolated let executor = BlockingExecutor(label: "collect")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run(_ command: CollectCommand, _ isEnding: Ending) {
      guard let subscriber = try? command.subscriber() else { return }
      let store = ScanStore(database: command.database, now: { time(nil) })
      ScanCollector(subscriber, store).run(
        isCancelled: { isEnding.flag.load(ordering: .relaxed) },
        onEvent: { StandardOutput.writeError("reticle: \(command.words($0))\n") })
    }
  }

  private final class Ending: Sendable {
    let flag = Atomic(false)
  }

  private func words(_ event: ScanCollector.Event) -> String {
    switch event {
    case .collecting: "collecting from \(broker)"
    case .waiting(let problem): "waiting: \(problem)"
    case .tally(let tally): "stored \(tally.stored), repeated \(tally.repeated), refused \(tally.refused)"
    }
  }
}
