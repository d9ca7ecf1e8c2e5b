// MSI, also called MSI Plessey, from the edges of a line: inferred from published tables; no standard describes it.
//
// A digit is four bits, the highest first, and a bit is a bar and a space: wide and narrow for 1, narrow and wide for 0.
// Bars therefore begin at equal distances throughout the symbol. Start is the bit 1; stop is the bit 0 and a narrow bar. A
// text is protected only by check digits, which are optional, so a symbol counts only if it is complete from quiet zone to
// quiet zone, with every bit in place.

import BarcodeTypes

/// Wide elements of the digits, the first one uppermost: two bits per bit of the digit, 10 for 1 and 01 for 0.
private let msiPatterns: [10 of UInt16] = [0x55, 0x56, 0x59, 0x5A, 0x65, 0x66, 0x69, 0x6A, 0x95, 0x96]

/// Wide elements of the start and stop, and of the patterns that they must be told apart from: each bit, and each bit with
/// each bar.
private let startPatterns: [2 of UInt16] = [0x2, 0x1]
private let stopPatterns: [4 of UInt16] = [0x2, 0x3, 0x4, 0x5]

/// Reads MSI from element rows.
enum MSI {
  /// Elements of a digit, of a start and of a stop.
  private static let digitElements = 8
  private static let startElements = 2
  private static let stopElements = 3
  /// A free space, in narrow elements, that no space inside a symbol reaches: wide ones have 2 or 3, half as much more under
  /// tilt.
  private static let endModules: Int32 = 5
  /// Minimum quiet zone on each side, in narrow elements (the specification asks for 12).
  private static let quietModules: Int32 = 8
  /// Minimum quiet zone where the picture ends, visible in the picture itself: more than any space inside a symbol.
  private static let cutQuietModules: Int32 = 4

  /// Reads a symbol that begins with the dark edge `first`, or returns nil.
  static func read(
    _ row: ElementRow, from first: Int, _ settings: DecoderSettings, into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    let checkCount = settings.msiCheck.digitCount
    let countMin = max(1, settings.lengths[.msi].min) + checkCount
    let shortest = startElements + digitElements * countMin + stopElements
    guard first + shortest < row.count, row.width(first) > row.width(first + 1) else { return nil }
    let startNarrow = (row.edge(first + startElements) - row.edge(first)) / 3
    guard row.gapBefore(first) >= startNarrow * endModules, let last = end(row, from: first + shortest, startNarrow) else {
      return nil
    }
    let (count, rest) = (last - first - startElements - stopElements).quotientAndRemainder(dividingBy: digitElements)
    guard rest == 0, settings.lengths[.msi].contains(count - checkCount), let scale = scale(row, first, last),
      isFramed(row, first, last, scale)
    else { return nil }
    var misfit: Int32 = 0
    var span: Int32 = 0
    for digit in 0..<count {
      let element = first + startElements + digitElements * digit
      let width = row.edge(element + digitElements) - row.edge(element)
      if digit > 0 { guard ElementRow.isAsWide(width, as: span) else { return nil } }
      span = width
      guard
        let match = row.matchTwoWidths(
          TwoWidthRun(first: element, count: digitElements), scale, 0...9, pattern: { msiPatterns[$0] })
      else { return nil }
      misfit += match.misfit
      text[digit] = UInt8(truncatingIfNeeded: 0x30 + match.index)
    }
    guard isChecked(text, count: count, settings.msiCheck) else { return nil }
    let keepsCheck = settings.msiKeepsCheckDigits && checkCount > 0
    // Symbology identifier: 0 check digits verified and in the text, 1 none in the text.
    var candidate = LinearCandidate(.msi, aimModifier: keepsCheck ? 0x30 : 0x31)
    candidate.hasCheckDigit = checkCount > 0
    candidate.byteCount = settings.msiKeepsCheckDigits ? count : count - checkCount
    candidate.limitedCount = count - checkCount
    candidate.place(row, from: first, to: last, misfit: misfit / Int32(truncatingIfNeeded: count))
    return candidate
  }

  /// The first light edge from `from` on with wide free space after it.
  private static func end(_ row: ElementRow, from: Int, _ narrow: Int32) -> Int? {
    var last = from
    while last < row.count {
      if row.gapAfter(last) >= narrow * endModules { return last }
      last += 2
    }
    return nil
  }

