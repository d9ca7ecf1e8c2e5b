// Where a TCP connection goes to or comes from: a host and a port, and ranges of addresses.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A host and a port, such as `till.example:9100` or `[::1]:9100`.
public struct TCPPlace: Equatable, Sendable, CustomStringConvertible {
  /// A host name or an address, without brackets.
  public var host: String
  /// 1 to 65535.
  public var port: Int

  public init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Reads `HOST:PORT`, with an IPv6 address in brackets; nil for anything else.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
      return nil
    }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
      guard host.contains(":") else { return nil }
    } else if host.contains(":") {
      return nil
    }
    let isPlain = host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "@") }
    guard !host.isEmpty, host.utf8.count <= 253, isPlain else { return nil }
    self.init(host: String(host), port: Int(port))
  }

  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Whether only programs of this machine reach it.
  public var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }
}

/// Addresses that begin alike, such as `192.168.1.0/24`, or one address.
public struct AddressRange: Equatable, Sendable {
  private let first: [UInt8]
  private let bitCount: Int

  /// Reads an IPv4 or IPv6 address, alone or with `/` and the number of leading bits that count; nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = Self.bytes(String(parts[0])) else { return nil }
    var bitCount = first.count * 8
    if parts.count > 1 {
      guard let count = UInt8(parts[1]), Int(count) <= bitCount else { return nil }
      bitCount = Int(count)
    }
    self.first = first
    self.bitCount = bitCount
  }

  /// Whether an address is one of these. An IPv4 address that came over IPv6 (RFC 4291 §2.5.5.2) counts as itself.
  public func contains(_ address: String) -> Bool {
    guard let bytes = Self.bytes(address), bytes.count == first.count else { return false }
    return bytes.indices.allSatisfy { index in
      let mask = UInt8(truncatingIfNeeded: 0xFF00 >> min(max(bitCount - index * 8, 0), 8))
      return bytes[index] & mask == first[index] & mask
    }
  }

  /// The four or sixteen bytes of an address in text.
  private static func bytes(_ text: String) -> [UInt8]? {
    let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    var bytes = [UInt8](repeating: 0, count: 4)
    if inet_pton(AF_INET, text, &bytes) == 1 { return bytes }
    bytes = [UInt8](repeating: 0, count: 16)
    guard inet_pton(AF_INET6, text, &bytes) == 1 else { return nil }
    return bytes.starts(with: mappedPrefix) ? Array(bytes.suffix(4)) : bytes
  }
}
