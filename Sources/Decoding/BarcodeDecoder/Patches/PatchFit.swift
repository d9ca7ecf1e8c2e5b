// Finds a patch in a frame and compares the frame with the sum: first the shift that agrees best, then the
// affine map, by least squares on greys, then the agreement of each part of the patch.

import BarcodeTypes

/// How well a frame agrees with the sum of a patch.
struct PatchAgreement: BitwiseCopyable {
  /// The correlation of the greys within blocks, over all blocks with contrast, in 256ths.
  var correlation = 0
  /// The number of blocks with contrast.
  var blockCount = 0
  /// The mean correlation of the eighth of the blocks that agree least, in 256ths. Another symbol at the same place has the
  /// same outline and finder patterns; its modules agree by chance.
  var weakest = 0
  /// The share of noise in the contrast of the blocks, in 256ths.
  var noiseShare = 0
}

/// The part of a patch that shows a symbol: a convex quadrilateral in the patch's pixels.
struct PatchPart: BitwiseCopyable {
  private let corners: SubpixelQuad

  init(_ corners: SubpixelQuad) { self.corners = corners }

  var left: Int { min(min(corners[0].x, corners[1].x), min(corners[2].x, corners[3].x)) }
  var right: Int { max(max(corners[0].x, corners[1].x), max(corners[2].x, corners[3].x)) }
  var top: Int { min(min(corners[0].y, corners[1].y), min(corners[2].y, corners[3].y)) }
  var bottom: Int { max(max(corners[0].y, corners[1].y), max(corners[2].y, corners[3].y)) }

  /// Whether a pixel is inside, by the sign of the cross product at each side.
  func contains(_ u: Int, _ v: Int) -> Bool {
    var (isLeft, isRight) = (false, false)
    for index in 0..<4 {
      let (a, b) = (corners[index], corners[(index + 1) & 3])
      let side = (b.x - a.x) * (v - a.y) - (b.y - a.y) * (u - a.x)
      if side < 0 { isLeft = true }
      if side > 0 { isRight = true }
    }
    return !(isLeft && isRight)
  }
}

/// Fits one patch to a frame.
@safe struct PatchFit {
  /// The greatest shift from the expected place, in pixels.
  private static let shiftMax = 6
  /// The most pixels compared for a shift, and for a step of the affine map.
  private static let (shiftPixelCountMax, stepPixelCountMax) = (500, 2000)
  private static let stepCount = 4
  /// The least correlation at the best shift for the map to be refined, in 256ths.
  private static let shiftCorrelationMin = 90
  /// The side of the blocks that are compared, in pixels.
  private static let blockSide = 8

  let luma: LumaView
  let width: Int
  let height: Int
  /// The greys of the sum, times 16.
  let greys: ScratchArray<Int16>

  /// Work units for a fit: the shifts, the steps of the map and the comparison.
  static func cost(width: Int, height: Int) -> Int {
    let shifts = (2 * shiftMax + 1) * (2 * shiftMax + 1)
    let pixelCount = width * height
    return shifts * min(shiftPixelCountMax, pixelCount) / 12 + stepCount * min(stepPixelCountMax, pixelCount) * 2
      + pixelCount / 2
  }

  private func isInside(_ place: PatchPlace) -> Bool {
    PatchFit.isInside(place, width: width, height: height, luma)
  }

  /// Whether a patch is inside the picture.
  static func isInside(_ place: PatchPlace, width: Int, height: Int, _ luma: LumaView) -> Bool {
    for corner in 0..<4 {
      let u = corner & 1 == 0 ? 0 : (width - 1) << 16
      let v = corner & 2 == 0 ? 0 : (height - 1) << 16
      let (x, y) = place.place(u, v)
      guard x >= 1 << 16, y >= 1 << 16, x < (luma.width - 2) << 16, y < (luma.height - 2) << 16 else { return false }
    }
    return true
  }

  /// The place at the best shift from an expected one; nil if none agrees.
  func shifted(_ expected: PatchPlace) -> PatchPlace? {
    var step = 1
    while (width / step) * (height / step) > PatchFit.shiftPixelCountMax { step += 1 }
    var best = PatchFit.shiftCorrelationMin
    var found: PatchPlace?
    let reach = PatchFit.shiftMax
    for shiftY in -reach...reach {
      for shiftX in -reach...reach {
        var place = expected
        place.x &+= shiftX << 16
        place.y &+= shiftY << 16
        guard isInside(place) else { continue }
        // Small shifts are a little more likely.
        let correlation = correlation(place, step: step) &- (abs(shiftX) &+ abs(shiftY)) / 2
        if correlation > best {
          best = correlation
          found = place
        }
      }
    }
    return found
  }

