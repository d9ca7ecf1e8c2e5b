// The reference decode algorithms of linear symbologies, and what they leave to chance: decodability.

import BarcodeDecoder
public import BarcodeTypes

/// A line's elements, decoded as the symbology's standard describes.
public struct LinearDecoding: Equatable, Sendable {
  /// The characters as the symbology's decoder reports them, or for Code 128 the values of its characters.
  public var characters: [UInt8]
  /// The least part of the tolerance for widths that the symbol leaves, V in ISO/IEC 15416 Annex A; 1 for perfect widths, below 0
  /// never.
  public var decodability: Double
  /// The widths that the elements should have, in modules.
  public var idealWidths: [Double]

  var moduleCount: Double { idealWidths.reduce(0, +) }
}

/// The linear symbologies that are graded, by what their bars have in common.
public enum LinearKind: Sendable {
  case ean13, ean8, upce, code128, code39, interleaved

  /// Nil for a symbology that is not graded.
  public init?(_ symbology: Symbology) {
    switch symbology {
    case .ean13, .upca: self = .ean13
    case .ean8: self = .ean8
    case .upce: self = .upce
    case .code128: self = .code128
    case .code39: self = .code39
    case .itf, .itf14: self = .interleaved
    default: return nil
    }
  }

  /// Decodes the widths of a symbol's elements, the first bar first, in any unit; nil if they form no symbol.
  public func decode(_ widths: [Double]) -> LinearDecoding? {
    guard widths.allSatisfy({ $0 > 0 }) else { return nil }
    return switch self {
    case .ean13: RetailDecoding(.init(widths), left: 6, right: 6, ends: (3, 5, 3)).decoding
    case .ean8: RetailDecoding(.init(widths), left: 4, right: 4, ends: (3, 5, 3)).decoding
    case .upce: RetailDecoding(.init(widths), left: 6, right: 0, ends: (3, 0, 6)).decoding
    case .code128: Self.decodeCode128(widths)
    case .code39: Self.decodeCode39(widths)
    case .interleaved: Self.decodeInterleaved(widths)
    }
  }

  /// Whether the decoded characters are those of the symbol that was read.
  ///
  /// - Parameters:
  ///   - payload: as the decoder reports it. That of Code 128 is text; its check character decides instead.
  func matches(_ decoding: LinearDecoding, payload: [UInt8]) -> Bool {
    let read = decoding.characters
    switch self {
    // The first digit of an EAN-13 has no bars of its own, as those around the six digits of a UPC-E.
    case .ean13: return read == payload.suffix(12)
    case .ean8: return read == payload
    case .upce: return payload.count == 8 ? read == Array(payload[1..<7]) : payload.count == 6 && read == payload
    case .code128: return true
    // A check character that was dropped follows.
    case .code39, .interleaved: return read.starts(with: payload) && read.count <= payload.count + 1
    }
  }

  /// The widths of the quiet zones before and after the symbol that its standard asks for, in modules.
  ///
  /// GS1 General Specifications for EAN and UPC, ISO/IEC 15417, 16388 and 16390 for the others.
  static func quietZones(of symbology: Symbology) -> (before: Double, after: Double) {
    switch symbology {
    case .ean13: (11, 7)
    case .ean8: (7, 7)
    case .upca: (9, 9)
    case .upce: (9, 7)
    default: (10, 10)
    }
  }

  // MARK: Code 128

