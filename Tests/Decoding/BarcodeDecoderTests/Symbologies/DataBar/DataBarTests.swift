import BarcodeTypes
import Foundation
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Widths as the decoder packs them.
private func packed(_ widths: [Int]) -> DataBarCharacter {
  DataBarCharacter(widths: widths.enumerated().reduce(0) { $0 | UInt64($1.element) << UInt64($1.offset * 4) })
}

/// The text of a 13-digit number.
private func itemText(_ number: Int) -> String {
  let digits = String(String(10_000_000_000_000 + number).dropFirst())
  return "01" + digits + String(LinearEncoder.checkDigit(digits.map { $0.wholeNumberValue! }))
}

private func settings(_ symbology: Symbology) -> DecoderSettings {
  var settings = DecoderSettings()
  settings.symbologies = SymbologySet().with(symbology)
  return settings
}

@Suite struct DataBarCharacterTests {
  @Test(arguments: [
    (DataBarCharacterKind.expanded, DataBarEncoder.Alphabet.expanded), (.outer, .outer), (.inner, .inner),
  ])
  func `every character value is recovered from its widths`(kind: DataBarCharacterKind, alphabet: DataBarEncoder.Alphabet) {
    for value in 0..<alphabet.valueCount {
      let widths = alphabet.widths(value)
      #expect(widths.reduce(0, +) == kind.moduleCount)
      #expect(packed(widths).value(kind) == value)
    }
  }

  @Test func `DataBar Limited values are recovered from their widths`() {
    let alphabet = DataBarEncoder.Alphabet.limited
    #expect(alphabet.valueCount == 2_013_571)
    var starts = [0]
    for group in alphabet.groups { starts.append(starts.last! + group.values) }
    let values =
      Array(stride(from: 0, to: alphabet.valueCount, by: 19_997)) + starts.dropLast() + starts.dropFirst().map { $0 - 1 }
    for value in values { #expect(packed(alphabet.widths(value)).value(.limited) == value) }
  }

  @Test func `widths outside the alphabet are not a character`() {
    // The first elements of these sets are wider than any in their group.
    #expect(packed([5, 1, 5, 1, 1, 1, 1, 2]).value(.expanded) == nil)
    #expect(packed([1, 1, 1, 1, 1, 1, 1, 10]).value(.expanded) == nil)
    #expect(packed([2, 2, 2, 2, 3, 2, 2, 2]).value(.expanded) == nil)
  }

  @Test func `DataBar Limited check characters have nine modules each of bars and spaces`() {
    var seen: Set<UInt32> = []
    for value in 0..<89 {
      let widths = limitedCheckCharacter(value)
      for first in 0..<2 {
        #expect(stride(from: first, to: 14, by: 2).reduce(0) { $0 + widths[$1] } == 9)
      }
      #expect(widths[12] == 1 && widths[13] == 1)
      #expect(DataBarLimited.checkValue(packed(widths)) == value)
      seen.insert(dataBarLimitedCheckCharacters[value])
    }
    #expect(seen.count == 89)
    #expect(DataBarLimited.checkValue(packed([Int](repeating: 1, count: 14))) == nil)
  }

  /// Weights of ISO/IEC 24724 as the standard prints them.
  @Test func `check weights are powers of three`() {
    let first = packed([1, 0, 0, 0, 0, 0, 0, 0])
    #expect(first.checkSum(.outer, exponent: 31, modulus: 79) == 59)
    #expect(
      [0, 1, 5, 7, 8, 15, 16].map { first.checkSum(.expanded, exponent: $0, modulus: 211) } == [1, 3, 32, 77, 20, 63, 189])
    #expect([4, 5, 14, 27].map { first.checkSum(.limited, exponent: $0, modulus: 89) } == [81, 65, 20, 74])
  }
}

/// The element widths of a check character of GS1 DataBar Limited.
private func limitedCheckCharacter(_ value: Int) -> [Int] {
  (0..<14).map { Int(dataBarLimitedCheckCharacters[value] >> UInt32($0 * 2)) & 3 }
}

@Suite struct DataBarHalfTests {
  private let left = DataBarHalfPlace(x: 1000, y: 2000, alongX: 4000, alongY: 3000)

