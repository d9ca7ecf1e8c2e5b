// Lines over regions at any place read only pixels of the picture.

import BarcodeTypes
import TestScenes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct ScanLineTests {
  /// Each line is read in a picture with black surroundings and again with white surroundings: the samples must be equal.
  /// Most tangents are small, as for labels held straight, where rounding matters.
  @Test func `lines read no pixel outside the picture`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    let margin = 24
    let profile = UnsafeMutablePointer<Int32>.allocate(capacity: 2 * ScanLine.sampleCountMax)
    defer { profile.deallocate() }
    for turn in 0..<4000 {
      let (width, height) = (Int.random(in: 1...70, using: &generator), Int.random(in: 1...70, using: &generator))
      let bytesPerRow = width + 2 * margin
      let pixels = (0..<width * height).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let line = Self.line(in: (width, height), &generator)
      var profiles: [[Int32]] = []
      for ground: UInt8 in [0, 255] {
        var larger = [UInt8](repeating: ground, count: bytesPerRow * (height + 2 * margin))
        for y in 0..<height {
          larger.replaceSubrange(
            ((y + margin) * bytesPerRow + margin)..<((y + margin) * bytesPerRow + margin + width),
            with: pixels[(y * width)..<((y + 1) * width)])
        }
        larger.withUnsafeBufferPointer { buffer in
          let view = LumaView(
            base: buffer.baseAddress! + margin * bytesPerRow + margin, width: width, height: height, bytesPerRow: bytesPerRow
          )
          let scan = line(view)
          scan.read(view, into: profile)
          profiles.append((0..<scan.count).map { profile[$0] })
        }
      }
      #expect(profiles[0] == profiles[1], "turn \(turn) of seed \(seed)")
    }
  }

  /// A line over a region near a picture of this size.
  private static func line(in size: (width: Int, height: Int), _ generator: inout SeededGenerator) -> (LumaView) -> ScanLine
  {
    func around(_ length: Int) -> Int { Int.random(in: (-length << 16)...(2 * length << 16), using: &generator) }
    /// A number that is as often small as large, and often 0.
    func some(_ bitCount: Int) -> Int {
      let most = (1 << Int.random(in: 0...bitCount, using: &generator)) - 1
      return Bool.random(using: &generator) ? 0 : Int.random(in: -most...most, using: &generator)
    }
    let angle = Int.random(in: 0..<4, using: &generator) << 14 + some(13)
    var region = StripeRegion(
      centerX: Bool.random(using: &generator) ? size.width << 15 : around(size.width),
      centerY: Bool.random(using: &generator) ? size.height << 15 : around(size.height),
      direction: BinaryAngle(bits: UInt16(truncatingIfNeeded: angle) & 0x7FFF), tileCount: 1, energy: 0)
    region.lean = some(11)
    region.turn = some(20)
    let slope = some(15)
    let v = around(max(size.width, size.height)) / 8
    let reach = Int.random(in: 1...200, using: &generator) << 16
    let rowCount = [1, 2, 3, 4, 6, 8, 16].randomElement(using: &generator)!
    let skips = Bool.random(using: &generator)
    return { view in
      var line = ScanLine(region, v: v, slope: slope, u: (-reach, reach), rowCount: rowCount, in: view)
      if skips { line.skipEverySecond() }
      return line
    }
  }

  /// Code 39 and Code 128 at every scale that fits; some bars end at the picture's border. An inaccessible page lies before
  /// or after the picture.
  @Test(arguments: GuardedPixels.Side.allCases) func `sharp, straight symbols cause no read outside the picture`(
    side: GuardedPixels.Side
  ) {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("straight symbols of seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for (width, height) in [(640, 480), (480, 640), (1280, 720)] {
      for elements in [LinearEncoder.code39("RET-417"), LinearEncoder.code128(text: "RET-2026-000417")] {
        for isLevel in [false, true] {
          let (along, across) = isLevel ? (width, height) : (height, width)
          let length = elements.reduce(0, +)
          for modulePixels in 1...(across / length) {
            let barPixels = Int.random(in: 40...along, using: &generator)
            let first = Int.random(in: 0...(across - length * modulePixels), using: &generator)
            let end = [0, along - barPixels, (along - barPixels) / 3].randomElement(using: &generator)!
            let picture = Picture(
              width: width, height: height, elements: elements, modulePixels: modulePixels, barPixels: barPixels,
              x: isLevel ? end : first, y: isLevel ? first : end, isLevel: isLevel)
            for effort in [Effort.still, .frame] {
              var settings = DecoderSettings()
              settings.effort = effort
              _ = picture.decode(settings, guarded: side)
            }
          }
        }
      }
    }
  }
}
