// Aztec Code in pictures of a few pixels, whose rows are too short for a search: they are enlarged first.

import BarcodeTypes

extension AztecSymbolReader {
  /// Greatest side of a picture that is enlarged; symbols in such pictures may have modules of a single pixel.
  private static let smallSideMax = 64

  /// Reads a small picture at four times its size.
  mutating func readEnlarged(_ scene: inout Scene) {
    let mark = scene.arena.mark
    defer { scene.arena.release(to: mark) }
    guard max(scene.luma.width, scene.luma.height) <= AztecSymbolReader.smallSideMax,
      let picture = try? EnlargedPicture(of: scene.luma, arena: &scene.arena),
      scene.budget.spend(picture.view.width * picture.view.height / 16),
      let tiles = try? TileMap(width: picture.view.width, height: picture.view.height, arena: &scene.arena),
      let half = try? unsafe scene.arena.take(
        UInt8.self, count: TileMap.halfByteCount(width: picture.view.width, height: picture.view.height))
    else { return }
    unsafe measureTiles(picture.view, into: tiles, half: half)
    guard
      let thresholds = try? unsafe ThresholdMap(
        columns: tiles.columns, rows: tiles.rows, minimum: tiles.minimum, maximum: tiles.maximum,
        contrastMax: ThresholdMap.contrastMax, arena: &scene.arena),
      var search = try? BullseyeSearch(arena: &scene.arena),
      var edges = try? RowEdges(width: picture.view.width, arena: &scene.arena)
    else { return }
    let halfView = unsafe LumaView(
      base: half, width: picture.view.width / 2, height: picture.view.height / 2,
      bytesPerRow: TileMap.halfBytesPerRow(width: picture.view.width))
    for y in stride(from: 1, to: picture.view.height, by: 2) {
      edges.find(picture.view, y: y, thresholds: thresholds)
      guard scene.budget.spend(thresholds.columns / 8 + edges.count / 8 + 1) else { return }
      let searched = SearchedPicture(view: picture.view, plain: picture.view, level: 0)
      search.search(edges, searched, y: y, results: nil, budget: &scene.budget)
    }
    guard let levels = try? PictureLevels(full: picture.view, half: halfView, arena: &scene.arena) else { return }
    for index in 0..<search.found.count {
      _ = read(search.found.all[index], levels, enlargement: EnlargedPicture.shift, &scene)
    }
  }
}