  @Test(arguments: [(5000, 5000), (5300, 5200), (1000, 2000), (400, 2800)])
  func `the halves of a symbol lie side by side or one above the other`(x: Int32, y: Int32) {
    #expect(left.isCompleted(by: DataBarHalfPlace(x: x, y: y, alongX: 4100, alongY: 2900)))
  }

  @Test func `halves that overlap, lie apart or differ in length or direction do not belong together`() {
    #expect(!left.isCompleted(by: DataBarHalfPlace(x: 3000, y: 3500, alongX: 4000, alongY: 3000)))
    #expect(!left.isCompleted(by: DataBarHalfPlace(x: 9000, y: 8000, alongX: 4000, alongY: 3000)))
    #expect(!left.isCompleted(by: DataBarHalfPlace(x: 5000, y: 5000, alongX: 2000, alongY: 1500)))
    #expect(!left.isCompleted(by: DataBarHalfPlace(x: 5000, y: 5000, alongX: 6000, alongY: 4500)))
    #expect(!left.isCompleted(by: DataBarHalfPlace(x: 5000, y: 5000, alongX: -4000, alongY: -3000)))
  }
}

@Suite struct DataBarExpandedMessageTests {
  /// The text of bits, padded with zeros to whole characters.
  private func text(_ bits: String) -> String? {
    let all = Array(bits.filter { $0 != " " })
    var values: [22 of UInt16] = .init(repeating: 0)
    let count = (all.count + 11) / 12
    for (index, bit) in all.enumerated() where bit == "1" { values[index / 12 + 1] |= 1 << UInt16(11 - index % 12) }
    let memory = TestArena()
    defer { withExtendedLifetime(memory) {} }
    let bytes = memory.array([UInt8](repeating: 0, count: LinearCandidate.byteCountMax))
    let message = DataBarExpandedMessage(DataBarExpandedBits(values, count: count + 1), into: bytes)
    return message.write().map { String(decoding: (0..<$0).map { bytes[$0] }, as: UTF8.self) }
  }

  private func binary(_ value: Int, _ width: Int) -> String {
    String((0..<width).map { value >> (width - 1 - $0) & 1 == 1 ? "1" : "0" })
  }

  /// 900123456789 in four groups of ten bits: (01)90012345678908.
  private var item: String { [1, 234, 567, 890].map { binary($0, 10) }.joined() }

  @Test func `variable-measure weights are decoded`() {
    #expect(text("0 0100" + item + binary(1750, 15)) == "01900123456789083103001750")
    #expect(text("0 0101" + item + binary(9999, 15)) == "01900123456789083202009999")
    #expect(text("0 0101" + item + binary(10_000, 15)) == "01900123456789083203000000")
  }

