import BarcodeTypes
import Foundation
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct LinearGeometryTests {
  @Test func `sines and cosines match floating point`() {
    for bits in stride(from: 0, to: 65536, by: 7) {
      let angle = BinaryAngle(bits: UInt16(bits))
      let exact = sin(Double(bits) * 2 * .pi / 65536)
      #expect(abs(Double(angle.sine.bits) / 65536 - exact) < 1.3e-4)
      #expect(abs(Double(angle.cosine.bits) / 65536 - cos(Double(bits) * 2 * .pi / 65536)) < 1.3e-4)
    }
  }

  @Test func `directions are accurate to a tenth of a degree`() {
    for step in 0..<3600 {
      let angle = Double(step) * .pi / 1800
      let measured = BinaryAngle(x: Int(cos(angle) * 1e6), y: Int(sin(angle) * 1e6))
      let exact = UInt16(truncatingIfNeeded: Int((angle * 65536 / (2 * .pi)).rounded()))
      #expect(abs(Int16(bitPattern: measured.bits &- exact)) < 19)
    }
    #expect(BinaryAngle(x: 0, y: 0).bits == 0)
  }

  @Test(arguments: Array(stride(from: 0, to: 180, by: 15)))
  func `the direction and extent of a striped region are found`(degrees: Int) throws {
    var view = View()
    view.degrees = Double(degrees)
    view.quietModules = 30
    let picture = Picture(elements: LinearEncoder.ean13("4006381333931"), view: view)
    let region = try #require(try strongestRegion(of: picture))
    let found = Int16(bitPattern: (region.direction.bits &- UInt16(degrees * 65536 / 360)) << 1)
    // Doubled, so that half a turn counts as 0: within 2 degrees.
    #expect(abs(found) < 728)
    // A region extends up to two tiles too far on either side.
    #expect((-8.0...48).contains(Double(region.length) / 65536 - 95 * 3))
  }

  @Test func `an edge that continues a bar is not part of the region`() throws {
    var view = View()
    view.quietModules = 30
    let symbol = Picture(elements: LinearEncoder.ean13("4006381333931"), view: view)
    var picture = Picture(width: symbol.width, height: symbol.height + 300, grey: 220)
    picture.pixels.replaceSubrange(0..<symbol.pixels.count, with: symbol.pixels)
    // Below the symbol the ground is dark up to the beginning of its first bar.
    for y in (symbol.height - 24)..<picture.height {
      for x in 0..<(24 + 30 * 3) { picture.pixels[y * picture.width + x] = 30 }
    }
    let region = try #require(try strongestRegion(of: picture))
    #expect((-8.0...48).contains(Double(region.vMax - region.vMin) / 65536 - 80))
    #expect(abs(Double(region.centerY) / 65536 - Double(symbol.height) / 2) < 16)
  }

  @Test(arguments: [20, 30, 45])
  func `a frame reads a symbol on striped ground`(degrees: Int) {
    var settings = DecoderSettings()
    settings.effort = .frame
    let angle = Double(degrees) * .pi / 180
    for shift in 0..<6 {
      let (left, top) = (200 + shift, 200 + 3 * shift)
      var picture = Picture(
        width: 640, height: 480, elements: LinearEncoder.ean13("4006381333931"), modulePixels: 2, barPixels: 28, x: left,
        y: top, isLevel: false, light: 215, dark: 30)
      let label = (x: (left - 20)..<(left + 210), y: (top - 8)..<(top + 36))
      for y in 0..<480 {
        for x in 0..<640 where !label.x.contains(x) || !label.y.contains(y) {
          let phase = (Double(x) * cos(angle) + Double(y) * sin(angle)) * 2 * .pi / 30
          picture.pixels[y * 640 + x] = sin(phase) > 0 ? 188 : 68
        }
      }
      #expect(picture.decode(settings).map(\.text) == ["4006381333931"])
    }
  }

  /// The strongest striped region of a picture, if any.
  private func strongestRegion(of picture: Picture) throws -> StripeRegion? {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 8 << 20, alignment: 64)
    defer { memory.deallocate() }
    var arena = Arena(base: memory, byteCount: 8 << 20)
    let tiles = try TileMap(width: picture.width, height: picture.height, arena: &arena)
    let half = try arena.take(UInt8.self, count: picture.pixels.count)
    picture.pixels.withUnsafeBufferPointer {
      let luma = LumaView(base: $0.baseAddress!, width: picture.width, height: picture.height, bytesPerRow: picture.width)
      measureTiles(luma, into: tiles, half: half)
    }
    let activity = try StripeActivity(tiles, arena: &arena)
    let regions = try StripeRegionFinder(activity, arena: &arena)
    return regions.count > 0 ? regions[0] : nil
  }
}
