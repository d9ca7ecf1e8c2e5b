// Measures frames for the camera's strategy: a grid of samples for the view and for what has come into it, and a closer look at that
// part and at the largest symbol that was located but not read.

import BarcodeTypes
import Devices
import ScanControl

/// Measures frames one after the other. Allocates only when the viewport's size changes.
struct FrameMeasuring {
  /// Samples per row of the viewport, and the least distance between them in pixels: 3600 samples of a 1280×720 frame.
  private static let (columnCountWished, stepMin) = (80, 8)
  /// Frames in a row that must change by whole rows: a wide label that appears does so once.
  private static let flickerFrames = 3
  /// The change of a sample up to which it counts as noise, in grey levels.
  private static let changeNoise = 3
  /// The deviations of noise up to which a change does: two samples' difference has one and a half.
  private static let stillDeviations = 3

  /// The samples of the frame before, row by row, and how it was exposed.
  private var samples: [UInt8] = []
  /// The differences between the darkest and the lightest pixel of each sample.
  private var spreads: [UInt8] = []
  /// A row's samples of the frame before.
  private var formerRow: [UInt8] = []
  private var columnCount = 0
  private var earlier: SensorSettings?
  private var emptyView = EmptyView(sampleCount: 0)
  private var noise = SampleNoise()
  private var bandedCount = 0
  /// Where the largest symbol, or what has come into view, was in the frame before: its middle, in pixels, and when.
  private var followed: (place: PixelRegion, at: Int64)?

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
      spreads = [UInt8](repeating: 0, count: columns * rows)
      formerRow = [UInt8](repeating: 0, count: columns)
      emptyView = EmptyView(sampleCount: columns * rows)
    }
    (columnCount, earlier) = (columns, settings)
    noise.begin(settings)
    let (levels, changes) = Self.take(
      part, step: step, columns: columns, rows: rows, &samples, &spreads, &formerRow, &noise)
    measures.viewport = levels.brightness
    if isComparable {
      noise.measure()
      measures.change = 16 * changes.sum / max(1, changes.count)
      measures.rowShare = changes.sum > 0 ? min(256, 256 * changes.ofRows / changes.sum) : 0
      let isBanded = measures.change ?? 0 >= FrameMeasures.changeMin && measures.rowShare >= FrameMeasures.flickerShare
      bandedCount = isBanded ? bandedCount + 1 : 0
      measures.isFlickering = bandedCount >= Self.flickerFrames
      if measures.isFlickering { emptyView.isFlickering = true }
    }
    if let news = emptyView.news(in: samples, spreads, columns: columns, settings, noise: noise) {
      let place = PixelRegion(
        x: left + news.x * step, y: top + news.y * step, width: min(news.width * step, part.width - news.x * step),
        height: min(news.height * step, part.height - news.y * step))
      measures.thing = PartMeasures(place, in: frame)
    }
    return measures
  }

  /// The change of samples since the frame before, beyond noise: the sum of theirs, the sum of whole rows', and how many counted.
  private typealias Changes = (sum: Int, ofRows: Int, count: Int)

  /// Takes the samples of a frame, and compares a third of the rows with those of the frame before.
  private static func take(
    _ part: LumaView, step: Int, columns: Int, rows: Int, _ samples: inout [UInt8], _ spreads: inout [UInt8],
    _ formerRow: inout [UInt8], _ noise: inout SampleNoise
  ) -> (levels: LevelCounts, changes: Changes) {
    var levels = LevelCounts()
    var stillChanges: [16 of Int] = .init(repeating: 0)
    for index in 0..<16 {
      stillChanges[index] = max(Self.changeNoise, Self.stillDeviations * noise.deviation(at: UInt8(index * 16 + 8)) / 16)
    }
    var changes: Changes = (0, 0, 0)
    let sampling = RowSampling(step: step, columns: columns, width: part.width)
    precondition(samples.count == rows * columns && spreads.count == samples.count && formerRow.count == columns)
    samples.withUnsafeMutableBufferPointer { samples in
      spreads.withUnsafeMutableBufferPointer { spreads in
        for row in 0..<rows {
          let (present, presentSpreads) = (samples.baseAddress! + row * columns, spreads.baseAddress! + row * columns)
          // A third of the rows tells enough of changes and noise.
          let isCompared = row % 3 == 0
          if isCompared { for column in 0..<columns { formerRow[column] = present[column] } }
          sampling.take(part.row(min(row * step + step / 2, part.height - 1)), present, presentSpreads)
          for column in stride(from: 0, to: columns, by: 2) { levels.add(present[column]) }
          guard isCompared else { continue }
          var sum = 0
          for column in 0..<columns { sum += Int(present[column]) - Int(formerRow[column]) }
          changes.count += columns
          // Light that flickers changes whole rows, and is no noise.
          let rowMean = sum / columns
          var stillSum = 0
          for column in 0..<columns {
            let level = present[column]
            let difference = Int(level) - Int(formerRow[column])
            noise.add(difference - rowMean, at: level)
            let still = stillChanges[Int(level >> 4)]
            changes.sum += max(0, abs(difference) - still)
            stillSum += still
          }
          changes.ofRows += max(0, abs(sum) - stillSum)
        }
      }
    }
    return (levels, changes)
  }

  /// The torch was switched: the view looks otherwise without anything in it.
  mutating func lightChanged() { emptyView.forget() }

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
    emptyView.settle(
      samples, spreads, measures.settings, isEmpty: sightings.isEmpty && unread.isEmpty, at: measures.capturedAt.nanoseconds)
    let symbol = (sightings.first?.corners ?? largest?.corners)?.rectangle(inWidth: frame.width, height: frame.height)
    follow(symbol ?? measures.thing?.place, of: frame, &measures)
  }

  /// Measures the speed of what is in view by its middle, while it keeps its shape, or by its front, while it comes in at a side of the
  /// frame.
  private mutating func follow(_ place: PixelRegion?, of frame: LumaView, _ measures: inout FrameMeasures) {
    defer { followed = place.map { ($0, measures.capturedAt.nanoseconds) } }
    guard let place, let (former, time) = followed, measures.capturedAt.nanoseconds > time,
      let across = Self.distance(place.x, place.width, former.x, former.width, of: frame.width),
      let down = Self.distance(place.y, place.height, former.y, former.height, of: frame.height)
    else { return }
    measures.speed = max(across, down) * 1_000_000 / max(1, Int((measures.capturedAt.nanoseconds - time) / 1000))
  }

  /// How far something moved along a side of the frame, in pixels; nil if it is another thing, or another part of it.
  private static func distance(_ start: Int, _ length: Int, _ formerStart: Int, _ formerLength: Int, of side: Int) -> Int? {
    let (end, formerEnd) = (start + length, formerStart + formerLength)
    if abs(length - formerLength) * 4 <= max(length, formerLength) {
      return abs(start + end - formerStart - formerEnd) / 2
    }
    if formerStart <= 0, start <= 0, end > formerEnd { return end - formerEnd }
    if formerEnd >= side, end >= side, start < formerStart { return formerStart - start }
    return nil
  }
}

