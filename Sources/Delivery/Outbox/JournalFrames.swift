// Walks the frames of a write-ahead log that SQLite itself would read back. A power cut may tear a frame anywhere, and the log
// may still hold frames from before it was restarted: what follows the first wrong checksum proves nothing.

import DeliveryModel

/// The valid frames of a database's write-ahead log (sqlite.org/fileformat2.html, §4.1 "WAL File Format" and §4.2
/// "Checksum Algorithm").
struct JournalFrames {
  /// Both kinds of a log's mark; the lowest bit says that its checksums take words with the most significant byte first.
  private static let mark: UInt32 = 0x377F_0682
  private static let headerByteCount = 32
  private static let frameHeadByteCount = 24
  /// Bytes of a header that its checksum covers, and of a frame's head that the frame's covers with the page.
  private static let checkedHeaderByteCount = 24
  private static let checkedFrameHeadByteCount = 8
  private static let pageByteCounts: ClosedRange<UInt32> = 512...65536

  private let files: any OutboxFiles
  private let path: String
  private let pageByteCount: Int
  private let isBigEndian: Bool
  private let salts: [UInt8]
  private var sums: (first: UInt32, second: UInt32) = (0, 0)
  private var offset = Int64(headerByteCount)

  /// Opens a log; nil if it does not exist, or if its header is torn: SQLite then reads no frame.
  init?(of database: String, _ files: any OutboxFiles) throws(OutboxTrouble) {
    self.files = files
    path = database + "-wal"
    guard files.size(path) ?? 0 >= Self.headerByteCount else { return nil }
    let header = try files.read(path, at: 0, count: Self.headerByteCount)
    var reader = ByteReader(header)
    guard let mark = reader.uint32(), mark & ~1 == Self.mark, reader.uint32() != nil, let pageByteCount = reader.uint32(),
      Self.pageByteCounts.contains(pageByteCount), pageByteCount & (pageByteCount - 1) == 0
    else { return nil }
    self.pageByteCount = Int(pageByteCount)
    isBigEndian = mark & 1 == 1
    salts = Array(header[16..<24])
    add(header[..<Self.checkedHeaderByteCount])
    guard hasSums(header[Self.checkedHeaderByteCount...]) else { return nil }
  }

  /// The number and the bytes of the next frame's page; nil at the log's end, or at the first frame that is torn or old.
  mutating func next() throws(OutboxTrouble) -> (page: UInt32, bytes: ArraySlice<UInt8>)? {
    let frame = try files.read(path, at: offset, count: Self.frameHeadByteCount + pageByteCount)
    var reader = ByteReader(frame)
    guard frame.count == Self.frameHeadByteCount + pageByteCount, let page = reader.uint32(),
      frame[8..<16].elementsEqual(salts)
    else { return nil }
    add(frame[..<Self.checkedFrameHeadByteCount])
    add(frame[Self.frameHeadByteCount...])
    guard hasSums(frame[16..<Self.frameHeadByteCount]) else { return nil }
    offset += Int64(frame.count)
    return (page, frame[Self.frameHeadByteCount...])
  }

  /// Continues the running checksum by whole pairs of words.
  private mutating func add(_ bytes: ArraySlice<UInt8>) {
    for place in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
      sums.first = sums.first &+ word(bytes, place, isBigEndian: isBigEndian) &+ sums.second
      sums.second = sums.second &+ word(bytes, place + 4, isBigEndian: isBigEndian) &+ sums.first
    }
  }

  private func hasSums(_ bytes: ArraySlice<UInt8>) -> Bool {
    word(bytes, bytes.startIndex, isBigEndian: true) == sums.first
      && word(bytes, bytes.startIndex + 4, isBigEndian: true) == sums.second
  }

  private func word(_ bytes: ArraySlice<UInt8>, _ place: Int, isBigEndian: Bool) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32(isBigEndian ? 3 - $1 : $1)) }
  }
}
