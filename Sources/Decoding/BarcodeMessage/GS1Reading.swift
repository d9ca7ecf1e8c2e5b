// GS1 data parsed from any of their forms up to the first unparsable place, with all errors. Errors agree with GS1's
// reference library, the GS1 Barcode Syntax Engine.

/// GS1 data from a symbol, a person or a link.
public struct GS1Reading: Equatable, Sendable {
  /// The longest accepted text, in bytes.
  public static let byteCountMax = 8191
  /// The most accepted elements, and the most other parameters in a link's query.
  public static let elementCountMax = 64

  /// In order, including the elements before a place where parsing stopped.
  public private(set) var elements: [GS1Element] = []
  /// The number of elements in the linear component, if a composite component follows them.
  private var linearCount: Int?
  /// All errors.
  public internal(set) var problems: [GS1Problem] = []
  public var isValid: Bool { problems.isEmpty }

  /// A reading without elements.
  init() {}

  /// Checks known elements, such as the GTIN of an EAN-13.
  public init(elements: [GS1Element]) {
    self.elements = elements
    check()
  }

  /// Parses element strings as transmitted, without the FNC1 before the first: data without a predefined length end with
  /// U+001D or the end of the text; one U+001D after data of predefined length is skipped.
  public init(elementStrings text: String) {
    let bytes = Array(text.utf8)
    guard hasRoom(bytes.count) else { return }
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let rule = GS1Rule.rule(at: rest) else {
        addUnknown(rest.prefix(4), at: rest.startIndex)
        guard rest.first == GS1Message.separator else { break }
        rest.removeFirst()
        continue
      }
      rest = rest.dropFirst(rule.identifier.utf8.count)
      var data = rest.prefix { $0 != GS1Message.separator }
      if rule.hasPredefinedLength { data = data.prefix(rule.lengthMax) }
      rest = rest[data.endIndex...]
      if rest.first == GS1Message.separator { rest.removeFirst() }
      guard add(rule.identifier, data) else { break }
    }
    check()
  }

  /// Parses identifiers in parentheses, each followed by its data; a parenthesis in the data is written `\(`.
  ///
  /// - Parameter isPrinted: whether an unescaped parenthesis may also be data, as below a symbol: then one begins an
  ///    identifier only if the digits of a GS1 identifier and `)` follow.
  public init(bracketed text: String, isPrinted: Bool = false) {
    let bytes = Array(text.utf8)
    guard hasRoom(bytes.count) else { return }
    var rest = bytes[...]
    while !rest.isEmpty {
      guard rest.first == UInt8(ascii: "("), let end = rest.firstIndex(of: UInt8(ascii: ")")) else {
        problems.append(
          GS1Problem(
            nil, .bracket, "no identifier in parentheses is at character \(rest.startIndex + 1); write ( of the data as \\(")
        )
        break
      }
      let identifier = String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
      rest = rest[(end + 1)...]
      let data = GS1Reading.bracketedData(&rest, isPrinted)
      if GS1Rule.rule(identifier) == nil {
        addUnknown(identifier)
      } else if !add(identifier, data[...]) {
        break
      }
    }
    check()
  }

  /// The data up to the next opening parenthesis that is not data.
  private static func bracketedData(_ rest: inout ArraySlice<UInt8>, _ isPrinted: Bool) -> [UInt8] {
    var data: [UInt8] = []
    while let byte = rest.first {
      if byte == UInt8(ascii: "("), !isPrinted || beginsIdentifier(rest) { break }
      rest.removeFirst()
      if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "(") {
        data.append(rest.removeFirst())
      } else {
        data.append(byte)
      }
    }
    return data
  }

  /// Whether a GS1 identifier in parentheses comes next.
  private static func beginsIdentifier(_ rest: ArraySlice<UInt8>) -> Bool {
    let digits = rest.dropFirst().prefix(while: GS1Rule.isDigit)
    return digits.endIndex < rest.endIndex && rest[digits.endIndex] == UInt8(ascii: ")")
      && GS1Rule.rule(String(decoding: digits, as: UTF8.self)) != nil
  }

  /// Parses any form: element strings after FNC1, U+001D or `^`, or after the AIM identifier of a GS1 symbol; identifiers in
  /// parentheses; a URI; or the digits of an EAN or UPC after their AIM identifier. Every `^` represents FNC1. The composite
  /// component of a linear symbol follows `|`.
  public init(anyForm text: String) {
    let text =
      text.contains("^") ? text.split(separator: "^", omittingEmptySubsequences: false).joined(separator: "\u{1D}") : text
    let components = text.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if components.count == 2, !text.hasPrefix("]"), GS1DigitalLink.behindScheme(text) == nil {
      self.init(linear: GS1Reading(component: components[0]), composite: GS1Reading(component: components[1]))
    } else {
      self.init(component: text)
    }
  }

  /// Parses any form without a composite component.
  private init(component text: String) {
    if text.hasPrefix("(") {
      self.init(bracketed: text)
    } else if GS1DigitalLink.behindScheme(text) != nil {
      self.init(digitalLink: text)
    } else if text.hasPrefix("\u{1D}") {
      self.init(elementStrings: String(text.dropFirst()))
    } else if text.hasPrefix("]"), let reading = GS1Reading(behindAIMIdentifier: text) {
      self = reading
    } else if text.utf8.contains(GS1Message.separator) {
      self.init(elementStrings: text)
      problems.insert(GS1Problem(nil, .noFNC1, "the element strings do not begin with FNC1, which is written ^"), at: 0)
    } else {
      self.init()
      problems.append(
        GS1Problem(
          nil, .unreadable,
          "this is no GS1 data; give element strings that begin with FNC1, written ^, identifiers in parentheses, or a URI"))
    }
  }

  /// Combines the elements of a linear symbol and its composite component.
  init(linear: GS1Reading, composite: GS1Reading) {
    self.init(elements: linear.elements + composite.elements)
    linearCount = linear.elements.count
    // Errors in elements are found in all of them together; errors in the text belong to each component.
    let ofText: Set<GS1Problem.Code> = [.unreadable, .tooMany, .noFNC1, .noIdentifier, .unknownIdentifier, .bracket, .empty]
    let own = (linear.problems + composite.problems).filter { problem in
      ofText.contains(problem.code) && (problem.code != .empty || problem.identifier == nil)
    }
    problems = own + problems.filter { $0.code != .empty || $0.identifier != nil }
  }

  /// A reading of a line that was too long.
  public init(tooLongFor byteCountMax: Int) {
    problems = [GS1Problem(nil, .tooMany, "the line has more than \(byteCountMax) bytes, which is the most that is read")]
  }

  /// Parses a scanner's output with the AIM identifier (ISO/IEC 15424); nil if the symbol contains no GS1 data.
  private init?(behindAIMIdentifier text: String) {
    let data = String(text.dropFirst(3))
    switch text.prefix(3) {
    // GS1-128, DataBar, Data Matrix, QR Code, Aztec Code and DotCode, each with FNC1 in first position.
    case "]C1", "]e0", "]d2", "]Q3", "]z1", "]J1": self.init(elementStrings: data)
    case "]E0" where data.utf8.count == 13 && data.utf8.allSatisfy(GS1Rule.isDigit): self.init(gtin: data)
    case "]E4" where data.utf8.count == 8 && data.utf8.allSatisfy(GS1Rule.isDigit): self.init(gtin: data)
    default:
      guard GS1DigitalLink.behindScheme(data) != nil else { return nil }
      self.init(digitalLink: data)
    }
  }

  /// A reading of a GTIN with up to 14 digits.
  init(gtin digits: some StringProtocol) {
    let filled = String(repeating: "0", count: max(0, 14 - digits.utf8.count)) + digits
    self.init(elements: [GS1Element(identifier: "01", value: filled)])
  }

  /// The form with identifiers in parentheses; a parenthesis in the data is written `\(`, and a composite component follows
  /// `|`.
  public var bracketed: String {
    var text = ""
    for (index, element) in elements.enumerated() {
      let value = element.value.split(separator: "(", omittingEmptySubsequences: false).joined(separator: "\\(")
      text += (index == linearCount ? "|" : "") + "(\(element.identifier))" + value
    }
    return text
  }

  /// The data of an application identifier, if present.
  public subscript(_ identifier: String) -> String? { elements.first { $0.identifier == identifier }?.value }
}

