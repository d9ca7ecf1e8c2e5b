// Intact content in the bytes of a damaged database and its journal. Frames are found by their mark, wherever they lie, and
// trusted by their checksum. Large ones are spread over several pages, which are followed by SQLite's file format
// (sqlite.org/fileformat2.html, §1.6 "B-tree Pages", §4 "The Write-Ahead Log").

import DeliveryModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Searches files for frames.
struct OutboxSalvage {
  let files: any OutboxFiles
  let path: String

  /// Bytes examined at a time.
  static let windowByteCount = 1 << 20

  /// A scan with an intact frame.
  typealias Found = (head: ScanRecord.FrameHead, bytes: [UInt8])

  /// The newest state of each sink, for each store with a remaining frame.
  func states() throws(OutboxTrouble) -> [ScanID: [String: SinkState]] {
    var found: [ScanID: [String: SinkState]] = [:]
    for file in [path, path + "-wal"] {
      try search(file, SinkState.frameMark) { content, _ throws(OutboxTrouble) in
        var reader = ByteReader(content)
        guard let high = reader.uint64(), let low = reader.uint64(),
          let state = SinkState(content: content, store: nil)
        else { return }
        let store = ScanID(high: high, low: low)
        if found[store]?[state.name].map({ $0.version >= state.version }) != true {
          found[store, default: [:]][state.name] = state
        }
      }
    }
    return found
  }

  /// Passes on the scans of the database, its journal and a rescue, some repeatedly, in no order.
  func scans(_ take: (Found) throws(OutboxTrouble) -> Void) throws(OutboxTrouble) {
    for file in [path, path + "-wal", path + OutboxRescue.suffix] { try Self.scans(in: file, files, take) }
    try spreadScans(take)
  }

  /// Passes on the scans whose frames are contiguous.
  static func scans(
    in file: String, _ files: any OutboxFiles, _ take: (Found) throws(OutboxTrouble) -> Void
  ) throws(OutboxTrouble) {
    try OutboxSalvage(files: files, path: file).search(file, ScanRecord.frameMark) { content, bytes throws(OutboxTrouble) in
      if let head = ScanRecord.FrameHead(content) { try take((head, bytes)) }
    }
  }

  private func search(
    _ file: String, _ mark: StaticString, _ take: ([UInt8], [UInt8]) throws(OutboxTrouble) -> Void
  ) throws(OutboxTrouble) {
    guard let size = files.size(file) else { return }
    var start: Int64 = 0
    while start < size {
      let window = try files.read(file, at: start, count: Self.windowByteCount)
      for offset in Self.offsets(of: mark, in: window) {
        if let (content, end) = Frame.content(mark, in: window, at: offset) {
          try take(content, Array(window[offset..<end]))
        } else if window.count - offset < Frame.overhead + Frame.contentCountMax, start + Int64(window.count) < size {
          let rest = try files.read(
            file, at: start + Int64(offset), count: Frame.overhead + Frame.contentCountMax)
          if let (content, end) = Frame.content(mark, in: rest) { try take(content, Array(rest[..<end])) }
        }
      }
      // A mark may extend across two windows.
      start += Int64(max(1, window.count - Frame.markCount + 1))
    }
  }

