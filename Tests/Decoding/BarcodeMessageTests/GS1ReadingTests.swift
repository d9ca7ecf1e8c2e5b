import BarcodeMessage
import Testing

private func codes(_ text: String) -> [String] {
  GS1Reading(anyForm: text).problems.map { "\($0.identifier ?? "") \($0.code.rawValue)" }
}

@Suite("GS1 reading") struct GS1ReadingTests {
  @Test(
    arguments: [
      "^010950110153000310AB-123^17261231", "\u{1D}010950110153000310AB-123\u{1D}17261231",
      "]C1010950110153000310AB-123\u{1D}17261231", "]d2010950110153000310AB-123^17261231",
      "(01)09501101530003(10)AB-123(17)261231",
      "https://example.com/x/01/09501101530003/10/AB-123?17=261231&linkType=all#top",
      "]Q1https://example.com/01/09501101530003/10/AB-123?17=261231",
    ])
  func `every form of the same data gives the same elements`(text: String) {
    let reading = GS1Reading(anyForm: text)
    #expect(reading.isValid)
    #expect(reading.bracketed == "(01)09501101530003(10)AB-123(17)261231")
    #expect(
      GS1DigitalLink.uri(reading.elements) == "https://id.gs1.org/01/09501101530003/10/AB-123?17=261231")
  }

  @Test func `a parenthesis of the data is written with a backslash before it`() {
    let reading = GS1Reading(anyForm: #"(01)09501101530003(10)A\(1)B(21)C\((240)D"#)
    #expect(reading.isValid)
    #expect(reading["10"] == "A(1)B" && reading["21"] == "C(")
    #expect(reading.bracketed == #"(01)09501101530003(10)A\(1)B(21)C\((240)D"#)
    #expect(codes("(01)09501101530003(10)A(1)B") == [" unknown-ai"])
    #expect(codes("(01)09501101530003(10)A(") == [" bracket"])
  }

  @Test(
    arguments: [
      ("", [" unreadable"]), ("hello", [" unreadable"]), ("0109501101530003", [" unreadable"]),
      ("HtTp://example.com/01/09501101530003", [" unreadable"]), ("ftp://example.com/01/09501101530003", [" unreadable"]),
      ("]Q1hello", [" unreadable"]), ("^", [" empty"]), ("()1", [" unknown-ai"]),
      ("^0109501101530003^^10A", [" no-ai"]), ("^0109501101530003^10A^", []), ("0109501101530003^10A", [" no-fnc1"]),
      ("(01)09501101530003(10)A^B", ["10 character"]), ("^0109501101530003" + "10AB CD", ["10 character"]),
      ("^010950110153000", ["01 too-short"]), ("^17261301", ["17 date", "17 required"]),
      ("^010950110153000310", ["10 empty"]), ("^0109501101530003" + "30123456789", ["30 too-long"]),
      ("(01)9501101530003", ["01 too-short"]), ("^0109501101530004", ["01 check-digit"]),
      ("(8013)1987654Ad4X4bL5ttr2310cXK", ["8013 check-pair"]), ("(401)95A11", ["401 company-prefix"]),
      ("(01)09501101530003(37)5", ["01 excluded", "37 required"]), ("(10)A", ["10 required"]),
      ("(17)261231", ["17 required"]),
      ("(01)09501101530003(01)09501101530003", []), ("(01)09501101530003(10)A(10)B", ["10 repeated"]),
      ("(01)09501101530003(3100)000001(3101)000001", ["3100 excluded"]),
      ("(00)006141411234567890(02)09501101530003(37)5", []), ("(253)9501101530003(8030)AB", ["253 serial"]),
      ("(253)9501101530003S1(8030)AB", []), ("(01)09501101530003(21)A(8040)123456789012345(8041)123456789012345", []),
      ("(01)09501101530003(21)A(8041)123456789012345", ["8041 required"]),
    ] as [(String, [String])])
  func `problems are reported with their identifier and kind`(text: String, expected: [String]) {
    #expect(codes(text) == expected)
  }

  @Test(
    arguments: [
      ("https://example.com/01/09501101530003/21/x/10/A", ["01 qualifiers"]),
      ("https://example.com/01/09501101530003/17/261231", ["01 qualifiers"]),
      ("https://example.com/01/09501101530003?10=A", ["10 path"]),
      ("https://example.com/01/09501101530003/235/X?10=A", []),
      ("https://example.com/01/09501101530003?17=261231&17=261231", ["17 duplicate"]),
      ("https://example.com/01/09501101530003?8020=A", ["8020 attribute", "8020 required"]),
      ("https://example.com/01/09501101530003?999=A", ["999 unknown-ai"]),
      ("https://example.com/01/09501101530003?99=", ["99 empty"]),
      ("https://example.com/01/09501101530003?99=A+B", ["99 character"]),
      ("https://example.com/01/09501101530003/22/A+B", []), ("https://example.com/01/09501101530003/10/A%2fB", []),
      ("https://example.com/01/09501101530003?99=%00", ["99 character"]),
      ("https://example.com/01/09501101530003/10/A^", [" uri", "10 character"]),
      ("https://example.com/01/09501101530003/", [" uri"]), ("https://exa_mple.com/01/09501101530003", [" domain"]),
      ("https://01/09501101530003", [" no-key"]), ("https://example.com/a/b", [" no-key"]),
      ("https://example.com/8004/9520614141234567?01=9520123456788", []),
      ("https://example.com/01/9501101530003", ["01 short-gtin"]),
      ("https://example.com/gtin/09501101530003", ["01 short-name"]),
      ("https://example.com/00/faux/01/09501101530003", []), ("https://[2001:db8::1]:80/01/09501101530003", []),
      ("https://id.gs1.org/ARHKVAdpQg", [" compressed"]),
    ] as [(String, [String])])
  func `problems of a Digital Link are reported`(uri: String, expected: [String]) { #expect(codes(uri) == expected) }

  @Test func `short forms of a GTIN and short names are read, though the standard has withdrawn them`() {
    #expect(GS1Reading(digitalLink: "https://example.com/gtin/96385074/lot/A")["01"] == "00000096385074")
    #expect(GS1Reading(digitalLink: "https://example.com/gtin/96385074/lot/A")["10"] == "A")
  }

  @Test(
    arguments: [
      ("(17)261231(21)x/y(01)09501101530003(10)AB", "https://id.gs1.org/01/09501101530003/10/AB/21/x%2Fy?17=261231"),
      (
        "(10)AB(37)5(02)09501101530003(17)261231(00)006141411234567890(400)a+b",
        "https://id.gs1.org/00/006141411234567890?02=09501101530003&17=261231&10=AB&37=5&400=a%2Bb"
      ),
      ("(414)9501101530003(7040)1ABC", "https://id.gs1.org/414/9501101530003/7040/1ABC"), ("(10)AB", nil),
      ("(01)09501101530003(21)A(8040)123456789012345", nil),
      ("(01)09501101530003(99)a(99)a", "https://id.gs1.org/01/09501101530003?99=a"),
    ] as [(String, String?)])
  func `elements become the canonical Digital Link if they can`(bracketed: String, link: String?) {
    #expect(GS1DigitalLink.uri(GS1Reading(bracketed: bracketed).elements) == link)
  }

  @Test func `the stem of a Digital Link can be chosen`() {
    let elements = GS1Reading(bracketed: "(01)09501101530003").elements
    #expect(GS1DigitalLink.uri(elements, stem: "https://a.b/c/") == "https://a.b/c/01/09501101530003")
  }

  @Test func `a linear symbol and its composite component are one message`() {
    let reading = GS1Reading(anyForm: "^0109501101530003|^10A^17261231")
    #expect(reading.isValid)
    #expect(reading.bracketed == "(01)09501101530003|(10)A(17)261231")
    #expect(GS1Reading(anyForm: reading.bracketed) == reading)
    #expect(codes("(01)09501101530003|(37)5") == ["01 excluded", "37 required"])
    #expect(codes("(01)09501101530003|") == [" unreadable"])
    #expect(codes("(10)A|B|(01)09501101530003").contains(" unreadable"))
  }

  @Test func `no more elements and bytes are read than the limits allow`() {
    let many = "^" + Array(repeating: "99a", count: GS1Reading.elementCountMax).joined(separator: "^")
    #expect(GS1Reading(anyForm: many).isValid)
    #expect(GS1Reading(anyForm: many + "^99a").problems.map(\.code) == [.tooMany])
    #expect(GS1Reading(anyForm: "(99)" + String(repeating: "a", count: 8188)).problems.map(\.code) == [.tooMany])
  }

  @Test func `any text is read or refused, never a crash, and valid data stay valid in their other forms`() {
    let seed = UInt64.random(in: 1...UInt64.max)
    var state = seed
    func next(_ count: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(count))
    }
    let starts = [
      "^", "(", "https://a.b/", "]C1", "^0109501101530003", "(01)09501101530003(", "https://a.b/01/09501101530003",
    ]
    for round in 0..<20_000 {
      var text = starts[round % starts.count]
      for _ in 0..<next(24) { text.unicodeScalars.append(Array("0123456789()^A/%?=&\\é".unicodeScalars)[next(20)]) }
      let reading = GS1Reading(anyForm: text)
      for identifier in reading.problems.compactMap(\.identifier) {
        #expect((2...4).contains(identifier.count) && Int(identifier) != nil, "seed \(seed): \(text)")
      }
      guard reading.isValid else { continue }
      #expect(GS1Reading(bracketed: reading.bracketed).elements == reading.elements, "seed \(seed): \(text)")
      guard let link = GS1DigitalLink.uri(reading.elements) else { continue }
      #expect(GS1Reading(digitalLink: link).isValid, "seed \(seed): \(text)")
    }
  }
}

