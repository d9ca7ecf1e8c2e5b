import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
import PictureFiles
import SymbolPrinter
import TestScenes
import Testing

/// A drawn GS1 Composite symbol and its readings.
private struct DrawnComposite {
  private var luma: [UInt8] = []
  private var width = 0
  private var height = 0

  init(_ text: String, _ symbology: Symbology, scale: Int = 3, isGS1: Bool = false) throws {
    let file = try SymbolPrinter.print(SymbolRequest(text, symbology: symbology, isGS1: isGS1)).png(scale: scale)
    var picture = Picture()
    try picture.load(bytes: file.span.bytes)
    (width, height) = (picture.width, picture.height)
    luma = try #require(
      picture.withLuma { view in
        (0..<view.height).flatMap { y in (0..<view.width).map { view[$0, y] } }
      })
  }

  /// Turns the picture by a quarter, clockwise.
  mutating func turn() {
    var turned = [UInt8](repeating: 0, count: luma.count)
    for y in 0..<height {
      for x in 0..<width { turned[x * height + height - 1 - y] = luma[y * width + x] }
    }
    (luma, width, height) = (turned, height, width)
  }

  /// Whitens the first rows.
  mutating func removeComponent(rowCount: Int) {
    for place in 0..<(rowCount * width) { luma[place] = 255 }
  }

  /// Draws another one below, as on a sheet of labels.
  mutating func append(_ other: DrawnComposite) {
    var sheet = [UInt8](repeating: 255, count: max(width, other.width) * (height + other.height))
    let columns = max(width, other.width)
    for y in 0..<height { for x in 0..<width { sheet[y * columns + x] = luma[y * width + x] } }
    for y in 0..<other.height {
      for x in 0..<other.width { sheet[(height + y) * columns + x] = other.luma[y * other.width + x] }
    }
    (luma, width, height) = (sheet, columns, height + other.height)
  }

  /// The codes of the last of some camera frames, or of a single picture, and the number of symbols that were found only.
  func read(
    _ policy: CompositePolicy = .wait, frames: Int? = nil
  ) -> (codes: [(symbol: DecodedSymbol, content: SymbolContent)], locatedCount: Int) {
    var settings = DecoderSettings()
    settings.composite = policy
    settings.effort = frames == nil ? .still : .frame
    var workspace = Workspace(pixelCountMax: width * height)
    luma.withUnsafeBufferPointer { pixels in
      let view = LumaView(base: pixels.baseAddress!, width: width, height: height, bytesPerRow: width)
      for _ in 0..<(frames ?? 1) { _ = Decoder.decode(view, settings: settings, workspace: &workspace) }
    }
    let codes = (0..<workspace.symbolCount).map { index in
      let symbol = workspace.symbol(index)
      return (symbol, SymbolContent(symbol: symbol, payload: workspace.payload(index), segments: workspace.segments(index)))
    }
    return (codes, workspace.locatedCount)
  }
}

@Suite("GS1 Composite symbols") struct CompositeTests {
  /// The linear part, its symbology, and the text and AIM identifier of both parts with the component `(17)261231(10)AB12`.
  private static let kinds: [(linear: String, symbology: Symbology, text: String, aim: String)] = [
    ("4006381333931", .ean13, "4006381333931\u{1D}1726123110AB12", "]E0"),
    ("96385074", .ean8, "96385074\u{1D}1726123110AB12", "]E4"),
    ("036000291452", .upca, "036000291452\u{1D}1726123110AB12", "]E0"),
    ("01234565", .upce, "01234565\u{1D}1726123110AB12", "]E0"),
    ("09501101530003", .databar, "01095011015300031726123110AB12", "]e0"),
    ("09501101530003", .databarLimited, "01095011015300031726123110AB12", "]e0"),
    ("(01)09501101530003(3103)001750", .databarExpanded, "010950110153000331030017501726123110AB12", "]e0"),
    ("(01)09501101530003(21)X1", .databarExpanded, "010950110153000321X1\u{1D}1726123110AB12", "]e0"),
    ("(01)09501101530003(21)X1", .code128, "010950110153000321X1\u{1D}1726123110AB12", "]e0"),
  ]

  private func draw(_ index: Int, scale: Int = 3, component: String = "(17)261231(10)AB12") throws -> DrawnComposite {
    let kind = Self.kinds[index]
    return try DrawnComposite("\(kind.linear)|\(component)", kind.symbology, scale: scale, isGS1: kind.symbology == .code128)
  }

