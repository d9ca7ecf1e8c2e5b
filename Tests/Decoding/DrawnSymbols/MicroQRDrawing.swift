// Makes Micro QR symbols from ISO/IEC 18004:2015, without any of the decoder's code.

/// A symbol as modules; true is dark.
struct MicroQRDrawing {
  let size: Int
  private(set) var modules: [[Bool]]
  private var isFunction: [[Bool]]

  /// Data bits and check codewords of M1, M2-L, M2-M, M3-L, M3-M, M4-L, M4-M, M4-Q (Tables 7 and 9).
  private static let rows = [(20, 2), (40, 5), (32, 6), (84, 6), (68, 8), (128, 8), (112, 10), (80, 14)]
  static func version(_ number: Int) -> Int { [1, 2, 2, 3, 3, 4, 4, 4][number] }

  /// - Parameters:
  ///   - bits: segments with their indicators, without a terminator.
  ///   - number: the symbol number, 0 for M1 to 7 for M4-Q (Table 13).
  ///   - mask: 0 to 3.
  ///   - damaged: indices of codewords to damage, among data and check codewords in order.
  init(_ bits: [Bool], number: Int, mask: Int, damaged: [Int] = []) {
    let version = MicroQRDrawing.version(number)
    size = 9 + 2 * version
    modules = [[Bool]](repeating: [Bool](repeating: false, count: size), count: size)
    isFunction = modules
    drawFunctionPatterns()
    drawFormat(number << 2 | mask)
    let (dataBits, checkCount) = MicroQRDrawing.rows[number]
    precondition(bits.count <= dataBits)
    var all = bits + [Bool](repeating: false, count: min(2 * version + 1, dataBits - bits.count))
    while all.count % 8 != 0, all.count < dataBits { all.append(false) }
    var padding = 0xEC
    while all.count + 8 <= dataBits {
      all += (0..<8).map { padding >> (7 - $0) & 1 == 1 }
      padding ^= 0xEC ^ 0x11
    }
    all += [Bool](repeating: false, count: dataBits - all.count)
    // A codeword of four bits is the high half of a byte in the computation of check codewords.
    let whole = all + [Bool](repeating: false, count: (8 - dataBits % 8) % 8)
    var codewords = stride(from: 0, to: whole.count, by: 8).map { start in
      whole[start..<(start + 8)].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }
    let dataCount = codewords.count
    codewords += QRDrawing.checkCodewords(codewords, count: checkCount)
    for place in damaged { codewords[place] ^= 0x5A }
    var stream: [Bool] = []
    for (place, codeword) in codewords.enumerated() {
      let count = place == dataCount - 1 && dataBits % 8 != 0 ? 4 : 8
      stream += (0..<count).map { codeword >> (7 - $0) & 1 == 1 }
    }
    drawData(stream, mask: mask)
  }

  private mutating func set(_ column: Int, _ row: Int, _ isDark: Bool) {
    modules[row][column] = isDark
    isFunction[row][column] = true
  }

  private mutating func drawFunctionPatterns() {
    for index in 0..<size {
      set(index, 0, index % 2 == 0)
      set(0, index, index % 2 == 0)
    }
    for row in 0..<8 {
      for column in 0..<8 {
        let ring = max(abs(row - 3), abs(column - 3))
        set(column, row, ring != 2 && ring != 4)
      }
    }
  }

  private mutating func drawFormat(_ data: Int) {
    let bits =
      QRDrawing.withRemainder(data, bits: 5, generator: 0b101_0011_0111, degree: 10) ^ 0b100_0100_0100_0101
    // The first bit at the left of row 8, the last at the top of column 8.
    for index in 0..<8 { set(index + 1, 8, bits >> (14 - index) & 1 == 1) }
    for index in 0..<7 { set(8, 7 - index, bits >> (6 - index) & 1 == 1) }
  }

  private mutating func drawData(_ stream: [Bool], mask: Int) {
    let masks: [(Int, Int) -> Bool] = [
      { i, _ in i % 2 == 0 }, { i, j in (i / 2 + j / 3) % 2 == 0 }, { i, j in ((i * j) % 2 + (i * j) % 3) % 2 == 0 },
      { i, j in ((i + j) % 2 + (i * j) % 3) % 2 == 0 },
    ]
    var rest = stream[...]
    var isUpward = true
    for right in stride(from: size - 1, to: 0, by: -2) {
      for step in 0..<size {
        let row = isUpward ? size - 1 - step : step
        for column in [right, right - 1] where !isFunction[row][column] {
          modules[row][column] = (rest.popFirst() ?? false) != masks[mask](row, column)
        }
      }
      isUpward.toggle()
    }
  }

  mutating func flip(column: Int, row: Int) { modules[row][column].toggle() }

  func isFunctionModule(column: Int, row: Int) -> Bool { isFunction[row][column] }

  // MARK: Segments

  private static func bits(_ value: Int, _ count: Int) -> [Bool] {
    (0..<count).map { value >> (count - 1 - $0) & 1 == 1 }
  }

  static func digits(_ text: String, version: Int) -> [Bool] {
    var result = bits(0, version - 1) + bits(text.count, version + 2)
    var rest = Substring(text)
    while !rest.isEmpty {
      let group = rest.prefix(3)
      result += bits(Int(group)!, [4, 7, 10][group.count - 1])
      rest = rest.dropFirst(3)
    }
    return result
  }

  static func letters(_ text: String, version: Int) -> [Bool] {
    let characters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")
    let values = text.map { characters.firstIndex(of: $0)! }
    var result = bits(1, version - 1) + bits(values.count, version + 1)
    for index in stride(from: 0, to: values.count - 1, by: 2) { result += bits(values[index] * 45 + values[index + 1], 11) }
    if values.count % 2 == 1 { result += bits(values.last!, 6) }
    return result
  }

  static func bytes(_ bytes: [UInt8], version: Int) -> [Bool] {
    bits(2, version - 1) + bits(bytes.count, version + 1) + bytes.flatMap { bits(Int($0), 8) }
  }

  /// Characters of Shift JIS from 8140 to 9FFC.
  static func kanji(_ codes: [Int], version: Int) -> [Bool] {
    bits(3, version - 1) + bits(codes.count, version)
      + codes.flatMap { bits(((($0 - 0x8140) >> 8) * 0xC0) + ($0 - 0x8140) & 0xFF, 13) }
  }
}