  /// The standard's example of a price, (3922)795.
  @Test func `prices are decoded`() {
    #expect(
      text("0 01100 00" + item + "10" + binary(11 * 7 + 9 + 8, 7) + binary(11 * 5 + 10 + 8, 7))
        == "01900123456789083922795")
    #expect(
      text("0 01101 00" + item + "10" + binary(401, 10) + binary(11 * 7 + 9 + 8, 7) + "0110") == "01900123456789083932401795"
    )
  }

  @Test(arguments: 0..<8)
  func `weights with dates are decoded`(method: Int) {
    let date = (3 * 12 + 2) * 32 + 14
    let identifier = ["11", "11", "13", "13", "15", "15", "17", "17"][method]
    let weight = method % 2 == 0 ? "310" : "320"
    #expect(
      text("0 0111" + binary(method, 3) + item + binary(212_345, 20) + binary(date, 16))
        == "0190012345678908" + weight + "2012345" + identifier + "030314")
    #expect(
      text("0 0111" + binary(method, 3) + item + binary(212_345, 20) + binary(38_400, 16))
        == "0190012345678908" + weight + "2012345")
  }

  /// (01)00012345678905(10)ABC123: the item, and a batch whose identifier 10 is encoded as numeric, followed by letters and
  /// then digits.
  @Test func `an item number and general-purpose data in every encodation are decoded`() {
    let gtin = binary(0, 4) + [1, 234, 567, 890].map { binary($0, 10) }.joined()
    #expect(
      text("0 1 00" + gtin + binary(11 + 8, 7) + "0000" + "100000 100001 100010 00110 00111 01000")
        == "010001234567890510ABC123")
    // Latches to ISO/IEC 646 and back to numeric: (21)aB?42, FNC1, 10.
    #expect(
      text(
        "0 00 00" + binary(2 * 11 + 1 + 8, 7) + "0000 00100" + "1011010 1000001 11111010 000" + binary(4 * 11 + 2 + 8, 7)
          + binary(10 * 11 + 1 + 8, 7) + binary(0 * 11 + 10 + 8, 7)) == "21aB?42\u{1D}10")
  }

  @Test func `FNC1 among letters returns to numeric encodation, with or without a latch`() {
    let start = "0 00 00" + binary(1 * 11 + 0 + 8, 7) + "0000 100001 01111"
    #expect(text(start + binary(2 * 11 + 1 + 8, 7) + binary(6 * 11 + 10 + 8, 7)) == "10B\u{1D}216")
    #expect(text(start + "000" + binary(2 * 11 + 1 + 8, 7) + binary(6 * 11 + 10 + 8, 7)) == "10B\u{1D}216")
  }

  @Test func `every special character of ISO 646 is decoded`() {
    let signs = Array("!\"%&'()*+,-./:;<=>?_ ")
    var bits = "0 00 00 0000 00100"
    for index in signs.indices { bits += binary(232 + index, 8) }
    #expect(text(bits) == String(signs))
    #expect(text("0 00 00 0000 00100" + binary(253, 8)) == nil)
  }

  @Test func `invalid messages are refused`() {
    // Three digits with the value 1000, a date beyond the last valid one, and a symbol too short for its method.
    #expect(text("0 0100" + binary(1000, 10) + binary(0, 30) + binary(1, 15)) == nil)
    #expect(text("0 0111000" + item + binary(1, 20) + binary(38_401, 16)) == nil)
    #expect(text("0 0111000" + item) == nil)
    #expect(text("0 00 00 0000 111111") == nil)
  }
}

@Suite struct DataBarDrawnTests {
  /// (01)98898765432106(3202)012345(15)991231, as the standard draws it.
  @Test func `the standard's example is read in both directions`() {
    let elements = [
      1, 2, 1, 4, 2, 3, 2, 1, 2, 1, 8, 4, 1, 1, 3, 4, 2, 2, 1, 1, 1, 3, 2, 1, 1, 6, 2, 3, 1, 1, 1, 1, 6, 4, 3, 1, 1, 2, 3, 6,
      1, 2, 1, 1, 1, 2, 5, 1, 3, 2, 2, 3, 6, 4, 1, 1, 3, 1, 2, 5, 1, 2, 1, 2, 1, 3, 4, 2, 1, 1, 2, 3, 1, 1, 8, 2, 3, 3, 2, 1,
      4, 1, 1, 4, 1, 1, 1,
    ]
    #expect(elements.reduce(0, +) == 199)
    let read = Picture(elements: elements).decode()
    #expect(read.map(\.text) == ["0198898765432106320201234515991231"])
    #expect(Picture(elements: elements.reversed()).decode().map(\.text) == ["0198898765432106320201234515991231"])
  }

  @Test(arguments: 4...22)
  func `DataBar Expanded is read at every length`(count: Int) {
    let digits = String(
      "9012345678901234567890123456789012345678901234567890123456789012345678".prefix(((count - 1) * 12 - 5) / 7 * 2))
    let drawing = DataBarExpandedDrawing(bits: DataBarEncoder.numeric(digits, count: count))
    var view = View()
    view.modulePixels = 2.2
    view.degrees = Double(count * 17)
    view.quietModules = 3
    let read = Picture(elements: drawing.elements, view: view).decode()
    #expect(read.map(\.text) == [digits])
    #expect(read.first?.symbol.symbology == .databarExpanded)
    #expect(read.first?.symbol.isGS1 == true)
    #expect(read.first?.symbol.aimModifier == UInt8(ascii: "0"))
  }

  @Test(arguments: [(22, 2), (21, 3), (14, 1), (7, 2), (10, 4), (4, 1)])
  func `DataBar Expanded Stacked is read`(count: Int, columns: Int) {
    let digits = String(
      "9012345678901234567890123456789012345678901234567890123456789012345678".prefix(((count - 1) * 12 - 5) / 7 * 2))
    let drawing = DataBarExpandedDrawing(bits: DataBarEncoder.numeric(digits, count: count))
    let picture = drawing.stacked(columns: columns, rowHeight: 14).seen(
      MatrixView(modulePixels: 2.5, degrees: Double(count * 5 + columns * 40), blurModules: 0.25, noise: 4))
    let read = picture.decode(settings(.databarExpanded))
    #expect(read.map(\.text) == [digits])
  }

