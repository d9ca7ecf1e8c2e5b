// Telepen from the edges of a line: AIM USS Telepen, inferred from public descriptions.
//
// A character is a byte with even parity, lowest bit first, in pairs of a bar and a space: narrow and narrow for 1, wide and
// narrow for 00, wide and wide for 010. Narrow and wide begins 01…10, with narrow pairs for the ones inside, and ends it. Every
// character has 16 modules. A check character makes the sum of all values a multiple of 127.

import BarcodeTypes

/// Reads Telepen from element rows.
enum Telepen {
  /// A pair of a bar and a space, by its wide elements.
  private enum Pair: Int { case narrow, wideBar, wideSpace, wide }

  /// The ways in which data begins, and whether it changes at a DLE character.
  private enum Mode: Int {
    /// Full ASCII.
    case ascii
    /// Pairs of digits, then perhaps full ASCII.
    case numeric
    /// Full ASCII, then pairs of digits.
    case asciiThenNumeric
  }

  /// Start and stop of each mode as six pairs, the first one uppermost, two bits each. The last space of a stop is the quiet zone.
  private static let starts: [3 of Int] = [0b00_00_00_00_00_11, 0b00_00_00_00_01_10, 0b00_00_00_01_00_10]
  private static let stops: [3 of Int] = [0b11_00_00_00_00_00, 0b01_10_00_00_00_00, 0b01_00_10_00_00_00]
  private static let guardElementCount = 12

  private static let characterModules: Int32 = 16
  /// The maximum number of characters; a character may encode two digits.
  private static let characterCountMax = 126
  /// A free space, in modules, that no space inside a symbol reaches: wide ones have 3, half as much more under tilt. The
  /// specification asks for 10.
  private static let quietModules: Int32 = 5
  /// The greatest error of a pair's width, and of the difference between its bar and its space, in modules times 256: 0.75 and 1.
  /// Pairs differ by two modules in either.
  private static let (widthErrorMax, differenceErrorMax): (Int32, Int32) = (192, 256)

  /// The character that changes the mode.
  private static let dataLinkEscape: UInt8 = 16
  private static let modulus = 127
  /// The value of a digit followed by X, and of the pair 00, from which the others follow.
  private static let (firstDigitX, firstPair): (UInt8, UInt8) = (17, 27)

  /// Reads a symbol that begins with the dark edge `first`, or returns nil.
  static func read(
    _ row: ElementRow, from first: Int, _ settings: DecoderSettings, into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    var element = first + guardElementCount
    guard settings.wants(.telepen) || settings.wants(.telepenNumeric), element < row.count else { return nil }
    var reader = PairReader(row, span: row.edge(element) - row.edge(first), from: first)
    guard reader.module > ElementRow.moduleMin, row.gapBefore(first) >= reader.module * quietModules,
      let start = reader.guardPairs(at: first, isStop: false), let mode = mode(start, in: starts)
    else { return nil }
    var count = 0
    while count <= characterCountMax {
      // A stop has one element fewer: its last space is the quiet zone.
      let last = element + guardElementCount - 1
      guard last < row.count else { return nil }
      if row.gapAfter(last) >= reader.module * quietModules {
        guard let stop = reader.guardPairs(at: element, isStop: true), stop == stops[mode.rawValue],
          var candidate = finish(text, count: count, mode, settings)
        else { return nil }
        candidate.place(row, from: first, to: last, misfit: reader.meanMisfit)
        candidate.moduleCount = characterModules * Int32(count + 2)
        return candidate
      }
      guard let value = reader.character(at: &element) else { return nil }
      text[count] = value
      count += 1
    }
    return nil
  }

  private static func mode(_ pairs: Int, in guards: [3 of Int]) -> Mode? {
    for index in guards.indices where guards[index] == pairs { return Mode(rawValue: index) }
    return nil
  }

  /// Checks the values of a symbol and converts them to its text.
  private static func finish(
    _ text: ScratchArray<UInt8>, count: Int, _ mode: Mode, _ settings: DecoderSettings
  ) -> LinearCandidate? {
    var sum = 0
    for index in 0..<count { sum += Int(text[index]) }
    // One character and the check character.
    guard count >= 2, sum % modulus == 0 else { return nil }
    // Printers use the start of full ASCII for pairs of digits, too: then only the settings tell.
    let isNumeric = mode == .numeric || (mode == .ascii && !settings.wants(.telepen))
    var change = count - 1
    if mode != .ascii || isNumeric {
      for index in 0..<(count - 1) where text[index] == dataLinkEscape {
        change = index
        break
      }
    }
    let hasChange = change < count - 1
    guard hasChange || mode != .asciiThenNumeric else { return nil }
    let digits = isNumeric ? 0..<change : (hasChange ? change + 1 : change)..<(count - 1)
    guard let length = expand(text, count: count - 1, digits: digits, escape: hasChange ? change : nil) else {
      return nil
    }
    // Symbology identifier: 0 full ASCII, 1 pairs of digits, 2 pairs before full ASCII, 4 full ASCII before pairs.
    let modifier: UInt8 = hasChange ? (isNumeric ? 0x32 : 0x34) : (isNumeric ? 0x31 : 0x30)
    let isPlainNumeric = isNumeric && !settings.wants(.telepen)
    var candidate = LinearCandidate(isPlainNumeric ? .telepenNumeric : .telepen, aimModifier: modifier)
    candidate.byteCount = length
    return candidate
  }

