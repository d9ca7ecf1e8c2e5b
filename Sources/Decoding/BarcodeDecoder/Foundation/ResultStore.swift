// The symbols of the current picture, with their bytes.

import BarcodeTypes

/// A symbol with the offsets of its payload and segments in the store.
struct StoredSymbol: BitwiseCopyable {
  var symbol: DecodedSymbol
  var payloadOffset: Int
  var payloadByteCount: Int
  var segmentOffset: Int
  var segmentCount: Int
  /// The number of consecutive frames in which it was read, and of frames for which it was kept since then without another
  /// reading.
  var readingCount = 1
  var keptCount = 0
  /// The patch from whose sum over frames it was read; -1 if a frame alone showed it.
  var evidencePatch: Int8 = -1
  /// The properties of a linear symbol that show where its component lies.
  var linear = LinearPart()
  /// The payload bytes of the symbol itself; those of its component follow.
  var ownByteCount: Int
  /// Whether the symbol is the component of a linear one, which is no symbol of its own.
  var isComponent = false
}

/// Collects symbols. A reader appends payload bytes and segments, then commits them as a symbol or drops them.
@safe struct ResultStore {
  let symbols: UnsafeMutablePointer<StoredSymbol>
  let payload: UnsafeMutablePointer<UInt8>
  private let segments: UnsafeMutablePointer<PayloadSegment>
  var count = 0
  /// The first symbols, which are those that the picture shows; the others wait for their components.
  var shownCount = 0
  /// Symbols that were found but not read: up to `DecoderLimits.locatedCountMax`.
  private let located: UnsafeMutablePointer<LocatedSymbol>
  private(set) var locatedCount = 0
  var payloadUsed = 0
  private var segmentsUsed = 0
  /// The number of times that corrected codewords did not form a message.
  private(set) var refusedCount = 0
  private var pendingBytes = 0
  private var pendingSegments = 0
  /// Whether a symbol, its payload or its segments did not fit.
  var isFull = false
  /// The origin of the region of interest in the frame; it is added to every corner.
  var origin = PixelPoint(x: .zero, y: .zero)
  /// Whether corners are given in pixels of the enlarged region of interest, see `TinyPicture`.
  var isEnlarged = false
  /// The patch in whose cells corners are given; nil for those of the region of interest.
  var patch: PatchPlace?

  /// Takes its memory from the arena permanently.
  init(arena: inout Arena) throws(ArenaFull) {
    unsafe symbols = try arena.take(StoredSymbol.self, count: DecoderLimits.symbolCountMax)
    unsafe payload = try arena.take(UInt8.self, count: DecoderLimits.payloadByteCountMax)
    unsafe segments = try arena.take(PayloadSegment.self, count: DecoderLimits.segmentCountMax)
    unsafe located = try arena.take(LocatedSymbol.self, count: DecoderLimits.locatedCountMax)
  }

  /// Removes all symbols.
  mutating func removeAll() {
    count = 0
    shownCount = 0
    locatedCount = 0
    payloadUsed = 0
    segmentsUsed = 0
    isFull = false
    refusedCount = 0
    drop()
  }

  /// Removes the bytes and segments appended since the last commit.
  mutating func drop() {
    pendingBytes = 0
    pendingSegments = 0
  }

  /// Removes the bytes and segments of codewords that do not form a message.
  mutating func refuse() {
    refusedCount += 1
    drop()
  }

  /// The number of bytes appended since the last commit.
  var pendingByteCount: Int { pendingBytes }

  /// Appends a payload byte to the symbol being built; false when the store is full.
  mutating func append(_ byte: UInt8) -> Bool {
    guard payloadUsed + pendingBytes < DecoderLimits.payloadByteCountMax else {
      isFull = true
      return false
    }
    unsafe payload[payloadUsed + pendingBytes] = byte
    pendingBytes += 1
    return true
  }

  /// A payload byte of the symbol being built.
  func pendingByte(_ index: Int) -> UInt8 {
    precondition(index >= 0 && index < pendingBytes)
    return unsafe payload[payloadUsed + index]
  }

