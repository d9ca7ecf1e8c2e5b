// Reads the Han Xin symbols of a region: position detection patterns, grid, function information, codewords, message.

import BarcodeTypes

/// The content of the function information (ISO/IEC 20830 §5.6).
struct HanXinInformation: BitwiseCopyable {
  var version: Int
  /// Of error correction, 0...3.
  var level: Int
  var mask: Int
}

/// Reads the symbols of regions.
@safe struct HanXinReader {
  /// The longest side of a searched picture, in pixels: that of the largest symbol with modules of three pixels.
  private static let sideMax = 640
  /// The most symbols in a region.
  private static let symbolCountMax = 8
  /// Greatest share of function modules with the wrong colour, in percent.
  private static let wrongPercentMax = 30
  /// Modules between the middles of the squares of two patterns on a side, and the symbol's side.
  private static let sideInset = 11
  /// The middle of the square at the bottom left in modules, from the left and from the bottom; others lie at `inset`.
  private static let outerInset = 384
  private static let inset = 1408
  /// Least share of right modules of the patterns at three corners, in percent.
  private static let patternPercentMin = 66
  /// Least number of right modules of a pattern of 49, and of all three, without perspective.
  private static let (cornerModuleMin, cornerModulesMin) = (26, 88)
  /// Number of places that are tried for the pattern at the bottom left.
  private static let outerAttemptCount = 4
  /// Rounds in which the fourth corner moves to where it explains the pattern at the bottom left.
  private static let cornerRoundCount = 4

  private var layout: HanXinLayout
  private var finder: HanXinFinder
  private let values: ModuleValues
  private let stream: ScratchArray<UInt16>
  private let certainty: ScratchArray<Int16>
  private let data: ScratchArray<UInt8>
  private let block: CodewordBlock
  private let information: CodewordBlock
  private let reedSolomon: ReedSolomon<GaloisField>
  private let informationCode: ReedSolomon<GaloisField>

  init(_ scene: inout Scene) throws(ArenaFull) {
    layout = try HanXinLayout(arena: &scene.arena)
    finder = try HanXinFinder(arena: &scene.arena)
    values = try ModuleValues(HanXinLayout.sizeMax * HanXinLayout.sizeMax, arena: &scene.arena)
    stream = try ScratchArray(HanXinTables.codewordCountMax, arena: &scene.arena)
    certainty = try ScratchArray(HanXinTables.codewordCountMax, arena: &scene.arena)
    data = try ScratchArray(HanXinTables.codewordCountMax, arena: &scene.arena)
    block = try CodewordBlock(HanXinTables.blockCountMax, arena: &scene.arena)
    information = try CodewordBlock(7, arena: &scene.arena)
    let field = try GaloisField(polynomial: HanXinTables.polynomial, arena: &scene.arena)
    reedSolomon = try ReedSolomon(
      field: field, firstRoot: 1, checkCountMax: HanXinTables.checkCountMax, arena: &scene.arena)
    let smallField = try GaloisField(polynomial: HanXinTables.informationPolynomial, arena: &scene.arena)
    informationCode = try ReedSolomon(field: smallField, firstRoot: 1, checkCountMax: 4, arena: &scene.arena)
  }

  /// Reads the symbols of a region; its surroundings are searched. Returns their number.
  mutating func readRegion(_ region: PixelRegion, in surroundings: PixelRegion, _ scene: inout Scene) -> Int {
    var level = 0
    while level < PictureLevels.levelMax, max(region.width, region.height) >> level > HanXinReader.sideMax { level += 1 }
    // A study of a still picture has the work for large symbols, and also tries a larger and a smaller size.
    var readCount = read(surroundings, level: level, &scene)
    guard scene.attempt >= .study, scene.effort == .still else { return readCount }
    if readCount == 0, level > 0 { readCount = read(surroundings, level: level - 1, &scene) }
    if readCount == 0, level < PictureLevels.levelMax { readCount = read(surroundings, level: level + 1, &scene) }
    return readCount
  }

  /// Reads the symbols of the whole picture, without the help of tiles.
  mutating func readWhole(_ scene: inout Scene) {
    let whole = PixelRegion(x: 0, y: 0, width: scene.luma.width, height: scene.luma.height)
    _ = readRegion(whole, in: whole, &scene)
  }

