// The view without anything in it, from which what comes into view is told apart.

import BarcodeTypes
import ScanControl

/// The view while nothing is in it, from which what comes is told apart.
struct EmptyView {
  /// The time after which the empty view is refreshed, and how long what came must stay without a symbol before it is part of the view.
  private static let refreshTime: Int64 = 200_000_000
  private static let absorbTime: Int64 = 5_000_000_000
  /// A shorter time for a change that covers this percentage of the view: the place has changed, and no label has come.
  private static let (coverTime, coverShare): (Int64, Int) = (1_000_000_000, 40)
  /// The difference from the empty view from which a sample is news: grey levels, and a part of the level.
  private static let (differenceMin, differenceDivisor) = (16, 6)
  /// The deviations of a sample's noise within which a difference is not news. Two noisy samples differ by more in one of a
  /// hundred cases, but groups of samples hardly ever do.
  private static let deviationCount = 4
  /// Frames that a change of light may show in parts.
  private static let changingFrameCount = 3
  /// The smallest group of samples that is news, in a clear and in a noisy frame, and the largest share of the view in percent: a
  /// larger change is one of the light.
  private static let (clearCountMin, noisyCountMin, shareMax) = (3, 8, 70)
  /// Levels below and above which a sample no longer shows how dark or bright that part of the view is.
  private static let (blackLevel, whiteLevel) = (4, 240)

  private var samples: [UInt8]
  private var spreads: [UInt8]
  private var isKnown = false
  /// Whether light was seen to flicker: then rows of the view are darker and lighter from frame to frame.
  var isFlickering = false
  private var gathered: Int?
  private var takenAt: Int64 = 0
  /// Since when there is something in view; nil: nothing is.
  private var newsSince: Int64?
  private var hasNews = false
  /// Whether the last frame could not tell.
  private var isDoubtful = false
  /// Frames that are passed over.
  private var passedCount = 0
  /// Samples that are news, in percent of all.
  private var newsShare = 0

  init(sampleCount: Int) {
    samples = [UInt8](repeating: 0, count: sampleCount)
    spreads = [UInt8](repeating: 0, count: sampleCount)
  }

  /// Forgets the view because its light has changed. The next frames may be lit in part; the ones after them show it again.
  mutating func forget() { (isKnown, newsSince, hasNews, passedCount) = (false, nil, false, Self.changingFrameCount) }

  /// The rectangle of what has come into view, in samples; nil if nothing has.
  mutating func news(
    in present: [UInt8], _ presentSpreads: [UInt8], columns: Int, _ settings: SensorSettings, noise: SampleNoise
  ) -> PixelRegion? {
    // The noise of this frame is not known yet: the next one shows what is new.
    let mayBeNoise = !hasNews && noise.isFresh
    hasNews = false
    isDoubtful = mayBeNoise
    guard isKnown, !mayBeNoise else { return nil }
    let found = differences(in: present, presentSpreads, columns: columns, settings, noise)
    newsShare = found.count * 100 / present.count
    guard let largest = found.largest, newsShare <= Self.shareMax else { return nil }
    let middle = (largest.place.y + largest.place.height / 2) * columns + largest.place.x + largest.place.width / 2
    let isNoisy =
      Self.deviationCount * noise.deviation(at: min(present[middle], samples[middle])) / 16 > Self.differenceMin
    guard largest.count >= (isNoisy ? Self.noisyCountMin : Self.clearCountMin) else { return nil }
    hasNews = true
    return largest.place
  }

  /// The samples that differ: the largest group of them, and how many there are in all.
  private func differences(
    in present: [UInt8], _ presentSpreads: [UInt8], columns: Int, _ settings: SensorSettings, _ noise: SampleNoise
  ) -> (largest: Blobs.Blob?, count: Int) {
    // Cameras write the square root of the light, nearly.
    var scale = 256
    if let gathered, let now = settings.gathered { scale = Int((UInt64(now) << 16 / UInt64(gathered)).root) }
    // A level that is raised is known less well.
    let doubt = max(0, scale - 256) * Self.blackLevel / 256
    var noiseMaxes: [16 of Int] = .init(repeating: 0)
    for index in 0..<16 { noiseMaxes[index] = Self.deviationCount * noise.deviation(at: UInt8(index * 16 + 8)) / 16 }
    var blobs = Blobs()
    var newsCount = 0
    let (known, knownSpreads, levels, levelSpreads) = (samples.span, spreads.span, present.span, presentSpreads.span)
    // Where levels need no scale, sixteen samples are compared at once, and few of them closely.
    let isComparable = scale == 256 && !isFlickering
    for row in 0..<present.count / columns {
      var run: Int?
      let shift = isFlickering ? rowShift(present, row * columns..<(row + 1) * columns, scale) : 0
      var column = 0
      while column < columns {
        let index = row * columns + column
        if isComparable, run == nil, column + 16 <= columns, areLike(index, levels, levelSpreads) {
          column += 16
          continue
        }
        defer { column += 1 }
        let former = Int(known[index])
        let expected = max(0, min(255, ((former * scale) >> 8) + shift))
        let level = Int(levels[index])
        let isUnknown =
          former >= Self.whiteLevel && level < expected || former <= Self.blackLevel && scale > 512 && level < 128
        let noiseMax = noiseMaxes[min(level, expected) >> 4]
        let difference = doubt + max(noiseMax, Self.differenceMin + max(level, expected) / Self.differenceDivisor)
        let spread = Int(levelSpreads[index])
        let isNews =
          !isUnknown
          && (abs(level - expected) >= difference
            || spread >= 2 * difference && spread >= 2 * difference + (Int(knownSpreads[index]) * scale) >> 9)
        if isNews {
          newsCount += 1
          run = run ?? column
        } else if let first = run {
          blobs.add(first..<column, row)
          run = nil
        }
      }
      if let first = run { blobs.add(first..<columns, row) }
      blobs.endRow(row)
    }
    return (blobs.largest, newsCount)
  }

