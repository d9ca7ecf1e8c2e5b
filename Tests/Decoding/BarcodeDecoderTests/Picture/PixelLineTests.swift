// Pixel lines and interpolated values against plain arithmetic.

import BarcodeTypes
import TestScenes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct PixelLineTests {
  private static let side = 24

  private static func pixels(seed: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(seed))
    return (0..<(side * side)).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Every line in every direction, for dark on light and light on dark.
  @Test func `changes along a line match a plain walk`() {
    let side = PixelLineTests.side
    for seed in 0..<4 {
      let threshold = [1, 60, 128, 254][seed]
      PixelLineTests.pixels(seed: seed).withUnsafeBufferPointer { buffer in
        let view = LumaView(base: buffer.baseAddress!, width: side, height: side, bytesPerRow: side)
        for place in stride(from: seed, to: side * side, by: 7) {
          for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)] {
            for isInverted in [false, true] {
              let (x, y) = (place % side, place / side)
              let line = PixelLine(
                view, PixelWalk(x: x, y: y, dx: dx, dy: dy), Threshold(value: threshold, isInverted: isInverted))
              let values = (0..<side).map { (x + $0 * dx, y + $0 * dy) }
                .prefix { (0..<side).contains($0.0) && (0..<side).contains($0.1) }
                .map { (Int(buffer[$0.1 * side + $0.0]) - threshold) * (isInverted ? -1 : 1) }
              #expect(line.room == values.count - 1)
              for step in values.indices {
                for stepsMax in [1, 3, side] {
                  let expected = (step + 1..<values.count).prefix(stepsMax).first { (values[$0] < 0) != (values[step] < 0) }
                  #expect(line.change(after: step, within: stepsMax) == expected)
                }
              }
            }
          }
        }
      }
    }
  }

  @Test func `crossings are located between pixels`() {
    let bytes: [UInt8] = [40, 60, 160, 200]
    bytes.withUnsafeBufferPointer { buffer in
      let view = LumaView(base: buffer.baseAddress!, width: 4, height: 1, bytesPerRow: 4)
      let line = PixelLine(view, PixelWalk(x: 0, y: 0, dx: 1, dy: 0), Threshold(value: 85, isInverted: false))
      #expect(line.value(1) == -25 && line.value(2) == 75)
      #expect(line.change(after: 0, within: 3) == 2)
      // A quarter of the way from the second pixel to the third.
      #expect(line.crossing(before: 2) == 256 + 64)
    }
  }

  /// Inside the picture, on its edges and outside it.
  @Test func `interpolated values are weighted means of four pixels`() {
    let side = PixelLineTests.side
    PixelLineTests.pixels(seed: 9).withUnsafeBufferPointer { buffer in
      let view = LumaView(base: buffer.baseAddress!, width: side, height: side, bytesPerRow: side)
      func held(_ coordinate: Int) -> Int { max(0, min((side - 1) * 256, coordinate)) }
      func pixel(_ x: Int, _ y: Int) -> Int { Int(buffer[min(side - 1, y) * side + min(side - 1, x)]) }
      for y in stride(from: -600, through: side * 256 + 600, by: 53) {
        for x in stride(from: -600, through: side * 256 + 600, by: 47) {
          let (column, line) = (held(x) / 256, held(y) / 256)
          let (right, down) = (held(x) % 256, held(y) % 256)
          let top = pixel(column, line) * (256 - right) + pixel(column + 1, line) * right
          let bottom = pixel(column, line + 1) * (256 - right) + pixel(column + 1, line + 1) * right
          #expect(interpolated(view, x, y) == (top * (256 - down) + bottom * down + 0x8000) / 65536, "at \(x), \(y)")
        }
      }
    }
  }

  /// Pictures a pixel wide or high, at both ends of a guarded page: there is no neighbour to interpolate with.
  @Test(arguments: GuardedPixels.Side.allCases) func `narrow and low pictures are never read out of bounds`(
    side: GuardedPixels.Side
  ) {
    for (width, height) in [(1, 1), (1, 2), (2, 1), (1, 40), (40, 1)] {
      let pixels = (0..<width * height).map { UInt8(10 + 5 * $0) }
      let guarded = GuardedPixels(pixels, width: width, height: height, side: side)
      withExtendedLifetime(guarded) {
        for y in stride(from: -600, through: height * 256 + 600, by: 128) {
          for x in stride(from: -600, through: width * 256 + 600, by: 128) {
            let (heldX, heldY) = (max(0, min((width - 1) * 256, x)), max(0, min((height - 1) * 256, y)))
            // The grey level rises by five per pixel.
            let expected = 10 + (5 * (heldX + heldY) + 128) / 256
            #expect(interpolated(guarded.view, x, y) == expected, "\(width)×\(height) at \(x), \(y)")
          }
        }
        for (x, y) in [(-3, 0), (0, -3), (width + 2, 0), (0, height + 2)] {
          let line = PixelLine(guarded.view, PixelWalk(x: x, y: y, dx: 1, dy: 1), Threshold(value: 100, isInverted: false))
          let held = max(0, min(width - 1, x)) + max(0, min(height - 1, y)) * width
          #expect(line.value(0) == Int(pixels[held]) - 100)
          _ = line.change(after: 0, within: 50)
        }
      }
    }
  }
}