// Adds elements and checks them.
extension GS1Reading {
  /// Whether a text of this length is accepted.
  mutating func hasRoom(_ byteCount: Int) -> Bool {
    if byteCount > GS1Reading.byteCountMax {
      problems.append(
        GS1Problem(nil, .tooMany, "the text has \(byteCount) bytes; at most \(GS1Reading.byteCountMax) are read"))
    }
    return byteCount <= GS1Reading.byteCountMax
  }

  /// Adds an element; false if there are too many.
  mutating func add(_ identifier: String, _ data: some Sequence<UInt8>) -> Bool {
    if elements.count == GS1Reading.elementCountMax {
      problems.append(GS1Problem(nil, .tooMany, "there are more than \(GS1Reading.elementCountMax) elements"))
      return false
    }
    elements.append(GS1Element(identifier: identifier, value: String(decoding: Array(data), as: UTF8.self)))
    return true
  }

  private mutating func addUnknown(_ bytes: ArraySlice<UInt8>, at offset: Int) {
    let digits = String(decoding: bytes.prefix(while: GS1Rule.isDigit), as: UTF8.self)
    if digits.utf8.count < 2 {
      problems.append(GS1Problem(nil, .noIdentifier, "no application identifier is at character \(offset + 1)"))
    } else {
      problems.append(
        GS1Problem(
          nil, .unknownIdentifier, "no application identifier of GS1 begins with \(digits), at character \(offset + 1)"))
    }
  }

