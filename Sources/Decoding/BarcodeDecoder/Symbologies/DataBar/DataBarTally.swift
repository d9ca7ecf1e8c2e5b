// The readings of each piece of a GS1 DataBar symbol on the lines of a region. Rows of a stacked symbol are on different
// lines, and blur damages different characters on different lines. A piece counts once lines agree on it, regardless of the
// rest of those lines.

/// Readings of the pieces of a symbol, with their numbers of lines.
@safe struct DataBarTally {
  /// The most different readings of a piece. Further ones replace a reading that has a single line.
  private static let readingCountMax = 4
  /// Lines needed to agree on a piece, in addition to those of the strongest contradicting reading.
  private static let lineCountMin = 2

  /// One reading of a piece.
  struct Reading: BitwiseCopyable {
    var value: UInt32
    /// Its contribution to the symbol's check sum.
    var checkSum: UInt16
    var lineCount: UInt8
    /// The last line that counted, and its v in pixels times 65536.
    var lastLine: LineID
    var v: Int
    var misfit: Int32
    /// The place of a half; other pieces are placed by their number.
    var place = DataBarHalfPlace()
  }

  private let readings: UnsafeMutablePointer<Reading>
  private let counts: UnsafeMutablePointer<UInt8>
  private let pieceCount: Int
  /// Whether two lines agreed on some piece.
  private(set) var hasTrace = false

  /// Takes the memory of a tally.
  init(pieceCount: Int, arena: inout Arena) throws(ArenaFull) {
    unsafe readings = try arena.take(Reading.self, count: pieceCount * DataBarTally.readingCountMax)
    unsafe counts = try arena.take(UInt8.self, count: pieceCount)
    self.pieceCount = pieceCount
    for piece in 0..<pieceCount { unsafe counts[piece] = 0 }
  }

  /// Forgets all readings.
  mutating func removeAll() {
    for piece in 0..<pieceCount { unsafe counts[piece] = 0 }
    hasTrace = false
  }

  /// Counts a line for a reading. Returns the reading's number of lines.
  mutating func add(_ reading: Reading, to piece: Int) -> Int {
    precondition(piece >= 0 && piece < pieceCount)
    let base = unsafe readings + piece * DataBarTally.readingCountMax
    let count = unsafe Int(counts[piece])
    for index in 0..<count where unsafe base[index].value == reading.value && base[index].checkSum == reading.checkSum {
      if unsafe base[index].lastLine != reading.lastLine {
        unsafe base[index].lastLine = reading.lastLine
        unsafe base[index].lineCount = min(200, base[index].lineCount) + 1
        hasTrace = true
      }
      unsafe base[index].misfit = min(base[index].misfit, reading.misfit)
      return unsafe Int(base[index].lineCount)
    }
    if count < DataBarTally.readingCountMax {
      unsafe base[count] = reading
      unsafe counts[piece] += 1
    } else {
      for index in 0..<count where unsafe base[index].lineCount == 1 {
        unsafe base[index] = reading
        break
      }
    }
    return 1
  }

  /// A reading of a piece, by index from 0; nil past the last one.
  func reading(_ index: Int, of piece: Int) -> Reading? {
    precondition(piece >= 0 && piece < pieceCount)
    guard unsafe index < Int(counts[piece]) else { return nil }
    return unsafe readings[piece * DataBarTally.readingCountMax + index]
  }

  /// The reading that lines agree on; nil if they do not, or if there are too few.
  func agreed(_ piece: Int) -> Reading? {
    precondition(piece >= 0 && piece < pieceCount)
    let base = unsafe readings + piece * DataBarTally.readingCountMax
    var best = -1
    var first = 0
    var second = 0
    for index in 0..<(unsafe Int(counts[piece])) {
      let lines = unsafe Int(base[index].lineCount)
      if lines > first {
        second = first
        first = lines
        best = index
      } else {
        second = max(second, lines)
      }
    }
    guard first >= DataBarTally.lineCountMin + second else { return nil }
    return unsafe base[best]
  }
}