  /// The correlation of the nearest pixels with the sum, in 256ths.
  private func correlation(_ place: PatchPlace, step: Int) -> Int {
    var (sumI, sumR, sumII, sumRR, sumIR, count) = (0, 0, 0, 0, 0, 0)
    for row in stride(from: step / 2, to: height, by: step) {
      var (x, y) = place.place((step / 2) << 16, row << 16)
      x &+= 1 << 15
      y &+= 1 << 15
      for column in stride(from: step / 2, to: width, by: step) {
        let value = unsafe Int(luma.place(x >> 16, y >> 16)[0])
        let known = Int(greys[row &* width &+ column]) >> 4
        sumI &+= value
        sumR &+= known
        sumII &+= value &* value
        sumRR &+= known &* known
        sumIR &+= value &* known
        count &+= 1
        x &+= place.acrossX &* step
        y &+= place.acrossY &* step
      }
    }
    return PatchFit.correlation(sumI, sumR, sumII, sumRR, sumIR, count)
  }

  private static func correlation(_ sumI: Int, _ sumR: Int, _ sumII: Int, _ sumRR: Int, _ sumIR: Int, _ count: Int) -> Int {
    let both = sumIR &* count &- sumI &* sumR
    let one = sumII &* count &- sumI &* sumI
    let other = sumRR &* count &- sumR &* sumR
    guard both > 0, one > 0, other > 0 else { return 0 }
    let root = Int(integerRoot(UInt64(one))) * Int(integerRoot(UInt64(other)))
    return min(256, both * 256 / max(1, root))
  }

  /// The affine map near a place that agrees best; nil if the fit fails.
  func refined(_ start: PatchPlace) -> PatchPlace? {
    var place = start
    var step = 1
    while (width / step) * (height / step) > PatchFit.stepPixelCountMax { step += 1 }
    for _ in 0..<PatchFit.stepCount {
      guard let next = moved(place, step: step), isInside(next) else { return nil }
      place = next
    }
    // A map that leaves its start has found something else.
    for corner in 0..<4 {
      let u = corner & 1 == 0 ? 0 : (width - 1) << 16
      let v = corner & 2 == 0 ? 0 : (height - 1) << 16
      let (before, after) = (start.place(u, v), place.place(u, v))
      let movedMax = (3 << 16) + (width + height) << 11
      guard abs(after.x - before.x) < movedMax, abs(after.y - before.y) < movedMax else { return nil }
    }
    return place
  }

  /// One step of the least squares fit of light, contrast and the affine map.
  private func moved(_ place: PatchPlace, step: Int) -> PatchPlace? {
    var equations = NormalEquations(unknownCount: 8)
    var row: [10 of Int32] = .init(repeating: 0)
    let (middleU, middleV) = (width / 2, height / 2)
    let reach = max(1, max(width, height) / 2)
    var mean = 0
    for index in 0..<(width * height) { mean &+= Int(greys[index]) }
    mean /= width * height
    for line in stride(from: 1, to: height - 1, by: step) {
      let v = Int32(truncatingIfNeeded: (line - middleV) * 64 / reach)
      for column in stride(from: 1, to: width - 1, by: step) {
        let index = line &* width &+ column
        let known = Int32(greys[index])
        let slopeU = (Int32(greys[index &+ 1]) &- Int32(greys[index &- 1])) / 2
        let slopeV = (Int32(greys[index &+ width]) &- Int32(greys[index &- width])) / 2
        let (x, y) = place.place(column << 16, line << 16)
        let value = Int32(truncatingIfNeeded: interpolated(luma, (x &+ 128) >> 8, (y &+ 128) >> 8)) &* 16
        let u = Int32(truncatingIfNeeded: (column &- middleU) &* 64 / reach)
        row[0] = 256
        row[1] = (known &- Int32(truncatingIfNeeded: mean)) / 2
        row[2] = slopeU
        row[3] = slopeU &* u / 64
        row[4] = slopeU &* v / 64
        row[5] = slopeV
        row[6] = slopeV &* u / 64
        row[7] = slopeV &* v / 64
        equations.add(row, value &- known)
      }
    }
    var damping: [10 of Int64] = .init(repeating: 1 << 16)
    for index in 2..<8 { damping[index] = 1 << 20 }
    guard let solution = equations.solve(damping: damping) else { return nil }
    var delta: [10 of Int] = .init(repeating: 0)
    for index in 2..<8 { delta[index] = max(-(2 << 16), min(2 << 16, Int(solution[index]))) }
    // The picture at a place of the patch is what the sum has `delta` further on: the place moves back by as much.
    let turnUU = delta[3] / reach
    let turnUV = delta[4] / reach
    let turnVU = delta[6] / reach
    let turnVV = delta[7] / reach
    let moveU = delta[2] - turnUU * middleU - turnUV * middleV
    let moveV = delta[5] - turnVU * middleU - turnVV * middleV
    var next = place
    next.x -= (place.acrossX * moveU + place.downX * moveV) >> 16
    next.y -= (place.acrossY * moveU + place.downY * moveV) >> 16
    next.acrossX -= (place.acrossX * turnUU + place.downX * turnVU) >> 16
    next.acrossY -= (place.acrossY * turnUU + place.downY * turnVU) >> 16
    next.downX -= (place.acrossX * turnUV + place.downX * turnVV) >> 16
    next.downY -= (place.acrossY * turnUV + place.downY * turnVV) >> 16
    return next
  }