  private mutating func read(_ region: PixelRegion, level: Int, _ scene: inout Scene) -> Int {
    let (picture, found) = scene.levels.picture(level)
    let scaled = PixelRegion(
      x: region.x >> level, y: region.y >> level, width: max(1, region.width >> level),
      height: max(1, region.height >> level))
    guard found == level, let (view, x, y) = picture.cropped(to: scaled), view.width >= 24, view.height >= 24,
      scene.budget.spend(view.width * view.height / 12)
    else { return 0 }
    let mark = scene.arena.mark
    defer { scene.arena.release(to: mark) }
    guard let sharpened = try? SharpenedPicture(of: view, .linear, arena: &scene.arena),
      let thresholds = try? unsafe ThresholdMap(
        columns: sharpened.columns, rows: sharpened.rows, minimum: sharpened.minimum, maximum: sharpened.maximum,
        contrastMax: SharpenedPicture.contrastMax, arena: &scene.arena),
      var edges = try? RowEdges(width: view.width, arena: &scene.arena)
    else { return 0 }
    finder.search(sharpened.view, thresholds, &edges, &scene.budget)
    guard finder.count >= 3 else { return 0 }
    let sight = Sight(view: picture, level: level, isInverted: false)
    var readCount = 0
    for a in 0..<finder.count {
      for b in 0..<finder.count where b != a && hasLikeModules(a, b) {
        guard scene.budget.spend(1 + finder.count / 8) else { return readCount }
        for c in 0..<finder.count
        where c != a && c != b && hasLikeModules(a, c) && isCorner(a, b, c)
          && readCount < HanXinReader.symbolCountMax
        {
          if readCorners(finder.patterns[a], finder.patterns[b], finder.patterns[c], x: x, y: y, sight, &scene) {
            readCount += 1
          }
        }
      }
    }
    return readCount
  }

  private func hasLikeModules(_ a: Int, _ b: Int) -> Bool {
    let (a, b) = (finder.patterns[a].module, finder.patterns[b].module)
    return 2 * a < 3 * b && 2 * b < 3 * a
  }

  /// Whether the lines from the second pattern to the others have like lengths and nearly a right angle, and the lines of the patterns
  /// lie outside: by more than a sixth of a step on average.
  private func isCorner(_ a: Int, _ b: Int, _ c: Int) -> Bool {
    let (first, middle, last) = (finder.patterns[a], finder.patterns[b], finder.patterns[c])
    let (ux, uy) = (middle.center.x - first.center.x, middle.center.y - first.center.y)
    let (vx, vy) = (last.center.x - middle.center.x, last.center.y - middle.center.y)
    let (u, v) = (ux * ux + uy * uy, vx * vx + vy * vy)
    guard u * 4 < v * 9, v * 4 < u * 9, abs(ux * vx + uy * vy) * 4 < u + v else { return false }
    let outward =
      first.outward(-ux - vx, -uy - vy) + middle.outward(ux - vx, uy - vy) + last.outward(ux + vx, uy + vy)
    return outward > 0 && 4 * outward * outward > u + v
  }

