// 2D in retail: which of a package's codes a till gets, and in which form.

import HostText
import ScanControl

/// The keys of retail, as they are written.
struct WrittenRetail {
  /// Nil: each code is a separate scan.
  private var mode: RetailSettings.Mode?
  private var wait = RetailSettings(mode: .first).wait
  /// Nil: codes are sent unchanged.
  private var content: ProductText.Content?
  private var form = TextChoices.NumberForm.ean13
  private var sendsSetID = true

  static let keys = KeySection(
    "retail", WrittenRetail(),
    [
      Field(
        "mode", \.mode, .optional(.words(RetailSettings.Mode.allCases.map { ("\($0.rawValue)", $0) })),
        "The codes of a package to send, by GS1's scanning modes. 1: the first; 2: a 2D symbol rather than a linear one; "
          + "3: all, with a set id. Default: each code is a separate scan."),
      Field(
        "wait", \.wait, .duration(.zero ... .seconds(2)),
        "How long a linear code of mode 2, the first code of mode 3, or a link waits for other codes of its package, and "
          + "so its delay."),
      Field(
        "send", \.content, .words([("code", nil)] + ProductText.Content.allCases.map { ($0.rawValue, $0) }),
        "The form of a code that names an article: the code itself, its GTIN, or the GTIN of an EAN or UPC and the GS1 "
          + "element strings of any other code, including Digital Links."),
      Field(
        "digits", \.form, .words([("12", .upca), ("13", .ean13), ("14", .gtin14)]),
        "The number of digits of a GTIN that is sent alone; a longer GTIN stays longer. For EAN, UPC and ITF-14, keys "
          + "such as text.ean13.form take precedence."),
      Field(
        "set_id", \.sendsSetID, .words([("prefix", true), ("record", false)]),
        "The place of mode 3's set id: before the sent text, or only in the record, where a rule can use it as {set}."),
    ])

  private init() {}

  /// Reports keys that have no effect.
  init(_ reading: inout ConfigurationReading) {
    Self.keys.read(&reading, into: &self)
    let hasMode = reading.isWritten("retail.mode")
    if !hasMode {
      for key in Self.keys.rows where reading.isWritten(key.name) {
        reading.report("\(key.name) has no effect without retail.mode; write that, too", at: reading.place(of: key.name))
      }
    }
    if let mode, mode != .all, reading.isWritten("retail.set_id") {
      reading.report(
        "retail.set_id has no effect with retail.mode \(mode.rawValue), which has no sets; take it out, or write retail.mode: 3",
        at: reading.place(of: "retail.set_id"))
    }
    if hasMode, content == nil, reading.isWritten("retail.digits") {
      reading.report(
        "retail.digits has no effect with retail.send: code; write retail.send: gtin, or gtin and data",
        at: reading.place(of: "retail.digits"))
    }
  }

  /// Nil if each code is a separate scan.
  var settings: RetailSettings? {
    mode.map { mode in
      var settings = RetailSettings(mode: mode)
      settings.wait = wait
      return settings
    }
  }

  /// Nil if codes are sent unchanged.
  var product: ProductText? { content.map { ProductText($0, form: form) } }

  /// Whether the id of a set precedes the text.
  var isSetIDPrefix: Bool { sendsSetID && mode == .all }
}
