// Reads MaxiCode symbols from bullseyes: rings, plane, rotation, grid, codewords, message. The rings show in the same
// crossings as those of Aztec Code, with light and dark exchanged: a line through the centre crosses light, then dark,
// light, dark on both sides.

import BarcodeTypes

/// The orientation and proportions of a symbol in the plane of its bullseye.
private struct MaxiCodeShape: BitwiseCopyable {
  /// Number of rotations in a full turn, in steps of three degrees.
  static let turnCount = 120
  /// Number of shapes compared with the orientation marks: each rotation, plain and mirrored, with each of the pitches.
  static let count = 2 * turnCount * pitches.count
  /// Distances of columns and of rows, in 256ths of those expected from the bullseye. Printers round both to whole dots:
  /// libzint makes the bullseye up to 5 % too wide and rows up to 4 % too narrow; others make it a tenth too narrow or too wide,
  /// and rows as far apart as columns.
  private static let pitches: [7 of [2 of Int]] = [
    [256, 256], [246, 238], [284, 284], [233, 233], [256, 296], [284, 328], [233, 269],
  ]

  /// The rotation from the bullseye's directions to the symbol's, 0..<`turnCount`; plus `turnCount` if the symbol is
  /// mirrored.
  var turn: Int
  var across: Int
  var down: Int

  init(index: Int) {
    turn = index % (2 * MaxiCodeShape.turnCount)
    across = MaxiCodeShape.pitches[index / (2 * MaxiCodeShape.turnCount)][0]
    down = MaxiCodeShape.pitches[index / (2 * MaxiCodeShape.turnCount)][1]
  }

  /// The number of pitches that every shape is refined from, in addition to its own.
  static let usualPitchCount = 2
  static let pitchCount = pitches.count

  /// The same rotation with other pitches.
  func with(pitch: Int) -> MaxiCodeShape {
    var shape = MaxiCodeShape(index: pitch * 2 * MaxiCodeShape.turnCount)
    shape.turn = turn
    return shape
  }

  /// Whether a shape has one of the pitches.
  static func isPitch(_ pitch: Int, of shape: MaxiCodeShape) -> Bool {
    pitches[pitch][0] == shape.across && pitches[pitch][1] == shape.down
  }

  var isMirrored: Bool { turn >= MaxiCodeShape.turnCount }

  /// The shape rotated by a number of steps, with column and row distances increased by a number of 256ths.
  func changed(turn step: Int, across moreAcross: Int, down moreDown: Int) -> MaxiCodeShape {
    var shape = self
    let count = MaxiCodeShape.turnCount
    shape.turn = turn / count * count + (turn + step + count) % count
    shape.across += moreAcross
    shape.down += moreDown
    return shape
  }
}

/// The plane of a bullseye with the symbol's own directions.
private struct MaxiCodePlane {
  /// The centre in 1/256 pixels at full size.
  let center: SubpixelPoint
  /// The vectors from a module to the next along a row, and of the same length downwards, in 1/65536 pixels at full size.
  let acrossX: Int, acrossY: Int
  let downX: Int, downY: Int

  /// Size of a module in the plane's units, times 65536. The measured outline lies between the edges of the second dark
  /// ring, 2.49 modules from the centre. A square with the same second moments has half a side of √(3/4) times that, which
  /// the plane takes for three modules of Aztec Code; 1.390 of those are one module here.
  private static let scale = 91_090

  init(_ plane: BullseyePlane, _ shape: MaxiCodeShape) {
    center = plane.center
    let angle = BinaryAngle(bits: UInt16(shape.turn % MaxiCodeShape.turnCount * 65536 / MaxiCodeShape.turnCount))
    let cosine = (Int(angle.cosine.bits) * MaxiCodePlane.scale) >> 16
    let sine = (Int(angle.sine.bits) * MaxiCodePlane.scale) >> 16
    let down = shape.isMirrored ? -shape.down : shape.down
    acrossX = ((plane.acrossX * cosine + plane.downX * sine) >> 16) * shape.across / 256
    acrossY = ((plane.acrossY * cosine + plane.downY * sine) >> 16) * shape.across / 256
    downX = ((plane.downX * cosine - plane.acrossX * sine) >> 16) * down / 256
    downY = ((plane.downY * cosine - plane.acrossY * sine) >> 16) * down / 256
  }

  /// The place of an offset from the centre, in 1/256 modules.
  @inline(__always) func place(_ x: Int, _ y: Int) -> SubpixelPoint {
    SubpixelPoint(x: center.x + (acrossX * x + downX * y) >> 16, y: center.y + (acrossY * x + downY * y) >> 16)
  }

