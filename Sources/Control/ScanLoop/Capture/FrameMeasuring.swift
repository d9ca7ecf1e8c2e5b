// Measures frames for the camera's strategy: a grid of samples for the view and for what has come into it, and a closer look at that
// part and at the largest symbol that was located but not read.

import BarcodeTypes
import Devices
import ScanControl

/// Measures frames one after the other. Allocates only when the viewport's size changes.
struct FrameMeasuring {
  /// Samples per row of the viewport, and the least distance between them in pixels: 3600 samples of a 1280×720 frame.
  private static let (columnCountWished, stepMin) = (80, 8)
  /// Pixels of a sample.
  private static let sampleLength = 4
  /// The change of a sample up to which it counts as noise, in grey levels.
  private static let noise = 3

  /// The samples of the frame before, row by row, and how it was exposed.
  private var samples: [UInt8] = []
  /// The differences between the darkest and the lightest pixel of each sample.
  private var spreads: [UInt8] = []
  private var columnCount = 0
  private var earlier: SensorSettings?
  private var background = Background()
  /// Where the largest symbol, or what has come into view, was in the frame before: its middle, in pixels, and when.
  private var middle: (x: Int, y: Int, at: Int64)?

  /// The figures of a frame before it is decoded.
  mutating func measure(_ frame: LumaView, region: PixelRegion?, _ metadata: FrameMetadata) -> FrameMeasures {
    let settings = SensorSettings(metadata.sensor)
    var measures = FrameMeasures(
      capturedAt: Instant(nanoseconds: metadata.captureBootTimeNanoseconds), settings: settings)
    let whole = PixelRegion(x: 0, y: 0, width: frame.width, height: frame.height)
    guard let (part, left, top) = frame.cropped(to: region ?? whole) else { return measures }
    let step = max(Self.stepMin, part.width / Self.columnCountWished)
    let columns = (part.width + step - 1) / step
    let rows = (part.height + step - 1) / step
    let isSameGrid = samples.count == columns * rows && columnCount == columns
    // A lens that moves changes little.
    let isComparable = isSameGrid && earlier?.exposure == settings.exposure && earlier?.gain == settings.gain
    if !isSameGrid {
      samples = [UInt8](repeating: 0, count: columns * rows)
      spreads = samples
      background = Background()
    }
    (columnCount, earlier) = (columns, settings)
    var levels = LevelCounts()
    var (change, rowChange) = (0, 0)
    for row in 0..<rows {
      let line = part.row(min(row * step + step / 2, part.height - 1))
      var sum = 0
      for column in 0..<columns {
        let (level, spread) = Self.sample(line, around: column * step + step / 2, width: part.width)
        levels.add(level)
        let index = row * columns + column
        spreads[index] = spread
        let difference = Int(level) - Int(samples[index])
        samples[index] = level
        sum += difference
        change += max(0, abs(difference) - Self.noise)
      }
      rowChange += max(0, abs(sum) - Self.noise * columns)
    }
    measures.viewport = levels.brightness
    if isComparable {
      measures.change = 16 * change / max(1, columns * rows)
      measures.rowShare = change > 0 ? min(256, 256 * rowChange / change) : 0
    }
    if let news = background.news(in: samples, spreads, columns: columns, settings) {
      let place = PixelRegion(
        x: left + news.x * step, y: top + news.y * step, width: min(news.width * step, part.width - news.x * step),
        height: min(news.height * step, part.height - news.y * step))
      measures.thing = PartMeasures(place, in: frame)
    }
    return measures
  }

  /// The mean of some pixels of a row, less noisy than one, and the difference between the darkest and the lightest of them.
  private static func sample(_ line: UnsafePointer<UInt8>, around middle: Int, width: Int) -> (mean: UInt8, spread: UInt8) {
    let x = max(0, min(middle - sampleLength / 2, width - sampleLength))
    guard x + sampleLength <= width else { return (line[x], 0) }
    let (a, b, c, d) = (line[x], line[x + 1], line[x + 2], line[x + 3])
    let mean = UInt8((UInt16(a) + UInt16(b) + UInt16(c) + UInt16(d)) / 4)
    return (mean, max(max(a, b), max(c, d)) - min(min(a, b), min(c, d)))
  }

  /// The torch was switched: the view looks otherwise without anything in it.
  mutating func lightChanged() { background = Background() }

  /// Adds what the decoder found.
  mutating func add(
    _ sightings: [Sighting], _ unread: [UnreadSymbol], of frame: LumaView, to measures: inout FrameMeasures
  ) {
    measures.readCount = sightings.count
    let largest = unread.max { $0.corners.area < $1.corners.area }
    if sightings.isEmpty, let largest {
      measures.unread = PartMeasures(largest.corners.rectangle(inWidth: frame.width, height: frame.height), in: frame)
      measures.unread?.module = largest.module
    }
    background.settle(
      samples, spreads, measures.settings, isEmpty: sightings.isEmpty && unread.isEmpty, at: measures.capturedAt.nanoseconds)
    let middle = (sightings.first?.corners ?? largest?.corners)?.center
    follow(
      middle.map { (Int($0.x.bits >> 16), Int($0.y.bits >> 16)) }
        ?? measures.thing.map { ($0.place.x + $0.place.width / 2, $0.place.y + $0.place.height / 2) }, &measures)
  }

