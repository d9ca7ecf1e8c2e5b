// A frame scaled to a panel, for display hardware that cannot do it: bilinear, in fixed point, rotated and mirrored in the
// same pass. Below half size it skips pixels, which is acceptable for a preview. Memory is allocated when sizes change.

public import BarcodeTypes

/// Scales the luma or colour of frames to panels of a fixed size.
public struct PreviewScaler {
  /// The part of a frame to scale.
  public enum Part: Sendable {
    case luma
    /// Pairs of Cb and Cr: the panel's size is then in pairs, half its pixels each way.
    case chroma
  }

  /// Pixels per side of the blocks in which a picture is rotated: two blocks of bytes fit any cache.
  private static let blockSide = 32

  /// Rows of bytes, `depth` of them per pixel.
  private struct Source {
    var base: UnsafePointer<UInt8>
    var bytesPerRow: Int

    func row(_ y: Int) -> UnsafePointer<UInt8> { base + y * bytesPerRow }
  }

  private let panelWidth: Int
  private let panelHeight: Int
  private let part: Part
  /// Bytes per pixel.
  private let depth: Int
  private var visible: PixelRegion?
  private var orientation = FrameOrientation()
  /// For each pixel of an output row: the byte offset of the left one of two source pixels, and the right one's share of
  /// 256.
  private var columns: [Int32] = []
  private var columnShares: [UInt16] = []
  /// Two rows blended, in 256ths.
  private var mixed: [UInt16] = []
  /// The scaled picture before rotation; only for quarter turns.
  private var upright: [UInt8] = []
  /// The frame's colour as pairs, if it comes in planes.
  private var pairs: [UInt8] = []

  public init(panelWidth: Int, panelHeight: Int, part: Part = .luma) {
    self.panelWidth = panelWidth
    self.panelHeight = panelHeight
    self.part = part
    depth = part == .luma ? 1 : 2
  }

  /// Writes the frame's luma or colour as it appears on the panel. A frame without colour is 128 throughout.
  ///
  /// - Parameter target: `panelHeight` rows of `bytesPerRow` bytes. The first `panelWidth` bytes of each are written, or
  ///    twice that number for pairs.
  public mutating func scale(_ frame: PreviewFrame, into target: UnsafeMutablePointer<UInt8>, bytesPerRow: Int) {
    let source: Source
    let region: PixelRegion
    switch part {
    case .luma:
      source = Source(base: frame.luma.row(0), bytesPerRow: frame.luma.bytesPerRow)
      region = frame.visible
    case .chroma:
      guard let chroma = frame.chroma else {
        for y in 0..<panelHeight { (target + y * bytesPerRow).update(repeating: 128, count: 2 * panelWidth) }
        return
      }
      guard chroma.isPairs else { return scalePlanes(chroma, frame, into: target, bytesPerRow: bytesPerRow) }
      source = Source(base: chroma.cb, bytesPerRow: chroma.bytesPerRow)
      region = frame.visible.halved
    }
    scale(source, region, frame, into: target, bytesPerRow: bytesPerRow)
  }

  /// Scales colour that comes in planes.
  private mutating func scalePlanes(
    _ chroma: ChromaView, _ frame: PreviewFrame, into target: UnsafeMutablePointer<UInt8>, bytesPerRow: Int
  ) {
    var copy: [UInt8] = []
    swap(&copy, &pairs)
    let byteCount = 2 * chroma.width * chroma.height
    if copy.count != byteCount { copy = [UInt8](repeating: 128, count: byteCount) }
    copy.withUnsafeMutableBufferPointer { copy in
      guard let base = copy.baseAddress else { return }
      chroma.copyPairs(to: base)
      scale(
        Source(base: base, bytesPerRow: 2 * chroma.width), frame.visible.halved, frame, into: target,
        bytesPerRow: bytesPerRow)
    }
    swap(&copy, &pairs)
  }

  private mutating func scale(
    _ source: Source, _ region: PixelRegion, _ frame: PreviewFrame, into target: UnsafeMutablePointer<UInt8>,
    bytesPerRow: Int
  ) {
    prepare(region, frame.orientation)
    let isSideways = frame.orientation.turn.isSideways
    guard isSideways else {
      stretch(source, into: target, bytesPerRow: bytesPerRow, width: panelWidth, height: panelHeight)
      return
    }
    var picture: [UInt8] = []
    swap(&picture, &upright)
    picture.withUnsafeMutableBufferPointer { picture in
      guard let base = picture.baseAddress else { return }
      stretch(source, into: base, bytesPerRow: panelHeight * depth, width: panelHeight, height: panelWidth)
      turn(base, isClockwise: frame.orientation.turn == .clockwise, into: target, bytesPerRow: bytesPerRow)
    }
    swap(&picture, &upright)
  }

