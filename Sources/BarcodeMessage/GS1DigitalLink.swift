// GS1 element strings as a web address, for symbols that serve shoppers' phones and the till alike.

extension GS1Message {
  /// Reads an uncompressed GS1 Digital Link URI (GS1 Digital Link Standard: URI Syntax, §4): somewhere in its path a primary
  /// key and its value, then the key's qualifiers in their order; other elements in the query. Query parameters that are not
  /// application identifiers are passed over. A GTIN of 8, 12 or 13 digits is filled up to 14.
  public init(digitalLink uri: String) throws(GS1Error) {
    guard let (path, query) = GS1Message.pathAndQuery(uri) else { throw .notADigitalLink }
    let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true).map(GS1Message.percentDecoded)
    guard let start = GS1Message.keyPosition(segments) else { throw .notADigitalLink }
    var elements: [GS1Element] = []
    for index in stride(from: start, to: segments.count, by: 2) {
      elements.append(GS1Message.element(segments[index], segments[index + 1]))
    }
    for parameter in query.split(whereSeparator: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") }) {
      let parts = parameter.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = GS1Message.percentDecoded(parts[0])
      guard parts.count == 2, !name.isEmpty, name.utf8.allSatisfy(GS1Rule.isDigit) else { continue }
      elements.append(GS1Message.element(name, GS1Message.percentDecoded(parts[1])))
    }
    try self.init(elements: elements)
  }

  /// The elements as a GS1 Digital Link URI below `https://host/`, or nil if none of them is a primary key.
  ///
  /// The first primary key and its qualifiers become the path, all other elements the query.
  public func digitalLink(host: String = "id.gs1.org") -> String? {
    guard let key = elements.first(where: { GS1Message.qualifiers($0.identifier) != nil }) else { return nil }
    var rest = elements
    rest.removeAll { $0 == key }
    var uri = "https://\(host)/\(key.identifier)/\(GS1Message.percentEncoded(key.value))"
    // The first alternative of which an element is there; a key's alternatives exclude each other.
    let alternatives = GS1Message.qualifiers(key.identifier) ?? []
    let chosen = alternatives.first { $0.contains { self[$0] != nil } } ?? []
    for qualifier in chosen {
      guard let index = rest.firstIndex(where: { $0.identifier == qualifier }) else { continue }
      uri += "/\(qualifier)/\(GS1Message.percentEncoded(rest[index].value))"
      rest.remove(at: index)
    }
    let query = rest.map { "\($0.identifier)=\(GS1Message.percentEncoded($0.value))" }.joined(separator: "&")
    return query.isEmpty ? uri : "\(uri)?\(query)"
  }

  /// The qualifiers of a primary key in their order, as alternatives; nil if the identifier is not a primary key
  /// (GS1 Digital Link Standard: URI Syntax, §4.5).
  private static func qualifiers(_ identifier: String) -> [[String]]? {
    switch identifier {
    case "00", "253", "255", "401", "402", "8003", "8013": []
    case "01": [["22", "10", "21"], ["235"]]
    case "414": [["254"], ["7040"]]
    case "415": [["8020"]]
    case "417", "8004": [["7040"]]
    case "8006": [["22", "10", "21"]]
    case "8010": [["8011"]]
    case "8017", "8018": [["8019"]]
    default: nil
    }
  }

  /// Where a primary key begins whose qualifiers fill the rest of the path; the last such place, as what stands before it is
  /// the resolver's own path.
  private static func keyPosition(_ segments: [String]) -> Int? {
    var position = segments.count - 2
    // A key has three qualifiers at most, each with its value.
    while position >= max(0, segments.count - 8) {
      if let alternatives = qualifiers(segments[position]) {
        let names = stride(from: position + 2, to: segments.count, by: 2).map { segments[$0] }
        if names.isEmpty || alternatives.contains(where: { isInOrder(names, $0) }) { return position }
      }
      position -= 2
    }
    return nil
  }

  private static func isInOrder(_ names: [String], _ order: [String]) -> Bool {
    var rest = order[...]
    for name in names {
      guard let index = rest.firstIndex(of: name) else { return false }
      rest = rest[(index + 1)...]
    }
    return true
  }

  private static func element(_ identifier: String, _ value: String) -> GS1Element {
    guard identifier == "01", [8, 12, 13].contains(value.utf8.count) else {
      return GS1Element(identifier: identifier, value: value)
    }
    return GS1Element(identifier: identifier, value: String(repeating: "0", count: 14 - value.utf8.count) + value)
  }

  /// Path and query of an http or https URI, without its fragment.
  private static func pathAndQuery(_ uri: String) -> (path: ArraySlice<UInt8>, query: ArraySlice<UInt8>)? {
    let bytes = Array(uri.utf8)
    let scheme = String(decoding: bytes.prefix(8), as: UTF8.self).lowercased()
    guard scheme == "https://" || scheme.hasPrefix("http://") else { return nil }
    let rest = bytes[(scheme == "https://" ? 8 : 7)...].prefix { $0 != UInt8(ascii: "#") }
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")), slash > rest.startIndex else { return nil }
    let path = rest[slash...].prefix { $0 != UInt8(ascii: "?") }
    return (path, rest[path.endIndex...].dropFirst())
  }

  private static func percentDecoded(_ bytes: some Collection<UInt8>) -> String {
    let bytes = Array(bytes)
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let value = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
      {
        decoded.append(value)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  /// All but the unreserved characters of RFC 3986 §2.3 as %HH.
  private static func percentEncoded(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      let isLetter = (0x61...0x7A).contains(byte | 0x20)
      if isLetter || GS1Rule.isDigit(byte) || "-._~".utf8.contains(byte) {
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }
}
