// Makes Aztec symbols from ISO/IEC 24778, without any of the decoder's code: codes to bits, bits to codewords, check
// codewords, modules.

/// The bits of a message.
struct AztecBits {
  var bits: [Bool] = []

  mutating func append(_ value: Int, _ count: Int) {
    for bit in stride(from: count - 1, through: 0, by: -1) { bits.append(value >> bit & 1 == 1) }
  }

  /// Appends codes of five bits.
  mutating func append(_ codes: [Int]) {
    for code in codes { append(code, 5) }
  }

  /// Appends capital letters and spaces, in the table with which a message begins.
  mutating func appendUpper(_ text: String) {
    for byte in text.utf8 { append(byte == 0x20 ? 1 : Int(byte) - 0x41 + 2, 5) }
  }

  /// Appends bytes after a binary shift.
  mutating func appendBytes(_ bytes: [UInt8]) {
    append(31, 5)
    if bytes.count < 32 {
      append(bytes.count, 5)
    } else {
      append(0, 5)
      append(bytes.count - 31, 11)
    }
    for byte in bytes { append(Int(byte), 8) }
  }

  /// Codewords of `width` bits: if their first bits are all equal, the opposite bit is stuffed in; ones fill the last
  /// codeword.
  func codewords(width: Int) -> [Int] {
    var rest = bits[...]
    var codewords: [Int] = []
    while !rest.isEmpty {
      var word = Array(rest.prefix(width - 1))
      word += [Bool](repeating: true, count: width - 1 - word.count)
      let isAlike = word.allSatisfy { $0 == word[0] }
      rest = rest.dropFirst(width - 1)
      word.append(isAlike ? !word[0] : rest.popFirst() ?? true)
      codewords.append(word.reduce(0) { $0 << 1 | ($1 ? 1 : 0) })
    }
    return codewords
  }
}

/// A symbol as modules; true is dark.
struct AztecDrawing {
  let isCompact: Bool
  let layers: Int
  let size: Int
  private(set) var modules: [[Bool]]

  static let fields = [4: 0x13, 6: 0x43, 8: 0x12D, 10: 0x409, 12: 0x1069]

  static func codewordBits(layers: Int) -> Int { layers < 3 ? 6 : layers < 9 ? 8 : layers < 23 ? 10 : 12 }

  static func bitCount(isCompact: Bool, layers: Int) -> Int { layers * ((isCompact ? 88 : 112) + 16 * layers) }

  /// Makes a symbol from bits, with as many check codewords as fit.
  init(_ bits: AztecBits, isCompact: Bool, layers: Int, isReaderInitialisation: Bool = false) {
    let width = AztecDrawing.codewordBits(layers: layers)
    let count = AztecDrawing.bitCount(isCompact: isCompact, layers: layers) / width
    let data = bits.codewords(width: width)
    precondition(data.count + 3 <= count)
    let all = data + AztecDrawing.checkCodewords(data, count: count - data.count, width: width)
    self.init(
      codewords: all, dataCount: data.count, isCompact: isCompact, layers: layers,
      isReaderInitialisation: isReaderInitialisation)
  }

  /// Makes a symbol from text in bytes.
  init(_ text: String, isCompact: Bool, layers: Int) {
    var bits = AztecBits()
    bits.appendBytes(Array(text.utf8))
    self.init(bits, isCompact: isCompact, layers: layers)
  }

  /// Makes a symbol from all its codewords.
  init(codewords: [Int], dataCount: Int, isCompact: Bool, layers: Int, isReaderInitialisation: Bool = false) {
    self.init(emptyCompact: isCompact, layers: layers)
    let flag = isReaderInitialisation ? (isCompact ? 0x20 : 0x400) : 0
    let message = isCompact ? (layers - 1) << 6 | (dataCount - 1) | flag : (layers - 1) << 11 | (dataCount - 1) | flag
    let words = (0..<(isCompact ? 2 : 4)).map { message >> (4 * ((isCompact ? 1 : 3) - $0)) & 15 }
    drawMode(words + AztecDrawing.checkCodewords(words, count: isCompact ? 5 : 6, width: 4))
    drawLayers(codewords)
  }

  /// A rune: a compact core without layers.
  init(rune: Int) {
    self.init(emptyCompact: true, layers: 0)
    let words = [rune >> 4, rune & 15]
    drawMode((words + AztecDrawing.checkCodewords(words, count: 5, width: 4)).map { $0 ^ 0b1010 })
  }

