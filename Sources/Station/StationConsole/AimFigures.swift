// The figures for aiming and focusing: sharpness, brightness and the size of modules, measured in a frame's pixels.

import BarcodeTypes
import Devices
import ScanLoop

/// The figures of the part of a frame in which codes are recognised.
struct AimFigures: Encodable, Sendable {
  /// How steep the edges are, 0…100: the part of an edge's height that the steepest step from one pixel to the next takes, as
  /// the median of all edges. A sharp edge has 100, one blurred by a pixel (standard deviation) 40; 0 without edges.
  var sharpness = 0
  /// Pixels by brightness in 64 classes from black to white, per mille of all.
  var histogram = [Int](repeating: 0, count: classCount)
  /// Percent of the pixels that are black or white to the end of the range, where details are lost.
  var darkClipped = 0.0
  var brightClipped = 0.0
  /// The mean brightness, 0…255.
  var mean = 0
  /// The sensor's settings for the frame; nil if unknown.
  var exposureMicroseconds: Int?
  var gain: Double?

  static let classCount = 64
  /// The most levels from the end of the range at which a pixel counts as clipped: the noise of a saturated sensor.
  private static let clippedLevels = 2
  /// Rows and columns from one measured line to the next.
  private static let lineStep = 4
  /// Pixels of a window in which an edge is looked for.
  private static let windowLength = 16
  /// The least height of an edge, in levels: well above a camera's noise.
  private static let edgeHeightMin = 40

  init(_ snapshot: Snapshot) {
    let whole = PixelRegion(x: 0, y: 0, width: snapshot.width, height: snapshot.height)
    let region = snapshot.region ?? whole
    exposureMicroseconds = snapshot.sensor.exposureMicroseconds
    gain = snapshot.sensor.gain
    snapshot.luma.withUnsafeBufferPointer { luma in
      measureBrightness(luma, snapshot.width, region)
      var steepness = [Int](repeating: 0, count: 101)
      for y in stride(from: region.y, to: region.y + region.height, by: Self.lineStep) {
        Self.addEdges(luma, start: y * snapshot.width + region.x, step: 1, count: region.width, to: &steepness)
      }
      for x in stride(from: region.x, to: region.x + region.width, by: Self.lineStep) {
        Self.addEdges(
          luma, start: region.y * snapshot.width + x, step: snapshot.width, count: region.height, to: &steepness)
      }
      sharpness = Self.median(steepness)
    }
  }

  private mutating func measureBrightness(_ luma: UnsafeBufferPointer<UInt8>, _ width: Int, _ region: PixelRegion) {
    var counts = [Int](repeating: 0, count: 256)
    var (sum, total) = (0, 0)
    for y in stride(from: region.y, to: region.y + region.height, by: Self.lineStep) {
      for x in region.x..<region.x + region.width {
        let level = Int(luma[y * width + x])
        counts[level] += 1
        sum += level
      }
      total += region.width
    }
    guard total > 0 else { return }
    for level in counts.indices { histogram[level * Self.classCount / 256] += counts[level] }
    for index in histogram.indices { histogram[index] = histogram[index] * 1000 / total }
    func percent(_ counts: ArraySlice<Int>) -> Double { (Double(counts.reduce(0, +)) * 1000 / Double(total)).rounded() / 10 }
    darkClipped = percent(counts[...Self.clippedLevels])
    brightClipped = percent(counts[(255 - Self.clippedLevels)...])
    mean = sum / total
  }

  /// Adds the steepness of the edge in each window of a line, in percent, to a count of edges by steepness.
  private static func addEdges(
    _ luma: UnsafeBufferPointer<UInt8>, start: Int, step: Int, count: Int, to steepness: inout [Int]
  ) {
    for begin in stride(from: 0, to: count - windowLength, by: windowLength) {
      var last = Int(luma[start + begin * step])
      var (low, high, steepest) = (last, last, 0)
      for index in begin + 1..<begin + windowLength {
        let level = Int(luma[start + index * step])
        steepest = max(steepest, abs(level - last))
        low = min(low, level)
        high = max(high, level)
        last = level
      }
      if high - low >= edgeHeightMin { steepness[steepest * 100 / (high - low)] += 1 }
    }
  }