  /// ISO/IEC 15417: the sums of neighbouring elements against thresholds, and the sum of the bars (from public descriptions of
  /// its reference decode algorithm).
  private static func decodeCode128(_ widths: [Double]) -> LinearDecoding? {
    guard widths.count >= 25, widths.count % 6 == 1 else { return nil }
    var values: [UInt8] = []
    var ideal: [Double] = []
    var decodability = 1.0
    for first in stride(from: 0, to: widths.count - 1, by: 6) {
      let part = Array(widths[first..<first + 6])
      guard let sums = SimilarEdges(part, moduleCount: 11),
        let value = (0...Code128Structure.stop).first(where: { sums.isAlike(Code128Structure.widths(of: $0)) })
      else { return nil }
      let character = Code128Structure.widths(of: value)
      let bars = Double(character[0] + character[2] + character[4])
      let measured = (part[0] + part[2] + part[4]) * 11 / part.reduce(0, +)
      // The bars may deviate by 1.75 modules.
      let barMargin = max(0, (1.75 - abs(measured - bars)) / 1.75)
      decodability = min(decodability, sums.margin, barMargin)
      values.append(UInt8(value))
      ideal += character.map(Double.init)
    }
    ideal.append(2)
    guard let start = values.first, Code128Structure.starts.contains(Int(start)),
      values.last == UInt8(Code128Structure.stop), values.dropFirst().dropLast().allSatisfy({ $0 < 103 })
    else { return nil }
    let data = values.dropLast(2)
    var sum = Int(start)
    for (place, value) in data.enumerated().dropFirst() { sum += place * Int(value) }
    guard sum % 103 == Int(values[values.count - 2]) else { return nil }
    return LinearDecoding(characters: Array(data), decodability: decodability, idealWidths: ideal)
  }

  // MARK: Two widths

  /// ISO/IEC 16388: an element is wide from an eighth of its character's width on.
  private static func decodeCode39(_ widths: [Double]) -> LinearDecoding? {
    guard widths.count >= 29, widths.count % 10 == 9 else { return nil }
    var characters: [UInt8] = []
    var isWide: [Bool] = []
    var thresholds: [Double] = []
    for first in stride(from: 0, to: widths.count, by: 10) {
      let part = widths[first..<first + 9]
      let threshold = part.reduce(0, +) / 8
      let pattern = part.map { $0 > threshold }
      guard let value = (0...Code39Structure.startStop).first(where: { Code39Structure.isWide(in: $0) == pattern }),
        (value == Code39Structure.startStop) == (first == 0 || first + 9 == widths.count)
      else { return nil }
      if value != Code39Structure.startStop { characters.append(Code39Structure.character(of: value)) }
      // The gap is not compared.
      isWide += pattern + [false]
      thresholds += [Double](repeating: threshold, count: 9) + [0]
    }
    return twoWidths(
      widths, isWide: Array(isWide.dropLast()), thresholds: Array(thresholds.dropLast()), characters: characters)
  }

  /// ISO/IEC 16390: an element is wide from 7/64 of the width of its pair of digits on.
  private static func decodeInterleaved(_ widths: [Double]) -> LinearDecoding? {
    guard widths.count >= 17, widths.count % 10 == 7 else { return nil }
    var characters: [UInt8] = []
    var isWide = [Bool](repeating: false, count: 4)
    var thresholds = [Double](repeating: 0, count: 4)
    for first in stride(from: 4, to: widths.count - 3, by: 10) {
      let part = widths[first..<first + 10]
      let threshold = part.reduce(0, +) * 7 / 64
      let pattern = part.map { $0 > threshold }
      for parity in 0..<2 {
        let elements = (0..<5).map { pattern[2 * $0 + parity] }
        guard let digit = (0...9).first(where: { InterleavedTwoOfFiveStructure.isWide(in: $0) == elements }) else {
          return nil
        }
        characters.append(0x30 + UInt8(digit))
      }
      isWide += pattern
      thresholds += [Double](repeating: threshold, count: 10)
    }
    isWide += [true, false, false]
    thresholds += [0, 0, 0]
    return twoWidths(widths, isWide: isWide, thresholds: thresholds, characters: characters)
  }

  /// The decodability of narrow and wide elements: how far the worst of them is from the threshold, compared with the mean ones.
  ///
  /// - Parameter thresholds: per element; 0 for those that are not compared.
  private static func twoWidths(
    _ widths: [Double], isWide: [Bool], thresholds: [Double], characters: [UInt8]
  ) -> LinearDecoding? {
    let compared = widths.indices.filter { thresholds[$0] > 0 }
    let narrows = compared.filter { !isWide[$0] }.map { widths[$0] }
    let wides = compared.filter { isWide[$0] }.map { widths[$0] }
    guard !narrows.isEmpty, !wides.isEmpty else { return nil }
    let narrow = narrows.reduce(0, +) / Double(narrows.count)
    let wide = wides.reduce(0, +) / Double(wides.count)
    var decodability = 1.0
    for index in compared {
      let threshold = thresholds[index]
      let nominal = isWide[index] ? wide : narrow
      guard nominal != threshold else { return nil }
      decodability = min(decodability, (widths[index] - threshold) / (nominal - threshold))
    }
    let ratio = wide / narrow
    return LinearDecoding(
      characters: characters, decodability: max(0, decodability), idealWidths: isWide.map { $0 ? ratio : 1 })
  }
}

