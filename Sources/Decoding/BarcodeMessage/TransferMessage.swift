// Labels of parcels, parts and packages: a message header, then formats, each with its elements (ISO/IEC 15434).

/// A message of ISO/IEC 15434.
enum TransferMessage {
  private static let groupSeparator: UInt8 = 0x1D
  private static let recordSeparator: UInt8 = 0x1E
  private static let endOfTransmission: UInt8 = 0x04
  private static let header = Array("[)>\u{1E}".utf8)

  /// The fields of a text; empty if it is not such a message.
  static func fields(of text: String, currentYear: Int) -> [MessageField] {
    let bytes = Array(text.utf8)
    guard bytes.starts(with: header) else { return [] }
    let body = bytes.dropFirst(header.count).prefix { $0 != endOfTransmission }
    return body.split(separator: recordSeparator).flatMap { format -> [MessageField] in
      let elements = format.split(separator: groupSeparator, omittingEmptySubsequences: false).dropFirst()
        .map { String(decoding: $0, as: UTF8.self) }
      switch String(decoding: format.prefix(2), as: UTF8.self) {
      // The version directly follows the format's number.
      case "01": return transport(elements)
      case "05": return gs1(elements, currentYear)
      case "06": return elements.filter { !$0.isEmpty }.map(dataIdentifier)
      case "12": return elements.filter { !$0.isEmpty }.map(textElement)
      default: return []
      }
    }
  }

  /// The fields of UPS's MaxiCode, by position; the version after the format's number is ignored.
  private static func transport(_ elements: [String]) -> [MessageField] {
    let titles = [
      "postal code", "country", "class of service", "tracking number", "carrier", "shipper number", "day of pickup",
      "shipment number", "package of shipment", "weight", "address validation", "street", "city", "state",
    ]
    return zip(titles, elements).filter { !$0.1.isEmpty }.map { MessageField(.transport, "", title: $0.0, value: $0.1) }
  }

  private static func gs1(_ elements: [String], _ currentYear: Int) -> [MessageField] {
    GS1Reading(elementStrings: elements.joined(separator: "\u{1D}")).elements.map { element in
      MessageField(
        .gs1, element.identifier, title: element.title, value: element.value,
        date: element.meaning(currentYear: currentYear).date)
    }
  }

  /// Up to three digits and a letter, then the data.
  private static func dataIdentifier(_ element: String) -> MessageField {
    let digits = element.prefix(3).prefix { $0.isASCII && $0.isNumber }
    let rest = element.dropFirst(digits.count)
    guard let letter = rest.first, letter.isASCII, letter.isUppercase else {
      return MessageField(.dataIdentifiers, "", title: "", value: element)
    }
    let identifier = String(digits) + String(letter)
    let value = String(rest.dropFirst())
    var date: String?
    if ["14D", "16D"].contains(identifier), value.utf8.count == 8, value.utf8.allSatisfy(GS1Rule.isDigit) {
      date = MessageField.date(year: value.prefix(4), month: value.dropFirst(4).prefix(2), day: value.dropFirst(6))
    }
    return MessageField(.dataIdentifiers, identifier, title: titles[identifier] ?? "", value: value, date: date)
  }

  /// Three letters, a blank, then the data.
  private static func textElement(_ element: String) -> MessageField {
    let parts = element.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    let isIdentifier = parts[0].utf8.count == 3 && parts[0].utf8.allSatisfy { (0x41...0x5A).contains($0) }
    guard isIdentifier, parts.count == 2 else { return MessageField(.textElements, "", title: "", value: element) }
    let identifier = String(parts[0])
    return MessageField(.textElements, identifier, title: textTitles[identifier] ?? "", value: String(parts[1]))
  }

  /// The data identifiers of ANSI MH10.8.2 (2016, updated in 2020) that occur on labels of parts, packages and parcels.
  /// Others have no title.
  private static let titles: [String: String] = [
    "B": "container type", "D": "date YYMMDD", "1D": "date DDMMYY", "2D": "date MMDDYY", "3D": "date YDDD",
    "4D": "date YYDDD", "6D": "date with qualifier", "9D": "date", "10D": "date YYWW", "11D": "date YYYYWW",
    "12D": "date YYYYMMDD", "14D": "expiry date", "16D": "production date", "25D": "best before date",
    "H": "name of party",
    "J": "licence plate", "1J": "licence plate", "2J": "licence plate", "3J": "licence plate", "4J": "licence plate",
    "5J": "licence plate", "6J": "licence plate",
    "K": "order number of customer", "1K": "order number of supplier", "2K": "bill of lading of supplier",
    "3K": "bill of lading of carrier", "4K": "order line", "8K": "contract number", "10K": "invoice number",
    "11K": "packing list number", "15K": "kanban number",
    "L": "storage location", "1L": "location", "2L": "ship to", "3L": "ship from", "4L": "country of origin",
    "5L": "ship for", "20L": "location, first level", "21L": "location, second level",
    "P": "part number of customer", "1P": "part number of supplier", "2P": "revision",
    "30P": "part of supplier, first level", "31P": "part of supplier, second level",
    "Q": "quantity", "2Q": "weight", "3Q": "unit of measure", "7Q": "quantity and unit", "13Q": "piece of pieces",
    "S": "serial number", "3S": "package number", "4S": "number of package of like items",
    "5S": "number of package of unlike items", "15S": "serial number of vendor", "18S": "CAGE code and serial number",
    "20S": "traceability code", "25S": "issuing agency, company and serial number",
    "T": "lot number of customer", "1T": "lot number of supplier", "30T": "lot of supplier, first level",
    "V": "supplier, as customer names it", "1V": "supplier, as supplier names it", "2V": "UPC company prefix",
    "3V": "GS1 company prefix", "12V": "manufacturer DUNS", "13V": "supplier DUNS", "14V": "customer DUNS",
    "17V": "CAGE code", "18V": "issuing agency and company",
    "W": "work order number", "Z": "agreed between customer and supplier", "1Z": "agreed between carrier and supplier",
  ]

  /// The text element identifiers of ATA Spec 2000 that mark aircraft parts. Others have no title.
  private static let textTitles: [String: String] = [
    "LOT": "lot number", "MFR": "manufacturer", "PNO": "original part number", "SEQ": "sequence number",
    "SER": "serial number", "SPL": "supplier", "UCN": "component number",
  ]
}