  /// Reports text where an identifier is required, and names it as the identifier if it has the form of one.
  mutating func addUnknown(_ identifier: String) {
    let digits = identifier.utf8
    let isIdentifier = (2...4).contains(digits.count) && digits.allSatisfy(GS1Rule.isDigit)
    problems.append(
      GS1Problem(
        isIdentifier ? identifier : nil, .unknownIdentifier, "(\(identifier)) is not an application identifier of GS1"))
  }

  /// Checks each element, then the rules between elements.
  mutating func check() {
    if elements.isEmpty, problems.isEmpty {
      problems.append(GS1Problem(nil, .empty, "there is no application identifier"))
    }
    for element in elements {
      guard let rule = GS1Rule.rule(element.identifier) else {
        addUnknown(element.identifier)
        continue
      }
      problems += rule.faults(Array(element.value.utf8)[...]).map { GS1Problem(element.identifier, $0) }
    }
    checkTogether()
  }

  private mutating func checkTogether() {
    // Each identifier once, in order.
    var rules: [GS1Rule] = []
    for element in elements where !rules.contains(where: { $0.identifier == element.identifier }) {
      if let rule = GS1Rule.rule(element.identifier) { rules.append(rule) }
    }
    let identifiers = rules.map { $0.identifier }
    for (index, rule) in rules.enumerated() {
      for other in rules[index...].dropFirst() where rule.excludes(other.identifier) || other.excludes(rule.identifier) {
        problems.append(
          GS1Problem(
            rule.identifier, .excluded, "(\(rule.identifier)) and (\(other.identifier)) must not be together"))
      }
      for alternatives in rule.required where !alternatives.contains(where: { rule.isMet($0, by: identifiers) }) {
        let text = alternatives.map { $0.map { "(\($0))" }.joined(separator: " with ") }.joined(separator: " or ")
        problems.append(GS1Problem(rule.identifier, .required, "(\(rule.identifier)) needs \(text)"))
      }
      if elements.contains(where: { $0.identifier == rule.identifier && $0.value != self[rule.identifier] }) {
        problems.append(
          GS1Problem(rule.identifier, .repeated, "(\(rule.identifier)) is there more than once, with different data"))
      }
    }
    guard identifiers.contains("8030") else { return }
    for rule in rules where ["253", "255", "8003"].contains(rule.identifier) {
      guard let value = self[rule.identifier], value.utf8.count == rule.lengthMin else { continue }
      problems.append(
        GS1Problem(rule.identifier, .serial, "(\(rule.identifier)) has no serial number, which the signature (8030) needs"))
    }
  }
}

extension GS1Rule {
  fileprivate func excludes(_ identifier: String) -> Bool {
    identifier != self.identifier && excluded.contains { GS1Rule.matches($0, identifier) }
  }

  /// Whether every pattern of a group matches an identifier among these, other than this one.
  fileprivate func isMet(_ group: [String], by identifiers: [String]) -> Bool {
    group.allSatisfy { pattern in identifiers.contains { $0 != identifier && GS1Rule.matches(pattern, $0) } }
  }

  /// Whether an identifier matches the digits of a pattern, in which n means any digit.
  private static func matches(_ pattern: String, _ identifier: String) -> Bool {
    pattern.utf8.count == identifier.utf8.count
      && zip(pattern.utf8, identifier.utf8).allSatisfy { $0 == UInt8(ascii: "n") || $0 == $1 }
  }
}
