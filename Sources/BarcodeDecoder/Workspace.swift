// All memory of the decoder, handed in by the caller once and used for every frame.

public import BarcodeTypes

/// The memory of a decoder, and the symbols of the picture decoded last.
///
/// A workspace serves pictures up to the size it was made for. One thread at a time may use it.
@safe public struct Workspace: ~Copyable {
  /// The most pixels in a picture that fit this workspace.
  public let pixelCountMax: Int
  var arena: Arena
  var results: ResultStore
  /// The rank of the striped region that the next frame begins with: the first one that the last frame's budget did not reach.
  var regionCursor = 0
  private let owned: UnsafeMutableRawPointer?

  /// Bytes that a workspace for pictures of up to `pixelCount` pixels needs.
  ///
  /// A picture needs a half-size copy (1/4 byte a pixel), tile statistics (14 bytes for 64 pixels), and bit pictures and
  /// filtered copies, each of which is given back before the next is taken (at most 2 1/4 bytes a pixel at once).
  public static func byteCount(pixelCount: Int) -> Int {
    pixelCount * 11 / 4 + 64 * 1024 + DecoderLimits.scratchByteCount + resultByteCount
  }

  private static var resultByteCount: Int {
    DecoderLimits.symbolCountMax * MemoryLayout<StoredSymbol>.stride + DecoderLimits.payloadByteCountMax
      + DecoderLimits.segmentCountMax * MemoryLayout<PayloadSegment>.stride + 3 * 64
  }

  /// A workspace in memory that the caller owns, for pictures of up to `pixelCountMax` pixels.
  ///
  /// - Safety: `memory` must have `byteCount(pixelCount: pixelCountMax)` writable bytes, aligned to 64, that nobody else
  ///   touches while the workspace lives.
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
    results = ResultStore(arena: &arena)!
    unsafe self.owned = owned
  }

  #if !hasFeature(Embedded)
    /// A workspace in memory of its own, allocated here and never again, for pictures of up to `pixelCountMax` pixels.
    public init(pixelCountMax: Int) {
      let byteCount = Workspace.byteCount(pixelCount: pixelCountMax)
      let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
      unsafe self.init(base: memory, byteCount: byteCount, pixelCountMax: pixelCountMax, owned: memory)
    }

    deinit {
      unsafe owned?.deallocate()
    }
  #endif

  /// Forgets what a frame left undone for the next one: the next picture is the first of a new sequence, and is decoded as
  /// it would be in a new workspace.
  public mutating func beginSequence() { regionCursor = 0 }

  /// Symbols found in the picture decoded last.
  public var symbolCount: Int { results.count }

  /// A symbol of the picture decoded last, by its index in order of discovery.
  public func symbol(_ index: Int) -> DecodedSymbol { results.symbol(index) }

  /// The payload of a symbol as it is encoded, lent until the next decode.
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