  private mutating func prepare(_ region: PixelRegion, _ wanted: FrameOrientation) {
    guard region != visible || wanted != orientation else { return }
    visible = region
    orientation = wanted
    let isSideways = orientation.turn.isSideways
    let width = isSideways ? panelHeight : panelWidth
    // A half turn mirrors both columns and rows.
    let isReversed = orientation.isMirrored != (orientation.turn == .half)
    let places = Self.places(count: width, over: region.width, isReversed: isReversed)
    columns = places.map { $0.index * Int32(depth) }
    columnShares = places.map(\.share)
    mixed = [UInt16](repeating: 0, count: (region.width + 1) * depth)
    upright = isSideways ? [UInt8](repeating: 0, count: panelWidth * panelHeight * depth) : []
  }

  /// The source position of each of `count` pixels in a row of `side`, with centres aligned.
  private static func places(count: Int, over side: Int, isReversed: Bool) -> [(index: Int32, share: UInt16)] {
    (0..<count).map { place in
      let forward = isReversed ? count - 1 - place : place
      // In 65536ths of a source pixel, from the centre of the first.
      let position = ((2 * forward + 1) * side * 65536 / count - 65536) / 2
      let clamped = min(max(position, 0), (side - 1) * 65536)
      return (Int32(clamped >> 16), UInt16((clamped & 0xFFFF) >> 8))
    }
  }

  /// Writes a scaled picture of this size, mirrored and rotated by a half turn if required, but not by quarters.
  private mutating func stretch(
    _ source: Source, into target: UnsafeMutablePointer<UInt8>, bytesPerRow: Int, width: Int, height: Int
  ) {
    guard let visible else { return }
    let side = visible.height
    let isFlipped = orientation.turn == .half
    let isPlain = width == visible.width && !(orientation.isMirrored != isFlipped)
    for row in 0..<height {
      let forward = isFlipped ? height - 1 - row : row
      let position = min(max(((2 * forward + 1) * side * 65536 / height - 65536) / 2, 0), (side - 1) * 65536)
      let index = position >> 16
      let share = (position & 0xFFFF) >> 8
      let upper = source.row(visible.y + index) + visible.x * depth
      let lower = source.row(visible.y + min(index + 1, side - 1)) + visible.x * depth
      let line = target + row * bytesPerRow
      if isPlain && share == 0 {
        line.update(from: upper, count: width * depth)
      } else {
        mix(upper, lower, share: UInt16(share), count: visible.width * depth)
        gather(into: line, count: width)
      }
    }
  }

  private mutating func mix(_ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, share: UInt16, count: Int) {
    let rest = 256 &- share
    mixed.withUnsafeMutableBufferPointer { mixed in
      guard let base = mixed.baseAddress else { return }
      for x in 0..<count { base[x] = UInt16(upper[x]) &* rest &+ UInt16(lower[x]) &* share }
      // The last pixel has no right neighbour, so it is repeated.
      for byte in 0..<depth { base[count &+ byte] = base[count &+ byte &- depth] }
    }
  }

  private func gather(into line: UnsafeMutablePointer<UInt8>, count: Int) {
    mixed.withUnsafeBufferPointer { mixed in
      columns.withUnsafeBufferPointer { columns in
        columnShares.withUnsafeBufferPointer { shares in
          guard let mixed = mixed.baseAddress, let columns = columns.baseAddress, let shares = shares.baseAddress
          else { return }
          if depth == 1 {
            for x in 0..<count { line[x] = Self.between(mixed + Int(columns[x]), 1, UInt32(shares[x])) }
          } else {
            for x in 0..<count {
              let pair = mixed + Int(columns[x])
              line[2 &* x] = Self.between(pair, 2, UInt32(shares[x]))
              line[2 &* x &+ 1] = Self.between(pair + 1, 2, UInt32(shares[x]))
            }
          }
        }
      }
    }
  }

  /// Blends a value with its neighbour `step` values further on.
  @inline(__always)
  private static func between(_ pair: UnsafePointer<UInt16>, _ step: Int, _ share: UInt32) -> UInt8 {
    let value = UInt32(pair[0]) &* (256 &- share) &+ UInt32(pair[step]) &* share &+ 0x8000
    return UInt8(truncatingIfNeeded: value >> 16)
  }

  /// Rotates by a quarter a picture as wide as the panel is high.
  private func turn(
    _ source: UnsafePointer<UInt8>, isClockwise: Bool, into target: UnsafeMutablePointer<UInt8>, bytesPerRow: Int
  ) {
    let (width, height, depth, blockSide) = (panelHeight, panelWidth, depth, Self.blockSide)
    for top in stride(from: 0, to: height, by: blockSide) {
      for left in stride(from: 0, to: width, by: blockSide) {
        for y in top..<min(top + blockSide, height) {
          for x in left..<min(left + blockSide, width) {
            let row = isClockwise ? x : width &- 1 &- x
            let column = isClockwise ? height &- 1 &- y : y
            let (from, to) = ((y &* width &+ x) &* depth, row &* bytesPerRow &+ column &* depth)
            target[to] = source[from]
            if depth == 2 { target[to &+ 1] = source[from &+ 1] }
          }
        }
      }
    }
  }
}

extension PixelRegion {
  /// The region's colour values: one per 2×2 pixels.
  public var halved: PixelRegion {
    PixelRegion(x: x / 2, y: y / 2, width: (width + 1) / 2, height: (height + 1) / 2)
  }
}
