import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Both tracks of a DX film edge, from the bits of the patents.
private struct FilmEdge {
  /// The DX number, and the frame with its half.
  var first: Int
  var second: Int
  var frame: (number: Int, isHalf: Bool)?
  /// Whether the parity bit is wrong.
  var hasWrongParity = false
  /// Modules by which the clock is moved to the right.
  var clockShift = 0

  var bits: [Int] {
    func bits(_ number: Int, _ count: Int) -> [Int] { (0..<count).map { number >> (count - 1 - $0) & 1 } }
    var message = bits(first, 7) + [0] + bits(second, 4)
    if let frame { message += bits(frame.number, 6) + [frame.isHalf ? 1 : 0, 0] }
    let parity = message.reduce(0, +) % 2 ^ (hasWrongParity ? 1 : 0)
    return [1, 0, 1, 0, 1, 0] + message + [parity, 0, 1, 0, 1]
  }

  /// Rows of modules, the clock first, three for each track.
  var modules: [[Bool]] {
    let data = bits.map { $0 == 1 } + Array(repeating: false, count: clockShift)
    let clock =
      Array(repeating: false, count: clockShift) + Array(repeating: true, count: 5)
      + (0..<(bits.count - 8)).map { $0 % 2 == 1 } + Array(repeating: true, count: 3)
    return Array(repeating: clock, count: 3) + Array(repeating: data, count: 3)
  }

  func picture(side: Int = 3) -> Picture { .sharp(modules, side: side, margin: 10 * side) }
}

@Suite struct DXFilmEdgeTests {
  private var settings: DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.dxFilmEdge)
    return settings
  }

  private func texts(_ picture: Picture, _ settings: DecoderSettings) -> [String] {
    picture.decode(settings).map { "\($0.symbol.symbology.name) \($0.text)" }
  }

  private func turned(_ picture: Picture) -> Picture {
    var turned = picture
    turned.pixels = picture.pixels.reversed()
    return turned
  }

  @Test(arguments: [3, 4, 6])
  func `DX number and frame are read from both sides, with and without the frame`(side: Int) {
    for (film, text) in [
      (FilmEdge(first: 115, second: 10, frame: (11, true)), "115-10/11A"), (FilmEdge(first: 79, second: 15), "79-15"),
      (FilmEdge(first: 1, second: 0, frame: (0, false)), "1-0/0"),
      (FilmEdge(first: 127, second: 15, frame: (63, true)), "127-15/63A"),
    ] {
      #expect(texts(film.picture(side: side), settings) == ["dx-film-edge \(text)"])
      #expect(texts(turned(film.picture(side: side)), settings) == ["dx-film-edge \(text)"])
    }
  }

  @Test func `slides are light on dark`() {
    var picture = FilmEdge(first: 47, second: 1, frame: (22, true)).picture(side: 4)
    picture.pixels = picture.pixels.map { 255 - $0 }
    #expect(texts(picture, settings) == ["dx-film-edge 47-1/22A"])
  }

  @Test func `both tracks lie within the corners`() throws {
    let symbol = try #require(FilmEdge(first: 112, second: 1).picture(side: 4).decode(settings).first?.symbol)
    let (width, height) = (23.0 * 4, 6.0 * 4)
    let corners = [(40.0, 40.0), (40 + width, 40), (40 + width, 40 + height), (40, 40 + height)].map {
      ($0.0 - 0.5, $0.1 - 0.5)
    }
    #expect(cornerError(symbol, corners, modulePixels: 4) < 1)
  }

  @Test func `a wrong parity bit, a data track without a clock or beside another one, and an unasked symbol are not read`() {
    #expect(texts(FilmEdge(first: 115, second: 10, hasWrongParity: true).picture(), settings).isEmpty)
    let film = FilmEdge(first: 115, second: 10, frame: (11, false))
    #expect(texts(.sharp(Array(film.modules.suffix(3)), side: 3, margin: 30), settings).isEmpty)
    #expect(texts(FilmEdge(first: 115, second: 10, frame: (11, false), clockShift: 4).picture(), settings).isEmpty)
    #expect(texts(film.picture(), DecoderSettings()).isEmpty)
  }
}
