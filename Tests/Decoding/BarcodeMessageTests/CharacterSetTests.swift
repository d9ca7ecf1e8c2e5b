import BarcodeMessage
import BarcodeTypes
import Testing

/// The text of bytes with an ECI, or without one.
func text(_ bytes: [UInt8], eci: UInt32? = nil) -> MessageText {
  let segments = eci.map { [PayloadSegment(byteOffset: 0, interpretation: .eci($0))] } ?? []
  return MessageText(payload: bytes.span, segments: segments.span)
}

@Suite("Extended Channel Interpretations") struct InterpretationTests {
  @Test(
    arguments: [
      (0, [0x80, 0xE1], "Çß"), (1, [0xE9], "é"), (2, [0x81], "ü"), (3, [0xFC], "ü"), (4, [0xB1, 0xF8], "ąř"),
      (5, [0xA1], "Ħ"), (6, [0xBF], "ŋ"), (7, [0xB0, 0xF1], "Аё"), (8, [0xC7], "ا"), (9, [0xC1, 0xF9], "Αω"),
      (10, [0xE0], "א"), (11, [0xFE], "ş"), (12, [0xBD], "―"), (13, [0xA1], "ก"), (15, [0xD0], "Š"), (16, [0xA1], "Ḃ"),
      (17, [0xA4], "€"), (18, [0xA4], "€"), (20, [0x93, 0xFA, 0x96, 0x7B, 0xB1, 0x5C], "日本ｱ\\"), (21, [0x8A], "Š"),
      (22, [0xCF], "П"), (23, [0x80, 0x92], "€’"), (24, [0xC7], "ا"), (25, [0x20, 0xAC, 0xD8, 0x3D, 0xDE, 0x00], "€😀"),
      (26, [0xE2, 0x82, 0xAC], "€"), (27, [0x41], "A"), (28, [0xA4, 0xA4], "中"), (29, [0xD6, 0xD0], "中"),
      (30, [0xB0, 0xA1], "가"), (31, [0x81, 0x40], "丂"), (32, [0x81, 0x30, 0x81, 0x30], "\u{80}"),
      (33, [0xAC, 0x20], "€"), (34, [0, 1, 0xF6, 0], "😀"), (35, [0, 0xF6, 1, 0], "😀"), (170, [0x41], "A"),
      (899, [0, 0xFF], "\u{0}ÿ"),
    ] as [(UInt32, [UInt8], String)])
  func `each ECI assignment number selects its character set`(eci: UInt32, bytes: [UInt8], expected: String) {
    let read = text(bytes, eci: eci)
    #expect(read.text == expected)
    #expect(read.isExact && !read.hasUnknownInterpretation)
  }

  @Test(arguments: [14, 19, 36, 900, 999_999])
  func `an unknown ECI keeps its bytes as characters of the same numbers`(eci: UInt32) {
    let bytes = (0...255).map { UInt8($0) }
    let read = text(bytes, eci: eci)
    #expect(read.hasUnknownInterpretation)
    #expect(read.text.unicodeScalars.map { UInt8($0.value) } == bytes)
  }

  @Test(
    arguments: [
      (26, [0x41, 0xC3], "A\u{FFFD}"), (26, [0xFF, 0x42], "\u{FFFD}B"), (27, [0x80], "\u{FFFD}"),
      (20, [0x81], "\u{FFFD}"), (20, [0xFD, 0x41], "\u{FFFD}A"), (25, [0x00], "\u{FFFD}"),
      (25, [0xD8, 0x00, 0x00, 0x41], "\u{FFFD}A"), (34, [0, 0x11, 0, 0], "\u{FFFD}"), (34, [0, 0, 0], "\u{FFFD}"),
    ] as [(UInt32, [UInt8], String)])
  func `bytes that are invalid in their character set become U+FFFD and are reported`(
    eci: UInt32, bytes: [UInt8], expected: String
  ) {
    let read = text(bytes, eci: eci)
    #expect(read.text == expected)
    #expect(!read.isExact)
  }

  @Test func `each segment is read in its own character set, and bytes before the first are unspecified`() {
    let bytes: [UInt8] = [0x41, 0xB1, 0xE9, 0xC3, 0xA9]
    let segments = [
      PayloadSegment(byteOffset: 1, interpretation: .eci(4)), PayloadSegment(byteOffset: 2, interpretation: .eci(3)),
      PayloadSegment(byteOffset: 3, interpretation: .eci(26)),
    ]
    #expect(MessageText(payload: bytes.span, segments: segments.span).text == "Aąéé")
  }

