// The message in the data codewords of PDF417 and MicroPDF417 (ISO/IEC 15438 §4.4 to 4.6 and Annex H, ISO/IEC 24728 §4.4):
// compaction modes, character sets, and the position of a symbol in a message of several symbols. Codewords that break a
// rule have no message; the reader never reads past their end.

import BarcodeTypes

/// Function codewords (ISO/IEC 15438 Table 5, ISO/IEC 24728 Table 3).
enum StackedFunction {
  static let textLatch = 900
  static let byteLatch = 901
  static let numericLatch = 902
  static let byteShift = 913
  static let header05 = 916
  static let header06 = 917
  static let otherLinkage = 918
  static let linkage = 920
  static let readerInitialization = 921
  static let macroTerminator = 922
  static let macroField = 923
  static let sixByteLatch = 924
  static let eciUser = 925
  static let eciGeneral = 926
  static let eciCharacterSet = 927
  static let macroBlock = 928
}

/// Decodes the message of a symbol's data codewords into the results, without committing it. Its modifier is "1" with ECI,
/// "2" without, "3" to "5" for Code 128 emulation.
struct StackedMessageReader {
  private enum Mode { case text, byte, sixByte, numeric }
  private enum Emulation: Int { case none, fnc1First, fnc1Second, code128 }

  private let codewords: ScratchArray<UInt16>
  private let end: Int
  private var place: Int
  private var mode: Mode
  private var text = StackedTextReader()
  private var interpretation = TextInterpretation.unspecified
  private var hasECI = false
  private var emulation = Emulation.none
  private var structuredAppend: StructuredAppend?
  /// Whether "RS EOT" must end the message, after a header 05 or 06.
  private var hasHeader = false
  /// The two-digit application identifier that precedes the data; 0 for none.
  private var impliedIdentifier = 0

  /// Reads the codewords `first..<end`.
  init(_ codewords: ScratchArray<UInt16>, first: Int, end: Int, isMicro: Bool) {
    self.codewords = codewords
    self.end = min(end, codewords.count)
    place = first
    mode = isMicro ? .byte : .text
    if isMicro { readEmulation() }
  }

  /// Nil if the codewords have no message, an empty one, or one too long for the store; the caller must then drop the
  /// appended bytes.
  mutating func read(into results: inout ResultStore) -> SymbolMessage? {
    let before = results.pendingByteCount
    guard results.beginSegment(interpretation) else { return nil }
    if impliedIdentifier > 0,
      !results.append(0x30 + UInt8(impliedIdentifier / 10)) || !results.append(0x30 + UInt8(impliedIdentifier % 10))
    {
      return nil
    }
    while place < end {
      let codeword = Int(codewords[place])
      let isRead = codeword < 900 ? readData(into: &results) : readFunction(codeword, into: &results)
      guard isRead else { return nil }
    }
    if hasHeader, !results.append(0x1E) || !results.append(0x04) { return nil }
    guard results.pendingByteCount > before else { return nil }
    let plain: UInt8 = hasECI ? 0x31 : 0x32
    return SymbolMessage(
      aimModifier: emulation == .none ? plain : 0x32 + UInt8(emulation.rawValue), isGS1: emulation == .fnc1First,
      structuredAppend: structuredAppend)
  }

  private mutating func readData(into results: inout ResultStore) -> Bool {
    switch mode {
    case .text:
      let codeword = Int(codewords[place])
      place += 1
      return text.read(codeword / 30, into: &results) && text.read(codeword % 30, into: &results)
    case .byte, .sixByte: return readBytes(into: &results)
    case .numeric: return readDigits(into: &results)
    }
  }

  /// Number of data codewords from `place` on.
  private func dataCount() -> Int {
    var count = 0
    while place + count < end, codewords[place + count] < 900 { count += 1 }
    return count
  }

  /// Five codewords encode six bytes, base 900. After 901 at least one byte follows separately, so the last one to five
  /// codewords are one byte each; after 924 all codewords are in groups (§4.4.3).
  private mutating func readBytes(into results: inout ResultStore) -> Bool {
    var rest = dataCount()
    while rest >= 5 && (mode == .sixByte || rest > 5) {
      var value = 0
      for index in 0..<5 { value = value * 900 + Int(codewords[place + index]) }
      guard value < 1 << 48 else { return false }
      for index in 0..<6 where !results.append(UInt8(truncatingIfNeeded: value >> (40 - 8 * index))) { return false }
      place += 5
      rest -= 5
    }
    for _ in 0..<rest {
      guard codewords[place] < 256, results.append(UInt8(codewords[place])) else { return false }
      place += 1
    }
    return true
  }

