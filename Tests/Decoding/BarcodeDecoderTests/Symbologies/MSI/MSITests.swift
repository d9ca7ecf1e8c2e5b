import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct MSITests {
  private func settings(_ check: MSICheck = .mod10, _ symbologies: SymbologySet = SymbologySet().with(.msi))
    -> DecoderSettings
  {
    var settings = DecoderSettings()
    settings.symbologies = symbologies
    settings.msiCheck = check
    return settings
  }

  /// 8 0 5 2 3: with 3, 5 and 8 doubled and replaced by their digit sums 6, 1 and 7, and 2 and 0, the sum is 16; 4 makes it
  /// 20.
  @Test(arguments: [2, 3])
  func `an MSI symbol is read in both directions and at both ratios`(ratio: Int) {
    for degrees in [0.0, 180, 33] {
      #expect(readings(LinearEncoder.msi("805234", ratio: ratio), View(degrees: degrees), settings()) == ["msi 805234"])
    }
    #expect(readings(LinearEncoder.msi("12345678903", ratio: ratio), View(), settings()) == ["msi 12345678903"])
  }

  @Test func `every digit of MSI is read at every place`() {
    for first in 0..<10 {
      let text = (0..<10).map { "\(($0 + first) % 10)" }.joined()
      #expect(readings(LinearEncoder.msi(text), View(), settings(.none)) == ["msi \(text)"])
    }
  }

  @Test func `MSI is read only if it is enabled`() {
    #expect(readings(LinearEncoder.msi("805234")).isEmpty)
    #expect(readings(LinearEncoder.msi("805234"), View(), settings(.mod10, .all)) == ["msi 805234"])
  }

  @Test func `an MSI symbol with a wrong check digit is refused`() {
    for last in [0, 1, 2, 3, 5, 6, 7, 8, 9] {
      #expect(readings(LinearEncoder.msi("80523\(last)"), View(), settings()).isEmpty)
    }
    #expect(readings(LinearEncoder.msi("805235"), View(), settings(.none)) == ["msi 805235"])
  }

  /// 943457842, weighted from the right with 2 to 7, has the sum 195; 3 makes it 198, which is 18 times 11.
  @Test(arguments: [
    (MSICheck.mod10, "805234"), (.mod10Mod10, "8052342"), (.mod11, "9434578423"), (.mod11Mod10, "94345784238"),
  ])
  func `every check digit of MSI is verified, and left out on request`(check: MSICheck, text: String) {
    var settings = settings(check)
    #expect(readings(LinearEncoder.msi(text), View(), settings) == ["msi \(text)"])
    #expect(modifiers(LinearEncoder.msi(text), settings) == "0")
    for place in text.indices.suffix(check.digitCount) {
      var wrong = text
      wrong.replaceSubrange(place...place, with: text[place] == "9" ? "0" : "9")
      #expect(readings(LinearEncoder.msi(wrong), View(), settings).isEmpty)
    }
    settings.msiKeepsCheckDigits = false
    #expect(readings(LinearEncoder.msi(text), View(), settings) == ["msi \(text.dropLast(check.digitCount))"])
    #expect(modifiers(LinearEncoder.msi(text), settings) == "1")
  }

  @Test func `an MSI symbol too short is refused unless the settings allow it`() {
    var settings = settings()
    #expect(readings(LinearEncoder.msi("1230"), View(), settings).isEmpty)
    settings.lengths[.msi] = LengthRange(min: 3, max: 4)
    #expect(readings(LinearEncoder.msi("1230"), View(), settings) == ["msi 1230"])
    #expect(readings(LinearEncoder.msi("805234"), View(), settings).isEmpty)
  }

  @Test func `an MSI symbol without its quiet zones is refused`() {
    let symbol = LinearEncoder.msi("805234")
    #expect(readings([1, 4] + symbol, View(), settings()).isEmpty)
    #expect(readings(symbol + [4, 1], View(), settings()).isEmpty)
    #expect(readings([1, 12] + symbol + [12, 1], View(), settings()) == ["msi 805234"])
  }
}
