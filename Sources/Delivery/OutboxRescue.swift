// What an unclean end leaves behind. A journal that was torn by a power cut, or damaged, ends there for SQLite, which takes older
// pages for the newest and overwrites the rest. Scans that are whole in it all the same may have been signalled good: they are
// written again, kept in a file of their own until they are in the database.

/// Brings scans from the bytes of a journal into the database.
struct OutboxRescue {
  let files: any OutboxFiles
  let path: String

  static let suffix = "-rescue"
  /// Scans that are rescued one by one; a journal that lost more is damaged, and the file is repaired as a whole.
  static let scanCountMax = 1000
  /// The size from which on nothing is added to what earlier attempts wrote and could not bring into the database.
  static let byteCountMax: Int64 = 16 << 20

  private var file: String { path + Self.suffix }
  private var salvage: OutboxSalvage { OutboxSalvage(files: files, path: path) }

  /// The scans that are whole in the file, its journal or an earlier rescue, each once. It does not ask
  /// whether the file was closed cleanly: a file whose journal was lost looks as if it had been.
  func scansLeft() throws(OutboxTrouble) -> [ScanRecord.FrameHead] {
    var heads: [ScanID: ScanRecord.FrameHead] = [:]
    try salvage.scans { scan throws(OutboxTrouble) in heads[scan.head.id] = scan.head }
    return heads.values.sorted { $0.number < $1.number }
  }

  /// Writes those of the scans that the database lacks.
  ///
  /// - Returns: how many there were.
  /// - Throws: `damaged` when a repair is needed.
  func run(_ heads: [ScanRecord.FrameHead], into store: OutboxStore) throws(OutboxTrouble) -> Int {
    var missing: Set<ScanID> = []
    for head in heads where try !store.hasWhole(head.id) {
      guard try store.number(of: head.id) == nil else { throw damaged("scan \(head.number) is not as it was written") }
      missing.insert(head.id)
    }
    guard missing.count <= Self.scanCountMax else { throw damaged("\(missing.count) scans are in the journal only") }
    if !missing.isEmpty {
      var found: [ScanID: OutboxSalvage.Found] = [:]
      try salvage.scans { scan throws(OutboxTrouble) in if missing.contains(scan.head.id) { found[scan.head.id] = scan } }
      let frames = found.values.sorted { $0.head.number < $1.head.number }
      let size = files.size(file) ?? 0
      guard size < Self.byteCountMax else { throw damaged("scans of its journal could not be written again") }
      // Writing into the database overwrites the journal.
      try files.write(file, frames.flatMap(\.bytes), at: size, syncs: true)
      try store.insert(frames: frames, syncs: true)
      for id in missing where try !store.hasWhole(id) { throw damaged("a scan of its journal cannot be written again") }
    }
    if files.size(file) != nil { try files.remove(file) }
    return missing.count
  }

  private func damaged(_ what: String) -> OutboxTrouble { OutboxTrouble(.damaged, path: path, detail: what) }
}
