// The properties of a message apart from its bytes, and its report: the last step of all readers of matrix and stacked
// symbols.

import BarcodeTypes

/// The properties of a message apart from its bytes.
struct SymbolMessage: Equatable, BitwiseCopyable {
  /// The modifier of the symbology identifier, in ASCII, as the symbology's standard defines it.
  var aimModifier: UInt8
  /// Whether FNC1 is in first position: the message holds GS1 element strings.
  var isGS1 = false
  var structuredAppend: StructuredAppend?
  /// Whether the padding after the message is as the standard requires.
  var hasRightPadding = true
}

/// A matrix symbol as the picture shows it.
struct SymbolAppearance: BitwiseCopyable {
  var corners: Quad
  var isInverted: Bool
  var isMirrored: Bool
}

/// The position of FNC1 in a message: first for GS1 element strings, second for those of an industry.
enum FNC1: Int { case none, first, second }

/// Reads bits from elements of equal width, most significant bit first.
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

  /// Unread bits.
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

  /// Whether the next `count` bits, at most 24, are zeros; does not consume them.
  func isZero(_ count: Int) -> Bool {
    var copy = self
    return copy.read(count) == 0
  }
}

extension ResultStore {
  /// Reports the bytes appended since the last commit as a matrix symbol, or drops them if they are no message.
  ///
  /// - Returns: whether there is a message.
  mutating func report(
    _ message: SymbolMessage?, as symbology: Symbology, _ appearance: SymbolAppearance, _ cost: Correction = Correction()
  ) -> Bool {
    guard let message else {
      refuse()
      return false
    }
    var symbol = DecodedSymbol(symbology: symbology, aimModifier: message.aimModifier, corners: appearance.corners)
    symbol.isGS1 = message.isGS1
    symbol.isInverted = appearance.isInverted
    symbol.isMirrored = appearance.isMirrored
    symbol.structuredAppend = message.structuredAppend
    symbol.confidence = UInt8(max(1, 100 - cost.loadPercent * 6 / 10))
    symbol.correctedCodewordCount = UInt16(min(65535, cost.correctedCount))
    commit(symbol)
    return true
  }
}

extension Quad {
  /// The same corners, named for a mirrored symbol.
  var mirrored: Quad { Quad(topLeft: topLeft, topRight: bottomLeft, bottomRight: bottomRight, bottomLeft: topRight) }
}
