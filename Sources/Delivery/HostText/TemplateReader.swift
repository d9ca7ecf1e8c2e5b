// Parses the text of a template into its pieces.

import BarcodeMessage

/// Parses a template.
struct TemplateReader {
  private var rest: ArraySlice<Unicode.Scalar>
  private let expression: Expression?

  init(_ source: String, _ expression: Expression?) {
    rest = Array(source.unicodeScalars)[...]
    self.expression = expression
  }

  mutating func pieces() throws(TemplateError) -> [TextTemplate.Piece] {
    var pieces: [TextTemplate.Piece] = []
    var words = ""
    while let next = rest.popFirst() {
      switch next {
      case "{" where rest.first == "{", "}" where rest.first == "}":
        words.unicodeScalars.append(next)
        rest.removeFirst()
      case "{":
        if !words.isEmpty { pieces.append(.words(words)) }
        words = ""
        pieces.append(try part())
      case "}": throw TemplateError("a } closes nothing; write }} for the character")
      case "\\": words.unicodeScalars.append(try escaped())
      default: words.unicodeScalars.append(next)
      }
    }
    if !words.isEmpty { pieces.append(.words(words)) }
    return pieces
  }

  /// The character after a backslash.
  private mutating func escaped() throws(TemplateError) -> Unicode.Scalar {
    switch rest.popFirst() {
    case "\\": return "\\"
    case "t": return "\t"
    case "r": return "\r"
    case "n": return "\n"
    case "x":
      let digits = String(String.UnicodeScalarView(rest.prefix(2)))
      guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else { break }
      rest = rest.dropFirst(2)
      return Unicode.Scalar(value)
    default: break
    }
    throw TemplateError(
      "behind a backslash stands t, r, n, x and two hexadecimal digits such as \\x1D, or another backslash")
  }

  /// A part with its functions, up to the closing brace.
  private mutating func part() throws(TemplateError) -> TextTemplate.Piece {
    var sections: [[String]] = [[]]
    var isClosed = false
    while let next = rest.first {
      rest.removeFirst()
      if next == "}" {
        isClosed = true
        break
      }
      switch next {
      case "|": sections.append([])
      case " ": break
      case "'": sections[sections.count - 1].append(try quoted())
      default:
        var word = String(Character(next))
        while let more = rest.first, more != " ", more != "|", more != "}" {
          word.unicodeScalars.append(more)
          rest.removeFirst()
        }
        sections[sections.count - 1].append(word)
      }
    }
    guard isClosed, let name = sections[0].first, sections[0].count == 1 else {
      throw TemplateError("a part is written such as {text}, {1}, {(01)} or {(17)|date DD.MM.YYYY}; write {{ for a brace")
    }
    guard sections.count <= TextTemplate.functionCountMax + 1 else {
      throw TemplateError("a part has at most \(TextTemplate.functionCountMax) functions")
    }
    let part = try source(name)
    var functions: [TextTemplate.Function] = []
    for words in sections.dropFirst() { functions.append(try TemplateReader.function(words, part)) }
    return .part(part, functions)
  }

  /// A quoted word, in which a quote is doubled.
  private mutating func quoted() throws(TemplateError) -> String {
    var word = ""
    while let next = rest.popFirst() {
      if next == "'" {
        guard rest.first == "'" else { return word }
        rest.removeFirst()
        word += "'"
      } else if next == "\\" {
        word.unicodeScalars.append(try escaped())
      } else {
        word.unicodeScalars.append(next)
      }
    }
    throw TemplateError("a quote is not closed")
  }

