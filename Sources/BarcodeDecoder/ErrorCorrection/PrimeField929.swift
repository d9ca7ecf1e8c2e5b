// Reed-Solomon decoding over the integers modulo 929, the field of PDF417 and MicroPDF417 (ISO/IEC 15438 §4.10). The steps
// are those of `ReedSolomon`, with signs: a difference is no sum here.

/// The integers modulo 929 with the primitive element 3.
@safe struct PrimeField929 {
  static let size = 929
  /// Powers of 3 that differ.
  static let order = 928

  /// 3 to the power i, for i from 0 to 2 · 928 - 1.
  private let exponential: ScratchArray<UInt16>
  /// The i with 3 to the power i = element; nothing at 0.
  private let logarithm: ScratchArray<UInt16>

  /// Nil if the arena is full.
  init?(arena: inout Arena) {
    guard let exponential = ScratchArray<UInt16>(2 * PrimeField929.order, arena: &arena),
      let logarithm = ScratchArray<UInt16>(PrimeField929.size, arena: &arena)
    else { return nil }
    self.exponential = exponential
    self.logarithm = logarithm
    var element = 1
    for power in 0..<PrimeField929.order {
      exponential[power] = UInt16(element)
      exponential[power + PrimeField929.order] = UInt16(element)
      logarithm[element] = UInt16(power)
      element = element * 3 % PrimeField929.size
    }
  }

  /// 3 to a power from 0 to 1855.
  @inline(__always) func power(_ exponent: Int) -> Int { Int(exponential[exponent]) }

  /// The power of 3 that an element other than zero is, from 0 to 927.
  @inline(__always) func log(_ element: Int) -> Int { Int(logarithm[element]) }

  @inline(__always) func multiply(_ a: Int, _ b: Int) -> Int {
    if a == 0 || b == 0 { return 0 }
    return Int(exponential[Int(logarithm[a]) + Int(logarithm[b])])
  }

  /// a / b. `b` must not be zero.
  @inline(__always) func divide(_ a: Int, _ b: Int) -> Int {
    if a == 0 { return 0 }
    return Int(exponential[Int(logarithm[a]) + PrimeField929.order - Int(logarithm[b])])
  }

  @inline(__always) func add(_ a: Int, _ b: Int) -> Int {
    let sum = a &+ b
    return sum >= PrimeField929.size ? sum &- PrimeField929.size : sum
  }

  @inline(__always) func subtract(_ a: Int, _ b: Int) -> Int {
    let difference = a &- b
    return difference < 0 ? difference &+ PrimeField929.size : difference
  }
}

/// A decoder for codes of up to 928 codewords modulo 929 whose generator has the roots 3, 3², 3³, …
@safe struct ReedSolomon929 {
  /// Check codewords of security level 8.
  static let checkCountMax = 512

  let field: PrimeField929
  private let syndromes: ScratchArray<Int32>
  private let locator: ScratchArray<Int32>
  private let previous: ScratchArray<Int32>
  private let next: ScratchArray<Int32>
  private let evaluator: ScratchArray<Int32>
  private let places: ScratchArray<Int32>

  /// Nil if the arena is full.
  init?(arena: inout Arena) {
    let length = ReedSolomon929.checkCountMax + 2
    guard let field = PrimeField929(arena: &arena), let syndromes = ScratchArray<Int32>(length, arena: &arena),
      let locator = ScratchArray<Int32>(length, arena: &arena),
      let previous = ScratchArray<Int32>(length, arena: &arena),
      let next = ScratchArray<Int32>(length, arena: &arena),
      let evaluator = ScratchArray<Int32>(length, arena: &arena),
      let places = ScratchArray<Int32>(length, arena: &arena)
    else { return nil }
    self.field = field
    self.syndromes = syndromes
    self.locator = locator
    self.previous = previous
    self.next = next
    self.evaluator = evaluator
    self.places = places
  }

  /// Corrects a symbol's codewords in place.
  ///
  /// - Parameters:
  ///   - codewords: `count` of them, below 929, data first, check codewords last.
  ///   - count: at most 928.
  ///   - checkCount: check codewords among them, at most `checkCountMax`.
  ///   - erasures: indices of codewords that are not to be trusted, all different.
  ///   - margin: check codewords that must stay unused; they guard against correcting into a wrong message.
  /// - Returns: codewords changed, or nil if they are beyond repair; they are unchanged then.
  func correct(
    _ codewords: ScratchArray<UInt16>, count: Int, checkCount: Int, erasures: ScratchArray<UInt16>, erasureCount: Int,
    margin: Int
  ) -> Int? {
    guard count <= PrimeField929.order, checkCount <= ReedSolomon929.checkCountMax, checkCount < count,
      erasureCount + margin <= checkCount
    else { return nil }
    if !findSyndromes(codewords, count: count, checkCount: checkCount) { return 0 }
    startLocator(count: count, checkCount: checkCount, erasures: erasures, erasureCount: erasureCount)
    let degree = findLocator(checkCount: checkCount, erasureCount: erasureCount)
    let errorCount = degree - erasureCount
    guard errorCount >= 0, 2 * errorCount + erasureCount + margin <= checkCount, locator[degree] != 0,
      findPlaces(count: count, degree: degree)
    else { return nil }
    findEvaluator(checkCount: checkCount, degree: degree)
    return repair(codewords, count: count, degree: degree)
  }

