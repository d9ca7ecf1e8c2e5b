// A payload's bytes to text, segment by segment.

public import BarcodeTypes

/// The text of a symbol's payload.
public struct MessageText: Equatable, Sendable {
  /// The characters, in Unicode.
  public private(set) var text = ""
  /// Whether every byte was read as the symbol says. False where bytes broke the rules of their character set, each of which
  /// is U+FFFD in the text.
  public private(set) var isExact = true
  /// Whether a part of the payload is of an Extended Channel Interpretation that is not known here. Each byte of such a part
  /// is the character U+0000…U+00FF of the same number in the text, so that the bytes can be had back.
  public private(set) var hasUnknownInterpretation = false

  /// Reads a payload.
  ///
  /// - Parameters:
  ///   - payload: the bytes as encoded.
  ///   - segments: how to read them, in order of their offsets; bytes before the first are unspecified. Offsets outside of
  ///     the payload and out of order are pulled to the nearest possible place.
  ///   - unspecified: how to read the bytes that are.
  public init(payload: Span<UInt8>, segments: Span<PayloadSegment>, unspecified: UnspecifiedBytes = .guessed) {
    var parts: [(bytes: [UInt8], interpretation: TextInterpretation)] = []
    var start = 0
    var interpretation = TextInterpretation.unspecified
    for index in segments.indices {
      let segment = segments[index]
      let end = max(start, min(segment.byteOffset, payload.count))
      if end > start { parts.append((MessageText.bytes(payload, start, end), interpretation)) }
      start = end
      interpretation = segment.interpretation
    }
    if start < payload.count { parts.append((MessageText.bytes(payload, start, payload.count), interpretation)) }
    read(parts, unspecified)
  }

  private mutating func read(
    _ parts: [(bytes: [UInt8], interpretation: TextInterpretation)], _ rule: UnspecifiedBytes
  ) {
    // All unspecified parts come from one printer: they are judged together.
    var unspecified: [UInt8] = []
    var hasKanji = false
    for part in parts {
      if part.interpretation == .unspecified { unspecified += part.bytes }
      if part.interpretation == .eci(20) { hasKanji = true }
    }
    var (coding:common, markByteCount) = rule.coding(of: unspecified, hasKanji: hasKanji)
    for part in parts {
      var bytes = part.bytes
      let coding: CharacterCoding
      switch part.interpretation {
      case .unspecified:
        coding = common
        let dropped = min(markByteCount, bytes.count)
        bytes.removeFirst(dropped)
        markByteCount -= dropped
      case .eci(let number):
        if let known = CharacterCoding(eci: number) {
          coding = known
        } else {
          coding = .latin1
          hasUnknownInterpretation = true
        }
      }
      let converted = coding.text(of: bytes)
      text += converted.text
      isExact = isExact && converted.isExact
    }
  }

  private static func bytes(_ payload: Span<UInt8>, _ start: Int, _ end: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(end - start)
    for index in start..<end { bytes.append(payload[index]) }
    return bytes
  }
}
