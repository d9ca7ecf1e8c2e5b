// A snapshot's pixels: shrunk for the browser, and drawn on for clients that show only the file.

import BarcodeTypes
import ScanControl
import ScanLoop

/// Grey pixels, rows from the top without gaps.
struct LumaPicture {
  private(set) var width: Int
  private(set) var height: Int
  private(set) var pixels: [UInt8]

  /// Pixels on each side of a line's middle that are white; the next ones are black, so that the line is seen on any ground.
  private static let whiteReach = 1
  private static let blackReach = 2

  init(_ snapshot: Snapshot) { (width, height, pixels) = (snapshot.width, snapshot.height, snapshot.luma) }

  /// Takes the mean of squares of pixels, the smallest with which no side is longer than `side`.
  mutating func shrink(toSide side: Int) {
    let factor = (max(width, height) + side - 1) / side
    guard factor > 1 else { return }
    let (smallWidth, smallHeight) = (width / factor, height / factor)
    let small = [UInt8](unsafeUninitializedCapacity: smallWidth * smallHeight) { buffer, count in
      pixels.withUnsafeBufferPointer { pixels in
        for y in 0..<smallHeight {
          for x in 0..<smallWidth {
            var sum = 0
            for row in 0..<factor {
              let start = (y * factor + row) * width + x * factor
              for column in 0..<factor { sum += Int(pixels[start + column]) }
            }
            buffer[y * smallWidth + x] = UInt8(sum / (factor * factor))
          }
        }
      }
      count = smallWidth * smallHeight
    }
    (width, height, pixels) = (smallWidth, smallHeight, small)
  }

  /// Darkens what is outside the viewport, and outlines the codes.
  mutating func draw(_ snapshot: Snapshot) {
    if let region = snapshot.region { darken(outside: region) }
    for quad in snapshot.sightings.map(\.corners) + snapshot.unread.map(\.corners) { outline(quad) }
  }

  private mutating func darken(outside region: PixelRegion) {
    for y in 0..<height {
      let isBetween = y >= region.y && y < region.y + region.height
      for x in 0..<width where !isBetween || x < region.x || x >= region.x + region.width { pixels[y * width + x] /= 2 }
    }
  }

  private mutating func outline(_ quad: Quad) {
    let corners = [quad.topLeft, quad.topRight, quad.bottomRight, quad.bottomLeft].map {
      // Corners may lie outside the frame, but by no more than its size: lines stay short.
      (x: clamped(Int($0.x.bits >> 16), width), y: clamped(Int($0.y.bits >> 16), height))
    }
    for (reach, level) in [(Self.blackReach, UInt8(0)), (Self.whiteReach, 255)] {
      for index in corners.indices {
        line(from: corners[index], to: corners[(index + 1) % corners.count], reach: reach, level)
      }
    }
  }

  private func clamped(_ value: Int, _ side: Int) -> Int { min(max(value, -side), 2 * side) }

  private mutating func line(from a: (x: Int, y: Int), to b: (x: Int, y: Int), reach: Int, _ level: UInt8) {
    let stepCount = max(abs(b.x - a.x), abs(b.y - a.y), 1)
    for step in 0...stepCount {
      let x = a.x + (b.x - a.x) * step / stepCount
      let y = a.y + (b.y - a.y) * step / stepCount
      for dy in -reach...reach { for dx in -reach...reach { set(x + dx, y + dy, level) } }
    }
  }

  private mutating func set(_ x: Int, _ y: Int, _ level: UInt8) {
    if x >= 0, y >= 0, x < width, y < height { pixels[y * width + x] = level }
  }
}
