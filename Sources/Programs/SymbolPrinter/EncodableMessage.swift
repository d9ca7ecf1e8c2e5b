// Validates a request and converts it to libzint's terms. Rules that libzint would enforce by silently changing the text
// (capitals for Code 39, a 0 before an odd number of digits) are checked here, because the printed text must equal the text
// read back.

import BarcodeMessage
import BarcodeTypes
import CZint

/// A request that libzint can encode unchanged, if it fits.
struct EncodableMessage {
  let symbology: PrintedSymbology
  var text: String
  /// The linear symbol's part, if `text` is that of a two-dimensional component.
  var primary: String?
  /// libzint's number of the symbology.
  var number: Int32
  var inputMode = UNICODE_MODE
  var eci: Int32 = 0
  var correction: CorrectionLevel?

  init(_ request: SymbolRequest) throws(SymbolPrinterError) {
    guard !request.text.isEmpty else { throw .empty }
    guard request.text.utf8.count <= SymbolPrinterLimits.textByteCountMax else { throw .tooLong(request.symbology) }
    symbology = PrintedSymbology(request.symbology)
    number = symbology.number
    text = request.text
    correction = try EncodableMessage.correction(request, levels: symbology.levels)
    if let compositeNumber = symbology.compositeNumber, request.isGS1 || request.symbology != .code128,
      let end = request.text.firstIndex(of: "|")
    {
      try takeComposite(request, linear: request.text[..<end], component: request.text[end...].dropFirst())
      number = compositeNumber
      return
    }
    if request.isGS1 || request.symbology == .databarExpanded {
      try takeElementStrings(request)
      return
    }
    try takeText(request.symbology)
    if text.utf8.contains(where: { $0 >= 0x80 }) {
      if ZBarcode_Cap(number, UInt32(ZINT_CAP_ECI)) != 0 { eci = 26 }
    }
  }

  private static func correction(
    _ request: SymbolRequest, levels: [CorrectionLevel]
  ) throws(SymbolPrinterError) -> CorrectionLevel? {
    guard let level = request.correction else { return levels.isEmpty ? nil : .medium }
    guard levels.contains(level) else { throw .correctionNotAvailable(request.symbology, available: levels) }
    return level
  }

  /// The longest text of a linear symbol below a component, in bytes: libzint's limit.
  private static let primaryByteCountMax = 127

  private mutating func takeComposite(
    _ request: SymbolRequest, linear: Substring, component: Substring
  ) throws(SymbolPrinterError) {
    var part = request
    part.text = String(linear)
    let primary = try EncodableMessage(part).text
    guard primary.utf8.count <= EncodableMessage.primaryByteCountMax else { throw .tooLong(request.symbology) }
    self.primary = primary
    text = try EncodableMessage.bracketed(String(component))
    inputMode = GS1_MODE
  }

  /// Square brackets mark application identifiers for libzint: unlike parentheses, they never occur in data.
  private mutating func takeElementStrings(_ request: SymbolRequest) throws(SymbolPrinterError) {
    guard let gs1Number = symbology.gs1Number else {
      throw .notForGS1(request.symbology, available: SymbolPrinter.gs1Symbologies)
    }
    text = try EncodableMessage.bracketed(request.text)
    inputMode = GS1_MODE
    number = gs1Number
  }

  private static func bracketed(_ text: String) throws(SymbolPrinterError) -> String {
    let elements: [GS1Element]
    do throws(GS1Problem) {
      elements = try GS1Message(humanReadable: text).elements
    } catch {
      throw .invalidElementStrings(error.message)
    }
    return elements.map { "[\($0.identifier)]\($0.value)" }.joined()
  }

  private mutating func takeText(_ name: Symbology) throws(SymbolPrinterError) {
    switch symbology.content {
    case .retail(let digitCount, let takesAddOn):
      text = try DigitText(retail: text, name, count: digitCount).text
      guard takesAddOn || !text.contains("+") else { throw .notEncodable(name, character: " ", allowed: "digits") }
    case .upce: text = try DigitText(upce: text).text
    case .pairs: text = try DigitText(pairs: text, name).text
    case .characters(let isTaken):
      for character in text where !isTaken(character) {
        throw .notEncodable(name, character: character, allowed: symbology.allowed)
      }
    case .any: break
    }
    if name == .codabar { text = EncodableMessage.withStartAndStop(text) }
    if name == .code128, EncodableMessage.leavesExtendedRun(text) {
      throw .refused(name, detail: "five accented letters in a row before other text are not supported; choose qr")
    }
  }

  /// Whether five or more characters from the upper half of Latin-1 precede other text. libzint 2.11.1 then latches FNC4 and
  /// forgets about it, and the symbol contains a different text (found by reading back random text).
  private static func leavesExtendedRun(_ text: String) -> Bool {
    var run = 0
    for scalar in text.unicodeScalars {
      let isExtended = scalar.value >= 0x80
      if !isExtended, run >= 5 { return true }
      run = isExtended ? run + 1 : 0
    }
    return false
  }

  /// Codabar is framed by two of A, B, C, D; by A and A if the text contains none.
  private static func withStartAndStop(_ text: String) -> String {
    guard let first = text.first, !"ABCD".contains(first) else { return text }
    return "A\(text)A"
  }
}
