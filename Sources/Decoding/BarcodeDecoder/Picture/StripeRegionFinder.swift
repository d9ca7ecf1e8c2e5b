// Collects striped tiles into regions, and takes regions apart that hold more than one symbol.

import BarcodeTypes

/// The kind of symbol that a region is searched for.
enum StripeKind: BitwiseCopyable {
  /// A linear symbol: every striped tile counts.
  case bars
  /// A stacked symbol: its tiles are less striped; as symbols are larger, every second tile of every second row suffices.
  case rows
}

/// Collects the striped regions of a picture, the strongest first.
@safe struct StripeRegionFinder {
  /// The most regions in a picture.
  static let regionCountMax = 256
  /// The most regions compared for strength; further ones, in order from the top, are not examined.
  static let candidateCountMax = 2048
  /// Least number of tiles in a region.
  static let tileCountMin = 5
  /// Least extent across the bars, in pixels: an EAN-8 of 67 modules at 0.6 pixels.
  static let lengthMin = 40
  /// Greatest angle between neighbours in a region: 14 degrees, doubled like the angles compared.
  private static let angleStepMax: Int16 = 5097
  /// The minimum number of tiles in a region that is taken apart, and the number of times that its parts are taken apart in turn.
  private static let splitTileCountMin = 20
  private static let splitDepthMax = 3
  /// The minimum ratio, in halves, of the mean strength weighted with itself to the plain one for which a region that fills its rectangle
  /// is taken apart, too: a label on striped ground.
  private static let unevennessMin = 3
  /// The tiles of a part: their minimum coherence, in sixteenths (0.69), and the maximum angle between neighbours, 1.9 degrees, doubled
  /// like the angles compared.
  private static let partCoherenceMin = 11
  private static let partAngleStepMax: Int16 = 700
  /// Least number of tiles in a region of rows, which has every second tile in both directions.
  private static let rowTileCountMin = 4
  /// The most slices across the bars into which a region is cut to measure its length in each.
  private static let sliceCountMax = 256

  private struct Blob: BitwiseCopyable {
    var firstIndex: Int
    var tileCount: Int
    var energy: Int
    var doubledX: Int
    var doubledY: Int
  }

  private let kind: StripeKind
  private let activity: StripeActivity
  /// The tiles of all regions, then those of the parts of the region in hand.
  private let queue: UnsafeMutablePointer<Int32>
  private let queueCount: Int
  private var usedCount = 0
  private let candidates: UnsafeMutablePointer<Blob>
  private let regions: UnsafeMutablePointer<StripeRegion>
  private(set) var count = 0
  /// Number of tiles visited, a measure of the work done.
  private(set) var visitedCount = 0
  /// Whether there were more regions than the finder keeps.
  private(set) var isCut = false

  /// Finds the regions of `activity`.
  init(_ activity: StripeActivity, kind: StripeKind = .bars, arena: inout Arena) throws(ArenaFull) {
    // The regions stay allocated; the scratch memory for their tiles does not.
    unsafe regions = try arena.take(StripeRegion.self, count: StripeRegionFinder.regionCountMax)
    let mark = arena.mark
    defer { arena.release(to: mark) }
    queueCount = 2 * activity.columns * activity.rows
    unsafe queue = try arena.take(Int32.self, count: queueCount)
    unsafe candidates = try arena.take(Blob.self, count: StripeRegionFinder.candidateCountMax)
    var strongest = try TopList(StripeRegionFinder.regionCountMax, arena: &arena)
    self.kind = kind
    self.activity = activity
    let candidateCount = fillAll()
    for index in 0..<candidateCount { unsafe strongest.insert(rank: candidates[index].energy >> 8, value: index) }
    strongest.sort()
    isCut = candidateCount == StripeRegionFinder.candidateCountMax || strongest.droppedCount > 0
    for rank in 0..<strongest.count { keep(unsafe candidates[strongest[rank]]) }
    activity.releaseTiles()
  }

  /// A region by its rank.
  subscript(_ index: Int) -> StripeRegion {
    get {
      precondition(index >= 0 && index < count)
      return unsafe regions[index]
    }
    nonmutating set {
      precondition(index >= 0 && index < count)
      unsafe regions[index] = newValue
    }
  }

