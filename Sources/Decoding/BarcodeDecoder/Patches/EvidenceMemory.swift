// The evidence that frames add up to. A region that may be a symbol and was not read is kept as a patch; each further frame
// that agrees with the patch is added to it, and the sum is read as a picture of its own. One place owns all of it, with fixed
// limits.

import BarcodeTypes

/// A patch with its history.
struct EvidencePatch: BitwiseCopyable {
  /// Its place in the last frame that was added.
  var place = PatchPlace(x: 0, y: 0, acrossX: 0, acrossY: 0, downX: 0, downY: 0)
  /// Pixels per row, and rows.
  var width = 0
  var height = 0
  /// Frames in the sum; 0 for an unused patch.
  var frameCount = 0
  /// Consecutive frames that did not agree, and those among them that showed something else.
  var missCount = 0
  var contradictionCount = 0
  /// Whether it was found as bars.
  var isBars = false
  /// Whether the current frame was added.
  var isCurrent = false
  /// The number of readings that were tried without success since the last one that had it.
  var fruitlessCount = 0
  /// The turn of the filters for the next reading.
  var turn = 0
  /// The frames in the sum at the last reading that was tried.
  var triedFrameCount = 0
  /// Whether a symbol was read from the sum, and each frame since then agreed with it.
  var isRead = false
  /// The part of the patch with the symbol that was read from the sum, and the mean agreement of frames with it.
  var symbol: PatchPart?
  var symbolAgreement = 0
  /// The text read from the sum that waits for confirmation, as a hash, and the frames in the sum at that reading.
  var pendingText: UInt64 = 0
  var pendingFrameCount = 0
  /// The movement of its centre since the frame before, in pixels times 65536.
  var moveX = 0
  var moveY = 0

  /// The agreement of the weakest blocks of frames that were added: their sum and number.
  var weakestSum = 0
  var weakestCount = 0
  static let weakestCountMax = 8
  /// The least agreement of the weakest blocks with a sum that consists of a single frame, in 256ths.
  private static let firstWeakestMin = 90
  /// The least and the greatest difference from the mean agreement that noise makes, in 256ths.
  private static let weakestSlack = 24
  private static let weakestSlackMax = 70

  /// The least agreement of the weakest blocks of a frame that shows the same symbol, in 256ths: about that of the frames
  /// before. A sum that consists of a single frame is as noisy as the frame.
  func weakestMin(noiseShare: Int) -> Int {
    guard weakestCount > 0 else { return EvidencePatch.firstWeakestMin - noiseShare * 7 / 5 }
    let mean = weakestSum / weakestCount
    return mean - max(EvidencePatch.weakestSlack, min(EvidencePatch.weakestSlackMax, (256 - mean) / 2))
  }

  var center: (x: Int, y: Int) { place.place(width << 15, height << 15) }

  /// The place of the patch as that of a candidate.
  var candidatePlace: CandidatePlace {
    let (x, y) = center
    return CandidatePlace(x: x >> 16, y: y >> 16, reach: max(width, height) / 2)
  }
}

/// The patches of a sequence of frames.
@safe struct EvidenceMemory {
  /// The most patches.
  static let patchCountMax = 4
  /// The most cells of a patch: 120 × 120 pixels with 3 × 3 cells each.
  static let cellCountMax = 129_600
  /// The greatest side of a patch of cells, in pixels.
  private static let sideMax = 120
  /// The greatest side of a region of cells whose middle becomes a patch, in pixels.
  private static let regionSideMax = 180
  /// The least side of a patch, in pixels.
  private static let sideMin = 12
  /// The pixels beyond the ends of bars that belong to their patch: tiles of weak gradients, and a part of the quiet zone.
  private static let marginPixels = 10
  /// The least probability of a region that becomes a patch, in 65536ths.
  private static let promiseMin = 60
  /// That probability once symbols were read.
  private static let likelyPromiseMin = 650
  /// Frames without agreement after which a patch is forgotten.
  private static let missCountMax = 10
  /// Consecutive frames that show something else after which a patch is forgotten.
  private static let contradictionCountMax = 2
  /// The least correlation with the sum of a frame that is added, in 256ths, over all blocks, and of the weakest blocks.
  private static let correlationMin = 128
  /// Frames in a sum from which it is read.
  private static let readFrameCountMin = 3
  /// Readings without success after which a patch is given up.
  private static let fruitlessCountMax = 14
  /// Frames for which no new patch begins at a place that was given up.
  private static let fruitlessFrameCount = 150
  private static let fruitlessPlaceCountMax = 16
  /// The most work units for reading a sum, and those of a frame after which no second sum is read.
  static let readingWork = 300_000
  static let frameReadingWork = 200_000
  /// The store of work units: evidence takes from it what it costs, and each frame adds a hundredth of an empty frame's cost. A
  /// new symbol fills it, and so do consecutive frames without a region that may be a symbol: two seconds of them.
  static let spareWorkMax = 5_000_000
  private static let spareRefill = 450
  private static let quietFrameCount = 30

