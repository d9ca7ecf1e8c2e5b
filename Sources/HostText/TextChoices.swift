// What an operator can choose about the text of a symbology: the options of every scanner's manual.

public import BarcodeMessage
import BarcodeTypes

/// Choices about the text of a symbology. What is nil is as the symbol has it.
public struct TextChoices: Equatable, Sendable {
  /// The form of an EAN, UPC or ITF-14 number.
  public enum NumberForm: String, CaseIterable, Sendable {
    /// The symbology's own.
    case own
    /// 12 digits: UPC-E expanded, EAN-13 without its leading zero.
    case upca
    /// 13 digits: UPC-A and EAN-8 filled up with zeros, UPC-E expanded.
    case ean13
    /// 14 digits, filled up with zeros.
    case gtin14

    /// nil where each symbology has its own.
    var digitCount: Int? {
      switch self {
      case .own: nil
      case .upca: 12
      case .ean13: 13
      case .gtin14: 14
      }
    }
  }

  /// What becomes of an add-on.
  public enum AddOn: String, CaseIterable, Sendable {
    /// Sent behind the separator.
    case separate
    /// Sent right behind the number.
    case joined
    /// Left out.
    case remove
  }

  public var form: NumberForm?
  public var sendsLeadingZero: Bool?
  public var sendsCheckDigit: Bool?
  public var addOn: AddOn?
  public var addOnSeparator: String?
  public var sendsAIMIdentifier: Bool?
  /// The operator's own name of the symbology, behind the AIM identifier.
  public var label: String?
  /// What is sent before and behind everything else.
  public var prefix: String?
  public var suffix: String?
  public var letters: LetterCase?
  /// What is sent for FNC1 between GS1 element strings.
  public var separator: String?
  public var controlCharacters: ControlCharacterRule?

  /// The characters between a number and its add-on.
  static let usualAddOnSeparator = " "

  public init() {}

  /// Whether nothing is chosen.
  public var isEmpty: Bool { self == TextChoices() }

  /// These, and others where these choose nothing.
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
  /// The data of a symbol, numbers in their chosen form: what rules see.
  ///
  /// - Parameter isBehindAIM: whether the sink sends an AIM identifier before it. Behind one, which may also be chosen here, EAN and
  ///   UPC are as long as it says.
  func data(of content: HostContent, isBehindAIM: Bool) -> HostMessage {
    content.isGTIN ? number(content, isBehindAIM || sendsAIMIdentifier == true) : HostMessage(data: content.text)
  }

  /// The data with everything else that is chosen.
  ///
  /// - Parameter setID: the id of the codes of a package, where it is sent.
  func framed(_ data: HostMessage, of content: HostContent, setID: String?) -> HostMessage {
    var data = data
    if let controlCharacters { data.apply(controlCharacters) }
    if let separator, content.isGS1 {
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

  /// The digits of a number in a form; as they are where the number has no such form.
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
