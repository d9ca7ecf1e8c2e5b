import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Elements of Plessey Code, from bits: a wide bar and a narrow space for 1, a narrow bar and a wide space for 0.
private enum PlesseyEncoder {
  private static func bits(_ text: String) -> [Int] {
    text.flatMap { character in (0..<4).map { character.hexDigitValue! >> $0 & 1 } }
  }

  /// The rest of a division by x⁸ + x⁷ + x⁶ + x⁵ + x³ + 1, the first bit being the highest power.
  private static func check(_ bits: [Int]) -> [Int] {
    var rest = bits + [Int](repeating: 0, count: 8)
    for place in bits.indices where rest[place] == 1 {
      for (index, bit) in [1, 1, 1, 1, 0, 1, 0, 0, 1].enumerated() { rest[place + index] ^= bit }
    }
    return Array(rest.suffix(8))
  }

  /// - Parameter error: the bit of the check to change.
  static func symbol(_ text: String, ratio: Int = 3, error: Int? = nil) -> [Int] {
    let data = bits(text)
    var check = check(data)
    if let error { check[error] ^= 1 }
    let pairs = ([1, 1, 0, 1] + data + check).flatMap { $0 == 1 ? [ratio, 1] : [1, ratio] }
    // The wide bar, and the start from the other side: 1, 1, 0, 0.
    return pairs + [ratio] + [1, 1, 0, 0].reversed().flatMap { $0 == 1 ? [1, ratio] : [ratio, 1] }
  }
}

@Suite struct PlesseyTests {
  private var settings: DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.plessey)
    return settings
  }

  @Test(arguments: [2, 3])
  func `a Plessey symbol is read in both directions and at both ratios`(ratio: Int) {
    for text in ["0123456789ABCDEF", "5A", "31415926", "FFFF0000"] {
      for degrees in [0.0, 180, 33] {
        let symbol = PlesseyEncoder.symbol(text, ratio: ratio)
        #expect(readings(symbol, View(degrees: degrees), settings) == ["plessey \(text)"])
      }
    }
    #expect(modifiers(PlesseyEncoder.symbol("31415926"), settings) == "0")
  }

  @Test func `a Plessey symbol with a wrong check is refused`() {
    for error in 0..<8 { #expect(readings(PlesseyEncoder.symbol("31415926", error: error), View(), settings).isEmpty) }
  }

  @Test func `a Plessey symbol without its quiet zones, or unless it is asked for, is not read`() {
    let symbol = PlesseyEncoder.symbol("31415926")
    #expect(readings([1, 4] + symbol, View(), settings).isEmpty)
    #expect(readings(symbol + [4, 1], View(), settings).isEmpty)
    #expect(readings([1, 12] + symbol + [12, 1], View(), settings) == ["plessey 31415926"])
    #expect(readings(symbol).isEmpty)
  }
}
