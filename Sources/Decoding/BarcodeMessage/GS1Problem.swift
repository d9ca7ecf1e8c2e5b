// Errors in GS1 data.

/// An error in GS1 data: its identifier, its kind, and a description.
public struct GS1Problem: Error, Equatable, Sendable {
  /// The application identifier concerned; nil if the error concerns the whole text.
  public let identifier: String?
  public let code: Code
  /// A sentence without a full stop.
  public let message: String

  /// Kinds of errors; the raw values are part of the JSON form and never change.
  public enum Code: String, CaseIterable, Sendable {
    // The text
    /// Neither element strings behind FNC1 nor bracketed text nor an http URI.
    case unreadable
    /// There are no elements, or an element has no data.
    case empty
    /// The text is longer, or has more elements, than the limit.
    case tooMany = "too-many"
    /// Element strings that do not begin with FNC1.
    case noFNC1 = "no-fnc1"
    /// No application identifier where one must be.
    case noIdentifier = "no-ai"
    /// An application identifier that GS1 has not assigned.
    case unknownIdentifier = "unknown-ai"
    /// Brackets that are not those of an identifier; a bracket of the data is written `\(`.
    case bracket

    // The data of an element
    case tooShort = "too-short"
    case tooLong = "too-long"
    case character
    case padding
    case checkDigit = "check-digit"
    case checkPair = "check-pair"
    case companyPrefix = "company-prefix"
    case date
    case timeOfDay = "time"
    case country
    case currency
    case bankAccount = "bank-account"
    case percentEncoding = "percent-encoding"
    case position
    /// Not one of the field's permitted values.
    case value
    case zero
    case leadingZero = "leading-zero"
    case digitsOnly = "digits-only"
    case mediaType = "media-type"
    case packageType = "package-type"
    case sequence
    case coupon

    // Elements together
    /// Two identifiers that must not be together.
    case excluded
    /// An identifier that needs another.
    case required
    /// The same identifier with different data.
    case repeated
    /// A key that a digital signature needs with its serial number.
    case serial

    // GS1 Digital Link
    case uri
    case domain
    /// No primary key in the path.
    case noKey = "no-key"
    /// Qualifiers that are not the key's, or not in their order.
    case qualifiers
    /// A repeated element.
    case duplicate
    /// An identifier that is not permitted in the query.
    case attribute
    /// An identifier of the query that belongs in the path.
    case path
    /// The compressed form, which is not expanded.
    case compressed
    /// A GTIN in the path with fewer than 14 digits.
    case shortGTIN = "short-gtin"
    /// A short name for an identifier, which the standard has withdrawn.
    case shortName = "short-name"
  }

  init(_ identifier: String?, _ code: Code, _ message: String) {
    self.identifier = identifier
    self.code = code
    self.message = message
  }

  init(_ identifier: String, _ fault: GS1Fault) {
    self.init(identifier, fault.code, "(\(identifier)): \(fault.message)")
  }
}

/// An error in an element's data.
struct GS1Fault: Equatable, Sendable {
  let code: GS1Problem.Code
  /// The error of "it", the data.
  let message: String

  init(_ code: GS1Problem.Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
