// The two small HTTP grammars that the sink must parse itself.

import DeliveryModel

/// The requirements of a webhook's URL before anything is sent to it.
struct WebhookURL {
  let isSecure: Bool

  /// Nil unless it is `http://` or `https://` with a host, without user information, in visible ASCII.
  init?(_ text: String) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    let rest: Substring
    if text.hasPrefix("https://") {
      (isSecure, rest) = (true, text.dropFirst(8))
    } else if text.hasPrefix("http://") {
      (isSecure, rest) = (false, text.dropFirst(7))
    } else {
      return nil
    }
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard !authority.isEmpty, !authority.hasPrefix(":"), !authority.contains("@") else { return nil }
  }

  /// Whether it contains user information, which may be a password and is therefore never shown.
  static func namesUser(_ text: String) -> Bool {
    text.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "/" && $0 != "?" && $0 != "#" }.contains("@")
  }

  /// The presentable form of a URL for logs, pages and commands: scheme, host and port. The rest may be secret and appears
  /// as `/…`.
  static func shown(_ text: String) -> String {
    let origin = origin(text)
    return origin.count < text.count ? origin + "/…" : origin
  }

  /// Scheme, host and port; if the text is not a URL, its beginning.
  static func origin(_ text: String) -> String {
    let scheme = text.firstRange(of: "://").map { text[..<$0.upperBound] } ?? ""
    let authority = text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if let end = authority.lastIndex(of: "@") { return scheme + "…" + authority[end...] }
    // Text after a colon that is not a port may be the beginning of an unencoded password.
    if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]"),
      !authority[colon...].dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) })
    {
      return scheme + "…"
    }
    return String(scheme + authority)
  }

  /// Host, without brackets, and port; nil if the text is not a URL.
  static func place(_ text: String) -> (host: String, port: Int)? {
    guard let url = WebhookURL(text) else { return nil }
    let authority = origin(text).drop { $0 != "/" }.drop { $0 == "/" }
    let isBracketed = authority.hasPrefix("[")
    let host = isBracketed ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
    let port = authority.dropFirst(host.count + (isBracketed ? 2 : 0)).dropFirst()
    return (host.lowercased(), Int(port) ?? (url.isSecure ? 443 : 80))
  }

  /// The parts of a URL that a receiver may repeat but that must stay hidden: all after the host, and the query alone.
  static func secrets(_ text: String) -> [String] {
    let path = String(text.dropFirst(origin(text).count))
    return [path, path.firstIndex(of: "?").map { String(path[path.index(after: $0)...]) } ?? ""]
  }

  /// The bytes of a token, such as a field name: RFC 9110 §5.6.2.
  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

/// The header field `Retry-After`: RFC 9110 §10.2.3.
enum RetryAfter {
  /// The most seconds accepted in either form; the caller's own limit is far below.
  static let secondsMax: Int64 = 365 * 86_400

  /// The delay from now; nil for a value that is neither seconds nor a date.
  static func delay(_ value: String, nowSeconds: Int64) -> Duration? {
    if !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
      return .seconds(min(Int64(value) ?? secondsMax, secondsMax))
    }
    guard let date = unixSeconds(date: value) else { return nil }
    return .seconds(min(max(0, date - nowSeconds), secondsMax))
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// An IMF-fixdate (RFC 9110 §5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`; the two obsolete forms are not accepted.
  private static func unixSeconds(date: String) -> Int64? {
    let parts = date.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", parts[1].utf8.count == 2, parts[3].utf8.count == 4,
      parts[4].utf8.count == 8, let month = months.firstIndex(of: String(parts[2]))
    else { return nil }
    let number = month + 1 < 10 ? "0\(month + 1)" : "\(month + 1)"
    return Timestamp.unixMilliseconds("\(parts[3])-\(number)-\(parts[1])T\(parts[4]).000Z").map { $0 / 1000 }
  }
}
