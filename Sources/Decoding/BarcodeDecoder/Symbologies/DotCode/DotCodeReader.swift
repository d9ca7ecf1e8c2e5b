// Reads the DotCode symbols of a region: dots, lattice, grid, codewords, message. A dot that is missing or too many makes a pattern
// that no codeword has, and its codeword an erasure.

import BarcodeTypes

/// Reads the symbols of regions.
@safe struct DotCodeReader {
  /// The longest side of a searched picture, in pixels.
  private static let sideMax = 800
  /// The longest side of a region in a camera frame that is searched at full and at half size, in pixels. Longer ones are searched at
  /// smaller sizes.
  private static let glanceSideMax = 400
  /// The side of the middle of a region, in pixels: 50 places for dots of the widest steps.
  private static let middleSide = 64
  /// Rounds in which the threshold between dots and their absence is found.
  private static let thresholdRoundCount = 4
  /// The most choices of columns and rows that are tried per grid.
  private static let triedTrimsMax = 16
  /// Least share of codewords whose dots are all darker than the threshold between dots and light, and the other places all
  /// lighter, in percent, and beyond it, in hundredths of a codeword: of wrong grids, one in four is clear by chance.
  private static let clearPercentMin = 45
  private static let clearBeyond = 250
  /// The least such share for which a grid is read again with other degrees of sharpening.
  private static let hopefulPercentMin = 30
  /// The least difference between places for dots and those between them, as a divisor of the sum of all differences from the mean.
  private static let contrastDivisor = 4
  /// A grid is wrong if the first `sampleCount` codewords have fewer than `sampleClearMin` clear ones.
  private static let sampleCount = 8
  private static let sampleClearMin = 2
  /// The columns or rows along each side in which dots show that the symbol goes on: an odd one may have few.
  private static let besideCount = 2
  /// The greatest share of places with dots in them, as a divisor: of a symbol's places, five in nine have dots.
  private static let besideDivisor = 3
  /// Check codewords that stay unused, to recognise wrong symbols.
  private static let spareCheckCount = 2

  private var lattice: DotCodeLattice
  /// The greatest share of clear codewords among the choices tried for a grid, in percent.
  private var clearMost = 0
  private let values: ModuleValues
  private let roles: ScratchArray<UInt8>
  /// The codeword of each pattern of nine dots; 255 for others.
  private let codewordOfPattern: ScratchArray<UInt8>
  private let stream: ScratchArray<UInt16>
  /// How much the dots of each codeword differ from its other places; -1 for patterns that belong to no codeword.
  private let certainty: ScratchArray<Int16>
  /// Whether the dots of each codeword are all darker than the threshold, and its other places all lighter.
  private let isClear: ScratchArray<Bool>
  private let block: CodewordBlock
  private let data: ScratchArray<UInt8>
  private let reedSolomon: ReedSolomon<PrimeField113>

  init(_ scene: inout Scene) throws(ArenaFull) {
    lattice = try DotCodeLattice(arena: &scene.arena)
    let placeCount = DotCodeTables.sideMax * DotCodeTables.sideMax
    values = try ModuleValues(placeCount, arena: &scene.arena)
    roles = try ScratchArray(placeCount, arena: &scene.arena)
    codewordOfPattern = try ScratchArray(512, arena: &scene.arena)
    stream = try ScratchArray(DotCodeTables.codewordCountMax, arena: &scene.arena)
    certainty = try ScratchArray(DotCodeTables.codewordCountMax, arena: &scene.arena)
    isClear = try ScratchArray(DotCodeTables.codewordCountMax, arena: &scene.arena)
    data = try ScratchArray(DotCodeTables.codewordCountMax, arena: &scene.arena)
    block = try CodewordBlock(DotCodeTables.blockCountMax, arena: &scene.arena)
    reedSolomon = try ReedSolomon(
      field: PrimeField113(arena: &scene.arena), firstRoot: 1, checkCountMax: DotCodeTables.blockCountMax / 2,
      arena: &scene.arena)
    codewordOfPattern.fill(255, count: 512)
    for codeword in 0..<DotCodeTables.codewordValueCount {
      codewordOfPattern[Int(DotCodeTables.patterns[codeword])] = UInt8(codeword)
    }
  }

