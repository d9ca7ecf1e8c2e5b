// Repair of a damaged, removed or replaced file: a complete copy of all intact content next to it, then a rename. Until the
// copy is complete, the old files stay unchanged; after a kill at any moment, the repair restarts or finishes.

import DeliveryModel

/// Creates a new outbox file from the remains of an old one.
struct OutboxRepair {
  let settings: OutboxSettings
  let files: any OutboxFiles
  /// Part of the old file's new name.
  let unixMilliseconds: Int64
  /// The configured sinks: one whose state is lost gets every remaining scan.
  let sinks: [OutboxSink]

  static let suffix = "-repair"
  /// Damaged files kept next to the new one, newest first; older ones are deleted.
  static let damagedFileCountMax = 3
  /// Room that a copy needs in addition to its contents.
  static let spareByteCount: Int64 = 256 << 10

  private var path: String { settings.path }
  private var copy: String { path + Self.suffix }

  /// The sources of remaining scans.
  enum Source {
    /// In the bytes of the file and its journal.
    case bytes
    /// In an open database whose file or journal no longer has a name.
    case open(OutboxStore)
  }

  /// Knowledge in addition to the source.
  struct Knowledge {
    var store: ScanID?
    /// The sinks' states; nil if they must be found in the source.
    var states: [SinkState]?
    /// Scans in memory that have numbers.
    var records: [ScanRecord] = []
    var mark: OutboxMark?
    /// The highest number that may be in use; findings can raise it.
    var lastNumber: Int64 = 0
    /// The highest number known to have been given.
    var lastGiven: Int64 = 0
    /// Whether it is certain that no higher one was given.
    var isLastGivenCertain = false
  }

  struct Outcome {
    var states: [SinkState]
    var lastNumber: Int64
    /// Scans in the new file.
    var foundCount: Int
    /// Missing scans that some sink was to get.
    var lostCount: Int
    /// Whether more scans may be missing.
    var isMoreUnknown: Bool
    /// The new path of the old file; nil if there was no old file.
    var aside: String?
  }

  func run(_ source: Source, _ known: Knowledge) throws(OutboxTrouble) -> Outcome {
    try checkRoom(source)
    try keepCopyOfRemovedFile()
    var (store, states) = try statesLeft(source, known)
    adoptSinks(&states)
    let target = try open(store)
    do {
      var scans = try RecoveredScans(
        target: target, wanted: Self.wanted(states), known: known.lastNumber, keptCount: settings.deliveredCountKept)
      for record in known.records { try scans.take(frame: record.frame) }
      let letters = try collect(source, &scans)
      try scans.flush()
      let last = scans.last
      let given = max(known.lastGiven, scans.found.last ?? 0)
      let (lostCount, isUnclear) = Self.settle(&states, found: scans.found, through: last, given: given)
      try target.save(states, syncs: true)
      for state in states where !state.dead.isEmpty {
        try target.bury(letters.filter { $0.sink == state.name }, state: state)
      }
      try target.markComplete()
      target.close()
      let aside = try swap()
      return Outcome(
        states: states, lastNumber: last, foundCount: scans.found.count, lostCount: lostCount,
        isMoreUnknown: isUnclear || !known.isLastGivenCertain && last > given, aside: aside)
    } catch {
      target.close()
      throw error
    }
  }

  /// Gives each configured sink a state: its own, that of a sink that is gone and had its target, or a new one.
  private func adoptSinks(_ states: inout [SinkState]) {
    for sink in sinks where !states.contains(where: { $0.name == sink.name }) {
      let former = states.firstIndex { old in
        old.target == sink.target && !old.target.isEmpty && !sinks.contains { $0.name == old.name }
      }
      if let former { states[former].name = sink.name } else { states.append(SinkState(sink, done: NumberSet())) }
    }
  }

