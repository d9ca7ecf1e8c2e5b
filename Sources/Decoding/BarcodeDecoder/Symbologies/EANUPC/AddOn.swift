// The 2- and 5-digit add-on symbols to the right of an EAN or UPC symbol: GS1 General Specifications §5.2.2.4.3 and
// following (ISO/IEC 15420 §4.3.3, 4.3.4).

import BarcodeTypes

/// The number sets of a 5-digit add-on by its check value: one bit per digit, the first uppermost, 1 for set B.
let addOnDigitSets: [10 of UInt8] = [
  0b11000, 0b10100, 0b10010, 0b10001, 0b01100, 0b00110, 0b00011, 0b01010, 0b01001, 0b00101,
]

extension EANUPC {
  /// Free space between a symbol and its add-on, in modules; the standard has 7 to 12.
  private static let addOnGapMin: Int32 = 5
  private static let addOnGapMax: Int32 = 18
  /// Digit misfit from which the edges leave a 2-digit add-on in doubt: its number sets encode only the value modulo 4.
  private static let addOnDoubtMin: Int32 = 2048

  /// Whether a symbol that ends with the light edge `last` is followed, at the distance of an add-on, by as many elements as
  /// the shortest add-on has.
  static func isPerhapsFollowed(_ row: ElementRow, after last: Int, module: Int32) -> Bool {
    guard last + 1 + EANShape.addOnOfTwo.elementCount < row.count else { return false }
    return row.width(last) >= module * addOnGapMin && row.width(last) <= module * addOnGapMax
  }

  /// Reads the add-on of a symbol that ends with the light edge `last`, with a module width of `module` in samples times 256
  /// and an ink spread of `spread`.
  static func readAddOn(
    _ row: ElementRow, after last: Int, module: Int32, spread: Int32, into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    guard isPerhapsFollowed(row, after: last, module: module) else { return nil }
    let first = last + 1
    return readAddOn(row, from: first, .addOnOfFive, module: module, spread: spread, into: text)
      ?? readAddOn(row, from: first, .addOnOfTwo, module: module, spread: spread, into: text)
  }

  private static func readAddOn(
    _ row: ElementRow, from first: Int, _ shape: EANShape, module: Int32, spread: Int32,
    into text: ScratchArray<UInt8>
  ) -> LinearCandidate? {
    let last = first + shape.elementCount
    guard last < row.count else { return nil }
    let span = row.edge(last) - row.edge(first)
    let pitch = span / shape.moduleCount
    // Elements cut off by the picture's border could be the rest of five digits.
    let free = shape == .addOnOfTwo ? row.seenGapAfter(last) : row.gapAfter(last)
    guard pitch * 5 > module * 4, pitch * 4 < module * 5, free >= pitch * shape.quietModules,
      isNear(row.width(first), pitch), isNear(row.width(first + 1), pitch), isNear(row.width(first + 2), 2 * pitch)
    else { return nil }
    var misfit: Int32 = 0
    var misfitMax: Int32 = 0
    var sets: UInt8 = 0
    for index in 0..<shape.digitCount {
      let element = first + shape.firstElement(index)
      if index > 0 {
        guard isNear(row.width(element - 2), pitch), isNear(row.width(element - 1), pitch) else { return nil }
      }
      guard
        let digit = readDigit(
          row, at: element, beginsDark: false, setCount: 2,
          EANMeasure(span: span, moduleCount: shape.moduleCount, spread: spread))
      else { return nil }
      misfit += digit.misfit
      misfitMax = max(misfitMax, digit.misfit)
      sets = sets << 1 | (digit.value >= 10 ? 1 : 0)
      text[index] = UInt8(truncatingIfNeeded: 0x30 + digit.value % 10)
    }
    guard addOnSets(text, shape) == sets else { return nil }
    var candidate = LinearCandidate(.ean13, aimModifier: 0x33)
    candidate.byteCount = shape.digitCount
    candidate.place(row, from: first, to: last, misfit: misfit / Int32(shape.digitCount))
    candidate.isDoubtful = shape == .addOnOfTwo && misfitMax >= addOnDoubtMin
    return candidate
  }

  /// The number sets of an add-on's digits: one bit per digit, the first uppermost, 1 for set B.
  static func addOnSets(_ text: ScratchArray<UInt8>, _ shape: EANShape) -> UInt8 {
    if shape == .addOnOfTwo { return ((text[0] - 0x30) * 10 + text[1] - 0x30) % 4 }
    var sum = 0
    for index in 0..<5 { sum += (index & 1 == 0 ? 3 : 9) * Int(text[index] - 0x30) }
    return addOnDigitSets[sum % 10]
  }

  /// Whether a width is within 0.7 modules of the expected one.
  private static func isNear(_ width: Int32, _ expected: Int32) -> Bool {
    width * 10 > expected * 4 && width * 10 < expected * 18
  }
}
