// Checks whether a file is an outbox. A mistyped path may name another text or database: a file without any trace of an
// outbox is left alone.

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
  /// Sizes in a journal (§4.1 and §4.2).
  private static let journalHeaderByteCount = 32
  private static let journalPageSizeOffset = 8
  private static let journalFrameByteCount = 24

  /// - Throws: `foreign` if the path holds something else; otherwise the reason why it cannot be read.
  func check() throws(OutboxTrouble) {
    guard files.isOrdinary(path) else { throw foreign("it is no ordinary file") }
    guard files.size(path) ?? 0 > 0, !hasFileOfOurs else { return }
    let first = try files.read(path, at: 0, count: Self.firstPageByteCount)
    let isDatabase = first.starts(with: Self.databaseMark)
    if isDatabase, Self.isOurs(first) { return }
    // A station was killed while it created the file.
    if isDatabase, Self.hasNoTables(first), try isJournalOurs() { return }
    // The first page of an outbox may be damaged.
    if try hasFrameOfOurs() { return }
    throw foreign(isDatabase ? "it is another program's database" : "it is no database")
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

  /// Whether no first page in the journal belongs to another program.
  private func isJournalOurs() throws(OutboxTrouble) -> Bool {
    let journal = path + "-wal"
    guard let size = files.size(journal), size > 0 else { return true }
    var header = ByteReader(
      Array(try files.read(journal, at: 0, count: Self.journalHeaderByteCount).dropFirst(Self.journalPageSizeOffset)))
    guard let pageSize = header.uint32(), pageSize > 0 else { return true }
    var offset = Int64(Self.journalHeaderByteCount)
    while offset < size {
      let frame = try files.read(journal, at: offset, count: Self.journalFrameByteCount + Self.firstPageByteCount)
      var reader = ByteReader(frame)
      // A power cut may leave a frame's head without its page.
      let page = Array(frame.dropFirst(Self.journalFrameByteCount))
      if reader.uint32() == 1, page.starts(with: Self.databaseMark), !Self.isOurs(page) { return false }
      offset += Int64(Self.journalFrameByteCount) + Int64(pageSize)
    }
    return true
  }

  private func hasFrameOfOurs() throws(OutboxTrouble) -> Bool {
    let salvage = OutboxSalvage(files: files, path: path)
    var isFound = try !salvage.states().isEmpty
    if !isFound { try salvage.scans { _ in isFound = true } }
    return isFound
  }
}
