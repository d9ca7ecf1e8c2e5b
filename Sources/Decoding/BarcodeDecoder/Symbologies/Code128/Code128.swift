// Code 128 and GS1-128 from the edges of a line: ISO/IEC 15417, GS1 General Specifications §5.4.
//
// A character is three bars and three spaces, 11 modules in all; a weighted sum modulo 103 checks the whole symbol.

import BarcodeTypes

/// Element widths of the characters 0 to 105, one hexadecimal digit per element, the first bar uppermost: ISO/IEC 15417
/// table 1. Each character has an even number of dark modules; Code128Tests recompute that and the sum of 11.
let code128Widths: [106 of UInt32] = [
  0x212222, 0x222122, 0x222221, 0x121223, 0x121322, 0x131222, 0x122213, 0x122312,
  0x132212, 0x221213, 0x221312, 0x231212, 0x112232, 0x122132, 0x122231, 0x113222,
  0x123122, 0x123221, 0x223211, 0x221132, 0x221231, 0x213212, 0x223112, 0x312131,
  0x311222, 0x321122, 0x321221, 0x312212, 0x322112, 0x322211, 0x212123, 0x212321,
  0x232121, 0x111323, 0x131123, 0x131321, 0x112313, 0x132113, 0x132311, 0x211313,
  0x231113, 0x231311, 0x112133, 0x112331, 0x132131, 0x113123, 0x113321, 0x133121,
  0x313121, 0x211331, 0x231131, 0x213113, 0x213311, 0x213131, 0x311123, 0x311321,
  0x331121, 0x312113, 0x312311, 0x332111, 0x314111, 0x221411, 0x431111, 0x111224,
  0x111422, 0x121124, 0x121421, 0x141122, 0x141221, 0x112214, 0x112412, 0x122114,
  0x122411, 0x142112, 0x142211, 0x241211, 0x221114, 0x413111, 0x241112, 0x134111,
  0x111242, 0x121142, 0x121241, 0x114212, 0x124112, 0x124211, 0x411212, 0x421112,
  0x421211, 0x212141, 0x214121, 0x412121, 0x111143, 0x111341, 0x131141, 0x114113,
  0x114311, 0x411113, 0x411311, 0x113141, 0x114131, 0x311141, 0x411131, 0x211412,
  0x211214, 0x211232,
]

/// Reads Code 128 from element rows.
enum Code128 {
  /// The most characters in a symbol, not counting start, check and stop characters.
  static let characterCountMax = 120
  /// Least number of data characters.
  private static let characterCountMin = 1
  /// Greatest misfit of a character: 1.6 square modules.
  private static let misfitMax: Int32 = 104_858
  /// Least difference between the best and the second best character: 0.1. The check character alone can miss two wrong
  /// characters.
  private static let marginMin: Int32 = 6554
  private static let quietModules: Int32 = 4
  /// The margin below which a character is in doubt, in square modules times 65536. The check character detects one wrong character,
  /// and misses two in one of 103 cases: a line with two in doubt
  /// counts for nothing.
  private static let doubtMarginMin: Int32 = 32768
  /// The sum of the two least margins below which they are in doubt, in mean misfits, for clear edges and for rough ones: motion, and
  /// pixels as large as modules, move the edges of several characters alike, on all lines.
  private static let doubtMisfitFactors: (clear: Int32, rough: Int32) = (2, 4)
  /// The mean misfit of rough edges, in square modules times 65536.
  private static let roughMisfitMin: Int32 = 28_000

