// The reading of a line, and the agreement of lines. A single line can be misread in a way that passes every check, so a
// text counts only with good margins and the support of several lines.

import BarcodeTypes

/// A text read from one line. Its bytes are in the buffer that was passed to the reader.
struct LinearCandidate: BitwiseCopyable {
  /// The most bytes in the text of a linear symbol.
  static let byteCountMax = 256

  var symbology: Symbology
  var aimModifier: UInt8
  var isGS1 = false
  /// Whether an optional check digit is right.
  var hasCheckDigit = false
  /// Whether the bars may be a piece of a longer symbol: the left half of an EAN-13 plus one bar looks like a UPC-E of
  /// number system 1, and a Codabar may end in the rest of a bar.
  var isPerhapsPiece = false
  /// Whether the symbol's outermost bars and spaces have the same widths at both ends.
  var hasSameGuards = false
  /// Whether the edges leave digits of EAN or UPC in doubt, and the grey values do not show them: the text counts only if another
  /// line reads it. The first line that reads it must be without doubt or fit well.
  var isDoubtful = false
  /// Whether two digits or more fit badly: a check digit detects one that is wrong, and misses two in some cases.
  var hasTwoDoubts = false
  /// Whether the text is no evidence of a light-on-dark symbol.
  var isDarkOnly = false
  /// Whether nothing but its bars speaks for the text: it has no check digit and short guards.
  var isUnprotected = false
  /// The part of the symbol at either end in which its spaces show how light its paper is: the number of its modules, of
  /// those of the whole symbol. Most have a character or two.
  var endPart = (modules: 1, of: 6)
  /// The two-dimensional component that the bars announce.
  var linkage = Linkage.none
  /// Whether it was joined from pieces that may be stacked.
  var isPerhapsStacked = false
  /// Approximate number of modules from its start to its end.
  var moduleCount: Int32 = 0
  /// The excess width of the bars of an EAN or UPC symbol, in modules times 256.
  var spread: Int32 = 0
  var byteCount = 0
  /// The length that the settings limit, where it is not that of the text.
  var limitedCount: Int?
  /// The ends of the symbol on the line, in samples times 256, in reading direction.
  var start: Int32 = 0
  var end: Int32 = 0
  /// How far the outermost bars reach beyond the symbol, in samples times 256: something dark lies next to them.
  var excess: (before: Int32, behind: Int32) = (0, 0)
  /// The mean squared misfit of the characters, in square modules times 65536.
  var misfit: Int32 = 0

  init(_ symbology: Symbology, aimModifier: UInt8) {
    self.symbology = symbology
    self.aimModifier = aimModifier
  }

  /// Sets the symbol's ends to two edges of a row.
  mutating func place(_ row: ElementRow, from first: Int, to last: Int, misfit: Int32) {
    start = row.edge(first)
    end = row.edge(last)
    // Elements have 1.6 modules on average.
    moduleCount = Int32(truncatingIfNeeded: (last - first) * 8 / 5)
    self.misfit = misfit
  }
}

/// The best matching pattern, and the misfit of the next best.
struct BestMatch {
  var value = 0
  /// The least misfit, and the next greater one.
  private(set) var misfit: Int32
  private(set) var second: Int32
  /// The pattern with the next greater misfit; meaningless if `second` is still the limit.
  private(set) var secondValue = 0

  /// Only patterns that fit better than these limits count.
  @inline(__always) init(misfitMax: Int32, secondMax: Int32) {
    misfit = misfitMax
    second = secondMax
  }

  /// Compares one more pattern; returns whether it is the best so far.
  @discardableResult
  @inline(__always) mutating func compare(_ value: Int, misfit: Int32) -> Bool {
    if misfit < self.misfit {
      second = self.misfit
      secondValue = self.value
      self.misfit = misfit
      self.value = value
      return true
    }
    if misfit < second {
      second = misfit
      secondValue = value
    }
    return false
  }
}

/// A text with the lines that support it.
struct LinearVote: BitwiseCopyable {
  var candidate: LinearCandidate
  var lineCount: Int
  /// The last line that counted for it.
  var lastLine: LineID
  /// The symbol's ends in the picture on its first line, in pixels times 65536, and that line's v.
  var startX: Int
  var startY: Int
  var endX: Int
  var endY: Int
  var v: Int
  /// The range of v of all its lines.
  var vMin: Int
  var vMax: Int
  /// Whether it will be reported.
  var isAccepted = false
  /// The pixels along the bars whose mean is a sample of its line.
  var rowCount: Int
  /// The index of its add-on's vote; -1 if it has none.
  var addOn = -1

  /// The misfit from which noise may be what two lines read alike: 0.3 square modules.
  private static let noisyMisfitMin: Int32 = 19_661

  /// Counts another line for the text. Where characters fit badly, at most half of its rows are those of lines that count: the same
  /// rows have the same noise.
  mutating func count(_ line: LinearVote) {
    guard line.lastLine != lastLine else { return }
    if min(candidate.misfit, line.candidate.misfit) >= LinearVote.noisyMisfitMin {
      let distance = line.rowCount << 15
      guard line.v >= vMax + distance || line.v <= vMin - distance else { return }
    }
    lastLine = line.lastLine
    lineCount += 1
    vMin = min(vMin, line.v)
    vMax = max(vMax, line.v)
  }
}

