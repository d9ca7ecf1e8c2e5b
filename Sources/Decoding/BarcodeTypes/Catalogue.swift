// The symbologies and their properties for code, pages and messages: one case and one row each.

/// A barcode symbology, with the edition of its standard. Tables that standards for sale contain come from public descriptions.
///
/// Raw values run from 0 in the order in which pages and messages list the symbologies; they are not stored.
public enum Symbology: UInt8, Sendable, BitwiseCopyable {
  /// ISO/IEC 15420:2009; GS1 General Specifications.
  case ean13, ean8, upca, upce
  /// ISO/IEC 16390:2007; GS1 General Specifications.
  case itf, itf14
  /// Deutsche Post, data sheets of Leitcode and Identcode.
  case leitcode, identcode
  /// ISO/IEC 16388:2007.
  case code39
  /// Italian Ministry of Health, decree of 2 August 2001, annex.
  case code32
  /// IFA, technical information on the PZN: code 39.
  case pzn
  /// AIM USS Code 93.
  case code93
  /// ISO/IEC 15417:2007; GS1 General Specifications.
  case code128
  /// EN 798:1995.
  case codabar
  /// No standard.
  case msi
  /// AIM USD-8.
  case code11
  /// No standards, except IATA resolution 606 for IATA 2 of 5.
  case industrial2of5, iata2of5, matrix2of5, datalogic2of5
  /// No standard.
  case plessey
  /// Laetus, Pharmacode guide.
  case pharmacode, pharmacodeTwoTrack
  /// US patents 4 965 628 and 5 448 049.
  case dxFilmEdge
  /// AIM USS Telepen.
  case telepen, telepenNumeric
  /// USPS Domestic Mail Manual 708.4; USPS Confirm service guide.
  case postnet, planet
  /// USPS-B-3200.
  case intelligentMail
  /// Royal Mail; the Mailmark barcode definition document.
  case rm4scc, mailmark
  /// PostNL.
  case kix
  /// Australia Post, Customer Barcoding Technical Specifications.
  case auspost
  /// Japan Post, customer barcode.
  case japanpost
  /// Correios.
  case cepnet
  /// ISO/IEC 24724:2011.
  case databar, databarLimited, databarExpanded
  /// ISO/IEC 15438:2015.
  case pdf417
  /// ISO/IEC 24728:2006.
  case micropdf417
  /// ISO/IEC 16022:2006; ISO/IEC 21471:2020 for the rectangular extension (DMRE).
  case datamatrix
  /// ISO/IEC 24778:2008.
  case aztec
  /// ISO/IEC 18004:2015; ISO/IEC 18004:2000 for Model 1.
  case qr
  /// ISO/IEC 18004:2015.
  case microqr
  /// ISO/IEC 23941:2022.
  case rmqr
  /// ISO/IEC 16023:2000.
  case maxicode
  /// ISO/IEC 20830:2021.
  case hanxin
  /// AIM ISS DotCode 4.0.
  case dotcode

  static let first = ean13
  private static let last = dotcode
  /// The number of symbologies, at most 63.
  public static let count = Int(last.rawValue) + 1

  /// The layout of a symbology's elements, which selects the part of the decoder that reads it.
  public enum Family: Sendable { case linear, stacked, matrix }
}

#if !hasFeature(Embedded)
  extension Symbology: CaseIterable {}
#endif

/// The permitted number of characters in a text.
public struct LengthRange: Equatable, Sendable, BitwiseCopyable {
  /// The longest text of a linear symbol, in bytes.
  public static let most = 255

  private var least: UInt8
  private var greatest: UInt8

  /// Both inclusive, from 0 to `most`.
  public var min: Int {
    get { Int(least) }
    set { least = UInt8(clamping: newValue) }
  }
  public var max: Int {
    get { Int(greatest) }
    set { greatest = UInt8(clamping: newValue) }
  }

  /// - Parameters: min, max: both inclusive; values beyond `most` are `most`.
  public init(min: Int = 1, max: Int = LengthRange.most) {
    least = UInt8(clamping: min)
    greatest = UInt8(clamping: max)
  }

  @inline(__always) public func contains(_ count: Int) -> Bool { count >= min && count <= max }
}

