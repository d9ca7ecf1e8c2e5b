// Match codes: the reference that each scan is compared with.

import HostText

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
