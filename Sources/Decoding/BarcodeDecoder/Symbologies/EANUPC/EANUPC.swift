// EAN-13, EAN-8, UPC-A and UPC-E from the edges of a line: GS1 General Specifications §5.2 (ISO/IEC 15420).
//
// A digit is two bars and two spaces of 1 to 4 modules, 7 in all. Widths are compared together with sums of neighbouring
// widths (edge to similar edge), which ink spread does not change.

import BarcodeTypes

/// Element widths of the digits: ten rows for number set A, then ten for set B, which is A read backwards. Set C has the
/// widths of A with bars and spaces exchanged. GS1 General Specifications figure 5.2.1.2-1.
let digitWidths: [80 of Int32] = [
  3, 2, 1, 1, 2, 2, 2, 1, 2, 1, 2, 2, 1, 4, 1, 1, 1, 1, 3, 2, 1, 2, 3, 1, 1, 1, 1, 4, 1, 3, 1, 2, 1, 2, 1, 3, 3, 1, 1, 2,
  1, 1, 2, 3, 1, 2, 2, 2, 2, 2, 1, 2, 1, 1, 4, 1, 2, 3, 1, 1, 1, 3, 2, 1, 4, 1, 1, 1, 2, 1, 3, 1, 3, 1, 2, 1, 2, 1, 1, 3,
]

/// The number sets of digits 2 to 7 by the first digit of an EAN-13: one bit per digit, the first uppermost, 1 for set B.
let leadingDigitSets: [10 of UInt8] = [
  0b000000, 0b001011, 0b001101, 0b001110, 0b010011, 0b011001, 0b011100, 0b010101, 0b010110, 0b011010,
]

/// The number sets of a UPC-E by its check digit, for number system 0; number system 1 has them inverted.
let checkDigitSets: [10 of UInt8] = [
  0b111000, 0b110100, 0b110010, 0b110001, 0b101100, 0b100110, 0b100011, 0b101010, 0b101001, 0b100101,
]

/// Measures of a symbol, from its guards.
struct EANMeasure: BitwiseCopyable {
  /// The width of the symbol, in samples times 256, and its number of modules.
  let span: Int32
  let moduleCount: Int32
  /// The excess width of bars, in modules times 256.
  let spread: Int32
}

/// Reads EAN and UPC symbols from element rows.
enum EANUPC {
  /// Greatest mean misfit of the digits: 0.6 square modules.
  private static let misfitMax: Int32 = 39_322
  /// Greatest mean misfit for the short symbols, 0.21: two of their digits can be wrong and the check digit still right.
  private static let shortMisfitMax: Int32 = 13_763
  /// Least difference between the misfits of the best and the second best digit: 0.25.
  private static let marginMin: Int32 = 16_384
  /// Greatest error of the ink spread, 0.12 modules, and how often it is corrected.
  private static let spreadErrorMax: Int32 = 31
  private static let spreadRoundCount = 3
  /// The part of a module by which an outermost bar that is one bar alone may be wider than the other of its guard: noise moves its
  /// edges.
  private static let wideBarDivisor: Int32 = 4
  /// Digit misfit from which the edges leave doubt: 0.094 square modules.
  private static let doubtMin: Int32 = 6144
  /// Digit misfit from which a digit fits badly: 0.2 square modules.
  private static let badMisfitMin: Int32 = 13_107

  /// Reads an EAN-13 or UPC-A that begins with the dark edge `first`, or returns nil. It may be the one of both that the settings
  /// do not ask for: nothing else is to be read from its bars.
  static func readLong(
    _ row: ElementRow, from first: Int, _ settings: DecoderSettings, into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    guard settings.wants(.ean13) || settings.wants(.upca),
      let found = read(row, from: first, shape: .thirteen, into: text)
    else { return nil }
    return named(found, settings, text)
  }

  /// Reads an EAN-8 or UPC-E that begins with the dark edge `first`, or returns nil.
  static func readShort(
    _ row: ElementRow, from first: Int, _ settings: DecoderSettings, into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    if settings.wants(.ean8), let found = read(row, from: first, shape: .eight, into: text) { return found }
    return settings.wants(.upce) ? read(row, from: first, shape: .zeroSuppressed, into: text) : nil
  }