  /// The agreement of the frame with a part of the sum, or with all of it, block by block.
  ///
  /// - Parameter noiseContrast: the grey levels that noise spans in a tile.
  func agreement(_ place: PatchPlace, part: PatchPart? = nil, noiseContrast: Int) -> PatchAgreement {
    let (first, top) = (max(0, part?.left ?? 0), max(0, part?.top ?? 0))
    let (width, height) = (min(self.width, part?.right ?? self.width), min(self.height, part?.bottom ?? self.height))
    var result = PatchAgreement()
    // The number of blocks by their correlation, in steps of 16.
    var counts: [33 of Int] = .init(repeating: 0)
    let side = PatchFit.blockSide
    var (allI, allR, allIR) = (0, 0, 0)
    // First the contrast of the blocks, then their agreement.
    var most = 0
    for pass in 0..<2 {
      for top in stride(from: top, to: height - side / 2, by: side) {
        for left in stride(from: first, to: width - side / 2, by: side) {
          if let part, !part.contains(left + side / 2, top + side / 2) { continue }
          var (sumI, sumR, sumII, sumRR, sumIR, count) = (0, 0, 0, 0, 0, 0)
          for line in top..<min(height, top + side) {
            for column in left..<min(width, left + side) {
              let known = Int(greys[line &* self.width &+ column]) >> 2
              if pass == 1 {
                let (x, y) = place.place(column << 16, line << 16)
                let value = interpolated(luma, (x &+ 128) >> 8, (y &+ 128) >> 8) &* 4
                sumI &+= value
                sumII &+= value &* value
                sumIR &+= value &* known
              }
              sumR &+= known
              sumRR &+= known &* known
              count &+= 1
            }
          }
          let other = (sumRR - sumR * sumR / count) / count
          if pass == 0 {
            most = max(most, other)
            continue
          }
          guard other * PatchFit.contrastDivisor >= most, other > 0 else { continue }
          let one = (sumII - sumI * sumI / count) / count
          let both = (sumIR - sumI * sumR / count) / count
          result.blockCount += 1
          allI += one
          allR += other
          allIR += both
          let correlation = both * 256 / max(1, Int(integerRoot(UInt64(max(1, one) * other))))
          counts[(max(-256, min(256, correlation)) + 256) / 16] += 1
        }
      }
    }
    var left = max(1, min(result.blockCount, max(2, result.blockCount / PatchFit.weakestDivisor)))
    let weakestCount = left
    for step in counts.indices where left > 0 {
      let taken = min(left, counts[step])
      result.weakest += taken * (step * 16 - 256 + 8)
      left -= taken
    }
    result.weakest /= weakestCount
    // Noise that spans c levels in a tile has a deviation of c / 4.5, and interpolation halves its variance. Greys are times 4.
    let noise = noiseContrast * noiseContrast * 3 / 8
    result.noiseShare = min(256, noise * result.blockCount * 256 / max(1, allI))
    guard allIR > 0 else { return result }
    result.correlation = min(256, allIR * 256 / max(1, Int(integerRoot(UInt64(allI * allR)))))
    return result
  }

  /// The divisor of the greatest variance of a block, down to which a block has contrast.
  private static let contrastDivisor = 8
  /// The share of the blocks that count as the weakest, as a divisor.
  private static let weakestDivisor = 8
}
