// Reed-Solomon decoding with errors and erasures: syndromes, Berlekamp and Massey's algorithm started from the erasure
// locator, Chien search, Forney's formula (R. E. Blahut, Theory and Practice of Error Control Codes, ch. 7 and 9).

/// A decoder for codes with up to `checkCountMax` check symbols over one field.
@safe struct ReedSolomon<Field: FiniteField> {
  let field: Field
  /// The first root of the generator polynomial is the primitive element to this power: 0 for QR Code, 1 for the others.
  let firstRoot: Int
  let checkCountMax: Int
  private let syndromes: ScratchArray<Int32>
  private let locator: ScratchArray<Int32>
  private let previous: ScratchArray<Int32>
  private let next: ScratchArray<Int32>
  private let evaluator: ScratchArray<Int32>
  private let places: ScratchArray<Int32>

  init(field: Field, firstRoot: Int, checkCountMax: Int, arena: inout Arena) throws(ArenaFull) {
    let length = checkCountMax + 2
    syndromes = try ScratchArray(length, arena: &arena)
    locator = try ScratchArray(length, arena: &arena)
    previous = try ScratchArray(length, arena: &arena)
    next = try ScratchArray(length, arena: &arena)
    evaluator = try ScratchArray(length, arena: &arena)
    places = try ScratchArray(length, arena: &arena)
    self.field = field
    self.firstRoot = firstRoot
    self.checkCountMax = checkCountMax
  }

  /// Corrects a block in place.
  ///
  /// - Parameters:
  ///   - codewords: data first, check symbols last.
  ///   - count: symbols in the block, below the field's size.
  ///   - checkCount: check symbols among them, at most `checkCountMax`.
  ///   - erasures: indices of unreliable symbols, all different.
  ///   - correctionMax: the most errors to correct, not counting erasures; the remaining check symbols guard against
  ///     correcting into a wrong block.
  /// - Returns: the number of symbols changed, or nil if the block cannot be corrected, in which case it is unchanged.
  func correct(
    _ codewords: ScratchArray<UInt16>, count: Int, checkCount: Int, erasures: ScratchArray<UInt16>, erasureCount: Int,
    correctionMax: Int
  ) -> Int? {
    guard count < field.size, checkCount <= checkCountMax, checkCount < count, erasureCount <= checkCount else { return nil }
    if !findSyndromes(codewords, count: count, checkCount: checkCount) { return 0 }
    startLocator(count: count, checkCount: checkCount, erasures: erasures, erasureCount: erasureCount)
    let degree = findLocator(checkCount: checkCount, erasureCount: erasureCount)
    let errorCount = degree - erasureCount
    guard errorCount >= 0, errorCount <= correctionMax, 2 * errorCount + erasureCount <= checkCount, locator[degree] != 0,
      findPlaces(count: count, degree: degree)
    else { return nil }
    findEvaluator(checkCount: checkCount, degree: degree)
    return repair(codewords, count: count, degree: degree)
  }

  /// Whether any syndrome is not zero.
  private func findSyndromes(_ codewords: ScratchArray<UInt16>, count: Int, checkCount: Int) -> Bool {
    var isDamaged: Int32 = 0
    for root in 0..<checkCount {
      let exponent = root + firstRoot
      var sum = 0
      for index in 0..<count {
        if sum != 0 { sum = field.power(field.log(sum) + exponent) }
        sum = field.add(sum, Int(codewords[index]))
      }
      syndromes[root] = Int32(sum)
      isDamaged |= Int32(sum)
    }
    return isDamaged != 0
  }

  /// Computes Π (1 - x · X) over the erased places X, in `locator` and `previous`.
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

  /// Runs Berlekamp and Massey's algorithm. Returns the expected degree of the locator.
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

  /// Chien search: finds the exponents of the locator's inverse roots. Returns whether `degree` of them are inside the
  /// block.
  private func findPlaces(count: Int, degree: Int) -> Bool {
    var found = 0
    for place in 0..<count {
      if sum(of: locator, through: degree, at: place) != 0 { continue }
      guard found < degree else { return false }
      places[found] = Int32(place)
      found += 1
    }
    return found == degree
  }

  /// A polynomial's value at the inverse of a place.
  @inline(__always) private func sum(of polynomial: ScratchArray<Int32>, through degree: Int, at place: Int) -> Int {
    let order = field.tables.order
    let inverse = place == 0 ? 0 : order - place
    var sum = 0
    var exponent = 0
    for power in 0...degree {
      let coefficient = Int(polynomial[power])
      if coefficient != 0 { sum = field.add(sum, field.power(field.log(coefficient) + exponent)) }
      exponent += inverse
      if exponent >= order { exponent -= order }
    }
    return sum
  }

  /// Computes Ω = S · Λ below the power `degree`, and the formal derivative of Λ, in `evaluator` and `previous`.
  private func findEvaluator(checkCount: Int, degree: Int) {
    for power in 0..<degree {
      var sum = 0
      for index in 0...power {
        sum = field.add(sum, field.multiply(Int(locator[index]), Int(syndromes[power - index])))
      }
      evaluator[power] = Int32(sum)
      previous[power] = Int32(field.multiple(power + 1, of: Int(locator[power + 1])))
    }
  }

  /// Applies Forney's formula at every place, e = -Ω / Λ', and c = r - e. Returns the number of symbols changed.
  private func repair(_ codewords: ScratchArray<UInt16>, count: Int, degree: Int) -> Int? {
    let order = field.tables.order
    for index in 0..<degree {
      let place = Int(places[index])
      let slope = sum(of: previous, through: degree - 1, at: place)
      guard slope != 0 else { return nil }
      let value = field.divide(sum(of: evaluator, through: degree - 1, at: place), slope)
      // X to the power 1 - firstRoot.
      next[index] = Int32(
        value == 0 ? 0 : field.power((field.log(value) + (place * (1 - firstRoot + order)) % order) % order))
    }
    var changed = 0
    for index in 0..<degree where next[index] != 0 {
      let place = count - 1 - Int(places[index])
      codewords[place] = UInt16(field.add(Int(codewords[place]), Int(next[index])))
      changed += 1
    }
    return changed
  }
}