  /// Takes every scan that the source still has.
  ///
  /// - Returns: its dead letters.
  private func collect(_ source: Source, _ scans: inout RecoveredScans) throws(OutboxTrouble) -> [DeadLetter] {
    func salvage() throws(OutboxTrouble) {
      try OutboxSalvage(files: files, path: path).scans { scan throws(OutboxTrouble) in try scans.take(scan) }
    }
    guard case .open(let old) = source else {
      try salvage()
      return []
    }
    if old.isFileInPlace { try salvage() }
    let letters = try Self.readable { () throws(OutboxTrouble) in try old.deadLetters() }
    var number: Int64 = 0
    while true {
      let rows = try Self.readable { () throws(OutboxTrouble) in
        try old.frames(after: number, limit: RecoveredScans.batchCount)
      }
      guard let end = rows.last else { return letters }
      number = end.number
      for row in rows { try scans.take(frame: row.bytes) }
    }
  }

  /// The readable content of a database; empty where it is damaged. An error that may be temporary is thrown.
  private static func readable<Row>(_ body: () throws(OutboxTrouble) -> [Row]) throws(OutboxTrouble) -> [Row] {
    do {
      return try body()
    } catch {
      guard error.cause == .damaged else { throw error }
      return []
    }
  }

  /// The numbers that sinks must still get, and those that they refused.
  private static func wanted(_ states: [SinkState]) -> NumberSet {
    states.reduce(into: NumberSet()) { wanted, state in
      wanted.formUnion(state.undelivered(through: .max - 1))
      wanted.formUnion(state.dead)
    }
  }

  /// Marks missing scans as lost, so that no sink waits for them. Numbers that were reserved but not given are no loss.
  ///
  /// - Returns: the number of lost scans, and whether there may be more: a sink whose state is lost cannot show which it was
  /// to get.
  private static func settle(
    _ states: inout [SinkState], found: NumberSet, through last: Int64, given: Int64
  ) -> (lostCount: Int, isUnclear: Bool) {
    var lost = NumberSet()
    let knowsNone = !states.contains { $0.version > 0 }
    var isUnclear = false
    for index in states.indices {
      var missing = states[index].undelivered(through: last)
      missing.formUnion(states[index].dead)
      missing.subtract(found)
      if states[index].version > 0 {
        lost.formUnion(missing)
      } else if knowsNone, !missing.isEmpty {
        isUnclear = true
      }
      states[index].done.formUnion(missing)
      states[index].dead.subtract(missing)
      states[index].version += 1
    }
    if given < last { lost.remove(given + 1...last) }
    return (lost.count, isUnclear)
  }

  /// The store's id and the sinks' states: from memory, else the newest of those in the source and in the mark.
  private func statesLeft(_ source: Source, _ known: Knowledge) throws(OutboxTrouble) -> (ScanID, [SinkState]) {
    if let store = known.store, let states = known.states { return (store, states) }
    let left = try OutboxSalvage(files: files, path: path).states()
    let store = known.mark?.store ?? left.max { $0.value.count < $1.value.count }?.key ?? OutboxCore.newStoreID()
    return (store, sinkStates(of: store, known.mark, left))
  }

  /// The newest states of a store's sinks in the bytes of the file and its journal, and in the mark.
  func sinkStates(of store: ScanID, _ mark: OutboxMark?) throws(OutboxTrouble) -> [SinkState] {
    sinkStates(of: store, mark, try OutboxSalvage(files: files, path: path).states())
  }

  private func sinkStates(
    of store: ScanID, _ mark: OutboxMark?, _ left: [ScanID: [String: SinkState]]
  ) -> [SinkState] {
    var states = (left[store] ?? [:]).values.sorted { $0.name < $1.name }
    if let mark, mark.store == store { states = SinkState.newest(states, mark.sinks) }
    // Bytes contain a sink under all its former names too.
    let all = states
    states.removeAll { old in
      old.until == nil && !sinks.contains { $0.name == old.name } && all.contains { old.hasBecome($0) }
    }
    return states
  }

  /// If the file was removed, an incomplete copy may be all that remains. It becomes the file, to be searched: opening it as
  /// a copy would discard its unfinished part.
  private func keepCopyOfRemovedFile() throws(OutboxTrouble) {
    guard files.size(path) == nil, files.size(copy) ?? 0 > 0 else { return }
    for companion in ["-journal", "-wal", "-shm"] { try files.remove(copy + companion) }
    try files.rename(copy, to: path)
    try files.syncNames(around: path)
  }

