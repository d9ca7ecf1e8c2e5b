// Code 93 from the edges of a line: AIM USS Code 93, inferred from published tables.
//
// A character is three bars and three spaces, nine modules in all; two check characters modulo 47 protect the text.

import BarcodeTypes

/// Modules of the 47 characters in order of value, and of the start and stop character; nine bits, 1 for dark.
let code93Patterns: [48 of UInt16] = [
  0x114, 0x148, 0x144, 0x142, 0x128, 0x124, 0x122, 0x150, 0x112, 0x10A, 0x1A8, 0x1A4, 0x1A2, 0x194, 0x192, 0x18A, 0x168,
  0x164,
  0x162, 0x134, 0x11A, 0x158, 0x14C, 0x146, 0x12C, 0x116, 0x1B4, 0x1B2, 0x1AC, 0x1A6, 0x196, 0x19A, 0x16C, 0x166, 0x136,
  0x13A,
  0x12E, 0x1D4, 0x1D2, 0x1CA, 0x16E, 0x176, 0x1AE, 0x126, 0x1DA, 0x1D6, 0x132, 0x15E,
]

/// Reads Code 93 from element rows.
enum Code93 {
  /// The value of start and stop, after the 47 characters.
  private static let startStop = 47
  /// The most characters, with the check characters.
  private static let characterCountMax = 82
  /// Greatest misfit of a character: 1.2 square modules.
  private static let misfitMax: Int32 = 78_643
  /// Least difference between the best and the second best character: 0.15.
  private static let marginMin: Int32 = 9830
  /// Minimum quiet zone on each side, in modules (the specification asks for 10).
  private static let quietModules: Int32 = 4
  /// The width of a character, in modules times 256.
  private static let characterWidth: Int32 = 9 << 8

  /// Reads a symbol that begins with the dark edge `first`, or returns nil.
  static func read(_ row: ElementRow, from first: Int, into text: ScratchArray<UInt8>) -> LinearCandidate? {
    // Start, one character, two checks, stop with its last bar.
    guard first + 31 < row.count else { return nil }
    var span = row.edge(first + 6) - row.edge(first)
    guard span > 9 * ElementRow.moduleMin, row.gapBefore(first) * 9 >= span * quietModules,
      let start = readCharacter(row, at: first, spread: 0, from: startStop)
    else { return nil }
    var spread = start.spread
    var misfit = start.misfit
    var count = 0
    var element = first + 6
    while element + 7 < row.count {
      let width = row.edge(element + 6) - row.edge(element)
      guard ElementRow.isAsWide(width, as: span),
        let character = readCharacter(row, at: element, spread: spread, from: 0)
      else { return nil }
      span = width
      misfit += character.misfit
      spread += (character.spread - spread) >> 2
      if character.value == startStop {
        // The termination bar, one module, and a quiet zone.
        let last = element + 7
        guard row.width(last - 1) * 4 < span, row.gapAfter(last) * 9 >= span * quietModules, count >= 3,
          hasCheckCharacters(text, count: count)
        else { return nil }
        guard var candidate = finish(text, count: count - 2) else { return nil }
        candidate.place(row, from: first, to: last, misfit: misfit / Int32(count + 2))
        return candidate
      }
      guard count < characterCountMax else { return nil }
      text[count] = UInt8(truncatingIfNeeded: character.value)
      count += 1
      element += 6
    }
    return nil
  }

  /// The best character for six elements, its misfit, and the excess width of its bars, in modules times 256. Nil if no
  /// character is clearly the best.
  private static func readCharacter(
    _ row: ElementRow, at element: Int, spread: Int32, from low: Int
  ) -> (value: Int, misfit: Int32, spread: Int32)? {
    let sum = row.edge(element + 6) - row.edge(element)
    guard sum > 0 else { return nil }
    // Edges after the first, in modules times 256; ink spread moves every second one.
    var edges: [7 of Int32] = .init(repeating: 0)
    for index in 1..<6 {
      let distance = row.edge(element + index) - row.edge(element)
      edges[index] =
        Int32(truncatingIfNeeded: Int(distance) * Int(characterWidth) / Int(sum)) - (index & 1 == 1 ? spread : 0)
    }
    edges[6] = characterWidth
    var best = BestMatch(misfitMax: misfitMax + 1, secondMax: misfitMax + marginMin)
    var bestDark: Int32 = 0
    for value in low...startStop {
      let pattern = code93Patterns[value]
      var misfit: Int32 = 0
      var dark: Int32 = 0
      var at = 0
      var before: Int32 = 0
      for index in 0..<6 {
        // A run of equal modules.
        let isDark = index & 1 == 0
        var width: Int32 = 0
        while at < 9, (pattern >> UInt16(truncatingIfNeeded: 8 - at) & 1 == 1) == isDark {
          width += 256
          at += 1
        }
        let error = edges[index + 1] - edges[index] - width
        misfit += error * error + (error + before) * (error + before)
        before = error
        if isDark { dark += width }
      }
      if best.compare(value, misfit: misfit >> 1) { bestDark = dark }
    }
    guard best.misfit <= misfitMax, best.second - best.misfit >= marginMin else { return nil }
    let measured = edges[1] + edges[3] - edges[2] + edges[5] - edges[4]
    return (best.value, best.misfit, spread + (measured - bestDark) / 3)
  }

  /// Whether the last two values are the check characters C and K of those before them.
  static func hasCheckCharacters(_ values: ScratchArray<UInt8>, count: Int) -> Bool {
    weightedSum(values, count: count - 2, weightMax: 20) == Int(values[count - 2])
      && weightedSum(values, count: count - 1, weightMax: 15) == Int(values[count - 1])
  }

  /// The sum of values with weights 1, 2 … `weightMax`, 1, 2 … from the right, modulo 47.
  private static func weightedSum(_ values: ScratchArray<UInt8>, count: Int, weightMax: Int) -> Int {
    var sum = 0
    for index in 0..<count { sum += (index % weightMax + 1) * Int(values[count - 1 - index]) }
    return sum % 47
  }

  /// Converts values to bytes; values 43 to 46 are the shifts of full ASCII, written `$ % / +` in its tables.
  static func finish(_ text: ScratchArray<UInt8>, count: Int) -> LinearCandidate? {
    var length = 0
    var index = 0
    while index < count {
      let value = text[index]
      if value >= 43 {
        guard index + 1 < count, text[index + 1] >= 10, text[index + 1] < 36 else { return nil }
        let shifts: [4 of UInt8] = [0x24, 0x25, 0x2F, 0x2B]
        let letter = text[index + 1] - 10 + 0x41
        guard let byte = FullASCII.byte(shift: shifts[Int(value) - 43], letter: letter) else { return nil }
        text[length] = byte
        index += 1
      } else {
        unsafe text[length] = FullASCII.characters.utf8Start[Int(value)]
      }
      index += 1
      length += 1
    }
    guard length > 0 else { return nil }
    var candidate = LinearCandidate(.code93, aimModifier: 0x30)
    candidate.byteCount = length
    return candidate
  }
}
