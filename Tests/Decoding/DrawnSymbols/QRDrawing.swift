// Makes QR symbols from ISO/IEC 18004:2015, without any of the decoder's code: segments to bits, blocks with check
// codewords, modules, and pictures of them in perspective, blurred and noisy. Only the division into blocks comes from the
// decoder's table, which has its own tests.

import BarcodeTypes
import Foundation

@testable import BarcodeDecoder

/// The bits of a message.
struct QRBits {
  var bits: [Bool] = []

  mutating func append(_ value: Int, _ count: Int) {
    for bit in stride(from: count - 1, through: 0, by: -1) { bits.append(value >> bit & 1 == 1) }
  }

  private static func countBits(_ version: Int, _ small: Int, _ medium: Int, _ large: Int) -> Int {
    version < 10 ? small : version < 27 ? medium : large
  }

  mutating func appendBytes(_ bytes: [UInt8], version: Int) {
    append(0b0100, 4)
    append(bytes.count, QRBits.countBits(version, 8, 16, 16))
    for byte in bytes { append(Int(byte), 8) }
  }

  mutating func appendDigits(_ text: String, version: Int) {
    append(0b0001, 4)
    append(text.count, QRBits.countBits(version, 10, 12, 14))
    var rest = Substring(text)
    while !rest.isEmpty {
      let group = rest.prefix(3)
      append(Int(group)!, [4, 7, 10][group.count - 1])
      rest = rest.dropFirst(3)
    }
  }

  mutating func appendAlphanumeric(_ text: String, version: Int) {
    let characters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")
    let values = text.map { characters.firstIndex(of: $0)! }
    append(0b0010, 4)
    append(values.count, QRBits.countBits(version, 9, 11, 13))
    for index in stride(from: 0, to: values.count - 1, by: 2) { append(values[index] * 45 + values[index + 1], 11) }
    if values.count % 2 == 1 { append(values.last!, 6) }
  }

  /// Adds terminator, padding bits and padding codewords up to `count` codewords.
  func codewords(count: Int) -> [Int] {
    var all = bits
    precondition(all.count <= count * 8)
    all += [Bool](repeating: false, count: min(4, count * 8 - all.count))
    while all.count % 8 != 0 { all.append(false) }
    var codewords = stride(from: 0, to: all.count, by: 8).map { start in
      all[start..<(start + 8)].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }
    var padding = 0xEC
    while codewords.count < count {
      codewords.append(padding)
      padding ^= 0xEC ^ 0x11
    }
    return codewords
  }
}

/// A symbol as modules; true is dark.
struct QRDrawing {
  let version: Int
  let size: Int
  private(set) var modules: [[Bool]]
  private var isFunction: [[Bool]]

  /// - Parameter level: 0 L, 1 M, 2 Q, 3 H.
  init(_ bits: QRBits, version: Int, level: Int, mask: Int) {
    let blocks = QRTables.blocks(version: version, level: QRCorrectionLevel(rawValue: level)!)
    self.init(
      codewords: QRDrawing.interleaved(bits.codewords(count: blocks.dataCodewordCount), blocks), version: version,
      level: level, mask: mask)
  }

  /// Makes a symbol from all codewords in their final order.
  init(codewords: [Int], version: Int, level: Int, mask: Int) {
    self.version = version
    size = 17 + 4 * version
    modules = [[Bool]](repeating: [Bool](repeating: false, count: size), count: size)
    isFunction = modules
    drawFunctionPatterns(level: level, mask: mask)
    drawCodewords(codewords, mask: mask)
  }

  /// Makes a symbol from text in byte mode.
  init(_ text: String, version: Int, level: Int, mask: Int) {
    var bits = QRBits()
    bits.appendBytes(Array(text.utf8), version: version)
    self.init(bits, version: version, level: level, mask: mask)
  }

  // MARK: Codewords

  static func multiply(_ a: Int, _ b: Int) -> Int {
    var (a, b, product) = (a, b, 0)
    while b > 0 {
      if b & 1 == 1 { product ^= a }
      a <<= 1
      if a > 255 { a ^= 0x11D }
      b >>= 1
    }
    return product
  }

