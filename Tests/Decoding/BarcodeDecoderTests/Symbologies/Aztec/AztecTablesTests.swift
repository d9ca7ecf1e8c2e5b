// Sizes, capacities and character tables against those printed in ISO/IEC 24778.

import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct AztecTablesTests {
  @Test func `symbol sizes match the standard`() {
    #expect((1...4).map { AztecFormat(isCompact: true, layers: $0).size } == [15, 19, 23, 27])
    #expect(
      (1...32).map { AztecFormat(isCompact: false, layers: $0).size } == [
        19, 23, 27, 31, 37, 41, 45, 49, 53, 57, 61, 67, 71, 75, 79, 83, 87, 91, 95, 101, 105, 109, 113, 117, 121, 125, 131,
        135, 139, 143, 147, 151,
      ])
  }

  @Test func `symbol capacities match the standard and stay within the limits`() {
    #expect((1...4).map { AztecFormat(isCompact: true, layers: $0).codewordCount } == [17, 40, 51, 76])
    #expect(
      (1...32).map { AztecFormat(isCompact: false, layers: $0).codewordCount } == [
        21, 48, 60, 88, 120, 156, 196, 240, 230, 272, 316, 364, 416, 470, 528, 588, 652, 720, 790, 864, 940, 1020, 920, 992,
        1066, 1144, 1224, 1306, 1392, 1480, 1570, 1664,
      ])
    for layers in 1...32 {
      let format = AztecFormat(isCompact: false, layers: layers)
      #expect(format.bitCount <= AztecFormat.bitCountMax && format.codewordCount <= AztecFormat.codewordCountMax)
    }
  }

  @Test(arguments: [4, 6, 8, 10, 12])
  func `the field polynomials are primitive`(bits: Int) {
    let polynomial = AztecTables.polynomial(bits: bits)
    var element = 1
    var order = 0
    repeat {
      element <<= 1
      if element >> bits == 1 { element ^= polynomial }
      order += 1
    } while element != 1 && order < 1 << bits
    #expect(order == 1 << bits - 1)
  }

  private func characters(_ mode: AztecTables.Mode) -> [UInt8] {
    (0..<(1 << AztecTables.codeBits(mode))).flatMap { code -> [UInt8] in
      guard case .characters(let first, let second) = AztecTables.meaning(code, mode) else { return [] }
      return [first] + (second.map { [$0] } ?? [])
    }
  }

  @Test func `the character tables match the standard`() {
    #expect(String(decoding: characters(.upper), as: UTF8.self) == " ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    #expect(String(decoding: characters(.lower), as: UTF8.self) == " abcdefghijklmnopqrstuvwxyz")
    #expect(String(decoding: characters(.digit), as: UTF8.self) == " 0123456789,.")
    #expect(
      String(decoding: characters(.punctuation), as: UTF8.self)
        == "\r\r\n. , : !\"#$%&'()*+,-./:;<=>?[]{}")
    #expect(characters(.mixed) == [0x20] + Array(1...13) + Array(27...31) + Array("@\\^_`|~\u{7F}".utf8))
  }

  @Test func `module coordinates skip the reference grid`() {
    for layers in [1, 5, 12, 32] {
      let format = AztecFormat(isCompact: false, layers: layers)
      let expected = (0..<format.size).filter { ($0 - format.size / 2) % 16 != 0 }
      #expect((0..<format.baseSize).map(format.coordinate(ofBase:)) == expected)
    }
  }

  @Test(arguments: 0..<8)
  func `each of the eight orientations is recognised, and no other`(index: Int) {
    // Marks laid out in one of the eight orientations agree fully in that orientation only.
    let memory = TestArena()
    let reader = try! AztecModeReader(arena: &memory.arena)
    let orientation = AztecOrientation(index: index)
    let drawing = AztecDrawing("A", isCompact: true, layers: 1)
    let core = memory.array([Int16](repeating: 0, count: 121))
    for y in -5...5 {
      for x in -5...5 {
        let place = orientation.place(x, y)
        core[(5 + place.y) * 11 + 5 + place.x] = drawing.modules[7 + y][7 + x] ? 100 : -100
      }
    }
    let agreements = (0..<8).map {
      reader.orientationAgreement(core, isCompact: true, orientation: AztecOrientation(index: $0))
    }
    #expect(agreements[index] == 12 && agreements.filter { $0 == 12 }.count == 1)
    let mode = reader.read(core, isCompact: true, orientation: orientation)
    #expect(mode?.format == AztecFormat(isCompact: true, layers: 1) && mode?.wrongCount == 0)
  }
}
