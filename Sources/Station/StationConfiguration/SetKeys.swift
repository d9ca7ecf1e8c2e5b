// Codes that form one message, by the flags that rules set on them.

import HostText

extension ConfigurationKey {
  static let setName = Self(
    "sets[].name", .text(64), "", "The set's name in records and logs. Default: its position.")
  static let setParts = Self(
    "sets[].parts", .texts(32), "",
    "The flag of each code, set by rules, such as [product, serial]; a repeated flag requires that many codes.")
  static let setOrder = Self(
    "sets[].order", .choice(words(ScanSet.Order.self)), "parts",
    "The order of the texts: as in parts, as scanned, or by position in the picture.")
  static let setSeparator = Self(
    "sets[].separator", .bytes(textByteCountMax), "\\x09", "The separator between the texts of the codes.")
  static let setMatch = Self(
    "sets[].match", .flag, "false",
    "Requires equal texts of all parts; the record's flags then contain match or mismatch.")
  static let setWithin = Self(
    "sets[].within", .duration(.milliseconds(100) ... .seconds(3600)), "5 s",
    "How long the first code waits for the others; then the set is given up with a no-read.")

  /// The keys of this file.
  static let sets = [setName, setParts, setOrder, setSeparator, setMatch, setWithin]
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
    if reading.isWritten("\(place).name") { set.name = reading.text(.setName, as: "\(place).name") ?? set.name }
    set.parts = reading.texts(.setParts, at: "\(place).parts")
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
    set.order = reading.choice(.setOrder, ScanSet.Order.self, "\(place).order") ?? set.order
    set.separator = reading.bytes(.setSeparator, "\(place).separator").map { HostTextReading.text($0) } ?? set.separator
    set.mustMatch = reading.flag(.setMatch, "\(place).match")
    if let within = reading.duration(.setWithin, "\(place).within") {
      set.limit = within.components.seconds * 1_000_000_000 + within.components.attoseconds / 1_000_000_000
    }
    return set
  }
}