  @Test(arguments: Array(stride(from: 1, to: 211, by: 12)))
  func `a wrong check character of DataBar Expanded is refused`(error: Int) {
    let drawing = DataBarExpandedDrawing(bits: DataBarEncoder.numeric("1012345678", count: 5), error: error)
    #expect(Picture(elements: drawing.elements).decode().isEmpty)
  }

  @Test(arguments: [950_110_153_000, 9_999_999_999_999, 2_001_234_567_890, 4_412_345_678_909])
  func `DataBar Omnidirectional and Truncated are read`(number: Int) {
    for height in [66.0, 26.0] {
      var view = View()
      view.modulePixels = 2
      view.barHeightPixels = height
      view.quietModules = 2
      view.degrees = Double(number % 360)
      let read = Picture(elements: DataBarDrawing(number).elements, view: view).decode()
      #expect(read.map(\.text) == [itemText(number)])
      #expect(read.first?.symbol.symbology == .databar && read.first?.symbol.isGS1 == true)
    }
  }

  @Test(arguments: [950_110_153_000, 1_234_567_890_123, 9_999_999_999_999])
  func `DataBar Stacked is read`(number: Int) {
    for heights in [[33, 33], [40, 40]] {
      for degrees in [0.0, 90, 200] {
        let picture = DataBarDrawing(number).stacked(heights: heights).seen(
          MatrixView(modulePixels: 3, degrees: degrees, blurModules: 0.2, noise: 3))
        #expect(picture.decode(settings(.databar)).map(\.text) == [itemText(number)], "\(heights) \(degrees)")
      }
    }
  }

  /// Corners as reported for a sharp symbol with modules of eight pixels, rotated by 90°, at some places.
  @Test func `a stacked symbol whose every row gives the whole text is one symbol`() throws {
    func place(_ left: Int, _ right: Int) -> Quad {
      func point(_ x: Int, _ y: Int) -> PixelPoint { PixelPoint(x: Fixed16(x), y: Fixed16(y)) }
      return Quad(
        topLeft: point(right, 100), topRight: point(right, 500), bottomRight: point(left, 500), bottomLeft: point(left, 100))
    }
    for (symbology, first, second, expected) in [
      (Symbology.databar, place(175, 471), place(427, 738), 1), (.databar, place(175, 471), place(480, 738), 2),
      (.code128, place(175, 471), place(427, 738), 2), (.databar, place(470, 470), place(480, 738), 1),
    ] {
      let memory = TestArena()
      var results = try ResultStore(arena: &memory.arena)
      for corners in [first, second] {
        for byte in "0109521234543213".utf8 { _ = results.append(byte) }
        results.commit(DecodedSymbol(symbology: symbology, aimModifier: 0x30, corners: corners))
      }
      #expect(results.count == expected, "\(symbology.name)")
    }
  }

  @Test(arguments: Array(stride(from: 1, to: 79, by: 6)))
  func `a wrong check value of DataBar Omnidirectional is refused`(error: Int) {
    #expect(Picture(elements: DataBarDrawing(950_110_153_000, error: error).elements).decode().isEmpty)
  }

  /// The negative of a symbol, read backwards, has valid finder patterns. Out of focus by two modules, characters of this number are
  /// off by a module there, and its wrong check value fits.
  @Test(arguments: [2.15, 2.2])
  func `the negative of a blurred DataBar Omnidirectional is not read`(diameter: Double) throws {
    let number = 2_115_310_658_496
    for shift in 0..<8 {
      let picture = unfocused(DataBarDrawing(number).elements, diameter: diameter, shift: Double(shift) / 8)
      let found = picture.decode().map(\.text)
      #expect(found.isEmpty || found == [itemText(number)], "shifted by \(shift) eighths of a pixel")
    }
  }

