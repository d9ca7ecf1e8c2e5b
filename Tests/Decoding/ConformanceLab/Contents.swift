// Random contents: every kind of character, and every transition between kinds.

enum Contents {
  static let upper = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
  static let lower = Array("abcdefghijklmnopqrstuvwxyz".utf8)
  static let digits = Array("0123456789".utf8)
  static let signs = Array(" !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~".utf8)
  static let controls = Array(UInt8(0)..<32) + [127]
  static let high = Array(UInt8(128)...255)
  /// Sequences for which some encodation has a short form.
  static let pairs: [[UInt8]] = ["\r\n", ". ", ", ", ": ", "*>", "\r*>", "00", "\u{1E}", "\u{1D}"].map { Array($0.utf8) }

  static let ascii = [upper, lower, digits, signs, controls]
  static let latin = Array(UInt8(0xA0)...255)
  static let all = ascii + [high]

  /// Runs of characters from one set at a time, up to `longest` bytes in all.
  static func mixed(_ sets: [[UInt8]], longest: Int, _ random: inout SeededRandom) -> [UInt8] {
    let count = random.number(1...(random.isOnce(in: 4) ? longest : min(longest, 40)))
    var bytes: [UInt8] = []
    while bytes.count < count {
      if sets.count > 4, random.isOnce(in: 12) {
        bytes += random.element(pairs)
        continue
      }
      let set = random.element(sets)
      let run = random.number(1...random.element([1, 1, 2, 3, 8, 24]))
      for _ in 0..<run { bytes.append(random.element(set)) }
    }
    return Array(bytes.prefix(count))
  }

  /// A message in the envelope of ISO/IEC 15434, for which some symbologies have a codeword.
  static func envelope(longest: Int, _ random: inout SeededRandom) -> [UInt8] {
    Array("[)>\u{1E}0\(random.element([5, 6]))\u{1D}".utf8)
      + mixed([upper, digits, Array("\u{1D}-.".utf8)], longest: longest, &random) + Array("\u{1E}\u{4}".utf8)
  }

  /// Letters of scripts, by the ECI of a set that contains them.
  static let scripts: [(eci: Int32, letters: [Character])] = [
    (3, Array("ÄÖÜßéèñçåø¿§AB12 ab")), (4, Array("ąćęłńóśźżÁČĎAB12 ")), (5, Array("ĦĤĞħıĵAB1")),
    (7, Array("ЖЯфыюДжийAB12 ")),
    (9, Array("ΑΒΓΔαβγδωAB12 ")), (10, Array("אבגדהAB12 ")), (11, Array("şğıİÇAB12 ")), (17, Array("€ŠšŽžŒAB12 ")),
    // Kanji on either side of the gap in their codes: 0x9F.. and 0xE0..
    (20, Array("検査済記号漢字泛滌漾濮堯瑤ｱｲｳAB12 ")), (21, Array("€ŠŚŤŽAB12 ")), (22, Array("ЖЯфыюЀЁAB12 ")),
    (23, Array("€‚ƒ„…†‡AB12 ")),
    (25, Array("検査ЖαAB12 ")), (26, Array("検査Жαé€😀אﷺAB12 ")), (28, Array("中文字符AB12 ")), (29, Array("中文字符简体AB12 ")),
    (30, Array("한국어글자AB12 ")),
  ]

  static func text(_ letters: [Character], longest: Int, _ random: inout SeededRandom) -> String {
    String((0..<random.number(1...longest)).map { _ in random.element(letters) })
  }

  /// Element strings in libzint's notation and as transmitted.
  static func gs1(_ random: inout SeededRandom) -> (input: [UInt8], expected: [UInt8]) {
    let thirteen = "9" + random.digits(12)
    var input = "[01]\(thirteen)\(checkDigit(thirteen))"
    var expected = "01\(thirteen)\(checkDigit(thirteen))"
    var needsSeparator = false
    // Only capitals, for which QR Code doubles percent signs.
    let sets =
      random.isOnce(in: 3)
      ? [upper, digits, Array("%%*+-./:".utf8)] : [upper, lower, digits, Array("-./+,_%&'()*:;<=>?!\"".utf8)]
    for identifier in ["10", "11", "17", "21", "37", "400", "3103", "3922", "8005", "91"].shuffled(using: &random)
      .prefix(random.number(0...4))
    {
      let value = self.value(identifier, sets, &random)
      input += "[\(identifier)]\(value)"
      expected += (needsSeparator ? "\u{1D}" : "") + identifier + value
      needsSeparator = !["11", "17", "3103"].contains(identifier)
    }
    return (Array(input.utf8), Array(expected.utf8))
  }

  /// A trade item and its measure, for which GS1 DataBar Expanded has shorter forms: weights in kilograms or pounds, with or
  /// without a date, and prices, with or without a currency.
  static func measuredItem(_ random: inout SeededRandom) -> (input: [UInt8], expected: [UInt8]) {
    let thirteen = "9" + random.digits(12)
    var elements = [("01", "\(thirteen)\(checkDigit(thirteen))")]
    let places = random.number(0...5)
    switch random.number(0...5) {
    case 0: elements.append(("3103", sixDigits(random.number(0...32_767))))
    case 1: elements.append(("3202", sixDigits(random.number(0...9999))))
    case 2: elements.append(("3203", sixDigits(random.number(0...22_767))))
    case 3, 4:
      elements.append(("3\(random.element([1, 2]))0\(places)", sixDigits(random.number(0...99_999))))
      let date = random.element(["11", "13", "15", "17"])
      if random.isOnce(in: 2) { elements.append((date, value("11", [], &random))) }
    default:
      let price = random.digits(random.number(1...15))
      elements.append(
        random.isOnce(in: 2)
          ? ("392\(places & 3)", price) : ("393\(places & 3)", random.element(["978", "840", "036"]) + price))
    }
    return (
      Array(elements.map { "[\($0.0)]\($0.1)" }.joined().utf8), Array(elements.map { $0.0 + $0.1 }.joined().utf8)
    )
  }

  private static func sixDigits(_ value: Int) -> String { String("00000\(value)".suffix(6)) }

  static func date(_ random: inout SeededRandom) -> String { value("11", [], &random) }

  private static func value(_ identifier: String, _ sets: [[UInt8]], _ random: inout SeededRandom) -> String {
    switch identifier {
    case "11", "17": "2\(random.number(0...9))0\(random.number(1...9))1\(random.number(0...9))"
    case "3103", "8005": random.digits(6)
    case "3922": random.digits(random.number(3...15))
    case "37": random.digits(random.number(1...8))
    default: String(decoding: mixed(sets, longest: 20, &random), as: UTF8.self)
    }
  }

  /// The check digit of a number (GS1 General Specifications §7.9).
  static func checkDigit(_ digits: String) -> Int {
    var sum = 0
    for (index, digit) in digits.reversed().enumerated() { sum += (digit.wholeNumberValue ?? 0) * (index % 2 == 0 ? 3 : 1) }
    return (10 - sum % 10) % 10
  }
}
