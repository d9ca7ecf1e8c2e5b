// The register: the only file that names what is in a symbology's folder. A symbology takes part in a step of the decoder by one
// line in that step; without its folder and its lines, everything else still compiles (`EmbeddedGateTests`).

import BarcodeTypes

/// The linear symbologies that the settings ask for.
@safe struct LinearSymbologies {
  /// Least number of edges for a symbol: an EAN-8 has 44, the shortest Code 128 26, the shortest Codabar 24. Two digits of
  /// Interleaved 2 of 5, if the settings allow them, and the short clock of a DX film edge have 18; six bars of a Pharmacode and the data track of a DX film edge have 12,
  /// which any texture has.
  private static let edgeCountMin = (any: 24, twoDigits: 18, short: 12)

  private let settings: DecoderSettings
  /// Least number of edges for a symbol.
  let edgeCountMin: Int
  /// Least number of edges for a symbol that shows on few of them, and is no reason to look closer if it is not read.
  let shortEdgeCountMin: Int
  /// Whether the settings ask for a symbology that is looked for on request: most do not, and this is asked at every edge.
  private let wantsRare: Bool
  private var eanUPC: EANUPCReader?
  private var characters: CharacterReader?
  private var dataBar: DataBarReader?
  private var dxFilmEdge: DXFilmEdgeReader?

  init(_ scene: inout Scene) throws(ArenaFull) {
    settings = scene.settings
    wantsRare = settings.symbologies.hasRareLinear
    eanUPC = try EANUPCReader(&scene)
    // A camera frame has no such attempt: the next frame is one.
    characters = try settings.effort == .still ? CharacterReader(arena: &scene.arena) : nil
    dataBar = try settings.wantsDataBar ? DataBarReader(&scene) : nil
    dxFilmEdge = try settings.wants(.dxFilmEdge) ? DXFilmEdgeReader(&scene) : nil
    let counts = LinearSymbologies.edgeCountMin
    var isTwoDigits = settings.wantsInterleaved && settings.lengths[.itf].contains(2)
    var isShort = settings.wants(.pharmacode)
    if settings.wants(.dxFilmEdge) { (isTwoDigits, isShort) = (true, true) }
    edgeCountMin = isTwoDigits ? counts.twoDigits : counts.any
    shortEdgeCountMin = isShort ? counts.short : edgeCountMin
  }

  /// The first symbology that reads a symbol from an edge, longer symbols before those that fit into pieces of them. Mutating,
  /// although it changes nothing: otherwise Swift copies the whole register for each edge.
  mutating func read(_ row: ElementRow, from first: Int, into text: ScratchArray<UInt8>) -> LinearCandidate? {
    if let found = EANUPC.readLong(row, from: first, settings, into: text) { return found }
    if settings.wants(.code128), let found = Code128.read(row, from: first, into: text) { return found }
    if settings.wants(.code93), let found = Code93.read(row, from: first, into: text) { return found }
    if let found = Code39.read(row, from: first, settings, into: text) { return found }
    if let found = EANUPC.readShort(row, from: first, settings, into: text) { return found }
    if settings.wants(.codabar), let found = Codabar.read(row, from: first, settings, into: text) { return found }
    if let found = InterleavedTwoOfFive.read(row, from: first, settings, into: text) { return found }
    guard wantsRare else { return nil }
    if let found = Telepen.read(row, from: first, settings, into: text) { return found }
    if settings.wants(.code11), let found = Code11.read(row, from: first, settings, into: text) { return found }
    if let found = TwoOfFive.read(row, from: first, settings, into: text) { return found }
    if settings.wants(.plessey), let found = Plessey.read(row, from: first, into: text) { return found }
    if settings.wants(.msi), let found = MSI.read(row, from: first, settings, into: text) { return found }
    // The tracks of a film may pass for one.
    if dxFilmEdge?.hasTrace == true { return nil }
    if settings.wants(.pharmacode), let found = Pharmacode.read(row, from: first, into: text) { return found }
    return nil
  }