/// How much evidence a text of a linear symbology needs, which its own check characters do not give.
public struct Protection: Sendable {
  /// Scan lines that must agree.
  public var lineCount = 2
  /// Texts of fewer bytes need `weakLineCount` lines: any texture has a few stripes of the right widths.
  public var shortByteCount = 0
  /// Whether texts without a right check digit need `weakLineCount` lines, where the check digit is optional.
  public var hasOptionalCheckDigit = false
  /// Bytes from which one line with a small misfit is believed if no other line was read; nil: never.
  public var loneByteCount: Int?
  /// Whether pieces of other patterns end like a symbol, so that its quiet zone must be as light as its spaces.
  public var needsClearPaper = false
  /// Whether frames must agree, because the check character is optional or misses a tenth of errors.
  public var needsVote = false

  /// Scan lines that must agree on a text that is short or unchecked, or may be a piece of a longer symbol.
  public static let weakLineCount = 4
}

/// The lengths that a configuration may permit.
public struct LengthOption: Sendable {
  /// The lengths that can be asked for.
  public var limits: LengthRange
  public var standard: LengthRange
}

extension Symbology {
  struct Row {
    let id: StaticString
    let title: StaticString
    let aimCode: StaticString
    let family: Family
    var isNumericOnly = false
    var isOnByDefault = true
    var protection = Protection()
    var lengths: LengthOption?
    var hasPosts = false

    /// A postal code, which only mail carries, and so off by default.
    static func post(_ id: StaticString, _ title: StaticString, isNumericOnly: Bool, needsVote: Bool) -> Row {
      Row(
        id: id, title: title, aimCode: "X", family: .linear, isNumericOnly: isNumericOnly, isOnByDefault: false,
        protection: Protection(needsVote: needsVote), hasPosts: true)
    }

    /// A symbology that only its bars protect.
    static func twoOfFive(_ id: StaticString, _ title: StaticString, aimCode: StaticString) -> Row {
      Row(
        id: id, title: title, aimCode: aimCode, family: .linear, isNumericOnly: true, isOnByDefault: false,
        protection: Protection(lineCount: 3, hasOptionalCheckDigit: true, needsClearPaper: true, needsVote: true),
        lengths: LengthOption(limits: LengthRange(min: 2, max: 80), standard: LengthRange(min: 6, max: 80)))
    }
  }

