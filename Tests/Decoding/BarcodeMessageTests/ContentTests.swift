import BarcodeMessage
import BarcodeTypes
import Testing

/// The content of a symbol with a given payload.
private func content(
  _ symbology: Symbology, _ payload: String, modifier: String = "0", isGS1: Bool = false, addOn: UInt8 = 0
) -> SymbolContent {
  let corner = PixelPoint(x: .zero, y: .zero)
  var symbol = DecodedSymbol(
    symbology: symbology, aimModifier: modifier.utf8.first ?? 0,
    corners: Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner))
  symbol.isGS1 = isGS1
  symbol.addOnByteCount = addOn
  let bytes = Array(payload.utf8)
  let segments: [PayloadSegment] = []
  return SymbolContent(symbol: symbol, payload: bytes.span, segments: segments.span)
}

@Suite("Symbol content") struct ContentTests {
  @Test func `the AIM identifier is a bracket, the code character and the modifier`() {
    #expect(content(.ean13, "4006381333931").aimIdentifier == "]E0")
    #expect(content(.qr, "a", modifier: "1").aimIdentifier == "]Q1")
    #expect(content(.code128, "a", modifier: "1").aimIdentifier == "]C1")
    #expect(content(.databar, "a").aimIdentifier == "]e0")
  }

  @Test func `an add-on follows the main text after a space`() {
    #expect(content(.ean13, "400638133393112", modifier: "3", addOn: 2).text == "4006381333931 12")
    #expect(content(.upca, "03600029145254321", addOn: 5).text == "036000291452 54321")
    #expect(content(.ean13, "12", addOn: 2).text == "12")
  }

  @Test func `only valid GS1 content has a printed form`() {
    let gs1 = content(.qr, "010950110153000310A\u{1D}17261231", modifier: "3", isGS1: true)
    #expect(gs1.text == "010950110153000310A\u{1D}17261231")
    #expect(gs1.humanReadable == "(01)09501101530003(10)A(17)261231")
    #expect(content(.qr, "0109501101530003").humanReadable == nil)
    #expect(content(.qr, "0109501101530004", isGS1: true).humanReadable == nil)
    let link = content(.qr, "https://example.com/01/09501101530003")
    #expect(link.humanReadable == nil)
    #expect(link.gs1?["01"] == "09501101530003")
  }