  /// Fills every region once and keeps those that are large and have a common direction.
  private mutating func fillAll() -> Int {
    var candidateCount = 0
    let isRows = kind == .rows
    let step = isRows ? 2 : 1
    let tileCountMin = isRows ? StripeRegionFinder.rowTileCountMin : StripeRegionFinder.tileCountMin
    for row in stride(from: step, to: activity.rows - step, by: step) {
      let end = row * activity.columns + activity.columns - step
      var next = row * activity.columns + step
      while let index = activity.firstTile(
        of: isRows ? StripeActivity.rows : StripeActivity.striped, from: next, to: end, everySecond: isRows)
      {
        next = index &+ step
        let candidate = isRows ? fillRows(from: index, at: usedCount) : fill(from: index, at: usedCount)
        visitedCount &+= candidate.tileCount
        guard candidate.tileCount >= tileCountMin else { continue }
        let a = abs(candidate.doubledX)
        let b = abs(candidate.doubledY)
        guard (max(a, b) + min(a, b) * 3 / 8) * 2 * step > candidate.energy else { continue }
        guard candidateCount < StripeRegionFinder.candidateCountMax else { return candidateCount }
        unsafe candidates[candidateCount] = candidate
        candidateCount += 1
        usedCount += candidate.tileCount
      }
    }
    return candidateCount
  }

  /// Collects every second tile of rows connected with `seed`. Neighbours differ by at most 13 degrees: the tangent of the
  /// doubled angle is 1/2.
  private func fillRows(from seed: Int, at first: Int) -> Blob {
    var candidate = Blob(firstIndex: first, tileCount: 0, energy: 0, doubledX: 0, doubledY: 0)
    var head = first
    var tail = first &+ 1
    unsafe queue[first] = Int32(truncatingIfNeeded: seed)
    unsafe activity.flags[seed] ^= StripeActivity.takeRows
    while head < tail {
      let index = unsafe Int(queue[head])
      head &+= 1
      let x = unsafe Int(activity.doubledX[index])
      let y = unsafe Int(activity.doubledY[index])
      unsafe candidate.energy &+= Int(activity.energy[index])
      candidate.doubledX &+= x
      candidate.doubledY &+= y
      var neighbour = index &- 2 &* activity.columns &- 2
      for _ in 0..<3 {
        for step in 0..<3 where unsafe activity.flags[neighbour &+ 2 &* step] & StripeActivity.rows != 0 {
          let next = neighbour &+ 2 &* step
          let nextX = unsafe Int(activity.doubledX[next])
          let nextY = unsafe Int(activity.doubledY[next])
          guard 2 &* abs(x &* nextY &- y &* nextX) < x &* nextX &+ y &* nextY else { continue }
          unsafe activity.flags[next] ^= StripeActivity.takeRows
          unsafe queue[tail] = Int32(truncatingIfNeeded: next)
          tail &+= 1
        }
        neighbour &+= 2 &* activity.columns
      }
    }
    candidate.tileCount = tail &- first
    return candidate
  }

  /// Collects the tiles connected with `seed` and writes their indices to the queue from `first` on.
  private func fill(from seed: Int, at first: Int, angleStepMax: Int16 = StripeRegionFinder.angleStepMax) -> Blob {
    var candidate = Blob(firstIndex: first, tileCount: 0, energy: 0, doubledX: 0, doubledY: 0)
    var head = first
    var tail = first &+ 1
    unsafe queue[first] = Int32(truncatingIfNeeded: seed)
    unsafe activity.flags[seed] ^= StripeActivity.takeStriped
    let columns = activity.columns
    while head < tail {
      let index = unsafe Int(queue[head])
      head &+= 1
      unsafe candidate.energy &+= Int(activity.energy[index])
      unsafe candidate.doubledX &+= Int(activity.doubledX[index])
      unsafe candidate.doubledY &+= Int(activity.doubledY[index])
      let angle = unsafe activity.doubledAngle[index]
      var neighbour = index &- columns &- 1
      for _ in 0..<3 {
        for step in 0..<3 where unsafe activity.flags[neighbour &+ step] & StripeActivity.striped != 0 {
          let next = neighbour &+ step
          let difference = unsafe Int16(bitPattern: activity.doubledAngle[next] &- angle)
          guard difference <= angleStepMax, difference >= 0 &- angleStepMax else {
            continue
          }
          unsafe activity.flags[next] ^= StripeActivity.takeStriped
          unsafe queue[tail] = Int32(truncatingIfNeeded: next)
          tail &+= 1
        }
        neighbour &+= columns
      }
    }
    candidate.tileCount = tail &- first
    return candidate
  }

  /// Measures a region and keeps it if it is long enough, after its parts if it joins several things.
  private mutating func keep(_ whole: Blob, depth: Int = 0) {
    var region = measure(whole)
    if kind == .bars, depth < StripeRegionFinder.splitDepthMax, whole.tileCount >= StripeRegionFinder.splitTileCountMin,
      isSparse(region) || isUneven(whole)
    {
      keepParts(of: whole, depth: depth)
    }
    if kind == .bars, let body = body(of: whole, region) { region = measure(body) }
    guard region.length >= StripeRegionFinder.lengthMin << 16 else { return }
    guard count < StripeRegionFinder.regionCountMax else {
      isCut = true
      return
    }
    unsafe regions[count] = region
    count += 1
  }

