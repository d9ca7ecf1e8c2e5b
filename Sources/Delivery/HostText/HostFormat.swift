// Start reading here: from the content of a scan to the text for each host. All sinks' texts are made here and nowhere else.

public import BarcodeMessage
public import BarcodeTypes

/// A scan as the source of its text.
public struct HostContent: Equatable, Sendable {
  public var symbology: Symbology
  /// Such as `]E0`.
  public var aimIdentifier: String
  /// The text of `SymbolContent`.
  public var text: String
  /// Whether U+001D in the text is FNC1.
  public var isGS1: Bool
  /// GS1 elements, including those of a GTIN or a Digital Link.
  public var elements: [GS1Element]
  /// Fields of a driver licence or of an ISO/IEC 15434 label.
  public var fields: [MessageField]
  /// Set id of the package that carries the code, eight digits; nil unless all codes of a package are sent.
  public var setID: String?

  public init(
    symbology: Symbology, aimIdentifier: String, text: String, isGS1: Bool = false, elements: [GS1Element] = [],
    fields: [MessageField] = []
  ) {
    self.symbology = symbology
    self.aimIdentifier = aimIdentifier
    self.text = text
    self.isGS1 = isGS1
    self.elements = elements
    self.fields = fields
  }

  /// Whether the text is an article number, with or without an add-on.
  var isGTIN: Bool { HostContent.gtinSymbologies.contains(symbology) }

  /// The symbologies whose text is an article number.
  public static let gtinSymbologies: SymbologySet = [.ean13, .ean8, .upca, .upce, .itf14]
  /// The symbologies that may have an add-on.
  public static let addOnSymbologies = SymbologySet { $0.isRetail }
}

/// The settings of a sink that affect its text.
public struct HostSink: Equatable, Sendable {
  public var name: String
  /// The treatment of control characters in the data.
  public var controlCharacters: ControlCharacterRule
  /// Whether the sink sends the AIM identifier before the text.
  public var sendsAIMIdentifier: Bool
  /// Whether the sink accepts whole records; otherwise only text.
  public var takesRecords: Bool

  public init(
    name: String, controlCharacters: ControlCharacterRule = .send, sendsAIMIdentifier: Bool = false,
    takesRecords: Bool = true
  ) {
    self.name = name
    self.takesRecords = takesRecords
    self.controlCharacters = controlCharacters
    self.sendsAIMIdentifier = sendsAIMIdentifier
  }
}

/// The texts of a scan for all hosts.
public struct HostTexts: Equatable, Sendable {
  /// The text for every sink without an entry in `bySink`; nil: the symbol's text, unchanged.
  public var text: String?
  /// The texts of sinks with a different text, by the sink's name.
  public var bySink: [String: String] = [:]
  /// The sinks that get the scan; nil: all.
  public var sinks: [String]?
  /// The rule that dropped the scan; nil if any sink gets it.
  public var dropper: String?
  /// Flags that rules set, in order.
  public var flags: [String] = []
  /// The rules that matched, in order.
  public var matchedRules: [String] = []
  /// Whether the scan exceeded the rules' budget; no rule then took effect.
  public var isOverBudget = false

  public init() {}
}

/// The configured text format for hosts.
public struct HostFormat: Equatable, Sendable {
  /// Choices for all symbologies.
  public var choices = TextChoices()
  /// Choices by symbology; they take precedence over those for all.
  public var choicesBySymbology: [Symbology: TextChoices] = [:]
  /// The rules, in order.
  public var rules: [Rule] = []
  /// Sets of codes that form one message.
  public var sets: [ScanSet] = []
  /// The comparison of scans; nil: none.
  public var comparison: Comparison?
  /// The text of codes that name an article; nil: the code unchanged.
  public var product: ProductText?
  /// Whether each code is preceded by its package's set id.
  public var sendsSetID = false

  public init() {}

  private var allChoices: [TextChoices] { [choices] + choicesBySymbology.values }

  /// Whether texts may differ from the symbols' texts.
  public var changesTexts: Bool {
    allChoices.contains { !$0.isEmpty } || rules.contains { $0.actions.rewrite != nil } || !sets.isEmpty
      || product != nil || sendsSetID
  }

  /// Whether AIM identifiers are sent for any symbology.
  public var sendsAIMIdentifiers: Bool { allChoices.contains { $0.sendsAIMIdentifier == true } }

