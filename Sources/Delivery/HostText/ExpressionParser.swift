// From the text of an expression to its instructions.

/// A part of an expression.
indirect enum ExpressionNode: Equatable {
  case nothing
  case one(CharacterRanges)
  case start
  case end
  case sequence([ExpressionNode])
  case either([ExpressionNode])
  case repeated(ExpressionNode, least: Int, most: Int?, isLazy: Bool)
  /// A capturing group, from 1.
  case group(ExpressionNode, Int)

  /// Whether it can match the empty text.
  var canBeNothing: Bool {
    switch self {
    case .nothing, .start, .end: true
    case .one: false
    case .sequence(let parts): parts.allSatisfy(\.canBeNothing)
    case .either(let ways): ways.contains(where: \.canBeNothing)
    case .repeated(let part, let least, _, _): least == 0 || part.canBeNothing
    case .group(let part, _): part.canBeNothing
    }
  }

  /// The number of instructions that it compiles to; counting stops slightly above the limit.
  var instructionCount: Int {
    let limit = Expression.instructionCountMax + 1
    switch self {
    case .nothing: return 0
    case .one, .start, .end: return 1
    case .sequence(let parts): return min(limit, parts.reduce(0) { $0 + $1.instructionCount })
    case .either(let ways): return min(limit, ways.reduce(0) { $0 + $1.instructionCount + 2 })
    case .group(let part, _): return min(limit, part.instructionCount + 2)
    case .repeated(let part, let least, let most, _):
      let count = part.instructionCount
      guard let most else { return min(limit, least * count + count + 2) }
      return min(limit, least * count + (most - least) * (count + 1))
    }
  }

  func append(to program: inout [Expression.Instruction]) {
    switch self {
    case .nothing: break
    case .one(let set): program.append(.one(set))
    case .start: program.append(.start)
    case .end: program.append(.end)
    case .sequence(let parts): for part in parts { part.append(to: &program) }
    case .group(let part, let number):
      program.append(.save(2 * number))
      part.append(to: &program)
      program.append(.save(2 * number + 1))
    case .either(let ways):
      var jumps: [Int] = []
      for way in ways.dropLast() {
        let split = program.count
        program.append(.jump(0))
        way.append(to: &program)
        jumps.append(program.count)
        program.append(.jump(0))
        program[split] = .split(split + 1, program.count)
      }
      ways.last?.append(to: &program)
      for jump in jumps { program[jump] = .jump(program.count) }
    case .repeated(let part, let least, let most, let isLazy):
      for _ in 0..<least { part.append(to: &program) }
      if let most {
        var splits: [Int] = []
        for _ in least..<max(least, most) {
          splits.append(program.count)
          program.append(.jump(0))
          part.append(to: &program)
        }
        for split in splits { program[split] = Self.split(split + 1, program.count, isLazy) }
      } else {
        let split = program.count
        program.append(.jump(0))
        part.append(to: &program)
        program.append(.jump(split))
        program[split] = Self.split(split + 1, program.count, isLazy)
      }
    }
  }

  private static func split(_ inside: Int, _ behind: Int, _ isLazy: Bool) -> Expression.Instruction {
    isLazy ? .split(behind, inside) : .split(inside, behind)
  }
}

/// Parses an expression.
struct ExpressionParser {
  private var rest: ArraySlice<Unicode.Scalar>
  private var depth = 0
  private var ignoresCase = false
  private(set) var groupCount = 0
  private(set) var names: [String: Int] = [:]

  /// The deepest nesting of groups.
  private static let depthMax = 16
  private static let digits = Set("0123456789".unicodeScalars)

  init(_ source: String) { rest = Array(source.unicodeScalars)[...] }

  mutating func parse() throws(ExpressionError) -> ExpressionNode {
    if take("(?i)") { ignoresCase = true }
    let node = try alternatives()
    guard rest.isEmpty else { throw ExpressionError("a ) closes nothing; write \\) for the character") }
    return node
  }

  private mutating func take(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    guard rest.starts(with: scalars) else { return false }
    rest = rest.dropFirst(scalars.count)
    return true
  }

  private mutating func alternatives() throws(ExpressionError) -> ExpressionNode {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthMax else { throw ExpressionError("more than \(Self.depthMax) groups stand inside each other") }
    var ways = [try sequence()]
    while take("|") { ways.append(try sequence()) }
    return ways.count == 1 ? ways[0] : .either(ways)
  }

  private mutating func sequence() throws(ExpressionError) -> ExpressionNode {
    var parts: [ExpressionNode] = []
    while let next = rest.first, next != "|", next != ")" { parts.append(try repeated(try atom())) }
    return parts.count == 1 ? parts[0] : parts.isEmpty ? .nothing : .sequence(parts)
  }

  private mutating func repeated(_ part: ExpressionNode) throws(ExpressionError) -> ExpressionNode {
    let least: Int
    let most: Int?
    if take("*") {
      (least, most) = (0, nil)
    } else if take("+") {
      (least, most) = (1, nil)
    } else if take("?") {
      (least, most) = (0, 1)
    } else if take("{") {
      (least, most) = try counts()
    } else {
      return part
    }
    let isLazy = take("?")
    if let next = rest.first, ["*", "+", "?", "{"].contains(next) {
      throw ExpressionError(
        "\(next) follows another repetition; put that one in a group, or write \\\(next) for the character")
    }
    if part.canBeNothing, most == nil {
      throw ExpressionError(
        "the repeated part can match nothing, so the repetition has no end; let it match at least one character")
    }
    return .repeated(part, least: least, most: most, isLazy: isLazy)
  }

