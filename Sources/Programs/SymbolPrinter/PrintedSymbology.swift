// How each symbology is printed: one row each.

import BarcodeTypes
import CZint

/// How a symbology is printed.
struct PrintedSymbology {
  /// The texts that a symbology takes.
  enum Content {
    /// This many digits including the check digit, which may be omitted, with or without an add-on.
    case retail(digitCount: Int, takesAddOn: Bool)
    case upce
    /// An even number of digits.
    case pairs
    case characters((Character) -> Bool)
    /// Element strings are the only content, or libzint itself refuses what does not fit.
    case any
  }

  /// libzint's number of the symbology.
  let number: Int32
  /// Its number for GS1 element strings; nil if the symbology does not carry them.
  var gs1Number: Int32?
  /// Its number with a two-dimensional component above it; nil for symbologies without one.
  var compositeNumber: Int32?
  /// The quiet zone that the symbology's standard requires on each side, in modules.
  let quietZone: Int
  let content: Content
  /// The characters that the symbology takes, for messages.
  var allowed = "any text"
  /// The correction levels to choose from.
  var levels: [CorrectionLevel] = []
  /// libzint's options 2 and 3; nil for its defaults.
  var option2: Int32?
  var option3: Int32?

  private static func retail(
    _ number: Int32, composite: Int32? = nil, quietZone: Int, digitCount: Int, takesAddOn: Bool = true
  ) -> Self {
    Self(
      number: number, compositeNumber: composite, quietZone: quietZone,
      content: .retail(digitCount: digitCount, takesAddOn: takesAddOn),
      allowed: "digits")
  }

  init(
    number: Int32, gs1Number: Int32? = nil, compositeNumber: Int32? = nil, quietZone: Int, content: Content = .any,
    allowed: String = "any text",
    levels: [CorrectionLevel] = [], option2: Int32? = nil, option3: Int32? = nil
  ) {
    self.number = number
    self.gs1Number = gs1Number
    self.compositeNumber = compositeNumber
    self.quietZone = quietZone
    self.content = content
    self.allowed = allowed
    self.levels = levels
    self.option2 = option2
    self.option3 = option3
  }

