// The character set of bytes whose symbol does not declare one. The symbology's standard names a default, but printers write
// UTF-8 or, if the default lacks their language, its own character set; the bytes almost always reveal which. The decision
// depends only on the bytes.

public import BarcodeTypes

/// The reading of bytes without an Extended Channel Interpretation.
public enum UnspecifiedBytes: Equatable, Sendable {
  /// As UTF-8 if they are valid UTF-8, else as ISO/IEC 8859-1, the default of most symbologies.
  case latin1
  /// As UTF-8, UTF-16 with its mark, Shift JIS or ISO/IEC 8859-1, depending on their appearance: QR Code's default was JIS X
  /// 0201 (ISO/IEC 18004:2000) before it was ISO/IEC 8859-1 (ISO/IEC 18004:2006), and encoders follow either.
  case guessed
  /// By an ECI assignment number, regardless of their appearance. For an unknown number, each byte is the character with the
  /// same number.
  case eci(UInt32)

  /// The default of a symbology.
  public init(of symbology: Symbology) {
    switch symbology {
    case .qr, .microqr, .rmqr: self = .guessed
    // Its code sets consist of characters, not of bytes.
    case .maxicode: self = .eci(3)
    case .hanxin: self = .eci(32)
    default: self = .latin1
    }
  }

  /// The coding of bytes, and the number of byte order mark bytes to skip.
  ///
  /// - Parameter hasKanji: whether another part of the symbol is declared as Shift JIS.
  func coding(of bytes: [UInt8], hasKanji: Bool) -> (coding: CharacterCoding, markByteCount: Int) {
    if case .eci(let number) = self { return (CharacterCoding(eci: number) ?? .latin1, 0) }
    if isValidUTF8(bytes) { return (.utf8, bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0) }
    return self == .latin1 ? (.latin1, 0) : UnspecifiedBytes.guess(bytes, hasKanji: hasKanji)
  }

  /// The likeliest coding of bytes that are not UTF-8: by a byte order mark; Shift JIS if they are well-formed and look like
  /// it; else ISO/IEC 8859-1.
  private static func guess(_ bytes: [UInt8], hasKanji: Bool) -> (coding: CharacterCoding, markByteCount: Int) {
    if bytes.count % 2 == 0, bytes.starts(with: [0xFE, 0xFF]) { return (.utf16(isBigEndian: true), 2) }
    if bytes.count % 2 == 0, bytes.starts(with: [0xFF, 0xFE]) { return (.utf16(isBigEndian: false), 2) }
    var evidence = ShiftJISEvidence(bytes)
    if hasKanji { evidence.isLikely = true }
    if evidence.isWellFormed, evidence.isLikely, CharacterCoding.shiftJIS.text(of: bytes).isExact { return (.shiftJIS, 0) }
    return (.latin1, 0)
  }
}

/// Evidence for Shift JIS (JIS X 0208 and half-width katakana of JIS X 0201) and against Latin-1.
struct ShiftJISEvidence {
  /// Whether the bytes form complete characters, each one or two bytes long.
  private(set) var isWellFormed = true
  /// Whether the characters are typical of Japanese and not of Western text.
  var isLikely: Bool

  /// The minimum length of the longest run of half-width katakana, including voicing marks, in a text with several runs.
  private static let katakanaWordLengthMin = 3

  init(_ bytes: [UInt8]) {
    let alphabets = bytes.contains(0xAB) && bytes.contains(0xBB) ? WesternAlphabet.allInGuillemets : WesternAlphabet.all
    var hasControlLead = false
    var hasRareLead = false
    var hasKatakana = false
    var hasMisplacedMark = false
    var katakanaRunCount = 0
    var longestKatakanaRun = 0
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case 0..<0x80:
        index += 1
      case 0xA1...0xDF:
        let run = bytes[index...].prefix { (0xA1...0xDF).contains($0) }
        if !ShiftJISEvidence.marksAreInPlace(run) { hasMisplacedMark = true }
        if run.count > 1, !alphabets.contains(where: { $0.spells(run) }) { hasKatakana = true }
        katakanaRunCount += 1
        longestKatakanaRun = max(longestKatakanaRun, run.count)
        index = run.endIndex
      case 0x81...0x9F, 0xE0...0xFC:
        guard index + 1 < bytes.count, bytes[index + 1] >= 0x40, bytes[index + 1] != 0x7F, bytes[index + 1] <= 0xFC else {
          isWellFormed = false
          isLikely = false
          return
        }
        // 0x81…0x9F lead the kana and the common kanji; in Latin-1 they are control characters that are never printed.
        if byte <= 0x9F { hasControlLead = true } else { hasRareLead = true }
        index += 2
      default:
        isWellFormed = false
        isLikely = false
        return
      }
    }
    // A word of two katakana may stand alone; several short runs between other characters are Western.
    let hasScraps = katakanaRunCount > 1 && longestKatakanaRun < Self.katakanaWordLengthMin
    isLikely = hasControlLead || (hasKatakana && !hasMisplacedMark && !hasRareLead && !hasScraps)
  }

  /// Whether every voicing mark (0xDE) and semi-voicing mark (0xDF) in a run of half-width katakana follows one that can
  /// carry it.
  private static func marksAreInPlace(_ run: ArraySlice<UInt8>) -> Bool {
    run.indices.allSatisfy { index in
      let mark = run[index]
      guard mark == 0xDE || mark == 0xDF else { return true }
      guard index > run.startIndex else { return false }
      return switch run[index - 1] {
      case 0xCA...0xCE: true
      case 0xB3, 0xB6...0xC4: mark == 0xDE
      default: false
      }
    }
  }
}

/// The characters of ISO/IEC 8859-1 from 0xA1 to 0xDF, half-width katakana in Shift JIS, that one language writes next to
/// each other.
///
/// Measured: in 4.6 million words of Debian's dictionaries of twelve languages, in capitals, adjacent letters always share
/// an alphabet; of 165 000 Japanese names, places and nouns in half-width katakana, 0.8 % can also be spelt with one
/// alphabet.
private struct WesternAlphabet {
  /// A bit per character from 0xA0 on.
  private let characters: UInt64

  private init(_ characters: String) {
    self.characters = characters.unicodeScalars.reduce(0) { $0 | 1 << UInt64($1.value - 0xA0) }
  }

  /// Whether all bytes of a run are characters of this alphabet.
  func spells(_ run: ArraySlice<UInt8>) -> Bool { run.allSatisfy { characters >> UInt64($0 - 0xA0) & 1 == 1 } }

  /// German, French, Spanish, Portuguese, Italian, Catalan, Swedish, Estonian and Finnish, Danish and Norwegian, Icelandic and
  /// Faroese, Dutch; tolerances (25°±2°) and units (W/m²·K).
  private static let letters = [
    "ÄÖÜß", "ÀÂÆÇÈÉÊËÎÏÔÙÛÜ", "ÁÉÍÑÓÚÜ¡¿", "ÀÁÂÃÇÉÊÍÓÔÕÚÜ", "ÀÈÉÌÍÎÒÓÙÚ", "ÀÁÇÈÉÍÏÑÒÓÚÜ", "ÄÅÖ", "ÄÕÖÜ", "ÅÆØ",
    "ÁÆÉÍÐÓÖØÚÝÞ",
    "ÁÈÉËÍÏÓÖÚÜ", "°±", "²³·",
  ]
  static let all = letters.map { WesternAlphabet($0) }
  /// The alphabets for a text with both guillemets; a single one is not a quotation mark.
  static let allInGuillemets = letters.map { WesternAlphabet($0 + "«»") }
}
