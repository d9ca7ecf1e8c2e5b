// Trouble and its end: opening a file, repairing it, and writing scans from memory into it. The outbox counts as healed only
// after every scan was read back.

import DeliveryModel
import Logging
import Metrics

extension OutboxCore {
  func enter(_ trouble: OutboxTrouble) {
    nextHealing = trouble.cause == .damaged && !needsRepair ? clock.elapsed() : clock.elapsed() + settings.healInterval
    if trouble.cause == .damaged { needsRepair = true }
    let isNews = self.trouble?.cause != trouble.cause
    self.trouble = trouble
    meters.durable.record(0)
    guard isNews else { return }
    let consequence =
      settings.onTrouble == .refuse
      ? "new scans are refused" : "new scans are held in memory and are lost if the station stops"
    logger.critical(
      "the outbox's storage is in trouble; \(consequence)",
      metadata: [
        "trouble": "\(trouble)", "remedy": "\(trouble.remedy)", "undelivered": "\(ledger.undelivered.count)",
        "inMemory": "\(ledger.held.count)",
      ])
  }

  /// Notices a removed file: it keeps working for programs that have it open, and is gone at the next start.
  func noticeRemoval() {
    guard trouble == nil, let store, !store.isInPlace else { return }
    enter(OutboxTrouble(.cannotOpen, path: settings.path, detail: "the file was removed or replaced while in use"))
    nextHealing = clock.elapsed()
  }

  /// Tries to end the trouble, when it is time to.
  func heal() {
    guard trouble != nil, !isClosed, clock.elapsed() >= nextHealing else { return }
    nextHealing = clock.elapsed() + settings.healInterval
    let wasDamaged = needsRepair
    do {
      if needsRepair {
        try repair()
      } else if store?.isInPlace == false {
        if try !reopen() { try repair() }
      } else if hasAdoptedSinks, let store, (try? store.save(ledger.allStates, syncs: true)) != nil {
        // The connection works again.
      } else {
        closeReadOnlyStore()
        try openStore()
      }
      try settle()
    } catch {
      enter(error)
      // Damage found only now is repaired at once.
      if needsRepair, !wasDamaged { heal() }
      return
    }
    trouble = nil
    meters.durable.record(1)
    logger.notice(
      "the outbox is healed: every scan is on the storage", metadata: ["undelivered": "\(ledger.undelivered.count)"])
    publish()
  }

  /// Closes a file that could only be opened for reading. SQLite shares the memory of a file's journal among the connections
  /// of a process: while one that cannot write is open, those opened later cannot, either.
  private func closeReadOnlyStore() {
    guard let store, store.isReadOnly else { return }
    store.close(keepsJournal: true)
    self.store = nil
  }

  // MARK: Opening

  /// A larger file has tables.
  private static let emptyByteCountMax = Int64(2 * OutboxStore.pageByteCount)

  private var repairing: OutboxRepair {
    OutboxRepair(settings: settings, files: files, unixMilliseconds: clock.now().unixMilliseconds, sinks: sinks)
  }

  /// Opens or creates the file; if that fails, the state of a file already open is kept.
  func openStore() throws(OutboxTrouble) {
    // A file that replaced a former outbox is put aside.
    let ownership = OutboxOwnership(files: files, path: settings.path)
    if ledger.storeID == nil, mark == nil { try ownership.check() }
    // The held claim may belong to a folder that has gone.
    claim = nil
    claim = try files.claim(settings.path)
    try ownership.removeTorn()
    try repairing.finish()
    let found = try lastMark()
    let rescue = OutboxRescue(files: files, path: settings.path)
    // While the file is open, its database contains the journal's scans.
    let left = store == nil ? try rescue.scansLeft() : []
    let size = files.size(settings.path) ?? 0
    if size == 0 || size <= Self.emptyByteCountMax && OutboxStore.isEmpty(settings.path, files) {
      let hasCopy = files.size(settings.path + OutboxRepair.suffix) ?? 0 > 0
      guard left.isEmpty, ledger.storeID == nil, !hasCopy else { return try repair() }
      return try makeStore(after: found)
    }
    let opened: OutboxStore
    var states: [SinkState]
    do throws(OutboxTrouble) {
      opened = try OutboxStore(settings: settings, files: files, path: settings.path, .use)
      do throws(OutboxTrouble) {
        states = try opened.sinkStates()
        // A journal that lost its end reverts sinks to earlier states; the mark may have later ones.
        if let found, found.store == opened.id { states = SinkState.newest(states, found.sinks) }
        // Sinks are written before the first scan. If a journal lost its beginning, the bytes may still contain them.
        if states.isEmpty, !left.isEmpty { states = try repairing.sinkStates(of: opened.id, found) }
        let rescued = try rescue.run(left.filter { Self.isWanted($0.number, states) }, into: opened)
        if rescued > 0 {
          logger.warning("scans of a torn journal were written into the outbox again", metadata: ["scans": "\(rescued)"])
        }
      } catch {
        opened.close(keepsJournal: true)
        throw error
      }
    } catch {
      guard error.cause == .damaged else { throw error }
      return try repair()
    }
    try use(opened, states, found)
  }

