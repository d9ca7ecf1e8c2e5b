// The register of the linear symbologies: the only place that names their folders.

import BarcodeTypes

/// The linear symbologies that the settings ask for.
@safe struct LinearSymbologies {
  /// Least number of edges for a symbol: an EAN-8 has 44, the shortest Code 128 26, the shortest Codabar 24. Two digits of
  /// Interleaved 2 of 5, if the settings allow them, have 18.
  private static let edgeCountMin = (any: 24, twoDigits: 18)

  private let settings: DecoderSettings
  /// Least number of edges for a symbol.
  let edgeCountMin: Int
  private var eanUPC: EANUPCReader
  private var dataBar: DataBarReader?

  init(_ scene: inout Scene) throws(ArenaFull) {
    settings = scene.settings
    eanUPC = try EANUPCReader(&scene)
    dataBar = try settings.wantsDataBar ? DataBarReader(&scene) : nil
    edgeCountMin =
      settings.wantsInterleaved && settings.lengths[.itf].contains(2)
      ? LinearSymbologies.edgeCountMin.twoDigits : LinearSymbologies.edgeCountMin.any
  }

  /// Forgets the region.
  mutating func beginRegion() { dataBar?.removeAll() }

  /// Whether lines met pieces of a symbol.
  var hasTrace: Bool { dataBar?.hasTrace == true }

  /// The first symbology that reads a symbol from an edge, longer symbols before those that fit into pieces of them.
  ///
  /// - Safety: `text` must have room for `LinearCandidate.byteCountMax` bytes.
  @unsafe func read(_ row: ElementRow, from first: Int, into text: UnsafeMutablePointer<UInt8>) -> LinearCandidate? {
    if settings.wants(.ean13) || settings.wants(.upca),
      let found = unsafe EANUPC.read(row, from: first, shape: .thirteen, into: text)
    {
      return unsafe EANUPC.named(found, settings, text)
    }
    if settings.wants(.code128), let found = unsafe Code128.read(row, from: first, into: text) { return found }
    if settings.wants(.code93), let found = unsafe Code93.read(row, from: first, into: text) { return found }
    if settings.wants(.code39), let found = unsafe Code39.read(row, from: first, settings, into: text) { return found }
    if settings.wants(.ean8), let found = unsafe EANUPC.read(row, from: first, shape: .eight, into: text) { return found }
    if settings.wants(.upce), let found = unsafe EANUPC.read(row, from: first, shape: .zeroSuppressed, into: text) {
      return found
    }
    if settings.wants(.codabar), let found = unsafe Codabar.read(row, from: first, settings, into: text) { return found }
    if settings.wantsInterleaved, let found = unsafe InterleavedTwoOfFive.read(row, from: first, settings, into: text) {
      return found
    }
    if settings.wants(.msi), let found = unsafe MSI.read(row, from: first, settings, into: text) { return found }
    return nil
  }

  /// Whether the grey values confirm a text that the edges leave in doubt.
  mutating func isConfirmed(
    _ candidate: LinearCandidate, _ row: DirectedRow, from first: Int, _ scan: RegionScan, _ scene: inout Scene
  ) -> Bool {
    guard let shape = EANShape(candidate.symbology) else { return false }
    return eanUPC.isConfirmed(candidate, shape, row, from: first, scan, &scene)
  }

  /// Reads a line by its grey values, where blur has merged the edges.
  mutating func readGreyValues(_ line: RegionLine, _ scan: inout RegionScan, _ scene: inout Scene) {
    eanUPC.readGreyValues(line, &scan, &scene)
  }

  /// Reads the pieces of symbols on a line that may lie on several. Returns the length of the line that was read, in samples
  /// times 256.
  mutating func readPieces(_ row: DirectedRow, _ scan: inout RegionScan) -> Int32 { dataBar?.readPieces(row, &scan) ?? 0 }

  /// Joins symbols of the pieces that lines agree on.
  mutating func joinPieces(_ line: LineID, _ scan: inout RegionScan) { dataBar?.join(line, &scan) }

  /// Reads the rows of symbols whose pieces lie in several rows.
  mutating func readRows(_ scan: inout RegionScan, isThorough: Bool, isPromising: Bool, _ scene: inout Scene) {
    dataBar?.readRows(&scan, isThorough: isThorough, isPromising: isPromising, &scene)
  }

  /// Looks for the add-ons of the region's accepted symbols, and notes them in the votes.
  mutating func findAddOns(_ scan: inout RegionScan, _ scene: inout Scene) { eanUPC.findAddOns(&scan, &scene) }

  /// Whether a text has all the parts that the settings require.
  func isComplete(_ vote: LinearVote) -> Bool { eanUPC.isComplete(vote) }
}
