// A grey profile across the bars of a region. Each sample is the mean of several pixels along the direction of the bars.
// This mean, rather than the number of samples, lowers the noise, and it treats all rotations alike.

import BarcodeTypes

/// A line across a region: the places of its samples and the course of the bars through them.
///
/// Coordinates are (a, b), in pixels times 65536. Of x and y, a is the one that changes more along the line. The bars
/// advance one whole pixel in b, so that a sample interpolates in one direction only.
struct ScanLine: BitwiseCopyable {
  /// The most samples on a line.
  static let sampleCountMax = 4096
  /// Number of light samples added where the border cuts a line: 20 pixels.
  static let paddingCount = 40
  /// Distance that samples keep from the last pixel along a: a sixteenth of a pixel, times 65536.
  private static let marginAfter = 1 << 12

  /// Whether a is y and b is x.
  var isSteep: Bool
  /// The place of the first sample.
  var a: Int
  var b: Int
  /// The step from one sample to the next.
  var stepA: Int
  var stepB: Int
  /// da/db along the bars at the first sample, and its change from one sample to the next, times 2^32.
  var tangent: Int
  var tangentStep: Int
  /// The bend of the line: its displacement along a and b, in pixels times 65536, at `bowReach` samples from sample `bowMiddle`,
  /// growing with the square of the distance.
  private var bowA = 0
  private var bowB = 0
  private var bowMiddle = 0
  private var bowReach = 1
  /// Straight pieces as which a bent line is read.
  private static let pieceCount = 16
  /// Number of pixels averaged for a sample.
  var rowCount: Int
  /// Number of samples; 0 for a line outside the picture.
  var count: Int
  /// Whether the picture's border cut the line short.
  var isCutBefore = false
  var isCutAfter = false

  /// Places a line over a region at height `v`, from one u to another (pixels times 65536), clipped to the picture.
  ///
  /// - Parameters:
  ///   - slope: dv/du of the line, times 65536.
  ///   - rowCount: number of pixels averaged for a sample, at least 1.
  init(_ region: StripeRegion, v: Int, slope: Int, u: (start: Int, end: Int), rowCount: Int, in luma: LumaView) {
    let (uStart, uEnd) = u
    let cosine = Int(region.direction.cosine.bits)
    let sine = Int(region.direction.sine.bits)
    // The movement along the line per pixel of u.
    let alongX = cosine - (sine * slope) >> 16
    let alongY = sine + (cosine * slope) >> 16
    let length = uEnd - uStart
    // Half a pixel per sample.
    let stepU = 1 << 15
    let originX = region.centerX - (v * sine) >> 16
    let originY = region.centerY + (v * cosine) >> 16
    let startX = originX + (alongX * uStart) >> 16
    let startY = originY + (alongY * uStart) >> 16
    let stepX = (alongX * stepU) >> 16
    let stepY = (alongY * stepU) >> 16
    isSteep = abs(sine) > abs(cosine)
    let gradient = BinaryAngle(bits: region.direction.bits &+ UInt16(truncatingIfNeeded: region.lean))
    let major = isSteep ? Int(gradient.sine.bits) : Int(gradient.cosine.bits)
    let minor = isSteep ? Int(gradient.cosine.bits) : Int(gradient.sine.bits)
    // The bars run along (-sine, cosine) of the gradient's direction.
    let ratio = -(minor << 32) / major
    // d(tangent)/d(angle) = -(1 + tangent²) for flat lines, with the opposite sign if a is y.
    let square = (1 << 16) + (((ratio >> 16) * (ratio >> 16)) >> 16)
    let turnPerPixel = (region.turn * 411_775) >> 16
    let tangentPerPixel = ((isSteep ? square : -square) * turnPerPixel) >> 16
    tangent = ratio + (tangentPerPixel * uStart) >> 16
    tangentStep = (tangentPerPixel * stepU) >> 16
    a = isSteep ? startY : startX
    b = isSteep ? startX : startY
    stepA = isSteep ? stepY : stepX
    stepB = isSteep ? stepX : stepY
    let sizeA = isSteep ? luma.height : luma.width
    let sizeB = isSteep ? luma.width : luma.height
    self.rowCount = min(rowCount, sizeB)
    count = length / stepU
    if region.bow != 0 {
      let (bowX, bowY) = (-(region.bow * sine) >> 16, (region.bow * cosine) >> 16)
      (bowA, bowB) = isSteep ? (bowY, bowX) : (bowX, bowY)
      bowMiddle = ((region.uMin + region.uMax) / 2 - uStart) / stepU
      bowReach = max(1, (region.uMax - region.uMin) / 2 / stepU)
    }
    clip(sizeA: sizeA, sizeB: sizeB)
    if count > ScanLine.sampleCountMax { stretch() }
  }

