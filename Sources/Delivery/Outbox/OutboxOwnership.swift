// Checks whether a file is an outbox. A mistyped path may name another text or database: a file without any trace of an
// outbox is left alone.

import DeliveryModel

/// Examines a file and its companions before anything is written.
struct OutboxOwnership {
  let files: any OutboxFiles
  let path: String

  /// The mark of a database header (sqlite.org/fileformat2.html, §1.3 "The Database Header").
  private static let databaseMark = Array("SQLite format 3\0".utf8)
  private static let applicationOffset = 68
  private static let headerByteCount = 100
  /// The table tree on the first page after the header: its type, and two bytes that count its cells.
  private static let leaf: UInt8 = 0x0D
  private static let cellCountOffset = headerByteCount + 3
  private static let firstPageByteCount = headerByteCount + 8

  /// - Throws: `foreign` if the path holds something else; otherwise the reason why it cannot be read.
  func check() throws(OutboxTrouble) {
    guard files.isOrdinary(path) else { throw foreign("it is no ordinary file") }
    guard files.size(path) ?? 0 > 0, !hasFileOfOurs else { return }
    let first = try files.read(path, at: 0, count: Self.firstPageByteCount)
    let isDatabase = first.starts(with: Self.databaseMark)
    if isDatabase, Self.isOurs(first) { return }
    switch try isJournalOurs() {
    case true?: return
    case false?: break
    // A station was stopped while it created the file.
    case nil where Self.isTorn(first) || (isDatabase && Self.hasNoTables(first)): return
    case nil: break
    }
    // The first page of an outbox may be damaged.
    if try hasFrameOfOurs() { return }
    throw foreign(isDatabase ? "it is another program's database" : "it is no database")
  }

  /// Removes a file whose first page was never written whole, neither there nor in the journal: a power cut ended its
  /// creation, and it holds nothing. The caller holds the claim.
  func removeTorn() throws(OutboxTrouble) {
    guard files.size(path) ?? 0 > 0, !hasFileOfOurs else { return }
    let first = try files.read(path, at: 0, count: Self.firstPageByteCount)
    if Self.isTorn(first), try isJournalOurs() == nil { try files.remove(path) }
  }

  private func foreign(_ what: String) -> OutboxTrouble { OutboxTrouble(.foreign, path: path, detail: what) }

  private var hasFileOfOurs: Bool {
    [OutboxMark.suffix, OutboxRescue.suffix, OutboxRepair.suffix].contains { files.size(path + $0) != nil }
  }

  private static func isOurs(_ page: [UInt8]) -> Bool {
    var reader = ByteReader(Array(page.dropFirst(applicationOffset)))
    return reader.uint32().map(Int64.init) == OutboxStore.applicationID
  }

  private static func hasNoTables(_ page: [UInt8]) -> Bool {
    page.count == firstPageByteCount && page[headerByteCount] == leaf && page[cellCountOffset] == 0
      && page[cellCountOffset + 1] == 0
  }

  /// Whether the file ends within the head of its first page. No database is that short.
  private static func isTorn(_ page: [UInt8]) -> Bool {
    page.count < firstPageByteCount && zip(page, databaseMark).allSatisfy(==)
  }

  /// Whether the journal's first page is an outbox's; nil if SQLite reads none from it, or one without tables.
  private func isJournalOurs() throws(OutboxTrouble) -> Bool? {
    guard var frames = try JournalFrames(of: path, files) else { return nil }
    var last: [UInt8]?
    while let (page, bytes) = try frames.next() {
      if page == 1 { last = Array(bytes.prefix(Self.firstPageByteCount)) }
    }
    return last.flatMap { Self.isOurs($0) ? true : Self.hasNoTables($0) ? nil : false }
  }

  private func hasFrameOfOurs() throws(OutboxTrouble) -> Bool {
    let salvage = OutboxSalvage(files: files, path: path)
    var isFound = try !salvage.states().isEmpty
    if !isFound { try salvage.scans { _ in isFound = true } }
    return isFound
  }
}
