// Edge pixels: the points where the grey changes fastest along its gradient, located between the pixels and sorted by the
// direction of the gradient.

import BarcodeTypes
import CVector

/// An edge pixel.
private struct EdgePoint: BitwiseCopyable {
  /// The position relative to the middle of the picture, in 1/16 pixels.
  var x: Int16
  var y: Int16
  /// The direction of the gradient, in 1/256 turns.
  var angle: UInt8
}

/// Which edge pixels of a picture count.
struct EdgeLimits: BitwiseCopyable {
  /// The divisor of the pixels for the most edge pixels of a clear picture; beyond, they are those of noise or texture. Symbols with
  /// their surroundings have at most one in six.
  static let clearAreaDivisor = 5

  /// The minimum gradient, as the sum of both Sobel responses, if it is more than what the picture's mean gradient asks for.
  var gradientMin = 0
  /// The divisor of the number of pixels for the greatest number of edge pixels; with more, the picture has no lines.
  var areaDivisor = 1
}

/// The edge pixels of a picture with sides of at most `CellSizes.sideMax` pixels.
@safe struct EdgePixels {
  /// The number of distinct gradient directions per turn.
  static let angleCount = 256
  /// The maximum number of edge pixels in a picture.
  private static let countMax = 48_000
  /// The minimum gradient, as the sum of both Sobel responses: a step of 6 grey levels.
  private static let gradientMin = 24

  /// The positions sorted by angle, relative to the middle of the picture, in 1/16 pixels; eight can be read from any index.
  let x: ScratchArray<Int16>
  let y: ScratchArray<Int16>
  /// The index of the first edge pixel of each angle, and the number of all.
  let starts: ScratchArray<Int32>
  private(set) var count = 0
  private let gradientX: ScratchArray<Int16>
  private let gradientY: ScratchArray<Int16>
  private let magnitude: ScratchArray<UInt16>
  /// The edge pixels in the order of their detection.
  private let found: ScratchArray<EdgePoint>
  private var width = 0
  private var height = 0

  init(arena: inout Arena) throws(ArenaFull) {
    // Pixels are read eight at once.
    let area = CellSizes.sideMax * CellSizes.sideMax + 8
    x = try ScratchArray(EdgePixels.countMax + 8, arena: &arena)
    y = try ScratchArray(EdgePixels.countMax + 8, arena: &arena)
    starts = try ScratchArray(EdgePixels.angleCount + 1, arena: &arena)
    gradientX = try ScratchArray(area, arena: &arena)
    gradientY = try ScratchArray(area, arena: &arena)
    magnitude = try ScratchArray(area, arena: &arena)
    found = try ScratchArray(EdgePixels.countMax, arena: &arena)
    x.fill(0, count: x.count)
    y.fill(0, count: y.count)
  }

  /// Finds the edge pixels of a picture with sides of at least 8 pixels.
  mutating func find(_ view: LumaView, gradientMin: Int) {
    width = view.width
    height = view.height
    let threshold = max(gradientMin, measureGradients(view))
    collect(threshold: threshold)
    sort()
  }

  /// Measures the Sobel gradients of all pixels except the outermost ones; returns the threshold for edge pixels.
  private func measureGradients(_ view: LumaView) -> Int {
    let width = view.width
    var sum = 0
    for y in 1..<(height - 1) {
      let above = unsafe view.place(0, y - 1)
      let here = unsafe view.place(0, y)
      let below = unsafe view.place(0, y + 1)
      let gx = unsafe gradientX.base + y &* width
      let gy = unsafe gradientY.base + y &* width
      let size = unsafe magnitude.base + y &* width
      var rowSum: UInt32 = 0
      for x in 1..<(width - 1) {
        let a = unsafe Int16(above[x &- 1])
        let b = unsafe Int16(above[x &+ 1])
        let c = unsafe Int16(below[x &- 1])
        let d = unsafe Int16(below[x &+ 1])
        let dx = unsafe b &- a &+ d &- c &+ 2 &* (Int16(here[x &+ 1]) &- Int16(here[x &- 1]))
        let dy = unsafe c &- a &+ d &- b &+ 2 &* (Int16(below[x]) &- Int16(above[x]))
        unsafe gx[x] = dx
        unsafe gy[x] = dy
        let absolute = UInt16(truncatingIfNeeded: max(dx, 0 &- dx) &+ max(dy, 0 &- dy))
        unsafe size[x] = absolute
        rowSum = rowSum &+ UInt32(absolute)
      }
      for x in stride(from: 0, to: width, by: width - 1) {
        unsafe gx[x] = 0
        unsafe gy[x] = 0
        unsafe size[x] = 0
      }
      sum += Int(rowSum)
    }
    for y in stride(from: 0, to: height, by: height - 1) {
      unsafe (gradientX.base + y &* width).update(repeating: 0, count: width)
      unsafe (gradientY.base + y &* width).update(repeating: 0, count: width)
    }
    return max(EdgePixels.gradientMin, sum / (width * height) * 3 / 4)
  }