  @Test func `a multi-byte character that a segment boundary cuts is not pieced together`() {
    let segments = [
      PayloadSegment(byteOffset: 0, interpretation: .eci(26)), PayloadSegment(byteOffset: 1, interpretation: .eci(3)),
    ]
    let read = MessageText(payload: ([0xC3, 0xA9] as [UInt8]).span, segments: segments.span)
    #expect(read.text == "\u{FFFD}©")
    #expect(!read.isExact)
  }

  @Test func `segments out of order or outside the payload do no harm`() {
    let segments = [
      PayloadSegment(byteOffset: 9, interpretation: .eci(26)), PayloadSegment(byteOffset: -4, interpretation: .eci(4)),
      PayloadSegment(byteOffset: 2, interpretation: .eci(25)), PayloadSegment(byteOffset: .max, interpretation: .eci(1)),
    ]
    let bytes: [UInt8] = [0x41, 0x42, 0x43]
    #expect(MessageText(payload: bytes.span, segments: segments.span).text == "ABC")
    let none: [UInt8] = []
    #expect(MessageText(payload: none.span, segments: segments.span).text == "")
  }

  @Test func `any bytes in any character set give some text`() {
    var state: UInt64 = 88_172_645_463_325_252
    for round in 0..<4000 {
      var bytes: [UInt8] = []
      for _ in 0..<round % 23 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        bytes.append(UInt8(truncatingIfNeeded: state))
      }
      let read = text(bytes, eci: UInt32(round % 40))
      #expect(read.text.isEmpty == bytes.isEmpty)
      #expect(text(bytes) == text(bytes))
    }
  }
}

@Suite("The character set of unspecified bytes by symbology") struct DefaultCharacterSetTests {
  private func read(_ bytes: [UInt8], _ symbology: Symbology, assumed: UInt32? = nil) -> SymbolContent {
    let corner = PixelPoint(x: .zero, y: .zero)
    let symbol = DecodedSymbol(
      symbology: symbology, aimModifier: 0x30,
      corners: Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner))
    let segments: [PayloadSegment] = []
    return SymbolContent(symbol: symbol, payload: bytes.span, segments: segments.span, assumedECI: assumed)
  }

  @Test(
    arguments: [
      [0xB9, 0xA2, 0xBB], [0x93, 0xFA, 0x96, 0x7B], [0xC3, 0xDE, 0xBB, 0xDE], [0xFE, 0xFF, 0x20, 0xAC], [0xFF, 0xFE, 0xC3],
    ] as [[UInt8]])
  func `symbologies default to ISO/IEC 8859-1, except QR Code and Han Xin Code, even if the bytes resemble another set`(
    bytes: [UInt8]
  ) {
    for symbology in Symbology.allCases where ![.qr, .microqr, .rmqr, .hanxin].contains(symbology) {
      #expect(read(bytes, symbology).text.unicodeScalars.map(\.value) == bytes.map(UInt32.init))
    }
  }

  @Test func `the characters of MaxiCode are never guessed to be UTF-8`() {
    #expect(read([0x33, 0xCE, 0xBA], .maxicode).text == "3Îº")
  }

  @Test func `Han Xin Code defaults to GB 18030`() {
    #expect(read([0xBA, 0xBA, 0xD0, 0xC5, 0x21], .hanxin).text == "汉信!")
  }

  @Test func `valid UTF-8 is recognised in every symbology that encodes bytes, and its byte order mark is removed`() {
    for symbology in Symbology.allCases where symbology != .maxicode && symbology != .hanxin {
      #expect(read(Array("Größe 3 €".utf8), symbology).text == "Größe 3 €")
      #expect(read([0xEF, 0xBB, 0xBF, 0x41], symbology).text == "A")
    }
  }

  @Test func `an assumed character set overrides the guess, but not an ECI`() {
    let sets = CharacterSetName.all
    #expect(read([0xC3, 0xA9], .qr, assumed: sets.first { $0.name == "windows-1251" }?.eci).text == "Г©")
    #expect(read([0xC3, 0xDE], .datamatrix, assumed: sets.first { $0.name == "shift_jis" }?.eci).text == "ﾃﾞ")
    #expect(read([0xC3], .datamatrix, assumed: 26).isExact == false)
    for set in sets { #expect(read(Array("0123 AZ az +-./".utf8), .ean13, assumed: set.eci).text == "0123 AZ az +-./") }
    let segments = [PayloadSegment(byteOffset: 0, interpretation: .eci(3))]
    let bytes: [UInt8] = [0xE9]
    #expect(MessageText(payload: bytes.span, segments: segments.span, unspecified: .eci(26)).text == "é")
  }
}

