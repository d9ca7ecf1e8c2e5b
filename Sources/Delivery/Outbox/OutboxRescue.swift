// Recovery after an unclean end. For SQLite, a journal ends where a power cut tore or damaged it; SQLite then takes older
// pages for the newest and overwrites the rest. Scans that are nevertheless intact in the journal may have been
// acknowledged: they are written again, and kept in a separate file until they are in the database.

import DeliveryModel

/// Recovers scans from the bytes of a journal into the database.
struct OutboxRescue {
  let files: any OutboxFiles
  let path: String

  static let suffix = "-rescue"
  /// The most scans rescued individually; a journal that lost more is damaged, and the whole file is repaired.
  static let scanCountMax = 1000
  /// The size beyond which nothing is added to the unfinished output of earlier attempts.
  static let byteCountMax: Int64 = 16 << 20

  private var file: String { path + Self.suffix }
  private var salvage: OutboxSalvage { OutboxSalvage(files: files, path: path) }

  /// The scans that are intact in the file, its journal or an earlier rescue, each once. It does not ask whether the file
  /// was closed cleanly: a file whose journal was lost looks as if it had been.
  func scansLeft() throws(OutboxTrouble) -> [ScanRecord.FrameHead] {
    var heads: [ScanID: ScanRecord.FrameHead] = [:]
    try salvage.scans { scan throws(OutboxTrouble) in heads[scan.head.id] = scan.head }
    return heads.values.sorted { $0.number < $1.number }
  }

  /// Writes those scans that the database lacks.
  ///
  /// - Returns: the number of scans written.
  /// - Throws: `damaged` if a repair is needed.
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
