import BarcodeTypes
import Foundation
import Testing

@testable import BarcodeDecoder

@Suite struct LinearGeometryTests {
  @Test func sinesAgreeWithTheLibrary() {
    for bits in stride(from: 0, to: 65536, by: 7) {
      let angle = BinaryAngle(bits: UInt16(bits))
      let exact = sin(Double(bits) * 2 * .pi / 65536)
      #expect(abs(Double(angle.sine.bits) / 65536 - exact) < 1.3e-4)
      #expect(abs(Double(angle.cosine.bits) / 65536 - cos(Double(bits) * 2 * .pi / 65536)) < 1.3e-4)
    }
  }

  @Test func directionsAreWithinATenthOfADegree() {
    for step in 0..<3600 {
      let angle = Double(step) * .pi / 1800
      let measured = BinaryAngle(x: Int(cos(angle) * 1e6), y: Int(sin(angle) * 1e6))
      let exact = UInt16(truncatingIfNeeded: Int((angle * 65536 / (2 * .pi)).rounded()))
      #expect(abs(Int16(bitPattern: measured.bits &- exact)) < 19)
    }
    #expect(BinaryAngle(x: 0, y: 0).bits == 0)
  }

  @Test(arguments: Array(stride(from: 0, to: 180, by: 15)))
  func findsTheDirectionAndExtentOfStripes(degrees: Int) throws {
    var view = View()
    view.degrees = Double(degrees)
    view.quietModules = 30
    let picture = Picture(elements: LinearEncoder.ean13("4006381333931"), view: view)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 4 << 20, alignment: 64)
    defer { memory.deallocate() }
    var arena = Arena(base: memory, byteCount: 4 << 20)
    let tiles = try #require(TileMap(width: picture.width, height: picture.height, arena: &arena))
    let bytes = arena.take(UInt8.self, count: picture.pixels.count)
    let half = try #require(bytes)
    picture.pixels.withUnsafeBufferPointer {
      let luma = LumaView(base: $0.baseAddress!, width: picture.width, height: picture.height, bytesPerRow: picture.width)
      measureTiles(luma, into: tiles, half: half)
    }
    let activity = try #require(StripeActivity(tiles, arena: &arena))
    let regions = try #require(StripeRegionFinder(activity, arena: &arena))
    try #require(regions.count > 0)
    let found = Int16(bitPattern: (regions[0].direction.bits &- UInt16(degrees * 65536 / 360)) << 1)
    // Doubled, so half a turn is nothing: within 2 degrees.
    #expect(abs(found) < 728)
    // A region reaches up to two tiles too far on either side.
    #expect((-8.0...48).contains(Double(regions[0].length) / 65536 - 95 * 3))
  }
}