  /// Sets the interpretation of the bytes appended from now on; returns false when the store is full. Repeating the current
  /// interpretation costs nothing.
  mutating func beginSegment(_ interpretation: TextInterpretation) -> Bool {
    if pendingSegments > 0 {
      let last = unsafe segments[segmentsUsed + pendingSegments - 1]
      if last.interpretation == interpretation { return true }
      if last.byteOffset == pendingBytes { pendingSegments -= 1 }
    } else if interpretation == .unspecified {
      return true
    }
    guard segmentsUsed + pendingSegments < DecoderLimits.segmentCountMax else {
      isFull = true
      return false
    }
    unsafe segments[segmentsUsed + pendingSegments] = PayloadSegment(
      byteOffset: pendingBytes, interpretation: interpretation)
    pendingSegments += 1
    return true
  }

  /// Makes a symbol of the appended bytes, its corners given in pixels of the region of interest.
  ///
  /// A symbol that overlaps one of the same symbology and payload is the same symbol: nothing is added, and its line count
  /// becomes the greater of the two. Returns whether the symbol is new.
  ///
  /// - Parameters:
  ///   - linear: the properties that show where a linear symbol's component lies; its line in pixels of the region of interest.
  ///   - isComponent: whether the symbol is the component of a linear one.
  @discardableResult
  mutating func commit(
    _ symbol: DecodedSymbol, linear: LinearPart = LinearPart(), isComponent: Bool = false
  ) -> Bool {
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
    guard count < DecoderLimits.symbolCountMax else {
      isFull = true
      return false
    }
    unsafe symbols[count] = StoredSymbol(
      symbol: placed, payloadOffset: payloadUsed, payloadByteCount: pendingBytes,
      segmentOffset: segmentsUsed, segmentCount: pendingSegments, linear: linear,
      ownByteCount: pendingBytes, isComponent: isComponent)
    count += 1
    payloadUsed += pendingBytes
    segmentsUsed += pendingSegments
    return true
  }

  /// Records an unread object that resembles a symbol, its corners given in pixels of the region of interest. It replaces an
  /// object recorded at its place, unless it is bars and the other is not.
  ///
  /// - Parameter moduleCount: the number of modules along the upper side.
  mutating func locate(_ symbology: Symbology?, corners: Quad, moduleCount: Int) {
    guard !isEnlarged, patch == nil else { return }
    locate(inFrame: corners.moved(by: origin), symbology, moduleCount: moduleCount)
  }

  /// Records an unread object with its corners given in pixels of the frame.
  mutating func locate(inFrame corners: Quad, _ symbology: Symbology?, moduleCount: Int) {
    guard moduleCount > 0 else { return }
    let (x, y) = (
      Int(corners.topRight.x.bits) - Int(corners.topLeft.x.bits), Int(corners.topRight.y.bits) - Int(corners.topLeft.y.bits)
    )
    let module = Int(integerRoot(UInt64(x * x + y * y))) / moduleCount
    let symbol = LocatedSymbol(
      symbology: symbology, corners: corners, module: Fixed16(bits: Int32(truncatingIfNeeded: module)))
    for index in 0..<locatedCount {
      let known = unsafe located[index]
      guard known.corners.contains(symbol.corners.center) || symbol.corners.contains(known.corners.center) else { continue }
      if symbology != nil || known.symbology == nil { unsafe located[index] = symbol }
      return
    }
    guard locatedCount < DecoderLimits.locatedCountMax else { return }
    unsafe located[locatedCount] = symbol
    locatedCount += 1
  }

  /// Removes the located symbols that were finally read.
  mutating func dropLocatedThatWereRead() {
    var keptCount = 0
    for index in 0..<locatedCount {
      let symbol = unsafe located[index]
      if isRead(symbol.corners) { continue }
      unsafe located[keptCount] = symbol
      keptCount += 1
    }
    locatedCount = keptCount
  }

  /// Removes linear symbols inside others. The rows of GS1 DataBar Expanded also consist of pairs of characters and finder
  /// patterns, and in about one symbol in ten thousand two of them also form a valid symbol of GS1 DataBar; by chance, the bars of
  /// a long symbol contain a short one.
  mutating func dropPieces() {
    var keptCount = 0
    for index in 0..<count where !isPiece(index) {
      unsafe symbols[keptCount] = symbols[index]
      keptCount += 1
    }
    (count, shownCount) = (keptCount, keptCount)
  }

