// Bytes to text. The Unicode forms are read here; for the national sets the C library's iconv has the tables.

import CCharacterSets

/// Text whose bytes may have been repaired.
struct ConvertedText: Equatable {
  var text = ""
  /// Whether every byte was part of a character; otherwise the text contains U+FFFD.
  var isExact = true
}

extension CharacterCoding {
  /// The text of `bytes`. Each byte that cannot be part of a character becomes U+FFFD.
  func text(of bytes: [UInt8]) -> ConvertedText {
    switch self {
    case .latin1: ConvertedText(text: latin1Text(bytes))
    case .ascii: asciiText(bytes)
    case .utf8: ConvertedText(text: String(decoding: bytes, as: UTF8.self), isExact: isValidUTF8(bytes))
    case .utf16(let isBigEndian): utf16Text(bytes, isBigEndian: isBigEndian)
    case .utf32(let isBigEndian): utf32Text(bytes, isBigEndian: isBigEndian)
    case .shiftJIS: shiftJISText(bytes)
    case .named(let name): iconvText(bytes, name: name)
    }
  }
}

func isValidUTF8(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

private func latin1Text(_ bytes: [UInt8]) -> String {
  var text = String.UnicodeScalarView()
  for byte in bytes { text.append(Unicode.Scalar(byte)) }
  return String(text)
}

private func asciiText(_ bytes: [UInt8]) -> ConvertedText {
  var text = String.UnicodeScalarView()
  var isExact = true
  for byte in bytes {
    isExact = isExact && byte < 0x80
    text.append(byte < 0x80 ? Unicode.Scalar(byte) : "\u{FFFD}")
  }
  return ConvertedText(text: String(text), isExact: isExact)
}

private func utf16Text(_ bytes: [UInt8], isBigEndian: Bool) -> ConvertedText {
  var units: [UInt16] = []
  units.reserveCapacity(bytes.count / 2)
  for index in stride(from: 0, to: bytes.count - 1, by: 2) {
    let first = UInt16(bytes[index])
    let second = UInt16(bytes[index + 1])
    units.append(isBigEndian ? first << 8 | second : second << 8 | first)
  }
  var converted = ConvertedText(
    text: String(decoding: units, as: UTF16.self), isExact: String(validating: units, as: UTF16.self) != nil)
  if bytes.count % 2 != 0 {
    converted.text.append("\u{FFFD}")
    converted.isExact = false
  }
  return converted
}

private func utf32Text(_ bytes: [UInt8], isBigEndian: Bool) -> ConvertedText {
  var text = String.UnicodeScalarView()
  var isExact = bytes.count % 4 == 0
  for index in stride(from: 0, to: bytes.count - 3, by: 4) {
    var value: UInt32 = 0
    for place in 0..<4 { value = value << 8 | UInt32(bytes[index + (isBigEndian ? place : 3 - place)]) }
    let scalar = Unicode.Scalar(value)
    isExact = isExact && scalar != nil
    text.append(scalar ?? "\u{FFFD}")
  }
  if bytes.count % 4 != 0 { text.append("\u{FFFD}") }
  return ConvertedText(text: String(text), isExact: isExact)
}

/// Characters of JIS X 0208:1997 for which code page 932 has separate full-width forms.
private let standardForms: [Unicode.Scalar: Unicode.Scalar] = [
  "\u{FF5E}": "\u{301C}", "\u{2225}": "\u{2016}", "\u{FF0D}": "\u{2212}", "\u{FFE0}": "\u{A2}", "\u{FFE1}": "\u{A3}",
  "\u{FFE2}": "\u{AC}",
]

private func shiftJISText(_ bytes: [UInt8]) -> ConvertedText {
  var converted = iconvText(bytes, name: "CP932")
  let scalars = converted.text.unicodeScalars.map { standardForms[$0] ?? $0 }
  converted.text = String(String.UnicodeScalarView(scalars))
  return converted
}

/// The text by iconv. If the system lacks the table, the bytes are at least preserved.
private func iconvText(_ bytes: [UInt8], name: StaticName) -> ConvertedText {
  guard let converter = ccharactersets_open(name.cString) else {
    return ConvertedText(text: latin1Text(bytes), isExact: false)
  }
  defer { ccharactersets_close(converter) }
  var utf8: [UInt8] = []
  var isExact = true
  var chunk = [UInt8](repeating: 0, count: 1024)
  bytes.withUnsafeBufferPointer { source in
    var from = source.baseAddress
    var left = source.count
    while left > 0 {
      guard convert(converter, &from, &left, &chunk, into: &utf8) == ccharactersets_unreadable, left > 0 else { continue }
      // A byte that begins no character, or an incomplete character at the end.
      utf8.append(contentsOf: "\u{FFFD}".utf8)
      isExact = false
      from = from.map { $0 + 1 }
      left -= 1
    }
  }
  return ConvertedText(text: String(decoding: utf8, as: UTF8.self), isExact: isExact)
}

/// Converts the part that fits `chunk` and appends it to `utf8`; returns why no more of the source was converted.
private func convert(
  _ converter: UnsafeMutableRawPointer, _ from: inout UnsafePointer<UInt8>?, _ left: inout Int, _ chunk: inout [UInt8],
  into utf8: inout [UInt8]
) -> ccharactersets_progress {
  chunk.withUnsafeMutableBufferPointer { buffer in
    var to = buffer.baseAddress
    var room = buffer.count
    let progress = ccharactersets_convert(converter, &from, &left, &to, &room)
    utf8.append(contentsOf: buffer.prefix(buffer.count - room))
    return progress
  }
}