  private static func offsets(of mark: StaticString, in bytes: [UInt8]) -> [Int] {
    mark.withUTF8Buffer { mark in
      bytes.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress, let markStart = mark.baseAddress else { return [] }
        var found: [Int] = []
        var offset = 0
        while offset + mark.count <= bytes.count,
          let place = memchr(start + offset, Int32(mark[0]), bytes.count - mark.count - offset + 1)
        {
          offset = UnsafeRawPointer(place) - start
          if memcmp(place, markStart, mark.count) == 0 { found.append(offset) }
          offset += 1
        }
        return found
      }
    }
  }

  // MARK: Frames spread over several pages

  private static let pageSize = OutboxStore.pageByteCount
  private static let journalHeaderSize = 32
  private static let journalFrameHeaderSize = 24
  /// The type of a leaf of a table.
  private static let leaf: UInt8 = 0x0D

  private func spreadScans(_ take: (Found) throws(OutboxTrouble) -> Void) throws(OutboxTrouble) {
    let pageSize = Int64(Self.pageSize)
    let frameSize = Int64(Self.journalFrameHeaderSize) + pageSize
    var inJournal: [Int64: Int64] = [:]
    let journal = path + "-wal"
    var places: [(file: String, offset: Int64)] = []
    var offset = Int64(Self.journalHeaderSize)
    while offset + frameSize <= files.size(journal) ?? 0 {
      var reader = ByteReader(try files.read(journal, at: offset, count: 4))
      if let page = reader.uint32() { inJournal[Int64(page)] = offset + Int64(Self.journalFrameHeaderSize) }
      places.append((journal, offset + Int64(Self.journalFrameHeaderSize)))
      offset += frameSize
    }
    let pageCount = (files.size(path) ?? 0) / pageSize
    for page in 0..<pageCount { places.append((path, page * pageSize)) }
    for place in places {
      let bytes = try files.read(place.file, at: place.offset, count: Self.pageSize)
      for cell in Self.spreadCells(bytes) {
        for usesJournal in [true, false] {
          var payload = cell.start
          var next = cell.next
          while payload.count < cell.byteCount, next != 0 {
            let at: (file: String, offset: Int64)
            if usesJournal, let offset = inJournal[next] {
              at = (journal, offset)
            } else {
              at = (path, (next - 1) * pageSize)
            }
            guard files.size(at.file) ?? 0 > at.offset else { break }
            let page = try files.read(at.file, at: at.offset, count: Self.pageSize)
            var reader = ByteReader(page)
            guard page.count == Self.pageSize, let following = reader.uint32() else { break }
            payload += page[4...]
            next = Int64(following)
          }
          guard let mark = Self.offsets(of: ScanRecord.frameMark, in: payload).first,
            let (content, end) = Frame.content(ScanRecord.frameMark, in: payload, at: mark),
            let head = ScanRecord.FrameHead(content)
          else { continue }
          try take((head, Array(payload[mark..<end])))
          break
        }
      }
    }
  }

  /// The cells of a leaf that continue on other pages: the part here, the total size, and the next page.
  private static func spreadCells(_ page: [UInt8]) -> [(start: [UInt8], byteCount: Int, next: Int64)] {
    guard page.count == pageSize, page[0] == leaf else { return [] }
    let count = Int(page[3]) << 8 | Int(page[4])
    var cells: [(start: [UInt8], byteCount: Int, next: Int64)] = []
    for index in 0..<min(count, pageSize / 4) {
      let pointer = 8 + 2 * index
      guard pointer + 1 < pageSize else { break }
      var offset = Int(page[pointer]) << 8 | Int(page[pointer + 1])
      guard let byteCount = varint(page, &offset), varint(page, &offset) != nil,
        byteCount > pageSize - 35, byteCount <= Frame.contentCountMax
      else { continue }
      let least = (pageSize - 12) * 32 / 255 - 23
      let fitting = least + (byteCount - least) % (pageSize - 4)
      let here = fitting <= pageSize - 35 ? fitting : least
      guard offset + here + 4 <= pageSize else { continue }
      var reader = ByteReader(Array(page[(offset + here)..<(offset + here + 4)]))
      cells.append((Array(page[offset..<(offset + here)]), byteCount, Int64(reader.uint32() ?? 0)))
    }
    return cells
  }

  /// A number in SQLite's variable-length format, up to nine bytes.
  private static func varint(_ bytes: [UInt8], _ offset: inout Int) -> Int? {
    var value: UInt64 = 0
    for length in 1...9 {
      guard offset < bytes.count else { return nil }
      let byte = bytes[offset]
      offset += 1
      if length == 9 { return Int(truncatingIfNeeded: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte & 0x80 == 0 { return Int(truncatingIfNeeded: value) }
    }
    return nil
  }
}

/// Recovers scans from the bytes of a journal into the database after an unclean end.
///
/// For SQLite, a journal ends where a power cut tore or damaged it; SQLite then takes older pages for the newest and overwrites
/// the rest. Scans that are nevertheless intact in the journal may have been acknowledged: they are written again, and kept in
/// a separate file until they are in the database.
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
