// Messages from literal codewords: compaction modes, character sets, parts of a message, and invalid messages.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct StackedMessageTests {
  private struct Read {
    var bytes: [UInt8]
    var message: SymbolMessage
    var interpretation: TextInterpretation?
    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  private func read(_ codewords: [Int], isMicro: Bool = false) -> Read? {
    let memory = TestArena()
    var results = try! ResultStore(arena: &memory.arena)
    let array = memory.array(codewords.map { UInt16($0) } + [0])
    var reader = StackedMessageReader(array, first: 0, end: codewords.count, isMicro: isMicro)
    guard let message = reader.read(into: &results) else { return nil }
    results.commit(
      DecodedSymbol(
        symbology: .pdf417, aimModifier: message.aimModifier,
        corners: Quad(
          topLeft: PixelPoint(x: .zero, y: .zero), topRight: PixelPoint(x: .one, y: .zero),
          bottomRight: PixelPoint(x: .one, y: .one), bottomLeft: PixelPoint(x: .zero, y: .one))))
    return Read(
      bytes: Array(results.payloadBytes(0)), message: message,
      interpretation: results.payloadSegments(0).first?.interpretation)
  }

  /// ISO/IEC 15438: "PDF417" in text compaction is 453 178 121 239.
  @Test func `the standard's text compaction example is read`() {
    let found = read([453, 178, 121, 239])
    #expect(found?.text == "PDF417")
    #expect(found?.message.aimModifier == 0x32)
  }

  /// ISO/IEC 15438: 000213298174000 in numeric compaction is 1 624 434 632 282 200.
  @Test func `the standard's numeric compaction example is read`() {
    #expect(read([902, 1, 624, 434, 632, 282, 200])?.text == "000213298174000")
  }

  @Test func `every sub-mode of text compaction is read`() {
    // A, lower: b, shift to capital: C, d; mixed: 1 &, punctuation: ;, back to capitals: Z; shifted punctuation: !
    let values = [0, 27, 1, 27, 2, 3, 28, 1, 10, 25, 0, 29, 25, 29, 10, 26]
    #expect(read(stride(from: 0, to: 16, by: 2).map { values[$0] * 30 + values[$0 + 1] })?.text == "AbCd1&;Z! ")
  }

  @Test func `bytes are read in groups and singly`() {
    // 1 163 238 432 766 is "alcool" in six-byte groups, the example of the standard.
    #expect(read([924, 163, 238, 432, 766, 244])?.text == "alcool")
    #expect(read([901, 163, 238, 432, 766, 244, 100])?.text == "alcoold")
    // Five codewords after 901 are five bytes.
    #expect(read([901, 65, 66, 67, 68, 69])?.text == "ABCDE")
    // A byte in the middle of text.
    #expect(read([453, 913, 233, 178])?.bytes == [0x50, 0x44, 0xE9, 0x46])
  }

  @Test func `a shift that pads a pair of text ends with the pair`() {
    // "A" and a punctuation shift as padding, then the byte 0xE9, a character set or a flag, then "BC".
    #expect(read([29, 913, 233, 32])?.bytes == [0x41, 0xE9, 0x42, 0x43])
    #expect(read([29, 927, 3, 32])?.text == "ABC")
    #expect(read([29, 921, 32])?.text == "ABC")
    // The sub-mode stays: lower-case "ab" before and "bc" after. In punctuation the padding is a latch to capitals.
    #expect(read([27 * 30, 1 * 30 + 29, 913, 33, 32])?.text == "ab!bc")
    #expect(read([28 * 30 + 25, 10 * 30 + 29, 913, 33, 32])?.text == "!!BC")
  }

  @Test func `ECIs select the character set`() {
    let found = read([927, 26, 901, 0xC3, 0xA9])
    #expect(found?.text == "é" && found?.interpretation == .eci(26) && found?.message.aimModifier == 0x31)
    #expect(read([926, 0, 100, 453])?.interpretation == .eci(1000))
    #expect(read([925, 5, 453])?.interpretation == .eci(810_905))
  }

  @Test func `a Macro PDF417 part gives its position, count and file`() {
    // Segment 2 (100002 in base 900 is 111 102), file 17, segment count 4 (100004 is 111 104).
    let part = read([453, 928, 111, 102, 17, 923, 1, 111, 104])?.message.structuredAppend
    #expect(part == StructuredAppend(index: 2, count: 4, identifier: 17))
    // The last part is marked as such.
    #expect(read([453, 928, 111, 103, 17, 922])?.message.structuredAppend?.count == 4)
  }

  @Test func `MicroPDF417 begins in byte mode and may emulate Code 128`() {
    #expect(read([65, 66], isMicro: true)?.text == "AB")
    #expect(read([900, 453], isMicro: true)?.text == "PD")
    let emulation = read([903, 453], isMicro: true)
    #expect(emulation?.text == "PD" && emulation?.message.aimModifier == 0x33 && emulation?.message.isGS1 == true)
    #expect(read([905, 1, 624, 434, 632, 282, 200], isMicro: true)?.text == "01000213298174000")
    #expect(read([910, 453], isMicro: true)?.message.aimModifier == 0x35)
    #expect(read([906, 453], isMicro: true)?.message == emulation?.message)
    #expect(read([907, 1, 624, 434, 632, 282, 200], isMicro: true)?.text == "000213298174000")
    #expect(read([914, 453], isMicro: true)?.text == "10PD")
    #expect(read([915, 453], isMicro: true)?.text == "21PD")
    #expect(read([912, 453], isMicro: true) == nil)
    #expect(read([916, 900, 453], isMicro: true)?.text == "[)>\u{1E}05\u{1D}PD\u{1E}\u{04}")
  }

  @Test(arguments: [
    [], [900], [901, 256], [924, 899, 899, 899, 899, 899], [902, 0], [927], [927, 900], [913], [928, 111], [905],
    [453, 914],
  ])
  func `codewords that are not a message are refused`(codewords: [Int]) {
    #expect(read(codewords) == nil)
  }
}