  /// Whether a region leaves more than half of its rectangle empty. Such a region joins several symbols, or a symbol with label edges,
  /// print or ground that is striped in a similar direction.
  private func isSparse(_ region: StripeRegion) -> Bool {
    2 * region.tileCount < (region.length >> 19) * (region.height >> 19)
  }

  /// Whether a region has much stronger tiles beside weaker ones: the mean strength, weighted with itself, is well above the plain
  /// mean. In one symbol they differ little.
  private func isUneven(_ region: Blob) -> Bool {
    var sum = 0
    var sumOfSquares = 0
    for position in region.firstIndex..<(region.firstIndex + region.tileCount) {
      let strength = unsafe coherentEnergy(Int(queue[position])) >> 8
      sum &+= strength
      sumOfSquares &+= strength &* strength
    }
    return 2 * (sumOfSquares / max(1, sum)) * region.tileCount >= StripeRegionFinder.unevennessMin * sum
  }

  /// Collects the clearly striped tiles of a region once more, with less tolerance between neighbours, and keeps the parts.
  private mutating func keepParts(of whole: Blob, depth: Int) {
    let first = whole.firstIndex + whole.tileCount
    guard usedCount + whole.tileCount <= queueCount else { return }
    for position in whole.firstIndex..<first {
      let tile = unsafe Int(queue[position])
      let energy = unsafe Int(activity.energy[tile])
      guard 16 * coherentEnergy(tile) >= energy * StripeRegionFinder.partCoherenceMin else { continue }
      unsafe activity.flags[tile] ^= StripeActivity.takeStriped
    }
    for position in whole.firstIndex..<first {
      let tile = unsafe Int(queue[position])
      guard unsafe activity.flags[tile] & StripeActivity.striped != 0 else { continue }
      let part = fill(from: tile, at: usedCount, angleStepMax: StripeRegionFinder.partAngleStepMax)
      visitedCount &+= part.tileCount
      guard part.tileCount >= StripeRegionFinder.tileCountMin, part.tileCount < whole.tileCount else { continue }
      usedCount += part.tileCount
      keep(part, depth: depth + 1)
      usedCount -= part.tileCount
    }
  }

  /// The coherent part of a tile's energy: the length of its doubled gradient, 7 % too long at most.
  @inline(__always) private func coherentEnergy(_ index: Int) -> Int {
    let a = unsafe abs(Int(activity.doubledX[index]))
    let b = unsafe abs(Int(activity.doubledY[index]))
    return max(a, b) &+ min(a, b) &* 3 / 8
  }

  /// A region without end parts that are too short across the bars for a symbol, such as an edge of the label or its
  /// surroundings that continues a bar. Nil if there are no such parts. Reorders the tiles in the queue.
  private func body(of whole: Blob, _ region: StripeRegion) -> Blob? {
    var counts: [256 of UInt16] = .init(repeating: 0)
    // Slices as high as a tile, or higher.
    var shift = 19
    while (region.vMax - region.vMin) >> shift >= StripeRegionFinder.sliceCountMax { shift += 1 }
    let last = (region.vMax - region.vMin) >> shift
    let end = whole.firstIndex + whole.tileCount
    let slices = StripeSlices(region, shift: shift)
    for position in whole.firstIndex..<end { counts[slices.index(of: place(at: position))] &+= 1 }
    let few = (StripeRegionFinder.lengthMin / 8) << (shift - 19)
    var from = 0
    var to = last
    while from < to, counts[from] <= few { from += 1 }
    while to > from, counts[to] <= few { to -= 1 }
    // The corners of a rotated symbol are short, too.
    guard (from + last - to) * 4 >= last else { return nil }
    var body = Blob(firstIndex: whole.firstIndex, tileCount: 0, energy: 0, doubledX: 0, doubledY: 0)
    for position in whole.firstIndex..<end {
      let slice = slices.index(of: place(at: position))
      if slice < from || slice > to { continue }
      let index = unsafe Int(queue[position])
      let kept = body.firstIndex &+ body.tileCount
      unsafe queue[position] = queue[kept]
      unsafe queue[kept] = Int32(truncatingIfNeeded: index)
      body.tileCount &+= 1
      unsafe body.energy &+= Int(activity.energy[index])
      unsafe body.doubledX &+= Int(activity.doubledX[index])
      unsafe body.doubledY &+= Int(activity.doubledY[index])
    }
    return body.tileCount >= StripeRegionFinder.tileCountMin ? body : nil
  }