  /// Reads the symbol with patterns at the top left, top right and bottom right.
  private mutating func readCorners(
    _ a: HanXinPattern, _ b: HanXinPattern, _ c: HanXinPattern, x: Int, y: Int, _ sight: Sight, _ scene: inout Scene
  ) -> Bool {
    let side = (across: distance(a.center, b.center), down: distance(b.center, c.center))
    let (ux, uy) = (b.center.x - a.center.x, b.center.y - a.center.y)
    let (vx, vy) = (c.center.x - b.center.x, c.center.y - b.center.y)
    let module = (a.module + b.module + c.module) / 3
    guard module > 0, side.across > 0 else { return false }
    // Patterns are wider in rows and columns that cross them at an angle.
    let longer = max(abs(ux), abs(uy))
    let straight = module * longer / max(1, side.across)
    let most = (side.across + side.down) / (2 * max(1, straight)) + HanXinReader.sideInset
    let least = (side.across + side.down) / (2 * module) + HanXinReader.sideInset
    guard least <= HanXinLayout.sizeMax + 6, most >= 20 else { return false }
    func fullSize(_ point: SubpixelPoint) -> SubpixelPoint {
      SubpixelPoint(
        x: PictureLevels.fullSize(point.x + x * 256, level: sight.level, unit: 256),
        y: PictureLevels.fullSize(point.y + y * 256, level: sight.level, unit: 256))
    }
    if scene.results.covers(
      fullSize(SubpixelPoint(x: (a.center.x + c.center.x) / 2, y: (a.center.y + c.center.y) / 2)).pixelPoint)
    {
      return false
    }
    // The patterns hardly differ between sizes next to each other.
    var shown = (isPattern: false, modules: 0)
    for size in stride(from: max(23, (least - 2) | 1), through: min(HanXinLayout.sizeMax, most + 3), by: 2) {
      guard scene.budget.spend(30) else { return false }
      // Where the pattern at the bottom left would be without perspective.
      let modules = size - HanXinReader.sideInset
      let expected = SubpixelPoint(
        x: a.center.x - 4 * ux / modules + (size - 7) * vx / modules,
        y: a.center.y - 4 * uy / modules + (size - 7) * vy / modules)
      if 16 * (modules - shown.modules) > modules {
        let middles = [fullSize(a.center), fullSize(b.center), fullSize(c.center)] as [3 of SubpixelPoint]
        shown = (showsPatterns(middles, modules: modules, sight), modules)
      }
      guard shown.isPattern else { continue }
      // The patterns nearest to that, then the place itself.
      var least = -1
      for attempt in 0..<HanXinReader.outerAttemptCount {
        var nearest = expected
        var best = max(3 * module, (side.across + side.down) / 8)
        for index in 0..<finder.innerCount where attempt < HanXinReader.outerAttemptCount - 1 {
          let away = distance(finder.inner[index].center, expected)
          if away > least, away < best { (best, nearest) = (away, finder.inner[index].center) }
        }
        if nearest == expected { least = Int.max - 1 } else { least = best }
        guard scene.budget.spend(10),
          let grid = HanXinReader.grid(
            size, fullSize(a.center), fullSize(b.center), fullSize(c.center), fullSize(nearest))
        else { break }
        if read(grid, sight, isMirrored: ux * vy - uy * vx < 0, &scene) { return true }
        if nearest == expected { break }
      }
    }
    return false
  }

  /// The grid through the middles of the patterns' squares; nil if they form no quadrilateral.
  private static func grid(
    _ size: Int, _ a: SubpixelPoint, _ b: SubpixelPoint, _ c: SubpixelPoint, _ d: SubpixelPoint
  ) -> ModuleGrid? {
    var fourth = SubpixelPoint(x: a.x + c.x - b.x, y: a.y + c.y - b.y)
    var grid: ModuleGrid?
    for _ in 0..<cornerRoundCount {
      grid = ModuleGrid(
        columns: size, rows: size, quad: SubpixelQuad(topLeft: a, topRight: b, bottomRight: c, bottomLeft: fourth),
        inset: inset)
      guard let found = grid else { return nil }
      let place = found.flatPlace(outerInset, size * 256 - outerInset)
      fourth.x += d.x - place.x
      fourth.y += d.y - place.y
    }
    return grid
  }

  private mutating func read(_ rough: ModuleGrid, _ sight: Sight, isMirrored: Bool, _ scene: inout Scene) -> Bool {
    guard hasPatterns(rough, sight), let found = readInformation(rough, sight) else { return false }
    layout.prepare(version: found.version)
    guard scene.budget.spend(rough.columns * rough.rows / 2) else { return false }
    values.read(rough, sight)
    let (count, wrong) = values.functionModules(layout.modules, count: layout.size * layout.size)
    guard wrong * 100 <= count * HanXinReader.wrongPercentMax else { return false }
    if readCodewords(rough, found, sight, isMirrored: isMirrored, usesErasures: false, &scene) { return true }
    let refiner = values.refiner(rough, sight, roles: layout.modules)
    let grid = refiner.refined(rough, budget: &scene.budget)
    if readDegrees(grid, found, sight, isMirrored: isMirrored, &scene) { return true }
    guard scene.effort == .still else { return false }
    values.read(grid, sight)
    let bent = values.refiner(grid, sight, roles: layout.modules).bent(grid, budget: &scene.budget)
    return readDegrees(bent, found, sight, isMirrored: isMirrored, &scene)
  }

