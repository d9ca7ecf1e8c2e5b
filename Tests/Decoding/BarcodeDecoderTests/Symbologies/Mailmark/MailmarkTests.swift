import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Bars of Mailmark, by the steps of Royal Mail's instructions.
private enum MailmarkEncoder {
  private static let even = (0..<64).filter { $0.nonzeroBitCount % 2 == 0 && $0 != 0 && $0 != 63 }
  private static let odd = (0..<64).filter { $0.nonzeroBitCount % 2 == 1 }
  private static let groupsC = [3, 5, 7, 11, 13, 14, 16, 17, 19, 0, 1, 2, 4, 6, 8, 9, 10, 12, 15, 18, 20, 21]
  private static let groupsL = [
    2, 5, 7, 8, 13, 14, 15, 16, 21, 22, 23, 0, 1, 3, 4, 6, 9, 10, 11, 12, 17, 18, 19, 20, 24, 25,
  ]
  private static let formats = ["ANANLLNLS", "AANNLLNLS", "AANNNLLNL", "AANANLLNL", "ANNLLNLSS", "ANNNLLNLS"]
  private static let sets: [Character: [Character]] = [
    "A": Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), "L": Array("ABDEFGHJLNPQRSTUWXYZ"), "N": Array("0123456789"), "S": [" "],
  ]

  private static func number(postcode: String) -> UInt128 {
    var first: UInt128 = 1
    for format in formats {
      let places = zip(format, postcode).map { (sets[$0]!, sets[$0]!.firstIndex(of: $1)) }
      if places.allSatisfy({ $0.1 != nil }) {
        return places.reduce(0) { $0 * UInt128($1.0.count) + UInt128($1.1!) } + first
      }
      first += places.reduce(1) { $0 * UInt128($1.0.count) }
    }
    return 0
  }

  /// - Parameters:
  ///   - text: 22 characters for C, 26 for L.
  ///   - error: changes a check symbol.
  static func symbol(_ text: String, error: Int = 0) -> String {
    let characters = Array(text)
    let isLong = text.count == 26
    let supplyCount = isLong ? 6 : 2
    func value(_ range: Range<Int>) -> UInt128 { UInt128(String(characters[range]), radix: range.count == 1 ? 16 : 10)! }
    var number = number(postcode: String(characters.suffix(9)))
    number = number * 100_000_000 + value((3 + supplyCount)..<(11 + supplyCount))
    number = number * (isLong ? 1_000_000 : 100) + value(3..<(3 + supplyCount))
    number = number * 15 + value(2..<3)
    number = number * 5 + value(0..<1)
    number = number * 4 + value(1..<2) - 1
    let (evenCount, oddCount, checkCount) = isLong ? (11, 8, 7) : (9, 7, 6)
    var symbols: [Int] = []
    for index in (0..<(evenCount + oddCount)).reversed() {
      let base: UInt128 = index < evenCount ? 30 : 32
      symbols.insert(Int(number % base), at: 0)
      number /= base
    }
    var check = CheckEncoder.check(symbols, count: checkCount, polynomial: 0b10_0101)
    check[0] ^= error
    var groups = [Int](repeating: 0, count: evenCount + oddCount + checkCount)
    for (index, value) in (symbols + check).enumerated() {
      groups[(isLong ? groupsL : groupsC)[index]] = index < evenCount ? even[value] : odd[value]
    }
    return groups.enumerated().map { index, bits in
      (0..<3).map { place in
        let (high, low) = (bits >> (5 - place) & 1 == 1, bits >> (2 - place) & 1 == 1)
        let (isTall, isDeep) = index % 2 == 0 ? (high, low) : (low, high)
        return isTall ? (isDeep ? "F" : "A") : (isDeep ? "D" : "T")
      }.joined()
    }.joined()
  }
}

@Suite struct MailmarkTests {
  private var settings: DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.mailmark)
    return settings
  }

  /// Format, version, class, supply chain and item of barcodes C and L.
  static let fields = ["1100000000000", "21B2254800659", "03E9912345678", "41038422416563762", "14A99999999999999"]
  /// A postcode of each format, and that of mail to other countries.
  static let postcodes = [
    "W1A1AA9B ", "EF61AH8T ", "EC123AB4D", "JW5O9QA6Y", "E11AB2D  ", "M123AB4D ", "XY11     ", "A0A0AA0A ", "Z999YY9Y ",
  ]

  @Test(arguments: fields, postcodes)
  func `Mailmark is read from both sides`(fields: String, postcode: String) {
    let text = fields + postcode
    let symbol = MailmarkEncoder.symbol(text)
    #expect(symbol.count == 3 * text.count)
    for degrees in [0.0, 180, 4] {
      #expect(readings(posts: symbol, degrees: degrees, settings) == ["mailmark \(text)"], "\(degrees)°")
    }
  }

  @Test func `Mailmark with a wrong check symbol is refused`() {
    for error in [1, 2, 16] {
      #expect(readings(posts: MailmarkEncoder.symbol("1100000000000XY11     ", error: error), settings).isEmpty)
    }
  }
}
