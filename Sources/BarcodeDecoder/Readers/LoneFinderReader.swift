// A finder pattern that belongs to no QR symbol is tried as that of an rMQR symbol, then as that of a Micro QR symbol. The
// format information of rMQR is better evidence than the short timing patterns of Micro QR, which look like the beginning of
// longer ones.

import BarcodeTypes

/// Reads the symbols of a picture that have a single finder pattern.
@safe struct LoneFinderReader {
  /// Least difference between the ring of a pattern and its core, in grey levels.
  private static let contrastMin = 8

  private let finder: MicroQRFinder
  private var micro: MicroQRReader?
  private var rmqr: RMQRReader?

  init(_ scratch: QRScratch, _ scene: inout Scene) throws(ArenaFull) {
    finder = try MicroQRFinder(arena: &scene.arena)
    if scene.wants(.microqr) { micro = try MicroQRReader(scratch, &scene) }
    if scene.wants(.rmqr) { rmqr = try RMQRReader(scratch, &scene) }
  }

  /// Reads the symbol of a finder that belongs to no other symbol. Returns the next attempt worth making, if any.
  mutating func read(_ candidate: Candidate, _ finders: ScratchArray<FinderPattern>, _ scene: inout Scene) -> Attempt? {
    let index = Int(candidate.index)
    guard !finders[index].isUsed, scene.budget.spend(100) else { return nil }
    var pattern = finders[index]
    let sight = Sight(scene.levels, module: pattern.module, isInverted: pattern.isInverted)
    refineFinder(&pattern, sight.view, level: sight.level)
    guard let outline = finder.outline(pattern, sight.view, level: sight.level), scene.budget.spend(700) else { return nil }
    let contrast = finder.ringContrast(outline, pattern, sight.view, level: sight.level)
    guard contrast >= LoneFinderReader.contrastMin else { return nil }
    let lone = LoneFinder(pattern: pattern, outline: outline)
    if rmqr?.read(lone, contrast, sight, &scene) == true
      || (candidate.attempt == .glance && micro?.read(lone, finder, contrast, sight, &scene) == true)
    {
      finders[index].isUsed = true
      return nil
    }
    return candidate.attempt == .glance && rmqr?.looksLikeSymbol == true ? .study : nil
  }
}