  /// The remainder of the data, followed by zeros, divided by the generator polynomial with the roots 1, α, α², …
  static func checkCodewords(_ data: [Int], count: Int) -> [Int] {
    var generator = [1]
    var root = 1
    for _ in 0..<count {
      var next = [Int](repeating: 0, count: generator.count + 1)
      for (index, coefficient) in generator.enumerated() {
        next[index] ^= coefficient
        next[index + 1] ^= multiply(coefficient, root)
      }
      generator = next
      root = multiply(root, 2)
    }
    var remainder = data + [Int](repeating: 0, count: count)
    for index in data.indices {
      let factor = remainder[index]
      for (offset, coefficient) in generator.enumerated() { remainder[index + offset] ^= multiply(coefficient, factor) }
    }
    return Array(remainder.suffix(count))
  }

  static func interleaved(_ data: [Int], _ blocks: QRBlocks) -> [Int] {
    var rest = data[...]
    var parts: [[Int]] = []
    for index in 0..<blocks.count {
      let count = blocks.dataCount + (index >= blocks.shortCount ? 1 : 0)
      parts.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    let checks = parts.map { checkCodewords($0, count: blocks.checkCount) }
    var all: [Int] = []
    for position in 0...blocks.dataCount {
      for part in parts where position < part.count { all.append(part[position]) }
    }
    for position in 0..<blocks.checkCount {
      for check in checks { all.append(check[position]) }
    }
    return all
  }

  // MARK: Model 1

  /// Makes a Model 1 symbol with text in byte mode and dark extension patterns.
  ///
  /// - Parameter damaged: indices of codewords to damage, in the order in which they are placed.
  init(model1 text: String, version: Int, level: Int, mask: Int, damaged: [Int] = []) {
    self.version = version
    size = 17 + 4 * version
    modules = [[Bool]](repeating: [Bool](repeating: true, count: size), count: size)
    isFunction = [[Bool]](repeating: [Bool](repeating: false, count: size), count: size)
    var bits = QRBits()
    bits.append(0, 4)
    bits.appendBytes(Array(text.utf8), version: version)
    let blocks = QRModel1.blocks(version: version, level: QRCorrectionLevel(rawValue: level)!)
    var codewords = QRDrawing.interleaved(bits.codewords(count: blocks.dataCodewordCount), blocks)
    for place in damaged { codewords[place] ^= 0x5A }
    for (codeword, block) in zip(codewords, model1Blocks()) {
      // The first codeword has only its last four bits: the corner is an extension pattern.
      for bit in (block.column == size - 1 && block.row == size - 1 ? 4 : 0)..<8 {
        let (column, row) = (block.column - bit % block.width, block.row - bit / block.width)
        modules[row][column] = (codeword >> (7 - bit) & 1 == 1) != QRDrawing.masks[mask](row, column)
      }
    }
    drawTimingAndFinders()
    drawFormat(level: level, mask: mask, word: 0b010_1000_0010_0101)
  }

  /// The lower right modules of the blocks, by their numbers in columns of blocks (ISO/IEC 18004:2000 Figure M.2).
  private func model1Blocks() -> [(column: Int, row: Int, width: Int)] {
    var blocks: [(column: Int, row: Int, width: Int)] = []
    let lying = version + 1
    for place in 0..<2 {
      for number in 0..<(version + 2) where place == 1 || number % 2 == 1 || number == 0 || number == version + 1 {
        blocks.append((size - 1 - 2 * place, size - 1 - 4 * number, 2))
      }
    }
    for place in 0..<lying {
      for number in 0..<(size / 2) {
        if place == 0 && number >= size / 2 - 4 { continue }
        if number == 0 && place % 2 == 1 && place != lying - 1 { continue }
        // The timing row takes up one of the rows.
        blocks.append((size - 5 - 4 * place, size - 1 - 2 * number - (number >= size / 2 - 3 ? 1 : 0), 4))
      }
    }
    for column in [8, 5, 3, 1] {
      for number in 0..<version { blocks.append((column, size - 9 - 4 * number, 2)) }
    }
    return blocks
  }

  // MARK: Modules

  private mutating func set(_ column: Int, _ row: Int, _ isDark: Bool) {
    modules[row][column] = isDark
    isFunction[row][column] = true
  }

  private mutating func drawTimingAndFinders() {
    for index in 8..<(size - 8) {
      set(6, index, index % 2 == 0)
      set(index, 6, index % 2 == 0)
    }
    for (column, row) in [(3, 3), (size - 4, 3), (3, size - 4)] {
      for dy in -4...4 {
        for dx in -4...4 where (0..<size).contains(column + dx) && (0..<size).contains(row + dy) {
          let ring = max(abs(dx), abs(dy))
          set(column + dx, row + dy, ring != 2 && ring != 4)
        }
      }
    }
  }

  private mutating func drawFunctionPatterns(level: Int, mask: Int) {
    drawTimingAndFinders()
    let centers = QRDrawing.alignmentCenters(version: version)
    for row in centers {
      for column in centers where !isFunction[row][column] || row == 6 || column == 6 {
        if (row == 6 && (column == 6 || column == size - 7)) || (row == size - 7 && column == 6) { continue }
        for dy in -2...2 {
          for dx in -2...2 { set(column + dx, row + dy, max(abs(dx), abs(dy)) != 1) }
        }
      }
    }
    drawInformation(level: level, mask: mask)
  }

  /// ISO/IEC 18004:2015 Annex E, for the versions that tests draw in full.
  static func alignmentCenters(version: Int) -> [Int] {
    let table: [Int: [Int]] = [
      1: [], 2: [6, 18], 3: [6, 22], 4: [6, 26], 5: [6, 30], 6: [6, 34], 7: [6, 22, 38], 8: [6, 24, 42], 9: [6, 26, 46],
      10: [6, 28, 50], 11: [6, 30, 54], 12: [6, 32, 58], 13: [6, 34, 62], 14: [6, 26, 46, 66], 15: [6, 26, 48, 70],
      16: [6, 26, 50, 74], 17: [6, 30, 54, 78], 18: [6, 30, 56, 82], 19: [6, 30, 58, 86], 20: [6, 34, 62, 90],
      21: [6, 28, 50, 72, 94], 22: [6, 26, 50, 74, 98], 23: [6, 30, 54, 78, 102], 24: [6, 28, 54, 80, 106],
      25: [6, 32, 58, 84, 110], 26: [6, 30, 58, 86, 114], 27: [6, 34, 62, 90, 118], 28: [6, 26, 50, 74, 98, 122],
      29: [6, 30, 54, 78, 102, 126], 30: [6, 26, 52, 78, 104, 130], 31: [6, 30, 56, 82, 108, 134],
      32: [6, 34, 60, 86, 112, 138], 33: [6, 30, 58, 86, 114, 142], 34: [6, 34, 62, 90, 118, 146],
      35: [6, 30, 54, 78, 102, 126, 150], 36: [6, 24, 50, 76, 102, 128, 154], 37: [6, 28, 54, 80, 106, 132, 158],
      38: [6, 32, 58, 84, 110, 136, 162], 39: [6, 26, 54, 82, 110, 138, 166], 40: [6, 30, 58, 86, 114, 142, 170],
    ]
    return table[version]!
  }

  /// Divides by a generator polynomial, given as bits, and appends the remainder.
  static func withRemainder(_ data: Int, bits: Int, generator: Int, degree: Int) -> Int {
    var remainder = data << degree
    for bit in stride(from: bits - 1, through: 0, by: -1) where remainder >> (bit + degree) & 1 == 1 {
      remainder ^= generator << bit
    }
    return data << degree | remainder
  }

  private mutating func drawFormat(level: Int, mask: Int, word: Int) {
    let format = QRDrawing.withRemainder([1, 0, 3, 2][level] << 3 | mask, bits: 5, generator: 0b101_0011_0111, degree: 10)
    let masked = format ^ word
    // Bit 14 first, in the order of Figure 25.
    let around = [
      (0, 8), (1, 8), (2, 8), (3, 8), (4, 8), (5, 8), (7, 8), (8, 8), (8, 7), (8, 5), (8, 4), (8, 3), (8, 2), (8, 1), (8, 0),
    ]
    for (index, place) in around.enumerated() {
      let isDark = masked >> (14 - index) & 1 == 1
      set(place.0, place.1, isDark)
      if index < 7 { set(8, size - 1 - index, isDark) } else { set(size - 15 + index, 8, isDark) }
    }
    set(8, size - 8, true)
  }

  private mutating func drawInformation(level: Int, mask: Int) {
    drawFormat(level: level, mask: mask, word: 0b101_0100_0001_0010)
    guard version >= 7 else { return }
    let bits = QRDrawing.withRemainder(version, bits: 6, generator: 0b1_1111_0010_0101, degree: 12)
    for index in 0..<18 {
      let isDark = bits >> index & 1 == 1
      set(size - 11 + index % 3, index / 3, isDark)
      set(index / 3, size - 11 + index % 3, isDark)
    }
  }

  private static let masks: [@Sendable (Int, Int) -> Bool] = [
    { i, j in (i + j) % 2 == 0 }, { i, _ in i % 2 == 0 }, { _, j in j % 3 == 0 }, { i, j in (i + j) % 3 == 0 },
    { i, j in (i / 2 + j / 3) % 2 == 0 }, { i, j in (i * j) % 2 + (i * j) % 3 == 0 },
    { i, j in ((i * j) % 2 + (i * j) % 3) % 2 == 0 }, { i, j in ((i + j) % 2 + (i * j) % 3) % 2 == 0 },
  ]

  private mutating func drawCodewords(_ codewords: [Int], mask: Int) {
    var bits = codewords.flatMap { codeword in (0..<8).map { codeword >> (7 - $0) & 1 == 1 } }[...]
    var isUpward = true
    for right in Array(stride(from: size - 1, to: 6, by: -2)) + [5, 3, 1] {
      for step in 0..<size {
        let row = isUpward ? size - 1 - step : step
        for column in [right, right - 1] where !isFunction[row][column] {
          let bit = bits.popFirst() ?? false
          modules[row][column] = bit != QRDrawing.masks[mask](row, column)
        }
      }
      isUpward.toggle()
    }
  }

  /// Inverts a data module, to damage the symbol.
  mutating func flip(column: Int, row: Int) { modules[row][column].toggle() }

  /// Whether a module is part of a function pattern or of the format or version information.
  func isFunctionModule(column: Int, row: Int) -> Bool { isFunction[row][column] }
}

/// The viewing conditions of a matrix symbol.
struct MatrixView {
  var modulePixels = 4.0
  /// Clockwise.
  var degrees = 0.0
  /// The reduction of the symbol's right side compared with its left, and of its bottom compared with its top.
  var taper = 0.0
  var taperDown = 0.0
  /// The number of modules by which the middle of each row is lower than its ends, as on a cylinder seen from above.
  var bowModules = 0.0
  /// The angle from the middle of a row to its ends on a cylinder, whose modules become narrower towards both sides.
  var rollDegrees = 0.0
  var isMirrored = false
  var isInverted = false
  /// Standard deviation of the blur, in modules.
  var blurModules = 0.0
  var noise = 0.0
  var seed: UInt64 = 1
  var light = 220.0
  var dark = 30.0
  /// The darkening of the right side of the picture, as a share.
  var shade = 0.0
  var quietModules = 4.0
}

/// The share of an arc, seen from the front, at a share of its chord; `end` is the angle from the middle of the arc to its ends.
/// Beyond the sides of the cylinder, there is nothing.
private func unrolled(_ share: Double, _ end: Double) -> Double {
  let sine = (2 * share - 1) * sin(end)
  return abs(sine) < 1 ? (asin(sine) / end + 1) / 2 : -1
}

extension Picture {
  /// A symbol in the middle of a picture, and its true corners: its own top left first, then clockwise as it is meant to be
  /// seen.
  static func drawn(_ modules: [[Bool]], view: MatrixView = MatrixView()) -> (picture: Picture, corners: [(Double, Double)])
  {
    let count = Double(modules.count)
    let half = count * view.modulePixels / 2
    let side = Int((half * 2.0.squareRoot() + (view.quietModules + 3) * view.modulePixels) * 2)
    let middle = Double(side) / 2
    let angle = view.degrees * .pi / 180
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map { u, v -> (Double, Double) in
      let x = u * half * (v > 0 ? 1 - view.taperDown : 1) * (view.isMirrored ? -1 : 1)
      let y = v * half * (u > 0 ? 1 - view.taper : 1)
      return (middle + x * cos(angle) - y * sin(angle), middle + x * sin(angle) + y * cos(angle))
    }
    let toModule = Projection(corners).inverse
    var picture = Picture(width: side, height: side)
    var grey = [Double](repeating: 0, count: side * side)
    for y in 0..<side {
      for x in 0..<side {
        var darkness = 0.0
        for part in 0..<4 {
          // (0, 0) is the centre of the first pixel.
          var (u, v) = toModule.map(Double(x) + Double(part % 2) / 2 - 0.25, Double(y) + Double(part / 2) / 2 - 0.25)
          if view.rollDegrees > 0 { u = unrolled(u, view.rollDegrees * .pi / 180) }
          v -= view.bowModules / count * 4 * u * (1 - u)
          let (column, row) = (Int((u * count).rounded(.down)), Int((v * count).rounded(.down)))
          let isSymbol = modules.indices.contains(row) && modules.indices.contains(column)
          if (isSymbol && modules[row][column]) != view.isInverted { darkness += 0.25 }
        }
        let lit = 1 - view.shade * Double(x) / Double(side)
        grey[y * side + x] = (view.light - (view.light - view.dark) * darkness) * lit
      }
    }
    if view.blurModules > 0 { grey = blurred(grey, side: side, sigma: view.blurModules * view.modulePixels) }
    var generator = SeededGenerator(seed: view.seed)
    for index in grey.indices {
      let noise = view.noise > 0 ? generator.normal() * view.noise : 0
      picture.pixels[index] = UInt8(min(255, max(0, (grey[index] + noise).rounded())))
    }
    return (picture, corners)
  }