  /// The verdict of the grey values on a text that the edges leave in doubt.
  mutating func verdict(
    on candidate: LinearCandidate, _ row: DirectedRow, from first: Int, _ scan: RegionScan, _ scene: inout Scene
  ) -> GreyVerdict {
    eanUPC?.verdict(on: candidate, row, from: first, scan, &scene) ?? .denied
  }

  /// Reads a line by its grey values, where blur has merged the edges.
  mutating func readGreyValues(_ line: RegionLine, _ scan: inout RegionScan, _ scene: inout Scene) {
    eanUPC?.readGreyValues(line, &scan, &scene)
  }

  /// Reads a line by the grey values of characters that are equally wide. Returns whether one looks like a symbol.
  mutating func readCharacters(_ line: RegionLine, _ scan: inout RegionScan, _ scene: inout Scene) -> Bool {
    var isPromising = false
    if characters?.reads(Code128Characters.self, line, &scan, &scene) == true { isPromising = true }
    if characters?.reads(Code93Characters.self, line, &scan, &scene) == true { isPromising = true }
    if characters?.reads(Code39Characters.self, line, &scan, &scene) == true { isPromising = true }
    return isPromising
  }

  // MARK: Parts of symbols

  /// Forgets the parts of symbols in the last region.
  mutating func beginRegion() {
    dataBar?.removeAll()
    dxFilmEdge?.removeAll()
  }

  /// Whether lines met pieces of a symbol.
  var hasTrace: Bool {
    if dataBar?.hasTrace == true { return true }
    if dxFilmEdge?.hasTrace == true { return true }
    return false
  }

  /// Reads the pieces of symbols on a line. Returns the length of the line that was read, in samples times 256.
  mutating func readPieces(_ row: DirectedRow, _ scan: inout RegionScan) -> Int32 {
    if let length = dataBar?.readPieces(row, &scan) { return length }
    return 0
  }

  /// Looks for tracks on a line, before anything else, as they also look like weaker symbologies. Returns the length of the line
  /// that was read, in samples times 256.
  mutating func readTracks(_ row: DirectedRow) -> Int32 {
    if let length = dxFilmEdge?.readTracks(row) { return length }
    return 0
  }

  /// Reads symbols of several tracks, if lines met one.
  mutating func joinTracks(_ scan: inout RegionScan, _ scene: inout Scene) {
    if dxFilmEdge?.hasTrace == true { dxFilmEdge?.joinTracks(&scan, &scene) }
  }

  /// Joins symbols of the pieces that lines agree on.
  mutating func joinPieces(_ line: LineID, _ scan: inout RegionScan) {
    dataBar?.join(line, &scan)
  }

  /// Reads the rows of symbols whose pieces lie in several rows.
  mutating func readRows(_ scan: inout RegionScan, isThorough: Bool, isPromising: Bool, _ scene: inout Scene) {
    dataBar?.readRows(&scan, isThorough: isThorough, isPromising: isPromising, &scene)
  }

  /// Looks for the add-ons of the region's accepted symbols, and notes them in the votes.
  mutating func findAddOns(_ scan: inout RegionScan, _ scene: inout Scene) {
    eanUPC?.findAddOns(&scan, &scene)
  }

  /// Whether a text has all the parts that the settings require.
  func isComplete(_ vote: LinearVote) -> Bool {
    if eanUPC?.isComplete(vote) == false { return false }
    return true
  }
}

/// The symbologies of bars that differ in height that the settings ask for.
struct PostSymbologies {
  private let settings: DecoderSettings

  /// Nil if the settings ask for none of them.
  init?(_ settings: DecoderSettings) {
    guard settings.wantsPosts else { return nil }
    self.settings = settings
  }

