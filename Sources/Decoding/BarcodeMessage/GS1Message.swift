// Valid GS1 element strings: the data in a symbol, the text printed below it, and the list of elements that both represent.

/// An application identifier and its data.
public struct GS1Element: Equatable, Sendable {
  /// Two to four digits.
  public var identifier: String
  /// The data, never empty in a `GS1Message`.
  public var value: String

  public init(identifier: String, value: String) {
    self.identifier = identifier
    self.value = value
  }
}

/// GS1 element strings whose data follow the rules of their application identifiers. The combination of elements is not
/// checked; `GS1Reading` checks that too, and reports all errors.
public struct GS1Message: Equatable, Sendable {
  /// At least one, in order.
  public let elements: [GS1Element]

  /// FNC1 in transmitted data, ASCII GS (GS1 General Specifications §7.8.6).
  static let separator: UInt8 = 0x1D

  /// Checks elements.
  public init(elements: [GS1Element]) throws(GS1Problem) { try self.init(GS1Reading(elements: elements)) }

  /// Parses element strings as transmitted: data without a predefined length end with U+001D or the end of the text. A
  /// separator after data of predefined length is skipped, because printers often add one.
  public init(elementStrings text: String) throws(GS1Problem) { try self.init(GS1Reading(elementStrings: text)) }

  /// Parses the form that is printed below symbols, `(01)09501101530003(10)AB-123`. Parentheses may be data: one begins an
  /// identifier only if the digits of a GS1 identifier and `)` follow. One that would begin an identifier but is data is
  /// written `\(`.
  public init(humanReadable text: String) throws(GS1Problem) {
    try self.init(GS1Reading(bracketed: text, isPrinted: true))
  }

  /// Parses an uncompressed GS1 Digital Link URI. A GTIN of 8, 12 or 13 digits is padded to 14; short names that the
  /// standard has withdrawn are accepted.
  public init(digitalLink uri: String) throws(GS1Problem) {
    try self.init(GS1Reading(digitalLink: uri.hasSuffix("/") ? String(uri.dropLast()) : uri))
  }

  /// Accepts the elements if each of them is valid; their combination is not checked.
  private init(_ reading: GS1Reading) throws(GS1Problem) {
    let passedOver: Set<GS1Problem.Code> = [.excluded, .required, .repeated, .serial, .shortGTIN, .shortName]
    if let problem = reading.problems.first(where: { !passedOver.contains($0.code) }) { throw problem }
    elements = reading.elements
  }

  /// The form that is printed below symbols: identifiers in parentheses (GS1 General Specifications §4.14).
  public var humanReadable: String { GS1Message.humanReadable(elements) }

  static func humanReadable(_ elements: [GS1Element]) -> String {
    elements.map { "(\($0.identifier))\($0.value)" }.joined()
  }

  /// The transmitted form: U+001D after data without a predefined length, but not at the end.
  public var elementStrings: String {
    var text = ""
    for (index, element) in elements.enumerated() {
      text += element.identifier + element.value
      let needsSeparator = GS1Rule.rule(element.identifier).map { !$0.hasPredefinedLength } ?? true
      if needsSeparator, index < elements.count - 1 { text += "\u{1D}" }
    }
    return text
  }

  /// The elements as a GS1 Digital Link; nil if none of them is a primary key, or one is not permitted in a link.
  public func digitalLink(stem: String = GS1DigitalLink.canonicalStem) -> String? {
    GS1DigitalLink.uri(elements, stem: stem)
  }

  /// The data of an application identifier, if present.
  public subscript(_ identifier: String) -> String? { elements.first { $0.identifier == identifier }?.value }
}