  /// The grid of a part of the symbol.
  func grid(_ part: MaxiCodePart) -> ModuleGrid? {
    let left = part.columnInset * 256 - MaxiCodeLayout.centerU
    let top = (part.rowInset * 256 - MaxiCodeLayout.centerV) * MaxiCodeLayout.rowPitch / 256
    let right = left + part.columns * 256
    let bottom = top + part.rows * MaxiCodeLayout.rowPitch
    return ModuleGrid(
      columns: part.columns, rows: part.rows,
      quad: SubpixelQuad(
        topLeft: place(left, top), topRight: place(right, top), bottomRight: place(right, bottom),
        bottomLeft: place(left, bottom)), inset: 0, oddRowShift: MaxiCodeLayout.oddRowShift)
  }
}

/// Reads the symbols of a picture.
@safe struct MaxiCodeReader {
  /// The radii of the rings' middles in 1/256 modules, the innermost dark one first.
  private static let ringRadii: [5 of Int] = [246, 442, 638, 833, 1029]
  /// The width of a ring as measured by the search for bullseyes, in 1/256 modules: a twelfth of the widths at 2.88 and at
  /// 2.11 modules.
  private static let finderModule = 212
  /// The distance from a bullseye's place at which its centre is also looked for, in 1/256 modules.
  private static let centerStep = 192
  /// Greatest ratio of the contrasts between neighbouring rings.
  private static let ringContrastRange = 4
  /// Greatest deviation of the greys on a ring from their mean, in percent of the contrast between rings.
  private static let ringDeviationMax = 35
  /// Number of rotations that are tried, and their least distance in steps.
  private static let followedCount = 3
  private static let followedDistance = 4
  /// Least share of the orientation marks' differences from their mean that must support a shape, in percent.
  private static let turnAgreementMin = 40
  /// Rounds in which rotation, column distance and row distance are varied, and the step of the distances in 256ths.
  private static let shapeRoundCount = 2
  private static let pitchStep = 6
  /// Least number of right orientation marks, out of eighteen, after refining the grid around the bullseye.
  private static let markAgreementMin = 15
  /// Parts of the symbol on which the grid is refined, in this order.
  private static let parts: [5 of MaxiCodePart] = [
    MaxiCodePart(columnInset: 7, rowInset: 8), MaxiCodePart(columnInset: 5, rowInset: 6),
    MaxiCodePart(columnInset: 3, rowInset: 4), MaxiCodePart(columnInset: 1, rowInset: 2), .whole,
  ]
  /// Greatest share of the correction capacity used on a grid that was not fully refined, in percent.
  private static let quickLoadMax = 40

  private let layout: MaxiCodeLayout
  private let values: ModuleValues
  private let codewords: MaxiCodeCodewordReader
  /// The agreement of each shape.
  private let agreements: ScratchArray<Int32>

  init(_ scene: inout Scene) throws(ArenaFull) {
    layout = try MaxiCodeLayout(arena: &scene.arena)
    values = try ModuleValues(MaxiCodeLayout.columns * MaxiCodeLayout.rows, arena: &scene.arena)
    codewords = try MaxiCodeCodewordReader(arena: &scene.arena)
    agreements = try ScratchArray(MaxiCodeShape.count, arena: &scene.arena)
  }

  /// Reads the symbol around a bullseye and adds it to the results. Returns whether its orientation marks were found.
  mutating func read(_ bullseye: FinderPattern, _ levels: PictureLevels, _ scene: inout Scene) -> Bool {
    guard scene.budget.spend(20), !scene.results.covers(bullseye.center.pixelPoint) else { return false }
    // The centre of MaxiCode is light where that of Aztec Code is dark.
    let sight = Sight(levels, module: min(bullseye.moduleX, bullseye.moduleY), isInverted: !bullseye.isInverted)
    guard let plane = ringPlane(bullseye, sight, &scene), scene.budget.spend(8_400) else { return false }
    scene.progress.reach(.grid)
    findShapes(plane, sight)
    var hasMarks = false
    for _ in 0..<MaxiCodeReader.followedCount {
      guard let best = takeBestShape() else { break }
      guard let (grid, agreement) = marksGrid(plane, best, sight, &scene) else { continue }
      hasMarks = true
      scene.progress.reach(.codewords, agreement: agreement * 100 / MaxiCodeLayout.markCount)
      if readSymbol(grid, sight, isMirrored: best.isMirrored, &scene) { break }
      if agreement == MaxiCodeLayout.markCount, let whole = resized(grid, from: MaxiCodeReader.parts[0], to: .whole) {
        scene.results.locate(.maxicode, corners: whole.corners, moduleCount: whole.columns)
      }
    }
    return hasMarks
  }

