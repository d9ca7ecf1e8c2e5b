// The text that a rule substitutes: the operator's words, and parts of the scan with functions applied to them.

import BarcodeMessage
import BarcodeTypes

/// An error in a template, with advice how to write it.
public struct TemplateError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Why a template cannot be filled for a scan.
enum TemplateProblem: Error, Equatable, CustomStringConvertible {
  case missing(String)
  case noSetID
  case noDate(String)
  case tooLong
  case exhausted

  var description: String {
    switch self {
    case .missing(let name): "there is no (\(name))"
    case .noSetID: "the scan has no set id"
    case .noDate(let text): "\"\(text)\" is no date"
    case .tooLong: "the text would have more than \(TextTemplate.resultCountMax) characters"
    case .exhausted: RuleBudget.reason
    }
  }
}

/// A scan as the source of a template.
struct TemplateSource {
  let message: HostMessage
  /// The ranges of the whole match and of the expression's groups.
  let groups: [Range<Int>?]
  let content: HostContent
  let year: Int
}

/// A template: text in which `{…}` is a part of the scan.
public struct TextTemplate: Equatable, Sendable {
  /// The longest template, in characters.
  public static let countMax = 512
  /// The longest resulting text, in characters.
  public static let resultCountMax = 16_384
  /// The most functions per part.
  public static let functionCountMax = 8
  /// The longest padding result, in characters.
  static let padCountMax = 100

  /// A part of a scan.
  enum Part: Equatable, Sendable {
    case text
    case group(Int)
    case element(String)
    case field(String)
    case symbology
    case aim
    case set
  }

  enum Function: Equatable, Sendable {
    /// From a position to another, from 1; negative positions count from the end.
    case cut(Int, Int?)
    case pad(Int, Unicode.Scalar, isBehind: Bool)
    /// Removes these characters at the beginning.
    case trim(Unicode.Scalar)
    case replace(String, String)
    case letters(LetterCase)
    /// A date in the first form, rewritten in the second; nil: of a GS1 element.
    case date(DateForm?, DateForm)
  }

  enum Piece: Equatable, Sendable {
    case words(String)
    case part(Part, [Function])
  }

  public let source: String
  let pieces: [Piece]

  /// Parses a template.
  ///
  /// - Parameter expression: the rule's expression, whose groups the template may use.
  public init(_ source: String, expression: Expression? = nil) throws(TemplateError) {
    self.source = source
    guard source.count <= TextTemplate.countMax else {
      throw TemplateError("it has \(source.count) characters; write at most \(TextTemplate.countMax)")
    }
    var reader = TemplateReader(source, expression)
    pieces = try reader.pieces()
  }

  /// Whether its literal text contains a character.
  public func writes(_ scalar: Unicode.Scalar) -> Bool {
    pieces.contains { piece in
      switch piece {
      case .words(let words): words.unicodeScalars.contains(scalar)
      case .part(_, let functions):
        functions.contains { function in
          switch function {
          case .pad(_, let filler, _): filler == scalar
          case .replace(_, let other): other.unicodeScalars.contains(scalar)
          default: false
          }
        }
      }
    }
  }

  /// The text for a scan.
  func message(of source: TemplateSource, _ budget: inout RuleBudget) throws(TemplateProblem) -> HostMessage {
    var message = HostMessage()
    for piece in pieces {
      switch piece {
      case .words(let words): message = message + HostMessage(chosen: words)
      case .part(let part, let functions):
        var value = try TextTemplate.value(part, source)
        guard budget.spend(value.scalars.count) else { throw .exhausted }
        for function in functions {
          guard budget.spend(function.stepCount(value)) else { throw .exhausted }
          try function.apply(to: &value, part, source)
          guard value.scalars.count <= TextTemplate.resultCountMax else { throw .tooLong }
        }
        message = message + value
      }
      guard budget.spend(message.scalars.count) else { throw .exhausted }
      guard message.scalars.count <= TextTemplate.resultCountMax else { throw .tooLong }
    }
    return message
  }

  private static func value(_ part: Part, _ source: TemplateSource) throws(TemplateProblem) -> HostMessage {
    switch part {
    case .text: return source.message
    case .group(let number):
      guard source.groups.indices.contains(number), let range = source.groups[number] else { return HostMessage() }
      return HostMessage(scalars: Array(source.message.scalars[range]))
    case .element(let identifier):
      guard let element = source.content.elements.first(where: { $0.identifier == identifier }) else {
        throw .missing(identifier)
      }
      return HostMessage(data: element.value)
    case .field(let identifier):
      guard let field = source.content.fields.first(where: { $0.identifier == identifier }) else {
        throw .missing(identifier)
      }
      return HostMessage(data: field.value)
    case .symbology: return HostMessage(chosen: "\(source.content.symbology.name)")
    case .aim: return HostMessage(chosen: source.content.aimIdentifier)
    case .set:
      guard let setID = source.content.setID else { throw .noSetID }
      return HostMessage(chosen: setID)
    }
  }
}

extension TextTemplate.Function {
  /// The steps that it costs: comparing costs more than copying, and Unicode's case mapping most.
  fileprivate func stepCount(_ value: HostMessage) -> Int {
    let count = value.scalars.count
    return switch self {
    case .cut, .pad, .trim: count
    case .replace(let old, _): count * min(8, 1 + old.utf8.count)
    case .letters: count + 15 * value.scalars.count { $0.value >= 0x80 }
    case .date: count * 4
    }
  }