/// Takes the samples of rows: each is the mean of four pixels, less noisy than one, and the difference between the darkest and the
/// lightest of them.
private struct RowSampling {
  /// Pixels of a sample: a word.
  private static let sampleLength = 4

  let step: Int
  let columns: Int
  let width: Int

  /// Writes a row's samples. Four samples at a time, so that the processor waits for several parts of the row at once.
  func take(
    _ line: UnsafePointer<UInt8>, _ means: UnsafeMutablePointer<UInt8>, _ spreads: UnsafeMutablePointer<UInt8>
  ) {
    // The words of these samples end inside the row.
    let wholeCount = min(columns, (width - step / 2 - Self.sampleLength / 2) / step + 1)
    let words = UnsafeRawPointer(line) + (step / 2 - Self.sampleLength / 2)
    var column = 0
    while column + 4 <= wholeCount {
      let place = words + column * step
      let (mean, spread) = Self.samples(
        SIMD4(
          place.loadUnaligned(as: UInt32.self), (place + step).loadUnaligned(as: UInt32.self),
          (place + 2 * step).loadUnaligned(as: UInt32.self), (place + 3 * step).loadUnaligned(as: UInt32.self)))
      UnsafeMutableRawPointer(means + column).storeBytes(of: mean, as: SIMD4<UInt8>.self)
      UnsafeMutableRawPointer(spreads + column).storeBytes(of: spread, as: SIMD4<UInt8>.self)
      column += 4
    }
    while column < columns {
      (means[column], spreads[column]) = sample(line, around: column * step + step / 2)
      column += 1
    }
  }

