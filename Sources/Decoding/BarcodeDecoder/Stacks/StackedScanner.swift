// Scan lines over a region that may be a stacked symbol: their edges, and the places of these in the region.

import BarcodeTypes

/// A place where a symbol's side was seen on a scan line. u and v are coordinates of the region, in pixels times 65536.
struct SideSighting: BitwiseCopyable {
  var u: Int
  var v: Int
  /// Module width along u, in pixels times 65536.
  var module: Int
}

/// A nearly upright side of a symbol: u = offset + slope · v.
struct SymbolSide: BitwiseCopyable {
  /// In pixels times 65536.
  var offset: Int
  /// du/dv times 65536.
  var slope: Int
  /// Module width in pixels, times 65536.
  var module: Int
  /// The first and the last height where the side was seen.
  var vMin: Int
  var vMax: Int
  /// Number of sightings that agree.
  var count: Int

  @inline(__always) func u(at v: Int) -> Int { offset + (slope * (v >> 8)) >> 8 }

  /// The line that most of `count` sightings from `first` on agree with; nil if fewer than `countMin` do.
  init?(_ sightings: ScratchArray<SideSighting>, first: Int, count: Int, countMin: Int) {
    let end = first + count
    var best = 0
    offset = 0
    slope = 0
    module = 0
    vMin = 0
    vMax = 0
    self.count = 0
    var bestOffset = 0
    var bestSlope = 0
    for one in first..<end {
      for other in (one + 1)..<max(one + 1, end) {
        let a = sightings[one]
        let b = sightings[other]
        let height = (b.v - a.v) >> 8
        guard abs(height) > 256 else { continue }
        slope = ((b.u - a.u) << 8) / height
        // Under tilt the bars of the two sides diverge a little.
        guard abs(slope) < 26_000 else { continue }
        offset = a.u - (slope * (a.v >> 8)) >> 8
        var agreeing = 0
        for index in first..<end where agrees(sightings[index]) { agreeing += 1 }
        if agreeing > best {
          best = agreeing
          bestOffset = offset
          bestSlope = slope
        }
      }
    }
    guard best >= countMin else { return nil }
    offset = bestOffset
    slope = bestSlope
    refine(sightings, first, end)
  }

  private func agrees(_ sighting: SideSighting) -> Bool {
    abs(sighting.u - u(at: sighting.v)) < sighting.module * 3 / 4
  }

  /// The least squares line through the sightings that agree, their mean module and their extent.
  private mutating func refine(_ sightings: ScratchArray<SideSighting>, _ first: Int, _ end: Int) {
    let coarse = self
    var used = 0
    var sumU = 0
    var sumV = 0
    var sumModule = 0
    vMin = Int.max
    vMax = Int.min
    for index in first..<end where coarse.agrees(sightings[index]) {
      let sighting = sightings[index]
      used += 1
      sumU += sighting.u
      sumV += sighting.v
      sumModule += sighting.module
      vMin = min(vMin, sighting.v)
      vMax = max(vMax, sighting.v)
    }
    let meanU = sumU / used
    let meanV = sumV / used
    var sumVV = 0
    var sumUV = 0
    for index in first..<end where coarse.agrees(sightings[index]) {
      let u = (sightings[index].u - meanU) >> 8
      let v = (sightings[index].v - meanV) >> 8
      sumVV += v * v
      sumUV += u * v
    }
    self.count = used
    module = sumModule / used
    if sumVV > 0 { slope = fraction(sumUV, sumVV) }
    offset = meanU - (slope * (meanV >> 8)) >> 8
  }

  /// A side parallel to another one, `modules` further along u.
  init(_ other: SymbolSide, modules: Int) {
    self = other
    offset += other.module * modules
  }
}

/// The memory of scan lines, and the last line read.
@safe struct StackedScanner {
  /// The most sightings kept per kind.
  static let sightingCountMax = 64

  /// Number of lines without any sighting after which a region is abandoned. A camera frame allows fewer if lines are long;
  /// a still picture allows a third of all lines.
  static func emptyLineCountMax(_ region: StripeRegion, _ effort: Effort) -> Int {
    if effort == .still { return 8 }
    return region.length < 250 << 16 ? 3 : region.length < 500 << 16 ? 2 : 1
  }

  private let profile: UnsafeMutablePointer<Int32>
  private(set) var row: ElementRow
  private(set) var reversed: ElementRow
  private var scan: ScanLine?

  init(arena: inout Arena) throws(ArenaFull) {
    unsafe profile = try arena.take(Int32.self, count: ScanLine.sampleCountMax)
    row = try ElementRow(arena: &arena)
    reversed = try ElementRow(arena: &arena)
  }

  /// Reads the line over a region at height `v`. False if it is too short or the budget is spent.
  mutating func read(
    _ region: StripeRegion, v: Int, overhang: Int, rowCount: Int, _ luma: LumaView, _ budget: inout WorkBudget
  ) -> Bool {
    var line = ScanLine(
      region, v: v, slope: region.slope, u: (region.uMin - overhang, region.uMax + overhang),
      rowCount: rowCount, in: luma)
    guard line.count >= 60, budget.spend(line.count * (line.rowCount * 12 + 40) / 100) else { return false }
    unsafe line.read(luma, into: profile)
    row.paddingBefore = line.isCutBefore ? Int32(ScanLine.paddingCount << 8) : 0
    row.paddingAfter = line.isCutAfter ? Int32(ScanLine.paddingCount << 8) : 0
    unsafe line.pad(profile)
    scan = line
    return true
  }

  /// Finds the edges of the last line read: in `row`, and from its end in `reversed`.
  mutating func findEdges(_ rule: EdgeRule) {
    guard let scan else { return }
    unsafe row.find(in: profile, sampleCount: scan.count, rule: rule)
    reversed.setReversed(row)
  }

  /// The place of an edge in the region, and a module's length; both are given in samples times 256 of `row` or `reversed`.
  func sighting(_ place: Int32, module: Int32, isReversed: Bool, _ region: StripeRegion) -> SideSighting {
    guard let scan else { return SideSighting(u: 0, v: 0, module: 1) }
    let at = Int(isReversed ? row.length - place : place)
    let here = scan.point(at: at)
    let there = scan.point(at: at + Int(module))
    let cosine = Int(region.direction.cosine.bits)
    let sine = Int(region.direction.sine.bits)
    func project(_ point: (x: Int, y: Int)) -> (u: Int, v: Int) {
      let x = point.x - region.centerX
      let y = point.y - region.centerY
      return ((x * cosine + y * sine) >> 16, (y * cosine - x * sine) >> 16)
    }
    let a = project(here)
    let b = project(there)
    return SideSighting(u: a.u, v: a.v, module: max(1, abs(b.u - a.u)))
  }
}

/// A region of rows of bars, and the picture that it lies in.
struct StackedRegion {
  var region: StripeRegion
  let luma: LumaView
  /// How many times smaller the picture is than the full size.
  let scale: Int
}

/// The parts of a symbol that a region has shown.
enum StackedSighting { case none, sides, symbol }