  private func readDegrees(
    _ grid: ModuleGrid, _ found: HanXinInformation, _ sight: Sight, isMirrored: Bool, _ scene: inout Scene
  ) -> Bool {
    values.sample(grid, sight)
    for index in ModuleValues.decisions.indices {
      guard scene.budget.spend(grid.columns * grid.rows / 4) else { return false }
      values.decide(grid, sight, by: ModuleValues.decisions[index])
      if readCodewords(grid, found, sight, isMirrored: isMirrored, usesErasures: true, &scene) { return true }
    }
    return false
  }

  // MARK: Function information

  /// Whether the modules around three corners' squares are those of the patterns, without perspective: a cheap test that rejects most
  /// false candidates. Its first corner is the one between the others.
  private func showsPatterns(_ middles: [3 of SubpixelPoint], modules: Int, _ sight: Sight) -> Bool {
    let size = HanXinLayout.finderSize
    let across = SubpixelPoint(x: (middles[1].x - middles[0].x) / modules, y: (middles[1].y - middles[0].y) / modules)
    let down = SubpixelPoint(x: (middles[2].x - middles[1].x) / modules, y: (middles[2].y - middles[1].y) / modules)
    var right = 0
    for turn in 0..<3 {
      let corner = (turn + 1) % 3
      // The square's middle is two modules from the inner sides of a pattern.
      let (column, row) = (corner == 0 ? 5 : 1, corner == 2 ? 1 : 5)
      var greys: [49 of Int] = .init(repeating: 0)
      var sum = 0
      for place in 0..<49 {
        let (u, v) = (place % size - column, place / size - row)
        greys[place] = sight.sample(
          SubpixelPoint(
            x: middles[corner].x + u * across.x + v * down.x, y: middles[corner].y + u * across.y + v * down.y))
        sum += greys[place]
      }
      let known = right
      for place in 0..<49 {
        let isDark = HanXinLayout.isFinderDark(corner, row: place / size, column: place % size)
        if (greys[place] * 49 < sum) == isDark { right += 1 }
      }
      guard right - known >= HanXinReader.cornerModuleMin else { return false }
    }
    return right >= HanXinReader.cornerModulesMin
  }

  /// Whether the modules at three corners are those of the patterns, by their sign against the mean of each.
  private func hasPatterns(_ grid: ModuleGrid, _ sight: Sight) -> Bool {
    let last = grid.columns - HanXinLayout.finderSize
    var right = 0
    for corner in 0..<3 {
      var greys: [49 of Int] = .init(repeating: 0)
      var sum = 0
      for place in 0..<49 {
        let row = place / HanXinLayout.finderSize + (corner == 2 ? last : 0)
        let column = place % HanXinLayout.finderSize + (corner > 0 ? last : 0)
        greys[place] = sight.sample(grid.flatPlace(column * 256 + 128, row * 256 + 128))
        sum += greys[place]
      }
      for place in 0..<49 {
        let isDark = HanXinLayout.isFinderDark(corner, row: place / 7, column: place % 7)
        if (greys[place] * 49 < sum) == isDark { right += 1 }
      }
    }
    return right * 100 >= 3 * 49 * HanXinReader.patternPercentMin
  }

