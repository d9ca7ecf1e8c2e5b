// What the outbox does when its file fails it: scans go on in memory, the trouble is said loudly, and as soon as the file can
// be opened again, memory and file are brought together without losing or doubling anything.

import Logging
import Metrics

extension Outbox {
  /// A file that someone removes goes on working for whoever has it open, and is gone at the next start.
  func noticeRemoval() {
    guard state == .durable, let store, !store.isInPlace else { return }
    let saved = (try? store.records(after: deliveredSequence, limit: settings.memoryCountMax)) ?? []
    tail = saved
    enter(OutboxTrouble(.cannotOpen, path: settings.path, detail: "the file was removed or replaced while in use"))
    nextHealing = elapsed()
  }

  func enter(_ trouble: OutboxTrouble) {
    nextHealing = trouble.cause == .damaged ? elapsed() : elapsed() + settings.healInterval
    guard state != .memoryOnly(trouble) else { return }
    state = .memoryOnly(trouble)
    durableGauge.record(0)
    logger.critical(
      "scans are held in memory only and are lost if the station stops",
      metadata: ["trouble": "\(trouble)", "remedy": "\(trouble.remedy)"])
  }

  /// Opens the file anew and writes what waits in memory, if it is time to try.
  func heal() {
    guard case .memoryOnly(let trouble) = state, !isClosed, elapsed() >= nextHealing else { return }
    nextHealing = elapsed() + settings.healInterval
    store?.close()
    store = nil
    do {
      if trouble.cause == .damaged { try replaceDamagedFile() } else { try openStore() }
    } catch {
      if error.cause == .damaged, trouble.cause != .damaged {
        enter(error)
        heal()
      } else {
        enter(error)
      }
      return
    }
    state = .durable
    logger.notice("the outbox is healed: every scan is on the storage again")
    publish()
    ringAll()
  }

  /// Opens the file, and brings it and the memory together. All or nothing: on failure both are as they were.
  func openStore() throws(OutboxTrouble) {
    // The one that is held may be that of a folder that has gone.
    claim = nil
    claim = try OutboxClaim(path: settings.path)
    let opened: OutboxStore
    do {
      opened = try OutboxStore(settings: settings)
    } catch {
      guard error.cause == .damaged else { throw error }
      try replaceDamagedFile()
      return
    }
    do {
      try merge(into: opened)
    } catch {
      opened.close()
      throw OutboxTrouble(error, path: settings.path)
    }
  }

  private func replaceDamagedFile() throws(OutboxTrouble) {
    let aside = try OutboxStore.setAside(path: settings.path, unixMilliseconds: wallMilliseconds())
    var (records, known) = OutboxStore.salvage(path: aside)
    // A sink whose position is lost gets again what was salvaged: doubled under the same id rather than lost.
    for (sink, position) in positions where known[sink] == nil { known[sink] = position }
    damagedFiles.increment()
    logger.critical(
      "the outbox's file was damaged and has been replaced",
      metadata: ["kept": "\(aside)", "salvaged": "\(records.count)", "remedy": "check the disk"])
    let opened = try OutboxStore(settings: settings)
    do {
      try opened.insert(records)
      try opened.setPositions(known)
      try merge(into: opened)
    } catch {
      opened.close()
      throw OutboxTrouble(error, path: settings.path)
    }
  }

  /// Writes the scans of the memory after those of the file. Where both used the same sequence numbers, because the file
  /// could not be opened when numbering began, those of the memory move up.
  private func merge(into opened: OutboxStore) throws {
    let last = try opened.lastSequence()
    let known = try opened.positions()
    var moved: [ScanRecord] = []
    var next = last + 1
    var movedUp: [ScanID: Int64] = [:]
    for var record in tail {
      if try opened.sequence(of: record.id) == record.sequence { continue }
      if record.sequence < next { movedUp[record.id] = next }
      record.sequence = max(record.sequence, next)
      next = record.sequence + 1
      moved.append(record)
    }
    var merged: [String: Int64] = [:]
    var ahead: [String: Set<ScanID>] = [:]
    for (sink, position) in positions {
      let inFile = known[sink] ?? last
      merged[sink] = movedUp.isEmpty ? max(position, inFile) : inFile
      ahead[sink] = deliveredAhead[sink] ?? []
      guard !movedUp.isEmpty else { continue }
      ahead[sink]?.formUnion(tail.lazy.filter { $0.sequence <= position }.map(\.id))
    }
    do {
      try opened.insert(moved)
    } catch {
      guard OutboxTrouble(error, path: settings.path).cause == .full else { throw error }
      // The history of delivered scans gives way to those that are not delivered.
      let delivered = merged.values.min() ?? last
      try opened.setPositions(merged)
      try opened.delete(through: delivered)
      try opened.insert(moved.filter { $0.sequence > delivered })
    }
    try opened.setPositions(merged)
    positions = merged
    deliveredAhead = ahead
    renumbered = movedUp
    nextSequence = max(next, nextSequence)
    tail = []
    store = opened
  }
}