  // AIM code characters: ISO/IEC 15424 as listed in the AIM symbology identifier guideline.
  @inline(__always) var row: Row {
    switch self {
    case .ean13:
      Row(
        id: "ean13", title: "EAN-13", aimCode: "E", family: .linear, isNumericOnly: true,
        protection: Protection(loneByteCount: 0))
    case .ean8: Row(id: "ean8", title: "EAN-8", aimCode: "E", family: .linear, isNumericOnly: true)
    case .upca:
      Row(
        id: "upca", title: "UPC-A", aimCode: "E", family: .linear, isNumericOnly: true,
        protection: Protection(loneByteCount: 0))
    // The check digit is encoded only in the number sets, which six digits of any stripes match one time in five.
    case .upce:
      Row(
        id: "upce", title: "UPC-E", aimCode: "E", family: .linear, isNumericOnly: true,
        protection: Protection(needsClearPaper: true, needsVote: true))
    case .itf:
      Row(
        id: "itf", title: "Interleaved 2 of 5", aimCode: "I", family: .linear, isNumericOnly: true,
        protection: Protection(lineCount: 3, hasOptionalCheckDigit: true, needsClearPaper: true, needsVote: true),
        lengths: LengthOption(limits: LengthRange(min: 2, max: 80), standard: LengthRange(min: 6, max: 80)))
    case .itf14:
      Row(
        id: "itf14", title: "ITF-14", aimCode: "I", family: .linear, isNumericOnly: true,
        protection: Protection(lineCount: 3, hasOptionalCheckDigit: true, needsClearPaper: true, needsVote: true))
    // One number in ten of the same length has the right check digit by chance.
    case .leitcode:
      Row(
        id: "leitcode", title: "Leitcode", aimCode: "I", family: .linear, isNumericOnly: true, isOnByDefault: false,
        protection: Protection(lineCount: 3, needsClearPaper: true, needsVote: true))
    case .identcode:
      Row(
        id: "identcode", title: "Identcode", aimCode: "I", family: .linear, isNumericOnly: true, isOnByDefault: false,
        protection: Protection(lineCount: 3, needsClearPaper: true, needsVote: true))
    case .code39:
      Row(
        id: "code39", title: "Code 39", aimCode: "A", family: .linear,
        protection: Protection(lineCount: 3, shortByteCount: 5, needsVote: true),
        lengths: LengthOption(limits: LengthRange(), standard: LengthRange(min: 2)))
    // Six characters of a Code 39 that are right by chance in nearly one text of ten, and so off by default.
    case .code32:
      Row(
        id: "code32", title: "Code 32", aimCode: "A", family: .linear, isOnByDefault: false,
        protection: Protection(lineCount: 3, needsVote: true))
    // Digits after a minus sign, which another Code 39 may have, too.
    case .pzn:
      Row(
        id: "pzn", title: "PZN", aimCode: "A", family: .linear, isOnByDefault: false,
        protection: Protection(lineCount: 3, needsVote: true))
    case .code93:
      Row(
        id: "code93", title: "Code 93", aimCode: "G", family: .linear, protection: Protection(loneByteCount: 4),
        lengths: LengthOption(limits: LengthRange(), standard: LengthRange()))
    case .code128:
      Row(
        id: "code128", title: "Code 128", aimCode: "C", family: .linear,
        protection: Protection(shortByteCount: 4, loneByteCount: 4),
        lengths: LengthOption(limits: LengthRange(), standard: LengthRange()))
    case .codabar:
      Row(
        id: "codabar", title: "Codabar", aimCode: "F", family: .linear,
        protection: Protection(lineCount: 3, needsClearPaper: true, needsVote: true),
        lengths: LengthOption(limits: LengthRange(), standard: LengthRange(min: 4)))
    // Easily misread from patterns that are not barcodes, and so off by default.
    case .msi:
      Row(
        id: "msi", title: "MSI", aimCode: "M", family: .linear, isNumericOnly: true, isOnByDefault: false,
        protection: Protection(lineCount: 3, hasOptionalCheckDigit: true, needsClearPaper: true, needsVote: true),
        lengths: LengthOption(limits: LengthRange(min: 3, max: 80), standard: LengthRange(min: 4, max: 80)))
    // Replaced by younger codes nearly everywhere, and easily misread from other patterns.
    case .code11:
      Row(
        id: "code11", title: "Code 11", aimCode: "H", family: .linear, isOnByDefault: false,
        protection: Protection(lineCount: 3, hasOptionalCheckDigit: true, needsClearPaper: true, needsVote: true),
        lengths: LengthOption(limits: LengthRange(min: 1, max: 80), standard: LengthRange(min: 3, max: 80)))
    case .industrial2of5: Row.twoOfFive("industrial2of5", "Industrial 2 of 5", aimCode: "S")
    case .iata2of5: Row.twoOfFive("iata2of5", "IATA 2 of 5", aimCode: "R")
    case .matrix2of5: Row.twoOfFive("matrix2of5", "Matrix 2 of 5", aimCode: "X")
    case .datalogic2of5: Row.twoOfFive("datalogic2of5", "Data Logic 2 of 5", aimCode: "X")
    // Rare outside of British libraries.
    case .plessey:
      Row(
        id: "plessey", title: "Plessey Code", aimCode: "P", family: .linear, isOnByDefault: false,
        protection: Protection(lineCount: 3, shortByteCount: 4, needsClearPaper: true, needsVote: true))
    // A few bars of any texture are a number, and nothing but the agreement of lines protects it.
    case .pharmacode:
      Row(
        id: "pharmacode", title: "Pharmacode", aimCode: "X", family: .linear, isNumericOnly: true, isOnByDefault: false,
        protection: Protection(lineCount: 6, needsClearPaper: true, needsVote: true))
    case .pharmacodeTwoTrack:
      Row(
        id: "pharmacode-two-track", title: "Pharmacode Two-Track", aimCode: "X", family: .linear, isNumericOnly: true,
        isOnByDefault: false, protection: Protection(needsVote: true), hasPosts: true)
    // Only film has them.
    case .dxFilmEdge:
      Row(
        id: "dx-film-edge", title: "DX film edge", aimCode: "X", family: .linear, isOnByDefault: false,
        protection: Protection(lineCount: 3, needsVote: true))
    // Rare outside of libraries, and so off by default.
    case .telepen:
      Row(
        id: "telepen", title: "Telepen", aimCode: "B", family: .linear, isOnByDefault: false,
        protection: Protection(shortByteCount: 4, loneByteCount: 6))
    // Only the settings tell it from Telepen; a last digit may be followed by X.
    case .telepenNumeric:
      Row(
        id: "telepen-numeric", title: "Telepen Numeric", aimCode: "B", family: .linear, isOnByDefault: false,
        protection: Protection(shortByteCount: 8, loneByteCount: 12))
    case .postnet: Row.post("postnet", "POSTNET", isNumericOnly: true, needsVote: true)
    case .planet: Row.post("planet", "PLANET", isNumericOnly: true, needsVote: true)
    case .intelligentMail: Row.post("usps-im", "USPS Intelligent Mail", isNumericOnly: true, needsVote: false)
    case .rm4scc: Row.post("rm4scc", "Royal Mail 4-State", isNumericOnly: false, needsVote: true)
    case .mailmark: Row.post("mailmark", "Royal Mail Mailmark", isNumericOnly: false, needsVote: false)
    case .kix: Row.post("kix", "KIX", isNumericOnly: false, needsVote: true)
    case .auspost: Row.post("auspost", "Australia Post", isNumericOnly: false, needsVote: false)
    case .japanpost: Row.post("japanpost", "Japan Post", isNumericOnly: false, needsVote: true)
    case .cepnet: Row.post("cepnet", "CEPNet", isNumericOnly: true, needsVote: true)
    case .databar: Row(id: "databar", title: "GS1 DataBar", aimCode: "e", family: .linear, isNumericOnly: true)
    case .databarLimited:
      Row(
        id: "databar-limited", title: "GS1 DataBar Limited", aimCode: "e", family: .linear, isNumericOnly: true,
        protection: Protection(lineCount: 3))
    case .databarExpanded: Row(id: "databar-expanded", title: "GS1 DataBar Expanded", aimCode: "e", family: .linear)
    case .pdf417: Row(id: "pdf417", title: "PDF417", aimCode: "L", family: .stacked)
    case .micropdf417: Row(id: "micropdf417", title: "MicroPDF417", aimCode: "L", family: .stacked)
    case .datamatrix: Row(id: "datamatrix", title: "Data Matrix", aimCode: "d", family: .matrix)
    case .aztec: Row(id: "aztec", title: "Aztec Code", aimCode: "z", family: .matrix)
    case .qr: Row(id: "qr", title: "QR Code", aimCode: "Q", family: .matrix)
    case .microqr: Row(id: "microqr", title: "Micro QR Code", aimCode: "Q", family: .matrix)
    case .rmqr: Row(id: "rmqr", title: "rMQR Code", aimCode: "Q", family: .matrix)
    case .maxicode: Row(id: "maxicode", title: "MaxiCode", aimCode: "U", family: .matrix)
    // Rare outside of China, and so off by default.
    // Dots on dirty paper make lattices, and few labels have it, so that it is off by default.
    case .dotcode: Row(id: "dotcode", title: "DotCode", aimCode: "J", family: .matrix, isOnByDefault: false)
    case .hanxin: Row(id: "hanxin", title: "Han Xin Code", aimCode: "h", family: .matrix, isOnByDefault: false)
    }
  }

  /// The id used on the command line, in configuration and in scan records, such as `databar-limited`.
  public var name: StaticString { row.id }

  /// The name on screens and pages, such as `GS1 DataBar Limited`.
  public var title: StaticString { row.title }

  /// The code character of the AIM symbology identifier, the letter after `]`, in ASCII.
  public var aimCodeCharacter: UInt8 { unsafe row.aimCode.utf8Start[0] }

  public var family: Family { row.family }

  /// Whether the symbology encodes only digits, so that a scan is forwarded without confirmation (behaviour N1).
  public var isNumericOnly: Bool { row.isNumericOnly }

  var isOnByDefault: Bool { row.isOnByDefault }

  public var protection: Protection { row.protection }

  /// Whether the symbology is EAN or UPC: numbers of articles without identifiers.
  public var isRetail: Bool { self == .ean13 || self == .ean8 || self == .upca || self == .upce }

  /// Whether the symbology's bars differ in height.
  public var hasPosts: Bool { row.hasPosts }

  /// The lengths that a configuration may permit; nil if the symbology limits its texts itself.
  public var lengths: LengthOption? { row.lengths }
}
