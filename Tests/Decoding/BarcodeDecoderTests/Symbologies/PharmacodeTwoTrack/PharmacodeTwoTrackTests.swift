import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Bars of Pharmacode with two tracks: lower, upper and both halves are 1, 2 and 3, with base 3.
private enum TwoTrackEncoder {
  static func symbol(_ number: Int) -> String {
    var bars = ""
    var rest = number
    while rest > 0 {
      let digit = (rest - 1) % 3 + 1
      bars = ["W", "U", "B"][digit - 1] + bars
      rest = (rest - digit) / 3
    }
    return bars
  }
}

@Suite struct PharmacodeTwoTrackTests {
  private var settings: DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.pharmacodeTwoTrack)
    return settings
  }

  @Test func `bars are digits with base 3`() {
    #expect(TwoTrackEncoder.symbol(4) == "WW")
    #expect(TwoTrackEncoder.symbol(117) == "BBUB")
    #expect(TwoTrackEncoder.symbol(64_570_080) == String(repeating: "B", count: 16))
  }

  @Test(arguments: [366, 1234, 12_345, 999_999, 29_876_543, 64_570_079, 43_046_719])
  func `a Pharmacode with two tracks is read from left to right`(number: Int) {
    let symbol = TwoTrackEncoder.symbol(number)
    for (degrees, pixels) in [(0.0, 3.0), (0, 2), (90, 4), (3, 5)] {
      #expect(
        readings(posts: symbol, degrees: degrees, modulePixels: pixels, settings) == ["pharmacode-two-track \(number)"])
    }
    #expect(readings(posts: symbol, degrees: 180, settings) != ["pharmacode-two-track \(number)"])
  }

  @Test func `bars with other heights or neighbours are refused`() {
    for symbol in ["UWBLUWB", "FADTFADT"] { #expect(readings(posts: symbol, settings).isEmpty) }
    var picture = Picture(posts: TwoTrackEncoder.symbol(12_345), modulePixels: 4)
    // A line above the bars.
    for y in (picture.height / 2 - 30)..<(picture.height / 2 - 26) {
      for x in 0..<picture.width { picture.pixels[y * picture.width + x] = 30 }
    }
    #expect(picture.decode(settings).isEmpty)
  }
}