  private let patches: ScratchArray<EvidencePatch>
  private let means: UnsafeMutablePointer<UInt16>
  private let weights: UnsafeMutablePointer<UInt8>
  /// Places that were given up, and the frame until which they stay so.
  private let fruitless: ScratchArray<CandidatePlace>
  private let fruitlessUntil: ScratchArray<Int>
  private var fruitlessNext = 0
  private var frameNumber = 0
  /// Work units that frames may still spend on evidence.
  private(set) var spareWork = spareWorkMax
  /// Consecutive frames without a region that may be a symbol.
  private var quietCount = 0
  /// Work units that evidence cost in the last frame.
  private(set) var frameWork = 0

  /// Bytes needed.
  static var byteCount: Int {
    patchCountMax * (cellCountMax * 3 + MemoryLayout<EvidencePatch>.stride)
      + fruitlessPlaceCountMax * (MemoryLayout<CandidatePlace>.stride + MemoryLayout<Int>.stride) + 5 * 64
  }

  /// Allocates its memory from the arena; it is never released.
  init(arena: inout Arena) throws(ArenaFull) {
    patches = try ScratchArray(EvidenceMemory.patchCountMax, arena: &arena)
    unsafe means = try arena.take(UInt16.self, count: EvidenceMemory.patchCountMax * EvidenceMemory.cellCountMax)
    unsafe weights = try arena.take(UInt8.self, count: EvidenceMemory.patchCountMax * EvidenceMemory.cellCountMax)
    fruitless = try ScratchArray(EvidenceMemory.fruitlessPlaceCountMax, arena: &arena)
    fruitlessUntil = try ScratchArray(EvidenceMemory.fruitlessPlaceCountMax, arena: &arena)
    removeAll()
  }

  /// Forgets everything.
  mutating func removeAll() {
    patches.fill(EvidencePatch(), count: EvidenceMemory.patchCountMax)
    fruitlessUntil.fill(0, count: EvidenceMemory.fruitlessPlaceCountMax)
    fruitlessNext = 0
    frameNumber = 0
    spareWork = EvidenceMemory.spareWorkMax
    quietCount = 0
    frameWork = 0
  }

  /// Takes the work of a frame from the store.
  mutating func settle(spent: Int, isQuiet: Bool) {
    frameWork = spent
    spareWork -= spent
    if spareWork <= 0 { patches.fill(EvidencePatch(), count: EvidenceMemory.patchCountMax) }
    quietCount = isQuiet ? quietCount + 1 : 0
    let isRested = quietCount >= EvidenceMemory.quietFrameCount
    let refilled = min(EvidenceMemory.spareWorkMax, spareWork + EvidenceMemory.spareRefill)
    spareWork = isRested ? EvidenceMemory.spareWorkMax : refilled
  }

  /// Fills the store: a new symbol was read.
  mutating func noteNews() { spareWork = EvidenceMemory.spareWorkMax }

  subscript(index: Int) -> EvidencePatch {
    get { patches[index] }
    nonmutating set { patches[index] = newValue }
  }

