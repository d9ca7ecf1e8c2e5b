// The message in the data codewords of DotCode: code sets like those of Code 128, and bytes in groups to the base 259 (AIM ISS
// DotCode §5.2).

import BarcodeTypes

/// Decodes the message of a symbol into the results, without committing it.
struct DotCodeMessageReader {
  private enum CodeSet { case a, b, c }

  // Codewords with the same meaning in all code sets.
  private static let fnc1 = 107
  private static let fnc2 = 108
  private static let fnc3 = 109
  private static let upperShiftA = 110
  private static let upperShiftB = 111
  private static let binaryLatch = 112
  /// The base of codewords, and that of values, in binary mode.
  private static let bases = (codeword: 103, value: 259)
  /// Values up to this number are a codeword of an Extended Channel Interpretation; beyond, there are three.
  private static let shortECIMax = 39

  private let data: ScratchArray<UInt8>
  private let count: Int
  private var place = 0
  private var set = CodeSet.c
  private var isGS1 = false
  private var hasECI = false
  private var interpretation = TextInterpretation.unspecified
  /// The trailer of a macro: 5, 6, 12 or another format; nil without a macro.
  private var macro: Int?
  private var structuredAppend: StructuredAppend?

  init(_ data: ScratchArray<UInt8>, count: Int) {
    self.data = data
    self.count = count
  }

  private mutating func next() -> Int? {
    guard place < count else { return nil }
    defer { place += 1 }
    return Int(data[place])
  }

  /// Nil if the data have no message; the caller must then drop the appended bytes.
  mutating func read(into results: inout ResultStore) -> SymbolMessage? {
    // Digits at the beginning are GS1 element strings; FNC1 before them says that they are not.
    if count > 0 {
      switch Int(data[0]) {
      case 0..<100, 100: isGS1 = true
      case DotCodeMessageReader.fnc1, DotCodeMessageReader.fnc3: place = 1
      default: break
      }
    }
    readStructuredAppend()
    while place < end {
      guard readCode(set, into: &results) else { return nil }
    }
    if let macro {
      if macro != 0, !results.append(0x1E) { return nil }
      guard results.append(0x04) else { return nil }
    }
    guard results.pendingByteCount > 0 else { return nil }
    // Two digits are an application identifier without data, which encoders write for plain digits.
    isGS1 = isGS1 && results.pendingByteCount > 2
    let modifier = (isGS1 ? 1 : 0) + (hasECI ? 3 : 0)
    return SymbolMessage(aimModifier: UInt8(0x30 + modifier), isGS1: isGS1, structuredAppend: structuredAppend)
  }

  /// The number of codewords of the message: structured append takes the last three.
  private var end = Int.max

  /// FNC2 as the last codeword before padding follows the position of the symbol and the number of symbols.
  private mutating func readStructuredAppend() {
    var last = count
    // Padding latches between code sets.
    while last > 1, data[last - 1] == 106 { last -= 1 }
    end = count
    guard last > 3, Int(data[last - 1]) == DotCodeMessageReader.fnc2 else { return }
    func number(_ codeword: Int) -> Int? {
      switch codeword {
      case 17...25: codeword - 16
      case 33...58: codeword - 33 + 10
      default: nil
      }
    }
    guard let index = number(Int(data[last - 3])), let total = number(Int(data[last - 2])), index <= total else { return }
    structuredAppend = StructuredAppend(index: Int32(index - 1), count: Int32(total), identifier: 0)
    end = last - 3
  }

  /// Reads a codeword in a code set, and those that it announces.
  private mutating func readCode(_ current: CodeSet, into results: inout ResultStore) -> Bool {
    guard let codeword = next() else { return false }
    switch codeword {
    case DotCodeMessageReader.fnc1: return append(0x1D, into: &results)
    case DotCodeMessageReader.fnc2: return readECI(into: &results)
    case DotCodeMessageReader.fnc3: return true
    case DotCodeMessageReader.upperShiftA, DotCodeMessageReader.upperShiftB:
      guard let value = next(), value < 96 else { return false }
      let isA = codeword == DotCodeMessageReader.upperShiftA
      return append(UInt8(128 + (isA ? value < 64 ? value + 32 : value - 64 : value + 32)), into: &results)
    case DotCodeMessageReader.binaryLatch: return readBinary(into: &results)
    default: break
    }
    switch current {
    case .c: return readC(codeword, into: &results)
    case .b: return readB(codeword, into: &results)
    case .a: return readA(codeword, into: &results)
    }
  }

  private mutating func shift(_ times: Int, _ other: CodeSet, into results: inout ResultStore) -> Bool {
    for _ in 0..<times {
      guard readCode(other, into: &results) else { return false }
    }
    return true
  }

  private mutating func latch(_ other: CodeSet) -> Bool {
    set = other
    return true
  }

  private mutating func readC(_ codeword: Int, into results: inout ResultStore) -> Bool {
    switch codeword {
    case 0..<100: return appendPair(codeword, into: &results)
    case 100:
      // An expiry date, which a batch follows.
      guard appendPair(17, into: &results) else { return false }
      for _ in 0..<3 {
        guard let pair = next(), pair < 100, appendPair(pair, into: &results) else { return false }
      }
      return appendPair(10, into: &results)
    case 101: return latch(.a)
    case 102...105: return shift(codeword - 101, .b, into: &results)
    default: return latch(.b)
    }
  }

