// What is wrong with GS1 data.

/// A fault of GS1 data: which identifier, which kind, and in words.
public struct GS1Problem: Error, Equatable, Sendable {
  /// The application identifier that it is about; nil if it is about the text as a whole.
  public let identifier: String?
  public let code: Code
  /// A sentence without a full stop.
  public let message: String

  /// Kinds of faults; the raw values are part of the JSON form and never change.
  public enum Code: String, CaseIterable, Sendable {
    // The text
    /// Neither element strings behind FNC1 nor bracketed text nor an http URI.
    case unreadable
    /// There is no element, or an element has no data.
    case empty
    /// The text is longer, or has more elements, than is read.
    case tooMany = "too-many"
    /// Element strings that do not begin with FNC1.
    case noFNC1 = "no-fnc1"
    /// No application identifier where one must be.
    case noIdentifier = "no-ai"
    /// An application identifier that GS1 has not given out.
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
    /// Not one of the values that the field may have.
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
    /// An element twice.
    case duplicate
    /// An identifier that the query must not carry.
    case attribute
    /// An identifier of the query that belongs in the path.
    case path
    /// The compressed form, which is not expanded.
    case compressed
    /// A GTIN in the path of fewer than 14 digits.
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

/// A fault in one element's data.
struct GS1Fault: Equatable, Sendable {
  let code: GS1Problem.Code
  /// What is wrong with "it", the data.
  let message: String

  init(_ code: GS1Problem.Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
