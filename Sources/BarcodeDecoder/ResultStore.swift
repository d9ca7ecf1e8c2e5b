// The symbols of the picture at hand, with the bytes that belong to them.

import BarcodeTypes

/// One symbol with the place of its payload and segments in the store.
struct StoredSymbol: BitwiseCopyable {
  var symbol: DecodedSymbol
  var payloadOffset: Int
  var payloadByteCount: Int
  var segmentOffset: Int
  var segmentCount: Int
}

/// Collects symbols. A reader appends payload bytes and segments, then commits them as a symbol or drops them.
@safe struct ResultStore {
  private let symbols: UnsafeMutablePointer<StoredSymbol>
  private let payload: UnsafeMutablePointer<UInt8>
  private let segments: UnsafeMutablePointer<PayloadSegment>
  private(set) var count = 0
  private var payloadUsed = 0
  private var segmentsUsed = 0
  private var pendingBytes = 0
  private var pendingSegments = 0
  /// Where the region of interest lies in the frame; added to every corner.
  var origin = PixelPoint(x: .zero, y: .zero)
  /// Whether corners are given in pixels of the enlarged region of interest, see `TinyPicture`.
  var isEnlarged = false

  /// Takes its memory from the arena for good.
  init?(arena: inout Arena) {
    guard let symbols = unsafe arena.take(StoredSymbol.self, count: DecoderLimits.symbolCountMax),
      let payload = unsafe arena.take(UInt8.self, count: DecoderLimits.payloadByteCountMax),
      let segments = unsafe arena.take(PayloadSegment.self, count: DecoderLimits.segmentCountMax)
    else { return nil }
    unsafe self.symbols = symbols
    unsafe self.payload = payload
    unsafe self.segments = segments
  }

  /// Forgets all symbols.
  mutating func removeAll() {
    count = 0
    payloadUsed = 0
    segmentsUsed = 0
    drop()
  }

  /// Forgets the bytes and segments appended since the last commit.
  mutating func drop() {
    pendingBytes = 0
    pendingSegments = 0
  }

  /// Bytes appended since the last commit.
  var pendingByteCount: Int { pendingBytes }

  /// Appends a payload byte to the symbol being built; false when the store is full.
  mutating func append(_ byte: UInt8) -> Bool {
    guard payloadUsed + pendingBytes < DecoderLimits.payloadByteCountMax else { return false }
    unsafe payload[payloadUsed + pendingBytes] = byte
    pendingBytes += 1
    return true
  }

  /// A payload byte of the symbol being built.
  func pendingByte(_ index: Int) -> UInt8 {
    precondition(index >= 0 && index < pendingBytes)
    return unsafe payload[payloadUsed + index]
  }

  /// Says how the bytes appended from now on are to be read; false when the store is full. Repeating the present
  /// interpretation costs nothing.
  mutating func beginSegment(_ interpretation: TextInterpretation) -> Bool {
    if pendingSegments > 0 {
      let last = unsafe segments[segmentsUsed + pendingSegments - 1]
      if last.interpretation == interpretation { return true }
      if last.byteOffset == pendingBytes { pendingSegments -= 1 }
    } else if interpretation == .unspecified {
      return true
    }
    guard segmentsUsed + pendingSegments < DecoderLimits.segmentCountMax else { return false }
    unsafe segments[segmentsUsed + pendingSegments] = PayloadSegment(
      byteOffset: pendingBytes, interpretation: interpretation)
    pendingSegments += 1
    return true
  }

  /// Makes a symbol of what was appended, its corners given in pixels of the region of interest.
  ///
  /// A symbol that overlaps one of the same symbology and payload is the same one seen again: its line count goes up to
  /// the greater of the two and nothing is added. Returns whether the symbol is new.
  @discardableResult
  mutating func commit(_ symbol: DecodedSymbol) -> Bool {
    defer { drop() }
    var placed = symbol
    placed.corners = Quad(
      topLeft: inFrame(symbol.corners.topLeft), topRight: inFrame(symbol.corners.topRight),
      bottomRight: inFrame(symbol.corners.bottomRight), bottomLeft: inFrame(symbol.corners.bottomLeft))
    for index in 0..<count where isSame(index, as: placed) {
      let known = unsafe symbols[index].symbol.lineCount
      unsafe symbols[index].symbol.lineCount = max(known, placed.lineCount)
      return false
    }
    guard count < DecoderLimits.symbolCountMax else { return false }
    unsafe symbols[count] = StoredSymbol(
      symbol: placed, payloadOffset: payloadUsed, payloadByteCount: pendingBytes,
      segmentOffset: segmentsUsed, segmentCount: pendingSegments)
    count += 1
    payloadUsed += pendingBytes
    segmentsUsed += pendingSegments
    return true
  }

  /// A symbol by its index in order of discovery.
  func symbol(_ index: Int) -> DecodedSymbol {
    precondition(index >= 0 && index < count)
    return unsafe symbols[index].symbol
  }

  /// The symbologies of all symbols.
  var symbologies: SymbologySet {
    var set = SymbologySet()
    for index in 0..<count { set.insert(unsafe symbols[index].symbol.symbology) }
    return set
  }

  /// Whether a point, in pixels of the region of interest, lies in a symbol that was read already.
  func covers(_ point: PixelPoint) -> Bool {
    let place = inFrame(point)
    for index in 0..<count where unsafe symbols[index].symbol.corners.contains(place) { return true }
    return false
  }

  /// A place in the region of interest, in the frame.
  private func inFrame(_ point: PixelPoint) -> PixelPoint { (isEnlarged ? TinyPicture.original(point) : point) + origin }

  @unsafe func payloadBytes(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    precondition(index >= 0 && index < count)
    let stored = unsafe symbols[index]
    return unsafe UnsafeBufferPointer(start: payload + stored.payloadOffset, count: stored.payloadByteCount)
  }

  @unsafe func payloadSegments(_ index: Int) -> UnsafeBufferPointer<PayloadSegment> {
    precondition(index >= 0 && index < count)
    let stored = unsafe symbols[index]
    return unsafe UnsafeBufferPointer(start: segments + stored.segmentOffset, count: stored.segmentCount)
  }

  private func isSame(_ index: Int, as other: DecodedSymbol) -> Bool {
    let stored = unsafe symbols[index]
    guard stored.symbol.symbology == other.symbology, stored.payloadByteCount == pendingBytes else { return false }
    guard stored.symbol.corners.contains(other.corners.center) || other.corners.contains(stored.symbol.corners.center)
    else { return false }
    for byte in 0..<pendingBytes
    where unsafe payload[stored.payloadOffset + byte] != payload[payloadUsed + byte] { return false }
    return true
  }
}