  /// Whether any syndrome is not zero.
  private func findSyndromes(_ codewords: ScratchArray<UInt16>, count: Int, checkCount: Int) -> Bool {
    var isDamaged: Int32 = 0
    for root in 0..<checkCount {
      var sum = 0
      for index in 0..<count {
        if sum != 0 { sum = field.power(field.log(sum) + root + 1) }
        sum = field.add(sum, Int(codewords[index]))
      }
      syndromes[root] = Int32(sum)
      isDamaged |= Int32(sum)
    }
    return isDamaged != 0
  }

  /// Π (1 - x · X) over the erased places X, in `locator` and `previous`.
  private func startLocator(count: Int, checkCount: Int, erasures: ScratchArray<UInt16>, erasureCount: Int) {
    locator.fill(0, count: checkCount + 1)
    locator[0] = 1
    for erasure in 0..<erasureCount {
      let place = field.power(count - 1 - Int(erasures[erasure]))
      for power in stride(from: erasure + 1, to: 0, by: -1) {
        let product = field.multiply(Int(locator[power - 1]), place)
        locator[power] = Int32(field.subtract(Int(locator[power]), product))
      }
    }
    for power in 0...checkCount { previous[power] = locator[power] }
  }

  /// Berlekamp and Massey's algorithm; the degree that the locator should have.
  private func findLocator(checkCount: Int, erasureCount: Int) -> Int {
    var length = erasureCount
    for step in erasureCount..<checkCount {
      var discrepancy = 0
      for power in 0...min(length, step) {
        discrepancy = field.add(discrepancy, field.multiply(Int(locator[power]), Int(syndromes[step - power])))
      }
      // previous := x · previous
      for power in stride(from: checkCount, to: 0, by: -1) { previous[power] = previous[power - 1] }
      previous[0] = 0
      if discrepancy == 0 { continue }
      for power in 0...checkCount {
        next[power] = Int32(field.subtract(Int(locator[power]), field.multiply(discrepancy, Int(previous[power]))))
      }
      if 2 * length <= step + erasureCount {
        length = step + 1 + erasureCount - length
        for power in 0...checkCount { previous[power] = Int32(field.divide(Int(locator[power]), discrepancy)) }
      }
      for power in 0...checkCount { locator[power] = next[power] }
    }
    return length
  }

  /// Chien search: the exponents of the locator's inverse roots; whether there are `degree` of them inside the block.
  private func findPlaces(count: Int, degree: Int) -> Bool {
    var found = 0
    for place in 0..<count {
      let inverse = place == 0 ? 0 : PrimeField929.order - place
      var sum = 0
      var exponent = 0
      for power in 0...degree {
        let coefficient = Int(locator[power])
        if coefficient != 0 { sum = field.add(sum, field.power(field.log(coefficient) + exponent)) }
        exponent += inverse
        if exponent >= PrimeField929.order { exponent -= PrimeField929.order }
      }
      if sum == 0 {
        guard found < degree else { return false }
        places[found] = Int32(place)
        found += 1
      }
    }
    return found == degree
  }

  /// Ω = S · Λ below the power `checkCount`.
  private func findEvaluator(checkCount: Int, degree: Int) {
    for power in 0..<checkCount {
      var sum = 0
      for index in 0...min(power, degree) {
        sum = field.add(sum, field.multiply(Int(locator[index]), Int(syndromes[power - index])))
      }
      evaluator[power] = Int32(sum)
    }
  }

  /// Forney's formula at every place, e = -Ω / Λ', and c = r - e; codewords changed.
  private func repair(_ codewords: ScratchArray<UInt16>, count: Int, degree: Int) -> Int? {
    for index in 0..<degree {
      guard let value = errorValue(place: Int(places[index]), degree: degree) else { return nil }
      next[index] = Int32(value)
    }
    var changed = 0
    for index in 0..<degree where next[index] != 0 {
      let place = count - 1 - Int(places[index])
      codewords[place] = UInt16(field.add(Int(codewords[place]), Int(next[index])))
      changed += 1
    }
    return changed
  }

  /// Ω / Λ' at the inverse of a place.
  private func errorValue(place: Int, degree: Int) -> Int? {
    let inverse = place == 0 ? 0 : PrimeField929.order - place
    var numerator = 0
    var derivative = 0
    var exponent = 0
    for power in 0..<degree {
      let omega = Int(evaluator[power])
      if omega != 0 { numerator = field.add(numerator, field.power(field.log(omega) + exponent)) }
      let slope = Int(locator[power + 1]) * (power + 1) % PrimeField929.size
      if slope != 0 { derivative = field.add(derivative, field.power(field.log(slope) + exponent)) }
      exponent += inverse
      if exponent >= PrimeField929.order { exponent -= PrimeField929.order }
    }
    return derivative == 0 ? nil : field.divide(numerator, derivative)
  }
}