  /// Reads a symbol that begins with the dark edge `first`, or returns nil.
  static func read(
    _ row: ElementRow, from first: Int, shape: EANShape, into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    let last = first + shape.elementCount
    guard last < row.count else { return nil }
    let span = row.edge(last) - row.edge(first)
    let moduleCount = shape.moduleCount
    guard span > moduleCount * ElementRow.moduleMin,
      (shape == .zeroSuppressed ? row.seenGapBefore(first) : row.gapBefore(first)) * moduleCount >= span
        * shape.quietModules,
      (shape == .zeroSuppressed ? row.seenGapAfter(last) : row.gapAfter(last)) * moduleCount >= span * shape.quietModules,
      var spread = inkSpread(row, from: first, shape: shape, span: span)
    else { return nil }
    for _ in 0..<spreadRoundCount {
      guard let digits = readDigits(row, from: first, shape: shape, span: span, spread: spread, into: text) else {
        return nil
      }
      if abs(digits.spreadError) > spreadErrorMax {
        spread += digits.spreadError
        continue
      }
      guard digits.misfit <= (shape == .thirteen ? misfitMax : shortMisfitMax),
        var candidate = finish(shape, sets: digits.sets, text: text)
      else {
        return nil
      }
      candidate.place(row, from: first, to: last, misfit: digits.misfit)
      noteExcess(&candidate, row, from: first, to: last, tolerance: span / (moduleCount * wideBarDivisor))
      candidate.moduleCount = shape.moduleCount
      candidate.isDoubtful = digits.misfitMax >= doubtMin
      candidate.hasTwoDoubts = digits.badCount > 1
      candidate.spread = spread
      return candidate
    }
    return nil
  }

  /// Notes by how much an outermost bar is wider than the other bar of its guard: a component's separator or dirt lies next to it.
  ///
  /// - Parameter tolerance: in samples times 256.
  private static func noteExcess(
    _ candidate: inout LinearCandidate, _ row: ElementRow, from first: Int, to last: Int, tolerance: Int32
  ) {
    let (before, behind) = (row.width(first) - row.width(first + 2), row.width(last - 1) - row.width(last - 3))
    candidate.excess = (before > tolerance ? before : 0, behind > tolerance ? behind : 0)
  }

  /// Reads all digits with an assumed ink spread. `misfit` is their mean, `misfitMax` the greatest, and `badCount` the digits that fit badly; `spreadError` is the
  /// correction of the spread that the digits themselves suggest, in modules times 256.
  ///
  /// 1 and 7, and 2 and 8, differ only in how bar and space share a sum, so they do not count for the spread. Where blur
  /// makes narrow spaces between wide bars look wider than those of the guards, such digits are misread together, past any
  /// check digit.
  private static func readDigits(
    _ row: ElementRow, from first: Int, shape: EANShape, span: Int32, spread: Int32, into text: ScratchArray<UInt8>
  ) -> (sets: UInt32, misfit: Int32, misfitMax: Int32, badCount: Int, spreadError: Int32)? {
    var misfit: Int32 = 0
    var misfitMax: Int32 = 0
    var badCount = 0
    var error: Int32 = 0
    var errorCount: Int32 = 0
    var sets: UInt32 = 0
    var widthBefore: Int32 = 0
    for index in 0..<shape.digitCount {
      let element = first + shape.firstElement(index)
      // Tilt and a curved surface change the width from digit to digit, but by less than a quarter.
      let width = row.edge(element + 4) - row.edge(element)
      guard index == 0 || (width * 4 > widthBefore * 3 && width * 3 < widthBefore * 4) else { return nil }
      widthBefore = width
      guard
        let digit = readDigit(
          row, at: element, beginsDark: shape.isRight(index), setCount: shape.setCount(index),
          EANMeasure(span: span, moduleCount: shape.moduleCount, spread: spread))
      else { return nil }
      let plain = digit.value >= 10 ? digit.value - 10 : digit.value
      if plain != 1, plain != 2, plain != 7, plain != 8 {
        error += digit.spreadError
        errorCount += 1
      }
      misfit += digit.misfit
      misfitMax = max(misfitMax, digit.misfit)
      if digit.misfit >= badMisfitMin { badCount += 1 }
      sets = sets << 1 | (digit.value >= 10 ? 1 : 0)
      text[index] = UInt8(truncatingIfNeeded: 0x30 + plain)
    }
    return (sets, misfit / Int32(shape.digitCount), misfitMax, badCount, errorCount > 0 ? error / errorCount : 0)
  }

