// Regular expressions with bounded time. Swift's own Regex backtracks: a label can make it run for hours, and it cannot be
// stopped. This is the part of its syntax that needs no backtracking, matched along all paths at once (Thompson 1968; Pike's
// threads keep the captures): per character, it takes at most as many steps as the expression has instructions.

/// The work that a scan may cost in all its rules together.
public struct RuleBudget: Equatable, Sendable {
  /// The most steps per scan; a step is an instruction of an expression, eight noted places of groups, or a rewritten character. Of 1000
  /// hostile labels and sets of rules, the slowest took 1.2 ms.
  public static let stepCountMax = 80_000

  /// The remaining steps.
  public private(set) var stepCount: Int

  public init(stepCount: Int = RuleBudget.stepCountMax) { self.stepCount = stepCount }

  /// Whether a request exceeded the remaining steps.
  public private(set) var isExhausted = false

  /// Spends steps; false if too few remain.
  mutating func spend(_ count: Int) -> Bool {
    guard count <= stepCount else {
      isExhausted = true
      return false
    }
    stepCount -= count
    return true
  }
}

/// A set of characters.
struct CharacterRanges: Equatable, Sendable {
  private var ranges: [ClosedRange<UInt32>] = []
  private var isInverted = false

  static let any = CharacterRanges([0...0x10_FFFF])
  static let digit = CharacterRanges([0x30...0x39])
  static let word = CharacterRanges([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  static let space = CharacterRanges([0x09...0x0D, 0x20...0x20])

  init(_ ranges: [ClosedRange<UInt32>] = []) { self.ranges = ranges }

  var inverted: CharacterRanges {
    var other = self
    other.isInverted.toggle()
    return other
  }

  /// Its only character; nil if it has several.
  var only: UInt32? {
    guard ranges.count == 1, !isInverted, ranges[0].lowerBound == ranges[0].upperBound else { return nil }
    return ranges[0].lowerBound
  }

  mutating func insert(_ range: ClosedRange<UInt32>) { ranges.append(range) }

  /// Adds another set, which may be inverted.
  mutating func formUnion(_ other: CharacterRanges) {
    guard other.isInverted else { return ranges += other.ranges }
    var next: UInt32 = 0
    for range in other.ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if range.lowerBound > next { ranges.append(next...(range.lowerBound - 1)) }
      next = max(next, range.upperBound + 1)
    }
    if next <= 0x10_FFFF { ranges.append(next...0x10_FFFF) }
  }

  /// This set with both cases of each ASCII letter.
  var withBothCases: CharacterRanges {
    var both = self
    for range in ranges {
      for (letters, other) in [(UInt32(0x41)...0x5A, Int64(0x20)), (UInt32(0x61)...0x7A, Int64(-0x20))] {
        let common = range.clamped(to: letters)
        guard range.overlaps(letters) else { continue }
        both.ranges.append(UInt32(Int64(common.lowerBound) + other)...UInt32(Int64(common.upperBound) + other))
      }
    }
    return both
  }

  @inline(__always) func contains(_ character: UInt32) -> Bool {
    for range in ranges where range.contains(character) { return !isInverted }
    return isInverted
  }
}

/// An error in an expression, with advice how to write it.
public struct ExpressionError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// A compiled expression. It matches the whole text or does not match.
public struct Expression: Equatable, Sendable {
  /// The longest expression, in characters.
  public static let countMax = 200
  /// The most instructions; a repetition of 1 to 20 needs those of its content 20 times.
  public static let instructionCountMax = 512
  /// The most capturing groups.
  public static let groupCountMax = 9

  enum Instruction: Equatable, Sendable {
    case one(CharacterRanges)
    /// Continues at the first address; if that fails, at the second.
    case split(Int, Int)
    case jump(Int)
    /// Records the position in the text.
    case save(Int)
    case start
    case end
    case match
  }

  public let source: String
  private(set) var code: [ExpressionCode] = []
  private var sets: [CharacterTest] = []
  /// The number of capturing groups, without the whole match.
  public internal(set) var groupCount = 0
  /// The numbers of named groups.
  public internal(set) var names: [String: Int] = [:]

  /// Compiles an expression.
  public init(_ source: String) throws(ExpressionError) {
    self.source = source
    guard source.count <= Expression.countMax else {
      throw ExpressionError("it has \(source.count) characters; write at most \(Expression.countMax)")
    }
    var parser = ExpressionParser(source)
    let node = try parser.parse()
    (groupCount, names) = (parser.groupCount, parser.names)
    guard node.instructionCount + 3 <= Expression.instructionCountMax else {
      throw ExpressionError(
        "it needs \(node.instructionCount + 3) instructions; at most \(Expression.instructionCountMax) fit: repeat less")
    }
    var program: [Instruction] = [.save(0)]
    node.append(to: &program)
    program += [.save(1), .match]
    for instruction in program { append(instruction) }
  }

  private mutating func append(_ instruction: Instruction) {
    func added(_ kind: ExpressionCode.Kind, _ first: Int = 0, _ second: Int = 0) -> ExpressionCode {
      ExpressionCode(kind: kind, first: Int32(first), second: Int32(second))
    }
    switch instruction {
    case .one(let set):
      let test = CharacterTest(set)
      let place = sets.firstIndex(of: test) ?? sets.count
      if place == sets.count { sets.append(test) }
      code.append(added(.one, place))
    case .split(let first, let second): code.append(added(.split, first, second))
    case .jump(let place): code.append(added(.jump, place))
    case .save(let slot): code.append(added(.save, slot))
    case .start: code.append(added(.start))
    case .end: code.append(added(.end))
    case .match: code.append(added(.match))
    }
  }

