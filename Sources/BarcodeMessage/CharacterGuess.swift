// What bytes are when the symbol does not say. The symbology's standard names a default, but printers put in UTF-8 and, where
// the default has no room for their language, its own character set; the bytes tell which, nearly always. What is decided
// depends on the bytes alone.

public import BarcodeTypes

/// How bytes are read that no Extended Channel Interpretation qualifies.
public enum UnspecifiedBytes: Equatable, Sendable {
  /// As UTF-8 where they are valid, else as ISO/IEC 8859-1, the default of most symbologies.
  case latin1
  /// As UTF-8, UTF-16 with its mark, Shift JIS or ISO/IEC 8859-1, whichever they look like: QR Code's default was JIS X 0201
  /// (ISO/IEC 18004:2000) before it was ISO/IEC 8859-1 (ISO/IEC 18004:2006), and encoders follow either.
  case guessed
  /// By an ECI assignment number, whatever they look like. Of a number that is not known here, each byte is the character of
  /// the same number.
  case eci(UInt32)

  /// The default of a symbology.
  public init(of symbology: Symbology) {
    self = symbology == .qr || symbology == .microqr || symbology == .rmqr ? .guessed : .latin1
  }

  /// The coding of bytes, and how many bytes of a byte order mark to leave out.
  ///
  /// - Parameter hasKanji: whether another part of the same symbol is Shift JIS by declaration.
  func coding(of bytes: [UInt8], hasKanji: Bool) -> (coding: CharacterCoding, markByteCount: Int) {
    if case .eci(let number) = self { return (CharacterCoding(eci: number) ?? .latin1, 0) }
    if isValidUTF8(bytes) { return (.utf8, bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0) }
    return self == .latin1 ? (.latin1, 0) : UnspecifiedBytes.guess(bytes, hasKanji: hasKanji)
  }

  /// The likeliest coding of bytes that are not UTF-8: by a byte order mark; Shift JIS if they are and look like it; else
  /// ISO/IEC 8859-1.
  private static func guess(_ bytes: [UInt8], hasKanji: Bool) -> (coding: CharacterCoding, markByteCount: Int) {
    if bytes.count % 2 == 0, bytes.starts(with: [0xFE, 0xFF]) { return (.utf16(isBigEndian: true), 2) }
    if bytes.count % 2 == 0, bytes.starts(with: [0xFF, 0xFE]) { return (.utf16(isBigEndian: false), 2) }
    var evidence = ShiftJISEvidence(bytes)
    if hasKanji { evidence.isLikely = true }
    if evidence.isWellFormed, evidence.isLikely, CharacterCoding.shiftJIS.text(of: bytes).isExact { return (.shiftJIS, 0) }
    return (.latin1, 0)
  }
}

/// What speaks for Shift JIS (JIS X 0208 and half-width katakana of JIS X 0201) and against Latin-1.
struct ShiftJISEvidence {
  /// Whether the bytes are whole characters of one or two bytes.
  private(set) var isWellFormed = true
  /// Whether the characters are such as Japanese has and Western text has not.
  var isLikely: Bool

  init(_ bytes: [UInt8]) {
    var hasControlLead = false
    var hasRareLead = false
    var hasVoicedKatakana = false
    var hasMisplacedMark = false
    var index = 0
    var katakanaRun = 0
    var katakanaRunMax = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case 0..<0x80:
        katakanaRun = 0
      case 0xA1...0xDF:
        katakanaRun += 1
        katakanaRunMax = max(katakanaRunMax, katakanaRun)
        let previous = index > 0 ? bytes[index - 1] : 0
        if byte == 0xDE || byte == 0xDF {
          if ShiftJISEvidence.takesMark(previous, byte) { hasVoicedKatakana = true } else { hasMisplacedMark = true }
        }
        // Punctuation and vowels: in Latin-1 these are signs, of which only guillemets touch another high byte.
        if byte < 0xC0, byte != 0xAB, byte != 0xBB, katakanaRun > 1 { hasVoicedKatakana = true }
      case 0x81...0x9F, 0xE0...0xFC:
        katakanaRun = 0
        index += 1
        guard index < bytes.count, bytes[index] >= 0x40, bytes[index] != 0x7F, bytes[index] <= 0xFC else {
          isWellFormed = false
          isLikely = false
          return
        }
        // 0x81…0x9F lead the kana and the common kanji; in Latin-1 they are control characters that nobody prints.
        if byte <= 0x9F { hasControlLead = true } else { hasRareLead = true }
      default:
        isWellFormed = false
        isLikely = false
        return
      }
      index += 1
    }
    let isKatakana = katakanaRunMax > 1 && !hasMisplacedMark && !hasRareLead && (hasVoicedKatakana || katakanaRunMax > 3)
    isLikely = hasControlLead || isKatakana
  }

  /// Whether a half-width katakana may carry the voicing mark (0xDE) or the semi-voicing mark (0xDF) after it.
  private static func takesMark(_ kana: UInt8, _ mark: UInt8) -> Bool {
    switch kana {
    case 0xCA...0xCE: true
    case 0xB3, 0xB6...0xC4: mark == 0xDE
    default: false
    }
  }
}
