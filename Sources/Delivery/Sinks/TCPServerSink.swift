// Hosts that connect to the station. Each has a line with its own acknowledgement and commands; a scan goes to all of them at
// once, and who must acknowledge it is a setting.

import DeliveryModel
import Devices
import Logging
import Metrics
import ServiceLifecycle

/// A sink that listens, and sends each scan to every host that is connected.
///
/// While no host is connected, scans wait in the outbox. A host whose connection ends is not waited for if another one has the
/// scan; if none has, the scan waits for the next host.
actor TCPServerSink: ScanSink {
  nonisolated let name: String
  private nonisolated let settings: TCPSettings
  private nonisolated let place: TCPPlace
  private nonisolated let door: TCPDoor
  private let logger: Logger
  private let onRequest: @Sendable (HostRequest) -> Bool
  private var hosts: [Host] = []
  private var nextNumber = 0
  /// The reason why no host can connect; nil while it listens.
  private var doorProblem: DeliveryProblem?
  private let hostCame = AsyncSignal()
  /// The scans that are on their way, and the hosts that have them.
  private var current: [ScanID] = []
  private var takers: Set<Int> = []
  private let hostGauge: Gauge
  private let refusals: [Refusal: Counter]

  /// A host that is connected.
  private struct Host {
    let number: Int
    let address: String
    let line: TCPLine
    let sink: LineSink
  }

  /// Why a host that connects is sent away.
  private enum Refusal: String, CaseIterable {
    /// Its address is not in the list of those that may.
    case address
    /// As many hosts are connected as may be.
    case full
  }

  /// How long one look for a host that connects lasts.
  private static let lookSlice = Duration.seconds(1)
  /// How long to wait before a port that could not be had is tried again.
  private static let reopenInterval = Duration.seconds(1)
  /// How long an attempt waits for a host if none is connected.
  private static let hostWait = Duration.seconds(2)

  init(
    settings: TCPSettings, at place: TCPPlace, logger: Logger, onRequest: @escaping @Sendable (HostRequest) -> Bool
  ) {
    self.settings = settings
    self.place = place
    self.onRequest = onRequest
    name = settings.name
    door = TCPDoor(at: place)
    var logger = logger
    logger[metadataKey: "sink"] = "\(settings.name)"
    self.logger = logger
    hostGauge = Gauge(label: "reticle_hosts_connected", dimensions: [("sink", settings.name)])
    refusals = Refusal.allCases.reduce(into: [:]) { counters, reason in
      counters[reason] = Counter(
        label: "reticle_hosts_refused_total", dimensions: [("sink", settings.name), ("reason", reason.rawValue)])
    }
    hostGauge.record(0)
  }

  nonisolated var batching: BatchSettings { settings.batching }

  nonisolated var services: [any Service] {
    [LineListener(description: "hosts of \(name)") { await self.listen() }]
  }

  /// The port at which it listens; nil while it does not.
  nonisolated var port: Int? { door.port }

  /// Hosts that are connected now.
  var hostCount: Int { hosts.count { !$0.line.hasEnded } }

  func close() async {
    await door.close()
    for host in hosts { await host.sink.close() }
  }

  // MARK: Scans

  func deliver(_ records: [ScanRecord]) async -> DeliveryOutcome {
    if current != records.map(\.id) { (current, takers) = (records.map(\.id), []) }
    hosts.removeAll(where: \.line.hasEnded)
    if hosts.isEmpty, takers.isEmpty { await waitForHost() }
    let wanted = hosts.filter { !takers.contains($0.number) }
    guard !wanted.isEmpty else { return takers.isEmpty ? .retry(after: nil, nobody) : .delivered }
    var failures: [Int: DeliveryOutcome] = [:]
    await withTaskGroup(of: (Int, DeliveryOutcome).self) { group in
      for host in wanted { group.addTask { (host.number, await host.sink.deliver(records)) } }
      for await (number, outcome) in group {
        if outcome == .delivered {
          takers.insert(number)
          if settings.acknowledger == .any, settings.acknowledgement != nil { group.cancelAll() }
        } else {
          failures[number] = outcome
        }
      }
    }
    let lacking = wanted.filter { failures[$0.number] != nil && !$0.line.hasEnded }
    if !takers.isEmpty, settings.acknowledger == .any {
      for host in lacking { for record in records { await host.sink.tell(record) } }
      return .delivered
    }
    if !takers.isEmpty, lacking.isEmpty { return .delivered }
    // A host that is there says more than one that has gone.
    return (lacking.first ?? wanted.first).flatMap { failures[$0.number] } ?? .retry(after: nil, nobody)
  }

  private var nobody: DeliveryProblem {
    doorProblem
      ?? DeliveryProblem(
        "\(place): no host is connected", remedy: "let a host connect to this port, from an address that is allowed")
  }

  /// Returns when a host is connected, or after a while.
  private func waitForHost() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { while await self.hosts.isEmpty, !Task.isCancelled { await self.hostCame.wait() } }
      group.addTask { try? await Task.sleep(for: Self.hostWait) }
      await group.next()
      group.cancelAll()
    }
  }

  // MARK: Hosts

  /// Lets hosts in until the task is cancelled.
  func listen() async {
    await withDiscardingTaskGroup { group in
      while !Task.isCancelled {
        do throws(DeliveryProblem) {
          let arrival = try await door.arrival(within: Self.lookSlice)
          note(nil)
          guard let arrival, let host = await admit(arrival) else { continue }
          group.addTask {
            await host.sink.listen()
            // When the station stops, connections stay until the last scan is delivered and the sink is closed.
            guard !Task.isCancelled else { return }
            await host.sink.close()
            await self.remove(host)
          }
        } catch {
          note(error)
          try? await Task.sleep(for: Self.reopenInterval)
        }
      }
    }
  }

  /// - Returns: the host; nil if it was sent away.
  private func admit(_ arrival: TCPDoor.Arrival) async -> Host? {
    let line = TCPLine(from: arrival.place, descriptor: arrival.descriptor, settings)
    guard settings.allowed.contains(where: { $0.contains(arrival.place.host) }) else {
      return await refuse(line, .address, remedy: "add the address to the sink's key allow, if the host is to have scans")
    }
    hosts.removeAll(where: \.line.hasEnded)
    if hosts.count >= settings.hostCountMax {
      // A host that was switched off comes back before its old connection is found dead.
      guard let former = hosts.firstIndex(where: { $0.address == arrival.place.host }) else {
        return await refuse(line, .full, remedy: "end a host that needs no scans, or raise the sink's key hosts")
      }
      await hosts.remove(at: former).sink.close()
    }
    nextNumber += 1
    let sink = LineSink(settings: settings, line: line, logger: logger, onRequest: onRequest)
    let host = Host(number: nextNumber, address: arrival.place.host, line: line, sink: sink)
    hosts.append(host)
    hostGauge.record(hostCount)
    hostCame.signal()
    logger.info("a host has connected", metadata: ["host": "\(line.name)"])
    return host
  }

  private func refuse(_ line: TCPLine, _ reason: Refusal, remedy: String) async -> Host? {
    await line.close()
    refusals[reason]?.increment()
    logger.warning(
      "a host was refused", metadata: ["host": "\(line.name)", "reason": "\(reason.rawValue)", "remedy": "\(remedy)"])
    return nil
  }

  private func remove(_ host: Host) {
    hosts.removeAll { $0.number == host.number }
    hostGauge.record(hostCount)
    logger.info("a host has gone", metadata: ["host": "\(host.line.name)"])
  }

  /// Notes whether the port could be had.
  private func note(_ problem: DeliveryProblem?) {
    if let problem, problem != doorProblem {
      logger.error("no host can connect", metadata: ["problem": "\(problem.summary)", "remedy": "\(problem.remedy)"])
    }
    doorProblem = problem
  }
}
