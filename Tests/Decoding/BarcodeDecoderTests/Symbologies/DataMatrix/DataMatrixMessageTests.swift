// Messages from literal codewords, and from sequences that break the rules.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct DataMatrixMessageTests {
  private struct Message {
    var bytes: [UInt8]
    var segments: [PayloadSegment]
    var message: SymbolMessage

    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  private func read(_ codewords: [Int]) -> Message? {
    let memory = TestArena()
    var results = try! ResultStore(arena: &memory.arena)
    var reader = DataMatrixMessageReader(memory.array(codewords.map { UInt16($0) } + [0]), count: codewords.count)
    guard let message = reader.read(into: &results) else { return nil }
    let corner = PixelPoint(x: .zero, y: .zero)
    results.commit(
      DecodedSymbol(
        symbology: .datamatrix, aimModifier: message.aimModifier,
        corners: Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner)))
    return Message(
      bytes: Array(results.payloadBytes(0)), segments: Array(results.payloadSegments(0)), message: message)
  }

  @Test func `the digit pairs of the standard's example are read`() {
    let message = read([142, 164, 186])
    #expect(message?.text == "123456" && message?.message.aimModifier == 0x31 && message?.message.isGS1 == false)
  }

  @Test func `ASCII and upper shift are read`() {
    // "A", "z", then 0xE9 as upper shift and 0x69.
    #expect(read([66, 123, 235, 0x69 + 1])?.bytes == [0x41, 0x7A, 0xE9])
  }

  @Test func `the standard's C40 example is read`() {
    // §5.2.5.2: "AIM" is 91 11 in C40; "AIMAIMAIM" three times that, 230 in front.
    #expect(read([230, 91, 11, 91, 11, 91, 11, 254])?.text == "AIMAIMAIM")
  }

  @Test func `Text encodation is read with its shifts`() {
    // "a", shift 3 "A"; shift 2 "!", "b": values 14 2 1 · 1 0 15.
    let first = 1600 * 14 + 40 * 2 + 1 + 1
    let second = 1600 * 1 + 40 * 0 + 15 + 1
    #expect(read([239, first >> 8, first & 255, second >> 8, second & 255, 254])?.text == "aA!b")
  }

  @Test func `X12 encodation is read`() {
    // CR * > space 0 Z.
    let first = 40 * 1 + 2 + 1
    let second = 1600 * 3 + 40 * 4 + 39 + 1
    #expect(read([238, first >> 8, first & 255, second >> 8, second & 255, 254, 67])?.text == "\r*> 0ZB")
  }

  @Test func `EDIFACT is read up to its unlatch or into the last codewords`() {
    // "DATA" is 4 1 20 1; unlatch after "5" is 53 31.
    let data = 4 << 18 | 1 << 12 | 20 << 6 | 1
    let end = 53 << 18 | 31 << 12
    #expect(read([240, data >> 16, data >> 8 & 255, data & 255, 66, 67])?.text == "DATAAB")
    #expect(
      read([240, data >> 16, data >> 8 & 255, data & 255, end >> 16, end >> 8 & 255, 66])?.text == "DATA5A")
  }

  @Test func `Base 256 is read with every form of length`() {
    let short = DataMatrixDrawing.varied([3, 1, 200, 255], from: 2)
    #expect(read([231] + short)?.bytes == [1, 200, 255])
    let rest = DataMatrixDrawing.varied([0, 7, 8], from: 2)
    #expect(read([231] + rest)?.bytes == [7, 8])
    let long = (0..<300).map { $0 % 256 }
    #expect(read([231] + DataMatrixDrawing.varied([250, 50] + long, from: 2))?.bytes == long.map { UInt8($0) })
    #expect(read([231] + DataMatrixDrawing.varied([9, 1], from: 2)) == nil)
  }

  @Test(arguments: [([241, 27], 26), ([241, 128, 100], 226), ([241, 192, 1, 2], 16384)])
  func `ECIs of every length are read`(codewords: [Int], assignment: Int) {
    let message = read(codewords + [66])
    #expect(message?.segments == [PayloadSegment(byteOffset: 0, interpretation: .eci(UInt32(assignment)))])
    #expect(message?.message.aimModifier == 0x34)
  }

  @Test func `FNC1 in first position marks GS1, and a later one is a separator`() {
    let message = read([232, 131, 232, 66])
    #expect(message?.text == "01\u{1D}A" && message?.message.isGS1 == true && message?.message.aimModifier == 0x32)
  }

  @Test func `FNC1 in second position marks an industry application`() {
    let message = read([66, 232, 67])
    #expect(message?.text == "AB" && message?.message.isGS1 == false && message?.message.aimModifier == 0x33)
  }

  @Test func `structured append gives position, count and file`() {
    // Part three of five, file 1 7; FNC1 is then in fifth position.
    let message = read([233, 2 << 4 | 12, 1, 7, 232, 140])
    #expect(message?.message.structuredAppend == StructuredAppend(index: 2, count: 5, identifier: 0x0107))
    #expect(message?.message.isGS1 == true && message?.text == "10")
    #expect(read([66, 233, 0x2C, 1, 7]) == nil)
  }

  @Test(arguments: [(236, "05"), (237, "06")])
  func `a macro expands to its header and trailer`(codeword: Int, format: String) {
    #expect(read([codeword, 66])?.text == "[)>\u{1E}\(format)\u{1D}A\u{1E}\u{04}")
    #expect(read([66, codeword]) == nil)
  }

  @Test func `reader programming is accepted only as the first codeword`() {
    #expect(read([234, 66])?.text == "A")
    #expect(read([66, 234]) == nil)
  }

  @Test func `pad codewords are checked`() {
    let padded = DataMatrixDrawing.padded([66], count: 8)
    #expect(read(padded)?.text == "A" && read(padded)?.message.hasRightPadding == true)
    #expect(read(padded.dropLast() + [1])?.message.hasRightPadding == false)
  }

  @Test(arguments: [[0], [242], [255], [230, 250, 255], [241], [241, 208, 1, 1], [129], [], [235]])
  func `codewords that break the rules are refused`(codewords: [Int]) {
    #expect(read(codewords) == nil)
  }
}