@Suite("GS1 meaning") struct GS1MeaningTests {
  private func meaning(_ identifier: String, _ value: String, _ year: Int = 2026) -> GS1Meaning {
    GS1Element(identifier: identifier, value: value).meaning(currentYear: year)
  }

  @Test(
    arguments: [
      ("17", "261231", "2026-12-31"), ("17", "260200", "2026-02-28"), ("17", "280200", "2028-02-29"),
      ("15", "760101", "2076-01-01"),
      ("15", "770101", "1977-01-01"), ("11", "990630", "1999-06-30"), ("7003", "2612311405", "2026-12-31"),
      ("7250", "19790705", "1979-07-05"),
      ("17", "261331", nil), ("10", "261231", nil),
    ] as [(String, String, String?)])
  func `dates are ISO 8601, and day 00 is the last day of the month`(identifier: String, value: String, date: String?) {
    #expect(meaning(identifier, value).date == date)
  }

  @Test func `a year of two digits is at most 49 years before and 50 after the year of the scan`() {
    #expect(meaning("17", "750101", 2025).date == "2075-01-01")
    #expect(meaning("17", "760101", 2025).date == "1976-01-01")
    #expect(meaning("17", "100101", 2060).date == "2110-01-01")
    #expect(meaning("17", "110101", 2060).date == "2011-01-01")
  }