  /// The first symbology that reads the bars, those with check symbols first.
  func read(_ bars: PostBars, into text: ScratchArray<UInt8>) -> LinearCandidate? {
    if settings.wants(.intelligentMail), let found = IntelligentMail.read(bars, into: text) { return found }
    if settings.wants(.mailmark), let found = Mailmark.read(bars, into: text) { return found }
    if settings.wants(.auspost), let found = AustraliaPost.read(bars, into: text) { return found }
    if settings.wants(.japanpost), let found = JapanPost.read(bars, into: text) { return found }
    if settings.wants(.rm4scc), let found = RM4SCC.read(bars, into: text) { return found }
    if settings.wants(.kix), let found = KIX.read(bars, into: text) { return found }
    if settings.wants(.postnet), let found = Postnet.read(bars, into: text) { return found }
    if settings.wants(.planet), let found = Planet.read(bars, into: text) { return found }
    if settings.wants(.cepnet), let found = CEPNet.read(bars, into: text) { return found }
    if settings.wants(.pharmacodeTwoTrack), let found = PharmacodeTwoTrack.read(bars, into: text) { return found }
    return nil
  }
}

/// The stacked symbologies that the settings ask for.
@safe struct StackedSymbologies {
  private var pdf417: PDF417Reader?
  private var microPDF417: MicroPDF417Reader?

  init(_ scene: inout Scene) throws(ArenaFull) {
    pdf417 = try scene.wants(.pdf417) || scene.settings.wantsComponentRows ? PDF417Reader(arena: &scene.arena) : nil
    microPDF417 = try scene.wants(.micropdf417) ? MicroPDF417Reader(arena: &scene.arena) : nil
  }

  /// Reads a symbol whose sides show without the exact directions of its rows.
  mutating func read(_ region: StackedRegion, _ scanner: inout StackedScanner, _ scene: inout Scene) -> StackedSighting {
    if let sighting = pdf417?.read(region, &scanner, &scene) { return sighting }
    return .none
  }

  /// Reads a symbol whose sides need the measured directions of its rows. Returns whether there was one.
  mutating func readMeasured(_ region: StackedRegion, _ scanner: inout StackedScanner, _ scene: inout Scene) -> Bool {
    if microPDF417?.read(region, &scanner, &scene) == true { return true }
    return false
  }
}

/// The components above linear symbols of GS1 Composite.
@safe struct Components {
  /// Created when the first linear symbol may have one.
  private var reader: CompositeReader?

  /// Reads the component of a linear symbol. Returns whether one was seen, and not read.
  mutating func sees(_ linear: StoredSymbol, _ scene: inout Scene) -> Bool {
    if reader == nil { reader = try? CompositeReader(arena: &scene.arena) }
    if reader?.sees(linear, &scene) == true { return true }
    return false
  }
}

/// The symbologies with three finder patterns that the settings ask for.
@safe struct TripleFinderSymbologies {
  private var qr: QRSymbolReader?

  init(_ scratch: QRScratch, _ scene: inout Scene) throws(ArenaFull) {
    qr = try scene.wants(.qr) ? QRSymbolReader(scratch, &scene) : nil
  }

  /// Reads the symbol of three finder patterns. Returns the next attempt worth making, if any.
  mutating func read(_ candidate: Candidate, _ finders: ScratchArray<FinderPattern>, _ scene: inout Scene) -> Attempt? {
    if let again = qr?.read(candidate, finders, &scene) { return again }
    return nil
  }
}

/// The symbologies with a single finder pattern that the settings ask for.
@safe struct LoneFinderSymbologies {
  private var rmqr: RMQRReader?
  private var microQR: MicroQRReader?

  init(_ scratch: QRScratch, _ scene: inout Scene) throws(ArenaFull) {
    rmqr = try scene.wants(.rmqr) ? RMQRReader(scratch, &scene) : nil
    microQR = try scene.wants(.microqr) ? MicroQRReader(scratch, &scene) : nil
  }

