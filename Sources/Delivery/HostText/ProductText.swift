// The text of an article for a till, independent of the symbol: only its GTIN, or all elements.

import BarcodeMessage
import BarcodeTypes

/// The text format for codes that name an article.
public struct ProductText: Equatable, Sendable {
  /// The content to send.
  public enum Content: String, CaseIterable, Sendable {
    /// Only the GTIN.
    case gtin
    /// EAN, UPC and ITF-14 as GTIN; any other code as GS1 element strings, including those of a Digital Link.
    case gtinAndData = "gtin and data"
  }

  public var content: Content
  /// The form of a GTIN that is sent alone. A GTIN with too many digits uses the next longer form.
  public var form: TextChoices.NumberForm

  public init(_ content: Content, form: TextChoices.NumberForm) { (self.content, self.form) = (content, form) }

  /// The modifiers of AIM identifiers of symbols with element strings behind FNC1, by their code character (ISO/IEC 15424).
  private static let elementStringModifiers: [Character: Character] = ["C": "1", "d": "2", "Q": "3", "z": "1"]

  /// The content of a scan for the till; nil if the code is sent unchanged, or by the choices for its symbology.
  func content(of scan: HostContent) -> HostContent? {
    guard !scan.isGTIN, let gtin = scan.elements.first(where: { $0.identifier == "01" })?.value else { return nil }
    var shown = scan
    switch content {
    case .gtin: (shown.text, shown.isGS1) = (number(gtin), false)
    case .gtinAndData:
      // A code whose elements cannot form element strings, as its problems report, is sent unchanged.
      guard let message = try? GS1Message(elements: scan.elements) else { return nil }
      (shown.text, shown.isGS1) = (message.elementStrings, true)
      if let letter = scan.aimIdentifier.dropFirst().first, let modifier = Self.elementStringModifiers[letter] {
        shown.aimIdentifier = "]\(letter)\(modifier)"
      }
    }
    return shown
  }

  /// The choices for EAN, UPC and ITF-14, with defaults for open ones.
  func choices(_ choices: TextChoices) -> TextChoices {
    var choices = choices
    choices.form = choices.form ?? form
    if content == .gtin { choices.addOn = choices.addOn ?? .remove }
    return choices
  }

  /// The GTIN in the shortest form that holds it and is at least as long as the chosen one.
  private func number(_ gtin: String) -> String {
    let zeroCount = gtin.utf8.prefix { $0 == UInt8(ascii: "0") }.count
    let wanted = form.digitCount ?? gtin.utf8.count
    let count = [12, 13, 14].first { $0 >= wanted && gtin.utf8.count - zeroCount <= $0 } ?? gtin.utf8.count
    return String(gtin.suffix(count))
  }
}
