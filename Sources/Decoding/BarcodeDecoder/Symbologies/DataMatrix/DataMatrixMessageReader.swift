// The message of the data codewords (ISO/IEC 16022:2006 §5.2): characters in six encodation schemes and the codewords that
// qualify them. A sequence that breaks a rule has no message; it is never read past its end.

import BarcodeTypes

/// Reads the message of a symbol's data codewords into the results, without committing it. Its modifier (Annex N) is "1" for
/// plain data, "2" and "3" with FNC1 in first or second position, "4" to "6" for the same with ECI.
struct DataMatrixMessageReader {
  private enum Macro { case none, format05, format06 }

  /// Codewords with a special meaning in the ASCII scheme (Table 2).
  private enum Control {
    static let pad = 129
    static let digitPairs = 130
    static let latchC40 = 230
    static let latchBase256 = 231
    static let fnc1 = 232
    static let structuredAppend = 233
    static let readerProgramming = 234
    static let upperShift = 235
    static let macro05 = 236
    static let macro06 = 237
    static let latchX12 = 238
    static let latchText = 239
    static let latchEDIFACT = 240
    static let eci = 241
  }

  /// Returns from C40, Text and X12 to ASCII.
  private static let unlatch = 254
  private static let groupSeparator: UInt8 = 0x1D

  private let codewords: ScratchArray<UInt16>
  private let count: Int
  private var place = 0
  /// The index at which the message begins, after the structured append codewords.
  private var start = 0
  private var interpretation = TextInterpretation.unspecified
  private var hasECI = false
  private var fnc1 = FNC1.none
  private var macro = Macro.none
  private var structuredAppend: StructuredAppend?
  private var isUpperShifted = false
  private var hasRightPadding = true

  init(_ codewords: ScratchArray<UInt16>, count: Int) {
    self.codewords = codewords
    self.count = min(count, codewords.count)
  }

  private var remaining: Int { count - place }

  /// The next codeword, or nil at the end.
  private mutating func next() -> Int? {
    guard place < count else { return nil }
    place += 1
    return Int(codewords[place - 1])
  }

  /// Reads the message. Returns nil if the codewords form no message, an empty one, or one too long for the store; the
  /// caller then drops the appended bytes.
  mutating func read(into results: inout ResultStore) -> SymbolMessage? {
    while let codeword = next() {
      if codeword == Control.pad {
        checkPadding()
        break
      }
      guard readASCII(codeword, into: &results) else { return nil }
    }
    guard !isUpperShifted else { return nil }
    if macro != .none {
      guard results.append(0x1E), results.append(0x04) else { return nil }
    }
    guard results.pendingByteCount > 0 else { return nil }
    let modifier = UInt8(1 + fnc1.rawValue + (hasECI ? 3 : 0))
    return SymbolMessage(
      aimModifier: 0x30 + modifier, isGS1: fnc1 == .first, structuredAppend: structuredAppend,
      hasRightPadding: hasRightPadding)
  }

  /// Reads one codeword of the ASCII scheme (§5.2.3), and the sequence that it begins.
  private mutating func readASCII(_ codeword: Int, into results: inout ResultStore) -> Bool {
    switch codeword {
    case 1..<Control.pad: return append(codeword - 1, into: &results)
    case Control.digitPairs..<Control.latchC40:
      let value = codeword - Control.digitPairs
      return append(0x30 + value / 10, into: &results) && append(0x30 + value % 10, into: &results)
    case Control.latchC40: return readTriples(.c40, into: &results)
    case Control.latchText: return readTriples(.text, into: &results)
    case Control.latchX12: return readTriples(.x12, into: &results)
    case Control.latchBase256: return readBase256(into: &results)
    case Control.latchEDIFACT: return readEDIFACT(into: &results)
    case Control.fnc1: return readFNC1(into: &results)
    case Control.structuredAppend: return readStructuredAppend()
    // A symbol that programs the reader: its message is read like any other.
    case Control.readerProgramming: return place == 1
    case Control.upperShift:
      isUpperShifted = true
      return true
    case Control.macro05, Control.macro06: return readMacro(codeword, into: &results)
    case Control.eci: return readECI()
    default: return false
    }
  }

  /// Appends a character, which is in the upper half of the set after an upper shift.
  private mutating func append(_ character: Int, into results: inout ResultStore) -> Bool {
    let byte = character + (isUpperShifted ? 128 : 0)
    isUpperShifted = false
    guard byte >= 0, byte < 256, results.beginSegment(interpretation) else { return false }
    return results.append(UInt8(byte))
  }

  /// Reads FNC1 (§5.2.4.7): in first position it announces GS1, after one letter or two digits it marks an industry
  /// application, and anywhere else it is a separator.
  private mutating func readFNC1(into results: inout ResultStore) -> Bool {
    if place == start + 1 {
      fnc1 = .first
      return true
    }
    if place == start + 2, fnc1 == .none {
      let first = Int(codewords[start])
      let isLetter = (first >= 0x42 && first <= 0x5B) || (first >= 0x62 && first <= 0x7B)
      if isLetter || (first >= Control.digitPairs && first < Control.latchC40) {
        fnc1 = .second
        return true
      }
    }
    return append(Int(DataMatrixMessageReader.groupSeparator), into: &results)
  }

