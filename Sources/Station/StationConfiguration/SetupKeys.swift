// The keys of set-up by barcode, and what a set-up code may change. Off by default: without a public key, a set-up code is a
// scan like any other.

public import SetupCodes

extension ConfigurationKey {
  /// The key of a written name, such as `sinks[].serial.baud` for `sinks.0.serial.baud`; nil for other names.
  static func named(_ written: String) -> ConfigurationKey? {
    let pattern = ConfigurationReading.pattern(of: written)
    return all.first { ConfigurationReading.isName(pattern, of: $0.name) }
  }

  /// Whether no set-up code may change the key, even if it is listed: a code could then extend its own rights, or make the
  /// station read or write other files, or show a secret to everyone who sees it.
  var isBarredFromSetup: Bool {
    switch kind {
    case .path, .paths: true
    default: isSecret || name.hasPrefix("setup.")
    }
  }

  /// Sections whose keys a set-up code may change only if they are listed by their full names: they determine where scans go
  /// and who sees them.
  static let sectionsListedByKey = ["sinks", "outbox", "console", "pictures", "log", "licence"]
}

/// The settings of set-up by barcode.
public struct SetupSettings: Equatable, Sendable {
  /// The most public keys: the present one, the next one, and a spare pair.
  static let publicKeyCountMax = 4

  /// The keys that may sign, as they are written.
  private var publicKeyTexts: [String] = []
  /// The keys that may sign; empty if set-up by barcode is off.
  public var publicKeys: [SetupPublicKey] = []
  /// The keys and sections that may be changed.
  public var allowed: [String] = []
  /// The files that the station keeps.
  public var files = SetupFiles(outbox: "")
  /// The changes in effect.
  public var overlay = SetupOverlay()

  static let keys = KeySection(
    "setup", SetupSettings(),
    [
      Field(
        "public_keys", \.publicKeyTexts, .texts(44),
        "Turns on set-up by barcode: the public keys, as `reticle config code --new-key` prints them, of those whose "
          + "set-up codes may change this configuration."),
      Field(
        "allow", \.allowed, .texts(128),
        "The keys and sections that set-up codes may change, such as [repeat.absence, vote, text.qr]; nothing else is "
          + "changed."),
    ])

  public init() {}

  public var isEnabled: Bool { !publicKeys.isEmpty }

  /// Whether a code may change a key.
  public func allows(_ name: String) -> Bool {
    guard let key = ConfigurationKey.named(name), !key.isBarredFromSetup else { return false }
    return allowed.contains { $0 == name || name.hasPrefix($0 + ".") }
  }

  /// - Parameter outbox: the path of the outbox, beside which the station keeps its files.
  init(_ reading: inout ConfigurationReading, outbox: String) {
    files = SetupFiles(outbox: outbox)
    overlay = reading.overlay
    let (keys, allow) = ("setup.public_keys", "setup.allow")
    Self.keys.read(&reading, into: &self)
    let texts = publicKeyTexts
    for text in texts {
      guard let key = SetupPublicKey(text) else {
        reading.report(
          "\(keys) holds \"\(text)\", which is no public key; `reticle config code --new-key FILE` makes a pair of keys and "
            + "prints the public one", at: reading.place(of: keys))
        continue
      }
      publicKeys.append(key)
    }
    if texts.count > Self.publicKeyCountMax {
      reading.report(
        "\(keys) holds \(texts.count) keys; at most \(Self.publicKeyCountMax) are accepted", at: reading.place(of: keys))
    }
    for name in allowed { reportUnlistable(name, &reading) }
    if !texts.isEmpty, allowed.isEmpty {
      reading.report(
        "\(keys) has no effect without \(allow); list the keys that set-up codes may change, such as [repeat.absence]",
        at: reading.place(of: keys))
    }
    if texts.isEmpty, !allowed.isEmpty {
      reading.report(
        "\(allow) has no effect without \(keys); add the public key of those who make set-up codes, or take it out",
        at: reading.place(of: allow))
    }
  }

  /// The sections and keys that are not positions in lists.
  private static var listableNames: [String] {
    let names = ConfigurationKey.all.map(\.name).filter { !$0.contains("[") && !$0.contains("<") }
    return Set(names.map { String($0.prefix { $0 != "." }) }).sorted() + names
  }

  /// Reports an entry of `setup.allow` that names nothing that a code may change.
  private func reportUnlistable(_ name: String, _ reading: inout ConfigurationReading) {
    let allow = "setup.allow"
    let place = reading.place(of: allow)
    if let key = ConfigurationKey.named(name) {
      guard key.isBarredFromSetup else { return }
      return reading.report(
        "\(allow) names \(name), which no set-up code may change: it names a file, holds a secret, or belongs to setup; take it "
          + "out", at: place)
    }
    let section = String(name.prefix { $0 != "." })
    let pattern = ConfigurationReading.pattern(of: name)
    guard ConfigurationKey.all.contains(where: { $0.name.hasPrefix(pattern + ".") || $0.name.hasPrefix(pattern + "[]") })
    else {
      let near = nearest(to: name, among: Self.listableNames)
      return reading.report(
        "\(allow) names \(name), which is no key and no section"
          + (near.map { "; did you mean \($0)?" } ?? ""), at: place)
    }
    if section == "setup" {
      reading.report("\(allow) names setup, which no set-up code may change; take it out", at: place)
    } else if ConfigurationKey.sectionsListedByKey.contains(section) {
      reading.report(
        "\(allow) names \(name), whose keys determine where scans go and who sees them; list each key by its full name, such as "
          + "sinks.0.serial.prefix", at: place)
    }
  }
}
