import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
import PictureFiles
import SymbolPrinter
import TestScenes
import Testing

/// The codes that the decoder reads in the PNG of a request.
private func readBack(
  _ request: SymbolRequest, scale: Int = 4, symbologies: SymbologySet = .onByDefault
) throws -> [(symbology: Symbology, content: SymbolContent)] {
  let file = try SymbolPrinter.print(request).png(scale: scale)
  var picture = Picture()
  try picture.load(bytes: file.span.bytes)
  var workspace = Workspace(pixelCountMax: picture.width * picture.height)
  var settings = DecoderSettings()
  settings.addOns = .read
  settings.symbologies = symbologies
  _ = picture.withLuma { Decoder.decode($0, settings: settings, workspace: &workspace) }
  return (0..<workspace.symbolCount).map { index in
    let symbol = workspace.symbol(index)
    let content = SymbolContent(
      symbol: symbol, payload: workspace.payload(index), segments: workspace.segments(index))
    return (symbol.symbology, content)
  }
}

@Suite("What is printed is read back (behaviour N9)") struct RoundTripTests {
  @Test(arguments: Symbology.allCases)
  func `N9: samples of every symbology are read back`(symbology: Symbology) throws {
    var chance = SystemRandomNumberGenerator()
    func bare(_ text: String) -> String { text.filter { $0.isLetter || $0.isNumber } }
    for _ in 0..<8 {
      let text = symbology.sampleText(using: &chance)
      let request = SymbolRequest(text, symbology: symbology)
      let read = try readBack(request, symbologies: SymbologySet().with(symbology))
      #expect(read.map(\.symbology) == [symbology], "\(text)")
      // Some readings have a check digit that the text lacks, or an application identifier.
      let words = text.split(separator: " ").map { bare(String($0)) }
      #expect(read.allSatisfy { code in words.allSatisfy(bare(code.content.text).contains) }, "\(text)")
    }
  }

  @Test(
    arguments: [
      "A", "https://example.org/path?q=1&r=2", "01234567890123456789", "RETICLE $%*+-./:", "Grüße", "naïve façade", "ÄÖÜß",
      "日本語テキスト", "ﾃﾞｻﾞｲﾝ", "Привет, мир", "שלום", "🎉👩‍👩‍👧", "a\tb\r\nc", "\\000026 is no ECI", "€ 5,00", "½ ¿Qué?",
    ], CorrectionLevel.allCases)
  func `N9: QR text of every kind is read back at every correction level`(text: String, level: CorrectionLevel) throws {
    let read = try readBack(SymbolRequest(text, correction: level))
    try #require(read.count == 1)
    #expect(read[0].symbology == .qr)
    #expect(read[0].content.text == text)
    #expect(read[0].content.isExact)
  }

  @Test(arguments: [1, 2, 3, 5, 8, 13, 40])
  func `N9: a QR code is read back at any scale`(scale: Int) throws {
    let read = try readBack(SymbolRequest("https://example.org/reticle"), scale: scale)
    #expect(read.map(\.content.text) == ["https://example.org/reticle"])
  }

  @Test(arguments: [100, 500, 1200, 2331])
  func `N9: long QR text is read back, up to the largest version`(count: Int) throws {
    let text = String((0..<count).map { Character(Unicode.Scalar(UInt8(97 + $0 * 7 % 26))) })
    #expect(try readBack(SymbolRequest(text)).map(\.content.text) == [text])
  }

  @Test(arguments: [Symbology.qr, .code128])
  func `N9: GS1 element strings are read back from QR and Code 128`(symbology: Symbology) throws {
    let printed = "(01)09501101530003(10)AB-123(17)261231"
    let read = try readBack(SymbolRequest(printed, symbology: symbology, isGS1: true))
    try #require(read.count == 1)
    #expect(read[0].content.humanReadable == printed)
    #expect(read[0].content.text == "010950110153000310AB-123\u{1D}17261231")
    #expect(read[0].content.aimIdentifier == (symbology == .qr ? "]Q3" : "]C1"))
  }

  @Test(
    arguments: [
      (Symbology.ean13, "4006381333931", "]E0"), (.ean8, "96385074", "]E4"), (.upca, "036000291452", "]E0"),
      (.code128, "Reticle-128 ~{}", "]C0"), (.code128, "00123456789", "]C0"), (.code128, "Größe é", "]C0"),
      (.ean13, "4006381333931 12", "]E3"),
      (.upca, "036000291452 54321", "]E3"),
    ])
  func `N9: the linear symbologies of the checkout are read back`(symbology: Symbology, text: String, aim: String) throws {
    let read = try readBack(SymbolRequest(text, symbology: symbology))
    try #require(read.count == 1)
    #expect(read[0].symbology == symbology)
    #expect(read[0].content.text == text)
    #expect(read[0].content.aimIdentifier == aim)
  }

  @Test(arguments: 0..<40)
  func `N9: GS1 DataBar and DataBar Limited are read back`(round: Int) throws {
    let number = format13(round * 83_333_333_337 + 1_234_567)
    for symbology in round < 24 ? [Symbology.databar, .databarLimited] : [.databar] {
      let read = try readBack(SymbolRequest(number, symbology: symbology), scale: 2)
      try #require(read.count == 1)
      #expect(read[0].symbology == symbology)
      #expect(read[0].content.text == "01" + number)
      #expect(read[0].content.humanReadable == "(01)" + number)
      #expect(read[0].content.aimIdentifier == "]e0")
    }
  }

  @Test(
    arguments: [
      "(01)98898765432106(3202)012345(15)991231", "(01)90012345678908(3103)001750", "(01)90012345678908(3202)009999",
      "(01)90012345678908(3203)012767", "(01)90012345678908(3922)795", "(01)90012345678908(3932)9781234",
      "(01)90012345678908(3103)012233(15)991231", "(01)90614141000015(3202)000150", "(01)09501101530003(10)AB-123",
      "(10)Ab?c_1(21)12-4(11)261231", "(10)12A(422)124(21)123456(423)012036040124",
      "(8110)106141416543213150110120", "(00)106141412345678908", "(01)98898765432106(11)991231(10)x",
    ])
  func `N9: GS1 DataBar Expanded is read back in every encodation method`(text: String) throws {
    let read = try readBack(SymbolRequest(text, symbology: .databarExpanded), scale: 2)
    try #require(read.count == 1)
    #expect(read[0].symbology == .databarExpanded)
    #expect(read[0].content.humanReadable == text)
    #expect(read[0].content.aimIdentifier == "]e0")
  }

  @Test(arguments: [2, 3, 5, 8, 13, 18], [Symbology.ean13, .code128])
  func `N9: linear symbols are read back at any scale`(scale: Int, symbology: Symbology) throws {
    let text = symbology == .ean13 ? "4006381333931" : "RET-7"
    #expect(try readBack(SymbolRequest(text, symbology: symbology), scale: scale).map(\.content.text) == [text])
  }

  @Test(arguments: 0..<40)
  func `N9: any text is read back from QR, scalar by scalar`(round: Int) throws {
    let scalars = Array("0123456789ABCxyz ,;:/?%+\\\u{1}\u{1D}\u{1B}éßÄ½世界ｶﾞあ🎉\u{301}\u{FEFF}\r\n\t\u{10FFFD}".unicodeScalars)
    let count = 1 + round * round % 211
    let text = randomText(scalars.prefix(round % 4 == 0 ? 16 : scalars.count), count: count, seed: round)
    let level = CorrectionLevel.allCases[round % 4]
    let read = try readBack(SymbolRequest(text, correction: level), scale: 2 + round % 5)
    try #require(read.count == 1)
    #expect(Array(read[0].content.text.unicodeScalars) == Array(text.unicodeScalars))
  }

  @Test(arguments: 0..<40)
  func `N9: any Latin-1 text is read back from Code 128`(round: Int) throws {
    let ascii = (0..<128).compactMap { Unicode.Scalar($0) }
    let latin1 = ascii + (0xA0..<0x100).compactMap { Unicode.Scalar($0) }
    let text = randomText((round % 2 == 0 ? ascii : latin1)[...], count: 1 + round / 2, seed: round)
    let read: [(symbology: Symbology, content: SymbolContent)]
    do {
      read = try readBack(SymbolRequest(text, symbology: .code128), scale: 2)
    } catch let error as SymbolPrinterError {
      // Five consecutive accented letters before other text.
      #expect(error.message.contains("accented") && round % 2 == 1)
      return
    }
    try #require(read.count == 1)
    #expect(read[0].symbology == .code128)
    #expect(Array(read[0].content.text.unicodeScalars) == Array(text.unicodeScalars))
  }
}

/// A number of 13 digits with its check digit.
private func format13(_ number: Int) -> String {
  let digits = String(String(10_000_000_000_000 + number % 10_000_000_000_000).dropFirst()).map { $0.wholeNumberValue! }
  let sum = digits.enumerated().reduce(0) { $0 + ($1.offset % 2 == 0 ? 3 : 1) * $1.element }
  return (digits + [(10 - sum % 10) % 10]).map(String.init).joined()
}

/// Characters drawn from a set by a fixed sequence. The first one is not U+0000, which a command line cannot contain.
private func randomText(_ scalars: ArraySlice<Unicode.Scalar>, count: Int, seed: Int) -> String {
  var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
  var text = String.UnicodeScalarView()
  for _ in 0..<count {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    text.append(scalars[scalars.startIndex + Int(state >> 32) % scalars.count])
  }
  return String(text)
}
