// Whether a scan is to be opened or searched for (behaviour N3).

/// The use of a scan's text.
public enum ContentUse: String, Equatable, Sendable {
  /// It is a URL.
  case link
  /// It is any other text.
  case search

  /// The use of a text; nil if it is empty.
  ///
  /// A link is, apart from surrounding white space, `scheme://host…` (RFC 3986 §3, with non-ASCII characters as in RFC 3987)
  /// or one of the few common schemes without a host: mailto, tel, sms and geo.
  public init?(text: String) {
    if text.isEmpty { return nil }
    self = ContentUse.isLink(text) ? .link : .search
  }

  private static func isLink(_ text: String) -> Bool {
    let bytes = trimmed(text)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), isScheme(bytes[..<colon]) else { return false }
    for byte in bytes where byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") {
      return false
    }
    let rest = bytes[(colon + 1)...]
    if rest.starts(with: "//".utf8) { return hasHost(rest.dropFirst(2)) }
    let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
    return !rest.isEmpty && ["mailto", "tel", "sms", "geo"].contains(scheme)
  }

  private static func trimmed(_ text: String) -> ArraySlice<UInt8> {
    var bytes = Array(text.utf8)[...]
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
    return bytes
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, isLetter(first) else { return false }
    return bytes.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  /// Whether an authority, which extends to the first of / ? #, contains a host in addition to user and port.
  private static func hasHost(_ rest: ArraySlice<UInt8>) -> Bool {
    let ends: [UInt8] = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")]
    var authority = rest.prefix { !ends.contains($0) }
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[(at + 1)...] }
    return authority.first.map { $0 != UInt8(ascii: ":") } ?? false
  }
}