  static func blurred(_ grey: [Double], side: Int, sigma: Double) -> [Double] {
    let reach = Int((3 * sigma).rounded(.up))
    let kernel = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    let sum = kernel.reduce(0, +)
    var across = grey
    var result = grey
    for y in 0..<side {
      for x in 0..<side {
        across[y * side + x] =
          zip(-reach...reach, kernel).reduce(0) { $0 + grey[y * side + min(side - 1, max(0, x + $1.0))] * $1.1 } / sum
      }
    }
    for y in 0..<side {
      for x in 0..<side {
        result[y * side + x] =
          zip(-reach...reach, kernel).reduce(0) { $0 + across[min(side - 1, max(0, y + $1.0)) * side + x] * $1.1 } / sum
      }
    }
    return result
  }
}

/// A projective map of the plane, in floating point.
struct Projection {
  var m: [Double]

  /// Maps the unit square to a quadrilateral.
  init(_ c: [(Double, Double)]) {
    let (dx1, dx2, sx) = (c[1].0 - c[2].0, c[3].0 - c[2].0, c[0].0 - c[1].0 + c[2].0 - c[3].0)
    let (dy1, dy2, sy) = (c[1].1 - c[2].1, c[3].1 - c[2].1, c[0].1 - c[1].1 + c[2].1 - c[3].1)
    let d = dx1 * dy2 - dx2 * dy1
    let (g, h) = ((sx * dy2 - dx2 * sy) / d, (dx1 * sy - sx * dy1) / d)
    m = [
      c[1].0 - c[0].0 + g * c[1].0, c[3].0 - c[0].0 + h * c[3].0, c[0].0,
      c[1].1 - c[0].1 + g * c[1].1, c[3].1 - c[0].1 + h * c[3].1, c[0].1, g, h, 1,
    ]
  }

