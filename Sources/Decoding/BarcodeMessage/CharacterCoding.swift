// Character sets by their ECI assignment numbers.

import BarcodeTypes

/// The names of character sets that can be assumed for undeclared bytes.
public enum CharacterSetName {
  /// IANA's names in lower case, each with its ECI assignment number. All of them contain ASCII, so that digits stay digits.
  public static let all: [(name: String, eci: UInt32)] = [
    ("iso-8859-1", 3), ("iso-8859-2", 4), ("iso-8859-5", 7), ("iso-8859-7", 9), ("iso-8859-9", 11), ("iso-8859-15", 17),
    ("ibm437", 2), ("windows-1250", 21), ("windows-1251", 22), ("windows-1252", 23), ("windows-1256", 24), ("utf-8", 26),
    ("shift_jis", 20), ("big5", 28), ("gb18030", 32), ("euc-kr", 30),
  ]
}

/// How bytes become characters.
enum CharacterCoding: Equatable {
  /// Bytes above 127 are errors.
  case ascii
  /// Each byte is the character with the same number. Lossless for any bytes.
  case latin1
  case utf8
  case utf16(isBigEndian: Bool)
  case utf32(isBigEndian: Bool)
  /// JIS X 0201 and JIS X 0208 in shifted form, with the rows that code page 932 adds.
  case shiftJIS
  /// A character set that the system's iconv knows by this name.
  case named(StaticName)

  /// The coding of an ECI assignment number; nil if the number is not that of a known character set.
  ///
  /// Numbers of AIM's ECI register, where implementations agree: 14 and 19 were never assigned. Sets that were later
  /// extended are read as their extension: 20 with the rows of code page 932, 29 as GB 18030, 30 as code page 949.
  init?(eci: UInt32) {
    switch eci {
    case 1, 3: self = .latin1
    case 0, 2: self = .named("IBM437")
    case 4: self = .named("ISO-8859-2")
    case 5: self = .named("ISO-8859-3")
    case 6: self = .named("ISO-8859-4")
    case 7: self = .named("ISO-8859-5")
    case 8: self = .named("ISO-8859-6")
    case 9: self = .named("ISO-8859-7")
    case 10: self = .named("ISO-8859-8")
    case 11: self = .named("ISO-8859-9")
    case 12: self = .named("ISO-8859-10")
    case 13: self = .named("ISO-8859-11")
    case 15: self = .named("ISO-8859-13")
    case 16: self = .named("ISO-8859-14")
    case 17: self = .named("ISO-8859-15")
    case 18: self = .named("ISO-8859-16")
    case 20: self = .shiftJIS
    case 21: self = .named("CP1250")
    case 22: self = .named("CP1251")
    case 23: self = .named("CP1252")
    case 24: self = .named("CP1256")
    case 25: self = .utf16(isBigEndian: true)
    case 26: self = .utf8
    case 27, 170: self = .ascii
    case 28: self = .named("BIG5")
    case 29, 32: self = .named("GB18030")
    case 30: self = .named("CP949")
    case 31: self = .named("GBK")
    case 33: self = .utf16(isBigEndian: false)
    case 34: self = .utf32(isBigEndian: true)
    case 35: self = .utf32(isBigEndian: false)
    case 899: self = .latin1
    default: return nil
    }
  }
}

/// A name fixed at compile time, as a C string.
struct StaticName: Equatable, ExpressibleByStringLiteral {
  let text: StaticString

  init(stringLiteral text: StaticString) { self.text = text }

  var cString: UnsafePointer<CChar> { UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self) }

  static func == (a: StaticName, b: StaticName) -> Bool { a.text.description == b.text.description }
}
