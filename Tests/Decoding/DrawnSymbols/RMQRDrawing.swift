// Makes rMQR symbols from ISO/IEC 23941:2022, without any of the decoder's code. Only sizes, levels and the division into
// blocks come from the decoder's table, which has its own tests.

@testable import BarcodeDecoder

/// The bits of a message.
struct RMQRBits {
  let format: RMQRFormat
  private(set) var bits: [Bool] = []

  init(_ format: RMQRFormat) { self.format = format }

  mutating func append(_ value: Int, _ count: Int) {
    for bit in stride(from: count - 1, through: 0, by: -1) { bits.append(value >> bit & 1 == 1) }
  }

  mutating func appendDigits(_ text: String) {
    append(1, 3)
    append(text.count, format.digitCountBits)
    var rest = Substring(text)
    while !rest.isEmpty {
      let group = rest.prefix(3)
      append(Int(group)!, [4, 7, 10][group.count - 1])
      rest = rest.dropFirst(3)
    }
  }

  mutating func appendLetters(_ text: String) {
    let characters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")
    let values = text.map { characters.firstIndex(of: $0)! }
    append(2, 3)
    append(values.count, format.letterCountBits)
    for index in stride(from: 0, to: values.count - 1, by: 2) { append(values[index] * 45 + values[index + 1], 11) }
    if values.count % 2 == 1 { append(values.last!, 6) }
  }

  mutating func appendBytes(_ bytes: [UInt8]) {
    append(3, 3)
    append(bytes.count, format.byteCountBits)
    for byte in bytes { append(Int(byte), 8) }
  }

  /// Characters of Shift JIS from 8140 to 9FFC.
  mutating func appendKanji(_ codes: [Int]) {
    append(4, 3)
    append(codes.count, format.kanjiCountBits)
    for code in codes { append((((code - 0x8140) >> 8) * 0xC0) + (code - 0x8140) & 0xFF, 13) }
  }
}

/// A symbol as modules; true is dark.
struct RMQRDrawing {
  let format: RMQRFormat
  private(set) var modules: [[Bool]]
  private var isFunction: [[Bool]]
  var columns: Int { modules[0].count }
  var rows: Int { modules.count }

  /// - Parameters:
  ///   - damaged: indices of codewords to damage, in the order in which they are placed.
  init(_ message: RMQRBits, damaged: [Int] = []) {
    format = message.format
    modules = [[Bool]](repeating: [Bool](repeating: false, count: format.columns), count: format.rows)
    isFunction = modules
    drawFunctionPatterns()
    let blocks = format.blocks
    var bits = message.bits
    let bitCount = blocks.dataCodewordCount * 8
    precondition(bits.count <= bitCount)
    bits += [Bool](repeating: false, count: min(3, bitCount - bits.count))
    while bits.count % 8 != 0 { bits.append(false) }
    var padding = 0xEC
    while bits.count < bitCount {
      bits += (0..<8).map { padding >> (7 - $0) & 1 == 1 }
      padding ^= 0xEC ^ 0x11
    }
    let data = stride(from: 0, to: bits.count, by: 8).map { bits[$0..<($0 + 8)].reduce(0) { $0 << 1 | ($1 ? 1 : 0) } }
    var codewords = QRDrawing.interleaved(data, blocks)
    for place in damaged { codewords[place] ^= 0x5A }
    drawData(codewords)
  }

  private mutating func set(_ column: Int, _ row: Int, _ isDark: Bool) {
    modules[row][column] = isDark
    isFunction[row][column] = true
  }

  private mutating func draw(_ rows: [String], column: Int, row: Int) {
    for (y, line) in rows.enumerated() {
      for (x, character) in line.enumerated() where row + y >= 0 && row + y < self.rows && character != " " {
        set(column + x, row + y, character == "#")
      }
    }
  }

  private mutating func drawFunctionPatterns() {
    for column in 0..<columns {
      set(column, 0, column % 2 == 0)
      set(column, rows - 1, column % 2 == 0)
    }
    for row in 0..<rows {
      set(0, row, row % 2 == 0)
      set(columns - 1, row, row % 2 == 0)
    }
    let centers = [43: [21], 59: [19, 39], 77: [25, 51], 99: [23, 49, 75], 139: [27, 55, 83, 111]][columns] ?? []
    for center in centers {
      for row in 3..<(rows - 3) { set(center, row, row % 2 == 0) }
      draw(["###", "#.#", "###"], column: center - 1, row: 0)
      draw(["###", "#.#", "###"], column: center - 1, row: rows - 3)
    }
    draw(["###", " .#", "  #"], column: columns - 3, row: 0)
    if rows > 9 { draw(["#", "#.", "###"], column: 0, row: rows - 3) } else if rows == 9 { set(1, 8, true) }
    draw(
      ["#######.", "#.....#.", "#.###.#.", "#.###.#.", "#.###.#.", "#.....#.", "#######."] + (rows > 7 ? ["........"] : []),
      column: 0, row: 0)
    draw(["#####", "#...#", "#.#.#", "#...#", "#####"], column: columns - 5, row: rows - 5)
    let word = QRDrawing.withRemainder(
      format.version | (format.isHigh ? 32 : 0), bits: 6, generator: 0b1_1111_0010_0101, degree: 12)
    let (near, far) = (word ^ 0b01_1111_1010_1011_0010, word ^ 0b10_0000_1010_0111_1011)
    for bit in 0..<18 {
      set(8 + bit / 5, 1 + bit % 5, near >> bit & 1 == 1)
      if bit < 15 {
        set(columns - 8 + bit / 5, rows - 6 + bit % 5, far >> bit & 1 == 1)
      } else {
        set(columns - 20 + bit, rows - 6, far >> bit & 1 == 1)
      }
    }
  }

  private mutating func drawData(_ codewords: [Int]) {
    var rest = codewords.flatMap { codeword in (0..<8).map { codeword >> (7 - $0) & 1 == 1 } }[...]
    var isUpward = true
    for right in stride(from: columns - 2, to: 0, by: -2) {
      for step in 0..<rows {
        let row = isUpward ? rows - 1 - step : step
        for column in [right, right - 1] where !isFunction[row][column] {
          modules[row][column] = (rest.popFirst() ?? false) != ((row / 2 + column / 3) % 2 == 0)
        }
      }
      isUpward.toggle()
    }
    precondition(rest.isEmpty)
  }

  mutating func flip(column: Int, row: Int) { modules[row][column].toggle() }

  func isFunctionModule(column: Int, row: Int) -> Bool { isFunction[row][column] }

  /// The modules, at the top left of a square.
  var square: [[Bool]] {
    modules + [[Bool]](repeating: [Bool](repeating: false, count: columns), count: columns - rows)
  }
}
