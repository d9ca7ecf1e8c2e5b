// Looks for finder patterns row by row. The runs of a row are a cheap test with many false positives; each hit is measured
// in grey along a column, the row and the diagonals before it counts.

import BarcodeTypes
import CVector

/// The finder patterns of a picture, in order of discovery.
@safe struct QRFinderSearch {
  /// The most finder patterns in a picture. 80 symbols have 240; the rest is room for false candidates.
  static let finderCountMax = 1024
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
    found = try FinderPatterns(QRFinderSearch.finderCountMax, arena: &arena)
    edges = try RowEdges(width: width, arena: &arena)
  }

  /// Adds the finder patterns of a picture at `level` of the pyramid.
  ///
  /// - Parameters:
  ///   - view: the picture to search; it may be filtered.
  ///   - plain: the unfiltered picture, which gives the finders' thresholds.
  ///   - scene: its symbols already read are not searched again.
  /// - Returns: false if the budget was used up before the last row.
  mutating func search(
    _ view: LumaView, plain: LumaView, level: Int, thresholds: ThresholdMap, firstRow: Int, rowStep: Int,
    _ bullseyes: inout AztecFinderSearch?, _ scene: inout Scene
  ) -> Bool {
    guard view.width >= 16, view.height >= 16 else { return true }
    var y = firstRow
    while y < view.height {
      let tiles = thresholds.tiles(row: y >> 3)
      if !tiles.isEmpty {
        edges.find(view, y: y, thresholds: thresholds)
        guard scene.budget.spend(tiles.count / 8 + edges.count / 8 + 1) else { return false }
        searchEdges(view, plain: plain, level: level, y: y, &bullseyes, &scene)
        // The bullseyes of Aztec symbols show in the same crossings.
        bullseyes?.search(
          edges, view, plain: plain, level: level, y: y, results: scene.results, budget: &scene.budget)
      }
      y += rowStep
    }
    return true
  }

  /// Tests all groups of five runs of a row, eight groups at once. The distances of like edges a, b, c, d should be 2, 4, 4
  /// and 2 modules. With their sum T, twelve modules, each may be off by 2/3 of a module and a pixel: for a, |12a - 2T| <=
  /// 2T/3 + 12. Words overflow only if T is too large for a finder.
  private mutating func searchEdges(
    _ view: LumaView, plain: LumaView, level: Int, y: Int, _ bullseyes: inout AztecFinderSearch?, _ scene: inout Scene
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
          check(view, plain: plain, level: level, y: y, index: index, &scene)
        }
        // A row that misses the dark module in the middle of a bullseye has runs like these, too.
        bullseyes?.check(
          edges, view, plain: plain, level: level, y: y, first: index, isHollow: true, results: scene.results,
          &scene.budget)
        groups &= ~(0xFF << UInt64(8 &* (index &- start)))
      }
    }
  }

  /// Measures the candidate given by five runs from `index` on, and adds it.
  private mutating func check(_ view: LumaView, plain: LumaView, level: Int, y: Int, index: Int, _ scene: inout Scene) {
    precondition(index >= 0 && index &+ 5 < edges.count)
    scene.budget.charge(2)
    let isInverted = index & 1 == 1
    let places = unsafe edges.places.base + index
    let (left, right) = unsafe (Int(places[0]), Int(places[5]))
    let (p1, p2, p3, p4) = unsafe (Int(places[1]), Int(places[2]), Int(places[3]), Int(places[4]))
    let column = (p2 &+ p3) / 2
    let row = unsafe view.place(0, y)
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
    measure(
      view, plain: plain, level: level, x: column, y: y, width: right &- left, threshold: signedThreshold &* sign,
      isInverted: isInverted, &scene)
  }

  /// Measures a finder pattern around a place of a row in three more directions, and adds it.
  ///
  /// - Parameter width: width of the pattern in the row, in pixels.
  @inline(never) private mutating func measure(
    _ view: LumaView, plain: LumaView, level: Int, x column: Int, y: Int, width: Int, threshold: Int, isInverted: Bool,
    _ scene: inout Scene
  ) {
    var line = y
    // The column first, as it fails most often.
    let coreMax = width * QRFinderSearch.aspectMax / 4 + 2
    guard
      let vertical = finderSection(
        view, x: column, y: line, dx: 0, dy: 1, threshold: threshold, isInverted: isInverted, coreMax: coreMax),
      vertical.isFinder
    else { return }
    line = max(0, min(view.height - 1, line + (vertical.middle + 128) >> 8))
    let place = SubpixelPoint(
      x: PictureLevels.fullSize(column * 256, level: level, unit: 256),
      y: PictureLevels.fullSize(line * 256, level: level, unit: 256))
    if scene.results.covers(place.pixelPoint)
      || found.isKnown(place, moduleY: vertical.module << level, isInverted: isInverted)
    {
      return
    }
    guard
      let horizontal = finderSection(
        view, x: column, y: line, dx: 1, dy: 0, threshold: threshold, isInverted: isInverted, coreMax: width),
      horizontal.isFinder,
      horizontal.module <= vertical.module * QRFinderSearch.aspectMax,
      vertical.module <= horizontal.module * QRFinderSearch.aspectMax
    else { return }
    let x = max(0, min(view.width - 1, column + (horizontal.middle + 128) >> 8))
    guard
      hasDiagonals(
        view, x: x, y: line, threshold: threshold, isInverted: isInverted, module: horizontal.module / 256,
        coreMax: coreMax)
    else {
      return
    }
    let center = SubpixelPoint(x: column * 256 + horizontal.middle, y: line * 256)
    found.add(
      FinderPattern(
        center: SubpixelPoint(
          x: PictureLevels.fullSize(center.x, level: level, unit: 256),
          y: PictureLevels.fullSize(center.y, level: level, unit: 256)),
        moduleX: horizontal.module << level, moduleY: vertical.module << level,
        threshold: plainThreshold(plain, center, horizontal: horizontal, vertical: vertical),
        isInverted: isInverted))
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
  private func hasDiagonals(_ view: LumaView, x: Int, y: Int, threshold: Int, isInverted: Bool, module: Int, coreMax: Int)
    -> Bool
  {
    for dy in 0..<2 {
      var isFinder = false
      for side in 0..<3 where !isFinder {
        let start = x + (side == 0 ? 0 : side == 1 ? -max(1, module / 2) : max(1, module / 2))
        guard start >= 0, start < view.width else { continue }
        if let section = finderSection(
          view, x: start, y: y, dx: 1, dy: dy == 0 ? 1 : -1, threshold: threshold, isInverted: isInverted, coreMax: coreMax)
        {
          isFinder = section.isFinder
        }
      }
      if !isFinder { return false }
    }
    return true
  }
}