  @Test(arguments: [0.0, 180])
  func `light DataBar symbols on dark ground are read`(degrees: Double) {
    var view = View()
    view.modulePixels = 3
    view.degrees = degrees
    let digits = "90123456"
    for (elements, text) in [
      (DataBarDrawing(950_110_153_000).elements, itemText(950_110_153_000)),
      (DataBarExpandedDrawing(bits: DataBarEncoder.numeric(digits, count: 4)).elements, digits),
    ] {
      var picture = Picture(elements: elements, view: view)
      for index in picture.pixels.indices { picture.pixels[index] = 255 - picture.pixels[index] }
      #expect(picture.decode().map(\.text) == [text])
    }
  }

  /// Bars 40 pixels high with modules of four pixels, seen by a lens that spreads every point over a disc.
  ///
  /// - Parameters:
  ///   - diameter: of the disc, in modules.
  ///   - shift: to the right, in pixels.
  private func unfocused(_ elements: [Int], diameter: Double, shift: Double) -> Picture {
    let (module, margin) = (4.0, 60)
    let radius = diameter * module / 2
    /// The share of the disc's light that falls to the left of a place.
    func share(_ place: Double) -> Double {
      let place = max(-radius, min(radius, place))
      return 0.5 + (place * (radius * radius - place * place).squareRoot() / (radius * radius) + asin(place / radius)) / .pi
    }
    let width = elements.reduce(0, +) * Int(module) + 2 * margin
    var darkness = [Double](repeating: 0, count: width)
    var place = Double(margin) + shift
    for (index, count) in elements.enumerated() {
      let end = place + Double(count) * module
      if index % 2 == 0 { for x in 0..<width { darkness[x] += share(Double(x) - place) - share(Double(x) - end) } }
      place = end
    }
    var picture = Picture(width: width, height: 80, grey: 200)
    for y in 20..<60 { for x in 0..<width { picture.pixels[y * width + x] = UInt8((200 - 187 * darkness[x]).rounded()) } }
    return picture
  }

  @Test(arguments: [950_110_153_000, 0, 1_999_999_999_999, 1_234_567_890_123])
  func `DataBar Limited is read`(number: Int) {
    let elements = DataBarDrawing.limited(number, checkCharacter: limitedCheckCharacter)
    for degrees in [0.0, 75, 180] {
      var view = View()
      view.modulePixels = 2
      view.degrees = degrees
      view.quietModules = 6
      let read = Picture(elements: elements, view: view).decode()
      #expect(read.map(\.text) == [itemText(number)])
      #expect(read.first?.symbol.symbology == .databarLimited)
    }
  }

  @Test func `a wrong check character of DataBar Limited is refused`() {
    for error in stride(from: 1, to: 89, by: 8) {
      let elements = DataBarDrawing.limited(950_110_153_000) { limitedCheckCharacter(($0 + error) % 89) }
      #expect(Picture(elements: elements).decode().isEmpty)
    }
  }

  /// If a piece of the symbol is missing, nothing is reported, and never a wrong text.
  @Test(arguments: 1...24)
  func `a damaged DataBar symbol gives the right text or nothing`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let number = Int.random(in: 0..<2_000_000_000_000, using: &generator)
    let digits = String(String(100_000_000_000 + number % 90_000_000_000).prefix(10))
    let (elements, text): ([Int], String) =
      switch seed % 3 {
      case 0: (DataBarDrawing(number).elements, itemText(number))
      case 1: (DataBarDrawing.limited(number, checkCharacter: limitedCheckCharacter), itemText(number))
      default: (DataBarExpandedDrawing(bits: DataBarEncoder.numeric(digits, count: 6)).elements, digits)
      }
    var view = View()
    view.seed = seed
    view.degrees = Double.random(in: 0..<360, using: &generator)
    view.modulePixels = Double.random(in: 1.2...3, using: &generator)
    view.blurModules = Double.random(in: 0.2...1.0, using: &generator)
    view.inkModules = Double.random(in: -0.2...0.3, using: &generator)
    view.noise = Double.random(in: 0...20, using: &generator)
    var picture = Picture(elements: elements, view: view)
    if seed % 4 == 0 {
      let at = Int.random(in: 0..<(picture.width - 8), using: &generator)
      for y in 0..<picture.height { for x in at..<(at + 8) { picture.pixels[y * picture.width + x] = 30 } }
    }
    let found = picture.decode().map(\.text)
    #expect(found.isEmpty || found == [text])
  }
}