  @Test func `a Code 39 that may be a Code 32 has the number of a medicine beside its text`() {
    let code = content(.code39, "0CSSBD")
    #expect(code.text == "0CSSBD")
    #expect(code.medicineNumber == "A012345676")
    #expect(code.humanReadable == nil)
    // A wrong check digit, a vowel, digits alone, and another symbology.
    for text in ["0CSSBF", "0ASSBD", "000000", "0CSSB"] { #expect(content(.code39, text).medicineNumber == nil) }
    #expect(content(.code128, "0CSSBD").medicineNumber == nil)
  }

  @Test(
    arguments: [
      (Symbology.ean13, "9501101530003", "09501101530003"), (.ean8, "96385074", "00000096385074"),
      (.upca, "036000291452", "00036000291452"), (.upce, "01234565", "00012345000065"),
      (.itf14, "19501101530000", "19501101530000"), (.itf, "19501101530000", "19501101530000"),
    ])
  func `EAN, UPC and ITF-14 carry a GTIN of 14 digits`(symbology: Symbology, text: String, gtin: String) throws {
    let reading = try #require(content(symbology, text).gs1)
    #expect(reading.elements == [GS1Element(identifier: "01", value: gtin)])
    #expect(reading.isValid)
  }

  @Test func `an add-on is not part of the GTIN`() {
    #expect(content(.ean13, "950110153000312", addOn: 2).gs1?["01"] == "09501101530003")
  }

  @Test(
    arguments: [
      (Symbology.itf, "12345678"), (.itf, "19501101530001"), (.code128, "19501101530000"), (.qr, "https://example.com/a/b"),
      (.qr, "https://example.com/00/12"), (.qr, "https://example.com/8004/shelf"), (.qr, "hello"),
    ])
  func `a symbol without GS1 data has no elements`(symbology: Symbology, text: String) {
    #expect(content(symbology, text).gs1 == nil)
  }

  @Test func `a scan with problems has its elements and lists the problems`() {
    let wrong = content(.datamatrix, "010950110153000410A", modifier: "2", isGS1: true)
    #expect(wrong.gs1?.elements.map(\.identifier) == ["01", "10"])
    #expect(wrong.gs1?.problems.map(\.code) == [.checkDigit])
    let link = content(.qr, "https://example.com/01/09501101530004")
    #expect(link.gs1?.problems.map(\.code) == [.checkDigit])
  }

  @Test(
    arguments: [
      ("01234565", "012345000065"), ("05096893", "050968000093"), ("04963406", "049000006346"), ("00123457", "001234000057"),
      ("01234133", "012300000413"), ("01201303", "012000000133"),
    ])
  func `a UPC-E is expanded to 13 digits only after its AIM identifier`(text: String, whole: String) {
    #expect(content(.upce, text).text == text && content(.upce, text).humanReadable == nil)
    #expect(dataBehindAIMIdentifier("]E0", text: text, isZeroSuppressed: true) == "0" + whole)
    #expect(dataBehindAIMIdentifier("]E3", text: text + " 12", isZeroSuppressed: true) == "0" + whole + "12")
    #expect(dataBehindAIMIdentifier("]E4", text: text, isZeroSuppressed: false) == text)
    #expect(dataBehindAIMIdentifier("]C0", text: text + " ]E0", isZeroSuppressed: false) == text + " ]E0")
  }

  @Test func `N3: an empty text is not a result`() { #expect(content(.qr, "").use == nil) }

  @Test(
    arguments: [
      "http://a.b", "https://example.org/path?q=1#f", "HTTPS://EXAMPLE.ORG", "ftp://user:pw@host/file",
      "  https://example.org \r\n", "https://例え.jp/道", "mailto:a@example.org", "tel:+49301234", "geo:52.5,13.4",
      "https://[::1]:8080/", "http://user@host",
    ])
  func `N3: a URL is marked as a link`(text: String) { #expect(ContentUse(text: text) == .link) }

  @Test(
    arguments: [
      "4006381333931", "hello world", "http://", "https:///path", "http://user@", "http://a b", "example.org", "WIFI:S:a;;",
      "javascript:alert(1)", "://a", "1http://a", "MECARD:N:a;;", "http://a\u{0}b", "mailto:", " ", "http://a\nhttp://b",
      "file:///etc/passwd", "http://:80/", "data:text/html,<b>",
    ])
  func `N3: any other text is marked for search`(text: String) { #expect(ContentUse(text: text) == .search) }
}

@Suite("Escaping") struct EscapeTests {
  @Test func `JSON strings keep their text and escape control characters`() {
    #expect(JSONText.quoted("a\"\\\n\r\t\u{1D}\u{7F}\u{9B}é😀") == #""a\"\\\n\r\t\u001d\u007f\u009bé😀""#)
    #expect(JSONText.quoted("\u{202E}x") == "\"\\u202ex\"")
  }

  @Test func `text for terminals stays on one line and sends no escape sequence`() {
    #expect(TerminalText.safe("\u{1B}[31mred\nnext\\") == #"\x1b[31mred\nnext\\"#)
    // Invisible characters would make two different texts look alike; joiners and variation selectors are text.
    #expect(JSONText.quoted("a\u{200B}\u{FEFF}\u{AD}\u{E0041}b") == #""a\u200b\ufeff\u00ad\udb40\udc41b""#)
    #expect(TerminalText.safe("a\u{200B}\u{FEFF}\u{AD}\u{E0041}b") == #"a\u{200b}\u{feff}\u{ad}\u{e0041}b"#)
    #expect(TerminalText.safe("क्\u{200D}ष❤\u{FE0F}") == "क्\u{200D}ष❤\u{FE0F}")
    #expect(TerminalText.quoting("a\\x\u{1B}") == #"a\x\x1b"#)
    #expect(TerminalText.safe("\u{9B}31m\u{202E}é") == #"\u{9b}31m\u{202e}é"#)
  }
}

@Suite("Symbology names") struct SymbologyNameTests {
  @Test func `every symbology is found by its name, in any case`() {
    #expect(Symbology.allCases.count == Symbology.count)
    for symbology in Symbology.allCases {
      #expect(Symbology(name: symbology.name.description) == symbology)
      #expect(Symbology(name: symbology.name.description.uppercased()) == symbology)
    }
    #expect(Symbology(name: "") == nil)
  }

  @Test func `a list of names becomes a set, and an invalid list is refused with the valid names`() throws {
    let some = SymbologySet().with(.qr).with(.ean13)
    #expect(try SymbologySet(names: "qr, EAN13,,qr") == some)
    for (list, expected) in [
      ("", SymbologyListError.empty), (" , ", .unknown("")), ("foo", .unknown("foo")),
    ] {
      do throws(SymbologyListError) {
        _ = try SymbologySet(names: list)
        Issue.record("'\(list)' was taken")
      } catch {
        #expect(error == expected)
        #expect(error.message.contains("ean13, ean8"))
      }
    }
  }
}
