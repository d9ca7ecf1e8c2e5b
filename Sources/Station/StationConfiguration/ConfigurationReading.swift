// Looks up keys in the environment, then the changes of set-up codes, then the file, then the defaults, and collects every error
// on the way.

import BarcodeMessage
import BarcodeTypes
import Configuration
import DeliveryModel
import Devices
import Glibc
import HostText
import ScanControl
import ScanScreen

/// One reading of a configuration.
struct ConfigurationReading {
  /// The prefix of environment variables that override keys.
  static let variablePrefix = "RETICLE_"
  /// The list of sinks.
  static let sinksName = "sinks"
  /// The list of rules.
  static let rulesName = "rules"
  /// The list of sets.
  static let setsName = "sets"

  /// The file, with the overlay's values instead of its own.
  let file: ConfigurationFile
  /// The changes of set-up codes.
  let overlay: SetupOverlay
  private let reader: ConfigReader
  let environment: [String: String]
  private(set) var problems: [ConfigurationProblem]
  /// The keys that name GPIO lines, by line.
  private var lineOwners: [String: String] = [:]
  /// Every value that was looked up, in order.
  private(set) var effective: [EffectiveValue] = []
  /// Keys and sections that their reader has already handled: nothing more is reported about them.
  private var takenOver: Set<String> = []

