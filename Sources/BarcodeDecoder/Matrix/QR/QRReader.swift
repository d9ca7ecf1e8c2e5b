// QR Code: finder patterns are searched, grouped in threes, and each likely three is read, in the order of likelihood.

import BarcodeTypes

/// Reads the QR symbols of a scene.
func readQRSymbols(_ scene: inout Scene) {
  guard scene.wants(.qr), scene.luma.width >= 16, scene.luma.height >= 16 else { return }
  let mark = scene.arena.mark
  defer { scene.arena.release(to: mark) }
  guard
    let thresholds = unsafe ThresholdMap(
      columns: scene.tiles.columns, rows: scene.tiles.rows, minimum: scene.tiles.minimum, maximum: scene.tiles.maximum,
      arena: &scene.arena),
    var search = QRFinderSearch(width: scene.luma.width, arena: &scene.arena)
  else { return }
  _ = scene.budget.spend(scene.tiles.columns * scene.tiles.rows / 4)
  _ = search.search(scene.luma, level: 0, thresholds: thresholds, rowStep: QRFinderSearch.rowStep, budget: &scene.budget)
  guard search.count >= 3, var reader = QRSymbolReader(&scene) else { return }
  reader.read(search, firstNew: 0, &scene)
}
