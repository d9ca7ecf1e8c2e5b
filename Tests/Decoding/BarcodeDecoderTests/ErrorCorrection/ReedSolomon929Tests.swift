// Reed-Solomon codes modulo 929, from literals and with seeded damage.

import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct ReedSolomon929Tests {
  /// The example of ISO/IEC 15438: "PDF417" at security level 1.
  static let example = [5, 453, 178, 121, 239, 452, 327, 657, 619]

  private func correct(
    _ codewords: [Int], checkCount: Int, erasures: [Int] = [], margin: Int = 0
  ) -> (changed: Int?, codewords: [Int]) {
    let memory = TestArena()
    let array = memory.array(codewords.map { UInt16($0) })
    let erased = memory.array(erasures.map { UInt16($0) } + [0])
    let field = try! PrimeField929(arena: &memory.arena)
    let decoder = try! ReedSolomon(field: field, firstRoot: 1, checkCountMax: 512, arena: &memory.arena)
    let changed = decoder.correct(
      array, count: codewords.count, checkCount: checkCount, erasures: erased, erasureCount: erasures.count,
      correctionMax: (checkCount - erasures.count - margin) / 2)
    return (changed, codewords.indices.map { Int(array[$0]) })
  }

  @Test func `the standard's example has valid check codewords`() {
    #expect(StackedEncoder.checkCodewords(Array(Self.example.prefix(5)), count: 4) == Array(Self.example.suffix(4)))
    #expect(correct(Self.example, checkCount: 4).changed == 0)
  }

  @Test func `errors and erasures are corrected up to the margin`() {
    var generator = SeededGenerator(seed: 417)
    for (count, checkCount) in [(24, 8), (100, 32), (928, 512), (11, 7)] {
      let data = (0..<(count - checkCount)).map { _ in Int.random(in: 0..<929, using: &generator) }
      let whole = data + StackedEncoder.checkCodewords(data, count: checkCount)
      for erasureCount in [0, 1, checkCount / 2, checkCount - 2] {
        let errorCount = (checkCount - 2 - erasureCount) / 2
        let places = whole.indices.shuffled(using: &generator)
        var damaged = whole
        for place in places.prefix(erasureCount + errorCount) {
          damaged[place] = (damaged[place] + Int.random(in: 1..<929, using: &generator)) % 929
        }
        let erasures = Array(places.prefix(erasureCount))
        let result = correct(damaged, checkCount: checkCount, erasures: erasures, margin: 2)
        #expect(result.codewords == whole && result.changed == erasureCount + errorCount, "\(count) \(erasureCount)")
      }
    }
  }

  @Test func `errors beyond the margin are refused, and the block is left unchanged`() {
    var generator = SeededGenerator(seed: 929)
    let data = (0..<30).map { _ in Int.random(in: 0..<929, using: &generator) }
    let whole = data + StackedEncoder.checkCodewords(data, count: 10)
    for errorCount in 5...12 {
      var damaged = whole
      for place in whole.indices.shuffled(using: &generator).prefix(errorCount) {
        damaged[place] = (damaged[place] + Int.random(in: 1..<929, using: &generator)) % 929
      }
      let result = correct(damaged, checkCount: 10, margin: 2)
      #expect(result.changed == nil && result.codewords == damaged, "\(errorCount) errors")
    }
  }
}
