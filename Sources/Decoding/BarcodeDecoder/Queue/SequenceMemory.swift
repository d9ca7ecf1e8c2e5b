// State carried from one frame to the next: the symbols in view, and how far each unread candidate has been tried.

import BarcodeTypes
import CVector

/// The memory of a sequence of frames.
@safe struct SequenceMemory {
  /// The most candidates remembered.
  static let candidateCountMax = 2048
  /// Frames after which an unchanged symbol is read again regardless.
  private static let keptCountMax = 30
  /// Side of the blocks that are compared, in pixels of the half-size picture.
  private static let blockSide = 8
  /// Mean differences between two frames that count as noise, in sixteenths of a grey level. For a whole symbol: an upper
  /// limit, and a divisor of the symbol's contrast. For a block: twice the mean of its symbol plus `blockNoiseMax`. A single
  /// different character changes a block by more.
  private static let noiseMax = 64
  private static let noiseDivisor = 12
  private static let blockNoiseMax = 24

  /// A candidate that was tried or is waiting to be tried.
  struct Tried: BitwiseCopyable {
    var kind: CandidateKind
    var level: Int8
    /// The next attempt to make.
    var next: Attempt
    /// How often all attempts were made.
    var rounds: UInt8
    var place: CandidatePlace
  }

  private var before: ScratchArray<Tried>
  private var beforeCount = 0
  private var current: ScratchArray<Tried>
  private var currentCount = 0
  /// The previous frame at half size, row by row; valid if it had symbols.
  private let half: UnsafeMutablePointer<UInt8>
  private var halfWidth = 0
  private var halfHeight = 0
  /// The decoded region of the last frame.
  private var region = PixelRegion(x: 0, y: 0, width: 0, height: 0)
  private var settings = DecoderSettings()
  /// Work units that frames may still spend beyond the least budget before they read a new symbol.
  private(set) var spareWork = Int.max
  /// Capacity of `spareWork`, in frames of least work.
  private static let spareFrameCount = 24
  /// Each frame adds this fraction of its least work to `spareWork`.
  private static let spareRefillDivisor = 16
  /// Work up to this fraction of the least is not taken from `spareWork`.
  private static let spareFreeDivisor = 4
  /// Frames in the sequence so far.
  private(set) var frameCount = 0
  /// The extra search to make next.
  var nextSearch = 0

  /// Allocates its memory from the arena; it is never released.
  init(pixelCountMax: Int, arena: inout Arena) throws(ArenaFull) {
    before = try ScratchArray(SequenceMemory.candidateCountMax, arena: &arena)
    current = try ScratchArray(SequenceMemory.candidateCountMax, arena: &arena)
    unsafe half = try arena.take(UInt8.self, count: SequenceMemory.halfByteCount(pixelCountMax))
  }

  /// Bytes needed for pictures of up to `pixelCount` pixels.
  static func byteCount(pixelCount: Int) -> Int {
    2 * candidateCountMax * MemoryLayout<Tried>.stride + halfByteCount(pixelCount) + 3 * 64
  }

  private static func halfByteCount(_ pixelCount: Int) -> Int { pixelCount / 4 + DecoderLimits.sidePixelsMax }

  /// Forgets everything.
  mutating func removeAll() {
    beforeCount = 0
    currentCount = 0
    halfWidth = 0
    halfHeight = 0
    frameCount = 0
    nextSearch = 0
    spareWork = .max
  }

  /// Forgets the symbols, so that the next frame reads all of them again.
  mutating func forgetSymbols() { halfWidth = 0 }

  /// Begins a frame. Remembered state applies only to frames of the same region and settings: returns false if it is
  /// forgotten.
  mutating func beginFrame(_ region: PixelRegion, _ settings: DecoderSettings) -> Bool {
    let isSame = region == self.region && settings == self.settings
    if !isSame { removeAll() }
    self.region = region
    self.settings = settings
    (before, current) = (current, before)
    beforeCount = currentCount
    currentCount = 0
    frameCount = min(frameCount + 1, Int(Int32.max))
    return isSame
  }

  /// Takes the work of a frame from `spareWork`; a new symbol refills it.
  mutating func settle(spent: Int, least: Int, hasNews: Bool) {
    let most = SequenceMemory.spareFrameCount * least
    if hasNews {
      spareWork = most
    } else {
      let left = min(spareWork, most) - max(0, spent - least / SequenceMemory.spareFreeDivisor)
      spareWork = min(most, max(0, left) + least / SequenceMemory.spareRefillDivisor)
    }
  }

  /// Ends a frame and keeps its half-size picture, with which the next frame is compared.
  mutating func endFrame(_ half: LumaView, hasSymbols: Bool) {
    halfWidth = 0
    halfHeight = 0
    guard hasSymbols, half.width * half.height <= SequenceMemory.halfByteCount(region.width * region.height) else { return }
    halfWidth = half.width
    halfHeight = half.height
    for y in 0..<halfHeight {
      unsafe UnsafeMutableRawPointer(self.half + y &* halfWidth).copyMemory(
        from: half.place(0, y).pointer(first: 0, last: halfWidth - 1), byteCount: halfWidth)
    }
  }

