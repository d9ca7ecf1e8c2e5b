// What a symbol says beside its bytes, and how it is reported: the last step of all readers of matrix and stacked symbols.

import BarcodeTypes

/// What a message says beside its bytes.
struct SymbolMessage: Equatable, BitwiseCopyable {
  /// The modifier of the symbology identifier, in ASCII, as the symbology's standard counts it.
  var aimModifier: UInt8
  /// FNC1 in first position: GS1 element strings.
  var isGS1 = false
  var structuredAppend: StructuredAppend?
  /// Whether what fills up the codewords behind it is what the standard puts there.
  var hasRightPadding = true
}

/// FNC1 in a message: GS1 element strings, or those of an industry.
enum FNC1: Int { case none, first, second }

/// Bits of elements of one width, the first bit most significant.
struct BitReader<Element: FixedWidthInteger & BitwiseCopyable> {
  private let elements: ScratchArray<Element>
  private let width: Int
  private let bitCount: Int
  private var place = 0

  init(_ elements: ScratchArray<Element>, width: Int, bitCount: Int) {
    self.elements = elements
    self.width = width
    self.bitCount = min(bitCount, width * elements.count)
  }

  /// Bits not read yet.
  var remaining: Int { bitCount - place }

  /// The next `count` bits, at most 24, or nil if there are fewer.
  mutating func read(_ count: Int) -> Int? {
    guard count <= remaining else { return nil }
    var value = 0
    for _ in 0..<count {
      value = value << 1 | (Int(elements[place / width]) >> (width - 1 - place % width)) & 1
      place += 1
    }
    return value
  }

  /// Whether the next `count` bits, at most 24, are zeros; they are not read.
  func isZero(_ count: Int) -> Bool {
    var copy = self
    return copy.read(count) == 0
  }
}

extension ResultStore {
  /// Reports the bytes appended since the last commit as a matrix symbol.
  ///
  /// - Parameter loadPercent: how much of what can be corrected was, in hundredths.
  mutating func commit(
    _ symbology: Symbology, _ message: SymbolMessage, corners: Quad, isInverted: Bool, isMirrored: Bool,
    correctedCount: Int = 0, loadPercent: Int = 0
  ) {
    var symbol = DecodedSymbol(symbology: symbology, aimModifier: message.aimModifier, corners: corners)
    symbol.isGS1 = message.isGS1
    symbol.isInverted = isInverted
    symbol.isMirrored = isMirrored
    symbol.structuredAppend = message.structuredAppend
    symbol.confidence = UInt8(max(1, 100 - loadPercent * 6 / 10))
    symbol.correctedCodewordCount = UInt16(min(65535, correctedCount))
    commit(symbol)
  }
}

extension Quad {
  /// The same corners, named as those of a mirrored symbol are.
  var mirrored: Quad { Quad(topLeft: topLeft, topRight: bottomLeft, bottomRight: bottomRight, bottomLeft: topRight) }
}