  /// Whether sixteen samples are certainly no news, taken with the same light as the empty view.
  private func areLike(_ index: Int, _ levels: Span<UInt8>, _ levelSpreads: Span<UInt8>) -> Bool {
    func sixteen(_ span: Span<UInt8>) -> SIMD16<UInt8> {
      span.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self) }
    }
    let (known, present) = (sixteen(samples.span), sixteen(levels))
    let difference = pointwiseMax(known, present) &- pointwiseMin(known, present)
    let (knownSpread, spread) = (sixteen(spreads.span) &>> 1, sixteen(levelSpreads))
    let excess = pointwiseMax(spread, knownSpread) &- knownSpread
    return pointwiseMax(difference, excess &>> 1).max() < UInt8(Self.differenceMin)
  }

  /// How much lighter most samples of a row are than expected, in grey levels: light that flickers makes whole rows lighter.
  private func rowShift(_ present: [UInt8], _ row: Range<Int>, _ scale: Int) -> Int {
    var counts: [128 of Int16] = .init(repeating: 0)
    for index in row {
      let difference = Int(present[index]) - min(255, (Int(samples[index]) * scale) >> 8)
      counts[min(127, (difference + 256) / 4)] += 1
    }
    var (seen, bin) = (0, 0)
    while bin < 127, seen + Int(counts[bin]) <= row.count / 2 {
      seen += Int(counts[bin])
      bin += 1
    }
    return bin * 4 + 2 - 256
  }

  /// Takes the view as empty while nothing is in it, and once what came has stayed for long.
  mutating func settle(
    _ present: [UInt8], _ presentSpreads: [UInt8], _ settings: SensorSettings, isEmpty: Bool, at now: Int64
  ) {
    if passedCount > 0 {
      passedCount -= 1
      return
    }
    if !isKnown || isEmpty && !hasNews && !isDoubtful && now - takenAt >= Self.refreshTime {
      take(present, presentSpreads, settings, at: now)
      newsSince = nil
    }
    let since = newsSince ?? now
    newsSince = hasNews && isEmpty ? since : nil
    if hasNews, now - since >= (newsShare >= Self.coverShare ? Self.coverTime : Self.absorbTime) {
      take(present, presentSpreads, settings, at: now)
    }
  }

  /// Copies the samples; sharing the arrays would allocate new ones with the next frame.
  private mutating func take(
    _ present: [UInt8], _ presentSpreads: [UInt8], _ settings: SensorSettings, at now: Int64
  ) {
    for index in samples.indices {
      samples[index] = present[index]
      spreads[index] = presentSpreads[index]
    }
    (isKnown, gathered, takenAt) = (true, settings.gathered, now)
  }
}

/// Groups of samples that touch each other, row by row.
private struct Blobs {
  struct Blob {
    var place: PixelRegion
    var count: Int
    /// The last row's part, for the next row to touch.
    var last: Range<Int>
    var lastRow: Int
  }

  /// Groups that may grow at once; runs of samples beyond them are left out.
  private var active: [32 of Blob] = .init(
    repeating: Blob(place: PixelRegion(x: 0, y: 0, width: 0, height: 0), count: 0, last: 0..<0, lastRow: 0))
  private var activeCount = 0
  private(set) var largest: Blob?

  /// Adds a run of samples in a row.
  mutating func add(_ run: Range<Int>, _ row: Int) {
    var blob = Blob(
      place: PixelRegion(x: run.lowerBound, y: row, width: run.count, height: 1), count: run.count, last: run, lastRow: row)
    keep { other in
      guard other.last.lowerBound <= run.upperBound, run.lowerBound <= other.last.upperBound else { return true }
      blob.take(other)
      return false
    }
    if activeCount < active.count {
      active[activeCount] = blob
      activeCount += 1
    }
    if blob.count > largest?.count ?? 0 { largest = blob }
  }

  /// Leaves out the groups that the row did not touch.
  mutating func endRow(_ row: Int) { keep { $0.lastRow >= row } }

  private mutating func keep(_ isKept: (Blob) -> Bool) {
    var count = 0
    for index in 0..<activeCount where isKept(active[index]) {
      active[count] = active[index]
      count += 1
    }
    activeCount = count
  }
}

extension Blobs.Blob {
  fileprivate mutating func take(_ other: Blobs.Blob) {
    let left = min(place.x, other.place.x)
    let top = min(place.y, other.place.y)
    let right = max(place.x + place.width, other.place.x + other.place.width)
    let bottom = max(place.y + place.height, other.place.y + other.place.height)
    place = PixelRegion(x: left, y: top, width: right - left, height: bottom - top)
    count += other.count
    if other.lastRow == lastRow {
      last = min(last.lowerBound, other.last.lowerBound)..<max(last.upperBound, other.last.upperBound)
    }
  }
}

extension UInt64 {
  /// The square root, rounded down.
  var root: UInt64 {
    guard self > 1 else { return self }
    var (low, high): (UInt64, UInt64) = (1, 1 << ((UInt64(bitWidth - leadingZeroBitCount) + 1) / 2))
    while low < high {
      let middle = (low + high + 1) / 2
      if middle <= self / middle { low = middle } else { high = middle - 1 }
    }
    return low
  }
}