@Suite("Guessing the character set of unspecified bytes") struct GuessTests {
  /// Words as printed on labels, in languages that ISO/IEC 8859-1 covers.
  private static let western = [
    "Größe", "Prüfung", "Straße", "über", "Müller", "Stück", "Käse", "Öl", "Maß", "fünf", "Gerät", "für", "nächste", "Ärzte",
    "café", "été", "naïve", "façade", "où", "forêt", "hôtel", "garçon", "élève", "père", "numéro", "pièce", "créé", "à",
    "çà",
    "año", "niño", "señor", "más", "¿qué?", "¡sí!", "corazón", "tamaño", "camión", "código", "São", "João", "ação", "não",
    "coração", "você", "três", "avô", "irmã", "lições", "più", "città", "perché", "così", "får", "smörgås", "älg", "öl",
    "høj", "blåbær", "æble", "sjø", "kjøtt", "päivä", "hyvää", "yö", "þór", "ísland", "ðar", "één", "ideeën", "ruïne",
    "25°C",
    "½l", "10µm", "£5", "§3", "©2020", "«été»", "Ø20", "±5", "2×4", "m²", "m³", "nº", "1ª", "25°±2°", "W/m²·K", "¿¡Únete!",
    "jäääär", "ööülikool", "íþrótt", "þýða", "óðal", "ráðið", "réélection", "«Élévation»", "lançâmes", "lições", "pingüí",
    "riñón",
    "Jörg", "François", "José", "Göteborg", "Málaga", "Nîmes", "Ærø", "Reykjavík", "Tórshavn", "Zürich", "Köln",
  ]
  /// Words of Japanese labels: kanji and kana, and half-width katakana with its voicing marks.
  private static let japanese = [
    "検査済", "品名", "型番", "日本", "製造番号", "漢字", "東京都", "りんご", "です", "お客様", "ありがとう", "コード", "テスト", "バーコード", "株式会社",
    "数量", "入荷", "出荷日", "部品", "個", "ﾃｽﾄ", "ﾊﾞｰｺｰﾄﾞ", "ﾃﾞｻﾞｲﾝ", "ﾄｳｷｮｳ", "ﾆﾎﾝ", "ｻﾝﾌﾟﾙ", "ｶﾀｶﾅ", "ﾌﾞﾋﾝ", "ｺﾒﾝﾄ", "ｾｲﾋﾝ", "ﾊﾟﾝ",
    "ｻﾄｳ", "ｽｽﾞｷ", "ﾀｶﾊｼ", "ﾀﾅｶ", "ｲﾄｳ", "ﾜﾀﾅﾍﾞ", "ﾔﾏﾓﾄ", "ﾅｶﾑﾗ", "ｺﾊﾞﾔｼ", "ｶﾄｳ", "ﾊﾅｺ", "ﾀﾛｳ", "ｻｯﾎﾟﾛ", "ﾖｺﾊﾏ", "ﾅｺﾞﾔ", "ｵｵｻｶ",
    "ﾅﾗ",
    "ｷﾞｭｳﾆｭｳ", "ﾀﾏｺﾞ", "ｼｮｸﾊﾟﾝ", "ｺｰﾋｰ", "ﾐｶﾝ", "ﾘﾝｺﾞ", "ﾆｸ", "ﾊﾞﾅﾅ", "ｺﾞｳｹｲ", "ﾂﾘ", "ｺｳｼﾞｮｳ", "ﾈｼﾞ", "ﾓｰﾀ", "ﾊﾞﾙﾌﾞ",
  ]