  /// - Parameter fileLayer: the provider whose snapshot is `file`.
  init(
    file: ConfigurationFile, fileLayer: any ConfigProvider, environment: [String: String],
    overlay: SetupOverlay = SetupOverlay()
  ) {
    self.file = file.overlaid(by: overlay)
    self.overlay = overlay
    self.environment = environment
    problems = file.problems
    let variables = EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: ["reticle"])
    reader = ConfigReader(providers: [variables, overlay.provider, fileLayer])
  }

  mutating func report(_ message: String, at place: ConfigurationProblem.Place? = nil) {
    problems.append(ConfigurationProblem(message, at: place))
  }

  // MARK: Looking up

  /// Where the value of a key is written; nil if it is not.
  func place(of name: String) -> ConfigurationProblem.Place? {
    let variable = Self.variable(for: name)
    if environment[variable] != nil { return .variable(variable) }
    return (file.entries[name]?.line ?? file.sections[name]).map { Self.place(line: $0) }
  }

  private static func place(line: Int) -> ConfigurationProblem.Place {
    line == ConfigurationFile.overlayLine ? .setupCode : .line(line)
  }

  /// Where a key is written in an item of the sinks list, in a section of any kind.
  func place(of word: String, inItem item: String) -> ConfigurationProblem.Place? {
    SinkKind.all.lazy.compactMap { place(of: "\(item).\($0.word).\(word)") }.first
  }

  func isWritten(_ name: String) -> Bool {
    environment[Self.variable(for: name)] != nil || file.entries[name] != nil
  }

  /// Whether the file has a key or section with this name.
  func isThere(_ name: String) -> Bool { isWritten(name) || file.sections[name] != nil }

  /// Missing keys with their reports, which are dropped if one of the names turns out to be misspelt.
  private var missing: [(names: Set<String>, problem: ConfigurationProblem)] = []
  /// Known keys that a misspelt one probably means.
  private var misspelt: Set<String> = []

  mutating func takeOver(_ name: String) { takenOver.insert(name) }

  /// The items of a list of sections, such as `sinks.0`, in order.
  func places(in list: String) -> [String] {
    var places: [String] = []
    while file.entries["\(list).\(places.count)"] != nil || file.sections["\(list).\(places.count)"] != nil {
      places.append("\(list).\(places.count)")
    }
    return places
  }

  /// The freely chosen names in a section, sorted.
  func names(in section: String) -> [String] {
    file.entries.keys.filter { $0.hasPrefix(section + ".") }.map { String($0.dropFirst(section.count + 1)) }.sorted()
  }

  /// The environment variable of a key: `RETICLE_CAMERA_FRAME_RATE` for `camera.frame_rate`.
  static func variable(for name: String) -> String {
    variablePrefix + name.uppercased().map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
  }

  /// The written value of a key, or its default; nil if there is neither, or the key has no value.
  private mutating func text(_ key: ConfigurationKey, _ name: String) -> String? {
    let written = reader.string(forKey: ConfigKey(name))
    if written == nil, isWritten(name) {
      report("\(name) has no value; it must be \(key.kind.expectation)", at: place(of: name))
    }
    let text = written ?? (key.fallback.isEmpty ? nil : key.fallback)
    note(key, name, text ?? "", isWritten: written != nil)
    return text
  }

  private mutating func note(_ key: ConfigurationKey, _ name: String, _ value: String, isWritten: Bool) {
    effective.append(
      EffectiveValue(name: name, shownValue: key.shown(value), place: isWritten ? place(of: name) : nil))
  }

  mutating func texts(_ key: ConfigurationKey, _ name: String) -> [String] {
    let written = isWritten(name) ? reader.stringArray(forKey: ConfigKey(name)) : nil
    if written == nil, isWritten(name) {
      report("\(name) has no value; it must be \(key.kind.expectation)", at: place(of: name))
    }
    var texts = (written ?? key.fallback.split(separator: ",").map(String.init)).map { String($0.drop { $0 == " " }) }
    // A variable may contain a list in brackets, like the file's.
    if case .variable = place(of: name), texts.first?.first == "[", texts.last?.last == "]" {
      texts[0].removeFirst()
      texts[texts.count - 1].removeLast()
    }
    note(key, name, "[" + texts.joined(separator: ", ") + "]", isWritten: written != nil)
    return texts
  }

  /// Reports an invalid value, without secrets in it.
  mutating func refuse(_ key: ConfigurationKey, _ name: String, _ text: String) {
    let text = key.shown(text)
    let shown = text.count > 80 ? text.prefix(80) + "…" : text[...]
    report("\(name) is \"\(shown)\"; it must be \(key.kind.expectation)", at: place(of: name))
  }

  /// The value of a key: the written one if it is valid, else the default. Nil if there is no default.
  mutating func value<Value>(
    _ key: ConfigurationKey, _ name: String, _ parse: (String) -> Value?
  ) -> Value? {
    guard let text = text(key, name) else { return nil }
    if let value = parse(text) { return value }
    refuse(key, name, text)
    return key.fallback.isEmpty ? nil : parse(key.fallback)
  }

  /// Notes that a required key is missing. `reportUnknownKeys` reports it, unless the key is present but misspelt.
  ///
  /// - Parameter other: a key that would make this one unnecessary, if it is present but misspelt.
  mutating func noteMissing(_ name: String, _ expectation: String, unlessMisspelt other: String? = nil) {
    let section = name.split(separator: ".").dropLast().joined(separator: ".")
    let problem = ConfigurationProblem("\(name) is missing; it must be \(expectation)", at: place(of: section))
    missing.append((Set([name, other].compactMap { $0 }), problem))
  }

  /// Notes the key that uses a GPIO line; reports a line that another key uses, too.
  mutating func claim(_ line: LineAddress, for name: String) {
    if let owner = lineOwners.updateValue(name, forKey: line.description) {
      report("\(name) is \(line), and so is \(owner); give each a line of its own", at: place(of: name))
    }
  }

  // MARK: Set-up codes

  /// Reports values of the overlay that may not be there, and those that nothing reads, such as a sink's that is gone.
  mutating func reportUselessOverlay(_ setup: SetupSettings) {
    let read = Set(effective.map(\.name))
    for name in overlay.values.keys.sorted() where ConfigurationKey.named(name) != nil {
      if !setup.allows(name) {
        report("\(name) is not in setup.allow; add it there", at: .setupCode)
      } else if !read.contains(name) {
        report("\(name) has no effect in this configuration", at: .setupCode)
      }
    }
  }

  // MARK: Unknown keys

  /// Reports every unknown key of the file, and then the missing keys, except those that are misspelt.
  mutating func reportUnknownKeys(known: [ConfigurationKey]) {
    let names = known.map(\.name)
    for (written, entry) in file.entries where !isKnown(Self.pattern(of: written), names) && !isDealtWith(written, names) {
      reportUnknown(written, names, at: Self.place(line: entry.line))
    }
    for (written, line) in file.sections
    where !written.isEmpty && !takenOver.contains(written) && !isSection(Self.pattern(of: written), names) {
      // A section below an unknown one is reported through its keys; a section instead of a value is reported here.
      if isKnown(Self.pattern(of: written), names) {
        report("\(written) is a section; it must be one value", at: Self.place(line: line))
      } else if !file.entries.keys.contains(where: { $0.hasPrefix(written + ".") }) {
        reportUnknown(written, names, at: Self.place(line: line))
      }
    }
    problems += missing.filter { misspelt.isDisjoint(with: $0.names) }.map(\.problem)
    missing = []
  }

  /// Reports environment variables whose names resemble one that overrides a key, and which therefore have no effect.
  mutating func reportUnknownVariables(known: [ConfigurationKey]) {
    let variables = known.flatMap { HostTextReading.names(of: $0) }.map { Self.variable(for: $0) }
    for name in environment.keys.sorted() where name.hasPrefix(Self.variablePrefix) {
      // A position in a list: RETICLE_SINKS_0_NAME for sinks[].name.
      let general = name.replacing(/_[0-9]+_/, with: "___")
      if variables.contains(general) || general.hasPrefix(Self.variable(for: "sinks[].webhook.headers.")) { continue }
      guard let near = nearest(to: general, among: variables, distanceMax: 2) else { continue }
      report("no key is overridden by this variable; did you mean \(near)?", at: .variable(name))
    }
  }

  private mutating func reportUnknown(_ written: String, _ names: [String], at place: ConfigurationProblem.Place) {
    if isSection(Self.pattern(of: written), names) {
      let example = names.first { $0.hasPrefix(Self.pattern(of: written) + ".") } ?? written
      guard file.entries[written]?.value != .nothing else { return }
      return report(
        "\(written) is a section; write its keys below it, such as \(withSymbology(example, of: written))", at: place)
    }
    let (near, others) = suggestions(for: Self.pattern(of: written), names)
    if let near {
      let name = named(near, inPlacesOf: written)
      misspelt.insert(name)
      return report("\(written) is not a key; did you mean \(name)?", at: place)
    }
    let section = written.split(separator: ".").dropLast().joined(separator: ".")
    let remedy = others.isEmpty ? "" : "; \(section) has \(others.joined(separator: ", "))"
    report("\(written) is not a key" + remedy, at: place)
  }

  /// The most keys of a section that are listed if none of them resembles the written one.
  private static let listedKeyCountMax = 8

  /// The key that was probably meant; otherwise, in a known section, the words allowed there.
  private func suggestions(for pattern: String, _ names: [String]) -> (near: String?, others: [String]) {
    let parts = pattern.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let section = parts.dropLast().joined(separator: ".")
    guard parts.count > 1, isSection(section, names) else { return (nearest(to: pattern, among: names), []) }
    // The section is known, so only the last word counts.
    var words: [String] = []
    for name in names where name.hasPrefix(section + ".") {
      let word = String(name.dropFirst(section.count + 1).prefix { $0 != "." })
      if !words.contains(word) { words.append(word) }
    }
    let keys = words.filter { names.contains("\(section).\($0)") }
    let near = nearest(to: parts.last ?? "", among: keys)
    return (near.map { "\(section).\($0)" }, words.count <= Self.listedKeyCountMax ? words : [])
  }

  /// Replaces positions in lists by `[]`: `sinks.0.webhook.url` becomes `sinks[].webhook.url`.
  static func pattern(of written: String) -> String {
    var parts: [String] = []
    for part in written.split(separator: ".", omittingEmptySubsequences: false) {
      if part.allSatisfy(\.isNumber), let last = parts.popLast() {
        parts.append(last + "[]")
      } else if parts == [HostTextReading.section], HostTextReading.isSymbology(part) {
        parts.append(ConfigurationKey.symbologyPlace)
      } else {
        parts.append(String(part))
      }
    }
    return parts.joined(separator: ".")
  }

  /// The reverse: `sinks[].webhook.url` with the positions of `sinks.0.webhook.uri` is `sinks.0.webhook.url`.
  private func named(_ pattern: String, inPlacesOf written: String) -> String {
    var name = pattern
    for place in written.split(separator: ".") where place.allSatisfy(\.isNumber) {
      if let list = name.firstRange(of: "[]") { name.replaceSubrange(list, with: ".\(place)") }
    }
    return withSymbology(name, of: written)
  }

  /// A name with the symbology used in another name.
  private func withSymbology(_ pattern: String, of written: String) -> String {
    let symbology = written.split(separator: ".").dropFirst().first ?? ""
    return pattern.replacing(ConfigurationKey.symbologyPlace, with: symbology)
  }

  private func isKnown(_ pattern: String, _ names: [String]) -> Bool { names.contains { Self.isName(pattern, of: $0) } }

  /// Whether a pattern is the name of a key, which may end in any name.
  static func isName(_ pattern: String, of key: String) -> Bool {
    guard key.hasSuffix(".<name>") else { return key == pattern }
    let stem = key.dropLast("<name>".count)
    return pattern.hasPrefix(stem) && pattern.count > stem.count
  }

  /// Whether the key or a section around it was already reported: handled by its reader, or a key that takes a single value.
  private func isDealtWith(_ written: String, _ names: [String]) -> Bool {
    let parts = written.split(separator: ".")
    return (1...max(1, parts.count)).contains { count in
      let around = parts.prefix(count).joined(separator: ".")
      return takenOver.contains(around) || (count < parts.count && names.contains(Self.pattern(of: around)))
    }
  }

  /// Whether known keys exist below it.
  private func isSection(_ pattern: String, _ names: [String]) -> Bool {
    names.contains { $0.hasPrefix(pattern + ".") || $0.hasPrefix(pattern + "[]") }
  }
}

/// The value of a key after looking in the environment, the changes of set-up codes, the file and the defaults, in that order.
public struct EffectiveValue: Equatable, Sendable, CustomStringConvertible {
  /// The key's full name, with positions in lists as numbers: `sinks.0.webhook.url`.
  public var name: String
  /// The value as it would be written, without secrets; empty without a value.
  public var shownValue: String
  /// Where it is written; nil for a default.
  public var place: ConfigurationProblem.Place?

  /// The value's origin, in words.
  public var origin: String {
    switch place {
    case .line(let line): "line \(line)"
    case .setupCode: "set-up code"
    case .variable(let name): name
    case nil: "default"
    }
  }

  /// A line such as `camera.frame_rate: 10  # default`.
  public var description: String { TerminalText.quoting("\(name): \(shownValue)  # \(origin)") }
}