  @Test func `a date without a day shows its month`() {
    #expect(meaning("17", "261100").month == "2026-11")
    #expect(meaning("17", "261130").month == nil)
  }

  @Test func `times and spans of days are given`() {
    #expect(meaning("7003", "2612311405").timeOfDay == "14:05")
    #expect(meaning("8008", "26123114").timeOfDay == "14:00")
    #expect(meaning("8008", "261231140509").timeOfDay == "14:05:09")
    #expect(meaning("7007", "260101260131").until == "2026-01-31")
    #expect(meaning("7007", "260101").until == nil)
  }

  @Test(
    arguments: [
      ("3103", "001750", "1.750"), ("3100", "000012", "12"), ("3105", "000001", "0.00001"), ("3922", "0299", "2.99"),
      ("3932", "9780299", "2.99"), ("3909", "5", "0.000000005"), ("3900", "005", "5"), ("4330", "001250-", "-12.50"),
      ("4331", "001250", "12.50"), ("3103", "00175", nil), ("30", "12", nil),
    ] as [(String, String, String?)])
  func `numbers have their decimal point`(identifier: String, value: String, number: String?) {
    #expect(meaning(identifier, value).number == number)
  }

  @Test func `currencies and countries have their letters`() {
    #expect(meaning("3932", "9780299").currency == "EUR")
    #expect(meaning("422", "040").countries == ["AT"])
    #expect(meaning("423", "040276").countries == ["AT", "DE"])
    #expect(meaning("4307", "CH").countries == ["CH"])
    #expect(meaning("7030", "999A1").countries == [])
    #expect(GS1Element(identifier: "10", value: "A").title == "BATCH/LOT")
  }
}
