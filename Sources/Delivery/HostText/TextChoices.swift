// The operator's choices about the text of a symbology: the options found in every scanner's manual.

public import BarcodeMessage
import BarcodeTypes

/// Choices about the text of a symbology. Nil keeps the symbol's own form.
public struct TextChoices: Equatable, Sendable {
  /// The form of an EAN, UPC or ITF-14 number.
  public enum NumberForm: String, CaseIterable, Sendable {
    /// The symbology's own form.
    case own
    /// 12 digits: UPC-E expanded, EAN-13 without its leading zero.
    case upca
    /// 13 digits: UPC-A and EAN-8 padded with zeros, UPC-E expanded.
    case ean13
    /// 14 digits, padded with zeros.
    case gtin14

    /// Nil if each symbology has its own.
    var digitCount: Int? {
      switch self {
      case .own: nil
      case .upca: 12
      case .ean13: 13
      case .gtin14: 14
      }
    }
  }

  /// The treatment of an add-on.
  public enum AddOn: String, CaseIterable, Sendable {
    /// Sent after a separator.
    case separate
    /// Sent directly after the number.
    case joined
    /// Not sent.
    case remove
  }

  public var form: NumberForm?
  public var sendsLeadingZero: Bool?
  public var sendsCheckDigit: Bool?
  public var addOn: AddOn?
  public var addOnSeparator: String?
  public var sendsAIMIdentifier: Bool?
  /// The operator's name for the symbology, sent after the AIM identifier.
  public var label: String?
  /// Texts sent before and after everything else.
  public var prefix: String?
  public var suffix: String?
  public var letters: LetterCase?
  /// The text sent for FNC1 between GS1 element strings.
  public var separator: String?
  public var controlCharacters: ControlCharacterRule?

  /// The characters between a number and its add-on.
  public static let usualAddOnSeparator = " "

  public init() {}

  /// Whether every choice is open.
  public var isEmpty: Bool { self == TextChoices() }

  /// These choices, completed by others where these are open.
  func or(_ other: TextChoices) -> TextChoices {
    var choices = self
    choices.form = form ?? other.form
    choices.sendsLeadingZero = sendsLeadingZero ?? other.sendsLeadingZero
    choices.sendsCheckDigit = sendsCheckDigit ?? other.sendsCheckDigit
    choices.addOn = addOn ?? other.addOn
    choices.addOnSeparator = addOnSeparator ?? other.addOnSeparator
    choices.sendsAIMIdentifier = sendsAIMIdentifier ?? other.sendsAIMIdentifier
    choices.label = label ?? other.label
    choices.prefix = prefix ?? other.prefix
    choices.suffix = suffix ?? other.suffix
    choices.letters = letters ?? other.letters
    choices.separator = separator ?? other.separator
    choices.controlCharacters = controlCharacters ?? other.controlCharacters
    return choices
  }
}

extension TextChoices {
  /// The data of a symbol, with numbers in their chosen form: the input of rules.
  ///
  /// - Parameter isBehindAIM: whether the sink sends an AIM identifier before it. After an identifier, which may also be
  ///    chosen here, EAN and UPC have the length that it indicates.
  func data(of content: HostContent, isBehindAIM: Bool) -> HostMessage {
    guard content.isGTIN else { return HostMessage(data: content.text) }
    // The component of a GS1 Composite symbol follows the number.
    let end = content.text.utf8.firstIndex(of: 0x1D) ?? content.text.endIndex
    var linear = content
    linear.text = String(content.text[..<end])
    return number(linear, isBehindAIM || sendsAIMIdentifier == true) + HostMessage(data: String(content.text[end...]))
  }

  /// The data with all other chosen additions.
  ///
  /// - Parameter setID: the set id of the package's codes, if it is sent.
  func framed(_ data: HostMessage, of content: HostContent, setID: String?) -> HostMessage {
    var data = data
    if let controlCharacters { data.apply(controlCharacters) }
    if let separator, content.isGS1 || content.isGTIN {
      let chosen = HostMessage(chosen: separator).scalars
      data.scalars = data.scalars.flatMap { $0.isData && $0.value == 0x1D ? chosen : [$0] }
    }
    if let letters { data.apply(letters, toDataAlone: true) }
    let identifier = sendsAIMIdentifier == true ? content.aimIdentifier : ""
    let front = (prefix ?? "") + (setID ?? "") + identifier + (label ?? "")
    return HostMessage(chosen: front) + data + HostMessage(chosen: suffix ?? "")
  }

  /// The number of an EAN, UPC or ITF-14 with its add-on.
  private func number(_ content: HostContent, _ isIdentified: Bool) -> HostMessage {
    let isShort = content.symbology == .ean8
    guard
      form ?? .own != .own || sendsLeadingZero == false || sendsCheckDigit == false || addOn != nil || addOnSeparator != nil
    else {
      let text =
        isIdentified
        ? dataBehindAIMIdentifier(
          content.aimIdentifier, text: content.text, isZeroSuppressed: content.symbology == .upce) : content.text
      return HostMessage(data: text)
    }
    let parts = content.text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    let wanted = form ?? .own
    let isFilledUp = isIdentified && wanted == .own && !isShort && content.symbology != .itf14
    var main = TextChoices.digits(String(parts[0]), content.symbology, isFilledUp ? .ean13 : wanted)
    if sendsLeadingZero == false, main.first == "0" { main.removeFirst() }
    if sendsCheckDigit == false, !main.isEmpty { main.removeLast() }
    var number = HostMessage(data: main)
    guard parts.count > 1, addOn != .remove else { return number }
    if (addOn ?? .separate) == .separate, addOn != nil || addOnSeparator != nil || !isIdentified {
      number = number + HostMessage(chosen: addOnSeparator ?? TextChoices.usualAddOnSeparator)
    }
    return number + HostMessage(data: String(parts[1]))
  }

  /// The digits of a number in a form; unchanged if the number has no such form.
  private static func digits(_ own: String, _ symbology: Symbology, _ form: NumberForm) -> String {
    guard form != .own, own.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return own }
    let full = symbology == .upce ? gtin12(ofZeroSuppressed: own) ?? own : own
    let count = form.digitCount ?? own.utf8.count
    if full.utf8.count <= count {
      // An EAN-8 has no form of 12 digits.
      if symbology == .ean8, form == .upca { return own }
      return String(repeating: "0", count: count - full.utf8.count) + full
    }
    let surplus = full.prefix(full.utf8.count - count)
    return surplus.utf8.allSatisfy { $0 == UInt8(ascii: "0") } ? String(full.dropFirst(surplus.count)) : own
  }
}
