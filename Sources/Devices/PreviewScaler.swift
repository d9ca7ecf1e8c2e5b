// A frame's luma stretched over a panel, for display hardware that cannot do it: bilinear, in fixed point, turned and
// mirrored on the way. Shrinking below a half leaves pixels out, which a preview may. Its memory is taken when sizes change.

import BarcodeTypes

/// Lays frames on panels of one size.
public struct PreviewScaler {
  /// Pixels of a side of the blocks in which a picture is turned: two blocks of bytes fit any cache.
  private static let blockSide = 32

  private let panelWidth: Int
  private let panelHeight: Int
  private var visible: PixelRegion?
  private var orientation = FrameOrientation()
  /// For each pixel of a row as it is read: the place of the left one of two source pixels, and the right one's share of 256.
  private var columns: [Int32] = []
  private var columnShares: [UInt16] = []
  /// Two rows mixed, in 256ths.
  private var mixed: [UInt16] = []
  /// The stretched picture before it is turned; only for quarter turns.
  private var upright: [UInt8] = []

  public init(panelWidth: Int, panelHeight: Int) {
    self.panelWidth = panelWidth
    self.panelHeight = panelHeight
  }

  /// Writes the frame's luma, as it is to be seen on the panel.
  ///
  /// - Parameter target: `panelHeight` rows of `bytesPerRow` bytes, of which `panelWidth` are written.
  public mutating func scale(_ frame: PreviewFrame, into target: UnsafeMutablePointer<UInt8>, bytesPerRow: Int) {
    prepare(frame)
    let isSideways = frame.orientation.turn.isSideways
    guard isSideways else {
      stretch(frame, into: target, bytesPerRow: bytesPerRow, width: panelWidth, height: panelHeight)
      return
    }
    var picture: [UInt8] = []
    swap(&picture, &upright)
    picture.withUnsafeMutableBufferPointer { picture in
      guard let base = picture.baseAddress else { return }
      stretch(frame, into: base, bytesPerRow: panelHeight, width: panelHeight, height: panelWidth)
      Self.turn(
        base, width: panelHeight, height: panelWidth, isClockwise: frame.orientation.turn == .clockwise, into: target,
        bytesPerRow: bytesPerRow)
    }
    swap(&picture, &upright)
  }

  private mutating func prepare(_ frame: PreviewFrame) {
    guard frame.visible != visible || frame.orientation != orientation else { return }
    visible = frame.visible
    orientation = frame.orientation
    let isSideways = orientation.turn.isSideways
    let width = isSideways ? panelHeight : panelWidth
    // A half turn is a mirror of columns and of rows.
    let isReversed = orientation.isMirrored != (orientation.turn == .half)
    let places = Self.places(count: width, over: frame.visible.width, isReversed: isReversed)
    columns = places.map(\.index)
    columnShares = places.map(\.share)
    mixed = [UInt16](repeating: 0, count: frame.visible.width + 1)
    upright = isSideways ? [UInt8](repeating: 0, count: panelWidth * panelHeight) : []
  }

  /// Where `count` pixels read from a row of `side`: centres over centres.
  private static func places(count: Int, over side: Int, isReversed: Bool) -> [(index: Int32, share: UInt16)] {
    (0..<count).map { place in
      let forward = isReversed ? count - 1 - place : place
      // In 65536ths of a source pixel, from the centre of the first.
      let position = ((2 * forward + 1) * side * 65536 / count - 65536) / 2
      let clamped = min(max(position, 0), (side - 1) * 65536)
      return (Int32(clamped >> 16), UInt16((clamped & 0xFFFF) >> 8))
    }
  }

  /// Writes a stretched picture of this size, mirrored and turned by halves, but not by quarters.
  private mutating func stretch(
    _ frame: PreviewFrame, into target: UnsafeMutablePointer<UInt8>, bytesPerRow: Int, width: Int, height: Int
  ) {
    let side = frame.visible.height
    let isFlipped = frame.orientation.turn == .half
    let isPlain = width == frame.visible.width && !(frame.orientation.isMirrored != isFlipped)
    for row in 0..<height {
      let forward = isFlipped ? height - 1 - row : row
      let position = min(max(((2 * forward + 1) * side * 65536 / height - 65536) / 2, 0), (side - 1) * 65536)
      let index = position >> 16
      let share = (position & 0xFFFF) >> 8
      let upper = frame.luma.row(frame.visible.y + index) + frame.visible.x
      let lower = frame.luma.row(frame.visible.y + min(index + 1, side - 1)) + frame.visible.x
      let line = target + row * bytesPerRow
      if isPlain && share == 0 {
        line.update(from: upper, count: width)
      } else {
        mix(upper, lower, share: UInt16(share), count: frame.visible.width)
        gather(into: line, count: width)
      }
    }
  }

