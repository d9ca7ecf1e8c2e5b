import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Bars of equal distance and unequal height.
@Suite struct PostMeterTests {
  /// A KIX, which has no check character: only the measured heights determine its text.
  private let bars = "TTFFTDAFTDFADTAFDTFADADATTFFFFTTDAFT"

  private var settings: DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.kix)
    return settings
  }

  private var text: [String] { readings(posts: bars, settings) }

  @Test(arguments: [2.0, 2.5, 3, 4, 6, 10])
  func `bars of any size are measured`(modulePixels: Double) {
    #expect(text.count == 1)
    #expect(readings(posts: bars, modulePixels: modulePixels, settings) == text)
  }

  @Test(arguments: [-30.0, -10, -3, 1, 3, 10, 45, 90])
  func `tilted bars are measured`(degrees: Double) {
    #expect(readings(posts: bars, degrees: degrees, modulePixels: 4, settings) == text)
  }

  @Test func `the corners are those of the longest bars`() throws {
    let picture = Picture(posts: bars, modulePixels: 4)
    let symbol = try #require(picture.decode(settings).first).symbol
    let (x, y) = (Double(picture.width) / 2, Double(picture.height) / 2)
    let (halfWidth, halfHeight) = (Double(2 * bars.count - 1) * 2, 16.0)
    for (corner, dx, dy) in [
      (symbol.corners.topLeft, -1.0, -1.0), (symbol.corners.topRight, 1, -1), (symbol.corners.bottomRight, 1, 1),
      (symbol.corners.bottomLeft, -1, 1),
    ] {
      #expect(abs(Double(corner.x.bits) / 65536 + 0.5 - (x + dx * halfWidth)) < 2)
      #expect(abs(Double(corner.y.bits) / 65536 + 0.5 - (y + dy * halfHeight)) < 2)
    }
  }

  @Test func `a bar of a wrong height, or in a wrong place, is no symbol's`() {
    for index in [3, 12, 20] {
      var wrong = Picture(posts: bars, modulePixels: 4)
      let left = wrong.width / 2 - (2 * bars.count - 1) * 2 + 8 * index
      // Half of an ascender.
      for y in (wrong.height / 2 - 20)..<(wrong.height / 2 - 10) {
        for x in left..<(left + 4) { wrong.pixels[y * wrong.width + x] = 230 }
      }
      for y in (wrong.height / 2 - 10)..<(wrong.height / 2 + 4) {
        for x in left..<(left + 4) { wrong.pixels[y * wrong.width + x] = 30 }
      }
      #expect(wrong.decode(settings).isEmpty)
    }
  }

  @Test func `postal codes are read only if they are asked for`() {
    #expect(Picture(posts: bars).decode().isEmpty)
  }
}
