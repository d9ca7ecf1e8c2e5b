// The ring around the bullseye: the symbol's orientation and its format (ISO/IEC 24778 §7.2.3, §7.3.4, Annex A).

/// The content of the mode message.
struct AztecMode: Equatable, BitwiseCopyable {
  var format: AztecFormat
  /// Number of data codewords; 0 for a rune.
  var dataCount: Int
  /// The number encoded in a rune.
  var rune: Int?
  /// Number of wrong modules in the message.
  var wrongCount: Int

  /// Whether another message has the same content, regardless of its wrong modules.
  func isSame(as other: AztecMode) -> Bool {
    format == other.format && dataCount == other.dataCount && rune == other.rune
  }
}

/// One of the eight orientations of a square.
struct AztecOrientation: Equatable, BitwiseCopyable {
  /// Quarter turns clockwise, 0…3.
  var turns: Int
  /// Whether rows and columns are swapped before turning.
  var isMirrored: Bool

  init(index: Int) {
    turns = index & 3
    isMirrored = index & 4 != 0
  }

  /// The place of an offset from the symbol's centre in a grid that contains the symbol in this orientation.
  @inline(__always) func place(_ x: Int, _ y: Int) -> (x: Int, y: Int) {
    let (a, b) = isMirrored ? (y, x) : (x, y)
    switch turns {
    case 0: return (a, b)
    case 1: return (-b, a)
    case 2: return (-a, -b)
    default: return (b, -a)
    }
  }

  /// The reference points of a grid in the order of the symbol.
  func turned(_ quad: SubpixelQuad) -> SubpixelQuad {
    SubpixelQuad(
      topLeft: corner(quad, -1, -1), topRight: corner(quad, 1, -1), bottomRight: corner(quad, 1, 1),
      bottomLeft: corner(quad, -1, 1))
  }

  private func corner(_ quad: SubpixelQuad, _ x: Int, _ y: Int) -> SubpixelPoint {
    let (placeX, placeY) = place(x, y)
    return placeY < 0 ? (placeX < 0 ? quad.topLeft : quad.topRight) : (placeX < 0 ? quad.bottomLeft : quad.bottomRight)
  }
}

/// Reads the rings of mode messages.
@safe struct AztecModeReader {
  /// All mode messages of compact symbols; bit 27 is the first module.
  private let compactWords: ScratchArray<UInt32>
  private let codewords: ScratchArray<UInt16>
  private let erasures: ScratchArray<UInt16>
  private let reedSolomon: ReedSolomon<GaloisField>

  /// The most wrong modules in a compact message. Different messages differ in at least five of seven codewords, and so in
  /// at least five modules.
  private static let compactWrongMax = 4
  /// The most wrong modules in a rune, which nothing else protects.
  private static let runeWrongMax = 1
  /// Runes have every other module of the message inverted (Annex A).
  private static let runeMask: UInt32 = 0xAAA_AAAA

  init(arena: inout Arena) throws(ArenaFull) {
    let field = try GaloisField(polynomial: AztecTables.polynomial(bits: 4), arena: &arena)
    reedSolomon = try ReedSolomon(field: field, firstRoot: 1, checkCountMax: 6, arena: &arena)
    compactWords = try ScratchArray(256, arena: &arena)
    codewords = try ScratchArray(10, arena: &arena)
    erasures = try ScratchArray(6, arena: &arena)
    for message in 0..<256 { compactWords[message] = AztecModeReader.compactWord(message, field) }
  }

  /// Two data codewords and their five check codewords, the remainder of division by (x - α)(x - α²)…(x - α⁵).
  private static func compactWord(_ message: Int, _ field: GaloisField) -> UInt32 {
    var generator: [6 of Int] = [1, 0, 0, 0, 0, 0]
    for root in 1...5 {
      for place in stride(from: root, to: 0, by: -1) {
        generator[place] ^= field.multiply(generator[place - 1], field.power(root))
      }
    }
    var rest: [7 of Int] = [message >> 4, message & 15, 0, 0, 0, 0, 0]
    for place in 0..<2 {
      let factor = rest[place]
      for index in 0..<6 { rest[place + index] ^= field.multiply(generator[index], factor) }
    }
    var word = UInt32(message)
    for place in 2..<7 { word = word << 4 | UInt32(rest[place]) }
    return word
  }

  /// Number of modules, out of the twelve of the orientation marks, that are right in an orientation.
  func orientationAgreement(_ values: ScratchArray<Int16>, isCompact: Bool, orientation: AztecOrientation) -> Int {
    let reach = isCompact ? 5 : 7
    let size = 2 * reach + 1
    var count = 0
    for corner in 0..<4 {
      for place in 0..<3 {
        let offset = AztecLayout.markOffset(corner: corner, place: place, reach: reach)
        let (x, y) = orientation.place(offset.x, offset.y)
        let isDark = values[(reach + y) * size + reach + x] > 0
        if isDark == AztecLayout.isMarkDark(corner: corner, place: place) { count += 1 }
      }
    }
    return count
  }

