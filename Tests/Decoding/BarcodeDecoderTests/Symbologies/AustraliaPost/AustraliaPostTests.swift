import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Bars of Australia Post's customer barcode, from the published tables: 0 to 3 are full, ascender, descender and tracker.
private enum AustraliaPostEncoder {
  private static let digits = ["00", "01", "02", "10", "11", "12", "20", "21", "22", "30"]
  private static let characters: [(Character, String)] = Array(
    zip(
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz #",
      [
        "222", "300", "301", "302", "310", "311", "312", "320", "321", "322", "000", "001", "002", "010", "011", "012",
        "020", "021", "022", "100", "101", "102", "110", "111", "112", "120", "121", "122", "200", "201", "202", "210",
        "211", "212", "220", "221", "023", "030", "031", "032", "033", "103", "113", "123", "130", "131", "132", "133",
        "203", "213", "223", "230", "231", "232", "233", "303", "313", "323", "330", "331", "332", "333", "003", "013",
      ]))

  /// - Parameters:
  ///   - text: format control code, sorting code and information.
  ///   - areDigits: whether the information is written in digits.
  static func symbol(_ text: String, areDigits: Bool = false, error: Int = 0) -> String {
    var bars = text.prefix(10).map { digits[$0.wholeNumberValue!] }.joined()
    for character in text.dropFirst(10) {
      bars += areDigits ? digits[character.wholeNumberValue!] : characters.first { $0.0 == character }!.1
    }
    while bars.count % 3 != 0 || ![21, 36, 51].contains(bars.count) { bars += "3" }
    let symbols = stride(from: 0, to: bars.count, by: 3).map { Int(bars.dropFirst($0).prefix(3), radix: 4)! }
    var check = CheckEncoder.check(symbols, count: 4, polynomial: 0b100_0011)
    check[3] ^= error
    let tail = check.map { value in [4, 2, 0].map { "\(value >> $0 & 3)" }.joined() }.joined()
    return String(("13" + bars + tail + "13").map { ["0": "F", "1": "A", "2": "D", "3": "T"][$0]! })
  }
}

@Suite struct AustraliaPostTests {
  private var settings: DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.auspost)
    return settings
  }

  @Test(arguments: [
    ("1139549554", false), ("4556439111", false), ("5956439111ABA 9", false), ("595643911112345678", true),
    ("6232211324Abc#wxyz01", false), ("6232211324123456789012345", true),
  ])
  func `an Australian postal code is read from both sides`(text: String, areDigits: Bool) {
    let symbol = AustraliaPostEncoder.symbol(text, areDigits: areDigits)
    for degrees in [0.0, 180, 5] { #expect(readings(posts: symbol, degrees: degrees, settings) == ["auspost \(text)"]) }
  }

  @Test func `an Australian postal code with a wrong check symbol is refused`() {
    for error in [1, 2, 32, 63] {
      #expect(readings(posts: AustraliaPostEncoder.symbol("1139549554", error: error), settings).isEmpty)
    }
  }
}