  /// Measures the speed of what is in view by its middle.
  private mutating func follow(_ place: (x: Int, y: Int)?, _ measures: inout FrameMeasures) {
    defer { middle = place.map { ($0.x, $0.y, measures.capturedAt.nanoseconds) } }
    guard let place, let middle, measures.capturedAt.nanoseconds > middle.at else { return }
    let distance = max(abs(place.x - middle.x), abs(place.y - middle.y))
    measures.speed = distance * 1_000_000 / max(1, Int((measures.capturedAt.nanoseconds - middle.at) / 1000))
  }
}

/// The view while nothing is in it, from which what comes is told apart.
private struct Background {
  /// The time after which the empty view is refreshed, and how long what came must stay without a symbol before it is part of the view.
  private static let refreshTime: Int64 = 200_000_000
  private static let absorbTime: Int64 = 5_000_000_000
  /// The same for what covers this percentage of the view: then the place has changed, rather than a label come.
  private static let (coverTime, coverShare): (Int64, Int) = (1_000_000_000, 40)
  /// The difference from the empty view from which a sample is news: grey levels, and a part of the level.
  private static let (differenceMin, differenceDivisor) = (16, 6)
  /// The least news, in samples beside each other, and the most, in percent of the view: then the light has changed.
  private static let (sampleCountMin, shareMax) = (3, 70)
  /// Levels up to which, and from which, a sample does not tell how dark or bright its place is.
  private static let (blackLevel, whiteLevel) = (4, 250)

  private var samples: [UInt8] = []
  private var spreads: [UInt8] = []
  private var gathered: Int?
  private var takenAt: Int64 = 0
  /// Since when there is something in view; nil: nothing is.
  private var newsSince: Int64?
  private var hasNews = false
  /// Samples that are news, in percent of all.
  private var newsShare = 0

