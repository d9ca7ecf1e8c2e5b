// The message in the data codewords (ISO/IEC 16023 §4.4 to §4.8, Annexes A and B): characters of five sets, and for parcels
// a postal code, a country and a class of service. Data that breaks a rule has no message; the reader never reads past its
// end.

import BarcodeTypes

/// Decodes the message of a symbol's data codewords into the results, without committing it. Its modifier (Annex E): "0"
/// plain, "1" with a structured carrier message, plus 2 with ECI.
struct MaxiCodeMessageReader {
  /// The beginning of a message in the Transportation Data Format: `[)>`, RS, 01, GS. Two digits of its version follow.
  private static let header: [7 of UInt8] = [0x5B, 0x29, 0x3E, 0x1E, 0x30, 0x31, 0x1D]
  /// Number of bytes of such a header with its version.
  private static let headerByteCount = 9
  private static let groupSeparator: UInt8 = 0x1D
  /// The most digits of a postal code, which has 30 bits.
  private static let postalDigitCountMax = 10

  private let codewords: ScratchArray<UInt16>
  private let count: Int
  private let mode: Int
  private var place: Int
  private var interpretation = TextInterpretation.unspecified
  private var hasECI = false
  private var structuredAppend: StructuredAppend?
  private var latched = MaxiCodeSet.a
  private var shifted = MaxiCodeSet.a
  /// Number of characters to which the shift still applies.
  private var shiftedCount = 0
  /// Whether the carrier message must follow once the header is complete.
  private var isCarrierOutstanding = false

  init(_ codewords: ScratchArray<UInt16>, count: Int, mode: Int) {
    self.codewords = codewords
    self.count = count
    self.mode = mode
    place = mode == 2 || mode == 3 ? 10 : 1
  }

  private mutating func next() -> Int? {
    guard place < count else { return nil }
    place += 1
    return Int(codewords[place - 1])
  }

  /// Nil if the codewords have no message, an empty one, or one too long for the store; the caller must then drop the
  /// appended bytes.
  mutating func read(into results: inout ResultStore) -> SymbolMessage? {
    readStructuredAppend()
    let isCarrier = mode == 2 || mode == 3
    if isCarrier {
      // The carrier message follows the header of the secondary message or, without a header, precedes the whole message.
      var ahead = self
      while results.pendingByteCount < MaxiCodeMessageReader.headerByteCount, let more = ahead.readCodeword(into: &results) {
        guard more else { return nil }
      }
      let hasHeader = MaxiCodeMessageReader.beginsWithHeader(results)
      results.drop()
      if hasHeader {
        isCarrierOutstanding = true
      } else {
        guard appendCarrierMessage(into: &results) else { return nil }
      }
    }
    while let more = readCodeword(into: &results) {
      guard more else { return nil }
    }
    guard results.pendingByteCount > 0 else { return nil }
    return SymbolMessage(
      aimModifier: 0x30 + (isCarrier ? 1 : 0) + (hasECI ? 2 : 0), structuredAppend: structuredAppend)
  }

  /// Reads the pad at the beginning that announces structured append, then a codeword with the position in three bits and
  /// the number of symbols less one (§4.9).
  private mutating func readStructuredAppend() {
    guard place + 1 < count, Int(codewords[place]) == MaxiCodeTables.pad else { return }
    let position = Int(codewords[place + 1]) >> 3
    let total = Int(codewords[place + 1]) & 7 + 1
    guard position < total, total > 1 else { return }
    structuredAppend = StructuredAppend(index: Int32(position), count: Int32(total), identifier: 0)
    place += 2
  }

  private static func beginsWithHeader(_ results: borrowing ResultStore) -> Bool {
    guard results.pendingByteCount >= headerByteCount else { return false }
    for index in header.indices where results.pendingByte(index) != header[index] { return false }
    return true
  }

  // MARK: Carrier message

