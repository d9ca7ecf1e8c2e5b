// Looks for finder patterns row by row. The runs of a row are a cheap test with many false positives; each hit is measured
// in grey along a column, the row and the diagonals before it counts.

import BarcodeTypes
import CVector

/// Five runs in a row of pixels that may cross a finder pattern.
private struct FinderSighting {
  /// The middle of the runs.
  let x: Int
  let y: Int
  /// The width of all runs together, in pixels.
  let width: Int
  let threshold: Threshold
}

/// The finder patterns of a picture, in order of discovery.
@safe struct QRFinderSearch {
  /// The most finder patterns in a picture. 80 symbols have 240; the rest is room for false candidates.
  static let finderCountMax = 1024
  /// The least distance between two finder patterns in modules.
  private static let reach = 2
  /// Distance between scanned rows: at least one of them crosses the core of a finder with modules of 1.4 pixels.
  static let rowStep = 4
  /// Least difference between dark and light of a finder pattern, in grey levels.
  private static let contrastMin = 8
  /// Greatest ratio between height and width of a finder pattern: symbols are read up to a tilt of some 70 degrees.
  private static let aspectMax = 4

  private(set) var found: FinderPatterns
  private var edges: RowEdges

  /// For pictures up to `width` pixels wide.
  init(width: Int, arena: inout Arena) throws(ArenaFull) {
    found = try FinderPatterns(QRFinderSearch.finderCountMax, reach: QRFinderSearch.reach, arena: &arena)
    edges = try RowEdges(width: width, arena: &arena)
  }

  /// Adds the finder patterns of a picture, and its rings, which show in the same crossings. The scene's symbols already read
  /// are not searched again.
  ///
  /// - Returns: false if the budget was used up before the last row.
  mutating func search(
    _ picture: SearchedPicture, thresholds: ThresholdMap, firstRow: Int, rowStep: Int,
    _ bullseyes: inout BullseyeSearch?, _ scene: inout Scene
  ) -> Bool {
    let view = picture.view
    guard view.width >= 16, view.height >= 16 else { return true }
    var y = firstRow
    while y < view.height {
      let tiles = thresholds.tiles(row: y >> 3)
      if !tiles.isEmpty {
        edges.find(view, y: y, thresholds: thresholds)
        guard scene.budget.spend(tiles.count / 8 + edges.count / 8 + 1) else { return false }
        searchEdges(picture, y: y, &bullseyes, &scene)
        bullseyes?.search(edges, picture, y: y, results: scene.results, budget: &scene.budget)
      }
      y += rowStep
    }
    return true
  }

  /// Adds the faint rings of a picture, from its first row on.
  func searchRings(
    _ picture: SearchedPicture, thresholds: ThresholdMap, rowStep: Int, _ bullseyes: inout BullseyeSearch?,
    _ scene: inout Scene
  ) {
    var edges = edges
    for y in stride(from: 0, to: picture.view.height, by: rowStep) {
      let tiles = thresholds.tiles(row: y >> 3)
      if tiles.isEmpty { continue }
      edges.find(picture.view, y: y, thresholds: thresholds)
      guard scene.budget.spend(tiles.count / 8 + edges.count / 8 + 1) else { return }
      bullseyes?.search(edges, picture, y: y, results: scene.results, budget: &scene.budget)
    }
    bullseyes?.addFaintRings()
  }

  /// Tests all groups of five runs of a row, eight groups at once. The distances of like edges a, b, c, d should be 2, 4, 4
  /// and 2 modules. With their sum T, twelve modules, each may be off by 2/3 of a module and a pixel: for a, |12a - 2T| <=
  /// 2T/3 + 12. Words overflow only if T is too large for a finder.
  private mutating func searchEdges(
    _ picture: SearchedPicture, y: Int, _ bullseyes: inout BullseyeSearch?, _ scene: inout Scene
  ) {
    let count = edges.count &- 5
    guard count > 0 else { return }
    for start in stride(from: 0, to: count, by: 8) {
      let places = unsafe edges.places.base + start
      let p1 = unsafe cvector_load_words(places + 1)
      let p2 = unsafe cvector_load_words(places + 2)
      let p3 = unsafe cvector_load_words(places + 3)
      let p4 = unsafe cvector_load_words(places + 4)
      let a = unsafe p2 &- cvector_load_words(places)
      let b = p4 &- p2
      let c = p3 &- p1
      let d = unsafe cvector_load_words(places + 5) &- p3
      let twelve = a &+ b &+ c &+ d
      let slack = twelve &+ 18
      let core = p3 &- p2
      // The core is more than a third of the sum of itself and the ring around it, for any ink spread.
      let isCore = cvector_above(core &+ core &+ core, p4 &- p1)
      let outer = cvector_within((a &+ a) &* 9 &- twelve &* 3, slack) & cvector_within((d &+ d) &* 9 &- twelve &* 3, slack)
      let inner = cvector_within((b &+ b) &* 9 &- twelve &* 6, slack) & cvector_within((c &+ c) &* 9 &- twelve &* 6, slack)
      var groups = cvector_lane_bytes(isCore & outer & inner)
      while groups != 0 {
        let index = start &+ groups.trailingZeroBitCount >> 3
        if index >= count { break }
        if scene.wants(.qr) || scene.wants(.microqr) || scene.wants(.rmqr) {
          check(picture, y: y, index: index, &scene)
        }
        // A row that misses the dark module in the middle of a bullseye has runs like these, too.
        bullseyes?.check(
          edges, picture, RingCrossings(y: y, first: index, isHollow: true), results: scene.results, &scene.budget)
        groups &= ~(0xFF << UInt64(8 &* (index &- start)))
      }
    }
  }

