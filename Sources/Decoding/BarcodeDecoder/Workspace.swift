// All memory of the decoder, supplied once and reused for every frame.

public import BarcodeTypes

/// The memory of a decoder, and the symbols of the last decoded picture.
///
/// A workspace serves pictures up to the size for which it was made. Only one thread at a time may use it.
@safe public struct Workspace: ~Copyable {
  /// The most pixels in a picture that fit this workspace.
  public let pixelCountMax: Int
  var arena: Arena
  var results: ResultStore
  /// The symbols of the previous frame; alternates with `results`.
  var earlier: ResultStore
  var memory: SequenceMemory
  var evidence: EvidenceMemory
  private let owned: UnsafeMutableRawPointer?

  /// Bytes that a workspace for pictures of up to `pixelCount` pixels needs.
  ///
  /// A picture needs reduced copies (1/3 byte per pixel), tile statistics and derived data (some 30 bytes per 64 pixels, and
  /// a third more for the reduced copies), and filtered copies, each released before the next is taken (at most 2 1/4 bytes
  /// per pixel at once). A quarter of a byte per pixel, and the evidence, are kept from one
  /// frame to the next.
  public static func byteCount(pixelCount: Int) -> Int {
    pixelCount * 15 / 4 + 64 * 1024 + DecoderLimits.scratchByteCount + 2 * resultByteCount
      + SequenceMemory.byteCount(pixelCount: pixelCount) + EvidenceMemory.byteCount
  }

  private static var resultByteCount: Int {
    DecoderLimits.symbolCountMax * MemoryLayout<StoredSymbol>.stride + DecoderLimits.payloadByteCountMax
      + DecoderLimits.segmentCountMax * MemoryLayout<PayloadSegment>.stride
      + DecoderLimits.locatedCountMax * MemoryLayout<LocatedSymbol>.stride + 4 * 64
  }

  /// Makes a workspace in memory that the caller owns, for pictures of up to `pixelCountMax` pixels.
  ///
  /// - Safety: `memory` must have `byteCount(pixelCount: pixelCountMax)` writable bytes, aligned to 64, that nothing else
  ///   accesses during the workspace's lifetime.
  @unsafe public init(memory: UnsafeMutableRawBufferPointer, pixelCountMax: Int) {
    unsafe self.init(base: memory.baseAddress!, byteCount: memory.count, pixelCountMax: pixelCountMax, owned: nil)
  }

  @unsafe private init(
    base: UnsafeMutableRawPointer, byteCount: Int, pixelCountMax: Int, owned: UnsafeMutableRawPointer?
  ) {
    precondition(pixelCountMax > 0 && pixelCountMax <= DecoderLimits.pixelCountMax)
    precondition(byteCount >= Workspace.byteCount(pixelCount: pixelCountMax))
    self.pixelCountMax = pixelCountMax
    unsafe arena = Arena(base: base, byteCount: byteCount)
    results = try! ResultStore(arena: &arena)
    earlier = try! ResultStore(arena: &arena)
    memory = try! SequenceMemory(pixelCountMax: pixelCountMax, arena: &arena)
    evidence = try! EvidenceMemory(arena: &arena)
    unsafe self.owned = owned
  }

  #if !hasFeature(Embedded)
    /// Makes a workspace for pictures of up to `pixelCountMax` pixels. It allocates its memory here and never again.
    public init(pixelCountMax: Int) {
      let byteCount = Workspace.byteCount(pixelCount: pixelCountMax)
      let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
      unsafe self.init(base: memory, byteCount: byteCount, pixelCountMax: pixelCountMax, owned: memory)
    }

    deinit {
      unsafe owned?.deallocate()
    }
  #endif

  /// Forgets what is in view: the next picture starts a new sequence and decodes as in a new workspace.
  public mutating func beginSequence() {
    memory.removeAll()
    evidence.removeAll()
    results.removeAll()
  }

  /// Makes room for the symbols of a picture, or of the next frame.
  mutating func beginPicture(_ region: PixelRegion, _ settings: DecoderSettings) {
    if settings.effort == .frame {
      (earlier, results) = (results, earlier)
      if !memory.beginFrame(region, settings) { evidence.removeAll() }
    } else {
      // A still picture overwrites the previous frame's symbols.
      memory.forgetSymbols()
    }
    results.removeAll()
  }

  /// The number of symbols found in the last decoded picture.
  public var symbolCount: Int { results.shownCount }

  /// A symbol of the last decoded picture, by its index in order of discovery.
  public func symbol(_ index: Int) -> DecodedSymbol { results.symbol(index) }

  /// The number of symbols in the last decoded picture that were found but not read (behaviour N10). A frame does not repeat
  /// every failed attempt of the previous one, so a symbol missing from one frame may be in the next.
  public var locatedCount: Int { results.locatedCount }

  /// A symbol that was found but not read, by its index.
  public func located(_ index: Int) -> LocatedSymbol { results.located(index) }

  /// The payload of a symbol as encoded, lent until the next decode.
  @_lifetime(borrow self)
  public func payload(_ index: Int) -> Span<UInt8> {
    let bytes = unsafe results.payloadBytes(index)
    return unsafe _overrideLifetime(Span(_unsafeElements: bytes), borrowing: self)
  }

  /// The character set segments of a symbol's payload, in order, lent until the next decode. Bytes before the first
  /// segment are unspecified.
  @_lifetime(borrow self)
  public func segments(_ index: Int) -> Span<PayloadSegment> {
    let segments = unsafe results.payloadSegments(index)
    return unsafe _overrideLifetime(Span(_unsafeElements: segments), borrowing: self)
  }
}