  /// The rectangle of what has come into view, in samples; nil if nothing has.
  mutating func news(
    in present: [UInt8], _ presentSpreads: [UInt8], columns: Int, _ settings: SensorSettings
  ) -> PixelRegion? {
    hasNews = false
    guard samples.count == present.count else { return nil }
    // Cameras write the square root of the light, nearly.
    var scale = 256
    if let gathered, let now = settings.gathered { scale = Int((UInt64(now) << 16 / UInt64(gathered)).root) }
    // A level that is raised is known less well.
    let doubt = max(0, scale - 256) * Self.blackLevel / 256
    var blobs = Blobs()
    var newsCount = 0
    for row in 0..<present.count / columns {
      var run: Int?
      for column in 0..<columns {
        let index = row * columns + column
        let known = Int(samples[index])
        let expected = min(255, (known * scale) >> 8)
        let level = Int(present[index])
        let isUnknown =
          known >= Self.whiteLevel && level < expected || known <= Self.blackLevel && scale > 512 && level < 128
        let difference = Self.differenceMin + doubt + max(level, expected) / Self.differenceDivisor
        let expectedSpread = (Int(spreads[index]) * scale) >> 8
        let isNews =
          !isUnknown
          && (abs(level - expected) >= difference || Int(presentSpreads[index]) >= 2 * difference + expectedSpread / 2)
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
    newsShare = newsCount * 100 / present.count
    guard let largest = blobs.largest, largest.count >= Self.sampleCountMin, newsShare <= Self.shareMax else { return nil }
    hasNews = true
    return largest.place
  }

  /// Takes the view as empty while nothing is in it, and once what came has stayed for long.
  mutating func settle(
    _ present: [UInt8], _ presentSpreads: [UInt8], _ settings: SensorSettings, isEmpty: Bool, at now: Int64
  ) {
    if samples.count != present.count || isEmpty && !hasNews && now - takenAt >= Self.refreshTime {
      (samples, spreads, gathered, takenAt, newsSince) = (present, presentSpreads, settings.gathered, now, nil)
    }
    let since = newsSince ?? now
    newsSince = hasNews && isEmpty ? since : nil
    if hasNews, now - since >= (newsShare >= Self.coverShare ? Self.coverTime : Self.absorbTime) {
      (samples, spreads, gathered, takenAt) = (present, presentSpreads, settings.gathered, now)
    }
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
  private static let activeCountMax = 32

  private var active: [Blob] = []
  private(set) var largest: Blob?

  /// Adds a run of samples in a row.
  mutating func add(_ run: Range<Int>, _ row: Int) {
    var blob = Blob(
      place: PixelRegion(x: run.lowerBound, y: row, width: run.count, height: 1), count: run.count, last: run, lastRow: row)
    active.removeAll { other in
      guard other.last.lowerBound <= run.upperBound, run.lowerBound <= other.last.upperBound else { return false }
      blob.take(other)
      return true
    }
    if active.count < Self.activeCountMax { active.append(blob) }
    if blob.count > largest?.count ?? 0 { largest = blob }
  }

  /// Leaves out the groups that the row did not touch.
  mutating func endRow(_ row: Int) { active.removeAll { $0.lastRow < row } }
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
  fileprivate var root: UInt64 {
    guard self > 1 else { return self }
    var (low, high): (UInt64, UInt64) = (1, 1 << ((UInt64(bitWidth - leadingZeroBitCount) + 1) / 2))
    while low < high {
      let middle = (low + high + 1) / 2
      if middle <= self / middle { low = middle } else { high = middle - 1 }
    }
    return low
  }
}

extension SensorSettings {
  init(_ reading: SensorReading) {
    self.init(
      exposure: reading.exposureMicroseconds, gain: reading.gain.map { Int($0 * 1000) },
      lens: reading.lensPosition.map { Int($0 * 1000) })
  }
}

/// Samples by their level.
private struct LevelCounts {
  private var counts: [256 of Int32] = .init(repeating: 0)
  private var total: Int32 = 0
  /// Levels at the ends of the range that count as lost.
  private static let lostLevels = 3

  mutating func add(_ level: UInt8) {
    counts[Int(level)] += 1
    total += 1
  }

  var brightness: Brightness {
    guard total > 0 else { return Brightness() }
    var (black, white): (Int32, Int32) = (0, 0)
    for level in 0...Self.lostLevels {
      black += counts[level]
      white += counts[255 - level]
    }
    return Brightness(
      dark: level(above: total / 20), middle: level(above: total / 2), bright: level(above: total - 1 - total / 20),
      blackShare: Int(black * 1000 / total), whiteShare: Int(white * 1000 / total))
  }

  /// The level of the sample with this rank.
  private func level(above rank: Int32) -> UInt8 {
    var seen: Int32 = 0
    for level in 0..<256 {
      seen += counts[level]
      if seen > rank { return UInt8(level) }
    }
    return 255
  }
}

extension PartMeasures {
  /// Samples per side, and the lines of each direction on which detail is measured.
  private static let (sampleSide, lineCount) = (24, 24)

  init(_ place: PixelRegion, in frame: LumaView) {
    var levels = LevelCounts()
    for row in 0..<Self.sampleSide {
      let line = frame.row(place.y + (2 * row + 1) * place.height / (2 * Self.sampleSide))
      for column in 0..<Self.sampleSide {
        levels.add(line[place.x + (2 * column + 1) * place.width / (2 * Self.sampleSide)])
      }
    }
    let brightness = levels.brightness
    self.init(
      place: place, brightness: brightness, detailAcross: Self.detail(place, in: frame, isAcross: true, brightness),
      detailDown: Self.detail(place, in: frame, isAcross: false, brightness))
  }

  /// The mean square of the steps over two pixels on lines through a part.
  private static func detail(_ place: PixelRegion, in frame: LumaView, isAcross: Bool, _ brightness: Brightness) -> Int {
    let length = isAcross ? place.width : place.height
    let depth = isAcross ? place.height : place.width
    var (squares, count) = (0, 0)
    for line in 0..<lineCount {
      let side = (2 * line + 1) * depth / (2 * lineCount)
      let row = frame.row(place.y + (isAcross ? side : 0))
      for index in 0..<max(0, length - 2) {
        let (first, second) =
          isAcross
          ? (row[place.x + index], row[place.x + index + 2])
          : (frame.row(place.y + index)[place.x + side], frame.row(place.y + index + 2)[place.x + side])
        let step = Int(first) - Int(second)
        squares += step * step
      }
      count += max(0, length - 2)
    }
    return 1000 * squares / max(1, count) / max(1, Int(brightness.bright) * Int(brightness.bright) / 100)
  }
}

extension Quad {
  /// The rectangle around it inside a frame; at least a pixel.
  fileprivate func rectangle(inWidth width: Int, height: Int) -> PixelRegion {
    let all = [topLeft, topRight, bottomRight, bottomLeft]
    let xs = all.map { min(max(0, Int($0.x.bits >> 16)), width - 1) }
    let ys = all.map { min(max(0, Int($0.y.bits >> 16)), height - 1) }
    let (left, top) = (xs.min() ?? 0, ys.min() ?? 0)
    return PixelRegion(x: left, y: top, width: (xs.max() ?? left) - left + 1, height: (ys.max() ?? top) - top + 1)
  }

  /// The area of the rectangle around it, in pixels.
  fileprivate var area: Int {
    let place = rectangle(inWidth: .max, height: .max)
    return place.width * place.height
  }
}
