// The way out of a station: the outbox, one loop for each sink, and the outbox's upkeep.

public import Delivery
public import Devices
public import Logging
public import ServiceLifecycle

/// An outbox with its sinks, ready to run.
public struct StationDelivery: Sendable {
  public let outbox: Outbox
  public let forwarding: OutboxForwarding
  /// The delivery loops in the order of the sinks, then the outbox's upkeep.
  public let services: [any Service]

  /// Opens the outbox and makes the sinks.
  ///
  /// - Parameter serialPort: makes the port of a serial sink.
  /// - Throws: what is wrong with a sink's settings.
  public init(
    _ configuration: StationConfiguration, logger: Logger, serialPort: (SerialSettings) -> any SerialPort
  ) async throws(DeliveryProblem) {
    let names = configuration.sinks.map(\.name)
    var sinks: [(sink: any ScanSink, retry: RetrySettings)] = []
    for sink in configuration.sinks {
      switch sink {
      case .webhook(let settings): sinks.append((try WebhookSink(settings: settings), settings.retry))
      case .serial(let settings):
        sinks.append((SerialSink(settings: settings, port: serialPort(settings)), settings.retry))
      case .standardOutput(let settings): sinks.append((StandardOutputSink(settings: settings), settings.retry))
      }
    }
    let outbox = await Outbox(settings: configuration.outbox, sinks: names, logger: logger)
    self.outbox = outbox
    forwarding = OutboxForwarding(outbox: outbox, station: configuration.stationName, sinkNames: names)
    let loops = sinks.map { DeliveryLoop(sink: $0.sink, outbox: outbox, retry: $0.retry, logger: logger) }
    services = loops as [any Service] + [OutboxKeeper(outbox: outbox)]
  }
}
