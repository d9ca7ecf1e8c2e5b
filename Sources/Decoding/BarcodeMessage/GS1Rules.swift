// The requirements of an application identifier for its data and for other elements, parsed from the table.

/// The rule of an application identifier.
struct GS1Rule: Sendable {
  /// Two to four digits.
  let identifier: String
  /// The data title, such as `BEST BEFORE or BEST BY`; empty if GS1 defines none.
  let title: String
  /// Whether the data end at their predefined length, so that no FNC1 follows (GS1 General Specifications figure 7.8.5-2).
  let hasPredefinedLength: Bool
  /// Whether a GS1 Digital Link may carry the element in its query.
  let isLinkAttribute: Bool
  let fields: [GS1Field]
  /// Of each entry, one alternative must be present with all its identifiers.
  let required: [[[String]]]
  /// Identifiers that must be absent; an n means any digit.
  let excluded: [String]
  /// The qualifiers in order, as alternatives, of a primary key of GS1 Digital Link; nil for any other identifier.
  let qualifiers: [[String]]?

  /// The fewest characters of data.
  var lengthMin: Int { fields.map { $0.isOptional ? 0 : $0.lengthMin }.reduce(0, +) }

  /// The most characters of data.
  var lengthMax: Int { fields.map { $0.lengthMax }.reduce(0, +) }

  /// Whether the data follow the rule: length, characters, and the linters of the fields.
  func allows(_ data: ArraySlice<UInt8>) -> Bool { faults(data).isEmpty }

  /// The errors in the data: of its length if that is wrong, else of each field.
  func faults(_ data: ArraySlice<UInt8>) -> [GS1Fault] {
    if data.isEmpty { return [GS1Fault(.empty, "it has no data")] }
    if data.count < lengthMin { return [lengthFault(data.count, .tooShort)] }
    if data.count > lengthMax { return [lengthFault(data.count, .tooLong)] }
    var faults: [GS1Fault] = []
    for (field, part) in parts(data) {
      if part.count < field.lengthMin { return [lengthFault(data.count, .tooShort)] }
      if let fault = field.fault(part) { faults.append(fault) }
    }
    return faults
  }

  /// The fields present in the data, each with its part of them.
  func parts(_ data: ArraySlice<UInt8>) -> [(field: GS1Field, data: ArraySlice<UInt8>)] {
    var parts: [(field: GS1Field, data: ArraySlice<UInt8>)] = []
    var rest = data
    for field in fields {
      if rest.isEmpty, field.isOptional { continue }
      let part = rest.prefix(field.lengthMax)
      parts.append((field, part))
      rest = rest.dropFirst(part.count)
    }
    return parts
  }

  private func lengthFault(_ count: Int, _ code: GS1Problem.Code) -> GS1Fault {
    let lengths = lengthMin == lengthMax ? "\(lengthMin)" : "\(lengthMin) to \(lengthMax)"
    let hasSteps = fields.dropFirst().contains { $0.isOptional && $0.lengthMin > 1 }
    return GS1Fault(code, "it has \(count) characters of data; it needs \(lengths)\(hasSteps ? ", in whole fields" : "")")
  }

  /// The rule for an identifier; nil if GS1 has not assigned it.
  static func rule(_ identifier: some StringProtocol) -> GS1Rule? {
    let digits = identifier.utf8
    guard (2...4).contains(digits.count), digits.allSatisfy(isDigit) else { return nil }
    return all[key(digits)]
  }

  /// The rule of the identifier at the beginning of the bytes: no identifier is a prefix of another.
  static func rule(at bytes: ArraySlice<UInt8>) -> GS1Rule? {
    var key = 1
    for (index, byte) in bytes.prefix(4).enumerated() {
      guard isDigit(byte) else { return nil }
      key = key * 10 + Int(byte - 0x30)
      if index > 0, let rule = all[key] { return rule }
    }
    return nil
  }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// The digits preceded by a 1, so that leading zeros count.
  private static func key(_ digits: some Sequence<UInt8>) -> Int { digits.reduce(1) { $0 * 10 + Int($1 - 0x30) } }

  /// By key.
  private static let all: [Int: GS1Rule] = {
    var all: [Int: GS1Rule] = [:]
    for rule in table { all[key(rule.identifier.utf8)] = rule }
    return all
  }()

  /// Every rule in the order of the table, with ranges expanded.
  static let table: [GS1Rule] = GS1Table.rows.split(separator: "\n").flatMap(rules)

