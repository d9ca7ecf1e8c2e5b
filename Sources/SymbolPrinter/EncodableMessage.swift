// Validates a request and converts it to libzint's terms. Rules that libzint would enforce by silently changing the text
// (capitals for Code 39, a 0 before an odd number of digits) are checked here, because the printed text must equal the text
// read back.

import BarcodeMessage
import BarcodeTypes
import CZint

/// A request that libzint can encode unchanged, if it fits.
struct EncodableMessage {
  var text: String
  var zintSymbology: Int32
  var inputMode = UNICODE_MODE
  var eci: Int32 = 0
  var correction: CorrectionLevel?

  init(_ request: SymbolRequest) throws(SymbolPrinterError) {
    let symbology = request.symbology
    guard !request.text.isEmpty else { throw .empty }
    guard request.text.utf8.count <= SymbolPrinterLimits.textByteCountMax else { throw .tooLong(symbology) }
    zintSymbology = EncodableMessage.zintSymbology(symbology)
    text = request.text
    correction = try EncodableMessage.correction(request)
    if request.isGS1 || symbology == .databarExpanded {
      try takeElementStrings(request)
      return
    }
    try takeText(symbology)
    if text.utf8.contains(where: { $0 >= 0x80 }) {
      if ZBarcode_Cap(zintSymbology, UInt32(ZINT_CAP_ECI)) != 0 { eci = 26 }
    }
  }

  private static func correction(_ request: SymbolRequest) throws(SymbolPrinterError) -> CorrectionLevel? {
    let available = CorrectionLevel.available(request.symbology)
    guard let level = request.correction else { return available.isEmpty ? nil : .medium }
    guard available.contains(level) else {
      throw .correctionNotAvailable(request.symbology, available: available)
    }
    return level
  }

  /// Square brackets mark application identifiers for libzint: unlike parentheses, they never occur in data.
  private mutating func takeElementStrings(_ request: SymbolRequest) throws(SymbolPrinterError) {
    guard SymbolPrinter.gs1Symbologies.contains(request.symbology) else {
      throw .notForGS1(request.symbology, available: SymbolPrinter.gs1Symbologies)
    }
    let elements: [GS1Element]
    do throws(GS1Problem) {
      elements = try GS1Message(humanReadable: request.text).elements
    } catch {
      throw .invalidElementStrings(error.message)
    }
    text = elements.map { "[\($0.identifier)]\($0.value)" }.joined()
    inputMode = GS1_MODE
    if request.symbology == .code128 { zintSymbology = BARCODE_GS1_128 }
  }

  private mutating func takeText(_ symbology: Symbology) throws(SymbolPrinterError) {
    switch symbology {
    case .ean13: text = try DigitText(retail: text, symbology, count: 13).text
    case .ean8: text = try DigitText(retail: text, symbology, count: 8).text
    case .upca: text = try DigitText(retail: text, symbology, count: 12).text
    case .upce: text = try DigitText(upce: text).text
    case .itf: text = try DigitText(pairs: text).text
    case .itf14, .databar, .databarLimited:
      text = try DigitText(retail: text, symbology, count: 14).text
      guard !text.contains("+") else { throw .notEncodable(symbology, character: " ", allowed: "digits") }
    case .code39, .code93, .code128, .codabar, .msi, .databarExpanded, .pdf417, .micropdf417, .datamatrix, .aztec, .qr,
      .microqr,
      .rmqr, .maxicode:
      for character in text where !EncodableMessage.takes(symbology, character) {
        throw .notEncodable(symbology, character: character, allowed: EncodableMessage.allowedCharacters(symbology))
      }
      if symbology == .codabar { text = EncodableMessage.withStartAndStop(text) }
      if symbology == .code128, EncodableMessage.leavesExtendedRun(text) {
        throw .refused(symbology, detail: "five accented letters in a row before other text are not supported; choose qr")
      }
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

  private static func takes(_ symbology: Symbology, _ character: Character) -> Bool {
    // ISO/IEC 8859-1 has no characters from 0x80 to 0x9F.
    let isLatin1 = character.unicodeScalars.allSatisfy { $0.value < 0x80 || (0xA0..<0x100).contains($0.value) }
    switch symbology {
    case .code39: return character.isASCII && (isCapitalOrDigit(character) || "-. $/+%".contains(character))
    case .code93: return character.isASCII
    case .codabar: return character.isASCII && (character.isNumber || "-$:/.+ABCD".contains(character))
    case .code128: return isLatin1
    case .msi: return ("0"..."9").contains(character)
    case .ean13, .ean8, .upca, .upce, .itf, .itf14, .databar, .databarLimited, .databarExpanded, .pdf417, .micropdf417,
      .datamatrix, .aztec, .qr, .microqr, .rmqr, .maxicode:
      return true
    }
  }

  private static func isCapitalOrDigit(_ character: Character) -> Bool {
    ("A"..."Z").contains(character) || ("0"..."9").contains(character)
  }

  /// The characters that a symbology accepts, for messages.
  static func allowedCharacters(_ symbology: Symbology) -> String {
    switch symbology {
    case .ean13, .ean8, .upca, .upce, .itf, .itf14, .msi, .databar, .databarLimited: "digits"
    case .code39: "capital letters, digits, space and - . $ / + %"
    case .code93: "ASCII characters"
    case .code128: "the characters of Latin-1 (ISO/IEC 8859-1)"
    case .codabar: "digits and - $ : / . + between two of A, B, C, D"
    case .databarExpanded: "GS1 element strings such as (01)09501101530003(10)AB-123"
    case .microqr: "the characters of Latin-1 and Shift JIS"
    case .pdf417, .micropdf417, .datamatrix, .aztec, .qr, .rmqr, .maxicode: "any text"
    }
  }

  private static func zintSymbology(_ symbology: Symbology) -> Int32 {
    switch symbology {
    case .ean13, .ean8: BARCODE_EANX
    case .upca: BARCODE_UPCA
    case .upce: BARCODE_UPCE
    case .itf: BARCODE_C25INTER
    case .itf14: BARCODE_ITF14
    case .code39: BARCODE_CODE39
    case .code93: BARCODE_CODE93
    case .code128: BARCODE_CODE128
    case .codabar: BARCODE_CODABAR
    case .msi: BARCODE_MSI_PLESSEY
    case .databar: BARCODE_DBAR_OMN
    case .databarLimited: BARCODE_DBAR_LTD
    case .databarExpanded: BARCODE_DBAR_EXP
    case .pdf417: BARCODE_PDF417
    case .micropdf417: BARCODE_MICROPDF417
    case .datamatrix: BARCODE_DATAMATRIX
    case .aztec: BARCODE_AZTEC
    case .qr: BARCODE_QRCODE
    case .microqr: BARCODE_MICROQR
    case .rmqr: BARCODE_RMQR
    case .maxicode: BARCODE_MAXICODE
    }
  }
}
