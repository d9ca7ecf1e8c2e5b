// A snapshot as pixels: the frame in grey, darkened outside the viewport, with the codes outlined. Sufficient to aim and
// focus.

import BarcodeTypes
import Devices
import ScanLoop

/// Opaque pixels.
public struct SnapshotPicture: Equatable, Sendable {
  public let width: Int
  public let height: Int
  /// 0xFFRRGGBB, rows from the top.
  public private(set) var pixels: [UInt32]

  private static let outlineColour: UInt32 = 0xFF3D_DC84
  private static let unreadColour: UInt32 = 0xFFFF_B300
  private static let viewportColour: UInt32 = 0xFFFF_FFFF
  /// Pixels on each side of a line's middle.
  private static let outlineReach = 1

  init(_ snapshot: Snapshot) {
    width = snapshot.width
    height = snapshot.height
    pixels = snapshot.luma.map { 0xFF00_0000 | UInt32($0) &* 0x01_0101 }
    if let region = snapshot.region { darken(outside: region) }
    for quad in snapshot.outlines { outline(quad, Self.outlineColour) }
    for quad in snapshot.unreadOutlines { outline(quad, Self.unreadColour) }
  }

  private mutating func darken(outside region: PixelRegion) {
    for y in 0..<height {
      let isBetween = y >= region.y && y < region.y + region.height
      for x in 0..<width where !isBetween || x < region.x || x >= region.x + region.width {
        // Half of each channel: the lowest bit is cleared before the shift.
        pixels[y * width + x] = 0xFF00_0000 | (pixels[y * width + x] & 0xFE_FEFE) >> 1
      }
    }
    let (right, bottom) = (region.x + region.width - 1, region.y + region.height - 1)
    for x in region.x...max(region.x, right) {
      set(x, region.y, Self.viewportColour)
      set(x, bottom, Self.viewportColour)
    }
    for y in region.y...max(region.y, bottom) {
      set(region.x, y, Self.viewportColour)
      set(right, y, Self.viewportColour)
    }
  }

  private mutating func outline(_ quad: Quad, _ colour: UInt32) {
    let corners = [quad.topLeft, quad.topRight, quad.bottomRight, quad.bottomLeft].map {
      // Corners may lie outside the frame, but by no more than its size: lines stay short.
      (x: clamped(Int($0.x.bits >> 16), width), y: clamped(Int($0.y.bits >> 16), height))
    }
    for index in corners.indices { line(from: corners[index], to: corners[(index + 1) % corners.count], colour) }
  }

  private func clamped(_ value: Int, _ side: Int) -> Int { min(max(value, -side), 2 * side) }

  private mutating func line(from a: (x: Int, y: Int), to b: (x: Int, y: Int), _ colour: UInt32) {
    let stepCount = max(abs(b.x - a.x), abs(b.y - a.y), 1)
    for step in 0...stepCount {
      let x = a.x + (b.x - a.x) * step / stepCount
      let y = a.y + (b.y - a.y) * step / stepCount
      for dy in -Self.outlineReach...Self.outlineReach {
        for dx in -Self.outlineReach...Self.outlineReach { set(x + dx, y + dy, colour) }
      }
    }
  }

  private mutating func set(_ x: Int, _ y: Int, _ colour: UInt32) {
    if x >= 0, y >= 0, x < width, y < height { pixels[y * width + x] = colour }
  }
}

/// Encodes snapshots on a separate thread. Swift's threads are as few as the board's cores, and the controller needs them.
actor SnapshotPress {
  /// After encoding a file, the press rests for this multiple of the time taken, so that it uses at most a fifth of a core.
  static let restFactor = 4

  private nonisolated let executor = BlockingExecutor(label: "snapshots")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let makeFile: @Sendable (SnapshotPicture) -> [UInt8]?
  private var last: (number: UInt64, file: [UInt8], restsUntil: ContinuousClock.Instant)?

  init(makeFile: @escaping @Sendable (SnapshotPicture) -> [UInt8]?) { self.makeFile = makeFile }

  /// The file of a snapshot, or of the previous one while the press rests. Nil if memory is not available.
  func file(of snapshot: Snapshot) -> [UInt8]? {
    let start = ContinuousClock.now
    if let last, last.number == snapshot.number || start < last.restsUntil { return last.file }
    guard let file = makeFile(SnapshotPicture(snapshot)) else { return nil }
    let end = ContinuousClock.now
    last = (snapshot.number, file, end + (end - start) * Self.restFactor)
    return file
  }
}