  // MARK: Bullseye

  /// The plane of the rings around a bullseye's centre, or around a place next to it, as the search may mistake a ring for
  /// the centre.
  private func ringPlane(_ bullseye: FinderPattern, _ sight: Sight, _ scene: inout Scene) -> BullseyePlane? {
    for step in 0..<9 {
      // The centre first, then the places around it.
      let place = (step + 4) % 9
      var moved = bullseye
      moved.center.x += (place % 3 - 1) * bullseye.moduleX * MaxiCodeReader.centerStep / MaxiCodeReader.finderModule
      moved.center.y += (place / 3 - 1) * bullseye.moduleY * MaxiCodeReader.centerStep / MaxiCodeReader.finderModule
      guard scene.budget.spend(5) else { return nil }
      guard hasRingsAcross(moved, sight) else { continue }
      for attempt in 0..<2 {
        let comparesRings = attempt == 1
        guard scene.budget.spend(200) else { return nil }
        guard let plane = BullseyePlane(moved, sight, comparesRings: comparesRings) else { continue }
        if hasRings(plane, sight) { return plane }
        guard scene.budget.spend(400) else { return nil }
        if let better = fitted(plane, sight), hasRings(better, sight) { return better }
      }
    }
    return nil
  }

  /// Whether the row and the column through the centre are alternately light and dark in the middle of the rings: a cheap
  /// test.
  private func hasRingsAcross(_ bullseye: FinderPattern, _ sight: Sight) -> Bool {
    let center = bullseye.center
    var last = 4 * sight.sample(center)
    for ring in MaxiCodeReader.ringRadii.indices {
      let x = bullseye.moduleX * MaxiCodeReader.ringRadii[ring] / MaxiCodeReader.finderModule
      let y = bullseye.moduleY * MaxiCodeReader.ringRadii[ring] / MaxiCodeReader.finderModule
      let sum =
        sight.sample(SubpixelPoint(x: center.x - x, y: center.y))
        + sight.sample(SubpixelPoint(x: center.x + x, y: center.y))
        + sight.sample(SubpixelPoint(x: center.x, y: center.y - y))
        + sight.sample(SubpixelPoint(x: center.x, y: center.y + y))
      guard (sum < last) == ((ring & 1 == 0) != sight.isInverted) else { return false }
      last = sum
    }
    return true
  }

  /// Whether circles along the middle of the rings alternate light and dark with similar contrast and uniform grey.
  private func hasRings(_ plane: BullseyePlane, _ sight: Sight) -> Bool {
    let rings = rings(plane, sight)
    return rings.least > 0 && rings.least * MaxiCodeReader.ringContrastRange >= rings.greatest
      && rings.deviation * 100 <= rings.total * MaxiCodeReader.ringDeviationMax
  }

  /// The plane moved, turned and stretched to the greatest contrast between the rings; nil if they do not alternate at all.
  private func fitted(_ start: BullseyePlane, _ sight: Sight) -> BullseyePlane? {
    var best = start
    var known = rings(start, sight)
    guard known.total > 0, known.least > -known.greatest / 4 else { return nil }
    // Steps of a third and a sixth of a ring.
    for part in 0..<2 {
      let shift =
        max(max(abs(start.acrossX), abs(start.acrossY)), max(abs(start.downX), abs(start.downY))) >> (9 + part)
      for move in 0..<12 {
        var next = best
        let sign = move & 1 == 0 ? 1 : -1
        switch move / 2 {
        case 0: next.center.x += sign * shift
        case 1: next.center.y += sign * shift
        case 2: next.acrossX += sign * shift << 6
        case 3: next.acrossY += sign * shift << 6
        case 4: next.downX += sign * shift << 6
        default: next.downY += sign * shift << 6
        }
        let found = rings(next, sight)
        if found.total - found.deviation > known.total - known.deviation { (best, known) = (next, found) }
      }
    }
    return best
  }