  /// Whether a text of the operator that is sent with data contains a character.
  public func writes(_ scalar: Unicode.Scalar) -> Bool {
    allChoices.contains { choices in
      [choices.addOnSeparator, choices.label, choices.prefix, choices.suffix, choices.separator].contains {
        $0?.unicodeScalars.contains(scalar) == true
      }
    } || rules.contains { $0.actions.rewrite?.writes(scalar) == true }
      || sets.contains { $0.separator.unicodeScalars.contains(scalar) }
  }

  /// The choices that apply to a symbology.
  public func choices(for symbology: Symbology) -> TextChoices {
    (choicesBySymbology[symbology] ?? TextChoices()).or(choices)
  }

  /// The texts of a scan for sinks.
  public func texts(of content: HostContent, for sinks: [HostSink], at moment: RuleMoment) -> HostTexts {
    var steps: [RuleStep]?
    return texts(of: content, for: sinks, at: moment, steps: &steps)
  }

  /// The texts of a scan for sinks.
  ///
  /// - Parameter steps: receives the effect of each rule on the scan, unless it is nil.
  public func texts(
    of scan: HostContent, for sinks: [HostSink], at moment: RuleMoment, steps: inout [RuleStep]?
  ) -> HostTexts {
    var choices = choices(for: scan.symbology)
    if let product, scan.isGTIN { choices = product.choices(choices) }
    let shown = product?.content(of: scan)
    let content = shown ?? scan
    guard !choices.isEmpty || !rules.isEmpty || shown != nil || sendsSetID && scan.setID != nil else { return HostTexts() }
    var budget = RuleBudget()
    let texts = texts(of: content, symbolText: scan.text, choices, rules, for: sinks, at: moment, &budget, &steps)
    guard budget.isExhausted else { return texts }
    // Applying only some of the rules may be worse than applying none: the scan is sent as it would be without rules.
    var unused: [RuleStep]?
    var plain = self.texts(of: content, symbolText: scan.text, choices, [], for: sinks, at: moment, &budget, &unused)
    plain.isOverBudget = true
    return plain
  }

  private func texts(
    of content: HostContent, symbolText: String, _ choices: TextChoices, _ rules: [Rule], for sinks: [HostSink],
    at moment: RuleMoment,
    _ budget: inout RuleBudget, _ steps: inout [RuleStep]?
  ) -> HostTexts {
    let data = choices.data(of: content, isBehindAIM: false)
    // One run for all sinks that no rule names, and one per named sink.
    let named = Set(rules.flatMap(\.conditions.sinks))
    let common = rules.run(data, of: content, for: nil, at: moment, &budget, &steps)
    var runs: [String: RuleRun] = [:]
    for sink in sinks where named.contains(sink.name) && !budget.isExhausted {
      runs[sink.name] = rules.run(data, of: content, for: sink.name, at: moment, &budget, &steps)
    }
    func message(_ sink: HostSink?) -> HostMessage {
      let run = sink.flatMap { runs[$0.name] } ?? common
      let own =
        sink?.sendsAIMIdentifier == true && !run.isRewritten ? choices.data(of: content, isBehindAIM: true) : run.message
      return choices.framed(own, of: content, setID: sendsSetID ? content.setID : nil)
    }
    var texts = HostTexts()
    let usual = message(nil)
    // The text of a set's part is stored for every sink: it becomes a piece of another text.
    let isPart = sets.contains { set in
      set.parts.contains { flag in ([common] + runs.values).contains { $0.flags.contains(flag) } }
    }
    let isPlain = !isPart && usual.isPlain(symbolText)
    if !isPlain || runs.values.contains(where: \.isRewritten) {
      let text = usual.text()
      texts.text = isPlain ? nil : text
      for sink in sinks {
        let own = message(sink)
        let ownText = own.text(sink.controlCharacters)
        // A sink that gets the symbol's own text formats it itself.
        if own.isPlain(symbolText) && isPlain { continue }
        if ownText != text { texts.bySink[sink.name] = ownText }
      }
    }
    let all = [common] + sinks.compactMap { runs[$0.name] }
    texts.flags = all.flatMap(\.flags).reduce(into: []) { flags, flag in if !flags.contains(flag) { flags.append(flag) } }
    let matched = all.reduce(into: Set<Int>()) { $0.formUnion($1.matched) }
    texts.matchedRules = matched.sorted().map { rules[$0].name }
    let receivers = sinks.map(\.name).filter { name in
      let run = runs[name] ?? common
      return run.dropper == nil && run.sinks?.contains(name) != false
    }
    if receivers.count < sinks.count { texts.sinks = receivers }
    if receivers.isEmpty, let dropper = all.compactMap(\.dropper).first { texts.dropper = dropper }
    return texts
  }
}