  init(_ symbology: Symbology) {
    self =
      switch symbology {
      case .ean13: .retail(BARCODE_EANX, composite: BARCODE_EANX_CC, quietZone: 11, digitCount: 13)
      case .ean8: .retail(BARCODE_EANX, composite: BARCODE_EANX_CC, quietZone: 7, digitCount: 8)
      case .upca: .retail(BARCODE_UPCA, composite: BARCODE_UPCA_CC, quietZone: 9, digitCount: 12)
      case .upce:
        Self(number: BARCODE_UPCE, compositeNumber: BARCODE_UPCE_CC, quietZone: 9, content: .upce, allowed: "digits")
      case .itf: Self(number: BARCODE_C25INTER, quietZone: 10, content: .pairs, allowed: "digits")
      case .itf14: .retail(BARCODE_ITF14, quietZone: 10, digitCount: 14, takesAddOn: false)
      case .code39:
        Self(
          number: BARCODE_CODE39, quietZone: 10,
          content: .characters { isDigit($0) || $0.isASCII && $0.isUppercase || "-. $/+%".contains($0) },
          allowed: "capital letters, digits, space and - . $ / + %")
      // The check digit is libzint's.
      case .code32: Self(number: BARCODE_CODE32, quietZone: 10, content: .characters(isDigit), allowed: "up to 8 digits")
      case .pzn: Self(number: BARCODE_PZN, quietZone: 10, content: .characters(isDigit), allowed: "up to 7 digits")
      case .code93:
        Self(number: BARCODE_CODE93, quietZone: 10, content: .characters(\.isASCII), allowed: "ASCII characters")
      case .code128:
        Self(
          number: BARCODE_CODE128, gs1Number: BARCODE_GS1_128, compositeNumber: BARCODE_GS1_128_CC, quietZone: 10,
          content: .characters(isLatin1),
          allowed: "the characters of Latin-1 (ISO/IEC 8859-1)")
      case .codabar:
        Self(
          number: BARCODE_CODABAR, quietZone: 10, content: .characters { isDigit($0) || "-$:/.+ABCD".contains($0) },
          allowed: "digits and - $ : / . + between two of A, B, C, D")
      case .leitcode: Self(number: BARCODE_DPLEIT, quietZone: 10, content: .characters(isDigit), allowed: "up to 13 digits")
      case .identcode:
        Self(number: BARCODE_DPIDENT, quietZone: 10, content: .characters(isDigit), allowed: "up to 11 digits")
      case .code11:
        Self(
          number: BARCODE_CODE11, quietZone: 10, content: .characters { isDigit($0) || $0 == "-" }, allowed: "digits and -")
      case .industrial2of5: Self(number: BARCODE_C25IND, quietZone: 10, content: .characters(isDigit), allowed: "digits")
      case .iata2of5: Self(number: BARCODE_C25IATA, quietZone: 10, content: .characters(isDigit), allowed: "digits")
      case .matrix2of5: Self(number: BARCODE_C25STANDARD, quietZone: 10, content: .characters(isDigit), allowed: "digits")
      case .datalogic2of5: Self(number: BARCODE_C25LOGIC, quietZone: 10, content: .characters(isDigit), allowed: "digits")
      case .plessey:
        Self(
          number: BARCODE_PLESSEY, quietZone: 12, content: .characters { isDigit($0) || "ABCDEF".contains($0) },
          allowed: "digits and A to F")
      case .pharmacodeTwoTrack:
        Self(
          number: BARCODE_PHARMA_TWO, quietZone: 8, content: .characters(isDigit), allowed: "a number from 4 to 64570080")
      // Drawn by `ModulePicture.init(dxFilmEdge:)`: libzint 2.11 has no number for it.
      case .dxFilmEdge: Self(number: 0, quietZone: 6, allowed: "a DX number and perhaps a frame")
      case .postnet:
        Self(number: BARCODE_POSTNET, quietZone: 6, content: .characters(isDigit), allowed: "5, 9 or 11 digits")
      case .planet: Self(number: BARCODE_PLANET, quietZone: 6, content: .characters(isDigit), allowed: "11 or 13 digits")
      case .intelligentMail:
        Self(
          number: BARCODE_USPS_IMAIL, quietZone: 6, content: .characters { isDigit($0) || $0 == "-" },
          allowed: "20 digits, and a minus sign before 5, 9 or 11 digits")
      case .rm4scc:
        Self(number: BARCODE_RM4SCC, quietZone: 6, content: .characters(isCapital), allowed: "digits and capital letters")
      case .mailmark:
        Self(
          number: BARCODE_MAILMARK, quietZone: 6, content: .characters { isCapital($0) || $0 == " " },
          allowed: "22 or 26 digits, capital letters and spaces")
      case .kix:
        Self(number: BARCODE_KIX, quietZone: 6, content: .characters(isCapital), allowed: "digits and capital letters")
      case .auspost:
        Self(
          number: BARCODE_AUSPOST, quietZone: 6,
          content: .characters { $0.isASCII && ($0.isLetter || $0.isNumber) || " #".contains($0) },
          allowed: "8 digits, and customer information of letters, digits, space and #")
      case .japanpost:
        Self(
          number: BARCODE_JAPANPOST, quietZone: 6, content: .characters { isCapital($0) || $0 == "-" },
          allowed: "7 digits, then digits, capital letters and -")
      case .cepnet: Self(number: BARCODE_CEPNET, quietZone: 6, content: .characters(isDigit), allowed: "8 digits")
      case .pharmacode:
        Self(number: BARCODE_PHARMA, quietZone: 12, content: .characters(isDigit), allowed: "a number from 3 to 131070")
      // Option 2 adds the check digit modulo 10, which readers expect of MSI.
      case .msi:
        Self(number: BARCODE_MSI_PLESSEY, quietZone: 12, content: .characters(isDigit), allowed: "digits", option2: 1)
      case .telepen:
        Self(number: BARCODE_TELEPEN, quietZone: 10, content: .characters(\.isASCII), allowed: "ASCII characters")
      case .telepenNumeric: Self(number: BARCODE_TELEPEN_NUM, quietZone: 10, content: .pairs, allowed: "digits")
      case .databar:
        .retail(BARCODE_DBAR_OMN, composite: BARCODE_DBAR_OMN_CC, quietZone: 1, digitCount: 14, takesAddOn: false)
      case .databarLimited:
        .retail(BARCODE_DBAR_LTD, composite: BARCODE_DBAR_LTD_CC, quietZone: 1, digitCount: 14, takesAddOn: false)
      case .databarExpanded:
        Self(
          number: BARCODE_DBAR_EXP, gs1Number: BARCODE_DBAR_EXP, compositeNumber: BARCODE_DBAR_EXP_CC, quietZone: 1,
          allowed: "GS1 element strings such as (01)09501101530003(10)AB-123")
      case .pdf417: Self(number: BARCODE_PDF417, quietZone: 2)
      case .micropdf417: Self(number: BARCODE_MICROPDF417, quietZone: 1)
      // A rectangle would be a few modules smaller, but harder to place on a label and to read.
      case .datamatrix:
        Self(number: BARCODE_DATAMATRIX, gs1Number: BARCODE_DATAMATRIX, quietZone: 1, option3: DM_SQUARE)
      case .aztec: Self(number: BARCODE_AZTEC, gs1Number: BARCODE_AZTEC, quietZone: 1)
      case .qr: Self(number: BARCODE_QRCODE, gs1Number: BARCODE_QRCODE, quietZone: 4, levels: CorrectionLevel.allCases)
      case .microqr:
        Self(
          number: BARCODE_MICROQR, quietZone: 2, allowed: "the characters of Latin-1 and Shift JIS",
          levels: [.low, .medium, .quartile])
      case .rmqr: Self(number: BARCODE_RMQR, quietZone: 2, levels: [.medium, .high])
      case .maxicode: Self(number: BARCODE_MAXICODE, quietZone: 1)
      case .hanxin: Self(number: BARCODE_HANXIN, quietZone: 3)
      case .dotcode: Self(number: BARCODE_DOTCODE, gs1Number: BARCODE_DOTCODE, quietZone: 3)
      }
  }
}

private func isCapital(_ character: Character) -> Bool {
  isDigit(character) || character.isASCII && character.isUppercase
}

private func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

/// Whether ISO/IEC 8859-1 has the character; it has none from 0x80 to 0x9F.
private func isLatin1(_ character: Character) -> Bool {
  character.unicodeScalars.allSatisfy { $0.value < 0x80 || (0xA0..<0x100).contains($0.value) }
}