  /// Reads position, number of symbols and file identification (§5.6), which come first.
  private mutating func readStructuredAppend() -> Bool {
    guard place == 1, let sequence = next(), let high = next(), let low = next() else { return false }
    let total = 17 - (sequence & 15)
    let position = sequence >> 4
    guard total >= 2, total <= 16, position < total else { return false }
    structuredAppend = StructuredAppend(
      index: Int32(position), count: Int32(total), identifier: UInt64(high << 8 | low))
    start = place
    return true
  }

  /// Appends the header of a macro (§5.2.4.10), which must be the first codeword; its trailer is appended at the end.
  private mutating func readMacro(_ codeword: Int, into results: inout ResultStore) -> Bool {
    guard place == 1 else { return false }
    macro = codeword == Control.macro05 ? .format05 : .format06
    let header: [7 of UInt8] = [0x5B, 0x29, 0x3E, 0x1E, 0x30, codeword == Control.macro05 ? 0x35 : 0x36, 0x1D]
    for index in header.indices where !results.append(header[index]) { return false }
    return true
  }

  /// Reads an ECI in one to three codewords (§5.4.1, Table 6), which holds until the next one.
  private mutating func readECI() -> Bool {
    guard let first = next() else { return false }
    var assignment = 0
    switch first {
    case 1...127: assignment = first - 1
    case 128...191:
      guard let second = next(), second >= 1, second <= 254 else { return false }
      assignment = (first - 128) * 254 + second - 1 + 127
    case 192...207:
      guard let second = next(), let third = next(), second >= 1, second <= 254, third >= 1, third <= 254 else {
        return false
      }
      assignment = (first - 192) * 64516 + (second - 1) * 254 + third - 1 + 16383
    default: return false
    }
    guard assignment <= 999_999 else { return false }
    interpretation = .eci(UInt32(assignment))
    hasECI = true
    return true
  }

  /// Reads bytes, each varied by its position (§5.2.9, Annex B.2).
  private mutating func readBase256(into results: inout ResultStore) -> Bool {
    guard let first = nextByte() else { return false }
    var length = first
    if first == 0 {
      length = remaining
    } else if first >= 250 {
      guard let second = nextByte() else { return false }
      length = (first - 249) * 250 + second
    }
    guard length <= remaining, !isUpperShifted else { return false }
    for _ in 0..<length {
      guard let byte = nextByte(), append(byte, into: &results) else { return false }
    }
    return true
  }

  /// The next codeword without the 255-state variation.
  private mutating func nextByte() -> Int? {
    guard let codeword = next() else { return nil }
    let variation = (149 * place) % 255 + 1
    return codeword >= variation ? codeword - variation : codeword - variation + 256
  }

  /// Reads four characters of six bits per three codewords (§5.2.8), until the unlatch value or fewer than three remaining
  /// codewords.
  private mutating func readEDIFACT(into results: inout ResultStore) -> Bool {
    while remaining >= 3 {
      var bits = 0
      var bitCount = 0
      for _ in 0..<4 {
        if bitCount < 6 {
          guard let codeword = next() else { return false }
          bits = bits << 8 | codeword
          bitCount += 8
        }
        bitCount -= 6
        let value = (bits >> bitCount) & 0x3F
        if value == 0b011111 { return true }
        guard append(value & 0x20 == 0 ? value + 64 : value, into: &results) else { return false }
      }
    }
    return true
  }

  /// Reads pairs of codewords with three values each (§5.2.5 to §5.2.7), until an unlatch or fewer than two remaining
  /// codewords.
  private mutating func readTriples(_ scheme: DataMatrixTripleScheme, into results: inout ResultStore) -> Bool {
    var shift = 0
    while remaining >= 2 {
      guard let first = next() else { return false }
      if first == DataMatrixMessageReader.unlatch { return true }
      guard let second = next() else { return false }
      let packed = first * 256 + second - 1
      guard packed >= 0, packed < 64000 else { return false }
      let values: [3 of Int] = [packed / 1600, packed / 40 % 40, packed % 40]
      for index in values.indices {
        switch scheme.character(values[index], shift: &shift) {
        case .none: break
        case .invalid: return false
        case .upperShift: isUpperShifted = true
        case .fnc1: guard append(Int(DataMatrixMessageReader.groupSeparator), into: &results) else { return false }
        case .character(let character): guard append(character, into: &results) else { return false }
        }
      }
    }
    // The last codeword may be an unlatch without a successor; otherwise it is of the ASCII scheme.
    if remaining == 1, Int(codewords[place]) == DataMatrixMessageReader.unlatch { place += 1 }
    // A shift that only fills the last pair has no effect.
    isUpperShifted = false
    return true
  }

  /// Compares the codewords after the first pad with the 253-state variation (Annex B.1).
  private mutating func checkPadding() {
    while let codeword = next() {
      let varied = Control.pad + (149 * place) % 253 + 1
      if codeword != (varied <= 254 ? varied : varied - 254) { hasRightPadding = false }
    }
  }
}
