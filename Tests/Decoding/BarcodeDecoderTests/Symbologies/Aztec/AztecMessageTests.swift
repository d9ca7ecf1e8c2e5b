// Messages from literal codes, and from streams that break the rules.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct AztecMessageTests {
  private struct Message {
    var bytes: [UInt8]
    var segments: [PayloadSegment]
    var message: SymbolMessage

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var modifier: String { String(decoding: [message.aimModifier], as: UTF8.self) }
  }

  private func read(_ make: (inout AztecBits) -> Void) -> Message? {
    var bits = AztecBits()
    make(&bits)
    let memory = TestArena()
    var results = try! ResultStore(arena: &memory.arena)
    var reader = AztecMessageReader(memory.array(bits.bits.map { $0 ? 1 : 0 } + [0]), count: bits.bits.count)
    guard let message = reader.read(into: &results) else { return nil }
    let corner = PixelPoint(x: .zero, y: .zero)
    results.commit(
      DecodedSymbol(
        symbology: .aztec, aimModifier: message.aimModifier,
        corners: Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner)))
    return Message(bytes: Array(results.payloadBytes(0)), segments: Array(results.payloadSegments(0)), message: message)
  }

  /// C, lower latch, o d e, digit latch, space 2, upper shift D, punctuation shift !
  private func appendCode2D(_ bits: inout AztecBits) {
    bits.append([4, 28, 16, 5, 6, 30])
    bits.append(1, 4)
    bits.append(4, 4)
    bits.append(15, 4)
    bits.append(5, 5)
    bits.append(0, 4)
    bits.append(6, 5)
  }

  @Test func `the standard's example is read`() {
    let message = read(appendCode2D)
    #expect(message?.text == "Code 2D!" && message?.modifier == "0" && message?.segments == [])
    var bits = AztecBits()
    appendCode2D(&bits)
    #expect(
      bits.codewords(width: 6) == [
        0b001001, 0b110010, 0b000001, 0b101001, 0b101111, 0b000010, 0b100111, 0b100101, 0b000001, 0b011011,
      ])
  }

  @Test func `latches and shifts lead through all character tables`() {
    let message = read { bits in
      // A, mixed @, punctuation ". ", upper B, shift #, lower a, shift B, c
      bits.append([2, 29, 20, 30, 3, 31, 3, 0, 8, 28, 2, 28, 3, 4])
      bits.append([29, 21, 28, 5, 29, 29, 30])  // mixed \, lower d, mixed, upper, digit
      bits.append(9, 4)
      bits.append(12, 4)
      bits.append(14, 4)
      bits.append(6, 5)
    }
    #expect(message?.text == "A@. B#aBc\\d7,E")
  }

  @Test func `after bytes, the table is that of the byte shift, even if it was shifted to`() {
    let message = read { bits in
      bits.append([30])
      for _ in 0..<4 { bits.append(5, 4) }
      // From digits, an upper shift leads to the byte shift.
      bits.append(15, 4)
      bits.appendBytes(Array("h3i3j".utf8))
      bits.append([10, 21, 10, 21])
    }
    #expect(message?.text == "3333h3i3jITIT")
  }

  @Test func `after a shift from a table that was shifted to, that table remains`() {
    // Lower, upper shift, punctuation shift !, then B of the upper table.
    let message = read { bits in bits.append([28, 28, 0, 6, 3]) }
    #expect(message?.text == "!B")
  }

  @Test(arguments: [1, 31, 32, 62, 63, 500])
  func `a byte shift of any length is read`(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 0x80 + $0 * 7) }
    let message = read { bits in
      bits.appendUpper("X")
      bits.appendBytes(bytes)
      bits.appendUpper("Y")
    }
    #expect(message?.bytes == [0x58] + bytes + [0x59])
  }

  @Test func `FNC1 in first position marks GS1, and a later one is a separator`() {
    let message = read { bits in
      bits.append([0, 0]); bits.append(0, 3)
      bits.appendUpper("AB")
      bits.append([0, 0]); bits.append(0, 3)
      bits.appendUpper("C")
    }
    #expect(message?.text == "AB\u{1D}C" && message?.modifier == "1" && message?.message.isGS1 == true)
  }

  @Test func `FNC1 after one letter or two digits is in second position`() {
    let letter = read { bits in
      bits.appendUpper("A")
      bits.append([0, 0]); bits.append(0, 3)
      bits.appendUpper("BC")
    }
    #expect(letter?.text == "ABC" && letter?.modifier == "2" && letter?.message.isGS1 == false)
    let digits = read { bits in
      bits.append(30, 5); bits.append(3, 4); bits.append(9, 4)
      bits.append(0, 4); bits.append(0, 5); bits.append(0, 3)
      bits.append(4, 4)
    }
    #expect(digits?.text == "172" && digits?.modifier == "2")
    let later = read { bits in
      bits.appendUpper("ABC")
      bits.append([0, 0]); bits.append(0, 3)
      bits.appendUpper("D")
    }
    #expect(later?.text == "ABC\u{1D}D" && later?.modifier == "0")
  }

  @Test func `an ECI holds until the next one`() {
    let message = read { bits in
      bits.appendUpper("A")
      bits.append([0, 0]); bits.append(2, 3); bits.append(4, 4); bits.append(8, 4)  // 26
      bits.appendBytes(Array("é".utf8))
      bits.append([0, 0]); bits.append(1, 3); bits.append(5, 4)  // 3
      bits.appendUpper("B")
    }
    #expect(message?.text == "AéB" && message?.modifier == "3")
    #expect(
      message?.segments == [
        PayloadSegment(byteOffset: 1, interpretation: .eci(26)), PayloadSegment(byteOffset: 3, interpretation: .eci(3)),
      ])
  }

  @Test func `GS1, ECI and structured append combine in the AIM modifier`() {
    let message = read { bits in
      bits.append([29, 29])
      bits.appendUpper("BD")
      bits.append([0, 0]); bits.append(0, 3)
      bits.append([0, 0]); bits.append(1, 3); bits.append(5, 4)
      bits.appendUpper("Z")
    }
    #expect(message?.text == "Z" && message?.modifier == "A" && message?.message.isGS1 == true)
    #expect(message?.message.structuredAppend == StructuredAppend(index: 1, count: 4, identifier: 0))
  }

  @Test func `the parts of one message share a structured append identifier`() {
    func part(_ identifier: String, _ place: String) -> Message? {
      read { bits in
        bits.append([29, 29])
        bits.appendUpper(" \(identifier) \(place)TEXT")
      }
    }
    let first = part("JOB", "AC")
    let second = part("JOB", "BC")
    #expect(first?.text == "TEXT" && first?.modifier == "6")
    #expect(first?.message.structuredAppend?.index == 0 && first?.message.structuredAppend?.count == 3)
    #expect(second?.message.structuredAppend?.index == 1)
    #expect(first?.message.structuredAppend?.identifier == second?.message.structuredAppend?.identifier)
    #expect(part("BOJ", "AC")?.message.structuredAppend?.identifier != first?.message.structuredAppend?.identifier)
    // Part three of two, and an invalid position.
    #expect(
      part("JOB", "CB") == nil
        && read {
          $0.append([29, 29]); $0.appendUpper("A")
        } == nil)
  }

  @Test func `padding adds nothing to the message`() {
    for count in 0...11 {
      let message = read { bits in
        bits.appendUpper("PAD")
        for _ in 0..<count { bits.append(1, 1) }
      }
      #expect(message?.text == "PAD", "\(count) bits")
    }
  }

  @Test func `a broken bit stream gives no message`() {
    #expect(read { _ in } == nil)
    // The reserved flag, an interpretation that is not a number, more bytes than the data holds.
    #expect(
      read {
        $0.appendUpper("A"); $0.append([0, 0]); $0.append(7, 3); $0.appendUpper("B")
      } == nil)
    #expect(
      read {
        $0.append([0, 0]); $0.append(1, 3); $0.append(13, 4); $0.appendUpper("B")
      } == nil)
    #expect(
      read {
        $0.appendUpper("A"); $0.append([31, 20]); $0.append(0x41, 8); $0.append(0x42, 8)
      } == nil)
  }

  @Test func `arbitrary bits never trap, and give at most one byte per two bits`() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<2000 {
      let count = Int.random(in: 0...400, using: &generator)
      let random = (0..<count).map { _ in Int.random(in: 0...1, using: &generator) }
      let message = read { bits in for bit in random { bits.append(bit, 1) } }
      // A five-bit code gives at most two characters.
      #expect((message?.bytes.count ?? 0) <= count / 2)
    }
  }
}
