// The meaning of an element's data: dates, times, numbers, countries and currencies, in machine-readable forms.

/// Dates of GS1 data.
public enum GS1Date {
  /// The number of days in a month; nil if the month does not exist.
  public static func dayCount(year: Int, month: Int) -> Int? {
    guard (1...12).contains(month) else { return nil }
    let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  /// The full year for two digits: at most 49 years before or 50 years after the current year (GS1 General Specifications
  /// §7.12).
  public static func year(_ twoDigits: Int, currentYear: Int) -> Int {
    let century = currentYear / 100 * 100
    switch twoDigits - currentYear % 100 {
    case 51...: return century - 100 + twoDigits
    case ...(-50): return century + 100 + twoDigits
    default: return century + twoDigits
    }
  }

  static func text(_ year: Int, _ month: Int) -> String { padded(year, 4) + "-" + padded(month, 2) }

  static func text(_ year: Int, _ month: Int, _ day: Int) -> String { text(year, month) + "-" + padded(day, 2) }

  private static func padded(_ number: Int, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}

/// The meaning of an element's data; nil for parts that the data do not contain, or contain incorrectly.
public struct GS1Meaning: Equatable, Sendable {
  /// A date, ISO 8601, such as `2026-11-30`. If the data give no day, the last day of the month.
  public var date: String?
  /// The month, such as `2026-11`, if the data give no day.
  public var month: String?
  /// The last day, if the data give two days.
  public var until: String?
  /// A time of day, such as `14:05` or `14:05:09`.
  public var timeOfDay: String?
  /// A number with its decimal point, such as `1.750`.
  public var number: String?
  /// ISO 4217, such as `EUR`.
  public var currency: String?
  /// ISO 3166-1, such as `AT`; several if the data may contain several.
  public var countries: [String] = []

  public init() {}
}

extension GS1Element {
  /// The data title of the identifier, such as `BATCH/LOT`; empty if GS1 defines none.
  public var title: String { GS1Rule.rule(identifier)?.title ?? "" }

  /// Whether GS1 has assigned an application identifier with these digits.
  public static func isIdentifier(_ digits: String) -> Bool { GS1Rule.rule(digits) != nil }

  /// The meaning of the data.
  ///
  /// - Parameter currentYear: the year of the scan; two-digit years are at most 49 years before or 50 years after it.
  public func meaning(currentYear: Int) -> GS1Meaning {
    var meaning = GS1Meaning()
    guard let rule = GS1Rule.rule(identifier) else { return meaning }
    let bytes = Array(value.utf8)
    let parts = rule.parts(bytes[...])
    for (field, part) in parts where field.fault(part) == nil && part.count >= field.lengthMin {
      let text = String(decoding: part, as: UTF8.self)
      for linter in field.linters {
        switch linter {
        case .yymmd0, .yymmdd: meaning.add(GS1Element.year(part.prefix(2), currentYear), part.dropFirst(2))
        case .yyyymmdd: meaning.add(GS1Linter.value(part.prefix(4)), part.dropFirst(4))
        case .hhmi: meaning.timeOfDay = "\(text.prefix(2)):\(text.dropFirst(2))"
        case .hh: meaning.timeOfDay = text
        case .mi, .ss: meaning.timeOfDay = (meaning.timeOfDay ?? "") + ":" + text
        case .iso3166, .iso3166999: if let country = CodeLists.countries[text] { meaning.countries.append(country) }
        case .iso3166alpha2: meaning.countries.append(text)
        case .iso4217: meaning.currency = CodeLists.currencies[text]
        default: break
        }
      }
    }
    // A lone hour becomes a time with minutes.
    if let hour = meaning.timeOfDay, hour.utf8.count == 2 { meaning.timeOfDay = hour + ":00" }
    if rule.faults(bytes[...]).isEmpty { meaning.number = number(parts) }
    return meaning
  }

  private static func year(_ digits: ArraySlice<UInt8>, _ currentYear: Int) -> Int {
    GS1Date.year(GS1Linter.value(digits), currentYear: currentYear)
  }

  /// Measures and amounts have their number of decimals as the last digit of the identifier; temperatures have two, and a
  /// final hyphen if they are below zero.
  private func number(_ parts: [(field: GS1Field, data: ArraySlice<UInt8>)]) -> String? {
    let digits = identifier.utf8.map { Int($0 - 0x30) }
    guard digits.count == 4 else { return nil }
    let key = digits[0] * 10 + digits[1]
    let isTemperature = digits.starts(with: [4, 3, 3])
    guard (31...36).contains(key) || key == 39 || isTemperature else { return nil }
    guard let amount = parts.last(where: { $0.field.characters == .n })?.data else { return nil }
    let decimals = isTemperature ? 2 : digits[3]
    let text = String(repeating: "0", count: max(0, decimals + 1 - amount.count)) + String(decoding: amount, as: UTF8.self)
    let whole = text.dropLast(decimals).drop { $0 == "0" }
    let sign = parts.count == 2 && isTemperature ? "-" : ""
    return sign + (whole.isEmpty ? "0" : whole) + (decimals > 0 ? ".\(text.suffix(decimals))" : "")
  }
}

extension GS1Meaning {
  fileprivate mutating func add(_ year: Int, _ monthAndDay: ArraySlice<UInt8>) {
    let month = GS1Linter.value(monthAndDay.prefix(2))
    let day = GS1Linter.value(monthAndDay.dropFirst(2))
    let text = GS1Date.text(year, month, day > 0 ? day : GS1Date.dayCount(year: year, month: month) ?? day)
    if date == nil { date = text } else { until = text }
    if day == 0 { self.month = GS1Date.text(year, month) }
  }
}