  /// Lengthens the steps so that the samples fit.
  private mutating func stretch() {
    stepA = stepA * count / (ScanLine.sampleCountMax - 1)
    stepB = stepB * count / (ScanLine.sampleCountMax - 1)
    tangentStep = tangentStep * count / (ScanLine.sampleCountMax - 1)
    bowMiddle = bowMiddle * (ScanLine.sampleCountMax - 1) / count
    bowReach = max(1, bowReach * (ScanLine.sampleCountMax - 1) / count)
    count = ScanLine.sampleCountMax - 1
  }

  /// Omits every second sample.
  mutating func skipEverySecond() {
    stepA *= 2
    stepB *= 2
    tangentStep *= 2
    bowMiddle /= 2
    bowReach = max(1, bowReach / 2)
    count /= 2
  }

  /// Drops samples whose pixels are not all inside the picture.
  private mutating func clip(sizeA: Int, sizeB: Int) {
    let reach = reach
    var first = 0
    var end = count
    ScanLine.narrow(&first, &end, start: a, step: stepA, from: reach, to: (sizeA - 1) << 16 - ScanLine.marginAfter - reach)
    ScanLine.narrow(&first, &end, start: b, step: stepB, from: 0, to: (sizeB - 1) << 16)
    isCutBefore = first > 0
    isCutAfter = end < count
    a += first * stepA
    b += first * stepB
    tangent += first * tangentStep
    bowMiddle -= first
    count = max(0, end - first)
  }

  /// Greatest distance along a between a sample's place and its pixels. They are less than `rowCount` rows away, and per row
  /// the bars advance by less than the steepest tangent, rounded up. The tangent is steepest at an end of the line.
  private var reach: Int {
    let steepest = max(abs(tangent), abs(tangent + tangentStep * count))
    return (steepest + 0xFFFF) >> 16 * rowCount
  }

  /// Whether the pixels of every sample are inside the picture, including the next pixel used for interpolation. Places
  /// advance by equal steps, so the first and the last sample decide for all.
  private func isInside(sizeA: Int, sizeB: Int) -> Bool {
    let reach = reach
    let (lastA, lastB) = (a + (count - 1) * stepA, b + (count - 1) * stepB)
    return rowCount >= 1 && rowCount <= sizeB && min(a, lastA) >= reach && max(a, lastA) < (sizeA - 1) << 16 - reach
      && min(b, lastB) >= 0 && max(b, lastB) <= (sizeB - 1) << 16
  }

  /// Narrows first..<end to the indices for which start + index · step lies in from...to.
  private static func narrow(_ first: inout Int, _ end: inout Int, start: Int, step: Int, from: Int, to: Int) {
    guard from <= to else {
      end = first
      return
    }
    if step == 0 {
      if start < from || start > to { end = first }
      return
    }
    first = max(first, -floorOfQuotient((start - (step > 0 ? from : to)), step))
    end = min(end, floorOfQuotient((step > 0 ? to : from) - start, step) + 1)
  }

  private static func floorOfQuotient(_ dividend: Int, _ divisor: Int) -> Int {
    let quotient = dividend / divisor
    return dividend % divisor != 0 && (dividend < 0) != (divisor < 0) ? quotient - 1 : quotient
  }

  /// The displacement of a bent line at a position, which is the sample's index times 256.
  private func bow(at position: Int) -> (a: Int, b: Int) {
    if bowA == 0, bowB == 0 { return (0, 0) }
    let place = ((position - bowMiddle << 8) << 4) / bowReach
    let square = (place * place) >> 12
    return ((bowA * square) >> 12, (bowB * square) >> 12)
  }

  /// A straight piece of a bent line.
  private func piece(from first: Int, to end: Int) -> ScanLine {
    var piece = self
    let (start, last) = (bow(at: first << 8), bow(at: end << 8))
    (piece.bowA, piece.bowB) = (0, 0)
    piece.a += first * stepA + start.a
    piece.b += first * stepB + start.b
    piece.stepA += (last.a - start.a) / (end - first)
    piece.stepB += (last.b - start.b) / (end - first)
    piece.tangent += first * tangentStep
    piece.count = end - first
    return piece
  }

