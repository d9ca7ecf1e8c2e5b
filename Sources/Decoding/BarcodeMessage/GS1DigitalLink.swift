// GS1 element strings as a web address, for symbols that serve both shoppers' phones and the till.

/// GS1 Digital Link (GS1 Digital Link Standard: URI Syntax).
public enum GS1DigitalLink {
  /// Start of GS1's own links, before the key.
  public static let canonicalStem = "https://id.gs1.org"

  /// The elements as a Digital Link with a stem such as `https://example.com/products`; nil if there is no primary key, or
  /// if an element is not permitted in a link.
  ///
  /// The first primary key and its qualifiers become the path. If a key has alternatives, the one with the most elements
  /// wins, or the first of equals. All other elements become the query, those of predefined length first; repeated elements
  /// occur once. GS1's reference library produces this form.
  public static func uri(_ elements: [GS1Element], stem: String = canonicalStem) -> String? {
    let rules = elements.compactMap { GS1Rule.rule($0.identifier) }
    guard rules.count == elements.count, let key = rules.first(where: { $0.qualifiers != nil }) else { return nil }
    var chosen: [String] = []
    var chosenCount = 0
    for alternative in key.qualifiers ?? [] {
      let count = elements.count { alternative.contains($0.identifier) }
      if count > chosenCount { (chosen, chosenCount) = (alternative, count) }
    }
    let path = [key.identifier] + chosen
    var uri = stem.hasSuffix("/") ? String(stem.dropLast()) : stem
    for identifier in path {
      guard let element = elements.first(where: { $0.identifier == identifier }) else { continue }
      uri += "/\(identifier)/\(percentEncoded(element.value))"
    }
    var query: [GS1Rule] = []
    for rule in rules where !path.contains(rule.identifier) && !query.contains(where: { $0.identifier == rule.identifier }) {
      guard rule.isLinkAttribute else { return nil }
      query.append(rule)
    }
    let parameters = (query.filter { $0.hasPredefinedLength } + query.filter { !$0.hasPredefinedLength }).map { rule in
      let value = elements.first { $0.identifier == rule.identifier }?.value ?? ""
      return "\(rule.identifier)=\(percentEncoded(value))"
    }
    return parameters.isEmpty ? uri : uri + "?" + parameters.joined(separator: "&")
  }

  /// Withdrawn short names of identifiers.
  static let shortNames = [
    "cpid": "8010", "cpsn": "8011", "cpv": "22", "gcn": "255", "gdti": "253", "giai": "8004", "ginc": "401", "gln": "414",
    "glnx": "254", "gmn": "8013", "grai": "8003", "gsin": "402", "gsrn": "8018", "gsrnp": "8017", "gtin": "01",
    "itip": "8006",
    "lot": "10", "party": "417", "refno": "8020", "ser": "21", "srin": "8019", "sscc": "00",
  ]

  /// The rest of a URI after its scheme, http or https, all in small or all in capital letters; nil for any other text.
  static func behindScheme(_ text: String) -> ArraySlice<UInt8>? {
    let bytes = Array(text.utf8)
    for scheme in ["https://", "HTTPS://", "http://", "HTTP://"] where bytes.starts(with: scheme.utf8) {
      return bytes[scheme.utf8.count...]
    }
    return nil
  }

  /// Whether a path segment looks like elements in the compressed form: base 64 of an identifier and its data. The first
  /// byte is the first two digits of a key's identifier, or a code for a common group of identifiers, which has a letter in
  /// its two hexadecimal digits.
  static func looksCompressed(_ segment: ArraySlice<UInt8>) -> Bool {
    guard segment.count >= compressedLengthMin, segment.allSatisfy(GS1CharacterSet.z.allows),
      segment.contains(where: { !GS1Rule.isDigit($0) })
    else { return false }
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    let sextets = segment.prefix(2).compactMap { digits.firstIndex(of: $0) }
    let byte = sextets[0] << 2 | sextets[1] >> 4
    let hasLetter = byte >> 4 > 9 || byte & 15 > 9
    let text = String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    return hasLetter || GS1Rule.table.contains { $0.qualifiers != nil && $0.identifier.hasPrefix(text) }
  }