  /// Reads a symbol that begins with the dark edge `first`, or returns nil.
  static func read(
    _ row: ElementRow, from first: Int, into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    // Start, one character, check, stop: 6 + 6 + 6 + 7 elements.
    guard first + 25 < row.count else { return nil }
    let startSpan = row.edge(first + 6) - row.edge(first)
    guard startSpan > 11 * ElementRow.moduleMin, row.gapBefore(first) * 11 >= startSpan * quietModules else { return nil }
    var values: [122 of UInt8] = .init(repeating: 0)
    guard let start = readCharacter(row, at: first, spread: 0, from: 103, to: 105) else { return nil }
    values[0] = UInt8(truncatingIfNeeded: start.value)
    var spread = start.spread
    var misfit = start.misfit
    var count = 1
    var leastMargins = (first: Int32.max, second: Int32.max)
    var sum = start.value
    var element = first + 6
    var span = startSpan
    while element + 7 < row.count {
      if isStop(row, at: element, spread: spread, before: span) {
        let last = element + 7
        guard row.gapAfter(last) * 13 >= (row.edge(last) - row.edge(element)) * quietModules else { return nil }
        guard count >= characterCountMin + 2 else { return nil }
        let check = Int(values[count - 1])
        guard (sum - (count - 1) * check) % 103 == check else { return nil }
        guard var candidate = decode(values, count: count - 1, into: text) else { return nil }
        candidate.place(row, from: first, to: last, misfit: misfit / Int32(count))
        let factor = candidate.misfit < roughMisfitMin ? doubtMisfitFactors.clear : doubtMisfitFactors.rough
        guard leastMargins.second >= doubtMarginMin,
          leastMargins.first + leastMargins.second >= candidate.misfit * factor
        else { return nil }
        // Eleven modules per character, and two more for the last bar of the stop character.
        candidate.moduleCount = Int32(truncatingIfNeeded: (count + 1) * 11 + 2)
        return candidate
      }
      guard count <= characterCountMax else { return nil }
      let width = row.edge(element + 6) - row.edge(element)
      guard ElementRow.isAsWide(width, as: span),
        let character = readCharacter(row, at: element, spread: spread, from: 0, to: 102)
      else { return nil }
      values[count] = UInt8(truncatingIfNeeded: character.value)
      sum += count * character.value
      spread += (character.spread - spread) >> 2
      misfit += character.misfit
      if character.margin < leastMargins.first {
        leastMargins = (character.margin, leastMargins.first)
      } else {
        leastMargins.second = min(leastMargins.second, character.margin)
      }
      span = width
      count += 1
      element += 6
    }
    return nil
  }

  /// The best character for six elements, its misfit, and the excess width of its bars, in modules times 256. Nil if no
  /// character is clearly the best.
  private static func readCharacter(
    _ row: ElementRow, at element: Int, spread: Int32, from low: Int, to high: Int
  ) -> (value: Int, misfit: Int32, spread: Int32, margin: Int32)? {
    let sum = row.edge(element + 6) - row.edge(element)
    guard sum > 0 else { return nil }
    let scale = (11 << 24) / Int(sum)
    let w0 = modules(row, element, scale) - spread
    let w1 = modules(row, element + 1, scale) + spread
    let w2 = modules(row, element + 2, scale) - spread
    let w3 = modules(row, element + 3, scale) + spread
    let w4 = modules(row, element + 4, scale) - spread
    let w5 = 2816 - w0 - w1 - w2 - w3 - w4
    var best = BestMatch(misfitMax: misfitMax + 1, secondMax: misfitMax + marginMin)
    for value in low...high {
      let widths = unsafe Int32(bitPattern: code128Widths[unchecked: value])
      let e0 = w0 - (widths >> 12) & 0xF00
      let e1 = w1 - (widths >> 8) & 0xF00
      let e2 = w2 - (widths >> 4) & 0xF00
      let first = e0 * e0 + e1 * e1 + e2 * e2
      // Half of the single misfits bounds the whole from below.
      guard first >> 1 < best.second else { continue }
      let e3 = w3 - widths & 0xF00
      let e4 = w4 - (widths << 4) & 0xF00
      let e5 = w5 - (widths << 8) & 0xF00
      let single = first + e3 * e3 + e4 * e4 + e5 * e5
      let double =
        (e0 + e1) * (e0 + e1) + (e1 + e2) * (e1 + e2) + (e2 + e3) * (e2 + e3)
        + (e3 + e4) * (e3 + e4) + (e4 + e5) * (e4 + e5)
      best.compare(value, misfit: (single + double) >> 1)
    }
    guard best.misfit <= misfitMax, best.second - best.misfit >= marginMin else { return nil }
    let widths = Int32(bitPattern: code128Widths[best.value])
    let dark = (widths >> 12) & 0xF00 + (widths >> 4) & 0xF00 + (widths << 4) & 0xF00
    return (best.value, best.misfit, spread + (w0 + w2 + w4 - dark) / 3, best.second - best.misfit)
  }

  @inline(__always) private static func modules(_ row: ElementRow, _ element: Int, _ scale: Int) -> Int32 {
    Int32(truncatingIfNeeded: (Int(row.width(element)) * scale) >> 16)
  }

