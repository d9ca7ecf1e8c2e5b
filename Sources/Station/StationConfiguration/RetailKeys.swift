// 2D in retail: which of a package's codes a till gets, and in which form.

import HostText
import ScanControl

extension ConfigurationKey {
  static let retailMode = Self(
    "retail.mode", .choice(RetailSettings.Mode.allCases.map { "\($0.rawValue)" }), "",
    "The codes of a package to send, by GS1's scanning modes. 1: the first; 2: a 2D symbol rather than a linear one; 3: "
      + "all, with a set id. Default: each code is a separate scan.")
  static let retailWait = Self(
    "retail.wait", .duration(.zero ... .seconds(2)), "150 ms",
    "How long a linear code of mode 2, the first code of mode 3, or a link waits for other codes of its package, and so "
      + "its delay.")
  static let retailSend = Self(
    "retail.send", .choice(["code"] + words(ProductText.Content.self)), "code",
    "The form of a code that names an article: the code itself, its GTIN, or the GTIN of an EAN or UPC and the GS1 "
      + "element strings of any other code, including Digital Links.")
  static let retailDigits = Self(
    "retail.digits", .choice(["12", "13", "14"]), "13",
    "The number of digits of a GTIN that is sent alone; a longer GTIN stays longer. For EAN, UPC and ITF-14, keys such as "
      + "text.ean13.form take precedence.")
  static let retailSetID = Self(
    "retail.set_id", .choice(["prefix", "record"]), "prefix",
    "The place of mode 3's set id: before the sent text, or only in the record, where a rule can use it as {set}."
  )

  /// The keys of this file.
  static let retail = [retailMode, retailWait, retailSend, retailDigits, retailSetID]
}

extension RetailSettings {
  /// Nil if each code is a separate scan.
  init?(_ reading: inout ConfigurationReading) {
    let wait = reading.duration(.retailWait)
    let word = reading.choice(.retailMode)
    guard let mode = word.flatMap({ Int($0) }).flatMap(Mode.init) else {
      guard !reading.isWritten(ConfigurationKey.retailMode.name) else { return nil }
      for key in ConfigurationKey.retail where key.name != ConfigurationKey.retailMode.name && reading.isWritten(key.name) {
        reading.report("\(key.name) has no effect without retail.mode; write that, too", at: reading.place(of: key.name))
      }
      return nil
    }
    self.init(mode: mode)
    self.wait = wait ?? self.wait
    if mode != .all, reading.isWritten(ConfigurationKey.retailSetID.name) {
      reading.report(
        "retail.set_id has no effect with retail.mode \(mode.rawValue), which has no sets; take it out, or write retail.mode: 3",
        at: reading.place(of: ConfigurationKey.retailSetID.name))
    }
  }
}

extension ProductText {
  /// Nil if codes are sent unchanged.
  init?(_ reading: inout ConfigurationReading) {
    let digits = reading.choice(.retailDigits)
    guard let content = reading.choice(.retailSend).flatMap(Content.init) else {
      if reading.isWritten(ConfigurationKey.retailDigits.name), reading.isWritten(ConfigurationKey.retailMode.name) {
        reading.report(
          "retail.digits has no effect with retail.send: code; write retail.send: gtin, or gtin and data",
          at: reading.place(of: ConfigurationKey.retailDigits.name))
      }
      return nil
    }
    let form: TextChoices.NumberForm =
      switch digits {
      case "12": .upca
      case "14": .gtin14
      default: .ean13
      }
    self.init(content, form: form)
  }
}