  /// The contrasts between neighbouring rings, their sum, and the deviation of greys from the mean of their ring.
  private func rings(_ plane: BullseyePlane, _ sight: Sight) -> (least: Int, greatest: Int, total: Int, deviation: Int) {
    let centered = MaxiCodePlane(plane, MaxiCodeShape(index: 0))
    let rayCount = 16
    var last = sight.sample(plane.center) * rayCount
    var least = Int.max
    var greatest = 0
    var total = 0
    var deviation = 0
    for ring in MaxiCodeReader.ringRadii.indices {
      let radius = MaxiCodeReader.ringRadii[ring]
      var greys: [16 of Int] = .init(repeating: 0)
      var sum = 0
      for ray in 0..<rayCount {
        let angle = BinaryAngle(bits: UInt16(ray * 65536 / rayCount))
        let place = centered.place((Int(angle.cosine.bits) * radius) >> 16, (Int(angle.sine.bits) * radius) >> 16)
        greys[ray] = sight.sample(place)
        sum += greys[ray]
      }
      for ray in 0..<rayCount { deviation += abs(greys[ray] * rayCount - sum) / rayCount }
      let isDark = (ring & 1 == 0) != sight.isInverted
      let contrast = isDark ? last - sum : sum - last
      least = min(least, contrast)
      greatest = max(greatest, contrast)
      total += contrast
      last = sum
    }
    return (least, greatest, total, deviation)
  }

  /// Compares the orientation marks with the picture for each shape.
  private func findShapes(_ plane: BullseyePlane, _ sight: Sight) {
    for index in 0..<MaxiCodeShape.count {
      let directed = MaxiCodePlane(plane, MaxiCodeShape(index: index))
      var seen: [18 of Int] = .init(repeating: 0)
      var sum = 0
      for mark in 0..<MaxiCodeLayout.markCount {
        let (x, y) = MaxiCodeLayout.offset(of: MaxiCodeLayout.place(ofMark: mark))
        seen[mark] = sight.sample(directed.place(x, y))
        sum += seen[mark]
      }
      var agreement = 0
      var spread = 1
      for mark in 0..<MaxiCodeLayout.markCount {
        let difference = (sum - MaxiCodeLayout.markCount * seen[mark]) * (sight.isInverted ? -1 : 1)
        spread += abs(difference)
        agreement += MaxiCodeLayout.isMarkDark(mark) ? difference : -difference
      }
      agreements[index] = Int32(agreement * 100 < spread * MaxiCodeReader.turnAgreementMin ? 0 : agreement)
    }
  }

  /// Removes the best remaining shape and those near it, and returns it; nil if none is good enough.
  private func takeBestShape() -> MaxiCodeShape? {
    var best = 0
    for index in 1..<agreements.count where agreements[index] > agreements[best] { best = index }
    guard agreements[best] > 0 else { return nil }
    let shape = MaxiCodeShape(index: best)
    for step in -MaxiCodeReader.followedDistance...MaxiCodeReader.followedDistance {
      let near = shape.changed(turn: step, across: 0, down: 0).turn
      for index in stride(from: near, to: agreements.count, by: 2 * MaxiCodeShape.turnCount) { agreements[index] = 0 }
    }
    return shape
  }

  // MARK: Grid

  /// The refined grid of the innermost part, and its number of right orientation marks; nil if too few are right.
  private func marksGrid(
    _ plane: BullseyePlane, _ start: MaxiCodeShape, _ sight: Sight, _ scene: inout Scene
  ) -> (grid: ModuleGrid, agreement: Int)? {
    let part = MaxiCodeReader.parts[0]
    guard var rough = MaxiCodePlane(plane, start).grid(part) else { return nil }
    layout.prepare(part)
    // The marks alone give an approximate shape; the modules around them refine it.
    let refiner = refiner(rough, sight)
    var best = refiner.agreement(rough)
    for pitch in 0..<MaxiCodeShape.pitchCount
    where pitch < MaxiCodeShape.usualPitchCount || MaxiCodeShape.isPitch(pitch, of: start) {
      var shape = start.with(pitch: pitch)
      var bestOfPitch = Int.min
      for round in 0..<MaxiCodeReader.shapeRoundCount {
        for kind in 0..<3 {
          let known = shape
          let reach = kind == 0 && round == 0 ? MaxiCodeReader.followedDistance : 2
          for step in -reach...reach {
            guard scene.budget.spend(part.columns * part.rows / 4) else { return nil }
            let pitchStep = step * MaxiCodeReader.pitchStep
            let near = known.changed(
              turn: kind == 0 ? step : 0, across: kind == 1 ? pitchStep : 0, down: kind == 2 ? pitchStep : 0)
            guard let grid = MaxiCodePlane(plane, near).grid(part) else { continue }
            let agreement = refiner.agreement(grid)
            if agreement > bestOfPitch {
              bestOfPitch = agreement
              shape = near
            }
            if agreement > best {
              best = agreement
              rough = grid
            }
          }
        }
      }
    }
    let grid = refiner.refined(rough, budget: &scene.budget)
    values.read(grid, sight)
    var agreeing = 0
    for mark in 0..<MaxiCodeLayout.markCount {
      let place = MaxiCodeLayout.place(ofMark: mark)
      let row = place / MaxiCodeLayout.columns - part.rowInset
      let column = place % MaxiCodeLayout.columns - part.columnInset
      if (values.values[row * part.columns + column] > 0) == MaxiCodeLayout.isMarkDark(mark) { agreeing += 1 }
    }
    return agreeing >= MaxiCodeReader.markAgreementMin ? (grid, agreeing) : nil
  }

