// What the lines of a region say of each piece of a GS1 DataBar symbol. Rows of a stacked symbol are on different lines, and blur
// spoils now this character and now that one; a piece counts when lines agree on it, whatever else they were read as.

/// Readings of the pieces of a symbol, with how many lines say so.
@safe struct DataBarTally {
  /// The most different readings of a piece; of more the newest takes the place of one that a single line has.
  private static let readingCountMax = 4
  /// Lines that must say the same of a piece, plus those of the strongest reading that contradicts it.
  private static let lineCountMin = 2

  /// One reading of a piece.
  struct Reading: BitwiseCopyable {
    var value: UInt32
    /// Its part of the symbol's check sum.
    var checkSum: UInt16
    var lineCount: UInt8
    /// The last line that counted, and its v in pixels times 65536.
    var lastLine: Int32
    var v: Int
    var misfit: Int32
    /// Where halves lie; what else a piece may be is placed by its number.
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

  /// Counts a line for a reading. Returns how many lines it has.
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

  /// One of the readings of a piece, by number from 0; nil if there are no more.
  func reading(_ index: Int, of piece: Int) -> Reading? {
    precondition(piece >= 0 && piece < pieceCount)
    guard unsafe index < Int(counts[piece]) else { return nil }
    return unsafe readings[piece * DataBarTally.readingCountMax + index]
  }

  /// What lines agree a piece is; nil if they do not, or there are too few.
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
