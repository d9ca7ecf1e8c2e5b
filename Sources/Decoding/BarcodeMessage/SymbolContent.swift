// Start reading here: the content of a symbol, from the decoder's bytes to the forms that people and programs use.

public import BarcodeTypes

/// The content of a symbol.
public struct SymbolContent: Equatable, Sendable {
  /// The text; an add-on follows the main symbol after a space. FNC1 between GS1 element strings is U+001D.
  public var text: String
  /// The elements of a GS1 symbol, of a GS1 Digital Link in any symbol, or the GTIN of EAN, UPC and ITF-14, with their
  /// errors; nil if the symbol contains no GS1 data.
  public var gs1: GS1Reading?
  /// Whether the symbol is marked as GS1.
  public var isGS1: Bool
  /// The element strings of a GS1 symbol as printed below it, such as `(01)09501101530003(17)140704`.
  public var humanReadable: String?
  /// The number of an Italian medicine, such as `A012345676`, if a Code 39 may be a Code 32; the text stays that of the Code 39.
  public var medicineNumber: String?
  /// The AIM symbology identifier, such as `]E0`.
  public var aimIdentifier: String
  /// The use of the text; nil for an empty text, which gives no result (behaviour N3).
  public var use: ContentUse? { ContentUse(text: text) }
  /// Whether every byte of the payload was decoded as declared; see `MessageText`.
  public var isExact: Bool

  /// Whether the text is an answer derived from the payload, which stays hidden.
  public private(set) var isConcealed = false

  /// Replaces the data of a driver licence with the answer whether its holder has reached an age; other symbols stay
  /// unchanged.
  ///
  /// - Parameter today: year, month and day; nil while no clock is set.
  public mutating func conceal(overAge age: Int, today: (year: Int, month: Int, day: Int)?) {
    guard let licence = DriverLicence(text) else { return }
    let answer = today.flatMap { licence.isOver(age, year: $0.year, month: $0.month, day: $0.day) }
    conceal(as: "over \(age): " + (answer.map { $0 ? "yes" : "no" } ?? "unknown"))
  }

  /// Replaces the text.
  public mutating func conceal(as other: String) {
    text = other
    (gs1, humanReadable, medicineNumber, isConcealed) = (nil, nil, nil, true)
  }

  /// Decodes the decoder's output.
  ///
  /// - Parameters:
  ///   - symbol: from `Workspace.symbol`.
  ///   - payload: the payload of the same symbol, from `Workspace.payload`.
  ///   - segments: the segments of the same symbol, from `Workspace.segments`.
  ///   - assumedECI: the assignment number for bytes without an ECI in the symbol; nil for the symbology's default.
  public init(
    symbol: DecodedSymbol, payload: Span<UInt8>, segments: Span<PayloadSegment>, assumedECI: UInt32? = nil
  ) {
    let unspecified = assumedECI.map { UnspecifiedBytes.eci($0) } ?? UnspecifiedBytes(of: symbol.symbology)
    let message = MessageText(payload: payload, segments: segments, unspecified: unspecified)
    text = message.text
    isExact = message.isExact
    let addOnCount = Int(symbol.addOnByteCount)
    if addOnCount > 0, addOnCount < payload.count, text.utf8.count == payload.count {
      let end = symbol.component == .read ? text.utf8.firstIndex(of: GS1Message.separator) ?? text.endIndex : text.endIndex
      text.insert(" ", at: text.utf8.index(end, offsetBy: -addOnCount))
    }
    let identifier = symbol.aimIdentifier
    aimIdentifier = "]" + String(Unicode.Scalar(identifier.code)) + String(Unicode.Scalar(identifier.modifier))
    isGS1 = symbol.isGS1
    gs1 = GS1Reading(symbology: symbol.symbology, isGS1: symbol.isGS1, text: text)
    medicineNumber = symbol.symbology == .code39 ? Code32Number.printed(text) : nil
    humanReadable =
      symbol.component == .read ? gs1?.bracketed : isGS1 ? (try? GS1Message(elementStrings: text))?.humanReadable : nil
  }
}

extension GS1Reading {
  /// Reads the GS1 data of a symbol: element strings if it is marked as GS1, else a GTIN or a Digital Link; nil if it has no
  /// GS1 data.
  ///
  /// - Parameter text: the text of `SymbolContent`. Behind U+001D, the text of an EAN or UPC has the element strings of the
  ///   component above it.
  public init?(symbology: Symbology, isGS1: Bool, text: String) {
    if isGS1 {
      self.init(elementStrings: text)
      return
    }
    if symbology.isRetail, let end = text.utf8.firstIndex(of: GS1Message.separator) {
      guard let linear = GS1Reading(symbology: symbology, isGS1: false, text: String(text[..<end])) else { return nil }
      self.init(linear: linear, composite: GS1Reading(elementStrings: String(text[end...].dropFirst())))
      return
    }
    let number: Substring
    switch symbology {
    case .ean13, .ean8, .upca: number = text.prefix { $0 != " " }
    case .upce: number = unsuppressedGTIN12(text.prefix { $0 != " " }).map { $0[...] } ?? text[...]
    case .itf14: number = text[...]
    case .itf:
      // Any 14 digits may be an ITF; those with a GTIN's check digit are an ITF-14.
      guard text.utf8.count == 14, GS1Linter.csum.fault(Array(text.utf8)[...]) == nil else { return nil }
      number = text[...]
    default:
      self.init(digitalLink: text)
      guard isConvincingLink else { return nil }
      return
    }
    guard [8, 12, 13, 14].contains(number.utf8.count), number.utf8.allSatisfy(GS1Rule.isDigit) else { return nil }
    self.init(gtin: number)
  }

  /// Whether a web address is certainly a Digital Link: the data of its key have no error except a wrong check digit. Any
  /// other address may contain /00/ in its path.
  private var isConvincingLink: Bool {
    guard let key = elements.first, let rule = GS1Rule.rule(key.identifier) else { return false }
    return rule.faults(Array(key.value.utf8)[...]).allSatisfy { $0.code == .checkDigit || $0.code == .checkPair }
  }
}