  /// The grid moved to the best agreement of its modules with the layout, which must be prepared for its part.
  private func refined(_ grid: ModuleGrid, _ sight: Sight, _ scene: inout Scene) -> ModuleGrid {
    refiner(grid, sight).refined(grid, budget: &scene.budget)
  }

  private func refiner(_ grid: ModuleGrid, _ sight: Sight) -> GridRefiner {
    values.read(grid, sight)
    return values.refiner(grid, sight, roles: layout.modules)
  }

  /// A grid of another part of the symbol, in the same plane.
  private func resized(_ grid: ModuleGrid, from known: MaxiCodePart, to part: MaxiCodePart) -> ModuleGrid? {
    let left = (part.columnInset - known.columnInset) * 256
    let top = (part.rowInset - known.rowInset) * 256
    let right = left + part.columns * 256
    let bottom = top + part.rows * 256
    return ModuleGrid(
      columns: part.columns, rows: part.rows,
      quad: SubpixelQuad(
        topLeft: grid.flatPlace(left, top), topRight: grid.flatPlace(right, top),
        bottomRight: grid.flatPlace(right, bottom), bottomLeft: grid.flatPlace(left, bottom)), inset: 0,
      oddRowShift: MaxiCodeLayout.oddRowShift)
  }

  /// The grid of the whole symbol, widened step by step from that of the innermost part.
  private func grownGrid(_ core: ModuleGrid, _ sight: Sight, isCareful: Bool, _ scene: inout Scene) -> ModuleGrid? {
    var grid = core
    var known = MaxiCodeReader.parts[0]
    for index in stride(from: isCareful ? 1 : 2, to: MaxiCodeReader.parts.count, by: isCareful ? 1 : 2) {
      let part = MaxiCodeReader.parts[index]
      guard let wider = resized(grid, from: known, to: part) else { return nil }
      layout.prepare(part)
      grid = refined(wider, sight, &scene)
      known = part
    }
    return grid
  }

  // MARK: Symbol

  /// Reads the symbol around the grid of its innermost part: first with little refining, then with full refining, then bent.
  private func readSymbol(_ core: ModuleGrid, _ sight: Sight, isMirrored: Bool, _ scene: inout Scene) -> Bool {
    if let grid = grownGrid(core, sight, isCareful: false, &scene),
      readGrid(grid, sight, isMirrored: isMirrored, isLast: false, &scene)
    {
      return true
    }
    guard let grid = grownGrid(core, sight, isCareful: true, &scene) else { return false }
    if readGrid(grid, sight, isMirrored: isMirrored, isLast: true, &scene) { return true }
    guard scene.effort == .still else { return false }
    let bent = refiner(grid, sight).bent(grid, budget: &scene.budget)
    return readGrid(bent, sight, isMirrored: isMirrored, isLast: true, &scene)
  }

  /// Samples a grid and reads it; if `isLast`, with several degrees of sharpening and with erasures.
  private func readGrid(_ grid: ModuleGrid, _ sight: Sight, isMirrored: Bool, isLast: Bool, _ scene: inout Scene) -> Bool {
    for index in 0..<(isLast ? 4 : 1) {
      guard scene.budget.spend(grid.columns * grid.rows / 2) else { return false }
      values.read(grid, sight, sharpening: ModuleValues.hexagonDegrees[index])
      guard let correction = codewords.read(values.values, layout: layout, usesErasures: isLast) else { continue }
      if !isLast, correction.cost.loadPercent > MaxiCodeReader.quickLoadMax { return false }
      var messageReader = MaxiCodeMessageReader(codewords.data, count: correction.dataCount, mode: correction.mode)
      let appearance = SymbolAppearance(corners: grid.corners, isInverted: sight.isInverted, isMirrored: isMirrored)
      if scene.results.report(messageReader.read(into: &scene.results), as: .maxicode, appearance, correction.cost) {
        return true
      }
    }
    return false
  }
}
