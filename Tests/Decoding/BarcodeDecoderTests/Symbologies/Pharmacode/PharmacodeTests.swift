import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Elements of a Pharmacode: bars of one and three modules, spaces of two.
private enum PharmacodeEncoder {
  static func symbol(_ number: Int) -> [Int] {
    var bars: [Int] = []
    var rest = number
    // An odd number ends with a narrow bar, which counts 1; a wide one counts 2.
    while rest > 0 {
      bars.insert(rest % 2 == 1 ? 1 : 3, at: 0)
      rest = (rest - (rest % 2 == 1 ? 1 : 2)) / 2
    }
    return Array(bars.flatMap { [$0, 2] }.dropLast())
  }
}

@Suite struct PharmacodeTests {
  private var settings: DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.pharmacode)
    return settings
  }

  @Test func `bars are digits with base 2, the lowest at the right`() {
    #expect(PharmacodeEncoder.symbol(3) == [1, 2, 1])
    #expect(PharmacodeEncoder.symbol(4) == [1, 2, 3])
    #expect(PharmacodeEncoder.symbol(131_070) == Array(repeating: [3, 2], count: 16).flatMap(\.self).dropLast())
  }

  @Test(arguments: [117, 480, 1234, 9999, 40_213, 65_536, 131_069])
  func `a Pharmacode is read from left to right, and blurred or with ink spread`(number: Int) {
    let symbol = PharmacodeEncoder.symbol(number)
    for view in [
      View(), View(modulePixels: 2), View(degrees: 12), View(degrees: -12),
      View(blurModules: 0.5, inkModules: 0.2, noise: 3),
    ] {
      #expect(readings(symbol, view, settings) == ["pharmacode \(number)"])
    }
    #expect(modifiers(symbol, settings) == "0")
  }

  @Test func `a Pharmacode on its head is another number, and on its side runs down`() {
    let number = 1234
    let reversed = PharmacodeEncoder.symbol(number).reversed()
    let other = (64...131_070).first { PharmacodeEncoder.symbol($0) == Array(reversed) }
    #expect(
      readings(PharmacodeEncoder.symbol(number), View(degrees: 180), settings) == other.map { ["pharmacode \($0)"] })
    #expect(readings(PharmacodeEncoder.symbol(number), View(degrees: 90), settings) == ["pharmacode 1234"])
  }

  @Test func `bars of one kind are a Pharmacode only if their widths are exact`() {
    for number in [63, 65_535, 131_070] {
      let symbol = PharmacodeEncoder.symbol(number)
      #expect(readings(symbol, View(blurModules: 0.1), settings) == ["pharmacode \(number)"])
      #expect(readings(symbol, View(blurModules: 0.1, inkModules: 0.4), settings).isEmpty)
    }
  }

  @Test func `elements without the widths of a Pharmacode are refused`() {
    let symbol = PharmacodeEncoder.symbol(1234)
    for (index, width) in [(0, 2), (1, 3), (1, 1), (4, 5)] {
      var wrong = symbol
      wrong[index] = width
      #expect(readings(wrong, View(), settings).isEmpty, "\(index) \(width)")
    }
    #expect(readings([2, 4] + symbol, View(), settings).isEmpty)
    #expect(readings(symbol + [4, 2], View(), settings).isEmpty)
    #expect(readings(PharmacodeEncoder.symbol(62), View(), settings).isEmpty)
    #expect(readings(symbol).isEmpty)
  }
}
