import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct ComponentMessageTests {
  /// The text of bits.
  private func text(_ bits: String) -> String? {
    let memory = TestArena()
    defer { withExtendedLifetime(memory) {} }
    var all = ComponentBits(memory.array([UInt8](repeating: 0, count: 64)))
    for bit in bits where bit != " " { all.append(bit == "1" ? 1 : 0) }
    let room = memory.array([UInt8](repeating: 0, count: 128))
    return ComponentMessage(all, into: room).write().map { String(decoding: (0..<$0).map { room[$0] }, as: UTF8.self) }
  }

  private func binary(_ value: Int, _ width: Int) -> String {
    String((0..<width).map { value >> (width - 1 - $0) & 1 == 1 ? "1" : "0" })
  }

  /// Two digits of the numeric encodation; 10 is FNC1.
  private func pair(_ first: Int, _ second: Int) -> String { binary(first * 11 + second + 8, 7) }

  @Test func `other element strings are a general field`() {
    #expect(text("0" + pair(9, 9) + pair(1, 2) + "0000 00100 00") == "9912")
  }

  @Test func `a date has its identifier, and a lot number follows without one`() {
    #expect(text("10" + binary(97 * 384 + 9 * 32 + 31, 16) + "0" + pair(1, 2) + "0000 00100") == "119710311012")
    #expect(text("10" + binary(97 * 384 + 9 * 32 + 31, 16) + "1" + pair(1, 2) + "0000 00100") == "179710311012")
  }

  @Test func `FNC1 behind a date means that no lot number follows`() {
    #expect(text("10" + binary(26 * 384 + 11 * 32 + 31, 16) + "1 0000 01111 0000 00100 00100 0") == "17261231")
    #expect(text("10" + binary(26 * 384 + 11 * 32 + 31, 16) + "1" + pair(10, 2) + pair(1, 7) + "0000") == "17261231217")
  }

  @Test func `a lot number alone has a form of its own`() {
    #expect(text("10 11" + pair(4, 2) + "0000 00100") == "1042")
  }

  @Test func `a data identifier has a number and a letter`() {
    // Numeric: 4 H, then 12.
    #expect(text("11 10 0" + binary(4, 5) + binary(2, 4) + pair(1, 2) + "0000") == "904H12")
    // A number from 31 on, or a rare letter.
    #expect(text("11 10 0 11111" + binary(250, 10) + binary(0, 5) + pair(1, 2) + "0000") == "90250A12")
    // Letters of five bits and digits of six, to the end.
    #expect(text("11 11 0" + binary(0, 5) + binary(0, 4) + binary(2, 5) + binary(57, 6) + "11111 0000 00100") == "90BC5")
  }

  @Test func `an identifier that is omitted behind a data identifier is inserted`() {
    #expect(
      text("11 11 10" + binary(0, 5) + binary(0, 4) + binary(2, 5) + "11111" + pair(7, 7) + "0000 00100")
        == "90BC\u{1D}2177")
    #expect(
      text("11 0 11" + binary(0, 5) + binary(0, 4) + "01010 01111" + pair(7, 7) + "0000 00100") == "90B5\u{1D}800477")
  }

  @Test func `an identifier that was left out needs data`() {
    #expect(text("11 0 11" + binary(0, 5) + binary(0, 4) + "01010 01010 00100") == nil)
  }

  @Test func `bits that end within a field have no text`() {
    #expect(text("10 0101") == nil)
    #expect(text("11 10 0 11111 0000") == nil)
    #expect(text("") == nil)
  }

  @Test func `seven codewords are 69 bits, and one more is nine`() throws {
    let memory = TestArena()
    defer { withExtendedLifetime(memory) {} }
    // 928 + 1, and a last codeword of its own.
    var bits = ComponentBits(memory.array([UInt8](repeating: 0xFF, count: 64)))
    let isRead = bits.append(base928: memory.array([0, 0, 0, 0, 0, 1, 1, 5] as [UInt16]), count: 8)
    #expect(isRead)
    #expect(bits.count == 78)
    let value = (0..<69).reduce(0) { $0 << 1 | bits.bit($1) }
    #expect(value == 929)
    #expect((69..<78).reduce(0) { $0 << 1 | bits.bit($1) } == 5)
  }

  @Test(arguments: [[928], [512], [927, 927, 927, 927, 927, 927, 927]] as [[UInt16]])
  func `codewords that encode more than their bits are no component`(codewords: [UInt16]) {
    let memory = TestArena()
    defer { withExtendedLifetime(memory) {} }
    var bits = ComponentBits(memory.array([UInt8](repeating: 0, count: 64)))
    let isRead = bits.append(base928: memory.array(codewords), count: codewords.count)
    #expect(!isRead)
  }
}