  var inverse: Projection {
    var result = self
    result.m = [
      m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
      m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
      m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3],
    ]
    return result
  }

  func map(_ x: Double, _ y: Double) -> (Double, Double) {
    let w = m[6] * x + m[7] * y + m[8]
    return ((m[0] * x + m[1] * y + m[2]) / w, (m[3] * x + m[4] * y + m[5]) / w)
  }
}

/// Scratch memory for tests of the decoder's parts.
final class TestArena {
  private let memory: UnsafeMutableRawPointer
  var arena: Arena

  init(byteCount: Int = 4 << 20) {
    memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
    arena = Arena(base: memory, byteCount: byteCount)
  }

  deinit { memory.deallocate() }

  func array<Element: BitwiseCopyable>(_ elements: [Element]) -> ScratchArray<Element> {
    let array = try! ScratchArray<Element>(elements.count, arena: &arena)
    for (index, element) in elements.enumerated() { array[index] = element }
    return array
  }

  /// The measured tiles of a picture.
  func tiles(of view: LumaView) -> TileMap {
    let tiles = try! TileMap(width: view.width, height: view.height, arena: &arena)
    let half = array([UInt8](repeating: 0, count: TileMap.halfByteCount(width: view.width, height: view.height)))
    measureTiles(view, into: tiles, half: half.base)
    return tiles
  }
}