  /// Replaces the values in a range by pairs of digits, and removes the escape. Returns the number of bytes; nil if a value is no
  /// pair.
  private static func expand(
    _ text: ScratchArray<UInt8>, count: Int, digits: Range<Int>, escape: Int?
  ) -> Int? {
    let length = count + digits.count - (escape == nil ? 0 : 1)
    var end = length
    // From the end, where every byte that is written was read before.
    for index in (0..<count).reversed() where index != escape {
      let value = text[index]
      guard digits.contains(index) else {
        end -= 1
        text[end] = value
        continue
      }
      guard value >= firstDigitX, value < firstPair + 100 else { return nil }
      end -= 2
      if value < firstPair {
        text[end] = 0x30 + value - firstDigitX
        text[end + 1] = 0x58
      } else {
        text[end] = 0x30 + (value - firstPair) / 10
        text[end + 1] = 0x30 + (value - firstPair) % 10
      }
    }
    return length
  }

  /// Reads pairs of bars and spaces, following the width of the characters.
  private struct PairReader {
    private let row: ElementRow
    /// In samples times 256.
    private(set) var module: Int32
    /// The excess width of bars over spaces, in modules times 256: of narrow elements, twice the ink spread.
    private var excess: Int32 = 0
    private var misfit: Int64 = 0
    private var pairCount: Int64 = 0

    /// - Parameter span: the width of the character that begins with element `first`, in samples times 256.
    init(_ row: ElementRow, span: Int32, from first: Int) {
      self.row = row
      module = span / characterModules
      // The first three pairs of every start are narrow.
      var sum: Int32 = 0
      for index in 0..<3 { sum += row.width(first + 2 * index) - row.width(first + 2 * index + 1) }
      excess = (sum << 8) / max(1, 3 * module)
    }

    /// The mean squared misfit of the pairs, in square modules times 65536.
    var meanMisfit: Int32 { Int32(clamping: misfit / max(1, pairCount)) }

    /// The pair that begins with an element; nil if its widths fit no pair.
    private mutating func pair(at element: Int) -> Pair? {
      let (bar, space) = (row.width(element), row.width(element + 1))
      let width = ((bar + space) << 8) / module
      let difference = ((bar - space) << 8) / module - excess
      let isMixed = width > 3 << 8 && width < 5 << 8
      let kind: Pair = isMixed ? (difference > 0 ? .wideBar : .wideSpace) : width < 4 << 8 ? .narrow : .wide
      let widthError = width - (isMixed ? 4 << 8 : kind == .narrow ? 2 << 8 : 6 << 8)
      let differenceError = isMixed ? abs(difference) - 2 << 8 : difference
      guard abs(widthError) <= widthErrorMax, abs(differenceError) <= differenceErrorMax else { return nil }
      misfit += Int64(widthError * widthError + differenceError * differenceError)
      pairCount += 1
      return kind
    }

    /// The six pairs of a start or stop, two bits each; nil if their widths fit no pairs.
    mutating func guardPairs(at element: Int, isStop: Bool) -> Int? {
      var pairs = 0
      for index in 0..<(isStop ? 5 : 6) {
        guard let pair = pair(at: element + 2 * index) else { return nil }
        pairs = pairs << 2 | pair.rawValue
      }
      guard isStop else { return pairs }
      // The bar of the last pair is narrow.
      guard row.width(element + 10) < 2 * module else { return nil }
      return pairs << 2
    }

    /// The value of the character that begins with an element, which moves past it; nil if no character has these pairs.
    mutating func character(at element: inout Int) -> UInt8? {
      let first = element
      var bits = 0
      var bitCount = 0
      /// Whether the last 01 waits for its 10.
      var isOpen = false
      while bitCount < 8 {
        guard element + 2 < row.count, let pair = pair(at: element) else { return nil }
        element += 2
        // The lowest bit comes first.
        let (value, length) =
          switch pair {
          case .narrow: (0b1, 1)
          case .wideBar: (0b00, 2)
          case .wide: (0b010, 3)
          case .wideSpace: isOpen ? (0b01, 2) : (0b10, 2)
          }
        guard !isOpen || pair == .narrow || pair == .wideSpace else { return nil }
        if pair == .wideSpace { isOpen.toggle() }
        bits |= value << bitCount
        bitCount += length
      }
      guard bitCount == 8, !isOpen, bits.nonzeroBitCount & 1 == 0 else { return nil }
      let next = (row.edge(element) - row.edge(first)) / characterModules
      // Tilt changes the width from character to character, but by less than a quarter.
      guard ElementRow.isAsWide(next, as: module) else { return nil }
      module = next
      return UInt8(truncatingIfNeeded: bits & 0x7F)
    }
  }
}