  /// Storage that was unmounted while in use and mounted again has the file at its path, with another identity. If all
  /// waiting scans are in it or in memory, it is opened there; otherwise a repair copies everything still readable in the
  /// open file.
  ///
  /// - Returns: whether it was opened.
  private func reopen() throws(OutboxTrouble) -> Bool {
    guard let storeID = ledger.storeID, let there = numbers(at: settings.path, of: storeID) else { return false }
    var missing = ledger.unfinished.subtracting(there)
    for number in ledger.recent.keys { missing.remove(number) }
    guard missing.isEmpty else { return false }
    try openStore()
    logger.notice("the outbox's file was opened again at its path", metadata: ["path": "\(settings.path)"])
    return true
  }

  /// The numbers of the scans in a file; nil unless it is that store.
  private func numbers(at path: String, of id: ScanID) -> NumberSet? {
    guard let found = try? OutboxStore(settings: settings, files: files, path: path, .read) else { return nil }
    defer { found.close(keepsJournal: true) }
    return found.id == id ? try? found.numbers() : nil
  }

  /// The last written mark; nil if there was never one.
  private func lastMark() throws(OutboxTrouble) -> OutboxMark? {
    if let mark { return mark }
    return try OutboxMark.read(files, settings.path)
  }

  /// Checks that every scan that is intact in the journal, or in memory, and awaited by a sink, is intact in the database.
  private static func check(
    _ heads: [ScanRecord.FrameHead], against store: OutboxStore, _ states: [SinkState]
  ) throws(OutboxTrouble) {
    for head in heads where isWanted(head.number, states) {
      guard try !store.hasWhole(head.id) else { continue }
      throw OutboxTrouble(.damaged, path: store.path, detail: "scan \(head.number) is left, but not in the database")
    }
  }

  /// The approximate number of scans in a journal when it is written into the database.
  private static let journalScanCountMax = 6000

  /// Makes sure that nothing is lost with the journal and the memory, which both disappear when the file is closed.
  func checkJournal() {
    guard trouble == nil, store?.isInPlace == true else { return }
    do {
      var heads: [ScanRecord.FrameHead] = []
      try OutboxSalvage.scans(in: settings.path + "-wal", files) { scan throws(OutboxTrouble) in heads.append(scan.head) }
      heads += ledger.recent.values.map { ScanRecord.FrameHead($0) }
      // The journal's version of a page replaces the database's, including its intact parts.
      let newest = ledger.unfinished.last(Self.journalScanCountMax)
      guard !newest.isEmpty else { return }
      // A new connection, because this one answers from its cache.
      let proof = try OutboxStore(settings: settings, files: files, path: settings.path, .read)
      defer { proof.close(keepsJournal: true) }
      try Self.check(heads, against: proof, ledger.allStates)
      try proof.verify(newest)
    } catch {
      enter(error)
      heal()
    }
  }

  /// Whether a sink may have to get a scan; if no sink is known, any scan.
  private static func isWanted(_ number: Int64, _ states: [SinkState]) -> Bool {
    states.isEmpty || states.contains { $0.undelivered(through: number).contains(number) || $0.dead.contains(number) }
  }

  private func makeStore(after found: OutboxMark?) throws(OutboxTrouble) {
    let id = Self.newStoreID()
    // Before the new file's own traces are created.
    let wasThere = found != nil || hasTracesOfFormer
    let opened = try OutboxStore(settings: settings, files: files, path: settings.path, .make(id))
    if wasThere {
      let what: Logger.Message =
        found == nil
        ? "of the outbox that was here neither file nor mark is left; a new one was made, whose numbers begin at 1"
        : "the outbox's file is gone; a new one was made"
      let lost = found.map { lostCount($0, $0.sinks, after: 0) } ?? 0
      let isUnknown = found.map { !isCertain($0) && $0.reserved > $0.last ?? 0 || $0.sinks.isEmpty } ?? true
      let details: Logger.Metadata = ["remedy": "find out who removes or empties files there"]
      if lost > 0 || isUnknown {
        count(lost: lost, isMoreUnknown: isUnknown, what, details)
      } else {
        logger.critical(what, metadata: details.merging(["lost": "0", "path": "\(settings.path)"]) { own, _ in own })
      }
      ledger.pass(through: found?.reserved ?? 0)
    }
    try use(opened, [], found)
  }