  /// The rules of a row of the table.
  private static func rules(_ row: Substring) -> [GS1Rule] {
    let halves = row.split(separator: "#", maxSplits: 1)
    let words = halves[0].split(separator: " ")
    let range = words[0].split(separator: "-")
    var flags: Substring = ""
    var fields: [GS1Field] = []
    var required: [[[String]]] = []
    var excluded: [String] = []
    var qualifiers: [[String]]?
    for word in words.dropFirst() {
      let value = word.drop { $0 != "=" }.dropFirst()
      if word.hasPrefix("req=") {
        required.append(value.split(separator: ",").map { $0.split(separator: "+").map(String.init) })
      } else if word.hasPrefix("ex=") {
        excluded += value.split(separator: ",").map(String.init)
      } else if word.hasPrefix("key") {
        qualifiers = value.split(separator: "|").map { $0.split(separator: ",").map(String.init) }
      } else if word.utf8.allSatisfy({ $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }) {
        flags = word
      } else {
        fields.append(GS1Field(word))
      }
    }
    return (key(range[0].utf8)...key(range[range.count - 1].utf8)).map { key in
      GS1Rule(
        identifier: String("\(key)".dropFirst()), title: halves.count > 1 ? String(halves[1].dropFirst()) : "",
        hasPredefinedLength: flags.contains("*"), isLinkAttribute: flags.contains("?"), fields: fields, required: required,
        excluded: excluded, qualifiers: qualifiers)
    }
  }
}

/// A part of the data of an application identifier.
struct GS1Field: Sendable {
  let characters: GS1CharacterSet
  let lengthMin: Int
  let lengthMax: Int
  let isOptional: Bool
  let linters: [GS1Linter]

  init(_ text: Substring) {
    isOptional = text.first == "["
    let words = text.filter { $0 != "[" && $0 != "]" }.split(separator: ",")
    let isVariable = words[0].contains(".")
    lengthMax = Int(words[0].dropFirst().filter { $0 != "." }) ?? 0
    lengthMin = isVariable ? 1 : lengthMax
    characters = GS1CharacterSet(rawValue: String(words[0].prefix(1))) ?? .x
    linters = words.dropFirst().compactMap { GS1Linter(rawValue: String($0)) }
  }

  /// The first error in the data.
  func fault(_ data: ArraySlice<UInt8>) -> GS1Fault? {
    if let fault = characters.fault(data) { return fault }
    for linter in linters {
      if let fault = linter.fault(data) { return fault }
    }
    return nil
  }
}

/// The permitted characters of a field.
enum GS1CharacterSet: String {
  /// Digits.
  case n
  /// The 82 of GS1 General Specifications figure 7.11-1.
  case x
  /// The 39 of figure 7.11-2.
  case y
  /// File-safe base 64 of figure 7.11-3, with padding at the end.
  case z

  func allows(_ byte: UInt8) -> Bool {
    let isDigit = GS1Rule.isDigit(byte)
    let isCapital = (0x41...0x5A).contains(byte)
    let isSmall = (0x61...0x7A).contains(byte)
    switch self {
    case .n: return isDigit
    case .x: return isDigit || isCapital || isSmall || "!\"%&'()*+,-./:;<=>?_".utf8.contains(byte)
    case .y: return isDigit || isCapital || "#-/".utf8.contains(byte)
    case .z: return isDigit || isCapital || isSmall || "-_".utf8.contains(byte)
    }
  }

  func fault(_ data: ArraySlice<UInt8>) -> GS1Fault? {
    var data = data
    if self == .z {
      let count = data.count
      while data.last == UInt8(ascii: "=") { data.removeLast() }
      let padding = count - data.count
      // Padding completes the last group of four; GS1's own check counts groups of three, which this code keeps in order to
      // agree with it.
      if padding > 2 || (padding > 0 && count % 3 != 0) {
        return GS1Fault(.padding, "its base 64 ends in \(padding) padding characters, which does not fit its length")
      }
    }
    guard let index = data.firstIndex(where: { !allows($0) }) else { return nil }
    return GS1Fault(
      .character, "character \(index - data.startIndex + 1) of a field is not among the \(name) that it may have")
  }

  private var name: String {
    switch self {
    case .n: "digits"
    case .x: "82 characters"
    case .y: "39 characters"
    case .z: "64 characters"
    }
  }
}