  /// The excess width of bars according to the guards, in modules times 256; nil if they are not guards.
  private static func inkSpread(_ row: ElementRow, from first: Int, shape: EANShape, span: Int32) -> Int32? {
    var bars: Int32 = 0
    var spaces: Int32 = 0
    var barCount: Int32 = 0
    var spaceCount: Int32 = 0
    let scale = (Int(shape.moduleCount) << 24) / Int(span)
    let elementCount = shape.elementCount
    let rightCount = shape == .zeroSuppressed ? 6 : 3
    let middle = shape == .zeroSuppressed ? elementCount : elementCount / 2 - 2
    for part in 0..<3 {
      let begin = part == 0 ? 0 : (part == 1 ? middle : elementCount - rightCount)
      let end = part == 0 ? 3 : (part == 1 ? min(middle + 5, elementCount) : elementCount)
      for element in begin..<end {
        let width = Int32(truncatingIfNeeded: (Int(row.width(first + element)) * scale) >> 16)
        guard width >= 77, width <= 486 else { return nil }
        if element & 1 == 0 {
          bars += width
          barCount += 1
        } else {
          spaces += width
          spaceCount += 1
        }
      }
    }
    let mean = (bars + spaces) / (barCount + spaceCount)
    guard mean >= 192, mean <= 333 else { return nil }
    // 0.8 of half the difference: blur reduces narrow bars and spaces more, and those of the guards are narrow.
    return ((bars / barCount - spaces / spaceCount) * 102) >> 8
  }

  /// The best digit for four elements; values from 10 on mean number set B. Nil if no digit is clearly the best.
  static func readDigit(
    _ row: ElementRow, at element: Int, beginsDark: Bool, setCount: Int, _ measure: EANMeasure
  ) -> (value: Int, misfit: Int32, spreadError: Int32)? {
    let sum = row.width(element) + row.width(element + 1) + row.width(element + 2) + row.width(element + 3)
    // With tilt, or on a curved surface, a digit may be three eighths narrower or three fifths wider than the mean.
    let expected = measure.span * 7 / measure.moduleCount
    guard sum * 8 > expected * 5, sum * 5 < expected * 8 else { return nil }
    let scale = (7 << 24) / Int(sum)
    let shift = beginsDark ? measure.spread : -measure.spread
    let w0 = Int32(truncatingIfNeeded: (Int(row.width(element)) * scale) >> 16) - shift
    let w1 = Int32(truncatingIfNeeded: (Int(row.width(element + 1)) * scale) >> 16) + shift
    let w2 = Int32(truncatingIfNeeded: (Int(row.width(element + 2)) * scale) >> 16) - shift
    let w3 = 1792 - w0 - w1 - w2
    var best = BestMatch(misfitMax: Int32.max, secondMax: Int32.max)
    for value in 0..<(setCount * 10) {
      let e0 = unsafe w0 - digitWidths[unchecked: value * 4] << 8
      let e1 = unsafe w1 - digitWidths[unchecked: value * 4 + 1] << 8
      let e2 = unsafe w2 - digitWidths[unchecked: value * 4 + 2] << 8
      let e3 = unsafe w3 - digitWidths[unchecked: value * 4 + 3] << 8
      let single = e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3
      let double = (e0 + e1) * (e0 + e1) + (e1 + e2) * (e1 + e2) + (e2 + e3) * (e2 + e3)
      best.compare(value, misfit: (single + double) >> 1)
    }
    guard best.second - best.misfit >= marginMin else { return nil }
    let bars = beginsDark ? w0 + w2 : w1 + w3
    let odd = beginsDark ? 0 : 1
    let expectedBars = (digitWidths[best.value * 4 + odd] + digitWidths[best.value * 4 + odd + 2]) << 8
    return (best.value, best.misfit, (bars - expectedBars) / 2)
  }

