// Fields and Reed-Solomon codes from literals, and with all damage up to their limits.

import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct ReedSolomonTests {
  /// The data and check codewords of the example in ISO/IEC 18004:2015 Annex I: "01234567", version 1-M.
  static let example: [UInt16] = [
    0x10, 0x20, 0x0C, 0x56, 0x61, 0x80, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11,
    0xA5, 0x24, 0xD4, 0xC1, 0xED, 0x36, 0xC7, 0x87, 0x2C, 0x55,
  ]

  private func correct(
    _ codewords: [UInt16], checkCount: Int, erasures: [UInt16] = [], correctionMax: Int = 1000, polynomial: Int = 0x11D,
    firstRoot: Int = 0
  ) -> (changed: Int?, codewords: [UInt16]) {
    let memory = TestArena()
    let field = try! GaloisField(polynomial: polynomial, arena: &memory.arena)
    let code = try! ReedSolomon(field: field, firstRoot: firstRoot, checkCountMax: checkCount, arena: &memory.arena)
    let block = memory.array(codewords)
    let changed = code.correct(
      block, count: codewords.count, checkCount: checkCount, erasures: memory.array(erasures + [0]),
      erasureCount: erasures.count, correctionMax: correctionMax)
    return (changed, codewords.indices.map { block[$0] })
  }

  @Test func `powers of alpha match the standard`() {
    let memory = TestArena()
    let field = try! GaloisField(polynomial: 0x11D, arena: &memory.arena)
    // α⁸ = x⁴ + x³ + x² + 1 and so on round to α²⁵⁵ = 1.
    #expect((0..<16).map(field.power) == [1, 2, 4, 8, 16, 32, 64, 128, 29, 58, 116, 232, 205, 135, 19, 38])
    #expect(field.power(254) == 142 && field.power(255) == 1)
    #expect(field.multiply(2, 142) == 1 && field.divide(1, 2) == 142 && field.multiply(0, 7) == 0)
  }

  @Test(arguments: [(0x13, 16), (0x43, 64), (0x12D, 256), (0x409, 1024), (0x1069, 4096)])
  func `every element has an inverse in every field of the matrix codes`(polynomial: Int, size: Int) {
    let memory = TestArena()
    let field = try! GaloisField(polynomial: polynomial, arena: &memory.arena)
    #expect(field.size == size)
    for element in 1..<size { #expect(field.multiply(element, field.divide(1, element)) == 1) }
  }

  @Test func `the standard's example is left unchanged`() {
    let (changed, codewords) = correct(Self.example, checkCount: 10)
    #expect(changed == 0 && codewords == Self.example)
  }

  @Test(arguments: 0...5)
  func `as many errors as half the check codewords are corrected`(errorCount: Int) {
    for seed in 0..<40 {
      var generator = SeededGenerator(seed: UInt64(seed))
      var damaged = Self.example
      for place in Array(damaged.indices).shuffled(using: &generator).prefix(errorCount) {
        damaged[place] ^= UInt16.random(in: 1...255, using: &generator)
      }
      let (changed, codewords) = correct(damaged, checkCount: 10)
      #expect(changed == errorCount && codewords == Self.example)
    }
  }

  @Test func `errors and erasures are corrected together up to the limit`() {
    for erasureCount in 0...10 {
      for seed in 0..<20 {
        var generator = SeededGenerator(seed: UInt64(seed * 100 + erasureCount))
        var damaged = Self.example
        let places = Array(damaged.indices).shuffled(using: &generator)
        let errorCount = (10 - erasureCount) / 2
        for place in places.prefix(erasureCount + errorCount) {
          damaged[place] = UInt16.random(in: 0...255, using: &generator)
        }
        let (changed, codewords) = correct(damaged, checkCount: 10, erasures: places.prefix(erasureCount).map { UInt16($0) })
        #expect(changed != nil && codewords == Self.example)
      }
    }
  }

  @Test func `more errors than allowed are refused, and the block is left unchanged`() {
    var damaged = Self.example
    for place in 0..<3 { damaged[place * 7] ^= 0x55 }
    let (changed, codewords) = correct(damaged, checkCount: 10, correctionMax: 2)
    #expect(changed == nil && codewords == damaged)
  }

  @Test func `blocks of noise never trap, and refused ones are left unchanged`() {
    for seed in 0..<300 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let count = Int.random(in: 12...255, using: &generator)
      let codewords = (0..<count).map { _ in UInt16.random(in: 0...255, using: &generator) }
      let (changed, result) = correct(codewords, checkCount: 10)
      #expect(changed != nil || result == codewords)
    }
  }

  /// A Data Matrix 10×10 symbol's block: field 0x12D, roots from α¹ ("123456", ISO/IEC 16022:2006 Annex O).
  @Test func `the field and roots of Data Matrix correct its example`() {
    let block: [UInt16] = [142, 164, 186, 114, 25, 5, 88, 102]
    var damaged = block
    damaged[1] ^= 0x3C
    damaged[6] ^= 0xC1
    let (changed, codewords) = correct(damaged, checkCount: 5, polynomial: 0x12D, firstRoot: 1)
    #expect(changed == 2 && codewords == block)
  }
}