  /// Whether a mark states the last number given, with certainty that no higher one followed: unsynced data written then
  /// survive as long as the machine runs.
  private func isCertain(_ mark: OutboxMark?) -> Bool {
    guard let mark, mark.last != nil else { return false }
    return !mark.bootID.isEmpty && mark.bootID == clock.now().bootID
  }

  /// The number of scans with higher numbers than the existing ones that some sink was to get.
  private func lostCount(_ mark: OutboxMark, _ states: [SinkState], after last: Int64) -> Int {
    guard let given = mark.last, given > last else { return 0 }
    var lost = NumberSet()
    for state in states {
      lost.formUnion(state.undelivered(through: given))
      lost.formUnion(state.dead)
    }
    if last >= 1 { lost.remove(1...last) }
    if let end = lost.last, end > given { lost.remove(given + 1...end) }
    return lost.count
  }

  /// Whether an outbox existed here whose file and mark are no longer legible.
  private var hasTracesOfFormer: Bool {
    files.size(settings.path + OutboxMark.suffix) != nil || files.size(settings.path + OutboxClaim.suffix) ?? 0 > 0
  }

  /// Leaves a trace in the lock file, which survives a database and a mark that are removed or emptied.
  private func leaveTrace() {
    guard files.size(settings.path + OutboxClaim.suffix) ?? 0 == 0 else { return }
    try? files.write(settings.path + OutboxClaim.suffix, Array("an outbox was made here\n".utf8), at: 0, syncs: false)
  }

  /// Puts an opened file into use: with its states if it is another store than before, with those in memory if it is the
  /// same.
  private func use(_ opened: OutboxStore, _ found: [SinkState], _ foundMark: OutboxMark?) throws(OutboxTrouble) {
    let isSame = ledger.storeID == opened.id
    // First of all: a file found to be damaged here is repaired from the mark.
    let last = try opened.lastNumber()
    let reserved = try opened.reservedNumber()
    if !isSame {
      ledger.turn(to: opened.id, found, last: last, reserved: max(reserved, foundMark?.reserved ?? 0), sinks: sinks)
      if let foundMark, foundMark.store == opened.id {
        count(
          lost: lostCount(foundMark, found, after: last), isMoreUnknown: false,
          "the outbox's file is older than its mark: scans that were written later are gone",
          ["remedy": "find out who restores or cuts files there, and check the disk"])
      }
    }
    if store !== opened { store?.close(keepsJournal: true) }
    store = opened
    // A killed process may have made the journal durable but not its name, which SQLite syncs only for new journals.
    try files.syncNames(around: settings.path)
    var next = OutboxMark(store: opened.id, reserved: max(foundMark?.reserved ?? 0, ledger.lastNumber), sinks: [])
    (next.last, next.bootID) = (ledger.lastNumber, clock.now().bootID)
    if var foundMark {
      try foundMark.settle(files, settings.path)
      (next.version, next.slot, next.isSlotDurable) = (foundMark.version, foundMark.slot, true)
    }
    mark = next
    leaveTrace()
    try adoptSinks()
  }

  /// Reconciles the configuration with the sinks in the file, in one transaction: a failed one may still reach the storage.
  private func adoptSinks() throws(OutboxTrouble) {
    guard let store else { return }
    hasAdoptedSinks = false
    let adoption = SinkAdoption(ledger.states, sinks: sinks, lastNumber: ledger.lastNumber)
    try store.adopt(adoption.states.values.sorted { $0.name < $1.name }, renamed: adoption.renamed)
    ledger.adopt(adoption.states)
    tell(adoption)
    hasAdoptedSinks = true
    saveMark(syncs: true)
  }

  private func tell(_ adoption: SinkAdoption) {
    for name in adoption.renamed {
      logger.notice(
        "a sink has a new name and keeps its scans", metadata: ["old": "\(name.old)", "new": "\(name.new)"])
    }
    let names = sinkNames
    for name in ledger.states.keys.sorted() where !names.contains(name) && undeliveredCount(inFileFor: name) > 0 {
      logger.warning(
        "a sink is no longer configured, and its scans are kept",
        metadata: [
          "sink": "\(name)", "undelivered": "\(undeliveredCount(inFileFor: name))",
          "remedy": "configure it again, or: reticle outbox purge --sink \(name) --yes",
        ])
    }
  }

  private func undeliveredCount(inFileFor name: String) -> Int {
    guard let state = ledger.states[name] else { return 0 }
    return state.undelivered(through: ledger.lastNumber).count + state.dead.count
  }

  // MARK: Repair

