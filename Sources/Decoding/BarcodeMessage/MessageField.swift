// The identified fields of documents and shipping labels: driver licences by the elements of AAMVA, industrial labels by the
// formats of ISO/IEC 15434.

/// A field of a document or label.
public struct MessageField: Equatable, Sendable {
  /// The format of the data that contains the field.
  public enum Format: String, CaseIterable, Sendable {
    /// AAMVA DL/ID Card Design Standard, annex D.
    case aamva
    /// ISO/IEC 15434: transportation, as used by UPS.
    case transport = "iso15434-01"
    /// GS1 application identifiers.
    case gs1 = "iso15434-05"
    /// Data identifiers of ANSI MH10.8.2.
    case dataIdentifiers = "iso15434-06"
    /// Text element identifiers.
    case textElements = "iso15434-12"
  }

  public var format: Format
  /// Such as `DBB` or `1P`; empty if only the position identifies the field.
  public var identifier: String
  /// The field's title; empty if no table has one.
  public var title: String
  public var value: String
  /// A date, ISO 8601.
  public var date: String?

  public init(_ format: Format, _ identifier: String, title: String, value: String, date: String? = nil) {
    (self.format, self.identifier, self.title, self.value, self.date) = (format, identifier, title, value, date)
  }

  /// The most fields of a message.
  public static let countMax = 128

  /// The fields of a text; empty if it has no identified fields.
  ///
  /// - Parameter currentYear: the year of the scan, for two-digit years.
  public static func fields(of text: String, currentYear: Int) -> [MessageField] {
    if let licence = DriverLicence(text) { return licence.fields }
    return Array(TransferMessage.fields(of: text, currentYear: currentYear).prefix(countMax))
  }

  /// A date from digits, ISO 8601; nil if it is not valid.
  static func date(year: Substring, month: Substring, day: Substring) -> String? {
    guard let year = Int(year), let month = Int(month), let day = Int(day),
      let count = GS1Date.dayCount(year: year, month: month), (1...count).contains(day)
    else { return nil }
    return GS1Date.text(year, month, day)
  }
}