  /// The means and spreads of four words.
  @inline(__always) private static func samples(_ words: SIMD4<UInt32>) -> (mean: SIMD4<UInt8>, spread: SIMD4<UInt8>) {
    func bytes(_ words: SIMD4<UInt32>) -> SIMD16<UInt8> { unsafeBitCast(words, to: SIMD16<UInt8>.self) }
    func words32(_ bytes: SIMD16<UInt8>) -> SIMD4<UInt32> { unsafeBitCast(bytes, to: SIMD4<UInt32>.self) }
    let pairs = (words & 0x00FF_00FF) &+ ((words &>> 8) & 0x00FF_00FF)
    let sums = (pairs &+ (pairs &>> 16)) & 0x3FF
    var lightest = pointwiseMax(bytes(words), bytes(words &>> 8))
    lightest = pointwiseMax(lightest, bytes(words32(lightest) &>> 16))
    var darkest = pointwiseMin(bytes(words), bytes(words &>> 8))
    darkest = pointwiseMin(darkest, bytes(words32(darkest) &>> 16))
    let spread = words32(lightest &- darkest) & 0xFF
    return (SIMD4(truncatingIfNeeded: sums &>> 2), SIMD4(truncatingIfNeeded: spread))
  }

  /// A sample that may lie at the end of a row.
  private func sample(_ line: UnsafePointer<UInt8>, around middle: Int) -> (mean: UInt8, spread: UInt8) {
    let x = max(0, min(middle - Self.sampleLength / 2, width - Self.sampleLength))
    guard x + Self.sampleLength <= width else { return (line[x], 0) }
    let (a, b, c, d) = (line[x], line[x + 1], line[x + 2], line[x + 3])
    let mean = UInt8((UInt16(a) + UInt16(b) + UInt16(c) + UInt16(d)) / 4)
    return (mean, max(max(a, b), max(c, d)) - min(min(a, b), min(c, d)))
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

  /// The mean level of the darker half, in sixteenths.
  var lowerMean: Int {
    var (sum, rest) = (0, total / 2)
    for level in 0..<256 where rest > 0 {
      let count = min(rest, counts[level])
      sum += level * Int(count)
      rest -= count
    }
    return 16 * sum / max(1, Int(total / 2))
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
  /// The square of the mean of noise's smaller half, in sixteenths, per mean square of noise; and the most that counts as noise.
  private static let (noiseDivisor, noisePercentMax) = (26, 95)

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
    var steps = LevelCounts()
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
        steps.add(UInt8(abs(step)))
      }
      count += max(0, length - 2)
    }
    // Between edges the picture is even but for its noise, which is no detail; of finest bars some must remain.
    let low = steps.lowerMean
    let noiseSquares = min(low * low * count / noiseDivisor, squares * noisePercentMax / 100)
    return 1000 * (squares - noiseSquares) / max(1, count) / max(1, Int(brightness.bright) * Int(brightness.bright) / 100)
  }
}

extension Quad {
  /// The rectangle around it inside a frame; at least a pixel.
  fileprivate func rectangle(inWidth width: Int, height: Int) -> PixelRegion {
    func span(_ a: Fixed16, _ b: Fixed16, _ c: Fixed16, _ d: Fixed16, _ length: Int) -> (first: Int, last: Int) {
      func inside(_ bits: Int32) -> Int { min(max(0, Int(bits >> 16)), length - 1) }
      return (
        inside(min(min(a.bits, b.bits), min(c.bits, d.bits))), inside(max(max(a.bits, b.bits), max(c.bits, d.bits)))
      )
    }
    let (left, right) = span(topLeft.x, topRight.x, bottomRight.x, bottomLeft.x, width)
    let (top, bottom) = span(topLeft.y, topRight.y, bottomRight.y, bottomLeft.y, height)
    return PixelRegion(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
  }

  /// The area of the rectangle around it, in pixels.
  fileprivate var area: Int {
    let place = rectangle(inWidth: .max, height: .max)
    return place.width * place.height
  }
}
