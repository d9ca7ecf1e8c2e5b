// A finder pattern that belongs to no QR symbol may be that of a symbol with a single one.

import BarcodeTypes

/// Reads the symbols of a picture that have a single finder pattern.
@safe struct LoneFinderReader {
  /// Least difference between the ring of a pattern and its core, in grey levels.
  private static let contrastMin = 8
  /// Least width of a module at half the size, in 1/256 pixels, where a pattern is measured again.
  private static let coarseModuleMin = 384

  private let outline: FinderOutline
  private var symbologies: LoneFinderSymbologies

  init(_ scratch: QRScratch, _ scene: inout Scene) throws(ArenaFull) {
    outline = try FinderOutline(arena: &scene.arena)
    symbologies = try LoneFinderSymbologies(scratch, &scene)
  }

  /// Reads the symbol of a finder that belongs to no other symbol. Returns the next attempt worth making, if any.
  mutating func read(_ candidate: Candidate, _ finders: ScratchArray<FinderPattern>, _ scene: inout Scene) -> Attempt? {
    let index = Int(candidate.index)
    guard !finders[index].isUsed else { return nil }
    let pattern = finders[index]
    let sight = Sight(scene.levels, module: pattern.module, isInverted: pattern.isInverted)
    var looksLikeSymbol = read(pattern, sight, isUsed: &finders[index].isUsed, &scene)
    // Noise that hides the outline is half as strong at half the size.
    if !finders[index].isUsed, !looksLikeSymbol, pattern.module >> (sight.level + 1) >= LoneFinderReader.coarseModuleMin {
      let half = Sight(scene.levels, above: sight)
      if half.level > sight.level { looksLikeSymbol = read(pattern, half, isUsed: &finders[index].isUsed, &scene) }
    }
    return !finders[index].isUsed && candidate.attempt == .glance && looksLikeSymbol ? .study : nil
  }

  /// Reads the symbol of a finder pattern. Returns whether its surroundings are those of a symbol.
  private mutating func read(_ finder: FinderPattern, _ sight: Sight, isUsed: inout Bool, _ scene: inout Scene) -> Bool {
    var pattern = finder
    guard scene.budget.spend(100) else { return false }
    refineFinder(&pattern, sight)
    guard let quad = outline.measure(pattern, sight), scene.budget.spend(700) else { return false }
    let lone = LoneFinder(pattern: pattern, outline: quad, contrast: outline.ringContrast(quad, sight))
    guard lone.contrast >= LoneFinderReader.contrastMin else { return false }
    isUsed = symbologies.read(lone, sight, &scene)
    return symbologies.looksLikeSymbol
  }
}
