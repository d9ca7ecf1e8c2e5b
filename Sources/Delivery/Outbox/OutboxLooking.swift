// External view of the outbox: its scans, the progress of each sink, and how safe the scans are.

import DeliveryModel
import Metrics

extension OutboxCore {
  /// The newest scans, newest first, including those in memory.
  func newest(_ count: Int) -> [ScanRecord] {
    let fromMemory = Array(ledger.held.suffix(count).reversed()).map(\.record)
    return fromMemory + ((try? store?.newest(count - fromMemory.count)) ?? [])
  }

  /// The newest scans, newest first, with what became of them at each configured sink.
  func newestOutcomes(_ count: Int) -> [(scan: ScanRecord, outcomes: [ScanOutcome])] {
    let letters = ledger.deadCount > 0 ? (try? store?.deadLetters()) ?? [] : []
    return newest(count).map { ($0, outcomes(of: $0, letters)) }
  }

  private func outcomes(of record: ScanRecord, _ letters: [DeadLetter]) -> [ScanOutcome] {
    let names = sinks.map(\.name)
    return names.map { name in
      guard record.isFor(name, among: names) else { return ScanOutcome(sink: name, state: .notSent) }
      if counts.recent[name]?.contains(record.id) == true { return ScanOutcome(sink: name, state: .delivered) }
      if let held = ledger.held.first(where: { $0.record.id == record.id }) {
        return ScanOutcome(sink: name, state: held.holders.contains(name) ? .delivered : .waiting)
      }
      guard let state = ledger.states[name], let number = ledger.number(of: record) else {
        return ScanOutcome(sink: name, state: .waiting)
      }
      if state.dead.contains(number) {
        let letter = letters.first { $0.sink == name && $0.number == number }
        return ScanOutcome(sink: name, state: .dead, problem: letter?.problem)
      }
      return ScanOutcome(sink: name, state: state.done.contains(number) ? .done : .waiting)
    }
  }

  /// The scans that receivers permanently refused, with the reasons, and the scans themselves if the outbox still has them.
  func deadLetters() -> [(letter: DeadLetter, scan: ScanRecord?)] {
    ((try? store?.deadLetters()) ?? []).map { letter in
      (letter, records(after: letter.number - 1, limit: 1).first { $0.sequence == letter.number })
    }
  }

  /// The scans after a number in order, including those in memory.
  func records(after number: Int64, limit: Int) -> [ScanRecord] {
    let fromFile = (try? store?.records(after: number, limit: limit)) ?? []
    return fromFile + ledger.held.prefix(max(0, limit - fromFile.count)).map(\.record)
  }

  /// The state of the outbox.
  func status() -> OutboxStatus {
    let storage = Storage(path: settings.path)
    var status = OutboxStatus(path: settings.path, fileSystem: storage.fileSystem)
    status.undeliveredCount = undeliveredCount
    status.inMemoryCount = inMemoryCount
    status.oldestAgeSeconds = oldestAge.milliseconds / 1000
    status.deadCount = ledger.deadCount
    status.discardedCount = counts.discarded
    status.refusedCount = counts.refused
    status.lostCount = counts.lost
    status.unknownLossCount = counts.unknownLoss
    let names = sinkNames
    status.removedSinks = ledger.states.values.filter { !names.contains($0.name) }.sorted { $0.name < $1.name }.map {
      OutboxStatus.RemovedSink(name: $0.name, undeliveredCount: $0.undelivered(through: ledger.lastNumber).count)
    }
    switch trouble ?? fullness {
    case .some(let trouble):
      status.durability = self.trouble != nil && !refusesInTrouble ? .memory : .refused
      status.trouble = trouble.description
      status.remedy = trouble.remedy
    case .none where !storage.survivesPowerOff:
      status.durability = .process
      status.remedy = Storage.remedy
    case .none: status.durability = settings.synchronous == .full ? .powerCut : .process
    }
    return status
  }

  /// The minimum time that the oldest undelivered scan has waited.
  var oldestAge: Duration {
    if let oldest = (try? store?.captures(in: ledger.undelivered.first(1)))?.first {
      return clock.age(of: oldest.captured, trusted: oldest.trustedMilliseconds)
    }
    return ledger.held.first.map { clock.age(of: $0.record.captured, trusted: nil) } ?? .zero
  }

  /// Publishes the metric that changes with each scan and each delivery.
  func publishUndelivered() { meters.undelivered.record(undeliveredCount) }

  func publish() {
    publishUndelivered()
    meters.memory.record(ledger.held.count)
    meters.dead.record(ledger.deadCount)
    meters.durable.record(trouble == nil ? 1 : 0)
    meters.oldestAge.record(Double(oldestAge.milliseconds) / 1000)
  }
}

/// The outbox's metrics.
struct OutboxMeters {
  let discarded = Counter(label: "reticle_outbox_discarded_total")
  let refused = Counter(label: "reticle_outbox_refused_total")
  let lost = Counter(label: "reticle_outbox_lost_total")
  let unknownLosses = Counter(label: "reticle_outbox_unknown_losses_total")
  let damagedFiles = Counter(label: "reticle_outbox_damaged_files_total")
  let undelivered = Gauge(label: "reticle_outbox_undelivered")
  let oldestAge = Gauge(label: "reticle_outbox_oldest_age_seconds")
  let durable = Gauge(label: "reticle_outbox_durable")
  let memory = Gauge(label: "reticle_outbox_in_memory")
  let dead = Gauge(label: "reticle_outbox_dead")
}