  private init(emptyCompact isCompact: Bool, layers: Int) {
    self.isCompact = isCompact
    self.layers = layers
    if isCompact {
      size = 11 + 4 * layers
    } else {
      // Half the symbol without lines, and a line at every sixteenth module, the first through the centre.
      let half = 7 + 2 * layers
      size = 2 * (half + (half - 1) / 15) + 1
    }
    modules = [[Bool]](repeating: [Bool](repeating: false, count: size), count: size)
    let center = size / 2
    for y in -center...center {
      for x in -center...center {
        let ring = max(abs(x), abs(y))
        if ring < (isCompact ? 5 : 7) {
          modules[center + y][center + x] = ring % 2 == 0
        } else if !isCompact, x % 16 == 0 || y % 16 == 0 {
          modules[center + y][center + x] = (x % 16 == 0 ? y : x) % 2 == 0
        }
      }
    }
    let reach = isCompact ? 5 : 7
    for (x, y) in [
      (-reach, -reach), (-reach + 1, -reach), (-reach, -reach + 1), (reach, -reach), (reach, -reach + 1), (reach, reach - 1),
    ] {
      modules[center + y][center + x] = true
    }
  }

  // MARK: Codewords

  static func multiply(_ a: Int, _ b: Int, width: Int) -> Int {
    var (a, b, product) = (a, b, 0)
    while b > 0 {
      if b & 1 == 1 { product ^= a }
      a <<= 1
      if a >> width == 1 { a ^= fields[width]! }
      b >>= 1
    }
    return product
  }

  /// The remainder of the data, followed by zeros, by the generator polynomial with the roots α, α², …
  static func checkCodewords(_ data: [Int], count: Int, width: Int) -> [Int] {
    var generator = [1]
    var root = 2
    for _ in 0..<count {
      var next = generator + [0]
      for (index, coefficient) in generator.enumerated() { next[index + 1] ^= multiply(coefficient, root, width: width) }
      generator = next
      root = multiply(root, 2, width: width)
    }
    var remainder = data + [Int](repeating: 0, count: count)
    for index in data.indices where remainder[index] != 0 {
      let factor = remainder[index]
      for (offset, coefficient) in generator.enumerated() {
        remainder[index + offset] ^= multiply(coefficient, factor, width: width)
      }
    }
    return Array(remainder.suffix(count))
  }

  // MARK: Modules

  private mutating func drawMode(_ words: [Int]) {
    let center = size / 2
    let reach = isCompact ? 5 : 7
    let along = Array(-reach + 2...reach - 2).filter { isCompact || $0 != 0 }
    let places =
      along.map { ($0, -reach) } + along.map { (reach, $0) } + along.reversed().map { ($0, reach) }
      + along.reversed().map { (-reach, $0) }
    for (index, place) in places.enumerated() {
      modules[center + place.1][center + place.0] = words[index / 4] >> (3 - index % 4) & 1 == 1
    }
  }

  private mutating func drawLayers(_ codewords: [Int]) {
    let width = AztecDrawing.codewordBits(layers: layers)
    var bits = [Bool](repeating: false, count: AztecDrawing.bitCount(isCompact: isCompact, layers: layers) % width)
    for codeword in codewords { bits += (0..<width).map { codeword >> (width - 1 - $0) & 1 == 1 } }
    // Rows and columns without those of the reference grid.
    let lines = (0..<size).filter { isCompact || ($0 - size / 2) % 16 != 0 }
    var rest = bits[...]
    for layer in 0..<layers {
      // The lines of the ring; dominoes run down the left side and on around it, the outer module first.
      let ring = Array(lines[(2 * layer)..<(lines.count - 2 * layer)])
      let (outer, inner) = ((ring[0], ring[ring.count - 1]), (ring[1], ring[ring.count - 2]))
      for line in ring.dropLast(2) { for x in [outer.0, inner.0] { modules[line][x] = rest.popFirst()! } }
      for line in ring.dropLast(2) { for y in [outer.1, inner.1] { modules[y][line] = rest.popFirst()! } }
      for line in ring.reversed().dropLast(2) { for x in [outer.1, inner.1] { modules[line][x] = rest.popFirst()! } }
      for line in ring.reversed().dropLast(2) { for y in [outer.0, inner.0] { modules[y][line] = rest.popFirst()! } }
    }
  }

  /// Inverts a module, to damage the symbol.
  mutating func flip(column: Int, row: Int) { modules[row][column].toggle() }
}
