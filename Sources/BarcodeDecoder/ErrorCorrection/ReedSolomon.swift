// Reed-Solomon decoding with errors and erasures: syndromes, Berlekamp and Massey's algorithm started from the erasure
// locator, Chien search, Forney's formula (R. E. Blahut, Theory and Practice of Error Control Codes, ch. 7 and 9).

/// A decoder for codes with up to `checkCountMax` check symbols over one field.
@safe struct ReedSolomon {
  let field: GaloisField
  /// The first root of the generator polynomial is α to this power: 0 for QR Code, 1 for Data Matrix and Aztec.
  let firstRoot: Int
  let checkCountMax: Int
  private let syndromes: ScratchArray<Int32>
  private let locator: ScratchArray<Int32>
  private let previous: ScratchArray<Int32>
  private let next: ScratchArray<Int32>
  private let evaluator: ScratchArray<Int32>
  private let places: ScratchArray<Int32>

  /// Nil if the arena is full.
  init?(field: GaloisField, firstRoot: Int, checkCountMax: Int, arena: inout Arena) {
    let length = checkCountMax + 2
    guard let syndromes = ScratchArray<Int32>(length, arena: &arena),
      let locator = ScratchArray<Int32>(length, arena: &arena),
      let previous = ScratchArray<Int32>(length, arena: &arena),
      let next = ScratchArray<Int32>(length, arena: &arena),
      let evaluator = ScratchArray<Int32>(length, arena: &arena),
      let places = ScratchArray<Int32>(length, arena: &arena)
    else { return nil }
    self.field = field
    self.firstRoot = firstRoot
    self.checkCountMax = checkCountMax
    self.syndromes = syndromes
    self.locator = locator
    self.previous = previous
    self.next = next
    self.evaluator = evaluator
    self.places = places
  }

  /// Corrects a block in place.
  ///
  /// - Parameters:
  ///   - codewords: the block from `offset`, data first, check symbols last.
  ///   - count: symbols in the block, below the field's size.
  ///   - checkCount: check symbols among them, at most `checkCountMax`.
  ///   - erasures: indices into the block of symbols that are not to be trusted, all different.
  ///   - correctionMax: the most errors to correct, not counting erasures; the rest of the check symbols guards against
  ///     correcting into a wrong block.
  /// - Returns: symbols changed, or nil if the block is beyond repair; it is unchanged then.
  func correct(
    _ codewords: ScratchArray<UInt16>, offset: Int, count: Int, checkCount: Int,
    erasures: ScratchArray<UInt16>, erasureCount: Int, correctionMax: Int
  ) -> Int? {
    guard count < field.size, checkCount <= checkCountMax, checkCount < count, erasureCount <= checkCount else { return nil }
    if !findSyndromes(codewords, offset: offset, count: count, checkCount: checkCount) { return 0 }
    startLocator(count: count, checkCount: checkCount, erasures: erasures, erasureCount: erasureCount)
    let degree = findLocator(checkCount: checkCount, erasureCount: erasureCount)
    let errorCount = degree - erasureCount
    guard errorCount >= 0, errorCount <= correctionMax, 2 * errorCount + erasureCount <= checkCount, locator[degree] != 0,
      findPlaces(count: count, degree: degree)
    else { return nil }
    findEvaluator(checkCount: checkCount, degree: degree)
    return repair(codewords, offset: offset, count: count, degree: degree)
  }

  /// Whether any syndrome is not zero.
  private func findSyndromes(_ codewords: ScratchArray<UInt16>, offset: Int, count: Int, checkCount: Int) -> Bool {
    var isDamaged: Int32 = 0
    for root in 0..<checkCount {
      let exponent = root + firstRoot
      var sum = 0
      for index in 0..<count {
        if sum != 0 { sum = field.power(field.log(sum) + exponent) }
        sum ^= Int(codewords[offset + index])
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
        locator[power] ^= Int32(field.multiply(Int(locator[power - 1]), place))
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
        discrepancy ^= field.multiply(Int(locator[power]), Int(syndromes[step - power]))
      }
      // previous := x · previous
      for power in stride(from: checkCount, to: 0, by: -1) { previous[power] = previous[power - 1] }
      previous[0] = 0
      if discrepancy == 0 { continue }
      for power in 0...checkCount {
        next[power] = locator[power] ^ Int32(field.multiply(discrepancy, Int(previous[power])))
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
    let order = field.size - 1
    for place in 0..<count {
      let inverse = place == 0 ? 0 : order - place
      var sum = 0
      var exponent = 0
      for power in 0...degree {
        let coefficient = Int(locator[power])
        if coefficient != 0 { sum ^= field.power(field.log(coefficient) + exponent) }
        exponent += inverse
        if exponent >= order { exponent -= order }
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
        sum ^= field.multiply(Int(locator[index]), Int(syndromes[power - index]))
      }
      evaluator[power] = Int32(sum)
    }
    evaluator[checkCount] = 0
  }

  /// Forney's formula at every place; symbols changed.
  private func repair(_ codewords: ScratchArray<UInt16>, offset: Int, count: Int, degree: Int) -> Int? {
    let order = field.size - 1
    var changed = 0
    for index in 0..<degree {
      let place = Int(places[index])
      let inverse = place == 0 ? 0 : order - place
      var numerator = 0
      var derivative = 0
      var exponent = 0
      for power in 0...degree {
        let omega = power < degree ? Int(evaluator[power]) : 0
        if omega != 0 { numerator ^= field.power(field.log(omega) + exponent) }
        // The formal derivative keeps the odd powers, lowered by one.
        if power & 1 == 0, power < degree, locator[power + 1] != 0 {
          derivative ^= field.power(field.log(Int(locator[power + 1])) + exponent)
        }
        exponent += inverse
        if exponent >= order { exponent -= order }
      }
      guard derivative != 0 else { return nil }
      var value = field.divide(numerator, derivative)
      // X to the power 1 - firstRoot.
      if value != 0, firstRoot != 1 {
        value = field.power((field.log(value) + (place * (1 - firstRoot + order)) % order) % order)
      }
      if value == 0 { continue }
      codewords[offset + count - 1 - place] ^= UInt16(value)
      changed += 1
    }
    return changed
  }
}