  private func source(_ name: String) throws(TemplateError) -> TextTemplate.Part {
    switch name {
    case "text": return .text
    case "symbology": return .symbology
    case "aim": return .aim
    case "set": return .set
    default: break
    }
    if name.hasPrefix("("), name.hasSuffix(")") {
      let identifier = String(name.dropFirst().dropLast())
      guard GS1Element.isIdentifier(identifier) else {
        throw TemplateError("{\(name)}: \(identifier) is not an application identifier of GS1")
      }
      return .element(identifier)
    }
    if name.hasPrefix("["), name.hasSuffix("]") {
      let identifier = String(name.dropFirst().dropLast())
      guard (1...4).contains(identifier.utf8.count), identifier.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
      else { throw TemplateError("{\(name)}: a field is written such as {[DBB]} of a licence, or {[1P]} of a label") }
      return .field(identifier)
    }
    if let number = Int(name) ?? expression?.names[name] {
      guard number == 0 || number <= expression?.groupCount ?? 0, number >= 0 else {
        throw TemplateError(
          "{\(name)}: the expression has \(expression?.groupCount ?? 0) groups; put the part that you need in (…)")
      }
      return .group(number)
    }
    throw TemplateError(
      "{\(name)} is no part of a scan; there are text, symbology, aim, set, the numbers and names of groups, "
        + "elements such as (01), and fields such as [1P]"
    )
  }

  private static let remedy =
    "there are cut FROM TO, pad COUNT CHARACTER, pad_right COUNT CHARACTER, trim CHARACTER, replace OLD NEW, upper, lower, and "
    + "date FORM"

  private static func function(
    _ words: [String], _ part: TextTemplate.Part
  ) throws(TemplateError) -> TextTemplate.Function {
    guard let name = words.first else { throw TemplateError("a function is missing behind |; \(remedy)") }
    let arguments = Array(words.dropFirst())
    func wrong(_ right: String) -> TemplateError { TemplateError("\(name) is written such as \(right)") }
    switch name {
    case "upper" where arguments.isEmpty: return .letters(.upper)
    case "lower" where arguments.isEmpty: return .letters(.lower)
    case "cut":
      let numbers = arguments.compactMap(Int.init)
      guard (1...2).contains(numbers.count), numbers.count == arguments.count, !numbers.contains(0),
        numbers.allSatisfy({ $0.magnitude <= TextTemplate.resultCountMax })
      else { throw wrong("cut 3, cut 3 8 or cut -4; characters are counted from 1") }
      return .cut(numbers[0], numbers.count > 1 ? numbers[1] : nil)
    case "pad", "pad_right":
      let filler = arguments.count > 1 ? arguments[1] : name == "pad" ? "0" : " "
      guard (1...2).contains(arguments.count), let count = Int(arguments[0]), (1...TextTemplate.padCountMax).contains(count),
        filler.unicodeScalars.count == 1, let scalar = filler.unicodeScalars.first
      else { throw wrong("\(name) 8 or \(name) 8 '_', up to \(TextTemplate.padCountMax)") }
      return .pad(count, scalar, isBehind: name == "pad_right")
    case "trim":
      let surplus = arguments.first ?? " "
      guard arguments.count <= 1, surplus.unicodeScalars.count == 1, let scalar = surplus.unicodeScalars.first else {
        throw wrong("trim or trim 0: it takes one character away from the beginning")
      }
      return .trim(scalar)
    case "replace":
      guard arguments.count == 2, !arguments[0].isEmpty else { throw wrong("replace - '' or replace 'a b' c") }
      return .replace(arguments[0], arguments[1])
    case "date":
      let forms = arguments.map(DateForm.init)
      let isElement =
        switch part {
        case .element, .field: true
        default: false
        }
      guard (1...2).contains(forms.count), forms.allSatisfy(\.saysSomething), forms.count == 1 || forms[0].isWhole,
        forms.count == 2 || isElement
      else {
        throw wrong(
          isElement
            ? "date DD.MM.YYYY" : "date YYMMDD DD.MM.YYYY: how it is written, with year, month and day, and how it is to be")
      }
      return .date(forms.count == 2 ? forms[0] : nil, forms[forms.count - 1])
    default: throw TemplateError("\(name) is no function; \(remedy)")
    }
  }
}
