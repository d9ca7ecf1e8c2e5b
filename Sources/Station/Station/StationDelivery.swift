// A station's delivery: the outbox, one loop per sink, and the outbox's maintenance.

public import DeliveryModel
public import Devices
import HostText
public import Logging
public import Outbox
public import ServiceLifecycle
public import Sinks
public import StationConfiguration
public import StationGrading
public import StationPictures

/// An outbox with its sinks, ready to run.
public struct StationDelivery: Sendable {
  public let outbox: Outbox
  public let forwarding: OutboxForwarding
  /// The delivery loops in the order of the sinks, the sinks' own services, then the outbox's maintenance.
  public let services: [any Service]
  /// Hosts' requests over the serial lines of sinks that accept commands; nil if no sink does.
  public let hostRequests: AsyncStream<HostRequest>?
  private let loops: [DeliveryLoop]

  /// The most waiting host requests; further ones are answered as busy.
  static let hostRequestCountMax = 16

  /// Opens the outbox and makes the sinks.
  ///
  /// - Parameters:
  ///   - remainder: scans that the previous configuration's outbox could not write.
  ///   - earlier: the previous configuration's forwarding.
  ///   - pictures: takes pictures of scans; nil: none are kept.
  ///   - grading: grades scans; nil: none are graded.
  ///   - latestPicture: the last picture, for sinks that publish it.
  ///   - keyboard: creates the keyboard of a keyboard sink.
  ///   - scanner: creates the scanner of a USB scanner's sink.
  ///   - serialPort: creates the port of a serial sink.
  /// - Throws: the error in a sink's settings, or `outbox.path` if it names something else.
  public init(
    _ configuration: StationConfiguration, remainder: Outbox.Remainder = Outbox.Remainder(),
    after earlier: OutboxForwarding? = nil, pictures: PictureArchive? = nil,
    grading: PrintGrading? = nil, latestPicture: LatestPicture? = nil, logger: Logger,
    keyboard: @escaping @Sendable (KeyboardSettings) -> any KeyboardPort,
    scanner: @escaping @Sendable (HIDPOSSettings) -> any ScannerPort,
    serialPort: @escaping @Sendable (SerialSettings) -> any SerialPort
  ) async throws(DeliveryProblem) {
    let names = configuration.sinks.map(\.name)
    let (requests, desk) = AsyncStream.makeStream(
      of: HostRequest.self, bufferingPolicy: .bufferingOldest(Self.hostRequestCountMax))
    var surroundings = SinkSurroundings(logger: logger, serialPort: serialPort, keyboard: keyboard, scanner: scanner) {
      request in
      if case .enqueued = desk.yield(request) { true } else { false }
    }
    surroundings.pictures = latestPicture
    if let pictures {
      surroundings.scanPicture = { path, limit in await pictures.picture(at: path, within: limit) }
    }
    var sinks: [any ScanSink] = []
    for settings in configuration.sinks { sinks.append(try settings.makeSink(surroundings)) }
    if let trouble = Outbox.foreignFile(at: configuration.outbox.path) {
      throw DeliveryProblem("\(trouble)", remedy: trouble.remedy)
    }
    let outbox = await Outbox(
      settings: configuration.outbox, sinks: configuration.sinks.map { OutboxSink($0.name, target: $0.target) },
      remainder: remainder, logger: logger)
    self.outbox = outbox
    forwarding = OutboxForwarding(
      outbox: outbox, station: configuration.stationName, sinkNames: names, format: configuration.host,
      sinks: configuration.sinks.map(\.hostSink), ruleMemory: Self.ruleMemory(configuration),
      noReads: configuration.noReads, pictures: pictures, grading: grading, after: earlier, logger: logger)
    loops = zip(sinks, configuration.sinks).map { sink, settings in
      DeliveryLoop(sink: sink, among: names, outbox: outbox, retry: settings.retry, logger: logger)
    }
    services = loops as [any Service] + sinks.flatMap(\.services) + [OutboxKeeper(outbox: outbox)]
    hostRequests = configuration.sinks.contains { $0.acceptsCommands || $0.asksForStatus } ? requests : nil
  }

  /// The record of matching rules; nil if there are no rules.
  private static func ruleMemory(_ configuration: StationConfiguration) -> RuleMemory? {
    guard !configuration.host.rules.isEmpty else { return nil }
    return RuleMemory(
      path: RuleMemory.path(outbox: configuration.outbox.path), rules: configuration.host.rules.map(\.name),
      unixSeconds: CaptureTime.now().unixMilliseconds / 1000)
  }

  /// The state of delivery.
  public func report() async -> DeliveryReport {
    let counts = await outbox.deliveredCounts
    return await DeliveryReport(
      outbox: outbox.status(),
      sinks: loops.map { DeliveryReport.Sink($0.status, deliveredCount: counts[$0.status.name] ?? 0) })
  }

  /// The state of delivery in a few words for a host: `undelivered=0 durability=power-cut`.
  public func summary() async -> String {
    let status = await outbox.status()
    let atRisk = status.inMemoryCount > 0 ? " at-risk=\(status.inMemoryCount)" : ""
    let dead = status.deadCount > 0 ? " dead=\(status.deadCount)" : ""
    return "undelivered=\(status.undeliveredCount) durability=\(status.durability.rawValue)\(atRisk)\(dead)"
  }
}