  /// The function information, whose two copies are added up; nil if it does not have the grid's version.
  private func readInformation(_ grid: ModuleGrid, _ sight: Sight) -> HanXinInformation? {
    let size = grid.columns
    var greys: [28 of Int] = .init(repeating: 0)
    var sum = 0
    for bit in 0..<HanXinLayout.informationBitCount {
      for copy in 0..<2 {
        let (row, column) = HanXinLayout.informationPlace(bit, copy: copy, size: size)
        greys[bit] += sight.sample(grid.flatPlace(column * 256 + 128, row * 256 + 128))
      }
      sum += greys[bit]
    }
    // The threshold is that of the patterns next to it: as many modules are dark as light.
    var known = 0
    for place in 0..<HanXinLayout.informationBitCount {
      let isDark = place & 1 == 0
      let along = (place / 2) % 7
      let v = isDark ? 128 : 384
      let u = along * 256 + 128
      known +=
        place < 14
        ? sight.sample(grid.flatPlace(u + (isDark ? 0 : 256), v))
        : sight.sample(grid.flatPlace(size * 256 - u - (isDark ? 0 : 256), size * 256 - v))
    }
    let threshold = 2 * known / HanXinLayout.informationBitCount
    for place in 0..<7 {
      var codeword: UInt16 = 0
      for bit in 0..<4 { codeword = codeword << 1 | (greys[place * 4 + bit] < threshold ? 1 : 0) }
      information.codewords[place] = codeword
    }
    guard
      informationCode.correct(
        information.codewords, count: 7, checkCount: 4, erasures: information.erasures, erasureCount: 0, correctionMax: 2)
        != nil
    else { return nil }
    let version = (Int(information.codewords[0]) << 4 | Int(information.codewords[1])) - 20
    guard version >= 1, version <= HanXinTables.versionMax, HanXinTables.size(version: version) == size else { return nil }
    let last = Int(information.codewords[2])
    return HanXinInformation(version: version, level: last >> 2, mask: last & 3)
  }

  // MARK: Codewords

  private func readCodewords(
    _ grid: ModuleGrid, _ found: HanXinInformation, _ sight: Sight, isMirrored: Bool, usesErasures: Bool,
    _ scene: inout Scene
  ) -> Bool {
    collect(found)
    guard let (dataCount, cost) = correct(found, usesErasures: usesErasures) else { return false }
    var messageReader = HanXinMessageReader(data, count: dataCount)
    return scene.results.report(
      messageReader.read(into: &scene.results), as: .hanxin,
      SymbolAppearance(corners: grid.corners, isInverted: sight.isInverted, isMirrored: isMirrored), cost)
  }

  /// Collects the codewords, row by row, in the order of the stream.
  private func collect(_ found: HanXinInformation) {
    let size = layout.size
    let count = HanXinTables.codewordCount(version: found.version)
    var collector = CodewordCollector()
    var (pass, place) = (0, 0)
    func finish() {
      stream[place] = UInt16(collector.codeword)
      certainty[place] = collector.least
      place += HanXinTables.passCount
      if place >= count {
        pass += 1
        place = pass
      }
      collector = CodewordCollector()
    }
    for row in 0..<size {
      for column in 0..<size where layout.modules[row * size + column] == ModuleRole.data && place < count {
        collector.add(
          values.values[row * size + column], isMasked: HanXinTables.isMasked(found.mask, row: row, column: column))
        if collector.bitCount == 8 { finish() }
      }
    }
    // Modules that the standard leaves over are too few for a codeword.
    while place < count, pass < HanXinTables.passCount {
      collector.least = 0
      finish()
    }
  }

  /// Corrects all blocks. Returns the number of data codewords; nil if a block cannot be corrected.
  private func correct(_ found: HanXinInformation, usesErasures: Bool) -> (dataCount: Int, cost: Correction)? {
    var cost = Correction()
    var first = 0
    var dataCount = 0
    for group in 0..<3 {
      let blocks = HanXinTables.blocks(version: found.version, level: found.level, group: group)
      for _ in 0..<blocks.count {
        let count = blocks.dataCount + blocks.checkCount
        for position in 0..<count {
          block.codewords[position] = stream[first + position]
          block.certainty[position] = certainty[first + position]
        }
        // Two check codewords detect errors beyond correction in the least protected symbols.
        guard
          let correction = block.correct(
            reedSolomon, count: count, checkCount: blocks.checkCount,
            correctionMax: blocks.checkCount <= 6 ? (blocks.checkCount - 2) / 2 : blocks.checkCount / 2,
            step: usesErasures ? 2 : 0)
        else { return nil }
        cost.add(correction)
        for position in 0..<blocks.dataCount {
          data[dataCount + position] = UInt8(truncatingIfNeeded: block.codewords[position])
        }
        dataCount += blocks.dataCount
        first += count
      }
    }
    return (dataCount, cost)
  }
}