  /// Reads the symbol of a region; its surroundings are searched. Returns the number of symbols.
  mutating func readRegion(_ region: PixelRegion, in surroundings: PixelRegion, _ scene: inout Scene) -> Int {
    read(surroundings, isWhole: false, &scene) ? 1 : 0
  }

  /// Reads the symbol of the whole picture, without the help of tiles: blurred dots have weak gradients.
  mutating func readWhole(_ scene: inout Scene) {
    let whole = PixelRegion(x: 0, y: 0, width: scene.luma.width, height: scene.luma.height)
    _ = read(whole, isWhole: true, &scene)
  }

  /// The levels of a region that are searched, and how many of them: dots of two to four pixels first. A glance tries those that fit
  /// its size.
  private func levels(_ region: PixelRegion, _ effort: Effort) -> (order: [4 of Int], count: Int) {
    guard effort == .frame else { return ([1, 0, 2, 3], 4) }
    var level = 0
    while level + 1 < PictureLevels.levelMax, max(region.width, region.height) >> level > DotCodeReader.glanceSideMax {
      level += 1
    }
    return ([level + 1, level, 0, 0], 2)
  }

  /// Finds the lattice of a region at several levels, and reads the clearest ones first.
  private mutating func read(_ region: PixelRegion, isWhole: Bool, _ scene: inout Scene) -> Bool {
    let levels = levels(region, scene.effort)
    var lattices: [4 of DotGrid?] = .init(repeating: nil)
    for index in 0..<levels.count {
      lattices[index] = findLattice(region, level: levels.order[index], isWhole: isWhole, &scene)
    }
    for _ in 0..<levels.count {
      var best = -1
      for index in 0..<levels.count {
        if let dots = lattices[index], best < 0 || dots.clarity > lattices[best]?.clarity ?? 0 { best = index }
      }
      guard best >= 0, let dots = lattices[best] else { return false }
      let level = levels.order[best]
      lattices[best] = nil
      // The centres of the corner places are half a module inside the symbol's sides.
      if let rough = ModuleGrid(columns: dots.columns, rows: dots.rows, quad: dots.quad, inset: 128),
        readGrid(rough, Sight(view: scene.levels.picture(level).view, level: level, isInverted: false), &scene)
      {
        return true
      }
    }
    return false
  }

  /// The lattice of a region at a level, in pixels at full size. Returns nil without a lattice. Unless the region is the whole
  /// picture, its middle must show one: most regions are print.
  private mutating func findLattice(
    _ region: PixelRegion, level: Int, isWhole: Bool, _ scene: inout Scene
  ) -> DotGrid? {
    let (picture, found) = scene.levels.picture(level)
    let scaled = PixelRegion(
      x: region.x >> level, y: region.y >> level, width: max(1, region.width >> level),
      height: max(1, region.height >> level))
    guard max(scaled.width, scaled.height) <= DotCodeReader.sideMax, found == level,
      let (view, x, y) = picture.cropped(to: scaled), view.width >= 16, view.height >= 16,
      isWhole || middleHasLattice(view, &scene), scene.budget.spend(view.width * view.height / 6)
    else { return nil }
    let mark = scene.arena.mark
    defer { scene.arena.release(to: mark) }
    guard let sharpened = try? SharpenedPicture(of: view, .linear, arena: &scene.arena),
      lattice.findDots(sharpened.view, arena: &scene.arena),
      var dots = lattice.grid(view, arena: &scene.arena, budget: &scene.budget)
    else { return nil }
    for corner in 0..<4 {
      let place = dots.quad[corner]
      dots.quad[corner] = SubpixelPoint(
        x: PictureLevels.fullSize(place.x + x * 256, level: level, unit: 256),
        y: PictureLevels.fullSize(place.y + y * 256, level: level, unit: 256))
    }
    return dots
  }

