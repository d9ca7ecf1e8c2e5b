// Start reading here: one picture's way through the decoder, stage by stage.

public import BarcodeTypes

/// The parts of a decode, in order, as told to an observer.
public enum DecodeStage: Int, Sendable, BitwiseCopyable {
  /// Tile statistics and the half-size picture.
  case tiles
  /// QR Code and Micro QR Code.
  case qr
  /// Aztec Code.
  case aztec
  /// Linear symbologies.
  case linear
  /// PDF417 and MicroPDF417.
  case stacked
  /// Data Matrix.
  case dataMatrix

  public static let count = 6
}

/// What a decode says beside its symbols.
public struct DecodeOutcome: Equatable, Sendable, BitwiseCopyable {
  /// Symbols found; read them from the workspace.
  public var symbolCount: Int
  /// Work units spent; the same for the same pixels and settings on every machine.
  public var workUnits: Int
  /// Whether everything that looked like a symbol was tried before the budget ran out.
  public var isComplete: Bool
}

/// Finds and reads the symbols of a picture.
public enum Decoder {
  /// The symbologies that this build reads.
  public static var supportedSymbologies: SymbologySet { linear.union(stacked).union(matrix).with(.datamatrix) }

  private static var linear: SymbologySet {
    SymbologySet().with(.ean13).with(.ean8).with(.upca).with(.upce).with(.code128).with(.code39).with(.code93).with(.codabar)
      .with(.itf).with(.itf14).with(.databar).with(.databarLimited).with(.databarExpanded)
  }
  private static var stacked: SymbologySet { SymbologySet().with(.pdf417).with(.micropdf417) }
  /// Those whose finders are looked for in one search.
  private static var matrix: SymbologySet { SymbologySet().with(.qr).with(.microqr).with(.aztec) }

  /// The shares of the stages in the work that is left when each begins, so that none starves on what another one cannot
  /// read; the last has all that is left.
  private static let qrShare = 8
  private static let aztecShare = 5
  private static let linearShare = 8
  private static let stackedShare = 10

  /// Work units for a picture: a part for the symbols in it and a part that grows with its area.
  private struct Work {
    var base: Int
    /// Units for 16 pixels.
    var area: Int

    func units(_ luma: LumaView) -> Int { base + luma.width * luma.height * area / 16 }
  }

  private static let frameWork = Work(base: 160_000, area: 1)
  private static let stillWork = Work(base: 2_000_000, area: 32)

  /// Reads the symbols inside `region` of a frame, or of the whole frame if that is nil.
  ///
  /// The symbols stay in the workspace until the next call. The result depends on nothing but the arguments, not on a clock.
  /// At effort `frame` the workspace remembers one number, where the last frame's budget ended, and begins there, until
  /// `Workspace.beginSequence`; `still` neither uses nor changes it. Allocates nothing, uses no floating point.
  ///
  /// - Parameters:
  ///   - frame: at most `workspace.pixelCountMax` pixels, no side over `DecoderLimits.sidePixelsMax`; traps otherwise.
  ///   - stageFinished: called after each stage; a benchmark reads its clock there.
  /// - Returns: an outcome without symbols if `region` lies outside of the frame.
  public static func decode(
    _ frame: LumaView, region: PixelRegion? = nil, settings: DecoderSettings, workspace: inout Workspace,
    stageFinished: (DecodeStage) -> Void = { _ in }
  ) -> DecodeOutcome {
    workspace.results.removeAll()
    precondition(frame.width <= DecoderLimits.sidePixelsMax && frame.height <= DecoderLimits.sidePixelsMax)
    precondition(frame.width * frame.height <= workspace.pixelCountMax)
    let whole = PixelRegion(x: 0, y: 0, width: frame.width, height: frame.height)
    let mark = workspace.arena.mark
    defer { workspace.arena.release(to: mark) }
    guard let (luma, x, y) = frame.cropped(to: region ?? whole) else {
      return DecodeOutcome(symbolCount: 0, workUnits: 0, isComplete: true)
    }
    let enlarged = TinyPicture.enlarged(luma, arena: &workspace.arena)
    guard var scene = makeScene(enlarged ?? luma, settings: settings, workspace: &workspace)
    else { return DecodeOutcome(symbolCount: 0, workUnits: 0, isComplete: true) }
    scene.results.origin = PixelPoint(x: Fixed16(x), y: Fixed16(y))
    scene.results.isEnlarged = enlarged != nil
    stageFinished(.tiles)
    if scene.wants(.aztec) { scene.bullseyes = AztecFinderSearch(arena: &scene.arena) }
    readSymbols(&scene, stageFinished)
    if settings.effort == .still {
      scene.effort = .still
      scene.hasUntriedRegions = false
      scene.budget.extend(by: stillWork.units(luma))
      readSymbols(&scene, stageFinished)
    }
    workspace.results = scene.results
    if settings.effort == .frame { workspace.regionCursor = scene.regionCursor }
    return DecodeOutcome(
      symbolCount: scene.results.count, workUnits: scene.budget.spent,
      isComplete: !scene.budget.isExhausted && !scene.hasUntriedRegions)
  }

