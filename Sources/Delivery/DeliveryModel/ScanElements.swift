// GS1 elements in a record.

public import BarcodeMessage

extension ScanRecord {
  /// A GS1 element with the meaning of its data. Members without a meaning are omitted from the JSON form.
  public struct Element: Equatable, Sendable, Codable {
    /// The application identifier, two to four digits.
    public let ai: String
    /// GS1's title of the identifier.
    public let title: String
    public let value: String
    /// A date, ISO 8601; if the data give no day, the last day of the month.
    public var date: String?
    /// The month, if the data give no day.
    public var month: String?
    /// The last day, if the data give two days.
    public var until: String?
    public var time: String?
    /// A number with its decimal point.
    public var number: String?
    /// ISO 4217, three letters.
    public var currency: String?
    /// ISO 3166-1, two letters each.
    public var countries: [String]?

    public init(ai: String, title: String, value: String) {
      self.ai = ai
      self.title = title
      self.value = value
    }
  }

  /// A field of a document or label.
  public struct Field: Equatable, Sendable, Codable {
    /// Such as `aamva` or `iso15434-06`.
    public let format: String
    /// Such as `DBB` or `1P`; empty if only the position identifies the field.
    public let id: String
    public let title: String
    public let value: String
    /// ISO 8601.
    public var date: String?

    public init(_ field: MessageField) {
      (format, id, title, value, date) = (
        field.format.rawValue, field.identifier, field.title, field.value, field.date
      )
    }
  }

  /// An error in the GS1 data.
  public struct Problem: Equatable, Sendable, Codable {
    /// The application identifier concerned; nil if the error concerns all of the data.
    public let ai: String?
    /// Such as `check-digit`.
    public let code: String
    public let message: String

    public init(ai: String?, code: String, message: String) {
      self.ai = ai
      self.code = code
      self.message = message
    }
  }

  /// Takes the elements and problems of a reading. Two-digit years are resolved relative to the capture.
  public mutating func take(_ reading: GS1Reading) {
    let moment = max(captured.unixMilliseconds, CaptureTime.plausibleUnixMilliseconds)
    let year = Int(Timestamp.text(unixMilliseconds: moment).prefix(4)) ?? 0
    elements = reading.elements.map { Element($0, currentYear: year) }
    problems = reading.problems.map { Problem(ai: $0.identifier, code: $0.code.rawValue, message: $0.message) }
  }
}

extension ScanRecord.Element {
  fileprivate init(_ element: GS1Element, currentYear: Int) {
    self.init(ai: element.identifier, title: element.title, value: element.value)
    let meaning = element.meaning(currentYear: currentYear)
    date = meaning.date
    month = meaning.month
    until = meaning.until
    time = meaning.timeOfDay
    number = meaning.number
    currency = meaning.currency
    countries = meaning.countries.isEmpty ? nil : meaning.countries
  }
}
