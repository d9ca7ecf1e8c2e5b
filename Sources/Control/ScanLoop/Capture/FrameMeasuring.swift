// Measures frames for the camera's strategy: a grid of samples for the view, and a closer look at the largest symbol that was
// located but not read.

import BarcodeTypes
import Devices
import ScanControl

/// Measures frames one after the other. Allocates only when the viewport's size changes.
struct FrameMeasuring {
  /// Distance between samples, each way: 3600 samples of a 1280×720 frame.
  private static let step = 16
  /// The change of a sample up to which it counts as noise, in grey levels.
  private static let noise = 3

  /// The samples of the frame before, row by row, with the settings that it was taken with.
  private var samples: [UInt8] = []
  private var columnCount = 0
  private var earlier: SensorSettings?
  /// Where the largest symbol was in the frame before: its middle, in pixels, and when.
  private var middle: (x: Int, y: Int, at: Int64)?

  /// The figures of a frame before it is decoded.
  mutating func measure(_ frame: LumaView, region: PixelRegion?, _ metadata: FrameMetadata) -> FrameMeasures {
    let settings = SensorSettings(metadata.sensor)
    var measures = FrameMeasures(
      capturedAt: Instant(nanoseconds: metadata.captureBootTimeNanoseconds), settings: settings)
    let whole = PixelRegion(x: 0, y: 0, width: frame.width, height: frame.height)
    guard let part = frame.cropped(to: region ?? whole)?.view else { return measures }
    let columns = (part.width + Self.step - 1) / Self.step
    let rows = (part.height + Self.step - 1) / Self.step
    let isComparable = samples.count == columns * rows && columnCount == columns && earlier == settings
    if samples.count != columns * rows { samples = [UInt8](repeating: 0, count: columns * rows) }
    (columnCount, earlier) = (columns, settings)
    var levels = LevelCounts()
    var steps = LevelCounts()
    var (change, rowChange) = (0, 0)
    for row in 0..<rows {
      let line = part.row(min(row * Self.step + Self.step / 2, part.height - 1))
      var sum = 0
      for column in 0..<columns {
        let x = min(column * Self.step + Self.step / 2, part.width - 1)
        let level = line[x]
        levels.add(level)
        let next = line[min(x + 1, part.width - 1)]
        steps.add(level > next ? level - next : next - level)
        let index = row * columns + column
        let difference = Int(level) - Int(samples[index])
        samples[index] = level
        sum += difference
        change += max(0, abs(difference) - Self.noise)
      }
      rowChange += max(0, abs(sum) - Self.noise * columns)
    }
    measures.viewport = levels.brightness
    measures.steepness = steps.brightness.bright
    if isComparable {
      measures.change = 16 * change / max(1, columns * rows)
      measures.rowShare = change > 0 ? min(256, 256 * rowChange / change) : 0
    }
    return measures
  }

  /// Adds what the decoder found.
  mutating func add(
    _ sightings: [Sighting], _ unread: [UnreadSymbol], of frame: LumaView, to measures: inout FrameMeasures
  ) {
    measures.readCount = sightings.count
    let largest = unread.max { $0.corners.area < $1.corners.area }
    if sightings.isEmpty, let largest { measures.unread = UnreadMeasures(largest, in: frame) }
    guard let corners = sightings.first?.corners ?? largest?.corners else {
      middle = nil
      return
    }
    let (x, y) = (Int(corners.center.x.bits >> 16), Int(corners.center.y.bits >> 16))
    let now = measures.capturedAt.nanoseconds
    if let middle, now > middle.at {
      let distance = max(abs(x - middle.x), abs(y - middle.y))
      measures.speed = distance * 1_000_000 / max(1, Int((now - middle.at) / 1000))
    }
    middle = (x, y, now)
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

extension UnreadMeasures {
  /// Samples per side of a symbol, and the lines of each direction on which edges are measured.
  private static let (sampleSide, lineCount) = (24, 8)
  /// The least height of an edge, in grey levels, and the pixels in which it must rise.
  private static let (edgeHeightMin, windowLength) = (24, 16)

  init(_ symbol: UnreadSymbol, in frame: LumaView) {
    let place = symbol.corners.rectangle(inWidth: frame.width, height: frame.height)
    var levels = LevelCounts()
    for row in 0..<Self.sampleSide {
      let line = frame.row(place.y + (2 * row + 1) * place.height / (2 * Self.sampleSide))
      for column in 0..<Self.sampleSide {
        levels.add(line[place.x + (2 * column + 1) * place.width / (2 * Self.sampleSide)])
      }
    }
    self.init(
      place: place, brightness: levels.brightness, module: symbol.module,
      edgeAcross: Self.edgeWidth(place, in: frame, isAcross: true),
      edgeDown: Self.edgeWidth(place, in: frame, isAcross: false))
  }

  /// The mean width of the edges on lines through a symbol: an edge's height by its steepest step. 1 without edges.
  private static func edgeWidth(_ place: PixelRegion, in frame: LumaView, isAcross: Bool) -> Fixed16 {
    var (widths, count) = (0, 0)
    let length = isAcross ? place.width : place.height
    for line in 0..<lineCount {
      let side = (2 * line + 1) * (isAcross ? place.height : place.width) / (2 * lineCount)
      for begin in stride(from: 0, to: length - windowLength, by: windowLength) {
        func level(_ index: Int) -> Int {
          isAcross ? Int(frame.row(place.y + side)[place.x + index]) : Int(frame.row(place.y + index)[place.x + side])
        }
        var last = level(begin)
        var (low, high, steepest) = (last, last, 1)
        for index in begin + 1..<begin + windowLength {
          let next = level(index)
          steepest = max(steepest, abs(next - last))
          (low, high, last) = (min(low, next), max(high, next), next)
        }
        guard high - low >= edgeHeightMin else { continue }
        widths += (high - low) * 65536 / steepest
        count += 1
      }
    }
    return count == 0 ? Fixed16(1) : Fixed16(bits: Int32(clamping: widths / count))
  }
}

extension Quad {
  /// The rectangle around it inside a frame; at least a pixel.
  fileprivate func rectangle(inWidth width: Int, height: Int) -> PixelRegion {
    let xs = [topLeft, topRight, bottomRight, bottomLeft].map { min(max(0, Int($0.x.bits >> 16)), width - 1) }
    let ys = [topLeft, topRight, bottomRight, bottomLeft].map { min(max(0, Int($0.y.bits >> 16)), height - 1) }
    let (left, top) = (xs.min() ?? 0, ys.min() ?? 0)
    return PixelRegion(x: left, y: top, width: (xs.max() ?? left) - left + 1, height: (ys.max() ?? top) - top + 1)
  }

  /// The area of the rectangle around it, in pixels.
  fileprivate var area: Int {
    let place = rectangle(inWidth: .max, height: .max)
    return place.width * place.height
  }
}
