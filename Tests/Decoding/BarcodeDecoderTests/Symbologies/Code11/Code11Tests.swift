import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Elements of Code 11, from the published table of widths.
private enum Code11Encoder {
  private static let characters: [Character: String] = [
    "0": "11112", "1": "21112", "2": "12112", "3": "22111", "4": "11212", "5": "21211", "6": "12211", "7": "11122",
    "8": "21121", "9": "21111", "-": "11211", "*": "11221",
  ]
  private static let order = Array("0123456789-")

  /// - Parameter ratio: the width of a wide element.
  static func symbol(_ text: String, ratio: Int = 2) -> [Int] {
    let widths = "*\(text)*".map { characters[$0]! }.joined(separator: "1")
    return widths.map { $0 == "2" ? ratio : 1 }
  }

  static func check(_ text: String, weightMax: Int) -> String {
    let sum = text.reversed().enumerated().reduce(0) {
      $0 + order.firstIndex(of: $1.element)! * ($1.offset % weightMax + 1)
    }
    return String(order[sum % 11])
  }

  /// A text with one check character or two.
  static func checked(_ text: String, two: Bool) -> String {
    let first = text + check(text, weightMax: 10)
    return two ? first + check(first, weightMax: 9) : first
  }
}

@Suite struct Code11Tests {
  private func settings(_ check: Code11Check = .either, keeps: Bool = true) -> DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.code11)
    settings.code11Check = check
    settings.code11KeepsCheckDigits = keeps
    return settings
  }

  /// 1 2 3 - 4 5, weighted from the right 1 to 6: 5 + 8 + 30 + 12 + 10 + 6 = 71, which is 5 modulo 11.
  @Test func `the check characters of Code 11 are those of the published example`() {
    #expect(Code11Encoder.checked("123-45", two: false) == "123-455")
    #expect(Code11Encoder.checked("123-45", two: true) == "123-4552")
  }

  @Test(arguments: [2, 3])
  func `a Code 11 symbol is read in both directions and at both ratios`(ratio: Int) {
    for text in ["012345", "6789-0", "1234567890123", "150-41"].map({ Code11Encoder.checked($0, two: true) }) {
      for degrees in [0.0, 180, 33] {
        let symbol = Code11Encoder.symbol(text, ratio: ratio)
        #expect(readings(symbol, View(degrees: degrees), settings()) == ["code11 \(text)"])
      }
    }
  }

  @Test func `one check character or two are verified, and left out on request`() {
    for two in [false, true] {
      let text = Code11Encoder.checked("40212-78-913", two: two)
      let symbol = Code11Encoder.symbol(text)
      #expect(readings(symbol, View(), settings()) == ["code11 \(text)"])
      #expect(modifiers(symbol, settings()) == (two ? "1" : "0"))
      #expect(readings(symbol, View(), settings(two ? .two : .one)) == ["code11 \(text)"])
      #expect(readings(symbol, View(), settings(two ? .one : .two)).isEmpty)
      #expect(readings(symbol, View(), settings(.either, keeps: false)) == ["code11 40212-78-913"])
      #expect(modifiers(symbol, settings(.either, keeps: false)) == "3")
      #expect(readings(symbol, View(), settings(.none)) == ["code11 \(text)"])
    }
    #expect(readings(Code11Encoder.symbol("40212-78-913"), View(), settings()).isEmpty)
  }

  @Test func `a Code 11 symbol without its quiet zones, or unless it is asked for, is not read`() {
    let symbol = Code11Encoder.symbol(Code11Encoder.checked("123-45", two: true))
    #expect(readings([1, 4] + symbol, View(), settings()).isEmpty)
    #expect(readings(symbol + [4, 1], View(), settings()).isEmpty)
    #expect(readings([1, 12] + symbol + [12, 1], View(), settings()) == ["code11 123-4552"])
    #expect(readings(symbol).isEmpty)
  }
}