  /// Creates a new file from the remains of the old one.
  private func repair() throws(OutboxTrouble) {
    if claim == nil { claim = try files.claim(settings.path) }
    let found = try lastMark()
    var known = OutboxRepair.Knowledge(mark: found)
    known.lastNumber = max(ledger.lastNumber, found?.reserved ?? 0)
    known.lastGiven = found?.last ?? 0
    known.isLastGivenCertain = isCertain(found)
    if ledger.storeID != nil {
      known.store = ledger.storeID
      known.states = ledger.allStates
      known.lastNumber = ledger.lastNumber
      (known.lastGiven, known.isLastGivenCertain) = (ledger.lastNumber, true)
    }
    known.records = ledger.recent.values.sorted { $0.sequence < $1.sequence }
    let source: OutboxRepair.Source
    if let store, !store.isInPlace {
      source = .open(store)
    } else {
      store?.close(keepsJournal: true)
      store = nil
      source = .bytes
    }
    let outcome = try repairing.run(source, known)
    store?.close(keepsJournal: true)
    store = nil
    needsRepair = false
    meters.damagedFiles.increment()
    let what: Logger.Message = "the outbox's file was damaged and has been replaced by what is whole of it"
    let details: Logger.Metadata = [
      "kept": "\(outcome.aside ?? "nothing")", "found": "\(outcome.foundCount)", "remedy": "check the disk",
    ]
    if outcome.lostCount > 0 || outcome.isMoreUnknown {
      count(lost: outcome.lostCount, isMoreUnknown: outcome.isMoreUnknown, what, details)
    } else {
      logger.critical(what, metadata: details.merging(["lost": "0"]) { own, _ in own })
    }
    ledger.takeOver(outcome.states, lastNumber: max(outcome.lastNumber, known.lastNumber))
    let opened = try OutboxStore(settings: settings, files: files, path: settings.path, .use)
    ledger.belong(to: opened.id)
    try use(opened, [], found)
  }

  // MARK: Scans in memory

  /// Writes the scans in memory into the file, and reads them back before dropping any from memory.
  func settle() throws(OutboxTrouble) {
    do {
      try writeHeld()
    } catch {
      guard let store, error.cause == .limit || error.cause == .full else { throw error }
      // Scans that every sink has are deleted to make room for scans that some sink lacks.
      try store.delete(through: ledger.lastNumber, but: ledger.unfinished)
      ledger.dropHeld(by: sinkNames)
      try writeHeld()
    }
  }

  private func writeHeld() throws(OutboxTrouble) {
    guard let store else { return }
    var newNumbers: [ScanID: Int64] = [:]
    var records: [ScanRecord] = []
    for entry in ledger.held {
      if let number = try store.number(of: entry.record.id) {
        newNumbers[entry.record.id] = number
        continue
      }
      var record = entry.record
      record.sequence = ledger.lastNumber + Int64(records.count) + 1
      records.append(record)
      newNumbers[record.id] = record.sequence
    }
    // The file may have lost its content: another file, or an older one, lies there.
    let waiting = ledger.undelivered
    let lastNew = ledger.lastNumber + Int64(records.count)
    for record in ledger.recent.values where waiting.contains(record.sequence) {
      if try store.number(of: record.id) == nil { records.append(record) }
    }
    let gone = ledger.withdrawn.filter { !ledger.isHeld($0) }
    guard !records.isEmpty || !gone.isEmpty || !ledger.held.isEmpty else { return }
    let (changed, takesBack) = ledger.states(with: newNumbers, sinks: sinkNames)
    if var mark, lastNew > mark.reserved {
      mark.reserved = lastNew + Self.numberBlock
      try mark.write(files, settings.path, syncs: true)
      self.mark = mark
    }
    do {
      try store.insert(
        records, trusted: clock.trustedMilliseconds, states: changed.values.sorted { $0.name < $1.name }, last: lastNew,
        reserved: mark?.reserved ?? lastNew, forgotten: gone)
    } catch {
      // These numbers may be on the storage.
      ledger.burn(Int(lastNew - ledger.lastNumber))
      throw error
    }
    ledger.assign(newNumbers, changed, last: lastNew)
    // The mark must no longer say that these are done: it replaces the states if the journal is lost.
    saveMark(syncs: takesBack)
    // A new connection, because this one's cache proves nothing.
    let proof = try OutboxStore(settings: settings, files: files, path: settings.path, .use)
    defer { proof.close(keepsJournal: true) }
    for entry in ledger.held {
      guard let number = newNumbers[entry.record.id], try proof.record(entry.record.id)?.sequence == number else {
        throw OutboxTrouble(.storage, path: settings.path, detail: "a scan that was written cannot be read back")
      }
    }
    ledger.settle()
  }
}