  /// Appends postal code, country and class of service, each followed by a separator. Together with the mode they are the
  /// digits of a number in base 64, the first codeword the lowest (§4.5, Annex B).
  private mutating func appendCarrierMessage(into results: inout ResultStore) -> Bool {
    isCarrierOutstanding = false
    var bits: UInt64 = 0
    for index in 0..<10 { bits |= UInt64(codewords[index]) << UInt64(6 * index) }
    if mode == 2 {
      let length = Int(bits >> 34 & 0x3F)
      guard length <= MaxiCodeMessageReader.postalDigitCountMax,
        append(number: Int(bits >> 4 & 0x3FFF_FFFF), digitCount: length, into: &results)
      else { return false }
    } else {
      for index in 0..<6 {
        let codeword = Int(bits >> UInt64(34 - 6 * index) & 0x3F)
        guard case .character(let character) = MaxiCodeTables.meaning(codeword, .a), append(character, into: &results) else {
          return false
        }
      }
    }
    return append(MaxiCodeMessageReader.groupSeparator, into: &results)
      && append(number: Int(bits >> 40 & 0x3FF), digitCount: 3, into: &results)
      && append(MaxiCodeMessageReader.groupSeparator, into: &results)
      && append(number: Int(bits >> 50 & 0x3FF), digitCount: 3, into: &results)
      && append(MaxiCodeMessageReader.groupSeparator, into: &results)
  }

  /// Appends a number with at least `digitCount` digits.
  private mutating func append(number: Int, digitCount: Int, into results: inout ResultStore) -> Bool {
    var divisor = 1
    for _ in 1..<max(2, digitCount) where digitCount > 1 { divisor *= 10 }
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      guard append(UInt8(0x30 + number / divisor % 10), into: &results) else { return false }
      divisor /= 10
    }
    return true
  }

  // MARK: Characters

  /// Reads a codeword and the codewords that belong to it; false if it breaks a rule, nil at the end.
  private mutating func readCodeword(into results: inout ResultStore) -> Bool? {
    guard let codeword = next() else { return nil }
    let set = shiftedCount > 0 ? shifted : latched
    shiftedCount = max(0, shiftedCount - 1)
    switch MaxiCodeTables.meaning(codeword, set) {
    case .character(let character):
      return append(character, into: &results)
    case .pad:
      return true
    case .shift(let next, let count):
      shifted = next
      shiftedCount = count
      return true
    case .latch(let next):
      latched = next
      shiftedCount = 0
      return true
    case .eci:
      return readECI()
    case .number:
      return readNumber(into: &results)
    }
  }

  private mutating func append(_ character: UInt8, into results: inout ResultStore) -> Bool {
    guard results.beginSegment(interpretation), results.append(character) else { return false }
    guard isCarrierOutstanding, results.pendingByteCount == MaxiCodeMessageReader.headerByteCount else { return true }
    return appendCarrierMessage(into: &results)
  }

  /// Reads nine digits from five codewords (§4.6).
  private mutating func readNumber(into results: inout ResultStore) -> Bool {
    var number = 0
    for _ in 0..<5 {
      guard let codeword = next() else { return false }
      number = number << 6 | codeword
    }
    return number <= 999_999_999 && append(number: number, digitCount: 9, into: &results)
  }

  /// Reads an assignment number from one to four codewords; the leading ones of the first give the number of further ones
  /// (§4.7).
  private mutating func readECI() -> Bool {
    guard let first = next() else { return false }
    let moreCount = first < 32 ? 0 : first < 48 ? 1 : first < 56 ? 2 : 3
    guard first < 60 else { return false }
    var assignment = first & (moreCount == 3 ? 3 : 31 >> moreCount)
    for _ in 0..<moreCount {
      guard let codeword = next() else { return false }
      assignment = assignment << 6 | codeword
    }
    guard assignment <= 999_999 else { return false }
    interpretation = .eci(UInt32(assignment))
    hasECI = true
    return true
  }
}