  /// Whether a linear symbol lies inside another: for GS1 DataBar in an Expanded one, and bars of different heights in other bars, its
  /// middle, otherwise both of its ends.
  private func isPiece(_ index: Int) -> Bool {
    let piece = unsafe symbols[index].symbol
    guard piece.symbology.family == .linear else { return false }
    for other in 0..<count where other != index {
      let whole = unsafe symbols[other].symbol
      guard whole.symbology.family == .linear else { continue }
      let isWeak =
        piece.symbology == .databar && whole.symbology == .databarExpanded
        || piece.symbology.hasPosts && !whole.symbology.hasPosts
      if isWeak, whole.corners.contains(piece.corners.center) { return true }
      if whole.corners.contains(piece.corners.leftMiddle), whole.corners.contains(piece.corners.rightMiddle) { return true }
    }
    return false
  }

  private func isRead(_ corners: Quad) -> Bool {
    for index in 0..<count {
      let known = unsafe symbols[index].symbol.corners
      if known.contains(corners.center) || corners.contains(known.center) { return true }
    }
    return false
  }

  /// A symbol that was found but not read, by its index.
  func located(_ index: Int) -> LocatedSymbol {
    precondition(index >= 0 && index < locatedCount)
    return unsafe located[index]
  }

  /// Copies a symbol unchanged from another store, that of the previous frame.
  mutating func keep(_ index: Int, of other: ResultStore) {
    let kept = unsafe other.symbols[index]
    guard count < DecoderLimits.symbolCountMax, payloadUsed + kept.payloadByteCount <= DecoderLimits.payloadByteCountMax,
      segmentsUsed + kept.segmentCount <= DecoderLimits.segmentCountMax
    else { return }
    var symbol = kept
    symbol.keptCount += 1
    symbol.payloadOffset = payloadUsed
    symbol.segmentOffset = segmentsUsed
    unsafe symbols[count] = symbol
    unsafe (payload + payloadUsed).update(from: other.payload + kept.payloadOffset, count: kept.payloadByteCount)
    unsafe (segments + segmentsUsed).update(from: other.segments + kept.segmentOffset, count: kept.segmentCount)
    count += 1
    payloadUsed += kept.payloadByteCount
    segmentsUsed += kept.segmentCount
  }

  // MARK: Evidence over frames

  /// Removes the symbols from an index on.
  mutating func removeAll(from first: Int) {
    count = min(count, first)
  }

  /// Notes that a symbol was read from the sum of a patch.
  mutating func noteEvidence(_ index: Int, patch: Int) {
    precondition(index >= 0 && index < count)
    unsafe symbols[index].evidencePatch = Int8(truncatingIfNeeded: patch)
  }

  /// The patch from whose sum a symbol was read; -1 for none.
  func evidencePatch(_ index: Int) -> Int {
    precondition(index >= 0 && index < count)
    return unsafe Int(symbols[index].evidencePatch)
  }

  /// Copies a symbol from the previous frame's store as one that was read again, moved by an offset.
  mutating func readAgain(_ index: Int, of other: ResultStore, movedBy offset: PixelPoint) {
    let before = count
    keep(index, of: other)
    guard count > before else { return }
    unsafe symbols[before].keptCount = 0
    unsafe symbols[before].symbol.corners = symbols[before].symbol.corners.moved(by: offset)
  }

  /// A hash of a symbol's symbology and payload.
  func textHash(_ index: Int) -> UInt64 {
    precondition(index >= 0 && index < count)
    let stored = unsafe symbols[index]
    // FNV-1a.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(stored.symbol.symbology.rawValue)
    for byte in 0..<stored.payloadByteCount {
      hash = unsafe (hash ^ UInt64(payload[stored.payloadOffset + byte])) &* 0x100_0000_01B3
    }
    return hash
  }

  /// Whether a symbol was read that the previous frame did not have.
  var hasNews: Bool {
    for index in 0..<count where unsafe symbols[index].keptCount == 0 && symbols[index].readingCount == 1 { return true }
    return false
  }

  /// Counts consecutive readings of symbols that were also read in the previous frame.
  mutating func countReadings(since other: ResultStore) {
    for index in 0..<count where unsafe symbols[index].keptCount == 0 {
      for known in 0..<other.count {
        let (new, old) = unsafe (symbols[index], other.symbols[known])
        guard new.symbol.symbology == old.symbol.symbology, new.payloadByteCount == old.payloadByteCount,
          new.symbol.corners.contains(old.symbol.corners.center)
        else { continue }
        var isSame = true
        for byte in 0..<new.payloadByteCount
        where unsafe payload[new.payloadOffset + byte] != other.payload[old.payloadOffset + byte] { isSame = false }
        if isSame { unsafe symbols[index].readingCount = min(255, old.readingCount + 1) }
      }
    }
  }

