// Converts a payload's bytes to text, segment by segment.

public import BarcodeTypes

/// The text of a symbol's payload.
public struct MessageText: Equatable, Sendable {
  /// The characters, in Unicode.
  public private(set) var text = ""
  /// Whether every byte was decoded as declared. False if bytes violate their character set; each of them is U+FFFD in the
  /// text.
  public private(set) var isExact = true
  /// Whether a part of the payload has an unknown Extended Channel Interpretation. Each byte of such a part becomes the
  /// character U+0000…U+00FF with the same number, so that the bytes can be recovered.
  public private(set) var hasUnknownInterpretation = false

  /// Decodes a payload.
  ///
  /// - Parameters:
  ///   - payload: the bytes as encoded.
  ///   - segments: the interpretations, in order of their offsets; bytes before the first are unspecified. Offsets outside
  ///     the payload and out of order are moved to the nearest valid position.
  ///   - unspecified: the interpretation of unspecified bytes.
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
    // All unspecified parts come from the same printer, so they are judged together.
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