  /// Measures the candidate given by five runs from `index` on, and adds it.
  private mutating func check(_ picture: SearchedPicture, y: Int, index: Int, _ scene: inout Scene) {
    precondition(index >= 0 && index &+ 5 < edges.count)
    scene.budget.charge(2)
    let isInverted = index & 1 == 1
    let places = unsafe edges.places.base + index
    let (left, right) = unsafe (Int(places[0]), Int(places[5]))
    let (p1, p2, p3, p4) = unsafe (Int(places[1]), Int(places[2]), Int(places[3]), Int(places[4]))
    let column = (p2 &+ p3) / 2
    let row = unsafe picture.view.place(0, y)
    let sign = isInverted ? -1 : 1
    let core = unsafe Int(row[column]) &* sign
    let ringBefore = unsafe Int(row[(p1 &+ p2) / 2]) &* sign
    let ringAfter = unsafe Int(row[(p3 &+ p4) / 2]) &* sign
    let outerBefore = unsafe Int(row[(left &+ p1) / 2]) &* sign
    let outerAfter = unsafe Int(row[(p4 &+ right) / 2]) &* sign
    let light = (ringBefore &+ ringAfter) / 2
    let dark = ((outerBefore &+ outerAfter) / 2 &+ core) / 2
    let signedThreshold = (light &+ dark) / 2
    // A single threshold must separate all five runs, unlike patches of different greys.
    guard light &- dark >= QRFinderSearch.contrastMin, core < signedThreshold, outerBefore < signedThreshold,
      outerAfter < signedThreshold, ringBefore > signedThreshold, ringAfter > signedThreshold
    else { return }
    let threshold = Threshold(value: signedThreshold &* sign, isInverted: isInverted)
    measure(FinderSighting(x: column, y: y, width: right &- left, threshold: threshold), picture, &scene)
  }

  /// Measures a finder pattern around a place of a row in three more directions, and adds it.
  @inline(never) private mutating func measure(
    _ sighting: FinderSighting, _ picture: SearchedPicture, _ scene: inout Scene
  ) {
    let (view, level, threshold) = (picture.view, picture.level, sighting.threshold)
    // The column first, as it fails most often.
    let coreMax = sighting.width * QRFinderSearch.aspectMax / 4 + 2
    guard
      let vertical = finderSection(
        view, PixelWalk(x: sighting.x, y: sighting.y, dx: 0, dy: 1), threshold, coreMax: coreMax),
      vertical.isFinder
    else { return }
    let line = max(0, min(view.height - 1, sighting.y + (vertical.middle + 128) >> 8))
    let place = picture.fullSize(sighting.x * 256, line * 256)
    if scene.results.covers(place.pixelPoint)
      || found.isKnown(place, moduleY: vertical.module << level, isInverted: threshold.isInverted)
    {
      return
    }
    guard
      let horizontal = finderSection(
        view, PixelWalk(x: sighting.x, y: line, dx: 1, dy: 0), threshold, coreMax: sighting.width),
      horizontal.isFinder,
      horizontal.module <= vertical.module * QRFinderSearch.aspectMax,
      vertical.module <= horizontal.module * QRFinderSearch.aspectMax
    else { return }
    let x = max(0, min(view.width - 1, sighting.x + (horizontal.middle + 128) >> 8))
    guard hasDiagonals(view, x: x, y: line, threshold, module: horizontal.module / 256, coreMax: coreMax) else { return }
    let center = SubpixelPoint(x: sighting.x * 256 + horizontal.middle, y: line * 256)
    found.add(
      FinderPattern(
        center: picture.fullSize(center.x, center.y), moduleX: horizontal.module << level,
        moduleY: vertical.module << level,
        threshold: plainThreshold(picture.plain, center, horizontal: horizontal, vertical: vertical),
        isInverted: threshold.isInverted))
  }

  /// The threshold between the core and the ring around it, two modules from the centre.
  private func plainThreshold(
    _ plain: LumaView, _ place: SubpixelPoint, horizontal: QRFinderSection, vertical: QRFinderSection
  ) -> Int {
    let across = 2 * horizontal.module
    let down = 2 * vertical.module
    let ring =
      interpolated(plain, place.x - across, place.y) + interpolated(plain, place.x + across, place.y)
      + interpolated(plain, place.x, place.y - down) + interpolated(plain, place.x, place.y + down)
    return (interpolated(plain, place.x, place.y) + ring / 4) / 2
  }

  /// Whether the diagonals have the runs of a finder, too. If a speck spoils a diagonal, those half a module to the left and
  /// right are tried.
  private func hasDiagonals(
    _ view: LumaView, x: Int, y: Int, _ threshold: Threshold, module: Int, coreMax: Int
  ) -> Bool {
    for dy in 0..<2 {
      var isFinder = false
      for side in 0..<3 where !isFinder {
        let start = x + (side == 0 ? 0 : side == 1 ? -max(1, module / 2) : max(1, module / 2))
        guard start >= 0, start < view.width else { continue }
        let walk = PixelWalk(x: start, y: y, dx: 1, dy: dy == 0 ? 1 : -1)
        if let section = finderSection(view, walk, threshold, coreMax: coreMax) { isFinder = section.isFinder }
      }
      if !isFinder { return false }
    }
    return true
  }
}