  /// Reads the symbol of a finder pattern. The format information of rMQR is better evidence than the short timing patterns of
  /// Micro QR, which look like the beginning of longer ones. Returns whether there was a symbol.
  mutating func read(_ finder: LoneFinder, _ sight: Sight, _ scene: inout Scene) -> Bool {
    if rmqr?.read(finder, sight, &scene) == true { return true }
    if microQR?.read(finder, sight, &scene) == true { return true }
    return false
  }

  /// Whether the surroundings of the last finder pattern are those of a symbol.
  var looksLikeSymbol: Bool {
    if rmqr?.looksLikeSymbol == true { return true }
    return false
  }
}

/// The symbologies with rings that the settings ask for.
@safe struct RingSymbologies {
  private var aztec: AztecSymbolReader?
  private var maxiCode: MaxiCodeReader?

  init(_ scene: inout Scene) throws(ArenaFull) {
    aztec = try scene.wants(.aztec) ? AztecSymbolReader(&scene) : nil
    maxiCode = try scene.wants(.maxicode) ? MaxiCodeReader(&scene) : nil
  }

  /// Reads the symbol of rings, whose light and dark Aztec Code and MaxiCode exchange; first as the symbology that would be dark on
  /// light. Returns whether the surroundings of the rings are those of a symbol.
  mutating func read(_ rings: FinderPattern, _ scene: inout Scene) -> Bool {
    let known = scene.results.count
    var isPromising = false
    for turn in 0..<2 where scene.results.count == known {
      let isDarkInside = (turn == 0) != rings.isInverted
      if isDarkInside, aztec?.read(rings, scene.levels, enlargement: 0, &scene) == true { isPromising = true }
      if !isDarkInside, maxiCode?.read(rings, scene.levels, &scene) == true { isPromising = true }
    }
    return isPromising
  }

  /// Reads the symbols of a picture too small for the search for rings.
  mutating func readEnlarged(_ scene: inout Scene) {
    aztec?.readEnlarged(&scene)
  }
}

/// The symbologies without finder patterns that the settings ask for.
@safe struct CellSymbologies {
  private var dataMatrix: DataMatrixReader?
  private var hanXin: HanXinReader?
  private var dotCode: DotCodeReader?

  init(_ scene: inout Scene) throws(ArenaFull) {
    dataMatrix = try scene.wants(.datamatrix) ? DataMatrixReader(&scene) : nil
    hanXin = try scene.wants(.hanxin) ? HanXinReader(&scene) : nil
    dotCode = try scene.wants(.dotcode) ? DotCodeReader(&scene) : nil
  }

  /// Reads the symbols of a region; its surroundings are searched. Returns their number.
  mutating func readRegion(_ region: PixelRegion, in surroundings: PixelRegion, _ scene: inout Scene) -> Int {
    // Data Matrix first: it is the one that is looked for by default. Each may spend as much as if it were alone.
    scene.budget.beginShares()
    if let count = dataMatrix?.readRegion(region, in: surroundings, &scene), count > 0 { return count }
    scene.budget.nextShare()
    if let count = hanXin?.readRegion(region, in: surroundings, &scene), count > 0 { return count }
    scene.budget.nextShare()
    if let count = dotCode?.readRegion(region, in: surroundings, &scene), count > 0 { return count }
    scene.budget.nextShare()
    return 0
  }

  /// Reads the symbols of a small blurred region in a sharpened copy. The other kinds are not read with so small modules.
  mutating func readBlurred(_ region: PixelRegion, _ scene: inout Scene) {
    dataMatrix?.readBlurred(region, &scene)
  }

  /// Reads the symbols of the whole picture.
  mutating func readWhole(_ scene: inout Scene) {
    let known = scene.results.count
    scene.budget.beginShares()
    dataMatrix?.readWhole(&scene)
    scene.budget.nextShare()
    if scene.results.count == known { hanXin?.readWhole(&scene) }
    scene.budget.nextShare()
    if scene.results.count == known { dotCode?.readWhole(&scene) }
    scene.budget.nextShare()
  }
}