  /// Whether the dots in the middle of a region have frequent steps from one to the next.
  private mutating func middleHasLattice(_ view: LumaView, _ scene: inout Scene) -> Bool {
    let side = DotCodeReader.middleSide
    guard view.width > 2 * side || view.height > 2 * side else { return true }
    let (width, height) = (min(side, view.width), min(side, view.height))
    let middle = PixelRegion(x: (view.width - width) / 2, y: (view.height - height) / 2, width: width, height: height)
    guard scene.budget.spend(width * height / 6), let (part, _, _) = view.cropped(to: middle) else { return false }
    let mark = scene.arena.mark
    defer { scene.arena.release(to: mark) }
    guard let sharpened = try? SharpenedPicture(of: part, .linear, arena: &scene.arena) else { return false }
    return lattice.findDots(sharpened.view, arena: &scene.arena)
      && lattice.hasSteps(part, arena: &scene.arena, budget: &scene.budget)
  }

  // MARK: Grid

  /// Reads the symbol of a grid, whose places for dots have an even sum of column and row in one of its turns.
  private mutating func readGrid(_ rough: ModuleGrid, _ sight: Sight, _ scene: inout Scene) -> Bool {
    for parity in 0..<2 {
      setRoles(columns: rough.columns, rows: rough.rows, parity: parity)
      values.read(rough, sight)
      var (dark, light, sum) = (0, 0, 0)
      for place in 0..<(rough.columns * rough.rows) {
        let value = Int(values.values[place])
        if roles[place] == ModuleRole.data { dark += value } else { light += value }
        sum += abs(value)
      }
      // No dots lie between the places for dots.
      guard (dark - light) * DotCodeReader.contrastDivisor > sum else { continue }
      // The dots show the places well; moving the grid costs more.
      clearMost = 0
      if readPlaced(rough, sight, parity: parity, degreeCount: 1, &scene) { return true }
      guard scene.effort == .still || clearMost >= DotCodeReader.hopefulPercentMin else { continue }
      values.read(rough, sight)
      let grid = values.refiner(rough, sight, roles: roles).refined(rough, budget: &scene.budget)
      if readPlaced(grid, sight, parity: parity, degreeCount: ModuleValues.dotDegrees.count, &scene) { return true }
    }
    return false
  }

  private func setRoles(columns: Int, rows: Int, parity: Int) {
    for row in 0..<rows {
      for column in 0..<columns {
        roles[row * columns + column] = (row + column) & 1 == parity ? ModuleRole.data : ModuleRole.light
      }
    }
  }

  private mutating func readPlaced(
    _ grid: ModuleGrid, _ sight: Sight, parity: Int, degreeCount: Int, _ scene: inout Scene
  ) -> Bool {
    values.sample(grid, sight)
    for index in 0..<degreeCount {
      values.decide(grid, sight, sharpening: ModuleValues.dotDegrees[index])
      let threshold = self.threshold(grid)
      let trims = DotTrims(values, roles: roles, columns: grid.columns, rows: grid.rows, threshold: threshold)
      var triedCount = 0
      for penalty in trims.least...(trims.least + DotTrims.penaltyRange) {
        for left in 0..<DotTrims.count {
          for right in 0..<DotTrims.count where trims[.left, left] + trims[.right, right] <= penalty {
            for top in 0..<DotTrims.count {
              for bottom in 0..<DotTrims.count
              where trims[.left, left] + trims[.right, right] + trims[.top, top] + trims[.bottom, bottom] == penalty {
                let (columns, rows) = (grid.columns - left - right, grid.rows - top - bottom)
                guard (columns + rows) & 1 == 1, min(columns, rows) >= DotCodeTables.sideMin else { continue }
                guard triedCount < DotCodeReader.triedTrimsMax, scene.budget.spend(columns * rows / 4) else { continue }
                triedCount += 1
                for turn in 0..<8 {
                  let view = DotView(
                    columns: columns, rows: rows, left: left, top: top, width: grid.columns, turn: turn,
                    threshold: threshold)
                  // A symbol turned by a quarter is the same as one with rows and columns exchanged: it is wide rather than high.
                  guard view.size.columns > view.size.rows,
                    (view.place(0, 0) / grid.columns + view.place(0, 0) % grid.columns) & 1 == parity
                  else { continue }
                  if readCodewords(view, grid, sight, &scene) { return true }
                }
              }
            }
          }
        }
      }
      guard clearMost >= DotCodeReader.hopefulPercentMin else { return false }
    }
    return false
  }

