// Fields of driver licences and industrial labels.

import BarcodeMessage
import Testing

@Suite struct MessageFieldTests {
  /// A licence laid out by the AAMVA standard; names and numbers are made up.
  private func licence(
    _ elements: [String], country: String = "USA", version: String = "08", head: String = "@\n\u{1E}\rANSI "
  ) -> String {
    let subfile = "DL" + (elements + ["DCG\(country)"]).joined(separator: "\n") + "\r"
    let issuer = version == "01" ? "" : "01"
    let length = String(subfile.utf8.count)
    let digits = String(repeating: "0", count: 4 - length.utf8.count) + length
    return "\(head)636000\(version)\(issuer)01DL0041\(digits)" + subfile
  }

  private let elements = ["DAQT64235789", "DCSSAMPLE", "DACMICHAEL", "DBB06061986", "DBA12102034", "DAU068 in", "DDKN"]

  @Test func `a licence has its elements as fields, dates in the order of the country`() throws {
    let fields = MessageField.fields(of: licence(elements), currentYear: 2026)
    #expect(fields.map(\.identifier) == ["DAQ", "DCS", "DAC", "DBB", "DBA", "DAU", "DDK", "DCG"])
    #expect(fields.allSatisfy { $0.format == .aamva })
    #expect(fields.map(\.title).prefix(4) == ["number", "family name", "first name", "birth date"])
    #expect(fields[3].value == "06061986" && fields[3].date == "1986-06-06" && fields[4].date == "2034-12-10")
    let canadian = MessageField.fields(
      of: licence(["DAQ1", "DBB19860605", "DBA20341210"], country: "CAN"), currentYear: 2026)
    #expect(canadian[1].date == "1986-06-05" && canadian[2].date == "2034-12-10")
    #expect(MessageField.fields(of: licence(["DAQ1", "DBB13451986"]), currentYear: 2026)[1].date == nil)
    // The first version has no version of the issuer; headers differ by a character.
    for text in [
      licence(elements, version: "01"), licence(elements, head: "@\n\u{1E}\rAAMVA"), licence(elements, head: "@\n\rANSI "),
    ] {
      #expect(DriverLicence(text)?["DBB"]?.date == "1986-06-06")
    }
  }

  @Test func `the age is reached on the birthday, and unknown without a date`() throws {
    let licence = try #require(DriverLicence(licence(["DAQ1", "DBB11252008"])))
    #expect(licence.isOver(18, year: 2026, month: 11, day: 24) == false)
    #expect(licence.isOver(18, year: 2026, month: 11, day: 25) == true)
    #expect(licence.isOver(17, year: 2026, month: 1, day: 1) == true)
    #expect(licence.isOver(21, year: 2029, month: 11, day: 24) == false)
    // A person born on a leap day turns a year older on the first of March.
    let leap = try #require(DriverLicence(self.licence(["DAQ1", "DBB02292008"])))
    #expect(leap.isOver(18, year: 2026, month: 2, day: 28) == false && leap.isOver(18, year: 2026, month: 3, day: 1) == true)
    let none = try #require(DriverLicence(self.licence(["DAQ1"])))
    #expect(none.isOver(18, year: 2026, month: 1, day: 1) == nil)
  }

  @Test(
    arguments: [
      "", "@", "@\n", "@\n\u{1E}\rANSI ", "@\n\u{1E}\rANSI 63600008", "@\n\u{1E}\rANSI 636000080100", "hello",
      "@\n\u{1E}\rANSI 636000080101", "@\n\u{1E}\rANSI 636000080199DL00410200DLDBB01011990\r",
      "@\n\u{1E}\rANSI x36000080101DL",
      "@\n\u{1E}\rANSI 636000080101DL00410000DL\r", "@\n\u{1E}\rANSI 6360000801011100410000", "[)>", "[)>\u{1E}",
      "[)>\u{1E}06",
      "[)>\u{1E}99\u{1D}1PAB\u{1E}\u{4}",
    ])
  func `a text in no known format has no fields`(_ text: String) {
    #expect(MessageField.fields(of: text, currentYear: 2026).isEmpty)
  }

  /// `identifier title=value date` of each field.
  private func words(_ text: String) -> [String] {
    MessageField.fields(of: text, currentYear: 2026).map { field in
      "\(field.format.rawValue.suffix(2)) \(field.identifier) \(field.title)=\(field.value)"
        + (field.date.map { " " + $0 } ?? "")
    }
  }

  @Test func `H5: a label has the fields of all its formats`() {
    let text =
      "[)>\u{1E}06\u{1D}1PAB-12\u{1D}Q100\u{1D}16D20261101\u{1D}99Zx\u{1D}\u{1D}?\u{1E}05\u{1D}0109501101530003\u{1D}17261100\u{1E}12\u{1D}MFR 0SE22\u{1D}SER A B\u{1D}odd\u{1E}\u{4}"
    #expect(
      words(text) == [
        "06 1P part number of supplier=AB-12", "06 Q quantity=100", "06 16D production date=20261101 2026-11-01",
        "06 99Z =x",
        "06  =?", "05 01 GTIN=09501101530003", "05 17 USE BY or EXPIRY=261100 2026-11-30", "12 MFR manufacturer=0SE22",
        "12 SER serial number=A B", "12  =odd",
      ])
  }

  @Test func `a data identifier has the meaning that MH10.8.2 gives it, and one that no table names has no title`() {
    let text = ["3KB1", "10KI1", "3LF", "20LA", "3V401234", "21Vx", "4Px", "1Sx", "25SUN1234"]
    let fields = words("[)>\u{1E}06\u{1D}" + text.joined(separator: "\u{1D}") + "\u{1E}12\u{1D}QTY 3\u{1E}\u{4}")
    #expect(
      fields == [
        "06 3K bill of lading of carrier=B1", "06 10K invoice number=I1", "06 3L ship from=F",
        "06 20L location, first level=A", "06 3V GS1 company prefix=401234", "06 21V =x", "06 4P =x", "06 1S =x",
        "06 25S issuing agency, company and serial number=UN1234", "12 QTY =3",
      ])
  }

  @Test func `a parcel's carrier data have their fields by place`() {
    let text = "[)>\u{1E}01\u{1D}961Z00004951\u{1D}840\u{1D}001\u{1D}1Z12345677\u{1D}UPSN\u{1D}\u{1D}123\u{1E}\u{4}"
    #expect(words(text).prefix(5).contains("01  country=840"))
    #expect(words(text).contains("01  tracking number=1Z12345677") && words(text).contains("01  day of pickup=123"))
  }

  @Test func `random data never has more fields than are kept, and ends`() {
    var random = SystemRandomNumberGenerator()
    let pieces = [
      "[)>\u{1E}", "06\u{1D}", "\u{1D}", "\u{1E}", "05\u{1D}", "1PA", "@\n\u{1E}\rANSI 636000080102DL00410020", "DL", "\r",
      "\nDBB", "0101", "\u{4}",
    ]
    for _ in 0..<2000 {
      let text = (0..<Int.random(in: 0...300, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
        .joined()
      #expect(MessageField.fields(of: text, currentYear: 2026).count <= MessageField.countMax)
    }
  }
}