  /// The widths of narrow and wide elements. Every bar with its space is equally wide. So a bar wider than the mean of the
  /// start's bar, which is wide, and the stop's, which is narrow, is a wide bar with a narrow space.
  private static func scale(_ row: ElementRow, _ first: Int, _ last: Int) -> TwoWidthScale? {
    let bitCount = (last - first) / 2
    let mean = Int(row.edge(last - 1) - row.edge(first)) / bitCount
    /// A bar's width, scaled to the mean width of a bit.
    func bar(_ bit: Int) -> Int? {
      let element = first + 2 * bit
      let width = Int(row.edge(element + 2) - row.edge(element))
      // The bits of a tilted label differ by less.
      guard width * 2 > mean, width < 2 * mean else { return nil }
      return Int(row.width(element)) * mean / width
    }
    guard let startBar = bar(0), let stopBar = bar(bitCount - 1) else { return nil }
    var ones = 0
    var wides = 0
    var narrows = 0
    for bit in 0..<bitCount {
      guard let width = bar(bit) else { return nil }
      if 2 * width > startBar + stopBar {
        ones += 1
        wides += width
      } else {
        narrows += width
      }
    }
    guard ones > 0, ones < bitCount else { return nil }
    let (wide, narrow) = (wides / ones, narrows / (bitCount - ones))
    return TwoWidthScale(
      narrowBar: Int32(clamping: narrow), wideBar: Int32(clamping: wide), narrowSpace: Int32(clamping: mean - wide),
      wideSpace: Int32(clamping: mean - narrow))
  }

  /// Whether the first bit is a 1, and the last one a 0 followed by a narrow bar, both as wide as those of the adjacent
  /// digits, with free space before and after.
  private static func isFramed(_ row: ElementRow, _ first: Int, _ last: Int, _ scale: TwoWidthScale) -> Bool {
    let stop = last - stopElements
    guard
      let start = row.matchTwoWidths(
        TwoWidthRun(first: first, count: startElements), scale, 0...1, pattern: { startPatterns[$0] }),
      let end = row.matchTwoWidths(
        TwoWidthRun(first: stop, count: stopElements), scale, 0...3, pattern: { stopPatterns[$0] }),
      start.index == 0, end.index == 0
    else { return false }
    let startWidth = row.edge(first + startElements) - row.edge(first)
    let stopWidth = row.edge(stop + 2) - row.edge(stop)
    let firstDigit = row.edge(first + startElements + digitElements) - row.edge(first + startElements)
    let lastDigit = row.edge(stop) - row.edge(stop - digitElements)
    // A bit is a quarter of a digit, within a quarter less and a third more.
    func isBit(_ width: Int32, of digit: Int32) -> Bool { 16 * width > 3 * digit && 12 * width < 4 * digit }
    guard isBit(startWidth, of: firstDigit), isBit(stopWidth, of: lastDigit) else { return false }
    func isQuiet(_ gap: Int32, bit: Int32, isCut: Bool) -> Bool {
      let narrow = (bit << 8) / (256 + scale.ratio)
      return gap >= narrow * (isCut ? cutQuietModules : quietModules)
    }
    return isQuiet(row.seenGapBefore(first), bit: startWidth, isCut: first == 0 && row.paddingBefore > 0)
      && isQuiet(row.seenGapAfter(last), bit: stopWidth, isCut: last + 1 == row.count && row.paddingAfter > 0)
  }

  /// Whether the check digits at the end of a text are right.
  private static func isChecked(_ text: ScratchArray<UInt8>, count: Int, _ check: MSICheck) -> Bool {
    switch check {
    case .none: true
    case .mod10: isMultipleOf10(text, count: count)
    case .mod10Mod10: isMultipleOf10(text, count: count) && isMultipleOf10(text, count: count - 1)
    case .mod11: isMultipleOf11(text, count: count)
    case .mod11Mod10: isMultipleOf10(text, count: count) && isMultipleOf11(text, count: count - 1)
    }
  }

  /// Whether the digit sum is a multiple of 10, where every second digit from the last but one on is doubled and replaced by
  /// the sum of its digits.
  private static func isMultipleOf10(_ text: ScratchArray<UInt8>, count: Int) -> Bool {
    var sum = 0
    for place in 0..<count {
      let digit = Int(text[count - 1 - place] - 0x30) << (place & 1)
      sum += digit > 9 ? digit - 9 : digit
    }
    return sum % 10 == 0
  }

  /// Whether the last digit plus the sum of the digits before it, weighted from the right with 2 to 7 in rotation, is a
  /// multiple of 11. A number whose check digit would be 10 cannot be encoded.
  private static func isMultipleOf11(_ text: ScratchArray<UInt8>, count: Int) -> Bool {
    var sum = 0
    for place in 0..<count {
      let weight = place == 0 ? 1 : (place - 1) % 6 + 2
      sum += Int(text[count - 1 - place] - 0x30) * weight
    }
    return sum % 11 == 0
  }
}
