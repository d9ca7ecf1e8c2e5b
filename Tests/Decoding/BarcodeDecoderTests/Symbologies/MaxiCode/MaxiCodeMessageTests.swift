// Messages from literal codewords, and from codewords that break the rules; the layout and the code sets.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct MaxiCodeMessageTests {
  private struct Message {
    var bytes: [UInt8]
    var segments: [PayloadSegment]
    var message: SymbolMessage

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var modifier: String { String(decoding: [message.aimModifier], as: UTF8.self) }
  }

  /// Reads codewords; the first one holds the mode.
  private func read(_ codewords: [Int]) -> Message? {
    let memory = TestArena()
    var results = try! ResultStore(arena: &memory.arena)
    var reader = MaxiCodeMessageReader(
      memory.array(codewords.map(UInt16.init)), count: codewords.count, mode: codewords[0] & 15)
    guard let message = reader.read(into: &results) else { return nil }
    let corner = PixelPoint(x: .zero, y: .zero)
    results.commit(
      DecodedSymbol(
        symbology: .maxicode, aimModifier: message.aimModifier,
        corners: Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner)))
    return Message(bytes: Array(results.payloadBytes(0)), segments: Array(results.payloadSegments(0)), message: message)
  }

  /// The primary message: mode, postal code and its length, country, class of service, from the lowest bits up.
  private func primary(mode: Int, postal: UInt64, country: UInt64, service: UInt64) -> [Int] {
    let bits = UInt64(mode) | postal << 4 | country << 40 | service << 50
    return (0..<10).map { Int(bits >> UInt64(6 * $0) & 63) }
  }

  private func letters(_ text: String) -> [Int] { MaxiCodeDrawing.codewords(text) }

  @Test func `a carrier message with a postal code of digits comes first`() {
    let codewords = primary(mode: 2, postal: 68107 | 9 << 30, country: 840, service: 1) + letters("1Z12345675")
    #expect(read(codewords)?.text == "000068107\u{1D}840\u{1D}001\u{1D}1Z12345675")
    #expect(read(codewords)?.modifier == "1")
  }

  @Test func `a postal code of letters has six characters`() {
    let postal = letters("B1050 ").reduce(UInt64(0)) { $0 << 6 | UInt64($1) }
    let codewords = primary(mode: 3, postal: postal, country: 56, service: 999) + letters("X") + [33, 33]
    #expect(read(codewords)?.text == "B1050 \u{1D}056\u{1D}999\u{1D}X")
  }

  @Test func `the carrier message follows the header of the Transportation Data Format`() {
    // [)> in sets B and A, RS, 01, GS, 96.
    let header = [59, 42, 41, 59, 40, 30] + letters("01") + [29] + letters("96")
    let carrier = primary(mode: 2, postal: 12345 | 5 << 30, country: 840, service: 1)
    #expect(read(carrier + header + letters("1Z"))?.text == "[)>\u{1E}01\u{1D}9612345\u{1D}840\u{1D}001\u{1D}1Z")
    #expect(
      read(carrier + header.dropLast(2) + letters("06") + [33])?.text
        == "[)>\u{1E}01\u{1D}0612345\u{1D}840\u{1D}001\u{1D}")
    // The digits of the version and of the following text may be in a single number: 961234567.
    let number = (0..<5).map { 961_234_567 >> (24 - 6 * $0) & 63 }
    #expect(
      read(carrier + header.dropLast(2) + [31] + number)?.text
        == "[)>\u{1E}01\u{1D}9612345\u{1D}840\u{1D}001\u{1D}1234567")
  }

  @Test func `numbers have nine digits`() {
    #expect(read([4, 31, 0, 0, 0, 1, 36] + letters("A"))?.text == "000000100A")
    #expect(read([4, 31] + (0..<5).map { 999_999_999 >> (24 - 6 * $0) & 63 })?.text == "999999999")
    #expect(read([4, 31, 63, 63, 63, 63, 63]) == nil)
    #expect(read([4, 1, 31, 0, 0, 0]) == nil)
  }

  @Test func `a shift applies to its number of characters, a latch or lock to all that follow`() {
    // a after a shift, A; then B by latch, and two and three characters of A from there.
    #expect(read([4, 59, 1, 1])?.text == "aA")
    #expect(read([4, 63, 1, 56, 1, 2, 3, 57, 1, 2, 3, 4, 59, 1, 2, 63, 1])?.text == "aABcABCdAbA")
    // À by a shift; locked to set C, then D by a shift and back.
    #expect(read([4, 60, 0, 1])?.bytes == [0xC0, 0x41])
    #expect(read([4, 60, 60, 0, 1, 61, 1, 2, 58, 1])?.bytes == [0xC0, 0xC1, 0xE1, 0xC2, 0x41])
    #expect(read([4, 61, 61, 0, 62, 0, 63, 1])?.bytes == [0xE0, 0x00, 0x61])
  }

  @Test func `the code sets contain every byte, and none contains a byte twice`() {
    var seen: Set<UInt8> = []
    for set in [MaxiCodeSet.a, .b, .c, .d, .e] {
      var own: Set<UInt8> = []
      for codeword in 0..<64 {
        guard case .character(let byte) = MaxiCodeTables.meaning(codeword, set) else { continue }
        #expect(own.insert(byte).inserted, "\(byte) twice")
      }
      seen.formUnion(own)
    }
    #expect(seen.count == 256)
  }

  @Test(
    arguments: [
      ([5], 5), ([31], 31), ([32, 33], 33), ([47, 63], 1023), ([48, 16, 0], 1024 * 64 / 64), ([55, 63, 63], 32767),
      ([56, 2, 0, 0], 8192), ([59, 52, 8, 63], 999_999),
    ])
  func `an ECI has one to four codewords`(codewords: [Int], number: Int) {
    let message = read([4, 27] + codewords + [1])
    #expect(message?.segments == [PayloadSegment(byteOffset: 0, interpretation: .eci(UInt32(number)))])
    #expect(message?.text == "A" && message?.modifier == "2")
  }

  @Test func `an ECI beyond the greatest is refused`() {
    #expect(read([4, 27, 60, 1]) == nil)
    #expect(read([4, 27, 59, 63, 63, 63, 1]) == nil)
    #expect(read([4, 1, 27]) == nil)
  }

  @Test func `a leading pad announces the position in a message`() {
    let message = read([4, 33, 1 << 3 | 2] + letters("PART"))
    #expect(message?.text == "PART")
    #expect(message?.message.structuredAppend == StructuredAppend(index: 1, count: 3, identifier: 0))
    let carrier = primary(mode: 2, postal: 12345 | 5 << 30, country: 840, service: 1)
    #expect(read(carrier + [33, 7 << 3 | 7] + letters("P"))?.message.structuredAppend?.index == 7)
    // Pads alone are not a message.
    #expect(read([4, 33, 33, 33]) == nil)
    #expect(read(carrier + [33, 33, 33])?.message.structuredAppend == nil)
  }

  @Test func `each module has one purpose`() throws {
    let memory = TestArena()
    let layout = try MaxiCodeLayout(arena: &memory.arena)
    let places = (0..<864).map(layout.place(ofBit:)) + (0..<18).map(MaxiCodeLayout.place(ofMark:)) + [28, 29]
    #expect(Set(places).count == 884)
    for place in places {
      #expect(place % 60 != 59, "odd rows have 29 modules")
      let (x, y) = MaxiCodeLayout.offset(of: place)
      #expect(x * x + y * y > 256 * 256 * 20, "a module in the bullseye")
    }
    // Each of six directions has three marks, at the same distances from the centre as in the others.
    let distances = (0..<18).map { mark in
      let (x, y) = MaxiCodeLayout.offset(of: MaxiCodeLayout.place(ofMark: mark))
      return (x * x + y * y) / 1000
    }
    for first in stride(from: 0, to: 18, by: 3) {
      let own = distances[first..<(first + 3)].sorted()
      #expect(zip(own, distances[0..<3].sorted()).allSatisfy { abs($0 - $1) < 20 })
    }
  }
}