  /// The sum of a patch.
  func sum(_ index: Int) -> PatchSum {
    let patch = patches[index]
    precondition(patch.width * patch.height * PatchPlace.scale * PatchPlace.scale <= EvidenceMemory.cellCountMax)
    return unsafe PatchSum(
      width: patch.width, height: patch.height, means: means + index * EvidenceMemory.cellCountMax,
      weights: weights + index * EvidenceMemory.cellCountMax)
  }

  // MARK: Adding

  /// Adds a frame to the patches that it agrees with, and begins patches at regions that were not read.
  mutating func add(_ regions: PatchRegions, _ scene: inout Scene) {
    frameNumber += 1
    for index in 0..<EvidenceMemory.patchCountMax where patches[index].frameCount > 0 { addFrame(index, regions, &scene) }
    guard spareWork > EvidenceMemory.readingWork else { return }
    for index in 0..<regions.count where regions[index].promise >= EvidenceMemory.promiseMin {
      begin(regions[index], &scene)
    }
  }

  private func addFrame(_ index: Int, _ regions: PatchRegions, _ scene: inout Scene) {
    var patch = patches[index]
    patch.isCurrent = false
    defer { patches[index] = patch }
    let mark = scene.arena.mark
    defer { scene.arena.release(to: mark) }
    guard let greys = try? ScratchArray<Int16>(patch.width * patch.height, arena: &scene.arena) else { return }
    let sum = sum(index)
    sum.reduce(into: greys)
    scene.budget.charge(PatchFit.cost(width: patch.width, height: patch.height))
    let fit = PatchFit(luma: scene.luma, width: patch.width, height: patch.height, greys: greys)
    guard let place = found(patch, fit, regions, scene) else {
      patch.missCount += 1
      if patch.missCount > EvidenceMemory.missCountMax { patch = EvidencePatch() }
      return
    }
    let agreement = fit.agreement(place, noiseContrast: scene.levels.tiles(0).noiseContrast)
    let isSame =
      agreement.correlation >= EvidenceMemory.correlationMin - agreement.noiseShare / 4
      && agreement.weakest >= patch.weakestMin(noiseShare: agreement.noiseShare)
      && showsSymbol(&patch, fit, place, scene)
    guard isSame else {
      patch.contradictionCount += 1
      patch.missCount += 1
      if patch.contradictionCount >= EvidenceMemory.contradictionCountMax { patch = EvidencePatch() }
      return
    }
    let before = patch.center
    patch.place = place
    patch.moveX = patch.center.x - before.x
    patch.moveY = patch.center.y - before.y
    patch.frameCount += 1
    // The mean over the first frames, then over about as many.
    patch.weakestSum += agreement.weakest
    patch.weakestCount += 1
    if patch.weakestCount > EvidencePatch.weakestCountMax {
      patch.weakestSum -= patch.weakestSum / patch.weakestCount
      patch.weakestCount -= 1
    }
    patch.missCount = 0
    patch.contradictionCount = 0
    patch.isCurrent = true
    scene.budget.charge(sum.addingCost)
    sum.add(scene.luma, place, isFirst: false)
  }

  /// Whether a frame shows the symbol that was read from a sum: it agrees about as well as in the frames before. The edges of
  /// paper around it may hide that another symbol is there.
  private func showsSymbol(
    _ patch: inout EvidencePatch, _ fit: PatchFit, _ place: PatchPlace, _ scene: borrowing Scene
  ) -> Bool {
    guard let part = patch.symbol else { return true }
    let found = fit.agreement(place, part: part, noiseContrast: scene.levels.tiles(0).noiseContrast).correlation
    let mean = patch.symbolAgreement
    guard found >= mean - max(EvidenceMemory.symbolSlack, (256 - mean) / 2) else { return false }
    patch.symbolAgreement = (3 * mean + found) / 4
    return true
  }

