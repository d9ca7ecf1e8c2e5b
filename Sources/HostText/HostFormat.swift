// Start reading here: from the content of a scan to the text that each host gets. Every sink's text is made here and nowhere else.

public import BarcodeMessage
public import BarcodeTypes

/// A scan as its text is made from it.
public struct HostContent: Equatable, Sendable {
  public var symbology: Symbology
  /// Such as `]E0`.
  public var aimIdentifier: String
  /// As `SymbolContent` has it.
  public var text: String
  /// Whether U+001D in the text is FNC1.
  public var isGS1: Bool

  public init(symbology: Symbology, aimIdentifier: String, text: String, isGS1: Bool = false) {
    self.symbology = symbology
    self.aimIdentifier = aimIdentifier
    self.text = text
    self.isGS1 = isGS1
  }

  /// Whether the text is the number of an article, with an add-on or without.
  var isGTIN: Bool { HostContent.gtinSymbologies.contains(symbology) }

  /// The symbologies whose text is the number of an article.
  public static let gtinSymbologies: SymbologySet = [.ean13, .ean8, .upca, .upce, .itf14]
  /// Those that may have an add-on.
  public static let addOnSymbologies: SymbologySet = [.ean13, .ean8, .upca, .upce]
}

/// A sink as far as its text depends on it.
public struct HostSink: Equatable, Sendable {
  public var name: String
  /// What becomes of control characters of the data.
  public var controlCharacters: ControlCharacterRule
  /// Whether the sink sends the AIM identifier before the text.
  public var sendsAIMIdentifier: Bool

  public init(name: String, controlCharacters: ControlCharacterRule = .send, sendsAIMIdentifier: Bool = false) {
    self.name = name
    self.controlCharacters = controlCharacters
    self.sendsAIMIdentifier = sendsAIMIdentifier
  }
}

/// What hosts get for a scan.
public struct HostTexts: Equatable, Sendable {
  /// The text for every sink that has none of its own; nil: that of the symbol, unchanged.
  public var text: String?
  /// Texts by the sink's name, where they differ.
  public var bySink: [String: String] = [:]

  public init() {}
}

/// How hosts want their text.
public struct HostFormat: Equatable, Sendable {
  /// Choices for all symbologies.
  public var choices = TextChoices()
  /// Choices by symbology; they come before those for all.
  public var choicesBySymbology: [Symbology: TextChoices] = [:]

  public init() {}

  /// Whether texts may differ from those of the symbols.
  public var changesTexts: Bool { allChoices.contains { !$0.isEmpty } }

  private var allChoices: [TextChoices] { [choices] + choicesBySymbology.values }

  /// Whether AIM identifiers are sent with any symbology.
  public var sendsAIMIdentifiers: Bool { allChoices.contains { $0.sendsAIMIdentifier == true } }

  /// Every text of the operator's that is sent with data.
  public var operatorsTexts: [String] {
    allChoices.flatMap { [$0.addOnSeparator, $0.label, $0.prefix, $0.suffix, $0.separator].compactMap { $0 } }
  }

  /// What holds for a symbology.
  public func choices(for symbology: Symbology) -> TextChoices {
    (choicesBySymbology[symbology] ?? TextChoices()).or(choices)
  }

  /// The texts of a scan for sinks.
  public func texts(of content: HostContent, for sinks: [HostSink]) -> HostTexts {
    var texts = HostTexts()
    let choices = choices(for: content.symbology)
    guard !choices.isEmpty else { return texts }
    let message = choices.message(of: content, isBehindAIM: false)
    guard !message.isPlain(content.text) else { return texts }
    let text = message.text()
    texts.text = text
    for sink in sinks {
      let own = sink.sendsAIMIdentifier ? choices.message(of: content, isBehindAIM: true) : message
      let ownText = own.text(sink.controlCharacters)
      if ownText != text { texts.bySink[sink.name] = ownText }
    }
    return texts
  }
}