  /// The counts of `{3}`, `{3,}` and `{3,5}`.
  private mutating func counts() throws(ExpressionError) -> (Int, Int?) {
    let text = rest.prefix { $0 != "}" }
    rest = rest.dropFirst(text.count)
    let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
    let numbers = parts.map { part in
      part.allSatisfy(Self.digits.contains) ? Int(String(String.UnicodeScalarView(part))) : nil
    }
    let isOpen = parts.count == 2 && parts[1].isEmpty
    guard take("}"), let least = numbers[0], isOpen || numbers.count == 1 || numbers[1] != nil else {
      throw ExpressionError("a count is written such as {3}, {3,} or {3,5}; write \\{ for the character")
    }
    let most = isOpen ? nil : numbers.count == 1 ? least : numbers[1]
    guard most ?? least >= least, least <= Expression.instructionCountMax, most ?? 0 <= Expression.instructionCountMax else {
      throw ExpressionError("{\(String(String.UnicodeScalarView(text)))} is no count from less to more")
    }
    return (least, most)
  }

  private mutating func atom() throws(ExpressionError) -> ExpressionNode {
    guard let next = rest.popFirst() else { return .nothing }
    switch next {
    case ".": return .one(.any)
    case "^": return .start
    case "$": return .end
    case "[": return .one(folded(try set()))
    case "(": return try group()
    case "*", "+", "?", "{":
      throw ExpressionError("\(next) stands behind nothing that it could repeat; write \\\(next) for the character")
    case "\\": return .one(folded(try escaped()))
    default: return .one(folded(CharacterRanges([next.value...next.value])))
    }
  }

  private func folded(_ set: CharacterRanges) -> CharacterRanges { ignoresCase ? set.withBothCases : set }

  private mutating func group() throws(ExpressionError) -> ExpressionNode {
    var number: Int?
    if take("?:") {
      number = nil
    } else if take("?<"), rest.first != "=", rest.first != "!" {
      let name = String(String.UnicodeScalarView(rest.prefix { $0 != ">" }))
      rest = rest.dropFirst(name.unicodeScalars.count)
      let isName =
        name.first?.isLetter == true && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      guard take(">"), isName, names[name] == nil else {
        throw ExpressionError("a group with a name is written (?<lot>…), each name once, of letters and digits")
      }
      number = try newGroup()
      names[name] = number
    } else if rest.first == "?" || rest.first == "=" || rest.first == "!" {
      throw ExpressionError("only (…), (?:…), (?<name>…) and (?i) at the beginning are read; looking ahead and back is not")
    } else {
      number = try newGroup()
    }
    let node = try alternatives()
    guard take(")") else { throw ExpressionError("a ( is not closed; write \\( for the character") }
    return number.map { .group(node, $0) } ?? node
  }

  private mutating func newGroup() throws(ExpressionError) -> Int {
    groupCount += 1
    guard groupCount <= Expression.groupCountMax else {
      throw ExpressionError(
        "more than \(Expression.groupCountMax) groups keep their text; write (?:…) for those that need not")
    }
    return groupCount
  }

  /// The characters that an escape after a backslash means.
  private mutating func escaped() throws(ExpressionError) -> CharacterRanges {
    guard let next = rest.popFirst() else { throw ExpressionError("it ends with a backslash; write \\\\ for the character") }
    switch next {
    case "d": return .digit
    case "D": return .digit.inverted
    case "w": return .word
    case "W": return .word.inverted
    case "s": return .space
    case "S": return .space.inverted
    case "t": return CharacterRanges([0x09...0x09])
    case "n": return CharacterRanges([0x0A...0x0A])
    case "r": return CharacterRanges([0x0D...0x0D])
    case "x":
      let digits = String(String.UnicodeScalarView(rest.prefix(2)))
      guard digits.utf8.count == 2, let value = UInt32(digits, radix: 16) else {
        throw ExpressionError("\\x needs two hexadecimal digits, such as \\x1D")
      }
      rest = rest.dropFirst(2)
      return CharacterRanges([value...value])
    default:
      guard next.isASCII, !next.properties.isAlphabetic, !Self.digits.contains(next) else {
        throw ExpressionError("\\\(next) is not read; there are \\d \\D \\w \\W \\s \\S \\t \\n \\r and \\x1D")
      }
      return CharacterRanges([next.value...next.value])
    }
  }

  /// A set in brackets.
  private mutating func set() throws(ExpressionError) -> CharacterRanges {
    let isInverted = take("^")
    var set = CharacterRanges()
    var isFirst = true
    while let next = rest.popFirst() {
      if next == "]", !isFirst { return isInverted ? set.inverted : set }
      isFirst = false
      if next == "[" { throw ExpressionError("sets do not stand inside each other; write \\[ for the character") }
      let one = next == "\\" ? try escaped() : CharacterRanges([next.value...next.value])
      guard rest.first == "-", rest.dropFirst().first != "]", let from = one.only else {
        set.formUnion(one)
        continue
      }
      rest.removeFirst()
      guard let end = rest.popFirst() else { break }
      let last = end == "\\" ? try escaped().only : end.value
      guard let last, last >= from else { throw ExpressionError("a range goes from less to more, such as a-z") }
      set.insert(from...last)
    }
    throw ExpressionError("a [ is not closed; write \\[ for the character")
  }
}