  /// The value between those of dots and of their absence, by the means of both.
  private func threshold(_ grid: ModuleGrid) -> Int {
    var threshold = 0
    for _ in 0..<DotCodeReader.thresholdRoundCount {
      var (dark, darkCount, light, lightCount) = (0, 1, 0, 1)
      for place in 0..<(grid.columns * grid.rows) where roles[place] == ModuleRole.data {
        let value = Int(values.values[place])
        if value > threshold {
          (dark, darkCount) = (dark + value, darkCount + 1)
        } else {
          (light, lightCount) = (light + value, lightCount + 1)
        }
      }
      threshold = (dark / darkCount + light / lightCount) / 2
    }
    return threshold
  }

  // MARK: Codewords

  /// A part of the grid, turned or mirrored.
  private struct DotView {
    let columns: Int
    let rows: Int
    let left: Int
    let top: Int
    let width: Int
    /// Quarter turns, plus 4 if mirrored.
    let turn: Int
    let threshold: Int

    var isTurned: Bool { turn & 1 == 1 }
    /// Columns and rows of the symbol.
    var size: (columns: Int, rows: Int) { isTurned ? (rows, columns) : (columns, rows) }

    /// The index in the grid of a column and row of the symbol.
    func place(_ column: Int, _ row: Int) -> Int {
      let (w, h) = size
      let column = turn >= 4 ? w - 1 - column : column
      let (x, y): (Int, Int) =
        switch turn & 3 {
        case 0: (column, row)
        case 1: (h - 1 - row, column)
        case 2: (w - 1 - column, h - 1 - row)
        default: (row, w - 1 - column)
        }
      return (top + y) * width + left + x
    }
  }

  private mutating func readCodewords(
    _ view: DotView, _ grid: ModuleGrid, _ sight: Sight, _ scene: inout Scene
  ) -> Bool {
    let (columns, rows) = view.size
    let dataCount = DotCodeTables.dataCount(columns: columns, rows: rows)
    guard dataCount > 0 else { return false }
    let checkCount = 3 + dataCount / 2
    let count = dataCount + checkCount + 1
    guard count <= stream.count else { return false }
    let clearPercent = collect(view, count: count, onlyClear: true)
    clearMost = max(clearMost, clearPercent)
    let least = min(100, DotCodeReader.clearPercentMin + DotCodeReader.clearBeyond / (count - 1))
    guard clearPercent >= least else { return false }
    _ = collect(view, count: count, onlyClear: false)
    let cost = correct(dataCount: dataCount + 1, count: count, usesErasures: scene.effort == .still)
    guard let cost, stream[0] < 4, !goesOn(view, grid, sight) else { return false }
    let step = DotCodeTables.maskSteps[Int(stream[0])]
    for index in 0..<dataCount {
      let value = Int(stream[index + 1]) - step * index % DotCodeTables.codewordValueCount
      data[index] = UInt8((value + DotCodeTables.codewordValueCount) % DotCodeTables.codewordValueCount)
    }
    var messageReader = DotCodeMessageReader(data, count: dataCount)
    let (right, bottom) = (view.left + view.columns, view.top + view.rows)
    func corner(_ column: Int, _ row: Int) -> PixelPoint { grid.place(column * 256, row * 256).pixelPoint }
    let corners = Quad(
      topLeft: corner(view.left, view.top), topRight: corner(right, view.top), bottomRight: corner(right, bottom),
      bottomLeft: corner(view.left, bottom))
    var quad = corners
    if view.turn >= 4 {
      quad = Quad(
        topLeft: corners.topRight, topRight: corners.topLeft, bottomRight: corners.bottomLeft,
        bottomLeft: corners.bottomRight)
    }
    for _ in 0..<(view.turn & 3) {
      quad = Quad(
        topLeft: quad.topRight, topRight: quad.bottomRight, bottomRight: quad.bottomLeft, bottomLeft: quad.topLeft)
    }
    return scene.results.report(
      messageReader.read(into: &scene.results), as: .dotcode,
      SymbolAppearance(corners: quad, isInverted: sight.isInverted, isMirrored: view.turn >= 4), cost)
  }

