// Data that must outlive the database: the highest number that may be in use, the last one given, and the progress of each
// sink. It is kept in a separate small file with two slots, so that one of them is always intact and durable.

import DeliveryModel

/// The contents of `PATH-mark`.
struct OutboxMark: Equatable {
  /// Grows with each write: the newer slot counts.
  var version: UInt64 = 0
  /// The store that the sinks' states belong to.
  var store: ScanID
  /// No number above it was ever given.
  var reserved: Int64
  var sinks: [SinkState]
  /// The highest number given when this was written; nil in marks of older versions.
  var last: Int64?
  /// The boot during which it was written. Unsynced data of that boot survive as long as the machine runs.
  var bootID = ""
  /// The slot of this or an earlier version.
  var slot = 0
  /// Whether that slot's content is durable: then only the other one is written.
  var isSlotDurable = false

  static let suffix = "-mark"
  static let frameMark: StaticString = "RtclMrk1"
  /// Bytes per slot; states that do not fit are omitted.
  static let slotByteCount = 64 << 10

  /// The newer of the two slots; nil if neither is intact.
  ///
  /// - Throws: if a slot cannot be read now, because it may be the newer one.
  static func read(_ files: any OutboxFiles, _ path: String) throws(OutboxTrouble) -> OutboxMark? {
    guard files.size(path + suffix) != nil else { return nil }
    var newest: OutboxMark?
    for slot in 0..<2 {
      let bytes = try files.read(path + suffix, at: Int64(slot * slotByteCount), count: slotByteCount)
      guard let (content, _) = Frame.content(frameMark, in: bytes), var mark = OutboxMark(content: content),
        mark.version > newest?.version ?? 0
      else { continue }
      mark.slot = slot
      newest = mark
    }
    return newest
  }

  /// Makes the content just read durable in place: a kill may have preceded its sync.
  mutating func settle(_ files: any OutboxFiles, _ path: String) throws(OutboxTrouble) {
    guard !isSlotDurable else { return }
    try put(files, path, syncs: true)
    isSlotDurable = true
  }

  /// Writes the next version to the slot that is not the durable one.
  mutating func write(_ files: any OutboxFiles, _ path: String, syncs: Bool) throws(OutboxTrouble) {
    var next = self
    next.version += 1
    if isSlotDurable { next.slot = 1 - slot }
    try next.put(files, path, syncs: syncs)
    version = next.version
    if syncs { (slot, isSlotDurable) = (next.slot, true) }
  }

  private func put(_ files: any OutboxFiles, _ path: String, syncs: Bool) throws(OutboxTrouble) {
    var bytes = frame
    if bytes.count > Self.slotByteCount {
      var short = self
      short.sinks = []
      bytes = short.frame
    }
    try files.write(path + Self.suffix, bytes, at: Int64(slot * Self.slotByteCount), syncs: syncs)
  }

  private var frame: [UInt8] {
    var writer = ByteWriter()
    writer.put(version)
    writer.put(store.high)
    writer.put(store.low)
    writer.put(reserved)
    writer.put(UInt32(sinks.count))
    for sink in sinks {
      let frame = sink.frame(store: store)
      writer.put(UInt32(frame.count))
      writer.bytes += frame
    }
    writer.put(last ?? 0)
    writer.put(bootID)
    return Frame.bytes(Self.frameMark, writer.bytes)
  }

  init(store: ScanID, reserved: Int64, sinks: [SinkState]) {
    self.store = store
    self.reserved = reserved
    self.sinks = sinks
  }

  private init?(content: [UInt8]) {
    var reader = ByteReader(content)
    guard let version = reader.uint64(), let high = reader.uint64(), let low = reader.uint64(),
      let reserved = reader.int64(), let count = reader.uint32()
    else { return nil }
    self.init(store: ScanID(high: high, low: low), reserved: reserved, sinks: [])
    self.version = version
    for _ in 0..<count {
      guard let length = reader.uint32() else { return nil }
      let frame = Array(reader.remaining.prefix(Int(length)))
      reader.skip(Int(length))
      guard let (content, _) = Frame.content(SinkState.frameMark, in: frame),
        let state = SinkState(content: content, store: store)
      else { return nil }
      sinks.append(state)
    }
    // Older versions wrote neither.
    last = reader.int64().flatMap { $0 > 0 ? $0 : nil }
    bootID = reader.text() ?? ""
  }
}