  private mutating func mix(_ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, share: UInt16, count: Int) {
    let rest = 256 &- share
    mixed.withUnsafeMutableBufferPointer { mixed in
      guard let base = mixed.baseAddress else { return }
      for x in 0..<count { base[x] = UInt16(upper[x]) &* rest &+ UInt16(lower[x]) &* share }
      // The last pixel's right neighbour is itself.
      base[count] = base[count &- 1]
    }
  }

  private func gather(into line: UnsafeMutablePointer<UInt8>, count: Int) {
    mixed.withUnsafeBufferPointer { mixed in
      columns.withUnsafeBufferPointer { columns in
        columnShares.withUnsafeBufferPointer { shares in
          guard let mixed = mixed.baseAddress, let columns = columns.baseAddress, let shares = shares.baseAddress
          else { return }
          for x in 0..<count {
            let pair = mixed + Int(columns[x])
            let share = UInt32(shares[x])
            let value = UInt32(pair[0]) &* (256 &- share) &+ UInt32(pair[1]) &* share &+ 0x8000
            line[x] = UInt8(truncatingIfNeeded: value >> 16)
          }
        }
      }
    }
  }

  private static func turn(
    _ source: UnsafePointer<UInt8>, width: Int, height: Int, isClockwise: Bool, into target: UnsafeMutablePointer<UInt8>,
    bytesPerRow: Int
  ) {
    for top in stride(from: 0, to: height, by: blockSide) {
      for left in stride(from: 0, to: width, by: blockSide) {
        for y in top..<min(top + blockSide, height) {
          for x in left..<min(left + blockSide, width) {
            let row = isClockwise ? x : width &- 1 &- x
            let column = isClockwise ? height &- 1 &- y : y
            target[row &* bytesPerRow &+ column] = source[y &* width &+ x]
          }
        }
      }
    }
  }
}

/// Pixels of 32 bits from luma and from an overlay: what display hardware with one plane is given.
public enum PixelComposing {
  /// Grey pixels of a row of luma; opaque.
  public static func grey(_ luma: UnsafePointer<UInt8>, into target: UnsafeMutablePointer<UInt32>, count: Int) {
    for x in 0..<count { target[x] = 0xFF00_0000 | UInt32(luma[x]) &* 0x01_0101 }
  }

  /// Lays a row of the overlay over a row of opaque pixels.
  public static func lay(_ overlay: UnsafePointer<UInt32>, over target: UnsafeMutablePointer<UInt32>, count: Int) {
    let vectorCount = count & ~7
    for x in stride(from: 0, to: vectorCount, by: 8) {
      let above = UnsafeRawPointer(overlay + x).loadUnaligned(as: SIMD8<UInt32>.self)
      let below = UnsafeRawPointer(target + x).loadUnaligned(as: SIMD8<UInt32>.self)
      UnsafeMutableRawPointer(target + x).storeBytes(of: laid(above, over: below), as: SIMD8<UInt32>.self)
    }
    for x in vectorCount..<count {
      target[x] = laid(SIMD8(repeating: overlay[x]), over: SIMD8(repeating: target[x]))[0]
    }
  }

  /// Each pixel below times what the one above lets through, plus the one above.
  @inline(__always)
  private static func laid(_ above: SIMD8<UInt32>, over below: SIMD8<UInt32>) -> SIMD8<UInt32> {
    let channels = SIMD8<UInt32>(repeating: 0x00FF_00FF)
    let half = SIMD8<UInt32>(repeating: 0x0080_0080)
    let rest = SIMD8<UInt32>(repeating: 255) &- (above &>> 24)
    // Two channels at a time, each times `rest`, divided by 255 with rounding.
    let even = (below & channels) &* rest &+ half
    let odd = (below &>> 8 & channels) &* rest &+ half
    let evenPart = (even &+ (even &>> 8 & channels)) &>> 8 & channels
    let oddPart = (odd &+ (odd &>> 8 & channels)) & ~channels
    return (evenPart | oddPart) &+ above
  }
}