  /// One to four words, sometimes with digits and capitals.
  private static func label(_ words: [String], _ random: inout some RandomNumberGenerator) -> String {
    var parts: [String] = []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let word = words.randomElement(using: &random)!
      switch Int.random(in: 0..<5, using: &random) {
      case 0: parts.append(word.uppercased())
      case 1: parts.append("\(Int.random(in: 0...9999, using: &random))")
      default: parts.append(word)
      }
    }
    return parts.joined(separator: " ")
  }

  @Test
  func `labels are read in their character set: all Western ones, and 99 of 100 Japanese ones`() {
    var random = SystemRandomNumberGenerator()
    var wrong: [String] = []
    for _ in 0..<2000 {
      let label = Self.label(Self.western, &random)
      #expect(text(Array(label.utf8)).text == label)
      let bytes = label.unicodeScalars.map { UInt8(exactly: $0.value) ?? 0x3F }
      let expected = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
      if text(bytes).text != expected { wrong.append(label) }
    }
    #expect(wrong.isEmpty)
    var missed: [String] = []
    for _ in 0..<10_000 {
      let label = Self.label(Self.japanese, &random)
      #expect(text(Array(label.utf8)).text == label)
      let bytes = ShiftJIS.bytes(label)
      if text(bytes).text != label { missed.append(label) }
    }
    // About 60: two half-width characters alone may be Latin-1.
    #expect(missed.count <= 100, "\(missed.prefix(5))")
  }

  @Test(
    arguments: [
      ([0x41, 0x42], "AB"), ([0xC3, 0xBC], "ü"), ([0xEF, 0xBB, 0xBF, 0x41], "A"),
      ([0xFE, 0xFF, 0x20, 0xAC], "€"), ([0xFF, 0xFE, 0xAC, 0x20], "€"), ([0xF0, 0x9F, 0x98, 0x80], "😀"), ([], ""),
    ] as [([UInt8], String)])
  func `unspecified bytes are recognised as UTF-8 or by their byte order mark`(bytes: [UInt8], expected: String) {
    #expect(text(bytes).text == expected)
  }

  @Test(
    arguments: [
      ([0x93, 0xFA, 0x96, 0x7B], "日本"), ([0x82, 0xB1, 0x82, 0xF1], "こん"),
      ([0xC3, 0xDE, 0xBB, 0xDE, 0xB2, 0xDD, 0x51, 0x52], "ﾃﾞｻﾞｲﾝQR"), ([0xCA, 0xDF, 0xDD], "ﾊﾟﾝ"),
      ([0x4D, 0x33, 0x20, 0xC5, 0xD7], "M3 ﾅﾗ"),
      ([0x51, 0x52, 0x83, 0x52, 0x81, 0x5B, 0x83, 0x68], "QRコード"),
    ] as [([UInt8], String)])
  func `unspecified bytes are recognised as Shift JIS`(bytes: [UInt8], expected: String) {
    #expect(text(bytes).text == expected)
  }

  @Test(
    arguments: [
      "Müller", "größe", "Café", "élan vital", "ÄÖÜ", "ÄÖÜß", "À bientôt", "25 °C", "¿Qué?", "«Été»", "½ Ñandú",
      "ÀÉÈ", "Þór", "naïve façade", "§ 5", "£10", "Ångström", "ÍÓÚ", "ÅV(Å¸18", "¢Ã 20 £¥", "ÚR·ª x",
    ])
  func `unspecified bytes are recognised as Latin-1, even if they could be Shift JIS`(expected: String) {
    #expect(text(expected.unicodeScalars.map { UInt8($0.value) }).text == expected)
  }

  @Test func `Shift JIS has the characters of JIS X 0208, and the rows that code page 932 adds`() {
    let bytes: [UInt8] = [
      0x81, 0x60, 0x81, 0x61, 0x81, 0x7C, 0x81, 0x91, 0x81, 0x92, 0x81, 0xCA, 0x81, 0x5F, 0x5C, 0x7E, 0x87, 0x40, 0xFB, 0xFC,
    ]
    #expect(text(bytes).text == "〜‖−¢£¬＼\\~①髙")
  }

  @Test func `a declared Kanji segment makes the rest of the symbol Japanese`() {
    // Level 2 kanji alone could be Latin-1.
    let bytes: [UInt8] = [0x93, 0xFA, 0xE0, 0xC0]
    let segments = [
      PayloadSegment(byteOffset: 0, interpretation: .eci(20)), PayloadSegment(byteOffset: 2, interpretation: .unspecified),
    ]
    #expect(MessageText(payload: bytes.span, segments: segments.span).text == "日狢")
    #expect(text(Array(bytes[2...])).text == "àÀ")
  }

  @Test func `unspecified segments are guessed together`() {
    // The second part alone would be Latin-1.
    let bytes: [UInt8] = [0xC3, 0xBC, 0x41, 0xC3, 0xA4]
    let segments = [
      PayloadSegment(byteOffset: 2, interpretation: .eci(27)), PayloadSegment(byteOffset: 3, interpretation: .unspecified),
    ]
    #expect(MessageText(payload: bytes.span, segments: segments.span).text == "üAä")
  }
}