  /// Groups of up to 15 codewords, base 900: up to 44 digits after a leading 1 (§4.4.4).
  private mutating func readDigits(into results: inout ResultStore) -> Bool {
    var rest = dataCount()
    while rest > 0 {
      let count = min(15, rest)
      var digits: [48 of UInt8] = .init(repeating: 0)
      for index in 0..<count {
        var carry = Int(codewords[place + index])
        for digit in 0..<48 {
          let value = Int(digits[digit]) * 900 + carry
          digits[digit] = UInt8(value % 10)
          carry = value / 10
        }
      }
      var top = 47
      while top > 0, digits[top] == 0 { top -= 1 }
      guard digits[top] == 1, top > 0 else { return false }
      for digit in stride(from: top - 1, through: 0, by: -1) where !results.append(0x30 + digits[digit]) { return false }
      place += count
      rest -= count
    }
    return true
  }

  private mutating func readFunction(_ codeword: Int, into results: inout ResultStore) -> Bool {
    place += 1
    text.endPair()
    switch codeword {
    case StackedFunction.textLatch:
      mode = .text
      text = StackedTextReader()
      return true
    case StackedFunction.byteLatch:
      mode = .byte
      return true
    case StackedFunction.sixByteLatch:
      mode = .sixByte
      return true
    case StackedFunction.numericLatch:
      mode = .numeric
      return true
    case StackedFunction.byteShift:
      guard let byte = next(below: 256), mode == .text else { return false }
      return results.append(UInt8(byte))
    case StackedFunction.eciCharacterSet:
      guard let number = next(below: 900) else { return false }
      return setInterpretation(number, into: &results)
    case StackedFunction.eciGeneral:
      guard let high = next(below: 900), let low = next(below: 900) else { return false }
      return setInterpretation((high + 1) * 900 + low, into: &results)
    case StackedFunction.eciUser:
      guard let number = next(below: 900) else { return false }
      return setInterpretation(810_900 + number, into: &results)
    case StackedFunction.macroBlock: return readMacroBlock()
    case StackedFunction.header05: return readHeader(0x35, into: &results)
    case StackedFunction.header06: return readHeader(0x36, into: &results)
    // A flag for the reader alone. Data that initialises other readers is plain text for this one.
    case StackedFunction.readerInitialization: return true
    // The linked symbol is read separately.
    case StackedFunction.otherLinkage: return true
    default: return false
    }
  }

  /// The next codeword, if it is data and below a limit.
  private mutating func next(below limit: Int) -> Int? {
    guard place < end, Int(codewords[place]) < limit else { return nil }
    place += 1
    return Int(codewords[place - 1])
  }

  private mutating func setInterpretation(_ number: Int, into results: inout ResultStore) -> Bool {
    guard number <= 999_999 else { return false }
    interpretation = .eci(UInt32(number))
    hasECI = true
    return results.beginSegment(interpretation)
  }

  /// "[)>", RS, "05" or "06", GS (ISO/IEC 24728 §4.4.7).
  private mutating func readHeader(_ digit: UInt8, into results: inout ResultStore) -> Bool {
    guard results.pendingByteCount == 0 else { return false }
    hasHeader = true
    let header: [7 of UInt8] = [0x5B, 0x29, 0x3E, 0x1E, 0x30, digit, 0x1D]
    for index in 0..<7 where !results.append(header[index]) { return false }
    return true
  }

  /// The first codeword of a MicroPDF417 symbol may indicate that it replaces a Code 128 symbol (ISO/IEC 24728 §4.4.6), or
  /// that it accompanies a linear symbol, which is read separately: 906, 907, 914, 915. Symbols that begin with 912, a
  /// special form of date, are not read.
  private mutating func readEmulation() {
    guard place < end else { return }
    switch codewords[place] {
    case 903, 906: (emulation, mode) = (.fnc1First, .text)
    case 904, 907: (emulation, mode) = (.fnc1First, .numeric)
    case 905: (emulation, mode, impliedIdentifier) = (.fnc1First, .numeric, 1)
    case 908: (emulation, mode) = (.fnc1Second, .text)
    case 909: (emulation, mode) = (.fnc1Second, .numeric)
    case 910: (emulation, mode) = (.code128, .text)
    case 911: (emulation, mode) = (.code128, .numeric)
    case 914: (emulation, mode, impliedIdentifier) = (.fnc1First, .text, 10)
    case 915: (emulation, mode, impliedIdentifier) = (.fnc1First, .text, 21)
    default: return
    }
    place += 1
  }

