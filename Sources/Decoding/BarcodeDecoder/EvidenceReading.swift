// The reading of sums over frames, each as a picture of its own with its own small budget.

import BarcodeTypes

extension EvidenceMemory {
  /// The least confidence of a symbol with error correction that is read from a sum: its correction has some capacity left.
  private static let confidenceMin = 50

  /// Adds a frame that was read to the evidence, and reports the symbols that the evidence shows and the frame alone does not.
  mutating func addFrame(_ regions: PatchRegions, _ earlier: ResultStore, _ scene: inout Scene) {
    let before = scene.budget.spent
    add(regions, &scene)
    repeatSymbols(earlier, &scene)
    var isFirst = true
    while isFirst || scene.budget.spent - before < EvidenceMemory.frameReadingWork,
      let index = nextReading(scene.results)
    {
      read(index, &scene)
      isFirst = false
    }
    settle(spent: scene.budget.spent - before, isQuiet: regions.count == 0)
  }

  /// Reports the symbols again that were read from patches with which this frame agrees.
  private mutating func repeatSymbols(_ earlier: ResultStore, _ scene: inout Scene) {
    for patch in 0..<EvidenceMemory.patchCountMax where self[patch].isRead && self[patch].isCurrent {
      var hasSymbol = false
      for index in 0..<earlier.count where earlier.evidencePatch(index) == patch {
        hasSymbol = true
        let (x, y) = (self[patch].moveX, self[patch].moveY)
        let offset = PixelPoint(x: Fixed16(bits: Int32(clamping: x)), y: Fixed16(bits: Int32(clamping: y)))
        let middle = earlier.symbol(index).corners.moved(by: offset).center
        if !scene.results.coversInFrame(middle) { scene.results.readAgain(index, of: earlier, movedBy: offset) }
      }
      // The symbol was not in the last frame: it is read again.
      if !hasSymbol { self[patch].isRead = false }
    }
  }

  private mutating func read(_ index: Int, _ scene: inout Scene) {
    let mark = scene.arena.mark
    defer { scene.arena.release(to: mark) }
    let sum = sum(index)
    scene.budget.charge(sum.columns * sum.rows / 4)
    let known = scene.results.count
    guard let luma = try? sum.picture(filter(index), arena: &scene.arena) else { return }
    scene.results.patch = self[index].place
    readPicture(luma, &scene)
    scene.results.patch = nil
    var isAccepted = scene.results.count > known
    if isAccepted {
      // A sum may still show a symbol that this frame no longer shows.
      isAccepted = false
      if let part = EvidenceMemory.part(scene.results, known, self[index].place),
        let agreement = agreement(of: index, part: part, &scene)
      {
        isAccepted = true
        noteSymbol(index, part, agreement: agreement)
      }
    }
    for symbol in known..<max(known, scene.results.count) {
      scene.results.noteEvidence(symbol, patch: index)
      isAccepted = accepts(symbol, of: index, scene.results) && isAccepted
    }
    if isAccepted {
      noteRead(index)
    } else {
      noteFruitless(index, hasText: scene.results.count > known)
      scene.results.removeAll(from: known)
    }
  }

  /// The part of a patch that shows a symbol; nil if the place has no inverse.
  private static func part(_ results: ResultStore, _ symbol: Int, _ place: PatchPlace) -> PatchPart? {
    let corners = results.symbol(symbol).corners
    func pixel(_ corner: PixelPoint) -> SubpixelPoint? {
      let inRegion = corner - results.origin
      guard let (u, v) = place.pixel((Int(inRegion.x.bits), Int(inRegion.y.bits))) else { return nil }
      return SubpixelPoint(x: u, y: v)
    }
    guard let a = pixel(corners.topLeft), let b = pixel(corners.topRight), let c = pixel(corners.bottomRight),
      let d = pixel(corners.bottomLeft)
    else { return nil }
    return PatchPart(SubpixelQuad(topLeft: a, topRight: b, bottomRight: c, bottomLeft: d))
  }

  /// Reads a picture of a sum with the effort of a single picture, within its own budget.
  private func readPicture(_ luma: LumaView, _ scene: inout Scene) {
    var settings = scene.settings
    settings.effort = .still
    var budget = WorkBudget(limit: EvidenceMemory.readingWork)
    guard let levels = try? PictureLevels(luma, arena: &scene.arena, budget: &budget, skipsPlain: false) else { return }
    var sumScene = Scene(
      luma: luma, levels: levels, settings: settings, budget: budget, arena: scene.arena, results: scene.results)
    guard var reading = try? SceneReading(memory: nil, plenty: 1, &sumScene) else { return }
    reading.collect(&sumScene)
    while reading.next(&sumScene) != nil {}
    sumScene.results.dropPieces()
    scene.results = sumScene.results
    scene.budget.charge(sumScene.budget.spent)
  }

  /// Whether a symbol that was read from a sum is reported: its error correction is far from its limit, or another sum gave
  /// the same text. A sum does not show whether the half of an EAN-13 goes on.
  private func accepts(_ symbol: Int, of patch: Int, _ results: ResultStore) -> Bool {
    let read = results.symbol(symbol)
    if read.symbology.hasErrorCorrection { return read.confidence >= EvidenceMemory.confidenceMin }
    if read.symbology == .upce, unsafe results.payloadBytes(symbol).first == 0x31 { return false }
    return isConfirmed(patch, text: results.textHash(symbol))
  }
}

extension Symbology {
  /// Whether Reed-Solomon codewords check the text.
  fileprivate var hasErrorCorrection: Bool {
    switch self {
    case .databar, .databarLimited, .databarExpanded: false
    default: family != .linear
    }
  }
}
