// Start reading here: the path of a picture through the decoder. Cheap passes over the picture find candidates of every
// kind and size. They wait in one queue, and readers try them in order of expected yield per cost until the budget is spent.

public import BarcodeTypes

/// Finds and reads the symbols in a picture.
public enum Decoder {
  /// The symbologies that the decoder can read.
  public static var supportedSymbologies: SymbologySet { .all }

  /// Work units allowed for a picture: a fixed part, and a part proportional to its area.
  private struct Work {
    var base: Int
    /// Units per 16 pixels.
    var area: Int

    func units(_ luma: LumaView) -> Int { base + luma.width * luma.height * area / 16 }
  }

  private static let frameWork = Work(base: 160_000, area: 1)
  private static let stillWork = Work(base: 2_160_000, area: 33)

  /// Reads the symbols inside `region` of a frame, or of the whole frame if `region` is nil.
  ///
  /// The symbols stay in the workspace until the next call. The result depends on the arguments alone, not on a clock. At
  /// effort `frame`, the workspace remembers what is in view from one frame to the next, until `Workspace.beginSequence`, and
  /// adds frames up to read what no single one shows. That work comes in addition to the limit, from a store of its own.
  /// Effort `still` ignores that memory: it forgets its symbols and keeps its record of candidates. The call
  /// allocates nothing and uses no floating point.
  ///
  /// - Parameters:
  ///   - frame: at most `workspace.pixelCountMax` pixels, no side over `DecoderLimits.sidePixelsMax`; traps otherwise.
  ///   - workLimit: work units that a frame may spend at effort `frame`, clamped to the budgets of `frame` and `still` for
  ///     its size; nil for the budget of `frame`.
  ///   - stageFinished: called after each piece of work with its stage, so that a benchmark can read its clock.
  ///   - trialEnded: called with each candidate that was tried or passed over, to show where symbols are lost.
  /// - Returns: an outcome without symbols if `region` lies outside the frame.
  public static func decode(
    _ frame: LumaView, region: PixelRegion? = nil, settings: DecoderSettings, workLimit: Int? = nil,
    workspace: inout Workspace,
    stageFinished: (DecodeStage) -> Void = { _ in }, trialEnded: (CandidateTrial) -> Void = { _ in }
  ) -> DecodeOutcome {
    precondition(frame.width <= DecoderLimits.sidePixelsMax && frame.height <= DecoderLimits.sidePixelsMax)
    precondition(frame.width * frame.height <= workspace.pixelCountMax)
    let whole = PixelRegion(x: 0, y: 0, width: frame.width, height: frame.height)
    let mark = workspace.arena.mark
    defer { workspace.arena.release(to: mark) }
    let isSequence = settings.effort == .frame
    workspace.beginPicture(region ?? whole, settings)
    guard let (luma, x, y) = frame.cropped(to: region ?? whole) else { return nothing(hasRoom: true) }
    let enlarged = try? TinyPicture.enlarged(luma, arena: &workspace.arena)
    let (least, most) = (frameWork.units(luma), stillWork.units(luma))
    let extra = min(min(max(0, (workLimit ?? least) - least), most - least), workspace.memory.spareWork)
    let work = isSequence ? least + extra : most
    // Limit and earnings together never exceed four times the least budget, unless the limit alone does.
    var budget = WorkBudget(limit: work, earnable: isSequence ? max(0, 4 * least - work) : 0)
    guard
      let levels = try? PictureLevels(
        enlarged ?? luma, arena: &workspace.arena, budget: &budget, skipsPlain: isSequence)
    else { return nothing(hasRoom: false) }
    var scene = Scene(
      luma: enlarged ?? luma, levels: levels, settings: settings, budget: budget, arena: workspace.arena,
      results: workspace.results)
    scene.results.origin = PixelPoint(x: Fixed16(x), y: Fixed16(y))
    scene.results.isEnlarged = enlarged != nil
    stageFinished(.tiles)
    let beforeReading = scene.arena.mark
    guard
      var reading = try? SceneReading(
        memory: isSequence ? workspace.memory : nil, plenty: isSequence ? work / least : 1, &scene)
    else { return nothing(hasRoom: false) }
    if isSequence, enlarged == nil { keepSymbols(workspace.earlier, workspace.memory, &scene) }
    reading.collect(&scene)
    stageFinished(.candidates)
    while let trial = reading.next(&scene) {
      stageFinished(trial.stage)
      trialEnded(trial)
    }
    if isSequence, enlarged == nil, workspace.memory.frameCount > 1 {
      scene.arena.release(to: beforeReading)
      workspace.evidence.addFrame(reading.regions, workspace.earlier, &scene)
    }
    scene.results.joinComponents()
    scene.results.dropPieces()
    scene.results.dropLocatedThatWereRead()
    workspace.results = scene.results
    if var memory = reading.memory {
      workspace.results.countReadings(since: workspace.earlier)
      if settings.composite == .wait { workspace.results.holdUnfinished() }
      if workspace.results.hasNews { workspace.evidence.noteNews() }
      memory.settle(spent: scene.budget.spent, least: least, hasNews: workspace.results.hasNews)
      memory.endFrame(levels.picture(1).view, hasSymbols: scene.results.count > 0 && enlarged == nil)
      workspace.memory = memory
    }
    return DecodeOutcome(
      symbolCount: scene.results.count, workUnits: scene.budget.spent, workLimit: work, limits: reading.limits(scene))
  }

  /// The outcome of a picture without pixels, or without room for its candidates.
  private static func nothing(hasRoom: Bool) -> DecodeOutcome {
    var limits = DecodeLimits()
    limits.hasReachedCandidates = !hasRoom
    return DecodeOutcome(symbolCount: 0, workUnits: 0, workLimit: 0, limits: limits)
  }

  /// Keeps the previous frame's symbols whose pixels have not changed.
  private static func keepSymbols(_ earlier: ResultStore, _ memory: SequenceMemory, _ scene: inout Scene) {
    let (half, level) = scene.levels.picture(1)
    guard level == 1 else { return }
    let origin = scene.results.origin
    let back = PixelPoint(x: Fixed16(bits: 0 &- origin.x.bits), y: Fixed16(bits: 0 &- origin.y.bits))
    let isWaiting = scene.settings.composite == .wait
    for index in 0..<earlier.count {
      let quad = earlier.symbol(index).corners.moved(by: back)
      let needed =
        scene.settings.votedSymbologies.contains(earlier.symbol(index).symbology) ? scene.settings.votedReadingCount : 1
      guard earlier.readingCount(index) >= needed, !isWaiting || !earlier.isUnfinished(earlier.stored(index)) else {
        continue
      }
      scene.budget.charge(60)
      guard memory.isUnchanged(quad, keptCount: earlier.keptCount(index), half) else { continue }
      scene.results.keep(index, of: earlier)
      // The passes over the picture need not find the symbol again. Bars may extend above and below the part that was read.
      let symbology = earlier.symbol(index).symbology
      let isMatrix = symbology.family == .matrix
      for level in 0..<scene.levels.measuredCount {
        scene.levels.tiles(level).flatten(quad, level: level, hasAll: isMatrix)
      }
    }
  }
}