  /// Collects the pixels whose gradient is greater than those before and after them, and locates them between the pixels by
  /// a parabola. The outermost rows and columns have no gradient.
  private mutating func collect(threshold: Int) {
    count = 0
    let least = SIMD8<Int16>(repeating: Int16(truncatingIfNeeded: threshold) &- 1)
    for y in 1..<(height - 1) {
      // Processes eight at once; reads past the end of a row continue in the next one.
      for x in stride(from: 1, to: width - 1, by: 8) {
        let place = y &* width &+ x
        let across = unsafe gradientX.base + place
        let down = unsafe gradientY.base + place
        let size = unsafe cvector_load_words(UnsafeRawPointer(magnitude.base + place).assumingMemoryBound(to: Int16.self))
        let gx = unsafe cvector_load_words(across)
        let gy = unsafe cvector_load_words(down)
        // Compares along the axis closer to the gradient, and only gradients that rise the same way: a thin line has another
        // edge right behind it.
        let isAcross = cvector_longer_word(gx, gy)
        let before = unsafe cvector_select(isAcross, cvector_load_words(across - 1), cvector_load_words(down - width))
        let after = unsafe cvector_select(isAcross, cvector_load_words(across + 1), cvector_load_words(down + width))
        let peaks = cvector_word_peaks(before, cvector_select(isAcross, gx, gy), after)
        var edges = cvector_lane_bytes(peaks & cvector_above(size, least))
        while edges != 0 {
          let lane = edges.trailingZeroBitCount >> 3
          edges &= ~(0xFF << UInt64(truncatingIfNeeded: lane &* 8))
          guard x &+ lane < width &- 1, count < EdgePixels.countMax else { break }
          addEdge(x: x &+ lane, y: y)
        }
      }
    }
  }

  /// Adds an edge pixel.
  @inline(__always) private mutating func addEdge(x: Int, y: Int) {
    let place = y &* width &+ x
    let gx = unsafe Int(gradientX.base[place])
    let gy = unsafe Int(gradientY.base[place])
    let isAcross = abs(gx) > abs(gy)
    let step = isAcross ? 1 : width
    let sign = (isAcross ? gx : gy) < 0 ? -1 : 1
    let slope = unsafe isAcross ? gradientX.base : gradientY.base
    let before = unsafe Int(slope[place &- step]) &* sign
    let after = unsafe Int(slope[place &+ step]) &* sign
    let here = max(abs(gx), abs(gy))
    let offset = (after &- before) &* 8 / (2 &* here &- before &- after)
    let column = (x &- width / 2) &* 16 &+ (isAcross ? offset : 0)
    let line = (y &- height / 2) &* 16 &+ (isAcross ? 0 : offset)
    unsafe found.base[count] = EdgePoint(
      x: Int16(truncatingIfNeeded: column), y: Int16(truncatingIfNeeded: line),
      angle: UInt8(truncatingIfNeeded: (BinaryAngle(x: gx, y: gy).bits &+ 128) >> 8))
    count &+= 1
  }

  /// Sorts the edge pixels by angle.
  private func sort() {
    starts.fill(0, count: EdgePixels.angleCount + 1)
    for index in 0..<count { starts[Int(found[index].angle) + 1] += 1 }
    for angle in 0..<EdgePixels.angleCount { starts[angle + 1] += starts[angle] }
    for index in 0..<count {
      let angle = Int(found[index].angle)
      x[Int(starts[angle])] = found[index].x
      y[Int(starts[angle])] = found[index].y
      starts[angle] += 1
    }
    for angle in stride(from: EdgePixels.angleCount, to: 0, by: -1) { starts[angle] = starts[angle - 1] }
    starts[0] = 0
  }
}
