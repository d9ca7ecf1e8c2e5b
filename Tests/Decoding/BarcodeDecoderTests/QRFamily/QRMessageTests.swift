// Messages from literal bits, and from streams that break the rules.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct QRMessageTests {
  private struct Message {
    var bytes: [UInt8]
    var segments: [PayloadSegment]
    var message: SymbolMessage

    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  private func read(_ codewords: [Int], version: Int = 1) -> Message? {
    let memory = TestArena()
    var results = try! ResultStore(arena: &memory.arena)
    let data = memory.array(codewords.map { UInt16($0) } + [0])
    var reader = QRMessageReader(data, count: codewords.count, version: version)
    guard let message = reader.read(into: &results) else { return nil }
    let corner = PixelPoint(x: .zero, y: .zero)
    results.commit(
      DecodedSymbol(
        symbology: .qr, aimModifier: message.aimModifier,
        corners: Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner)))
    return Message(
      bytes: Array(results.payloadBytes(0)), segments: Array(results.payloadSegments(0)), message: message)
  }

  private func read(count: Int = 60, version: Int = 1, _ make: (inout QRBits) -> Void) -> Message? {
    var bits = QRBits()
    make(&bits)
    return read(bits.codewords(count: count), version: version)
  }

  @Test func `the standard's numeric example is read`() {
    // 0001 numeric, 0000001000 eight digits, 0000001100 012, 0101011001 345, 1000011 67, 0000 end.
    #expect(read([0x10, 0x20, 0x0C, 0x56, 0x61, 0x80])?.text == "01234567")
  }

  @Test func `the standard's alphanumeric example is read`() {
    // 0010 alphanumeric, 000000101 five, 00111001110 AC, 11100111001 -4, 000010 2 (§7.4.4).
    let message = read {
      $0.append(0b0010_000000101, 13); $0.append(0b00111001110, 11); $0.append(0b11100111001, 11); $0.append(0b000010, 6)
    }
    #expect(message?.text == "AC-42" && message?.message.aimModifier == 0x31)
  }

  @Test(arguments: [1, 9, 10, 26, 27, 40])
  func `character count indicators widen with the version`(version: Int) {
    let message = read(version: version) {
      $0.appendDigits("9876543210", version: version)
      $0.appendAlphanumeric("RETICLE /7", version: version)
      $0.appendBytes(Array("straße".utf8), version: version)
    }
    #expect(message?.text == "9876543210RETICLE /7straße" && message?.segments == [])
  }

  @Test func `the standard's Kanji example is read`() {
    // §7.4.6: 点 is 935F, 茗 is E4AA.
    let message = read {
      $0.append(0b1000, 4)
      $0.append(2, 8)
      $0.append(0b0110110011111, 13)
      $0.append(0b1101010101010, 13)
    }
    #expect(message?.bytes == [0x93, 0x5F, 0xE4, 0xAA])
    #expect(message?.segments == [PayloadSegment(byteOffset: 0, interpretation: .eci(20))])
  }

  @Test func `bytes after Kanji are not interpreted as Kanji`() {
    let message = read {
      $0.append(0b1000, 4)
      $0.append(1, 8)
      $0.append(0b0110110011111, 13)
      $0.appendBytes([0x41], version: 1)
    }
    #expect(message?.segments.last == PayloadSegment(byteOffset: 2, interpretation: .unspecified))
  }

  @Test(arguments: [(0x09, 8, 9), (0x8000 | 300, 16, 300), (0xC0_0000 | 123_456, 24, 123_456)])
  func `ECI designators of every length are read`(designator: Int, bits: Int, assignment: Int) {
    let message = read {
      $0.append(0b0111, 4)
      $0.append(designator, bits)
      $0.appendBytes([0xE1, 0xE2], version: 1)
    }
    #expect(message?.segments == [PayloadSegment(byteOffset: 0, interpretation: .eci(UInt32(assignment)))])
    #expect(message?.message.aimModifier == 0x32 && message?.bytes == [0xE1, 0xE2])
  }

  @Test func `FNC1 in first position marks GS1 and makes a percent sign a separator`() {
    let message = read {
      $0.append(0b0101, 4)
      $0.appendAlphanumeric("10A%%B%21C", version: 1)
    }
    #expect(message?.bytes == Array("10A%B\u{1D}21C".utf8))
    #expect(message?.message.isGS1 == true && message?.message.aimModifier == 0x33)
  }

  @Test func `without FNC1, a percent sign is itself`() {
    #expect(read { $0.appendAlphanumeric("5%%", version: 1) }?.text == "5%%")
  }

  @Test(arguments: [(37, "37"), (165, "A")])
  func `FNC1 in second position puts its application indicator first`(indicator: Int, text: String) {
    let message = read {
      $0.append(0b1001, 4)
      $0.append(indicator, 8)
      $0.appendDigits("123", version: 1)
    }
    #expect(message?.text == text + "123" && message?.message.aimModifier == 0x35 && message?.message.isGS1 == false)
  }

  @Test func `structured append gives position, count and parity`() {
    let message = read {
      $0.append(0b0011, 4)
      $0.append(2, 4)
      $0.append(6, 4)
      $0.append(0x5A, 8)
      $0.appendBytes([0x41], version: 1)
    }
    #expect(message?.message.structuredAppend == StructuredAppend(index: 2, count: 7, identifier: 0x5A))
  }

  @Test func `a full symbol needs no terminator`() {
    var bits = QRBits()
    bits.appendBytes(Array("12345".utf8), version: 1)
    bits.append(0, 4)
    #expect(read(bits.codewords(count: 7))?.text == "12345")
  }

  @Test func `bit streams that break the rules are refused`() {
    // A mode that does not exist.
    #expect(read { $0.append(0b1110, 4) } == nil)
    // More bytes than the data holds.
    #expect(read([0x4F, 0xF0, 0x00]) == nil)
    // Three digits with a value over 999.
    #expect(
      read {
        $0.append(0b0001, 4); $0.append(3, 10); $0.append(1001, 10)
      } == nil)
    // A pair of letters with a value over 44 · 45 + 44.
    #expect(
      read {
        $0.append(0b0010, 4); $0.append(2, 9); $0.append(2025, 11)
      } == nil)
    // A designator that begins with 111.
    #expect(
      read {
        $0.append(0b0111, 4); $0.append(0xE0, 8)
      } == nil)
    // An assignment over 999999.
    #expect(
      read {
        $0.append(0b0111, 4); $0.append(0xDF_FFFF, 24)
      } == nil)
    // FNC1 twice.
    #expect(
      read {
        $0.append(0b0101_0101, 8); $0.appendDigits("1", version: 1)
      } == nil)
    // An application indicator that is neither digits nor a letter.
    #expect(
      read {
        $0.append(0b1001, 4); $0.append(120, 8); $0.appendDigits("1", version: 1)
      } == nil)
    // Part four of three.
    #expect(
      read {
        $0.append(0b0011, 4); $0.append(3, 4); $0.append(2, 4); $0.append(0, 8); $0.appendDigits("1", version: 1)
      } == nil)
    // No message at all.
    #expect(read([0x00, 0xEC, 0x11]) == nil)
  }

  @Test func `arbitrary codewords never trap`() {
    for seed in 0..<2000 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let codewords = (0..<Int.random(in: 1...80, using: &generator)).map { _ in Int.random(in: 0...255, using: &generator) }
      if let message = read(codewords, version: [1, 10, 27][seed % 3]) { #expect(!message.bytes.isEmpty) }
    }
  }
}