  private mutating func readB(_ codeword: Int, into results: inout ResultStore) -> Bool {
    // Directly after a latch at the beginning, control characters are headers of formats of ISO/IEC 15434.
    let isFirst = results.pendingByteCount == 0 && place == 2 && set == .b
    switch codeword {
    case 0..<96: return append(UInt8(codeword + 32), into: &results)
    case 96: return append(0x0D, into: &results) && append(0x0A, into: &results)
    case 97...99 where isFirst: return appendHeader(codeword == 97 ? 5 : codeword == 98 ? 6 : 12, into: &results)
    case 100 where isFirst:
      guard let tens = next(), let ones = next(), (16...25).contains(tens), (16...25).contains(ones) else { return false }
      macro = 0
      return appendText(0x5B, 0x29, 0x3E, 0x1E, into: &results) && append(UInt8(tens + 32), into: &results)
        && append(UInt8(ones + 32), into: &results)
    case 97: return append(0x09, into: &results)
    case 98...100: return append(UInt8(0x1C + codeword - 98), into: &results)
    case 101: return shift(1, .a, into: &results)
    case 102: return latch(.a)
    case 103...105: return shift(codeword - 101, .c, into: &results)
    default: return latch(.c)
    }
  }

  private mutating func readA(_ codeword: Int, into results: inout ResultStore) -> Bool {
    switch codeword {
    case 0..<64: return append(UInt8(codeword + 32), into: &results)
    case 64..<96: return append(UInt8(codeword - 64), into: &results)
    case 96...101: return shift(codeword - 95, .b, into: &results)
    case 102: return latch(.b)
    case 103...105: return shift(codeword - 101, .c, into: &results)
    default: return latch(.c)
    }
  }

  // MARK: Binary mode

  /// Six codewords in base 103 hold five values in base 259; the last group may be shorter. Values from 256 on introduce an Extended
  /// Channel Interpretation of one to three bytes.
  private mutating func readBinary(into results: inout ResultStore) -> Bool {
    var (number, digits) = (0, 0)
    var eci: (number: Int, left: Int)?
    while true {
      let codeword = place < end ? next() : nil
      if let codeword, codeword < DotCodeMessageReader.bases.codeword {
        number = number * DotCodeMessageReader.bases.codeword + codeword
        digits += 1
      }
      let isDigit = codeword.map { $0 < DotCodeMessageReader.bases.codeword } ?? false
      if digits == 6 || !isDigit {
        if digits > 1 {
          var divisor = 1
          for _ in 2..<digits { divisor *= DotCodeMessageReader.bases.value }
          while divisor > 0 {
            let value = number / divisor % DotCodeMessageReader.bases.value
            divisor /= DotCodeMessageReader.bases.value
            if let open = eci {
              guard value < 256 else { return false }
              eci = open.left > 1 ? (open.number << 8 | value, open.left - 1) : nil
              if open.left == 1, !begin(open.number << 8 | value, into: &results) { return false }
            } else if value >= 256 {
              eci = (0, value - 255)
            } else if !append(UInt8(value), into: &results) {
              return false
            }
          }
        }
        (number, digits) = (0, 0)
      }
      guard let codeword else { return true }
      switch codeword {
      case 103...108:
        guard shift(codeword - 101, .c, into: &results) else { return false }
      case 109: return latch(.a)
      case 110: return latch(.b)
      case 111: return latch(.c)
      case 112: return false
      default: break
      }
    }
  }

  // MARK: Output

  private mutating func readECI(into results: inout ResultStore) -> Bool {
    guard let first = next() else { return true }
    var number = first
    if first > DotCodeMessageReader.shortECIMax {
      guard let second = next(), let third = next() else { return false }
      number = (first - 40) * 12_769 + second * 113 + third + 40
    }
    return begin(number, into: &results)
  }

  private mutating func begin(_ eci: Int, into results: inout ResultStore) -> Bool {
    hasECI = true
    interpretation = .eci(UInt32(eci))
    return results.beginSegment(interpretation)
  }

  private mutating func append(_ byte: UInt8, into results: inout ResultStore) -> Bool {
    results.beginSegment(interpretation) && results.append(byte)
  }

  private mutating func appendPair(_ value: Int, into results: inout ResultStore) -> Bool {
    append(UInt8(0x30 + value / 10), into: &results) && append(UInt8(0x30 + value % 10), into: &results)
  }

  private mutating func appendText(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, into results: inout ResultStore) -> Bool {
    append(a, into: &results) && append(b, into: &results) && append(c, into: &results) && append(d, into: &results)
  }

  /// The header of a format, whose trailer follows at the end.
  private mutating func appendHeader(_ format: Int, into results: inout ResultStore) -> Bool {
    macro = format
    return appendText(0x5B, 0x29, 0x3E, 0x1E, into: &results) && appendPair(format, into: &results)
      && append(0x1D, into: &results)
  }
}