  /// Reads the message from the values of a core's modules.
  func read(_ values: ScratchArray<Int16>, isCompact: Bool, orientation: AztecOrientation) -> AztecMode? {
    isCompact ? readCompact(values, orientation) : readFull(values, orientation)
  }

  @inline(__always) private func value(
    _ values: ScratchArray<Int16>, _ index: Int, isCompact: Bool, _ orientation: AztecOrientation
  ) -> Int {
    let reach = isCompact ? 5 : 7
    let offset = AztecLayout.modeOffset(index, isCompact: isCompact)
    let (x, y) = orientation.place(offset.x, offset.y)
    return Int(values[(reach + y) * (2 * reach + 1) + reach + x])
  }

  /// Compares all messages, as there are so few, and takes the one that agrees best in grey.
  private func readCompact(_ values: ScratchArray<Int16>, _ orientation: AztecOrientation) -> AztecMode? {
    var soft: [28 of Int] = .init(repeating: 0)
    var hard: UInt32 = 0
    for index in 0..<28 {
      soft[index] = value(values, index, isCompact: true, orientation)
      hard = hard << 1 | (soft[index] > 0 ? 1 : 0)
    }
    var best = -1
    var bestSum = 0
    var second = 0
    for candidate in 0..<512 {
      let word = compactWords[candidate & 255] ^ (candidate >= 256 ? AztecModeReader.runeMask : 0)
      // A message that differs in many modules cannot be the best.
      if (word ^ hard).nonzeroBitCount > 8 { continue }
      var sum = 0
      for index in 0..<28 { sum += word >> UInt32(27 - index) & 1 == 1 ? soft[index] : -soft[index] }
      if sum > bestSum {
        second = bestSum
        bestSum = sum
        best = candidate
      } else if sum > second {
        second = sum
      }
    }
    guard best >= 0, second * 8 < bestSum * 7 else { return nil }
    let isRune = best >= 256
    let word = compactWords[best & 255] ^ (isRune ? AztecModeReader.runeMask : 0)
    let wrong = (word ^ hard).nonzeroBitCount
    guard wrong <= (isRune ? AztecModeReader.runeWrongMax : AztecModeReader.compactWrongMax) else { return nil }
    if isRune {
      return AztecMode(
        format: AztecFormat(isCompact: true, layers: 0), dataCount: 0, rune: best & 255, wrongCount: wrong)
    }
    let layers = best >> 6 + 1
    // A single layer does not need the highest bit of the count: it marks a message that sets up the reader (§9).
    let count = layers == 1 ? best & 0x1F : best & 0x3F
    return mode(isCompact: true, layers: layers, dataCount: count + 1, wrongCount: wrong)
  }

  /// Reads four data codewords and six check codewords; if necessary, erases the two or four least certain ones.
  private func readFull(_ values: ScratchArray<Int16>, _ orientation: AztecOrientation) -> AztecMode? {
    var certainty: [10 of Int] = .init(repeating: Int.max)
    for erasureCount in 0..<3 {
      for place in 0..<10 {
        var codeword = 0
        for bit in 0..<4 {
          let value = value(values, place * 4 + bit, isCompact: false, orientation)
          codeword = codeword << 1 | (value > 0 ? 1 : 0)
          certainty[place] = min(certainty[place], abs(value))
        }
        codewords[place] = UInt16(codeword)
      }
      for erasure in 0..<(2 * erasureCount) {
        var least = -1
        for place in 0..<10 {
          var isKnown = false
          for known in 0..<erasure where Int(erasures[known]) == place { isKnown = true }
          if !isKnown, least < 0 || certainty[place] < certainty[least] { least = place }
        }
        erasures[erasure] = UInt16(least)
      }
      guard
        reedSolomon.correct(
          codewords, count: 10, checkCount: 6, erasures: erasures, erasureCount: 2 * erasureCount,
          correctionMax: erasureCount == 0 ? 3 : 2 - erasureCount) != nil
      else { continue }
      var wrong = 0
      for index in 0..<40 {
        let isDark = codewords[index / 4] >> UInt16(3 - index % 4) & 1 == 1
        if (value(values, index, isCompact: false, orientation) > 0) != isDark { wrong += 1 }
      }
      let message =
        Int(codewords[0]) << 12 | Int(codewords[1]) << 8 | Int(codewords[2]) << 4 | Int(codewords[3])
      let layers = message >> 11 + 1
      let count = layers <= 22 ? message & 0x3FF : message & 0x7FF
      if let mode = mode(isCompact: false, layers: layers, dataCount: count + 1, wrongCount: wrong) { return mode }
    }
    return nil
  }

  /// Nil if a symbol with these layers cannot hold that much data with the least error correction, three codewords.
  private func mode(isCompact: Bool, layers: Int, dataCount: Int, wrongCount: Int) -> AztecMode? {
    let format = AztecFormat(isCompact: isCompact, layers: layers)
    guard dataCount + 3 <= format.codewordCount else { return nil }
    return AztecMode(format: format, dataCount: dataCount, rune: nil, wrongCount: wrongCount)
  }
}