  /// The agreement of the current frame with the part of a sum that shows a symbol, in 256ths; nil if it shows another one.
  func agreement(of index: Int, part: PatchPart, _ scene: inout Scene) -> Int? {
    let patch = patches[index]
    let mark = scene.arena.mark
    defer { scene.arena.release(to: mark) }
    guard let greys = try? ScratchArray<Int16>(patch.width * patch.height, arena: &scene.arena) else { return nil }
    sum(index).reduce(into: greys)
    let fit = PatchFit(luma: scene.luma, width: patch.width, height: patch.height, greys: greys)
    let found = fit.agreement(patch.place, part: part, noiseContrast: scene.levels.tiles(0).noiseContrast)
    // The square root of what noise leaves, less a tenth.
    let expected = Int(integerRoot(UInt64(max(0, 256 - found.noiseShare) * 256)))
    return found.correlation >= expected - EvidenceMemory.readingSlack ? found.correlation : nil
  }

  /// The difference from the mean agreement, and that from the agreement which the noise allows, of a frame that shows the
  /// symbol of a sum, in 256ths.
  private static let (symbolSlack, readingSlack) = (16, 40)

  /// The place of a patch in a frame: near its last place, or where a region of its size is now.
  private func found(
    _ patch: EvidencePatch, _ fit: PatchFit, _ regions: PatchRegions, _ scene: borrowing Scene
  ) -> PatchPlace? {
    if let shifted = fit.shifted(patch.place), let place = fit.refined(shifted) { return place }
    let (x, y) = patch.center
    for index in 0..<regions.count {
      let region = regions[index]
      let (moveX, moveY) = (region.centerX - x, region.centerY - y)
      let reach = region.place.reach
      let known = patch.candidatePlace.reach
      guard reach * 2 < known * 3, known * 2 < reach * 3, max(abs(moveX), abs(moveY)) > 5 << 16 else { continue }
      var place = patch.place
      place.x += moveX
      place.y += moveY
      if let shifted = fit.shifted(place) { return fit.refined(shifted) }
    }
    return nil
  }

  // MARK: Beginning

  /// Begins a patch at a region, unless it is known, read or given up.
  private mutating func begin(_ region: PatchRegion, _ scene: inout Scene) {
    let place = region.place
    if scene.results.covers(place.point) { return }
    // Beside symbols that were read, only likely regions are worth it, and not the surroundings of a symbol.
    if scene.results.count > 0, region.promise < EvidenceMemory.likelyPromiseMin || scene.results.fills(place) { return }
    for index in 0..<EvidenceMemory.patchCountMax where patches[index].frameCount > 0 {
      if isCovered(region, by: patches[index]) { return }
    }
    for index in 0..<EvidenceMemory.fruitlessPlaceCountMax
    where fruitlessUntil[index] > frameNumber && fruitless[index].isLike(place) { return }
    guard let free = freePatch(for: region), let patch = EvidenceMemory.patch(region) else { return }
    patches[free] = patch
    let sum = sum(free)
    guard PatchFit.isInside(patch.place, width: patch.width, height: patch.height, scene.luma) else {
      patches[free] = EvidencePatch()
      return
    }
    scene.budget.charge(sum.addingCost)
    sum.add(scene.luma, patch.place, isFirst: true)
  }

  /// Whether the centre of a region is in a patch.
  private func isCovered(_ region: PatchRegion, by patch: EvidencePatch) -> Bool {
    let (x, y) = patch.center
    let place = patch.place
    // Offsets along the sides; they are about perpendicular, and a pixel long.
    let (offsetX, offsetY) = ((region.centerX - x) >> 8, (region.centerY - y) >> 8)
    let along = (offsetX * place.acrossX + offsetY * place.acrossY) >> 24
    let down = (offsetX * place.downX + offsetY * place.downY) >> 24
    return abs(along) * 2 <= patch.width && abs(down) * 2 <= patch.height
  }

  /// A patch that is unused, or has the least to lose.
  private func freePatch(for region: PatchRegion) -> Int? {
    var best: Int?
    var most = 0
    for index in 0..<EvidenceMemory.patchCountMax {
      let patch = patches[index]
      if patch.frameCount == 0 { return index }
      guard !patch.isCurrent, !patch.isRead, patch.missCount > most else { continue }
      most = patch.missCount
      best = index
    }
    return most > 2 ? best : nil
  }

