// A finder pattern that belongs to no QR symbol may be that of a symbol with a single one.

import BarcodeTypes

/// Reads the symbols of a picture that have a single finder pattern.
@safe struct LoneFinderReader {
  /// Least difference between the ring of a pattern and its core, in grey levels.
  private static let contrastMin = 8

  private let outline: FinderOutline
  private var symbologies: LoneFinderSymbologies

  init(_ scratch: QRScratch, _ scene: inout Scene) throws(ArenaFull) {
    outline = try FinderOutline(arena: &scene.arena)
    symbologies = try LoneFinderSymbologies(scratch, &scene)
  }

  /// Reads the symbol of a finder that belongs to no other symbol. Returns the next attempt worth making, if any.
  mutating func read(_ candidate: Candidate, _ finders: ScratchArray<FinderPattern>, _ scene: inout Scene) -> Attempt? {
    let index = Int(candidate.index)
    guard !finders[index].isUsed, scene.budget.spend(100) else { return nil }
    var pattern = finders[index]
    let sight = Sight(scene.levels, module: pattern.module, isInverted: pattern.isInverted)
    refineFinder(&pattern, sight)
    guard let quad = outline.measure(pattern, sight), scene.budget.spend(700) else { return nil }
    let lone = LoneFinder(pattern: pattern, outline: quad, contrast: outline.ringContrast(quad, sight))
    guard lone.contrast >= LoneFinderReader.contrastMin else { return nil }
    finders[index].isUsed = symbologies.read(lone, sight, &scene)
    return !finders[index].isUsed && candidate.attempt == .glance && symbologies.looksLikeSymbol ? .study : nil
  }
}