  @Test(arguments: kinds.indices, [2, 3, 5])
  func `both parts are one code, from any side`(index: Int, scale: Int) throws {
    let kind = Self.kinds[index]
    var drawn = try draw(index, scale: scale)
    for side in 0..<4 {
      let codes = drawn.read().codes
      #expect(codes.map(\.content.text) == [kind.text], "side \(side)")
      #expect(codes.map(\.symbol.symbology) == [kind.symbology])
      #expect(codes.map(\.content.aimIdentifier) == [kind.aim])
      #expect(codes.first?.symbol.component == .read)
      drawn.turn()
    }
  }

  @Test(arguments: kinds.indices)
  func `camera frames show both parts as one code`(index: Int) throws {
    #expect(try draw(index).read(frames: 3).codes.map(\.content.text) == [Self.kinds[index].text])
  }

  @Test(arguments: kinds.indices)
  func `the linear part alone is a choice`(index: Int) throws {
    let kind = Self.kinds[index]
    let codes = try draw(index).read(.ignore).codes
    let linear = String(kind.text.dropLast("1726123110AB12".count)).filter { $0 != "\u{1D}" }
    #expect(codes.map(\.content.text) == [linear])
  }

  @Test func `the elements of both parts have their names, and the printed form separates them`() throws {
    let content = try #require(try draw(0).read().codes.first?.content)
    #expect(content.humanReadable == "(01)04006381333931|(17)261231(10)AB12")
    #expect(content.gs1?["17"] == "261231")
    #expect(content.gs1?["01"] == "04006381333931")
    #expect(content.gs1?.isValid == true)
  }

  @Test(arguments: ["(10)AB12(91)" + String(repeating: "x9", count: 14), "(90)3Q123456(21)77", "(99)a;b_C"])
  func `long components and other encodation methods are read`(component: String) throws {
    for index in Self.kinds.indices {
      let reading = try draw(index, component: component).read().codes
      let expected = GS1Reading(bracketed: component).elements
      #expect(reading.count == 1)
      #expect(reading.first?.content.gs1?.elements.suffix(expected.count) == expected[...], "\(Self.kinds[index].linear)")
    }
  }

  /// The rows of `draw` down to the middle of the space or separator between both parts.
  private func componentRowCount(_ index: Int) throws -> Int {
    let quad = try #require(try draw(index).read(.ignore).codes.first?.symbol.corners)
    return Int(quad.topLeft.y.bits >> 16) - 4
  }

  @Test func `a symbol that announces a component waits for it in camera frames, and is shown as found`() throws {
    for index in [4, 8] {
      var drawn = try draw(index)
      drawn.removeComponent(rowCount: try componentRowCount(index))
      let read = drawn.read(frames: 20)
      #expect(read.codes.isEmpty)
      #expect(read.locatedCount == 1)
      #expect(drawn.read(.ignore, frames: 3).codes.count == 1)
      // A single picture has no next frame: the linear part is reported, and says what is missing.
      #expect(drawn.read().codes.map(\.symbol.component) == [.unread])
    }
  }

  @Test func `an EAN-13 without a component does not wait`() throws {
    var drawn = try draw(0)
    drawn.removeComponent(rowCount: try componentRowCount(0))
    #expect(drawn.read(frames: 1).codes.map(\.content.text) == ["4006381333931"])
    #expect(drawn.read().codes.map(\.symbol.component) == [CompositeComponent.none])
  }

  @Test func `each symbol of a sheet has its own component`() throws {
    var sheet = try draw(0, component: "(10)FIRST1")
    sheet.append(try draw(1, component: "(10)SECOND2"))
    sheet.append(try draw(4, component: "(10)THIRD3"))
    let texts = sheet.read().codes.map(\.content.text)
    #expect(Set(texts) == ["4006381333931\u{1D}10FIRST1", "96385074\u{1D}10SECOND2", "010950110153000310THIRD3"])
    #expect(texts.count == 3)
  }

  @Test func `a request with a wrong component says what is wrong`() {
    #expect(throws: SymbolPrinterError.self) {
      try SymbolPrinter.print(SymbolRequest("4006381333931|AB12", symbology: .ean13))
    }
  }
}