  /// Measures direction, extent, slope and turn of a region in two passes over its tiles.
  private func measure(_ candidate: Blob) -> StripeRegion {
    let direction = BinaryAngle(bits: BinaryAngle(x: candidate.doubledX, y: candidate.doubledY).bits >> 1)
    let tileCount = candidate.tileCount
    var sumX = 0
    var sumY = 0
    for position in candidate.firstIndex..<(candidate.firstIndex + tileCount) {
      let place = place(at: position)
      sumX &+= place.x
      sumY &+= place.y
    }
    let centerX = sumX / tileCount
    let centerY = sumY / tileCount
    var region = StripeRegion(
      centerX: centerX << 12, centerY: centerY << 12, direction: direction, tileCount: tileCount, energy: candidate.energy)
    let (a, b) = (abs(candidate.doubledX), abs(candidate.doubledY))
    region.coherence = (max(a, b) + min(a, b) * 3 / 8) * 256 / max(1, candidate.energy)
    let cosine = Int(direction.cosine.bits)
    let sine = Int(direction.sine.bits)
    let doubled = direction.bits << 1
    var sumUU = 0
    var sumUV = 0
    var sumWeighted = 0
    var sumTurn = 0
    for position in candidate.firstIndex..<(candidate.firstIndex + tileCount) {
      let place = place(at: position)
      let x = place.x &- centerX
      let y = place.y &- centerY
      // Sixteenths of a pixel.
      let u = (x &* cosine &+ y &* sine) >> 16
      let v = (y &* cosine &- x &* sine) >> 16
      region.uMin = min(region.uMin, u)
      region.uMax = max(region.uMax, u)
      region.vMin = min(region.vMin, v)
      region.vMax = max(region.vMax, v)
      sumUU &+= u &* u
      sumUV &+= u &* v
      let weight = unsafe Int(activity.energy[Int(queue[position])] >> 10)
      let turned = unsafe Int(Int16(bitPattern: doubledAngle(Int(queue[position])) &- doubled))
      sumWeighted &+= weight &* ((u &* u) >> 8)
      sumTurn &+= weight &* ((u &* turned) >> 5)
    }
    (region.uMin, region.uMax) = (region.uMin << 12, region.uMax << 12)
    (region.vMin, region.vMax) = (region.vMin << 12, region.vMax << 12)
    if sumUU > 0, tileCount >= 8 {
      region.slope = max(-40_000, min(40_000, (sumUV << 16) / sumUU))
    }
    if sumWeighted > 0, tileCount >= 12 {
      let turnMax = (1820 << 32) / max(1 << 16, region.uMax - region.uMin)
      region.turn = max(-turnMax, min(turnMax, (sumTurn << 16) / sumWeighted))
    }
    return region
  }

  /// Twice the direction of a tile's gradient.
  @inline(__always) private func doubledAngle(_ index: Int) -> UInt16 {
    if kind == .bars { return unsafe activity.doubledAngle[index] }
    return unsafe BinaryAngle(x: Int(activity.doubledX[index]), y: Int(activity.doubledY[index])).bits
  }

  /// The centre of a queued tile in sixteenths of a pixel.
  @inline(__always) private func place(at position: Int) -> (x: Int, y: Int) {
    let index = unsafe Int(queue[position])
    let row = index / activity.columns
    let column = index &- row &* activity.columns
    return ((column &- 1) &* 128 &+ 56, (row &- 1) &* 128 &+ 56)
  }
}

/// The slices of a region across its bars, 2^shift pixels times 65536 each, from `vMin` on.
private struct StripeSlices {
  let centerX: Int
  let centerY: Int
  let cosine: Int
  let sine: Int
  let vMin: Int
  let shift: Int
  let last: Int

  init(_ region: StripeRegion, shift: Int) {
    centerX = region.centerX
    centerY = region.centerY
    cosine = Int(region.direction.cosine.bits)
    sine = Int(region.direction.sine.bits)
    vMin = region.vMin
    self.shift = shift
    last = (region.vMax - region.vMin) >> shift
  }

  /// The slice of a place in sixteenths of a pixel.
  @inline(__always) func index(of place: (x: Int, y: Int)) -> Int {
    let x = place.x &- centerX >> 12
    let y = place.y &- centerY >> 12
    let v = (y &* cosine &- x &* sine) >> 16
    return max(0, min(last, (v << 12 &- vMin) >> shift))
  }
}