  /// The number of consecutive frames in which a symbol was read.
  func readingCount(_ index: Int) -> Int {
    precondition(index >= 0 && index < count)
    return unsafe symbols[index].readingCount
  }

  /// The number of frames for which a symbol was kept.
  func keptCount(_ index: Int) -> Int {
    precondition(index >= 0 && index < count)
    return unsafe symbols[index].keptCount
  }

  /// A symbol with its place in the store.
  func stored(_ index: Int) -> StoredSymbol {
    precondition(index >= 0 && index < count)
    return unsafe symbols[index]
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

  /// Whether a point, in pixels of the region of interest, is inside a symbol already read.
  ///
  /// - Parameter bars: whether to leave out the components of linear symbols, whose bars may lie in the same region.
  func covers(_ point: PixelPoint, ofBars bars: Bool = false) -> Bool {
    let place = inFrame(point)
    for index in 0..<count
    where unsafe symbols[index].symbol.corners.contains(place) && !(bars && symbols[index].isComponent) {
      return true
    }
    return false
  }

  /// Whether a point of the frame is inside a symbol already read.
  func coversInFrame(_ place: PixelPoint) -> Bool {
    for index in 0..<count where unsafe symbols[index].symbol.corners.contains(place) { return true }
    return false
  }

  /// Whether a symbol already read fills much of the area within `reach` pixels of a place: its centre is in that area, and
  /// half its extent is more than a third of `reach`.
  func fills(_ place: CandidatePlace) -> Bool {
    let middle = inFrame(place.point)
    for index in 0..<count {
      let quad = unsafe symbols[index].symbol.corners
      let center = quad.center
      let aside = max(abs(Int(center.x.bits) - Int(middle.x.bits)), abs(Int(center.y.bits) - Int(middle.y.bits))) >> 16
      let across =
        max(
          abs(Int(quad.topLeft.x.bits) - Int(quad.bottomRight.x.bits)),
          abs(Int(quad.topLeft.y.bits) - Int(quad.bottomRight.y.bits))) >> 17
      if aside < Int(place.reach), across * 3 > Int(place.reach) { return true }
    }
    return false
  }

  /// A point of the region of interest in coordinates of the frame.
  private func inFrame(_ point: PixelPoint) -> PixelPoint {
    if let patch { return patch.inPicture(point) + origin }
    return (isEnlarged ? TinyPicture.original(point) : point) + origin
  }

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
    guard stored.symbol.symbology == other.symbology, stored.ownByteCount == pendingBytes else { return false }
    let (known, corners) = (stored.symbol.corners, other.corners)
    // Each row of a stacked symbol may give the whole text, at a separate place.
    let isStacked = other.symbology == .databar || other.symbology == .databarExpanded
    guard
      known.contains(corners.center) || corners.contains(known.center)
        || (isStacked && known.reaches(into: known.isLine ? corners.stretched : corners))
    else { return false }
    for byte in 0..<pendingBytes
    where unsafe payload[stored.payloadOffset + byte] != payload[payloadUsed + byte] { return false }
    return true
  }
}

extension Quad {
  /// Whether its upper and its lower side are the same: a single line showed the symbol.
  fileprivate var isLine: Bool { topLeft == bottomLeft && topRight == bottomRight }

  /// The quad with a quarter of its height more above and below: the place of a single line is uncertain.
  fileprivate var stretched: Quad {
    func beyond(_ side: PixelPoint, _ opposite: PixelPoint) -> PixelPoint {
      PixelPoint(
        x: Fixed16(bits: side.x.bits &+ (side.x.bits &- opposite.x.bits) / 4),
        y: Fixed16(bits: side.y.bits &+ (side.y.bits &- opposite.y.bits) / 4))
    }
    return Quad(
      topLeft: beyond(topLeft, bottomLeft), topRight: beyond(topRight, bottomRight),
      bottomRight: beyond(bottomRight, topRight), bottomLeft: beyond(bottomLeft, topLeft))
  }

  /// Whether the middle of the upper or the lower side is inside another quad.
  fileprivate func reaches(into other: Quad) -> Bool {
    func middle(_ a: PixelPoint, _ b: PixelPoint) -> PixelPoint {
      PixelPoint(x: Fixed16(bits: a.x.bits / 2 + b.x.bits / 2), y: Fixed16(bits: a.y.bits / 2 + b.y.bits / 2))
    }
    return other.contains(middle(topLeft, topRight)) || other.contains(middle(bottomLeft, bottomRight))
  }
}
