// The numbers of symbologies in the C interface. They never change, whereas the catalogue is in the order of pages and messages.

import BarcodeTypes
public import CReticle

extension Symbology {
  /// The number in the C interface.
  var libraryNumber: Int {
    switch self {
    case .ean13: RETICLE_EAN13
    case .ean8: RETICLE_EAN8
    case .upca: RETICLE_UPCA
    case .upce: RETICLE_UPCE
    case .itf: RETICLE_ITF
    case .itf14: RETICLE_ITF14
    case .leitcode: RETICLE_LEITCODE
    case .identcode: RETICLE_IDENTCODE
    case .code39: RETICLE_CODE39
    case .code32: RETICLE_CODE32
    case .pzn: RETICLE_PZN
    case .code93: RETICLE_CODE93
    case .code128: RETICLE_CODE128
    case .codabar: RETICLE_CODABAR
    case .msi: RETICLE_MSI
    case .code11: RETICLE_CODE11
    case .industrial2of5: RETICLE_INDUSTRIAL2OF5
    case .iata2of5: RETICLE_IATA2OF5
    case .matrix2of5: RETICLE_MATRIX2OF5
    case .datalogic2of5: RETICLE_DATALOGIC2OF5
    case .plessey: RETICLE_PLESSEY
    case .pharmacode: RETICLE_PHARMACODE
    case .pharmacodeTwoTrack: RETICLE_PHARMACODE_TWO_TRACK
    case .dxFilmEdge: RETICLE_DX_FILM_EDGE
    case .telepen: RETICLE_TELEPEN
    case .telepenNumeric: RETICLE_TELEPEN_NUMERIC
    case .postnet: RETICLE_POSTNET
    case .planet: RETICLE_PLANET
    case .intelligentMail: RETICLE_USPS_IM
    case .rm4scc: RETICLE_RM4SCC
    case .mailmark: RETICLE_MAILMARK
    case .kix: RETICLE_KIX
    case .auspost: RETICLE_AUSPOST
    case .japanpost: RETICLE_JAPANPOST
    case .cepnet: RETICLE_CEPNET
    case .databar: RETICLE_DATABAR
    case .databarLimited: RETICLE_DATABAR_LIMITED
    case .databarExpanded: RETICLE_DATABAR_EXPANDED
    case .pdf417: RETICLE_PDF417
    case .micropdf417: RETICLE_MICROPDF417
    case .datamatrix: RETICLE_DATAMATRIX
    case .aztec: RETICLE_AZTEC
    case .qr: RETICLE_QR
    case .microqr: RETICLE_MICROQR
    case .rmqr: RETICLE_RMQR
    case .maxicode: RETICLE_MAXICODE
    case .hanxin: RETICLE_HANXIN
    case .dotcode: RETICLE_DOTCODE
    }
  }

  /// The symbology with a number of the C interface.
  init?(libraryNumber: Int32) {
    var found: Symbology?
    forEachSymbology { symbology, number in if number == Int(libraryNumber) { found = symbology } }
    guard let found else { return nil }
    self = found
  }
}

/// Calls `body` with each symbology and its number.
func forEachSymbology(_ body: (_ symbology: Symbology, _ number: Int) -> Void) {
  for raw in 0..<UInt8(Symbology.count) {
    if let symbology = Symbology(rawValue: raw) { body(symbology, symbology.libraryNumber) }
  }
}

/// The RETICLE_BITs of a set.
func libraryBits(_ set: SymbologySet) -> UInt64 {
  var bits: UInt64 = 0
  forEachSymbology { symbology, number in if set.contains(symbology) { bits |= 1 << UInt64(number) } }
  return bits
}

@_cdecl("reticle_symbology_name")
public func symbologyName(symbology: reticle_symbology) -> UnsafePointer<CChar>? {
  Symbology(libraryNumber: symbology).map { cString($0.name) }
}

@_cdecl("reticle_symbology_title")
public func symbologyTitle(symbology: reticle_symbology) -> UnsafePointer<CChar>? {
  Symbology(libraryNumber: symbology).map { cString($0.title) }
}

@_cdecl("reticle_symbologies")
public func symbologies() -> UInt64 { libraryBits(.all) }