/// The texts read from the lines of a region.
@safe struct LinearVotes {
  /// The most different texts of a region; further ones are ignored.
  static let voteCountMax = 16

  private let votes: ScratchArray<LinearVote>
  private let texts: ScratchArray<UInt8>
  private(set) var count = 0

  /// Takes the memory of the votes.
  init(arena: inout Arena) throws(ArenaFull) {
    votes = try ScratchArray(LinearVotes.voteCountMax, arena: &arena)
    texts = try ScratchArray(LinearVotes.voteCountMax * LinearCandidate.byteCountMax, arena: &arena)
  }

  /// Forgets all votes.
  mutating func removeAll() { count = 0 }

  subscript(_ index: Int) -> LinearVote {
    get {
      precondition(index >= 0 && index < count)
      return votes[index]
    }
    nonmutating set {
      precondition(index >= 0 && index < count)
      votes[index] = newValue
    }
  }

  /// A byte of a vote's text.
  func byte(_ offset: Int, of index: Int) -> UInt8 {
    precondition(index >= 0 && index < count && offset >= 0 && offset < LinearCandidate.byteCountMax)
    return texts[index * LinearCandidate.byteCountMax + offset]
  }

  /// Counts a line for a text. Returns the index of the vote, or nil if there are too many.
  ///
  /// - Parameter vote: the line's own vote, stored if its text is new.
  mutating func add(_ vote: LinearVote, text: ScratchArray<UInt8>) -> Int? {
    if let index = index(of: vote, text: text) {
      votes[index].count(vote)
      if !vote.candidate.isDoubtful { votes[index].candidate.isDoubtful = false }
      if vote.candidate.misfit < votes[index].candidate.misfit {
        votes[index].candidate.misfit = vote.candidate.misfit
      }
      return index
    }
    guard count < LinearVotes.voteCountMax else { return nil }
    votes[count] = vote
    let base = count * LinearCandidate.byteCountMax
    for offset in 0..<vote.candidate.byteCount { texts[base + offset] = text[offset] }
    count += 1
    return count - 1
  }

  /// The vote for the same text in the same place; nil if no line has read it.
  func index(of vote: LinearVote, text: ScratchArray<UInt8>) -> Int? {
    for index in 0..<count where isSame(index, as: vote, text: text) { return index }
    return nil
  }

  /// The number of lines with a different text where vote `index` lies. If all lines of such a text are above, or all below,
  /// those of the vote, the text may be another symbol's, and its lines count as one.
  func oppositionCount(to index: Int) -> Int {
    let vote = votes[index]
    var opposition = 0
    for other in 0..<count where other != index {
      let rival = votes[other]
      guard LinearVotes.overlap(vote, rival) else { continue }
      opposition +=
        LinearVotes.isStacked(vote, rival) ? 1 : rival.lineCount
    }
    return opposition
  }

  /// Whether no accepted text lies in the same place.
  func isOpen(_ index: Int) -> Bool {
    let vote = votes[index]
    for other in 0..<count where other != index {
      let rival = votes[other]
      if rival.isAccepted, LinearVotes.overlap(vote, rival), !LinearVotes.isStacked(vote, rival) { return false }
    }
    return true
  }

  /// Whether any text may still be accepted.
  var hasOpen: Bool {
    for index in 0..<count where !votes[index].isAccepted {
      if isOpen(index) { return true }
    }
    return false
  }

  private static func isStacked(_ one: LinearVote, _ other: LinearVote) -> Bool {
    one.vMax < other.vMin || other.vMax < one.vMin
  }

  private func isSame(_ index: Int, as vote: LinearVote, text: ScratchArray<UInt8>) -> Bool {
    let known = votes[index]
    guard known.candidate.symbology == vote.candidate.symbology, known.candidate.byteCount == vote.candidate.byteCount,
      known.candidate.isGS1 == vote.candidate.isGS1, LinearVotes.overlap(known, vote)
    else { return false }
    let base = index * LinearCandidate.byteCountMax
    for offset in 0..<known.candidate.byteCount where texts[base + offset] != text[offset] { return false }
    return true
  }

  /// Whether the middle of one lies between the ends of the other, seen along the bars.
  private static func overlap(_ one: LinearVote, _ other: LinearVote) -> Bool {
    isInside(middleOf: one, other) || isInside(middleOf: other, one)
  }

  private static func isInside(middleOf one: LinearVote, _ other: LinearVote) -> Bool {
    let spanX = (other.endX - other.startX) >> 12
    let spanY = (other.endY - other.startY) >> 12
    let toX = ((one.startX + one.endX) / 2 - other.startX) >> 12
    let toY = ((one.startY + one.endY) / 2 - other.startY) >> 12
    let along = spanX * toX + spanY * toY
    return along >= 0 && along <= spanX * spanX + spanY * spanY
  }
}

/// The grey values' verdict on characters that edges gave.
enum GreyVerdict {
  case shown
  case denied
  /// The symbol does not match the model: it is creased, or something glares.
  case unclear
}