  /// Checks parity and check digit, and completes the text.
  private static func finish(
    _ shape: EANShape, sets: UInt32, text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    switch shape {
    case .thirteen:
      var leading = -1
      for digit in 0..<10 where UInt32(leadingDigitSets[digit]) == sets >> 6 { leading = digit }
      guard leading >= 0 else { return nil }
      for index in 0..<12 { text[12 - index] = text[11 - index] }
      text[0] = UInt8(0x30 + leading)
      guard GTIN.hasCheckDigit(text, count: 13) else { return nil }
      var candidate = LinearCandidate(.ean13, aimModifier: 0x30)
      candidate.byteCount = 13
      return candidate
    case .eight:
      guard GTIN.hasCheckDigit(text, count: 8) else { return nil }
      var candidate = LinearCandidate(.ean8, aimModifier: 0x34)
      candidate.byteCount = 8
      return candidate
    case .zeroSuppressed:
      return finishZeroSuppressed(sets: sets, text: text)
    case .addOnOfTwo, .addOnOfFive:
      return nil
    }
  }

  /// An EAN-13 that begins with 0 is a UPC-A with 12 digits, if the settings ask for that.
  static func named(
    _ found: LinearCandidate, _ settings: DecoderSettings, _ text: ScratchArray<UInt8>
  ) -> LinearCandidate {
    guard settings.wants(.upca), text[0] == 0x30 else { return found }
    var candidate = found
    candidate.symbology = .upca
    candidate.byteCount = 12
    for index in 0..<12 { text[index] = text[index + 1] }
    return candidate
  }

  /// Completes the number system, six digits and check digit of a UPC-E. The check digit is that of the expanded number.
  private static func finishZeroSuppressed(sets: UInt32, text: ScratchArray<UInt8>) -> LinearCandidate? {
    var check = -1
    var system: UInt8 = 0
    for digit in 0..<10 {
      if UInt32(checkDigitSets[digit]) == sets {
        check = digit
        system = 0
      } else if UInt32(checkDigitSets[digit]) == sets ^ 0b111111 {
        check = digit
        system = 1
      }
    }
    guard check >= 0 else { return nil }
    for index in 0..<6 { text[6 - index] = text[5 - index] }
    text[0] = 0x30 + system
    text[7] = UInt8(0x30 + check)
    guard expandedCheckSum(text) == 0 else { return nil }
    var candidate = LinearCandidate(.upce, aimModifier: 0x30)
    candidate.isPerhapsPiece = text[0] == 0x31
    candidate.hasSameGuards = true
    candidate.byteCount = 8
    return candidate
  }

  /// The weighted digit sum modulo 10 of the UPC-A that a UPC-E of 8 digits encodes.
  private static func expandedCheckSum(_ text: ScratchArray<UInt8>) -> Int {
    let last = Int(text[6]) - 0x30
    var sum = 3 * (Int(text[0]) - 0x30) + Int(text[7]) - 0x30
    for index in 0..<6 { sum += expandedWeight(index, lastDigit: last) * (Int(text[index + 1]) - 0x30) }
    return sum % 10
  }

  /// The check sum weight of a UPC-E's drawn digit in the 12-digit number. The last digit determines where zeros were left
  /// out: GS1 General Specifications §5.2.2.4.2.
  static func expandedWeight(_ index: Int, lastDigit: Int) -> Int {
    let places: [6 of Int]
    switch lastDigit {
    case 0...2: places = [1, 2, 8, 9, 10, 3]
    case 3: places = [1, 2, 3, 9, 10, -1]
    case 4: places = [1, 2, 3, 4, 10, -1]
    default: places = [1, 2, 3, 4, 5, 10]
    }
    let place = places[index]
    return place < 0 ? 0 : (place & 1 == 0 ? 3 : 1)
  }
}
