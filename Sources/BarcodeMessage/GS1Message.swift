// GS1 element strings: what a symbol carries, what stands printed below it, and the list of elements that both mean.

/// An application identifier and its data.
public struct GS1Element: Equatable, Sendable {
  /// Two to four digits.
  public var identifier: String
  /// The data, never empty.
  public var value: String

  public init(identifier: String, value: String) {
    self.identifier = identifier
    self.value = value
  }
}

/// Why a text is not GS1 element strings.
public enum GS1Error: Error, Equatable, Sendable {
  /// There is no element.
  case empty
  /// No application identifier is where one must be, beginning at this byte of the text.
  case noIdentifier(byteOffset: Int)
  /// GS1 has not given out this application identifier.
  case unknownIdentifier(String)
  /// The data of this application identifier break its rule.
  case invalidData(GS1Element)
  /// The URI is not a GS1 Digital Link.
  case notADigitalLink

  /// What is wrong, in a sentence without a full stop.
  public var message: String {
    switch self {
    case .empty: "there is no application identifier"
    case .noIdentifier(let byteOffset): "no application identifier is at character \(byteOffset + 1)"
    case .unknownIdentifier(let identifier): "(\(identifier)) is not an application identifier of GS1"
    case .invalidData(let element):
      "'\(element.value)' is not valid for (\(element.identifier)): its length, a character, check digit or date is wrong"
    case .notADigitalLink: "the address has no GS1 key in its path"
    }
  }
}

/// GS1 element strings that keep the rules of their application identifiers.
public struct GS1Message: Equatable, Sendable {
  /// At least one, in order.
  public let elements: [GS1Element]

  /// FNC1 in transmitted data, ASCII GS (GS1 General Specifications §7.8.6).
  static let separator: UInt8 = 0x1D

  /// Checks elements.
  public init(elements: [GS1Element]) throws(GS1Error) {
    if elements.isEmpty { throw .empty }
    for element in elements {
      guard let rule = GS1Rule.rule(element.identifier) else { throw .unknownIdentifier(element.identifier) }
      guard rule.allows(Array(element.value.utf8)[...]) else { throw .invalidData(element) }
    }
    self.elements = elements
  }

  /// Reads element strings as transmitted: data of no predefined length end with U+001D or the end of the text. A separator
  /// after data of predefined length is passed over, as printers often put one there.
  public init(elementStrings text: String) throws(GS1Error) {
    let bytes = Array(text.utf8)
    var elements: [GS1Element] = []
    var offset = 0
    while offset < bytes.count {
      if bytes[offset] == GS1Message.separator, !elements.isEmpty {
        offset += 1
        continue
      }
      let (identifier, rule) = try GS1Message.identifier(bytes, offset)
      offset += identifier.utf8.count
      var end = bytes[offset...].firstIndex(of: GS1Message.separator) ?? bytes.count
      if rule.hasPredefinedLength { end = min(end, offset + rule.lengthMax) }
      let value = String(decoding: bytes[offset..<end], as: UTF8.self)
      elements.append(GS1Element(identifier: identifier, value: value))
      offset = end
    }
    try self.init(elements: elements)
  }

  /// Reads the form that is printed below symbols, `(01)09501101530003(10)AB-123`. Parentheses may be data: one begins an
  /// identifier only if two to four digits and `)` follow and the digits are an identifier of GS1.
  public init(humanReadable text: String) throws(GS1Error) {
    let bytes = Array(text.utf8)
    if bytes.isEmpty { throw .empty }
    var elements: [GS1Element] = []
    var offset = 0
    while offset < bytes.count {
      guard let (identifier, start) = GS1Message.bracketed(bytes, offset) else { throw .noIdentifier(byteOffset: offset) }
      guard GS1Rule.rule(identifier) != nil else { throw .unknownIdentifier(identifier) }
      var end = start
      while end < bytes.count {
        if let (next, _) = GS1Message.bracketed(bytes, end), GS1Rule.rule(next) != nil { break }
        end += 1
      }
      elements.append(GS1Element(identifier: identifier, value: String(decoding: bytes[start..<end], as: UTF8.self)))
      offset = end
    }
    try self.init(elements: elements)
  }

  /// The form that is printed below symbols: identifiers in parentheses (GS1 General Specifications §4.14).
  public var humanReadable: String { elements.map { "(\($0.identifier))\($0.value)" }.joined() }

  /// The transmitted form: U+001D after data of no predefined length, but not at the end.
  public var elementStrings: String {
    var text = ""
    for (index, element) in elements.enumerated() {
      text += element.identifier + element.value
      let needsSeparator = GS1Rule.rule(element.identifier).map { !$0.hasPredefinedLength } ?? true
      if needsSeparator, index < elements.count - 1 { text += "\u{1D}" }
    }
    return text
  }

  /// The data of an application identifier, if it is there.
  public subscript(_ identifier: String) -> String? { elements.first { $0.identifier == identifier }?.value }

  /// The identifier that the bytes at `offset` begin with: none is the beginning of another.
  private static func identifier(_ bytes: [UInt8], _ offset: Int) throws(GS1Error) -> (String, GS1Rule) {
    let digits = bytes[offset...].prefix(4).prefix(while: GS1Rule.isDigit)
    guard digits.count >= 2 else { throw .noIdentifier(byteOffset: offset) }
    for length in 2...digits.count {
      let identifier = String(decoding: digits.prefix(length), as: UTF8.self)
      if let rule = GS1Rule.rule(identifier) { return (identifier, rule) }
    }
    throw .unknownIdentifier(String(decoding: digits, as: UTF8.self))
  }

  /// Two to four digits in parentheses at `offset`, and where the text goes on behind them.
  private static func bracketed(_ bytes: [UInt8], _ offset: Int) -> (identifier: String, end: Int)? {
    guard bytes[offset] == UInt8(ascii: "(") else { return nil }
    let digits = bytes[(offset + 1)...].prefix(5).prefix(while: GS1Rule.isDigit)
    guard (2...4).contains(digits.count), digits.endIndex < bytes.count, bytes[digits.endIndex] == UInt8(ascii: ")") else {
      return nil
    }
    return (String(decoding: digits, as: UTF8.self), digits.endIndex + 1)
  }
}
