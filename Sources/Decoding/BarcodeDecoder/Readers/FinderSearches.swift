// The searches for finder patterns: in the picture as it is and, for a single picture, in sharpened copies at every size,
// plain and on a logarithmic scale. The bullseyes of Aztec Code show in the same rows.

import BarcodeTypes

/// The finder patterns and bullseyes of a scene.
@safe struct FinderSearches {
  /// The most pixels of a picture that is sharpened. In larger pictures, symbols are larger, too.
  private static let sharpenedPixelCountMax = 1_500_000

  var finders: QRFinderSearch
  var bullseyes: BullseyeSearch?

  init(_ scene: inout Scene) throws(ArenaFull) {
    finders = try QRFinderSearch(width: scene.luma.width, arena: &scene.arena)
    if scene.wants(.aztec) || scene.wants(.maxicode) { bullseyes = try BullseyeSearch(arena: &scene.arena) }
  }

  /// Searches the picture as it is, using the tile statistics of the first pass.
  ///
  /// - Parameter frameCount: number of frames in the sequence, including this one; 1 for a single picture.
  mutating func searchPlain(frameCount: Int, _ scene: inout Scene) {
    let mark = scene.arena.mark
    defer { scene.arena.release(to: mark) }
    let tiles = scene.levels.tiles(0)
    guard scene.luma.width >= 16, scene.luma.height >= 16, scene.budget.spend(tiles.columns * tiles.rows / 4),
      let thresholds = try? unsafe ThresholdMap(
        columns: tiles.columns, rows: tiles.rows, minimum: tiles.minimum, maximum: tiles.maximum,
        contrastMax: ThresholdMap.contrastMax, arena: &scene.arena)
    else { return }
    let step = QRFinderSearch.rowStep
    // Alternate frames scan the rows between those of the previous frame.
    let firstRow = frameCount & 1 == 1 ? step / 2 : 0
    _ = finders.search(
      SearchedPicture(view: scene.luma, plain: scene.luma, level: 0), thresholds: thresholds, firstRow: firstRow,
      rowStep: step, &bullseyes, &scene)
  }

  /// The level of a search in a sharpened picture.
  static func level(ofSharpened index: Int) -> Int { PictureLevels.levelMax - index % 4 }

  /// The cost of a search in a sharpened picture, in work units.
  static func cost(ofSharpened index: Int, _ luma: LumaView) -> Int {
    (luma.width * luma.height / 10) >> (2 * level(ofSharpened: index))
  }

  /// Searches a sharpened copy of the picture at one of the levels.
  mutating func searchSharpened(_ index: Int, _ scene: inout Scene) {
    let level = FinderSearches.level(ofSharpened: index)
    let (plain, found) = scene.levels.picture(level)
    let whole = PixelRegion(x: 0, y: 0, width: scene.luma.width, height: scene.luma.height)
    // If gradients at half size are twice as strong, the full size is sharp enough.
    if level == 0, let gain = scene.levels.gain(after: 0, in: whole), gain >= PictureLevels.sharpGain { return }
    guard found == level, plain.width * plain.height <= FinderSearches.sharpenedPixelCountMax,
      scene.budget.spend(plain.width * plain.height / 16)
    else { return }
    let mark = scene.arena.mark
    defer { scene.arena.release(to: mark) }
    guard let picture = try? SharpenedPicture(of: plain, index >= 4 ? .logarithmic : .linear, arena: &scene.arena),
      let thresholds = try? unsafe ThresholdMap(
        columns: picture.columns, rows: picture.rows, minimum: picture.minimum, maximum: picture.maximum,
        contrastMax: SharpenedPicture.contrastMax, arena: &scene.arena)
    else { return }
    _ = finders.search(
      SearchedPicture(view: picture.view, plain: plain, level: level), thresholds: thresholds, firstRow: 1,
      rowStep: level == 0 ? 3 : 2, &bullseyes, &scene)
  }

  /// Searches a sharpened copy of a part of the picture at full size.
  mutating func searchSharpened(in part: PixelRegion, _ scene: inout Scene) {
    guard let (plain, x, y) = scene.luma.cropped(to: part), scene.budget.spend(plain.width * plain.height / 16)
    else { return }
    let mark = scene.arena.mark
    defer { scene.arena.release(to: mark) }
    guard let picture = try? SharpenedPicture(of: plain, .linear, arena: &scene.arena),
      let thresholds = try? unsafe ThresholdMap(
        columns: picture.columns, rows: picture.rows, minimum: picture.minimum, maximum: picture.maximum,
        contrastMax: SharpenedPicture.contrastMax, arena: &scene.arena)
    else { return }
    _ = finders.search(
      SearchedPicture(view: picture.view, plain: plain, level: 0, origin: SubpixelPoint(x: x << 8, y: y << 8)),
      thresholds: thresholds, firstRow: 0, rowStep: 1, &bullseyes, &scene)
  }

  /// The level of a search for faint rings, the coarsest first: they are at least two pixels wide there.
  private static func level(ofFaintRings index: Int) -> Int { 2 - index }

  /// The cost of a search for faint rings, in work units.
  static func cost(ofFaintRings index: Int, _ luma: LumaView) -> Int {
    (luma.width * luma.height / 12) >> (2 * level(ofFaintRings: index))
  }

  /// Searches a copy of the picture at one of the levels, without its coarse structures, for faint rings.
  mutating func searchFaintRings(_ index: Int, _ scene: inout Scene) {
    let level = FinderSearches.level(ofFaintRings: index)
    let (plain, found) = scene.levels.picture(level)
    guard found == level, plain.width * plain.height <= FinderSearches.sharpenedPixelCountMax,
      scene.budget.spend(plain.width * plain.height / 16)
    else { return }
    let mark = scene.arena.mark
    defer { scene.arena.release(to: mark) }
    guard let picture = try? SharpenedPicture(of: plain, .withoutMean, arena: &scene.arena),
      let thresholds = try? unsafe ThresholdMap(
        columns: picture.columns, rows: picture.rows, minimum: picture.minimum, maximum: picture.maximum,
        contrastMax: SharpenedPicture.contrastMax, arena: &scene.arena)
    else { return }
    thresholds.level(to: SharpenedPicture.middle)
    finders.searchRings(
      SearchedPicture(view: picture.view, plain: plain, level: level, isWithoutMean: true), thresholds: thresholds,
      rowStep: 2, &bullseyes, &scene)
  }
}