  /// One pass of all readers over the picture. Linear symbols come before stacked ones, whose readers are dear and leave out
  /// what is read: a tenth of the work on a frame of 720p.
  private static func readSymbols(_ scene: inout Scene, _ stageFinished: (DecodeStage) -> Void) {
    if begins(&scene, sixteenths: qrShare, matrix) { readQRSymbols(&scene) }
    stageFinished(.qr)
    if begins(&scene, sixteenths: aztecShare, matrix) { readAztecSymbols(&scene) }
    stageFinished(.aztec)
    if begins(&scene, sixteenths: linearShare, linear) { readLinearSymbols(&scene) }
    stageFinished(.linear)
    if begins(&scene, sixteenths: stackedShare, stacked) { readStackedSymbols(&scene) }
    stageFinished(.stacked)
    if begins(&scene, sixteenths: 16, SymbologySet().with(.datamatrix)) { readDataMatrixSymbols(&scene) }
    stageFinished(.dataMatrix)
  }

  /// Gives the readers of `symbologies` their share of the work; false if they have none.
  ///
  /// What was seen at a glance suggests more of its kind, and nothing of another: once a symbol was read, the second pass looks
  /// for no other kind. None of 812 pictures lost a symbol by it.
  private static func begins(_ scene: inout Scene, sixteenths: Int, _ symbologies: SymbologySet) -> Bool {
    let seen = scene.results.symbologies
    if scene.effort == .still, !seen.isEmpty, seen.intersection(symbologies).isEmpty { return false }
    scene.budget.beginShare(sixteenths: sixteenths)
    return true
  }

  /// The first pass over the pixels. Nil only if the workspace is too small, which `Workspace.init` rules out.
  private static func makeScene(
    _ luma: LumaView, settings: DecoderSettings, workspace: inout Workspace
  ) -> Scene? {
    let halfWidth = max(1, luma.width / 2)
    let halfHeight = max(1, luma.height / 2)
    let halfBytesPerRow = TileMap.halfBytesPerRow(width: luma.width)
    guard let tiles = TileMap(width: luma.width, height: luma.height, arena: &workspace.arena),
      let half = unsafe workspace.arena.take(
        UInt8.self, count: TileMap.halfByteCount(width: luma.width, height: luma.height))
    else { return nil }
    unsafe measureTiles(luma, into: tiles, half: half)
    let halfView = unsafe LumaView(base: half, width: halfWidth, height: halfHeight, bytesPerRow: halfBytesPerRow)
    var budget = WorkBudget(limit: frameWork.units(luma))
    var activity: StripeActivity?
    if LinearFormats(settings).isAnyWanted || settings.symbologies.contains(.pdf417)
      || settings.symbologies.contains(.micropdf417)
    {
      budget.charge(tiles.columns * tiles.rows / 6)
      activity = StripeActivity(tiles, arena: &workspace.arena)
    }
    return Scene(
      luma: luma, half: halfView, tiles: tiles, activity: activity, settings: settings, budget: budget,
      arena: workspace.arena, results: workspace.results,
      regionCursor: settings.effort == .frame ? workspace.regionCursor : 0)
  }
}