  fileprivate func apply(
    to value: inout HostMessage, _ part: TextTemplate.Part, _ source: TemplateSource
  ) throws(TemplateProblem) {
    switch self {
    case .cut(let from, let to):
      let count = value.scalars.count
      func place(_ number: Int) -> Int { number < 0 ? count + number : number - 1 }
      let begin = max(0, place(from))
      let end = min(count - 1, to.map(place) ?? count - 1)
      value.scalars = begin <= end ? Array(value.scalars[begin...end]) : []
    case .pad(let count, let filler, let isBehind):
      let missing = Array(repeating: HostScalar(chosen: filler), count: max(0, count - value.scalars.count))
      value.scalars = isBehind ? value.scalars + missing : missing + value.scalars
    case .trim(let surplus): value.scalars = Array(value.scalars.drop { $0.value == surplus.value })
    case .replace(let old, let new): value.replace(old, with: new)
    case .letters(let letters): value.apply(letters, toDataAlone: false)
    case .date(let read, let written): try Self.write(read, written, &value, part, source)
    }
  }

  private static func write(
    _ read: DateForm?, _ written: DateForm, _ value: inout HostMessage, _ part: TextTemplate.Part, _ source: TemplateSource
  ) throws(TemplateProblem) {
    let text = value.text()
    let day: CalendarDay?
    if let read {
      day = read.day(of: text, currentYear: source.year)
    } else if case .element(let identifier) = part,
      let date = GS1Element(identifier: identifier, value: text).meaning(currentYear: source.year).date
    {
      day = DateForm.iso.day(of: date, currentYear: source.year)
    } else if case .field(let identifier) = part,
      let date = source.content.fields.first(where: { $0.identifier == identifier })?.date
    {
      day = DateForm.iso.day(of: date, currentYear: source.year)
    } else {
      day = nil
    }
    guard let day else { throw .noDate(text) }
    value = HostMessage(data: written.text(of: day))
  }
}

extension HostMessage {
  /// Replaces every occurrence of a text, from the left. Stops if the result becomes too long.
  mutating func replace(_ old: String, with new: String) {
    let wanted = old.unicodeScalars.map(\.value)
    let other = HostMessage(chosen: new).scalars
    guard let first = wanted.first else { return }
    var result: [HostScalar] = []
    result.reserveCapacity(scalars.count)
    var place = 0
    while place < scalars.count, result.count <= TextTemplate.resultCountMax {
      if scalars[place].value == first, isThere(wanted, at: place) {
        result += other
        place += wanted.count
      } else {
        result.append(scalars[place])
        place += 1
      }
    }
    scalars = result
  }

  private func isThere(_ wanted: [UInt32], at place: Int) -> Bool {
    guard place + wanted.count <= scalars.count else { return false }
    for offset in wanted.indices where scalars[place + offset].value != wanted[offset] { return false }
    return true
  }
}

/// A calendar day.
struct CalendarDay: Equatable {
  var year: Int
  var month: Int
  var day: Int
}

/// The format of a date: letters `YYYY` or `YY`, `MM`, `DD`, and all text between them.
struct DateForm: Equatable, Sendable {
  private enum Part: Equatable, Sendable {
    case fullYear, shortYear, month, day
    case words(String)
  }

  private var parts: [Part] = []

  static let iso = DateForm("YYYY-MM-DD")

  private static let names: [(String, Part)] = [("YYYY", .fullYear), ("YY", .shortYear), ("MM", .month), ("DD", .day)]

  init(_ text: String) {
    var rest = text[...]
    while let first = rest.first {
      if let (name, part) = Self.names.first(where: { rest.hasPrefix($0.0) }) {
        parts.append(part)
        rest = rest.dropFirst(name.count)
      } else {
        parts.append(.words(String(first)))
        rest = rest.dropFirst()
      }
    }
  }

  /// Whether it has a year, a month and a day, each once.
  var isWhole: Bool {
    parts.count { $0 == .fullYear || $0 == .shortYear } == 1 && parts.count { $0 == .month } == 1
      && parts.count { $0 == .day } == 1
  }

  /// Whether it has any part of a date.
  var saysSomething: Bool { parts.contains { if case .words = $0 { false } else { true } } }

  /// Parses a date; nil if the text is not one.
  func day(of text: String, currentYear: Int) -> CalendarDay? {
    var rest = text[...]
    var day = CalendarDay(year: 0, month: 0, day: 0)
    for part in parts {
      if case .words(let words) = part {
        guard rest.hasPrefix(words) else { return nil }
        rest = rest.dropFirst(words.count)
        continue
      }
      let digits = rest.prefix(part == .fullYear ? 4 : 2)
      guard digits.utf8.count == (part == .fullYear ? 4 : 2), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(digits)
      else { return nil }
      rest = rest.dropFirst(digits.count)
      switch part {
      case .fullYear: day.year = number
      case .shortYear: day.year = GS1Date.year(number, currentYear: currentYear)
      case .month: day.month = number
      case .day: day.day = number
      case .words: break
      }
    }
    let count = GS1Date.dayCount(year: day.year, month: day.month) ?? 0
    return rest.isEmpty && day.day >= 1 && day.day <= count ? day : nil
  }

  func text(of day: CalendarDay) -> String {
    func digits(_ number: Int, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    return parts.map { part in
      switch part {
      case .fullYear: digits(day.year, 4)
      case .shortYear: digits(day.year % 100, 2)
      case .month: digits(day.month, 2)
      case .day: digits(day.day, 2)
      case .words(let words): words
      }
    }.joined()
  }
}