  /// The place of a sample, in pixels times 65536; `position` is the sample's index times 256.
  func point(at position: Int) -> (x: Int, y: Int) {
    let bow = bow(at: position)
    let atA = a + (stepA * position) >> 8 + bow.a
    let atB = b + (stepB * position) >> 8 + bow.b
    return isSteep ? (atB, atA) : (atA, atB)
  }

  /// Reads the samples: grey times 64. A line that is not inside the picture reads as black, so that no pixel is read unless
  /// the whole line is known to be inside.
  ///
  /// - Safety: `profile` must have room for `count` samples.
  @unsafe func read(_ luma: LumaView, into profile: UnsafeMutablePointer<Int32>) {
    if bowA != 0 || bowB != 0 {
      for piece in 0..<ScanLine.pieceCount {
        let (first, end) = (count * piece / ScanLine.pieceCount, count * (piece + 1) / ScanLine.pieceCount)
        if end > first { unsafe self.piece(from: first, to: end).read(luma, into: profile + first) }
      }
      return
    }
    let sizeA = isSteep ? luma.height : luma.width
    let sizeB = isSteep ? luma.width : luma.height
    guard isInside(sizeA: sizeA, sizeB: sizeB) else {
      unsafe profile.update(repeating: 0, count: count)
      return
    }
    let strideA = isSteep ? luma.bytesPerRow : 1
    let strideB = isSteep ? 1 : luma.bytesPerRow
    let last = sizeB - rowCount
    // The row counts in use, known to the compiler.
    switch rowCount {
    case 3: unsafe sum(luma.place(0, 0), strideA, strideB, last, rows: 3, scale: (1 << 14) / 3, into: profile)
    case 8: unsafe sum(luma.place(0, 0), strideA, strideB, last, rows: 8, scale: 1 << 11, into: profile)
    default: unsafe sum(luma.place(0, 0), strideA, strideB, last, rows: rowCount, scale: (1 << 14) / rowCount, into: profile)
    }
  }

  /// Extends a line that the border cut with light samples at its ends, as if the paper continued there. In a rendered or
  /// cropped picture, the border is often the only quiet zone of a symbol.
  ///
  /// - Safety: `profile` must hold `count` samples and have room for `sampleCountMax`.
  @unsafe mutating func pad(_ profile: UnsafeMutablePointer<Int32>) {
    let reach = ScanLine.paddingCount
    guard count >= 2 * reach, count + 2 * reach <= ScanLine.sampleCountMax else { return }
    if isCutAfter {
      var light: Int32 = 0
      for index in (count - 2 * reach)..<count { light = unsafe max(light, profile[index]) }
      for index in count..<(count + reach) { unsafe profile[index] = light }
      count += reach
    }
    if isCutBefore {
      var light: Int32 = 0
      for index in 0..<(2 * reach) { light = unsafe max(light, profile[index]) }
      unsafe (profile + reach).update(from: profile, count: count)
      for index in 0..<reach { unsafe profile[index] = light }
      count += reach
      a -= reach * stepA
      b -= reach * stepB
      bowMiddle += reach
    }
  }

  /// Sums `rows` pixels per sample, interpolated along a with 8 bits, times `scale` / 65536.
  @unsafe @inline(__always) private func sum(
    _ origin: PixelPlace, _ strideA: Int, _ strideB: Int, _ last: Int, rows: Int, scale: Int,
    into profile: UnsafeMutablePointer<Int32>
  ) {
    var a = a
    var b = b
    var tangent = tangent
    let lead = (rows &- 1) << 15 &- 0x8000
    for index in 0..<count {
      var row = (b &- lead) >> 16
      row = row < 0 ? 0 : (row > last ? last : row)
      let lean = tangent >> 16
      var at = a &+ ((((row << 16) &- b) &* lean) >> 16)
      var pixels = unsafe origin + row &* strideB
      var total = 0
      for _ in 0..<rows {
        let pair = unsafe pixels + (at >> 16) &* strideA
        let left = unsafe Int(pair[0])
        let right = unsafe Int(pair[strideA])
        total &+= left << 8 &+ (right &- left) &* ((at >> 8) & 0xFF)
        at &+= lean
        unsafe pixels += strideB
      }
      unsafe profile[index] = Int32(truncatingIfNeeded: (total &* scale) >> 16)
      a &+= stepA
      b &+= stepB
      tangent &+= tangentStep
    }
  }
}