  private func checkRoom(_ source: Source) throws(OutboxTrouble) {
    let size = (files.size(path) ?? 0) + (files.size(path + "-wal") ?? 0)
    let needed = size + size / 8 + Self.spareByteCount - (files.size(copy) ?? 0)
    let free = files.freeByteCount(around: path)
    guard free < needed else { return }
    throw OutboxTrouble(
      .full, path: path,
      detail:
        "the file is damaged, and its repair needs \(needed >> 10) KB on the same disk, and only \(free >> 10) KB are free")
  }

  /// Opens the copy that an earlier repair began, or starts one.
  private func open(_ store: ScanID) throws(OutboxTrouble) -> OutboxStore {
    var settings = settings
    settings.byteCountMax = .max / 2
    do {
      let begun = try OutboxStore(settings: settings, files: files, path: copy, .build(store))
      if begun.id == store { return begun }
      begun.close()
    } catch {
      guard error.cause == .damaged else { throw error }
    }
    for companion in ["", "-journal", "-wal", "-shm"] { try files.remove(copy + companion) }
    return try OutboxStore(settings: settings, files: files, path: copy, .build(store))
  }

  /// Replaces the file by a complete copy.
  ///
  /// - Returns: the new path of the old file.
  @discardableResult
  func swap() throws(OutboxTrouble) -> String? {
    let aside = "\(path).damaged-\(unixMilliseconds)"
    // A journal must never lie next to a database to which it does not belong.
    try files.remove(path + "-shm")
    if files.size(path + "-wal") != nil { try files.rename(path + "-wal", to: aside + "-wal") }
    let isThere = files.size(path) != nil
    if isThere { try files.rename(path, to: aside) }
    try files.syncNames(around: path)
    try files.rename(copy, to: path)
    try files.syncNames(around: path)
    if files.size(path + OutboxRescue.suffix) != nil { try files.remove(path + OutboxRescue.suffix) }
    let kept = files.names(beginningWith: path + ".damaged-").filter { !$0.hasSuffix("-wal") }
    for old in kept.dropLast(Self.damagedFileCountMax) {
      try? files.remove(old)
      try? files.remove(old + "-wal")
    }
    return isThere ? aside : nil
  }

  /// Finishes a repair that was interrupted between copy and rename.
  func finish() throws(OutboxTrouble) {
    if OutboxStore.isCompleteCopy(copy, files) { try swap() }
  }
}

/// The scans that a repair finds, on their way into the new file, each once.
private struct RecoveredScans {
  /// Scans copied per transaction.
  static let batchCount = 500

  let target: OutboxStore
  /// Numbers of the scans in the new file or on their way there.
  private(set) var found: NumberSet
  /// Numbers of the scans that some sink is to get.
  let wanted: NumberSet
  /// The highest number of scans that are kept only if they are wanted.
  let oldNumberMax: Int64
  /// The highest number found.
  private(set) var last: Int64
  private var batch: [OutboxSalvage.Found] = []

  /// - Parameters:
  ///   - known: the highest number that may be in use.
  ///   - keptCount: the number of delivered scans that are kept.
  init(target: OutboxStore, wanted: NumberSet, known: Int64, keptCount: Int) throws(OutboxTrouble) {
    self.target = target
    self.wanted = wanted
    found = try target.numbers()
    oldNumberMax = known - Int64(keptCount)
    last = max(known, found.last ?? 0)
  }

  mutating func take(_ scan: OutboxSalvage.Found) throws(OutboxTrouble) {
    last = max(last, scan.head.number)
    // Bytes of scans that were delivered to all sinks and deleted persist for a while.
    if scan.head.number <= oldNumberMax, !wanted.contains(scan.head.number) { return }
    guard !found.contains(scan.head.number) else { return }
    found.insert(scan.head.number)
    batch.append(scan)
    if batch.count >= Self.batchCount { try flush() }
  }

  /// Takes the scan of a frame, if it is intact.
  mutating func take(frame: [UInt8]) throws(OutboxTrouble) {
    guard let (content, _) = Frame.content(ScanRecord.frameMark, in: frame), let head = ScanRecord.FrameHead(content) else {
      return
    }
    try take((head, frame))
  }

  /// Writes the scans that wait for others.
  mutating func flush() throws(OutboxTrouble) {
    try target.insert(frames: batch)
    batch = []
  }
}
