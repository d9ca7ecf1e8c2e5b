// Codes that belong together by the flags that rules set on them: sets, which form one message, and match codes, with which scans
// are compared.

import HostText

extension ScanSet {
  static let keys = KeySection(
    "sets[]", ScanSet(name: "", parts: []),
    [
      Field("name", \.name, .text(64), "The set's name in records and logs. Default: its position."),
      Field(
        "parts", \.parts, .texts(32),
        "The flag of each code, set by rules, such as [product, serial]; a repeated flag requires that many codes."),
      Field("order", \.order, .choice, "The order of the texts: as in parts, as scanned, or by position in the picture."),
      Field("separator", \.separator, .bytes(TextChoices.textByteCountMax), "The separator between the texts of the codes."),
      Field(
        "match", \.mustMatch, .flag,
        "Requires equal texts of all parts; the record's flags then contain match or mismatch."),
      Field(
        "within", \.limit, .nanoseconds(.milliseconds(100) ... .seconds(3600)),
        "How long the first code waits for the others; then the set is given up with a no-read."),
    ])
}

/// Reads the list `sets`.
struct SetReading {
  private static let list = ConfigurationReading.setsName
  private static let example = "- parts: [product, serial]"

  /// - Parameter flags: the flags that rules set.
  static func read(_ reading: inout ConfigurationReading, flags: [String]) -> [ScanSet] {
    guard reading.file.sections[list] != nil || reading.file.entries[list] != nil else { return [] }
    let places = reading.places(in: list)
    guard !places.isEmpty, places.count <= ScanSet.countMax else {
      reading.takeOver(list)
      reading.report(
        "\(list) must be a list of 1 to \(ScanSet.countMax) sets, such as \(example)", at: reading.place(of: list))
      return []
    }
    var sets: [ScanSet] = []
    for (index, place) in places.enumerated() {
      guard reading.file.sections[place] != nil else {
        reading.takeOver(place)
        reading.report("\(place) must be a set, such as \(example)", at: reading.place(of: place))
        continue
      }
      let set = set(place, index, flags, &reading)
      if sets.contains(where: { $0.name == set.name }) {
        reading.report(
          "\(place) is called \(set.name) like another set; give it a name of its own", at: reading.place(of: place))
      }
      if let flag = set.parts.first(where: { flag in sets.contains { $0.parts.contains(flag) } }) {
        reading.report(
          "\(place).parts has \(flag), which is a part of another set; a code can be in one set alone",
          at: reading.place(of: "\(place).parts"))
      }
      sets.append(set)
    }
    return sets
  }

  private static func set(
    _ place: String, _ index: Int, _ flags: [String], _ reading: inout ConfigurationReading
  ) -> ScanSet {
    var set = ScanSet(name: "set \(index + 1)", parts: [])
    ScanSet.keys.read(place, &reading, into: &set)
    if !(2...ScanSet.partCountMax).contains(set.parts.count) {
      reading.report(
        "\(place).parts has \(set.parts.count) parts; write 2 to \(ScanSet.partCountMax), such as [product, serial]",
        at: reading.place(of: "\(place).parts") ?? reading.place(of: place))
    }
    for part in Set(set.parts).sorted() where !flags.contains(part) {
      let near = nearest(to: part, among: flags)
      reading.report(
        "\(place).parts has \(part), and no rule sets this flag; "
          + (near.map { "did you mean \($0)?" } ?? "write a rule with then: {flag: \(part)}"),
        at: reading.place(of: "\(place).parts"))
    }
    return set
  }
}

extension ValueForm<Int64> {
  /// A duration, kept in nanoseconds.
  fileprivate static func nanoseconds(_ range: ClosedRange<Duration>) -> Self {
    Self(.duration(range), { ConfigurationParsing.duration($0, in: range).map { Int64($0 / .nanoseconds(1)) } }) {
      written(.nanoseconds($0))
    }
  }
}

extension Comparison {
  static let keys = KeySection(
    "compare", Comparison(),
    [
      Field(
        "reference", \.reference, .optional(.text(512)),
        "The text that scans are compared with, in the form that hosts get. Default: the first compared scan after the "
          + "start."),
      Field(
        "flag", \.flag, .optional(.text(32)),
        "The flag, set by rules, of the scans to compare. Default: all scans are compared."),
      Field(
        "count", \.countMax, .optional(.integer(1...1_000_000)),
        "The number of matches in a full count: the last one gets the flag full, and counting restarts."),
    ])

  /// The configured comparison; nil if none of its keys is written.
  ///
  /// - Parameter flags: the flags that rules set.
  static func read(_ reading: inout ConfigurationReading, flags: [String]) -> Comparison? {
    var comparison = Comparison()
    keys.read(&reading, into: &comparison)
    if let flag = comparison.flag, !flags.contains(flag) {
      let near = nearest(to: flag, among: flags)
      reading.report(
        "compare.flag is \"\(flag)\", and no rule sets this flag; "
          + (near.map { "did you mean \($0)?" } ?? "write a rule with then: {flag: \(flag)}"),
        at: reading.place(of: "compare.flag"))
    }
    return comparison == Comparison() ? nil : comparison
  }
}
