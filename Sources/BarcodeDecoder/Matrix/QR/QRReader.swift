// QR Code: finder patterns are searched, grouped in threes, and each likely three is read, in the order of likelihood; those
// that are left are tried by themselves, for Micro QR Code. For a camera frame that is all; a still picture is searched again
// at every size, sharpened, as it is and on a logarithmic scale.

import BarcodeTypes

/// Pixels of the largest picture that is sharpened. In larger ones symbols are larger, too.
private let sharpenedPixelCountMax = 1_500_000

/// Reads the QR and Micro QR symbols of a scene. The finder patterns of the picture as it is are kept in the scene: a second
/// pass does not search for them again.
func readQRSymbols(_ scene: inout Scene) {
  guard scene.wants(.qr) || scene.wants(.microqr) || scene.wants(.aztec), scene.luma.width >= 16, scene.luma.height >= 16
  else { return }
  if scene.finders == nil { scene.finders = searchPlain(&scene) }
  guard var search = scene.finders else { return }
  if scene.effort == .frame, search.count < (scene.wants(.microqr) ? 1 : 3) { return }
  let mark = scene.arena.mark
  defer { scene.arena.release(to: mark) }
  guard var reader = QRSymbolReader(&scene), var microReader = MicroQRReader(reader, &scene) else { return }
  var known = 0
  readNew(search, &known, &reader, &microReader, &scene)
  guard scene.effort == .still else { return }
  for isLogarithmic in 0..<2 {
    for level in stride(from: LumaPyramid.levelMax, through: 2 * isLogarithmic, by: -1) {
      searchSharpened(&search, &reader.pyramid, level: level, isLogarithmic: isLogarithmic == 1, &scene)
      readNew(search, &known, &reader, &microReader, &scene)
    }
  }
}

/// Reads what finders from `known` on make possible.
private func readNew(
  _ search: QRFinderSearch, _ known: inout Int, _ reader: inout QRSymbolReader, _ microReader: inout MicroQRReader,
  _ scene: inout Scene
) {
  guard search.count > known else { return }
  if scene.wants(.qr) { reader.read(search, firstNew: known, &scene) }
  if scene.wants(.microqr) { microReader.read(search, firstNew: known, &reader.pyramid, &scene) }
  known = search.count
}

/// Looks for finders in the picture as it is, on the tile statistics of the first pass. Nil if the arena is full.
private func searchPlain(_ scene: inout Scene) -> QRFinderSearch? {
  guard var search = QRFinderSearch(width: scene.luma.width, arena: &scene.arena) else { return nil }
  let mark = scene.arena.mark
  defer { scene.arena.release(to: mark) }
  guard scene.budget.spend(scene.tiles.columns * scene.tiles.rows / 4),
    let thresholds = unsafe ThresholdMap(
      columns: scene.tiles.columns, rows: scene.tiles.rows, minimum: scene.tiles.minimum, maximum: scene.tiles.maximum,
      contrastMax: ThresholdMap.contrastMax, arena: &scene.arena)
  else { return search }
  _ = search.search(
    scene.luma, plain: scene.luma, level: 0, thresholds: thresholds, rowStep: QRFinderSearch.rowStep, &scene)
  return search
}

/// Looks for finders in a smaller picture, sharpened.
private func searchSharpened(
  _ search: inout QRFinderSearch, _ pyramid: inout LumaPyramid, level: Int, isLogarithmic: Bool, _ scene: inout Scene
) {
  let (plain, found) = pyramid.picture(level)
  guard found == level, plain.width * plain.height <= sharpenedPixelCountMax,
    scene.budget.spend(plain.width * plain.height / 16)
  else { return }
  let mark = scene.arena.mark
  defer { scene.arena.release(to: mark) }
  guard let picture = SharpenedPicture(of: plain, isLogarithmic: isLogarithmic, arena: &scene.arena),
    let thresholds = unsafe ThresholdMap(
      columns: picture.columns, rows: picture.rows, minimum: picture.minimum, maximum: picture.maximum,
      contrastMax: SharpenedPicture.contrastMax, arena: &scene.arena)
  else { return }
  _ = search.search(
    picture.view, plain: plain, level: level, thresholds: thresholds, rowStep: level == 0 ? 3 : 2, &scene)
}
