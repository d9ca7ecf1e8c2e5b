// Driver licences and identity cards of North America, as PDF417 by the AAMVA's standard (DL/ID Card Design Standard, annex
// D): a header, a table of subfiles, and in each subfile one element per line.

/// A driver licence.
public struct DriverLicence: Equatable, Sendable {
  public let fields: [MessageField]

  /// The most subfiles in the header.
  private static let subfileCountMax = 16

  /// Parses a licence; nil if the text is not one.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    // @, line feed, record separator, carriage return: some issuers omit or repeat one.
    guard bytes.first == UInt8(ascii: "@") else { return nil }
    let head = bytes.dropFirst().prefix { $0 < 0x20 }
    guard (1...5).contains(head.count) else { return nil }
    var rest = bytes[head.endIndex...]
    guard let name = ["ANSI ", "AAMVA"].first(where: { rest.starts(with: Array($0.utf8)) }) else { return nil }
    rest = rest.dropFirst(name.utf8.count)
    guard let version = DriverLicence.number(rest.dropFirst(6).prefix(2)), DriverLicence.number(rest.prefix(6)) != nil
    else { return nil }
    rest = rest.dropFirst(8)
    // Version 1 has no issuer version.
    if version >= 2 { rest = rest.dropFirst(2) }
    guard let count = DriverLicence.number(rest.prefix(2)), (1...DriverLicence.subfileCountMax).contains(count) else {
      return nil
    }
    var elements: [(String, String)] = []
    rest = rest.dropFirst(2)
    // Offsets are often wrong by a few characters: a subfile begins where its two letters follow the table.
    var body = rest.dropFirst(10 * count)
    for entry in 0..<count {
      let kind = rest.dropFirst(10 * entry).prefix(2)
      guard kind.count == 2, kind.allSatisfy({ (0x41...0x5A).contains($0) }) else { return nil }
      if body.starts(with: kind) { body = body.dropFirst(2) }
      let subfile = body.prefix { $0 != 0x0D }
      body = body[subfile.endIndex...].drop { $0 < 0x20 }
      for line in subfile.split(separator: 0x0A) where line.count > 3 {
        let identifier = String(decoding: line.prefix(3), as: UTF8.self)
        guard identifier.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else { continue }
        let value = String(decoding: line.dropFirst(3), as: UTF8.self)
        elements.append((identifier, DriverLicence.trimmed(value)))
      }
    }
    guard elements.contains(where: { $0.0 == "DBB" || $0.0 == "DAQ" }) else { return nil }
    let isCanadian = elements.contains { $0 == ("DCG", "CAN") }
    fields = elements.prefix(MessageField.countMax).map { identifier, value in
      let title = DriverLicence.titles[identifier] ?? ""
      let isDate = DriverLicence.dates.contains(identifier)
      let date = isDate ? DriverLicence.date(value, isCanadian: isCanadian) : nil
      return MessageField(.aamva, identifier, title: title, value: value, date: date)
    }
  }

  /// The field of an element identifier.
  public subscript(_ identifier: String) -> MessageField? { fields.first { $0.identifier == identifier } }

  /// Whether the holder has reached an age on a day; nil if the licence has no birth date.
  public func isOver(_ age: Int, year: Int, month: Int, day: Int) -> Bool? {
    guard let parts = self["DBB"]?.date?.split(separator: "-").compactMap({ Int($0) }), parts.count == 3 else { return nil }
    let years = year - parts[0] - ((month, day) < (parts[1], parts[2]) ? 1 : 0)
    return years >= age
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    digits.allSatisfy(GS1Rule.isDigit) ? Int(String(decoding: digits, as: UTF8.self)) : nil
  }

  private static func trimmed(_ text: String) -> String {
    let start = text.drop { $0 == " " }
    guard let end = start.lastIndex(where: { $0 != " " }) else { return "" }
    return String(start[...end])
  }

  /// A date of eight digits: month, day and year in the United States; year, month and day in Canada. If the country is
  /// missing or wrong, the only form that is a valid date.
  private static func date(_ text: String, isCanadian: Bool) -> String? {
    guard text.utf8.count == 8, text.utf8.allSatisfy(GS1Rule.isDigit) else { return nil }
    func part(_ from: Int, _ count: Int) -> Substring { text.dropFirst(from).prefix(count) }
    func plausible(_ year: Substring) -> Bool { (1850...2200).contains(Int(year) ?? 0) }
    let american =
      plausible(part(4, 4)) ? MessageField.date(year: part(4, 4), month: part(0, 2), day: part(2, 2)) : nil
    let canadian =
      plausible(part(0, 4)) ? MessageField.date(year: part(0, 4), month: part(4, 2), day: part(6, 2)) : nil
    return isCanadian ? canadian ?? american : american ?? canadian
  }

  /// Elements that are dates.
  private static let dates: Set<String> = ["DBA", "DBB", "DBD", "DDB", "DDC", "DDH", "DDI", "DDJ"]

  /// The elements' names in the standard, abbreviated.
  private static let titles: [String: String] = [
    "DAA": "full name", "DAB": "family name", "DAC": "first name", "DAD": "middle name", "DAG": "street",
    "DAH": "street, line 2",
    "DAI": "city", "DAJ": "state or province", "DAK": "postal code", "DAQ": "number", "DAU": "height",
    "DAW": "weight in pounds",
    "DAX": "weight in kilograms", "DAY": "eye colour", "DAZ": "hair colour", "DBA": "expiry date", "DBB": "birth date",
    "DBC": "sex", "DBD": "issue date", "DCA": "vehicle class", "DCB": "restrictions", "DCD": "endorsements",
    "DCE": "weight range",
    "DCF": "document discriminator", "DCG": "country", "DCH": "federal vehicle codes", "DCI": "place of birth",
    "DCJ": "audit information", "DCK": "inventory control number", "DCL": "race or ethnicity", "DCS": "family name",
    "DCT": "given names", "DCU": "name suffix", "DDA": "compliance", "DDB": "card revision date",
    "DDC": "hazmat expiry date",
    "DDD": "limited duration", "DDE": "family name truncated", "DDF": "first name truncated", "DDG": "middle name truncated",
    "DDH": "under 18 until", "DDI": "under 19 until", "DDJ": "under 21 until", "DDK": "organ donor", "DDL": "veteran",
  ]
}