  // MARK: Candidates

  /// Looks up a candidate of the previous frame: its next attempt, its rounds, and the index of its note in this frame.
  mutating func recall(_ candidate: Candidate) -> (next: Attempt, rounds: Int, note: Int)? {
    for index in 0..<beforeCount {
      let known = before[index]
      guard known.kind == candidate.kind, known.level == candidate.level, known.place.isLike(candidate.place),
        currentCount < SequenceMemory.candidateCountMax
      else { continue }
      current[currentCount] = known
      current[currentCount].place = candidate.place
      currentCount += 1
      return (known.next, Int(known.rounds), currentCount - 1)
    }
    return nil
  }

  /// Notes that a candidate was tried without success; `next` is nil if there is no further attempt.
  mutating func note(_ candidate: Candidate, next: Attempt?, at note: Int) {
    var tried = Tried(
      kind: candidate.kind, level: candidate.level, next: next ?? .glance, rounds: next == nil ? 1 : 0,
      place: candidate.place)
    if note >= 0 {
      tried.rounds = min(8, current[note].rounds + tried.rounds)
      current[note] = tried
    } else if currentCount < SequenceMemory.candidateCountMax {
      current[currentCount] = tried
      currentCount += 1
    }
  }

  // MARK: Symbols

  /// Whether a symbol has not changed since the previous frame: its pixels differ by noise alone.
  func isUnchanged(_ quad: Quad, keptCount: Int, _ half: LumaView) -> Bool {
    guard half.width == halfWidth, half.height == halfHeight, keptCount < SequenceMemory.keptCountMax else { return false }
    let (left, top, right, bottom) = quad.halfExtent
    // The part beyond the picture may have changed.
    guard left >= 0, top >= 0, right < halfWidth, bottom < halfHeight else { return false }
    let side = SequenceMemory.blockSide
    let isSmall = right - left < 4 * side || bottom - top < 4 * side
    var sum = 0
    var pixelCount = 0
    var worst = 0
    var low: UInt8 = 255
    var high: UInt8 = 0
    var lows = cvector_u8x16(repeating: 255)
    var highs = cvector_u8x16(repeating: 0)
    for y in stride(from: top, through: bottom, by: side) {
      for x in stride(from: left, through: right, by: side) {
        let middle = PixelPoint(x: Fixed16(2 * x + side), y: Fixed16(2 * y + side))
        guard isSmall || quad.contains(middle) else { continue }
        let endX = min(x + side, halfWidth)
        let endY = min(y + side, halfHeight)
        var block = 0
        let isWhole = endX - x == side
        for line in y..<endY {
          let new = unsafe half.place(x, line)
          let old = unsafe self.half + (line &* halfWidth &+ x)
          if isWhole {
            block &+= unsafe compare(new.pointer(first: 0, last: side - 1), old, &lows, &highs)
            continue
          }
          for column in 0..<(endX &- x) {
            let value = unsafe new[column]
            low = min(low, value)
            high = max(high, value)
            block &+= unsafe abs(Int(value) &- Int(old[column]))
          }
        }
        let count = (endX - x) * (endY - y)
        sum += block
        pixelCount += count
        worst = max(worst, 16 * block / count)
      }
    }
    guard pixelCount > 0 else { return false }
    low = min(low, UInt8(truncatingIfNeeded: cvector_least_of_halves(lows)))
    high = max(high, UInt8(truncatingIfNeeded: cvector_greatest_of_halves(highs)))
    let mean = 16 * sum / pixelCount
    return mean <= SequenceMemory.noiseMax && mean * SequenceMemory.noiseDivisor <= 16 * Int(high - low)
      && worst <= 2 * mean + SequenceMemory.blockNoiseMax
  }

  /// The sum of the differences of eight pixels; also updates the running extremes in `lows` and `highs`.
  @inline(__always)
  @unsafe private func compare(
    _ new: UnsafePointer<UInt8>, _ old: UnsafePointer<UInt8>, _ lows: inout cvector_u8x16, _ highs: inout cvector_u8x16
  ) -> Int {
    let (new, old) = unsafe (cvector_load8_twice(new), cvector_load8_twice(old))
    lows = cvector_min(lows, new)
    highs = cvector_max(highs, new)
    return Int(cvector_differences_low(new, old))
  }
}

extension Quad {
  /// The least and greatest coordinates of the corners, in pixels of the picture at half size.
  fileprivate var halfExtent: (left: Int, top: Int, right: Int, bottom: Int) {
    let (a, b, c, d) = (topLeft, topRight, bottomRight, bottomLeft)
    return (
      Int(min(min(a.x.bits, b.x.bits), min(c.x.bits, d.x.bits)) >> 17),
      Int(min(min(a.y.bits, b.y.bits), min(c.y.bits, d.y.bits)) >> 17),
      Int(max(max(a.x.bits, b.x.bits), max(c.x.bits, d.x.bits)) >> 17),
      Int(max(max(a.y.bits, b.y.bits), max(c.y.bits, d.y.bits)) >> 17)
    )
  }
}
