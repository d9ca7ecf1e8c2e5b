// GS1 Composite symbols: every linear symbol with every kind of component, whose element strings use each encodation method.

import BarcodeTypes
import CZint

let compositeKinds: [Kind] = [
  composite("EAN-13", .ean13, BARCODE_EANX_CC) { retail($0.element(["1", "4", "9"]) + $0.digits(11)) },
  composite("EAN-8", .ean8, BARCODE_EANX_CC) { retail($0.digits(7)) },
  composite("UPC-A", .upca, BARCODE_UPCA_CC) { retail($0.digits(11)) },
  composite("GS1 DataBar", .databar, BARCODE_DBAR_OMN_CC) { item($0.digits(13)) },
  composite("GS1 DataBar Limited", .databarLimited, BARCODE_DBAR_LTD_CC) { item("\($0.number(0...1))" + $0.digits(12)) },
  composite("GS1 DataBar Stacked", .databar, BARCODE_DBAR_STK_CC) { item($0.digits(13)) },
  composite("GS1 DataBar Stacked Omnidirectional", .databar, BARCODE_DBAR_OMNSTK_CC) { item($0.digits(13)) },
  composite("GS1 DataBar Expanded", .databarExpanded, BARCODE_DBAR_EXP_CC) { elements(Contents.gs1(&$0)) },
  composite("GS1 DataBar Expanded Stacked", .databarExpanded, BARCODE_DBAR_EXPSTK_CC) { elements(Contents.gs1(&$0)) },
  composite("GS1-128", .code128, BARCODE_GS1_128_CC, hasRows: true) { elements(Contents.gs1(&$0)) },
]

/// The linear part of a symbol: libzint's input, and the bytes before those of the component.
private typealias Linear = (input: String, expected: [UInt8])

private func retail(_ digits: String) -> Linear {
  (digits, Array("\(digits)\(Contents.checkDigit(digits))\u{1D}".utf8))
}

private func item(_ digits: String) -> Linear { (digits, Array("01\(digits)\(Contents.checkDigit(digits))".utf8)) }

private func elements(_ contents: (input: [UInt8], expected: [UInt8])) -> Linear {
  let input = String(decoding: contents.input, as: UTF8.self)
  let last = input.split(separator: "[").last?.split(separator: "]").first ?? ""
  let hasEnd = ["01", "11", "17", "3103"].contains(last)
  return (input, contents.expected + (hasEnd ? [] : [0x1D]))
}

/// - Parameter hasRows: whether the component may also be CC-C.
private func composite(
  _ name: String, _ symbology: Symbology, _ number: Int32, hasRows: Bool = false,
  _ linear: @escaping @Sendable (inout SeededRandom) -> Linear
) -> Kind {
  // Of 2400, 1 to 4 are unread; CC-C of three rows need correction more often than other kinds.
  kind("GS1 Composite: \(name)", 240, correctedPercentMax: hasRows ? 10 : 2, unreadMax: 6) { random in
    var part = linear(&random)
    // libzint takes at most 127 bytes for the linear part.
    while part.input.utf8.count > 127 { part = linear(&random) }
    // 1 to 3 are the least sizes that libzint considers: CC-A, CC-B and CC-C.
    let least = Int32(random.number(1...(hasRows ? 3 : 2)))
    let component = component(isLong: least > 1 && random.isOnce(in: 2), &random)
    var one = DrawnCase(symbology, number, Array(component.input.utf8))
    one.primary = part.input
    one.option1 = least
    one.mode = GS1_MODE
    one.isComposite = true
    one.expected = .bytes(part.expected + component.expected)
    one.isGS1 = !part.input.allSatisfy(\.isNumber) || symbology == .databar || symbology == .databarLimited
    return one
  }
}

/// The element strings of a component, in libzint's notation and as transmitted.
private func component(isLong: Bool, _ random: inout SeededRandom) -> (input: String, expected: [UInt8]) {
  let capitals = [Contents.upper, Contents.digits]
  let all = capitals + [Contents.lower, Array("-./+,_%&'()*:;<=>?!\"".utf8)]
  func text(_ sets: [[UInt8]], _ count: ClosedRange<Int>) -> String {
    String(decoding: (0..<random.number(count)).map { _ in random.element(random.element(sets)) }, as: UTF8.self)
  }
  func date() -> String { Contents.date(&random) }
  var parts: [(identifier: String, value: String)]
  switch random.number(0...7) {
  case 0: parts = [("10", text(capitals, 1...20))]
  case 1: parts = [(random.element(["11", "17"]), date()), ("10", text(capitals, 1...20))]
  case 2: parts = [(random.element(["11", "17"]), date()), ("21", text(all, 1...20))]
  case 3: parts = [(random.element(["11", "17"]), date())]
  case 4, 5:
    let number = random.element(["", "7", "25", "100", "999"])
    let sets = random.element([[Contents.upper], capitals, [Contents.digits]])
    parts = [("90", number + text([Contents.upper], 1...1) + text(sets, 1...20))]
    if random.isOnce(in: 2) { parts.append((random.element(["21", "8004"]), text(capitals, 1...12))) }
  case 6: parts = [("21", text(all, 1...20)), ("240", text(all, 1...12))]
  default: parts = [("99", text(all, 1...30))]
  }
  if isLong {
    parts.append(("91", text(all, 20...60)))
    if random.isOnce(in: 2) { parts.append(("92", text([Contents.digits], 10...80))) }
  }
  var expected = ""
  for (index, part) in parts.enumerated() {
    let isPredefined = ["11", "17"].contains(part.identifier)
    expected += part.identifier + part.value + (isPredefined || index == parts.count - 1 ? "" : "\u{1D}")
  }
  return (parts.map { "[\($0.identifier)]\($0.value)" }.joined(), Array(expected.utf8))
}