  /// The patch of a region and its margin; nil if it is too small or too large. Bars that are too high lose their ends.
  private static func patch(_ region: PatchRegion) -> EvidencePatch? {
    var patch = EvidencePatch()
    patch.width = region.halfWidth >> 15
    patch.height = region.halfHeight >> 15
    let pixelCountMax = cellCountMax / (PatchPlace.scale * PatchPlace.scale)
    if region.isBars {
      patch.width += 2 * marginPixels
      patch.height = min(patch.height, pixelCountMax / patch.width)
    } else {
      guard max(patch.width, patch.height) <= regionSideMax else { return nil }
      patch.width = min(sideMax, patch.width)
      patch.height = min(sideMax, patch.height)
    }
    guard min(patch.width, patch.height) >= sideMin, patch.width * patch.height <= pixelCountMax else { return nil }
    let (cosine, sine) = (Int(region.direction.cosine.bits), Int(region.direction.sine.bits))
    patch.place = PatchPlace(x: 0, y: 0, acrossX: cosine, acrossY: sine, downX: -sine, downY: cosine)
    let (x, y) = patch.center
    patch.place.x = region.centerX - x
    patch.place.y = region.centerY - y
    patch.frameCount = 1
    patch.isBars = region.isBars
    return patch
  }

  // MARK: Reading

  /// The patch whose sum is worth a reading now.
  func nextReading(_ results: ResultStore) -> Int? {
    var best: Int?
    var most = 0
    for index in 0..<EvidenceMemory.patchCountMax {
      let patch = patches[index]
      guard patch.isCurrent, !patch.isRead, patch.frameCount >= EvidenceMemory.readFrameCountMin,
        patch.frameCount > patch.triedFrameCount
      else { continue }
      let (x, y) = patch.center
      let middle = PixelPoint(x: Fixed16(bits: Int32(clamping: x)), y: Fixed16(bits: Int32(clamping: y)))
      if results.covers(middle) { continue }
      let news = (patch.frameCount - patch.triedFrameCount) * 4 - index
      if news > most {
        most = news
        best = index
      }
    }
    return best
  }

  /// The filter for the next reading of a patch.
  func filter(_ index: Int) -> PatchFilter {
    let turn = patches[index].turn % 3
    // Single bars stand out of noise better without a filter.
    if patches[index].isBars { return turn == 0 ? .none : turn == 1 ? .moderate : .strong }
    return turn == 1 ? .strong : .moderate
  }

  /// Notes that the sum of a patch was read without a symbol to report; a text that waits for confirmation keeps the filter.
  mutating func noteFruitless(_ index: Int, hasText: Bool) {
    var patch = patches[index]
    patch.triedFrameCount = patch.frameCount
    patch.fruitlessCount += 1
    if !hasText { patch.turn += 1 }
    patches[index] = patch
    guard patch.fruitlessCount >= EvidenceMemory.fruitlessCountMax else { return }
    fruitless[fruitlessNext] = patch.candidatePlace
    fruitlessUntil[fruitlessNext] = frameNumber + EvidenceMemory.fruitlessFrameCount
    fruitlessNext = (fruitlessNext + 1) % EvidenceMemory.fruitlessPlaceCountMax
    patches[index] = EvidencePatch()
  }

  /// Whether a text that was read from the sum is confirmed: another sum, with at least two more frames, gave it before.
  func isConfirmed(_ index: Int, text: UInt64) -> Bool {
    var patch = patches[index]
    if patch.pendingText == text, patch.pendingFrameCount > 0 {
      return patch.frameCount >= patch.pendingFrameCount + EvidenceMemory.confirmingFrameCount
    }
    patch.pendingText = text
    patch.pendingFrameCount = patch.frameCount
    patches[index] = patch
    return false
  }

  /// Frames that a second reading has in addition to the first.
  private static let confirmingFrameCount = 2

  /// Notes the part of a sum that shows a symbol, and the agreement of the current frame with it.
  func noteSymbol(_ index: Int, _ part: PatchPart, agreement: Int) {
    patches[index].symbol = part
    patches[index].symbolAgreement = agreement
  }

  /// Notes that a symbol was read from the sum of a patch.
  func noteRead(_ index: Int) {
    patches[index].isRead = true
    patches[index].fruitlessCount = 0
    patches[index].triedFrameCount = patches[index].frameCount
  }
}