  /// Reads the segment index, file identification and optional fields (§4.13, Annex H).
  private mutating func readMacroBlock() -> Bool {
    guard let high = next(below: 900), let low = next(below: 900) else { return false }
    // Five digits after a leading 1, as in numeric compaction.
    let index = high * 900 + low - 100_000
    guard index >= 0, index < 100_000 else { return false }
    var identifier: UInt64 = 0
    while place < end, codewords[place] < 900 {
      identifier = identifier &* 900 &+ UInt64(codewords[place])
      place += 1
    }
    var count = 0
    while place < end {
      let codeword = Int(codewords[place])
      place += 1
      if codeword == StackedFunction.macroField {
        guard let field = next(below: 900) else { return false }
        if field == 1 {
          guard let high = next(below: 900), let low = next(below: 900) else { return false }
          count = high * 900 + low - 100_000
        }
        skipField()
      } else if codeword == StackedFunction.macroTerminator {
        if count == 0 { count = index + 1 }
      }
      // Padding may follow the block.
    }
    guard count == 0 || count > index && count <= 99_999 else { return false }
    structuredAppend = StructuredAppend(index: Int32(index), count: Int32(count), identifier: identifier)
    return true
  }

  /// Skips the content of an optional field of a macro block: names, sizes and times, which matter for files but not for
  /// scans.
  private mutating func skipField() {
    while place < end, Int(codewords[place]) != StackedFunction.macroField,
      Int(codewords[place]) != StackedFunction.macroTerminator
    {
      place += 1
    }
  }
}

/// Text compaction: two values below 30 per codeword, in four sub-modes (§4.4.2, Table 6).
struct StackedTextReader {
  private enum SubMode { case alpha, lower, mixed, punctuation }

  private var mode = SubMode.alpha
  /// The sub-mode for only the next value.
  private var shifted: SubMode?

  /// Cancels a shift that no value followed. A shift pads an odd value before a function codeword, and applies only to
  /// values of text compaction (§5.4.2.4).
  mutating func endPair() { shifted = nil }

  /// Reads one value; false if the store is full.
  mutating func read(_ value: Int, into results: inout ResultStore) -> Bool {
    let present = shifted ?? mode
    shifted = nil
    switch present {
    case .alpha:
      if value < 26 { return results.append(0x41 + UInt8(value)) }
      if value == 27 { mode = .lower }
      if value == 28 { mode = .mixed }
    case .lower:
      if value < 26 { return results.append(0x61 + UInt8(value)) }
      if value == 27 { shifted = .alpha }
      if value == 28 { mode = .mixed }
    case .mixed:
      if value < 25 { return results.append(StackedTextReader.mixed[value]) }
      if value == 25 { mode = .punctuation }
      if value == 27 { mode = .lower }
      if value == 28 { mode = .alpha }
    case .punctuation:
      if value < 29 { return results.append(StackedTextReader.punctuation[value]) }
      mode = .alpha
      return true
    }
    if value == 26 { return results.append(0x20) }
    if value == 29 { shifted = .punctuation }
    return true
  }

  /// Digits and & CR HT , : # - . $ / + % * = ^
  private static let mixed: [25 of UInt8] = [
    0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x26, 0x0D, 0x09, 0x2C, 0x3A, 0x23, 0x2D, 0x2E, 0x24, 0x2F,
    0x2B, 0x25, 0x2A, 0x3D, 0x5E,
  ]

  /// ; < > @ [ \ ] _ ` ~ ! CR HT , : LF - . $ / " | * ( ) ? { } '
  private static let punctuation: [29 of UInt8] = [
    0x3B, 0x3C, 0x3E, 0x40, 0x5B, 0x5C, 0x5D, 0x5F, 0x60, 0x7E, 0x21, 0x0D, 0x09, 0x2C, 0x3A, 0x0A, 0x2D, 0x2E, 0x24, 0x2F,
    0x22, 0x7C, 0x2A, 0x28, 0x29, 0x3F, 0x7B, 0x7D, 0x27,
  ]
}