/// The sums of each two neighbouring elements of a character, whose edges ink spread moves alike.
private struct SimilarEdges {
  /// In whole modules.
  let modules: [Int]
  /// The least distance of a sum from a threshold between two numbers of modules, in halves of a module.
  let margin: Double

  /// Nil if a sum is outside of what characters have.
  init?(_ widths: [Double], moduleCount: Int) {
    let module = widths.reduce(0, +) / Double(moduleCount)
    let sums = zip(widths, widths.dropFirst().dropLast()).map { ($0 + $1) / module }
    modules = sums.map { Int($0.rounded()) }
    margin = sums.map { 1 - 2 * abs($0 - $0.rounded()) }.min() ?? 0
    guard modules.allSatisfy({ $0 >= 2 && $0 < moduleCount }) else { return nil }
  }

  func isAlike(_ character: [Int]) -> Bool { zip(character, character.dropFirst().dropLast()).map(+) == modules }
}

/// EAN and UPC (ISO/IEC 15420, from public descriptions of its reference decode algorithm): the sums of neighbouring elements tell
/// all digits apart but 1 from 7 and 2 from 8, which the width of their bars does.
private struct RetailDecoding {
  private(set) var decoding: LinearDecoding?

  struct Widths {
    let all: [Double]
    init(_ all: [Double]) { self.all = all }
  }

  /// - Parameters:
  ///   - left: digits before the centre, which begin with a space.
  ///   - ends: elements of the guards.
  init(_ widths: Widths, left: Int, right: Int, ends: (start: Int, centre: Int, end: Int)) {
    let widths = widths.all
    guard widths.count == ends.start + ends.centre + ends.end + 4 * (left + right) else { return }
    var result = LinearDecoding(characters: [], decodability: 1, idealWidths: [Double](repeating: 1, count: ends.start))
    for index in 0..<(left + right) {
      let isRight = index >= left
      if index == left { result.idealWidths += [Double](repeating: 1, count: ends.centre) }
      let first = ends.start + 4 * index + (isRight ? ends.centre : 0)
      guard let digit = Self.digit(Array(widths[first..<first + 4]), isRight: isRight) else { return }
      result.characters.append(0x30 + UInt8(digit.value))
      result.decodability = min(result.decodability, digit.margin)
      result.idealWidths += digit.ideal.map(Double.init)
    }
    result.idealWidths += [Double](repeating: 1, count: ends.end)
    decoding = result
  }

  private static func digit(_ widths: [Double], isRight: Bool) -> (value: Int, margin: Double, ideal: [Int])? {
    guard let sums = SimilarEdges(widths, moduleCount: 7) else { return nil }
    let darkPlace = isRight ? 0 : 1
    let bars = (widths[darkPlace] + widths[darkPlace + 2]) * 7 / widths.reduce(0, +)
    func barModules(_ ideal: [Int]) -> Int { ideal[darkPlace] + ideal[darkPlace + 2] }
    var candidates: [(value: Int, ideal: [Int])] = []
    for isSetB in isRight ? [false] : [false, true] {
      for value in 0...9 {
        let ideal = EANUPCStructure.widths(of: value, isSetB: isSetB)
        if sums.isAlike(ideal) { candidates.append((value, ideal)) }
      }
    }
    guard
      let best = candidates.min(by: {
        abs(Double(barModules($0.ideal)) - bars) < abs(Double(barModules($1.ideal)) - bars)
      })
    else { return nil }
    guard candidates.count > 1 else { return (best.value, sums.margin, best.ideal) }
    // Two digits whose bars differ by two modules.
    let middle = Double(candidates.reduce(0) { $0 + barModules($1.ideal) }) / Double(candidates.count)
    return (best.value, min(sums.margin, min(1, abs(bars - middle))), best.ideal)
  }
}