  /// The minimum length of the compressed form in characters: 8 bits of an identifier and 47 of a GTIN.
  private static let compressedLengthMin = 10

  /// Encodes all but the unreserved characters of RFC 3986 §2.3 as %HH.
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

  /// Decodes %HH, and in a query + as a space; a % without two hexadecimal digits stays.
  static func percentDecoded(_ bytes: ArraySlice<UInt8>, isQuery: Bool) -> [UInt8] {
    var decoded: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(GS1Linter.isHexadecimal) {
        decoded.append(UInt8(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
      } else {
        decoded.append(isQuery && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return decoded
  }
}

extension GS1Reading {
  /// Parses an uncompressed GS1 Digital Link: in the path of a URI a primary key and its value, then the key's qualifiers in
  /// order; other elements in the query. Parameters whose names are not numeric are ignored.
  ///
  /// Short names instead of identifiers, and a GTIN with fewer than 14 digits in the path, are accepted and reported: the
  /// standard has withdrawn both.
  public init(digitalLink uri: String) {
    self.init()
    let byteCount = uri.utf8.count
    guard hasRoom(byteCount) else { return }
    guard let rest = GS1DigitalLink.behindScheme(uri) else {
      problems.append(GS1Problem(nil, .uri, "this is not a URI that begins with https:// or http://"))
      return
    }
    if let index = rest.firstIndex(where: { !GS1Reading.isOfURI($0) }) {
      problems.append(GS1Problem(nil, .uri, "character \(index + 1) of the URI must be written as % and two digits"))
    }
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")), slash > rest.startIndex,
      rest[..<slash].allSatisfy(GS1Reading.isOfDomain)
    else {
      problems.append(GS1Problem(nil, .domain, "the URI has no domain, or no path behind it"))
      return
    }
    let address = rest[slash...].prefix { $0 != UInt8(ascii: "#") }
    let path = address.prefix { $0 != UInt8(ascii: "?") }
    var segments = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    if segments.count > 2, segments.last?.isEmpty == true {
      segments.removeLast()
      problems.append(GS1Problem(nil, .uri, "the path of a Digital Link does not end in a slash"))
    }
    guard let start = GS1Reading.keyPosition(segments) else {
      problems.append(GS1Reading.problem(withoutKey: segments))
      return
    }
    let qualifiers = readPath(segments[start...])
    readQuery(address[path.endIndex...].dropFirst(), behind: qualifiers)
    check()
  }

  /// Characters of a URI (RFC 3986 §2), including the percent sign.
  private static func isOfURI(_ byte: UInt8) -> Bool {
    GS1Rule.isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
  }

  /// Characters of a domain, a port, or an address in brackets.
  private static func isOfDomain(_ byte: UInt8) -> Bool {
    isOfURI(byte) && !"_~?#@!$&'()*+,;=%".utf8.contains(byte)
  }

  /// The rule of a path segment, by its digits or its short name.
  private static func rule(_ segment: ArraySlice<UInt8>) -> GS1Rule? {
    let name = String(decoding: segment, as: UTF8.self)
    return GS1Rule.rule(GS1DigitalLink.shortNames[name] ?? name)
  }

  /// Position of the last primary key that is followed only by pairs of identifier and value: the resolver's own path
  /// precedes it.
  private static func keyPosition(_ segments: [ArraySlice<UInt8>]) -> Int? {
    var position = segments.count - 2
    while position >= 0, let rule = rule(segments[position]) {
      if rule.qualifiers != nil { return position }
      position -= 2
    }
    return nil
  }

  private static func problem(withoutKey segments: [ArraySlice<UInt8>]) -> GS1Problem {
    if let last = segments.last, GS1DigitalLink.looksCompressed(last) {
      return GS1Problem(
        nil, .compressed, "this looks like the compressed form of a Digital Link, which is not expanded; ask its resolver")
    }
    return GS1Problem(nil, .noKey, "the path of the URI has no GS1 key with a value at its end")
  }

  /// Parses the key and its qualifiers, and returns the rules of all of them.
  private mutating func readPath(_ segments: ArraySlice<ArraySlice<UInt8>>) -> [GS1Rule] {
    var rules: [GS1Rule] = []
    for index in stride(from: segments.startIndex, to: segments.endIndex - 1, by: 2) {
      guard let rule = GS1Reading.rule(segments[index]) else { continue }
      let name = String(decoding: segments[index], as: UTF8.self)
      if name != rule.identifier {
        problems.append(
          GS1Problem(
            rule.identifier, .shortName, "the standard has withdrawn the short name \(name); write \(rule.identifier)"))
      }
      var value = GS1DigitalLink.percentDecoded(segments[index + 1], isQuery: false)
      if GS1Reading.fillUp(rule, &value) {
        problems.append(GS1Problem(rule.identifier, .shortGTIN, "a GTIN in the path of a Digital Link has 14 digits"))
      }
      rules.append(rule)
      _ = add(rule.identifier, value)
    }
    let names = rules.dropFirst().map { $0.identifier }
    if let key = rules.first, !key.takes(names) {
      problems.append(
        GS1Problem(
          key.identifier, .qualifiers,
          "\(names.map { "(\($0))" }.joined(separator: ", ")) must not follow (\(key.identifier)) in the path, or not in this order"
        ))
    }
    return rules
  }

  private mutating func readQuery(_ query: ArraySlice<UInt8>, behind path: [GS1Rule]) {
    var otherCount = 0
    for parameter in query.split(separator: UInt8(ascii: "&")) {
      let name = parameter.prefix { $0 != UInt8(ascii: "=") }
      guard name.endIndex < parameter.endIndex, name.allSatisfy(GS1Rule.isDigit) else {
        otherCount += 1
        continue
      }
      let identifier = String(decoding: name, as: UTF8.self)
      guard let rule = GS1Rule.rule(identifier) else {
        addUnknown(identifier)
        continue
      }
      var value = GS1DigitalLink.percentDecoded(parameter[name.endIndex...].dropFirst(), isQuery: true)
      _ = GS1Reading.fillUp(rule, &value)
      if elements.contains(where: { $0.identifier == identifier }) {
        problems.append(GS1Problem(identifier, .duplicate, "(\(identifier)) is there twice"))
      }
      if !rule.isLinkAttribute {
        problems.append(GS1Problem(identifier, .attribute, "(\(identifier)) must not be in the query of a Digital Link"))
      } else if GS1Reading.belongs(identifier, in: path) {
        problems.append(
          GS1Problem(identifier, .path, "(\(identifier)) belongs into the path, behind (\(path[0].identifier))"))
      }
      guard add(identifier, value) else { return }
    }
    if elements.count + otherCount > GS1Reading.elementCountMax {
      problems.append(
        GS1Problem(nil, .tooMany, "there are more than \(GS1Reading.elementCountMax) elements and parameters"))
    }
  }

  /// Whether an identifier could be a further qualifier of the path.
  private static func belongs(_ identifier: String, in path: [GS1Rule]) -> Bool {
    guard let key = path.first else { return false }
    let names = path.dropFirst().map { $0.identifier }
    return (0...names.count).contains { place in
      var longer = Array(names)
      longer.insert(identifier, at: place)
      return key.takes(longer)
    }
  }

  /// Pads a GTIN of 8, 12 or 13 characters to 14; returns whether it was one.
  private static func fillUp(_ rule: GS1Rule, _ value: inout [UInt8]) -> Bool {
    guard rule.identifier == "01", [8, 12, 13].contains(value.count) else { return false }
    value.insert(contentsOf: [UInt8](repeating: 0x30, count: 14 - value.count), at: 0)
    return true
  }
}

extension GS1Rule {
  /// Whether an alternative of this key has these qualifiers, in this order.
  fileprivate func takes(_ names: [String]) -> Bool {
    names.isEmpty
      || (qualifiers ?? []).contains { alternative in
        var rest = alternative[...]
        return names.allSatisfy { name in
          guard let index = rest.firstIndex(of: name) else { return false }
          rest = rest[(index + 1)...]
          return true
        }
      }
  }
}