  /// Whether seven elements are the stop character, 2331112, after a character of width `before`.
  private static func isStop(_ row: ElementRow, at element: Int, spread: Int32, before: Int32) -> Bool {
    let sum = row.edge(element + 7) - row.edge(element)
    // 13 modules compared with 11, with a tolerance of a quarter.
    guard sum * 44 > before * 39, sum * 33 < before * 52 else { return false }
    let scale = (13 << 24) / Int(sum)
    var misfit: Int32 = 0
    var before: Int32 = 0
    for index in 0..<7 {
      let shift = index & 1 == 0 ? spread : -spread
      let error = modules(row, element + index, scale) - shift - ((0x2331112 >> Int32(24 - index * 4)) & 0xF) << 8
      misfit += error * error + (error + before) * (error + before)
      before = error
    }
    return misfit >> 1 <= misfitMax
  }

  /// Converts characters to bytes: code sets A, B and C, shift, FNC1 to FNC4 (ISO/IEC 15417 §4.3).
  ///
  /// - Parameter count: characters before the check character, including the start character.
  static func decode(
    _ values: [122 of UInt8], count: Int, into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    Code128Message(values, count: count).write(into: text)
  }
}

/// Converts the characters of a symbol to bytes.
private struct Code128Message {
  private enum CodeSet { case a, b, c }

  private let values: [122 of UInt8]
  private let count: Int
  private var codeSet: CodeSet
  private var isShifted = false
  /// FNC4: whether the next character, or every character, is from the upper half of ISO/IEC 8859-1.
  private var isNextUpper = false
  private var isUpper = false
  private var candidate = LinearCandidate(.code128, aimModifier: 0x30)

  init(_ values: [122 of UInt8], count: Int) {
    self.values = values
    self.count = count
    codeSet = values[0] == 103 ? .a : (values[0] == 104 ? .b : .c)
  }

  consuming func write(into text: ScratchArray<UInt8>) -> LinearCandidate? {
    for index in 1..<count {
      let value = values[index]
      let set = isShifted ? (codeSet == .a ? CodeSet.b : CodeSet.a) : codeSet
      isShifted = false
      switch set {
      case .c:
        if value < 100 {
          append(0x30 + value / 10, to: text)
          append(0x30 + value % 10, to: text)
        } else if value == 102 {
          functionOne(at: index, text)
        } else {
          link(at: index, value == 101 ? .columns : .rows)
          codeSet = value == 100 ? .b : .a
        }
      case .a, .b:
        if value < 96 {
          appendCharacter(value, from: set, to: text)
        } else {
          control(value, in: set, at: index, text)
        }
      }
    }
    // A shift or single FNC4 at the end has nothing to act on: no encoder writes it.
    guard candidate.byteCount > 0, !isShifted, !isNextUpper else { return nil }
    return candidate
  }

  private mutating func append(_ byte: UInt8, to text: ScratchArray<UInt8>) {
    guard candidate.byteCount < LinearCandidate.byteCountMax else { return }
    text[candidate.byteCount] = byte
    candidate.byteCount += 1
  }

  private mutating func appendCharacter(_ value: UInt8, from set: CodeSet, to text: ScratchArray<UInt8>) {
    let ascii = set == .a && value >= 64 ? value - 64 : value + 32
    append(isNextUpper != isUpper ? ascii + 128 : ascii, to: text)
    isNextUpper = false
  }

  private mutating func control(
    _ value: UInt8, in set: CodeSet, at index: Int, _ text: ScratchArray<UInt8>
  ) {
    switch value {
    case 98: isShifted = true
    case 99:
      link(at: index, set == .b ? .columns : .rows)
      codeSet = .c
    case 102: functionOne(at: index, text)
    case 100 where set == .b, 101 where set == .a:
      if isNextUpper { isUpper.toggle() }
      isNextUpper.toggle()
    case 100:
      link(at: index, .columns)
      codeSet = .b
    case 101:
      link(at: index, .rows)
      codeSet = .a
    // FNC2 and FNC3 are instructions to the reader and not part of the text.
    default: break
    }
  }

  /// A change of the code set at the end of a GS1-128, with nothing left to encode, announces a two-dimensional component above it
  /// (ISO/IEC 24723 §7.4).
  private mutating func link(at index: Int, _ linkage: Linkage) {
    if index == count - 1, candidate.isGS1 { candidate.linkage = linkage }
  }

  /// FNC1 in first place makes the symbol a GS1-128; after one letter or two digits it marks an application; elsewhere it is
  /// a separator.
  private mutating func functionOne(at index: Int, _ text: ScratchArray<UInt8>) {
    if index == 1 {
      candidate.isGS1 = true
      candidate.aimModifier = 0x31
    } else if index == 2, !candidate.isGS1 {
      candidate.aimModifier = 0x32
    } else {
      append(0x1D, to: text)
    }
  }
}
