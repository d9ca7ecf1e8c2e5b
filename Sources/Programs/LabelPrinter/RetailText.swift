// The digits of EAN and UPC symbols as ISO/IEC 15420 and GS1 General Specifications §5.2 place them: each below its seven modules,
// the first and last ones outside, guard bars that reach down between them, and those of an add-on above its bars.

import BarcodeTypes
import SymbolPrinter

/// Where the digits of an EAN or UPC symbol are.
struct RetailText {
  /// Modules of the symbol without its add-on.
  private let symbolWidth: Int
  /// Modules whose bars reach down.
  private let guards: [ClosedRange<Int>]
  /// The first module of each digit below the bars.
  private let places: [Int]
  /// Digits outside, at each side, and their size.
  private let outside: (left: Int, right: Int, size: Double)
  private let digits: [Character]
  private let addOn: [Character]
  /// The column of the first bar.
  private let first: Int

  /// The em of a digit as wide as its bars, about 7 modules high.
  private static let size = 10.0
  /// The em of the outer digits of UPC symbols: four sevenths of the others and more.
  private static let smallSize = 7.0
  /// How far guard bars reach down.
  private static let guardDepth = 5.0
  /// The room for digits above an add-on.
  private static let addOnDrop = 9.0

  /// The width of the room for digits next to the symbol, in modules.
  var leftRoom: Double { outside.left == 0 ? 0 : outside.size == Self.size ? 11 : 9 }
  var rightRoom: Double { outside.right == 0 || !addOn.isEmpty ? 0 : 9 }

  /// Nil for other symbologies.
  init?(_ picture: ModulePicture) {
    switch picture.symbology {
    case .ean13:
      (symbolWidth, guards, outside) = (95, [0...2, 45...49, 92...94], (1, 0, Self.size))
      places = (0..<6).map { 3 + 7 * $0 } + (0..<6).map { 50 + 7 * $0 }
    case .ean8:
      (symbolWidth, guards, outside) = (67, [0...2, 31...35, 64...66], (0, 0, Self.size))
      places = (0..<4).map { 3 + 7 * $0 } + (0..<4).map { 36 + 7 * $0 }
    case .upca:
      (symbolWidth, guards, outside) = (95, [0...9, 45...49, 85...94], (1, 1, Self.smallSize))
      places = (0..<5).map { 10 + 7 * $0 } + (0..<5).map { 50 + 7 * $0 }
    case .upce:
      (symbolWidth, guards, outside) = (51, [0...2, 45...50], (1, 1, Self.smallSize))
      places = (0..<6).map { 3 + 7 * $0 }
    default: return nil
    }
    let parts = picture.humanReadable.split(separator: "+", maxSplits: 1)
    guard let main = parts.first, main.count == outside.left + places.count + outside.right,
      let first = picture.rows.last?.modules.firstIndex(of: true)
    else { return nil }
    digits = Array(main)
    addOn = parts.count > 1 ? Array(parts[1]) : []
    self.first = first
  }

  /// Lowers the guard bars and the add-on's, and adds the digits.
  func place(in label: inout Label) {
    let bottom = label.top + label.picture.height
    let start = label.left + Double(first)
    let rowHeight = label.picture.rows.last?.height ?? 0
    for index in label.bars.indices where label.bars[index].y + label.bars[index].height >= bottom - 0.001 {
      let module = Int((label.bars[index].x - start).rounded())
      if module >= symbolWidth {
        let drop = min(Self.addOnDrop, rowHeight / 2)
        label.bars[index].y += drop
        label.bars[index].height += Self.guardDepth - drop
      } else if guards.contains(where: { $0.contains(module) }) {
        label.bars[index].height += Self.guardDepth
      }
    }
    let baseline = bottom + Label.gap + Self.size * LabelFont.digitHeight
    func put(_ digit: Character, _ x: Double, _ size: Double, _ baseline: Double) {
      label.lines.append(Label.Line(text: "\(digit)", x: x, baseline: baseline, size: size))
    }
    var rest = digits[...]
    if outside.left > 0, let digit = rest.popFirst() {
      put(digit, start - (outside.size == Self.size ? 6.5 : 5), outside.size, baseline)
    }
    for place in places {
      guard let digit = rest.popFirst() else { break }
      put(digit, start + Double(place) + 3.5, Self.size, baseline)
    }
    if outside.right > 0, let digit = rest.popFirst() {
      put(digit, start + Double(symbolWidth) + 4.5, outside.size, baseline)
    }
    placeAddOn(in: &label, start)
    label.height += Label.gap + Self.size * LabelFont.digitHeight
  }

  /// The digits of an add-on: two modules between each two of them, behind a start of four.
  private func placeAddOn(in label: inout Label, _ start: Double) {
    guard !addOn.isEmpty, let modules = label.picture.rows.last?.modules,
      let begin = modules[(first + symbolWidth)...].firstIndex(of: true)
    else { return }
    let rowTop = label.top + label.picture.height - (label.picture.rows.last?.height ?? 0)
    for (index, digit) in addOn.enumerated() {
      let x = label.left + Double(begin + 4 + 9 * index) + 3.5
      label.lines.append(
        Label.Line(
          text: "\(digit)", x: x, baseline: rowTop + Self.addOnDrop - Label.gap, size: Self.size))
    }
  }
}