  /// Collects the codewords in the order of the dots: of the nine places of a codeword, the five darkest have dots. Returns the
  /// share of clear codewords, in percent. If `onlyClear`, it counts these and collects nothing.
  private func collect(_ view: DotView, count: Int, onlyClear: Bool) -> Int {
    let (columns, rows) = view.size
    var places = DotPlaces()
    var (found, clearCount) = (0, 0)
    func add(_ column: Int, _ row: Int) {
      places.add(Int(values.values[view.place(column, row)]) - view.threshold)
      guard places.count == (found == 0 ? DotCodeTables.maskDotCount : DotCodeTables.codewordDotCount) else { return }
      let darkBits = places.darkBits
      if found == 0 {
        (stream[0], certainty[0], isClear[0]) = (UInt16(darkBits), Int16.max, true)
      } else {
        isClear[found] = codewordOfPattern[darkBits] != 255
        if isClear[found] { clearCount += 1 }
        if !onlyClear {
          let (pattern, certain) = places.darkest
          stream[found] = UInt16(codewordOfPattern[pattern])
          certainty[found] = Int16(clamping: certain)
          if stream[found] == 255 { (stream[found], certainty[found]) = (0, -1) }
        }
      }
      found += 1
      places = DotPlaces()
    }
    let (outer, inner) = rows & 1 == 1 ? (rows, columns) : (columns, rows)
    for first in 0..<outer {
      if found > DotCodeReader.sampleCount, clearCount < DotCodeReader.sampleClearMin { return clearCount * 100 / found }
      for second in 0..<inner where (first + second) & 1 == 0 && found < count {
        // Odd numbers of rows are read row by row from the bottom, odd numbers of columns column by column.
        let (column, row) = rows & 1 == 1 ? (second, rows - 1 - first) : (first, second)
        if DotCodeTables.isCorner(column, row, columns: columns, rows: rows) { continue }
        add(column, row)
      }
    }
    for index in 0..<DotCodeTables.cornerCount where found < count {
      let (column, row) = DotCodeTables.corner(index, columns: columns, rows: rows)
      add(column, row)
    }
    return found == count ? clearCount * 100 / (count - 1) : 0
  }

  /// The values of the places of a codeword.
  private struct DotPlaces {
    private(set) var count = 0
    private var values: [9 of Int32] = .init(repeating: 0)

    mutating func add(_ value: Int) {
      values[count] = Int32(truncatingIfNeeded: value)
      count += 1
    }

    /// The places darker than the threshold, the first one in the highest bit.
    var darkBits: Int {
      var bits = 0
      for place in 0..<count { bits = bits << 1 | (values[place] > 0 ? 1 : 0) }
      return bits
    }

    /// The five darkest places, the first one in bit 8, and how much they differ from the others.
    var darkest: (bits: Int, certainty: Int) {
      var bits = 0
      var (least, most) = (Int32.max, Int32.min)
      for place in 0..<9 {
        var darker = 0
        for other in 0..<9 where values[other] > values[place] || (values[other] == values[place] && other < place) {
          darker += 1
        }
        bits <<= 1
        if darker < 5 {
          bits |= 1
          least = min(least, values[place])
        } else {
          most = max(most, values[place])
        }
      }
      return (bits, Int(least - most))
    }
  }

  /// Whether dots beside a part of a grid show that the symbol goes on. Without its last columns, a symbol whose last check
  /// codeword is 0 passes for another one: a multiple of the generator polynomial divided by its variable is one, too.
  private func goesOn(_ view: DotView, _ grid: ModuleGrid, _ sight: Sight) -> Bool {
    var (dots, dotCount, rest, restCount) = (0, 0, 0, 0)
    for row in 0..<view.rows {
      for column in 0..<view.columns {
        let place = (view.top + row) * view.width + view.left + column
        guard roles[place] == ModuleRole.data else { continue }
        if Int(values.values[place]) > view.threshold {
          (dots, dotCount) = (dots + Int(values.greys[place]), dotCount + 1)
        } else {
          (rest, restCount) = (rest + Int(values.greys[place]), restCount + 1)
        }
      }
    }
    let middle = (dots / max(1, dotCount) + rest / max(1, restCount)) / 2
    let isDarker = (dots / max(1, dotCount) < middle)
    let origin = roles[view.top * view.width + view.left] == ModuleRole.data ? 0 : 1
    for side in 0..<4 {
      var (placeCount, foundCount) = (0, 0)
      for away in 0..<DotCodeReader.besideCount {
        for along in 0..<(side < 2 ? view.rows : view.columns) {
          let (column, row) =
            switch side {
            case 0: (-1 - away, along)
            case 1: (view.columns + away, along)
            case 2: (along, -1 - away)
            default: (along, view.rows + away)
            }
          guard (column + row) & 1 == origin else { continue }
          placeCount += 1
          let grey = sight.sample(grid.place((view.left + column) * 256 + 128, (view.top + row) * 256 + 128))
          if (grey < middle) == isDarker { foundCount += 1 }
        }
      }
      if foundCount * DotCodeReader.besideDivisor > placeCount { return true }
    }
    return false
  }

