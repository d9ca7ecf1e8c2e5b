// Code 39 from the edges of a line: ISO/IEC 16388.
//
// A character is five bars and four spaces, three of them wide, and a gap. There is no check character by default, so a text
// needs clear elements, start and stop characters with quiet zones, and more agreeing lines than other symbologies.

import BarcodeTypes

/// Wide elements of the 43 characters in order of value, and of the start and stop character: ISO/IEC 16388 table 1.
let code39Patterns: [44 of UInt16] = [
  0x034, 0x121, 0x061, 0x160, 0x031, 0x130, 0x070, 0x025, 0x124, 0x064, 0x109, 0x049, 0x148, 0x019, 0x118, 0x058, 0x00D,
  0x10C,
  0x04C, 0x01C, 0x103, 0x043, 0x142, 0x013, 0x112, 0x052, 0x007, 0x106, 0x046, 0x016, 0x181, 0x0C1, 0x1C0, 0x091, 0x190,
  0x0D0,
  0x085, 0x184, 0x0C4, 0x0A8, 0x0A2, 0x08A, 0x02A, 0x094,
]

/// Reads Code 39 from element rows.
enum Code39 {
  private static let startStop = 43
  private static let characterCountMax = 80
  /// Minimum quiet zone on each side, in narrow elements (the standard asks for 10).
  private static let quietModules: Int32 = 5

  /// The elements by whose widths narrow and wide ones are told apart: four characters. Blur changes each width with those of its
  /// neighbours.
  private static let scaleElementCount = 39

  /// Reads a symbol that begins with the dark edge `first`, or returns nil.
  static func read(
    _ row: ElementRow, from first: Int, _ settings: DecoderSettings, into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    // Start, one character and stop: 3 · 9 elements and 2 gaps.
    guard first + 29 < row.count,
      // The wide space and the wide bars of the start, and the narrow ones next to them.
      row.width(first + 4) > row.width(first + 2), row.width(first + 6) > row.width(first + 8),
      row.width(first + 1) > row.width(first + 3), row.gapBefore(first) * 2 >= row.width(first) * quietModules,
      settings.wantsCode39
    else { return nil }
    if let scale = row.scale(from: first, to: min(row.count - 1, first + scaleElementCount)),
      let candidate = read(row, from: first, scale, settings, into: text)
    {
      return candidate
    }
    guard let scale = scale(row, first) else { return nil }
    return read(row, from: first, scale, settings, into: text)
  }

  /// Reads a symbol whose narrow and wide elements are known.
  private static func read(
    _ row: ElementRow, from first: Int, _ scale: TwoWidthScale, _ settings: DecoderSettings, into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    guard row.gapBefore(first) >= scale.narrow * quietModules, match(row, first, scale, from: startStop) != nil else {
      return nil
    }
    var count = 0
    var misfit: Int32 = 0
    var element = first + 10
    var span = row.edge(first + 9) - row.edge(first)
    while element + 9 < row.count {
      let gap = row.width(element - 1)
      let width = row.edge(element + 9) - row.edge(element)
      guard gap * 4 > scale.narrow, gap < 4 * scale.narrow, ElementRow.isAsWide(width, as: span),
        let character = match(row, element, scale, from: 0)
      else { return nil }
      span = width
      misfit += character.misfit
      if character.index == startStop {
        let last = element + 9
        guard row.gapAfter(last) >= scale.narrow * quietModules, count > 0 else { return nil }
        guard var candidate = finish(text, count: count, settings) else { return nil }
        candidate.place(row, from: first, to: last, misfit: misfit / Int32(count + 1))
        return candidate
      }
      guard count < characterCountMax else { return nil }
      text[count] = UInt8(truncatingIfNeeded: character.index)
      count += 1
      element += 10
    }
    return nil
  }

  /// The widths of narrow and wide elements in a start character.
  private static func scale(_ row: ElementRow, _ first: Int) -> TwoWidthScale? {
    TwoWidthScale(
      narrowBar: (row.width(first) + row.width(first + 2) + row.width(first + 8)) / 3,
      wideBar: (row.width(first + 4) + row.width(first + 6)) / 2,
      narrowSpace: (row.width(first + 3) + row.width(first + 5) + row.width(first + 7)) / 3,
      wideSpace: row.width(first + 1))
  }

  private static func match(_ row: ElementRow, _ element: Int, _ scale: TwoWidthScale, from low: Int) -> TwoWidthMatch? {
    row.matchTwoWidths(TwoWidthRun(first: element, count: 9), scale, low...startStop, pattern: { code39Patterns[$0] })
  }

  /// Converts values to bytes, as the settings require.
  static func finish(
    _ text: ScratchArray<UInt8>, count: Int, _ settings: DecoderSettings
  ) -> LinearCandidate? {
    if settings.wants(.code32), let candidate = Code32.convert(text, count: count) { return candidate }
    if settings.wants(.pzn), let candidate = PZN.convert(text, count: count) { return candidate }
    var used = count
    guard settings.wants(.code39), settings.checks[.code39] == .none || count > 1 else { return nil }
    if settings.checks[.code39] != .none {
      // ISO/IEC 16388 annex A.1: the values' sum modulo 43.
      var sum = 0
      for index in 0..<(count - 1) { sum += Int(text[index]) }
      guard sum % 43 == Int(text[count - 1]) else { return nil }
      if settings.checks[.code39] == .verifyAndDrop { used -= 1 }
    }
    for index in 0..<used { unsafe text[index] = FullASCII.characters.utf8Start[Int(text[index])] }
    // Symbology identifier: 0 plain, 1 check verified, 3 verified and dropped, 4 more for full ASCII.
    var modifier: UInt8 = 0x30
    switch settings.checks[.code39] {
    case .none: break
    case .verify: modifier += 1
    case .verifyAndDrop: modifier += 3
    }
    if isFullASCII(text, count: used, settings.code39FullASCII) {
      modifier += 4
      var length = 0
      var index = 0
      while index < used {
        if FullASCII.isShift(text[index]) {
          guard index + 1 < used, let byte = FullASCII.byte(shift: text[index], letter: text[index + 1]) else {
            return nil
          }
          text[length] = byte
          index += 1
        } else {
          text[length] = text[index]
        }
        index += 1
        length += 1
      }
      used = length
    }
    var candidate = LinearCandidate(.code39, aimModifier: modifier)
    candidate.byteCount = used
    return candidate
  }

  /// Whether pairs are to be read as full ASCII: if every shift character has a letter that it can shift.
  private static func isFullASCII(_ text: ScratchArray<UInt8>, count: Int, _ policy: FullASCIIPolicy) -> Bool {
    switch policy {
    case .never: return false
    case .always: return true
    case .detect:
      var isAny = false
      var index = 0
      while index < count {
        if FullASCII.isShift(text[index]) {
          guard index + 1 < count, FullASCII.byte(shift: text[index], letter: text[index + 1]) != nil else {
            return false
          }
          isAny = true
          index += 1
        }
        index += 1
      }
      return isAny
    }
  }
}
