import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Bars of KIX, from the published table of characters.
private enum KIXEncoder {
  private static let characters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
  private static let bars = [
    "TTFF", "TDAF", "TDFA", "DTAF", "DTFA", "DDAA", "TADF", "TFTF", "TFDA", "DATF", "DADA", "DFTA", "TAFD", "TFAD", "TFFT",
    "DAAD", "DAFT", "DFAT", "ATDF", "ADTF", "ADDA", "FTTF", "FTDA", "FDTA", "ATFD", "ADAD", "ADFT", "FTAD", "FTFT", "FDAT",
    "AADD", "AFTD", "AFDT", "FATD", "FADT", "FFTT",
  ]

  static func symbol(_ text: String) -> String { text.map { bars[characters.firstIndex(of: $0)!] }.joined() }
}

@Suite struct KIXTests {
  private var settings: DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.kix)
    return settings
  }

  @Test(arguments: ["2500GG30250", "1231FZ13XHS", "0123456789ABCDEFGH", "IJKLMNOPQRSTUVWXYZ", "1231FZ1"])
  func `KIX is read from left to right`(text: String) {
    for degrees in [0.0, 6] {
      #expect(readings(posts: KIXEncoder.symbol(text), degrees: degrees, settings) == ["kix \(text)"])
    }
    // From the other side, the bars are other characters.
    #expect(readings(posts: KIXEncoder.symbol(text), degrees: 180, settings) != ["kix \(text)"])
  }

  @Test func `wrong characters, and too few or too many bars, are refused`() {
    let symbol = KIXEncoder.symbol("1231FZ13XHS")
    for wrong in ["TTTF", "FFFF", "ADTT"] { #expect(readings(posts: symbol.dropLast(4) + wrong, settings).isEmpty) }
    #expect(readings(posts: KIXEncoder.symbol("1231FZ"), settings).isEmpty)
    #expect(readings(posts: KIXEncoder.symbol("1231FZ1231FZ1231FZ1"), settings).isEmpty)
  }
}