  /// Corrects the interleaved blocks; nil if one cannot be corrected.
  private func correct(dataCount: Int, count: Int, usesErasures: Bool) -> Correction? {
    let step = (count + DotCodeTables.blockCountMax - 1) / DotCodeTables.blockCountMax
    var cost = Correction()
    for first in 0..<step {
      let blockCount = (count - first + step - 1) / step
      let blockDataCount = (dataCount - first + step - 1) / step
      let checkCount = blockCount - blockDataCount
      var unknownCount = 0
      for position in 0..<blockCount {
        block.codewords[position] = stream[first + position * step]
        block.certainty[position] = certainty[first + position * step]
        if block.certainty[position] < 0 { unknownCount += 1 }
      }
      let spare = checkCount - unknownCount - DotCodeReader.spareCheckCount
      guard spare >= 0,
        var correction = block.correct(
          reedSolomon, count: blockCount, checkCount: checkCount, correctionMax: spare / 2, step: usesErasures ? 2 : 0,
          erasedCount: unknownCount)
      else { return nil }
      // Codewords whose dots were in doubt count as corrected, even if the darkest places were right.
      correction.correctedCount = 0
      for position in 0..<blockCount {
        let index = first + position * step
        if !isClear[index] || stream[index] != block.codewords[position] { correction.correctedCount += 1 }
        stream[index] = block.codewords[position]
      }
      cost.add(correction)
    }
    return cost
  }
}

/// How many columns and rows of a grid lie outside the symbol, by the dots in its outer ones.
private struct DotTrims {
  /// The grid has up to this many columns or rows too many on each side.
  static let count = 2 * DotCodeLattice.margin + 1
  /// The greatest penalty of a choice beyond that of the likeliest.
  static let penaltyRange = 16
  /// Penalties for each dot outside, and for an outer column or row without dots.
  private static let dotPenalty = 2
  private static let emptyPenalty = 3

  enum Side: Int { case left, right, top, bottom }

  private var penalties: [28 of Int32] = .init(repeating: 0)

  init(_ values: ModuleValues, roles: ScratchArray<UInt8>, columns: Int, rows: Int, threshold: Int) {
    for side in 0..<4 {
      var outside = 0
      for trim in 0..<min(DotTrims.count, min(columns, rows)) {
        var dotCount = 0
        for along in 0..<(side < 2 ? rows : columns) {
          let place =
            switch side {
            case 0: along * columns + trim
            case 1: along * columns + columns - 1 - trim
            case 2: trim * columns + along
            default: (rows - 1 - trim) * columns + along
            }
          if roles[place] == ModuleRole.data, Int(values.values[place]) > threshold { dotCount += 1 }
        }
        penalties[side * DotTrims.count + trim] = Int32(
          DotTrims.dotPenalty * outside + (dotCount == 0 ? DotTrims.emptyPenalty : 0))
        outside += dotCount
      }
    }
  }

  /// The penalty of the likeliest choice.
  var least: Int {
    var sum = 0
    for side in 0..<4 {
      var best = Int32.max
      for trim in 0..<DotTrims.count { best = min(best, penalties[side * DotTrims.count + trim]) }
      sum += Int(best)
    }
    return sum
  }

  /// How unlikely it is that this many columns or rows lie outside.
  subscript(side: Side, trim: Int) -> Int { Int(penalties[side.rawValue * DotTrims.count + trim]) }
}