  /// The outcome of a search.
  enum Outcome: Equatable {
    case none
    /// The ranges of the whole match and of the groups; nil for groups that took no part.
    case match([Range<Int>?])
    case exhausted
  }

  /// Matches the whole text.
  func match(_ text: [UInt32], _ budget: inout RuleBudget) -> Outcome {
    // Two sets of threads with their captures, and the last position at which each instruction was reached.
    let slotCount = 2 * (groupCount + 1)
    let wayCount = code.count
    return withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * wayCount * (slotCount + 1) + wayCount + slotCount) {
      room in
      text.withUnsafeBufferPointer { text in
        code.withUnsafeBufferPointer { code in
          sets.withUnsafeBufferPointer { sets in
            var run = ExpressionRun(code, sets, text, slotCount, room, budget)
            let outcome = run.match()
            budget = run.budget
            return outcome
          }
        }
      }
    }
  }
}

/// An instruction in the form that the search uses.
struct ExpressionCode: Equatable, Sendable {
  enum Kind: UInt8, Sendable { case one, split, jump, save, start, end, match }

  let kind: Kind
  /// The set of `one`, the slot of `save`, the target of `jump`, the preferred target of `split`.
  let first: Int32
  let second: Int32
}

/// A set of characters, prepared for lookup.
struct CharacterTest: Equatable, Sendable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0
  /// For characters beyond ASCII.
  private let ranges: CharacterRanges

  init(_ ranges: CharacterRanges) {
    self.ranges = ranges
    for character in UInt32(0)..<128 where ranges.contains(character) {
      if character < 64 { low |= 1 << UInt64(character) } else { high |= 1 << UInt64(character - 64) }
    }
  }

  @inline(__always) func contains(_ character: UInt32) -> Bool {
    if character < 64 { return low >> UInt64(character) & 1 == 1 }
    if character < 128 { return high >> UInt64(character - 64) & 1 == 1 }
    return ranges.contains(character)
  }
}

/// A search: all threads through the program at once, in order of preference.
private struct ExpressionRun {
  private let code: UnsafeBufferPointer<ExpressionCode>
  private let sets: UnsafeBufferPointer<CharacterTest>
  private let text: UnsafeBufferPointer<UInt32>
  private let slotCount: Int
  var budget: RuleBudget
  /// The threads that wait for a character, in order of preference, with their captures: for the current and the next
  /// character.
  private var ways: UnsafeMutablePointer<Int32>
  private var notes: UnsafeMutablePointer<Int32>
  private var nextWays: UnsafeMutablePointer<Int32>
  private var nextNotes: UnsafeMutablePointer<Int32>
  private var nextCount = 0
  /// Places that are copied at the cost of an instruction.
  private static let slotCountPerStep = 8
  /// The last text position at which each instruction was reached.
  private let reached: UnsafeMutablePointer<Int32>
  /// The captures of the thread being followed.
  private let own: UnsafeMutablePointer<Int32>

  init(
    _ code: UnsafeBufferPointer<ExpressionCode>, _ sets: UnsafeBufferPointer<CharacterTest>,
    _ text: UnsafeBufferPointer<UInt32>, _ slotCount: Int, _ room: UnsafeMutableBufferPointer<Int32>, _ budget: RuleBudget
  ) {
    (self.code, self.sets, self.text, self.slotCount, self.budget) = (code, sets, text, slotCount, budget)
    room.initialize(repeating: -1)
    let base = room.baseAddress!
    let count = code.count
    ways = base
    nextWays = base + count
    notes = base + 2 * count
    nextNotes = notes + count * slotCount
    reached = nextNotes + count * slotCount
    own = reached + count
  }

  mutating func match() -> Expression.Outcome {
    follow(0, at: 0)
    for place in 0...text.count {
      swap(&ways, &nextWays)
      swap(&notes, &nextNotes)
      let count = nextCount
      nextCount = 0
      if count == 0 { break }
      for index in 0..<count {
        let address = Int(ways[index])
        if place == text.count {
          // The text must match to its end; the first such thread is the preferred one.
          if code[address].kind == .match { return .match(places(notes + index * slotCount)) }
          continue
        }
        guard code[address].kind == .one, sets[Int(code[address].first)].contains(text[place]) else { continue }
        own.update(from: notes + index * slotCount, count: slotCount)
        follow(Int32(address + 1), at: Int32(place + 1))
      }
      if budget.isExhausted { break }
    }
    return budget.isExhausted ? .exhausted : .none
  }

  /// Follows a thread up to the characters that it waits for.
  private mutating func follow(_ address: Int32, at place: Int32) {
    var address = address
    while reached[Int(address)] != place, budget.spend(1) {
      reached[Int(address)] = place
      let one = code[Int(address)]
      switch one.kind {
      case .jump: address = one.first
      case .split:
        follow(one.first, at: place)
        address = one.second
      case .save:
        let before = own[Int(one.first)]
        own[Int(one.first)] = place
        follow(address + 1, at: place)
        own[Int(one.first)] = before
        return
      case .start:
        guard place == 0 else { return }
        address += 1
      case .end:
        guard place == Int32(text.count) else { return }
        address += 1
      case .one, .match:
        guard budget.spend(slotCount / Self.slotCountPerStep) else { return }
        nextWays[nextCount] = address
        (nextNotes + nextCount * slotCount).update(from: own, count: slotCount)
        nextCount += 1
        return
      }
    }
  }

  private func places(_ slots: UnsafeMutablePointer<Int32>) -> [Range<Int>?] {
    stride(from: 0, to: slotCount, by: 2).map {
      slots[$0] >= 0 && slots[$0 + 1] >= 0 ? Int(slots[$0])..<Int(slots[$0 + 1]) : nil
    }
  }
}