  private static func median(_ counts: [Int]) -> Int {
    let total = counts.reduce(0, +)
    var seen = 0
    for (value, count) in counts.enumerated() {
      seen += count
      if total > 0, 2 * seen >= total { return value }
    }
    return 0
  }
}

/// The width of a symbol's modules, estimated from the distances of the edges on lines across it.
enum ModuleEstimate {
  /// Lines across the symbol.
  private static let lineCount = 9
  /// The least contrast of a line, in levels.
  private static let contrastMin = 24
  /// The place of single modules among all distances, in percent: in every symbology at least as many bars and spaces are
  /// single modules.
  private static let singlePercent = 20
  /// The fewest distances of a plausible symbol.
  private static let distanceCountMin = 16

  /// - Returns: pixels per module; nil if there are too few edges.
  static func pixels(of corners: Quad, in snapshot: Snapshot) -> Double? {
    var distances: [Double] = []
    for line in 1...lineCount {
      let part = Double(line) / Double(lineCount + 1)
      let (begin, end) = (
        between(corners.topLeft, corners.bottomLeft, part), between(corners.topRight, corners.bottomRight, part)
      )
      addDistances(from: begin, to: end, in: snapshot, to: &distances)
    }
    guard distances.count >= distanceCountMin else { return nil }
    distances.sort()
    return (distances[distances.count * singlePercent / 100] * 10).rounded() / 10
  }

  private static func between(_ a: PixelPoint, _ b: PixelPoint, _ part: Double) -> (x: Double, y: Double) {
    func value(_ a: Fixed16, _ b: Fixed16) -> Double { (Double(a.bits) * (1 - part) + Double(b.bits) * part) / 65536 }
    return (value(a.x, b.x), value(a.y, b.y))
  }

  /// Adds the distances between the places where a line's brightness crosses its middle.
  private static func addDistances(
    from begin: (x: Double, y: Double), to end: (x: Double, y: Double), in snapshot: Snapshot, to distances: inout [Double]
  ) {
    let (dx, dy) = (end.x - begin.x, end.y - begin.y)
    let length = (dx * dx + dy * dy).squareRoot()
    let sampleCount = Int(length * 2)
    guard length.isFinite, sampleCount >= 8, sampleCount < 2 * (snapshot.width + snapshot.height) else { return }
    let levels = (0...sampleCount).map { index in
      let part = Double(index) / Double(sampleCount)
      return level(x: begin.x + dx * part, y: begin.y + dy * part, in: snapshot)
    }
    let (low, high) = (levels.min() ?? 0, levels.max() ?? 0)
    guard high - low >= Double(contrastMin) else { return }
    let middle = (low + high) / 2
    var last: Double?
    for index in 1..<levels.count where (levels[index - 1] < middle) != (levels[index] < middle) {
      let place = Double(index - 1) + (middle - levels[index - 1]) / (levels[index] - levels[index - 1])
      if let last { distances.append((place - last) * length / Double(sampleCount)) }
      last = place
    }
  }

  /// The brightness at a place, interpolated between its four pixels; the edge's outside the frame.
  private static func level(x: Double, y: Double, in snapshot: Snapshot) -> Double {
    let x = min(max(x - 0.5, 0), Double(snapshot.width - 1))
    let y = min(max(y - 0.5, 0), Double(snapshot.height - 1))
    let (left, top) = (Int(x), Int(y))
    let (right, bottom) = (min(left + 1, snapshot.width - 1), min(top + 1, snapshot.height - 1))
    let (partX, partY) = (x - Double(left), y - Double(top))
    func pixel(_ x: Int, _ y: Int) -> Double { Double(snapshot.luma[y * snapshot.width + x]) }
    let upper = pixel(left, top) + (pixel(right, top) - pixel(left, top)) * partX
    let lower = pixel(left, bottom) + (pixel(right, bottom) - pixel(left, bottom)) * partX
    return upper + (lower - upper) * partY
  }
}
