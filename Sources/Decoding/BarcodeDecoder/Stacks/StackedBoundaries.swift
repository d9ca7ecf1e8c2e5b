// Every codeword of every row begins with a bar and ends with a space. Averaged over many rows, the boundaries between the
// columns are therefore the only places where all rows have an edge from light to dark, while the edges in between cancel
// out. They show exactly where the columns lie, even if the symbol is bent.

import BarcodeTypes

/// The sides of a grid whose place is known.
enum KnownSides: BitwiseCopyable { case left, both }

/// The boundaries of a band of rows, measured one after the other.
private struct BoundaryTrack {
  let luma: LumaView
  let isInverted: Bool
  /// The band and the number of bands.
  let band: Int
  let bandCount: Int
  /// Greatest distance between a boundary and its expected place, in quarters of a module.
  let reach: Int
  /// The greatest fall at a boundary so far.
  var contrast = 0
}

extension StackedGrid {
  /// Samples of a profile across a boundary: from -2 1/2 to 2 1/2 modules in steps of a quarter.
  private static let sampleCount = 21
  /// Greatest distance between a boundary and its expected place, in quarters of a module: where all other edges are random,
  /// and next to row addresses, whose edges continue from row to row.
  static let reach = 5
  static let shortReach = 2
  /// The most lines averaged in a band.
  private static let lineCountMax = 16
  /// Rows from which boundaries are measured in three bands instead of one.
  private static let bandedRowCountMin = 9

  /// Measures the boundaries one after the other, extrapolating the place of each from those before it.
  ///
  /// - Parameters:
  ///   - sides: the known sides, from which the measurement starts; with two of them, half of the boundaries from each.
  ///   - limit: columns to measure on each side.
  ///   - reach: greatest distance between a boundary and its expected place, in quarters of a module.
  mutating func trackBoundaries(
    _ luma: LumaView, isInverted: Bool, from sides: KnownSides, limit: Int = .max,
    reach: Int = StackedGrid.reach
  ) {
    let last = layout.columnCount
    let middle = sides == .left ? last : last / 2
    let leftEnd = min(middle, limit)
    let rightEnd = max(middle, limit < last ? last - limit - 1 : middle)
    let bands = rowCount >= StackedGrid.bandedRowCountMin ? StackedGrid.bandCount : 1
    for band in 0..<bands {
      var track = BoundaryTrack(luma: luma, isInverted: isInverted, band: band, bandCount: bands, reach: reach)
      var expected = 0
      var trend = 0
      for boundary in stride(from: 0, through: leftEnd, by: 1) {
        let found = measure(boundary, expected: expected + trend, &track)
        if boundary > 0 { trend = (trend + found - expected) / 2 }
        expected = found
        displace(boundary, band: band, by: found)
      }
      expected = 0
      trend = 0
      for boundary in stride(from: last, to: rightEnd, by: -1) {
        let found = measure(boundary, expected: expected + trend, &track)
        if boundary < last { trend = (trend + found - expected) / 2 }
        expected = found
        displace(boundary, band: band, by: found)
      }
    }
    guard bands == 1 else { return }
    for boundary in 0...last {
      for band in 1..<StackedGrid.bandCount { displace(boundary, band: band, by: displacement(boundary, band: 0)) }
    }
  }

  /// A boundary's displacement in a band, in 1/256 modules: where the mean over the band's lines falls most steeply. Returns
  /// the expected displacement if no edge is clear.
  private func measure(_ boundary: Int, expected: Int, _ track: inout BoundaryTrack) -> Int {
    let (bands, reach) = (track.bandCount, track.reach)
    var profile: [21 of Int32] = .init(repeating: 0)
    let rows = rowCount * 256 / bands
    let lines = max(3, min(StackedGrid.lineCountMax, 2 * rowCount / bands))
    let center = layout.start(boundary) << 8 + expected
    for line in 0..<lines {
      let y = track.band * rows + rows * (2 * line + 1) / (2 * lines)
      let from = map(center - 640, y)
      let to = map(center + 640, y)
      let stepX = (to.x - from.x) << 4 / 20
      let stepY = (to.y - from.y) << 4 / 20
      for sample in 0..<StackedGrid.sampleCount {
        let x = from.x + (stepX * sample) >> 4
        let y = from.y + (stepY * sample) >> 4
        profile[sample] += Int32(truncatingIfNeeded: interpolated(track.luma, x, y))
      }
    }
    // The stop pattern ends with a bar.
    let sign = (boundary < layout.columnCount) != track.isInverted ? 64 : -64
    var best = 0
    var bestValue = Int.min
    for offset in (-reach)...reach {
      let value = StackedGrid.fall(profile, at: offset) * sign / lines * (24 - abs(offset)) / 24
      if value > bestValue {
        bestValue = value
        best = offset
      }
    }
    track.contrast = max(track.contrast, bestValue)
    guard bestValue > 0, bestValue * 5 > track.contrast * 2 else { return expected }
    let before = StackedGrid.fall(profile, at: best - 1) * sign / lines
    let after = StackedGrid.fall(profile, at: best + 1) * sign / lines
    let bend = 2 * (StackedGrid.fall(profile, at: best) * sign / lines) - before - after
    let fraction = bend > 0 ? max(-32, min(32, (after - before) * 32 / bend)) : 0
    return expected + best * 64 + fraction
  }

  /// The fall of a profile around a place, in samples from its middle.
  private static func fall(_ profile: [21 of Int32], at offset: Int) -> Int {
    Int(profile[8 + offset]) - Int(profile[12 + offset])
  }

  /// The offset of the upper or lower end of the rows from its place in the grid, in 1/256 rows, between two places of a row
  /// in 1/256 modules. It is where the mean of all modules changes from paper to symbol, as at no other row.
  func endOffset(_ luma: LumaView, isInverted: Bool, isLower: Bool, from: Int, to: Int) -> Int {
    var profile: [21 of Int32] = .init(repeating: 0)
    let places = 24
    for place in 0..<places {
      let x = from + (to - from) * (2 * place + 1) / (2 * places)
      for sample in 0..<StackedGrid.sampleCount {
        // From 1 1/4 rows outside to 1 1/4 rows inside.
        let y = (sample - 10) * 32
        let at = map(x, isLower ? rowCount << 8 - y : y)
        profile[sample] += Int32(truncatingIfNeeded: interpolated(luma, at.x, at.y))
      }
    }
    let sign = isInverted ? -1 : 1
    var best = 0
    for offset in -7...7
    where StackedGrid.fall(profile, at: offset) * sign > StackedGrid.fall(profile, at: best) * sign { best = offset }
    let before = StackedGrid.fall(profile, at: best - 1) * sign
    let after = StackedGrid.fall(profile, at: best + 1) * sign
    let bend = 2 * StackedGrid.fall(profile, at: best) * sign - before - after
    let fraction = bend > 0 ? max(-16, min(16, (after - before) * 16 / bend)) : 0
    let offset = best * 32 + fraction
    return isLower ? -offset : offset
  }

  /// The symbol as a picture shows it that is `scale` times smaller than the full size.
  func appearance(_ luma: LumaView, isInverted: Bool, scale: Int) -> SymbolAppearance {
    SymbolAppearance(
      corners: corners(luma, isInverted: isInverted, scale: scale), isInverted: isInverted, isMirrored: isMirrored)
  }

  /// The corners for the symbol's result; the grid's picture is `scale` times smaller than the scene.
  private func corners(_ luma: LumaView, isInverted: Bool, scale: Int) -> Quad {
    let right = layout.columnCount
    let width = layout.width << 8
    func point(isLower: Bool, isRight: Bool) -> PixelPoint {
      let offset = endOffset(
        luma, isInverted: isInverted, isLower: isLower, from: isRight ? width / 2 : 0, to: isRight ? width : width / 2)
      let y = (isLower ? rowCount << 8 : 0) + offset
      let at = map(boundary(isRight ? right : 0, y: y), y)
      return SubpixelPoint(x: at.x * scale + (scale - 1) * 128, y: at.y * scale + (scale - 1) * 128).pixelPoint
    }
    return Quad(
      topLeft: point(isLower: false, isRight: false), topRight: point(isLower: false, isRight: true),
      bottomRight: point(isLower: true, isRight: true), bottomLeft: point(isLower: true, isRight: false))
  }
}
