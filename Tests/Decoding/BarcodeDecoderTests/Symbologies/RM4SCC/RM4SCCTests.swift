import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Bars of RM4SCC, from the published table of characters.
private enum RM4SCCEncoder {
  private static let characters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
  private static let bars = [
    "TTFF", "TDAF", "TDFA", "DTAF", "DTFA", "DDAA", "TADF", "TFTF", "TFDA", "DATF", "DADA", "DFTA", "TAFD", "TFAD", "TFFT",
    "DAAD", "DAFT", "DFAT", "ATDF", "ADTF", "ADDA", "FTTF", "FTDA", "FDTA", "ATFD", "ADAD", "ADFT", "FTAD", "FTFT", "FDAT",
    "AADD", "AFTD", "AFDT", "FATD", "FADT", "FFTT",
  ]

  /// - Parameter error: added to the check character.
  static func symbol(_ text: String, error: Int = 0) -> String {
    let values = text.map { characters.firstIndex(of: $0)! }
    // Rows and columns are counted from 1, and 6 is 0.
    let row = values.reduce(0) { $0 + ($1 / 6 + 1) % 6 } % 6
    let column = values.reduce(0) { $0 + ($1 % 6 + 1) % 6 } % 6
    let check = ((row + 5) % 6 * 6 + (column + 5) % 6 + error) % 36
    return "A" + (values + [check]).map { bars[$0] }.joined() + "F"
  }
}

@Suite struct RM4SCCTests {
  private var settings: DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = SymbologySet().with(.rm4scc)
    return settings
  }

  @Test(arguments: ["SN34RD1A", "W1J0TR01", "0123456789", "ABCDEFGHIJKLM", "NOPQRSTUVWXYZ"])
  func `RM4SCC is read from both sides`(text: String) {
    for degrees in [0.0, 180, -7] {
      #expect(readings(posts: RM4SCCEncoder.symbol(text), degrees: degrees, settings) == ["rm4scc \(text)"])
    }
  }

  @Test func `RM4SCC with a wrong check character, or without its start or stop, is refused`() {
    for error in [1, 5, 6, 17, 35] {
      #expect(readings(posts: RM4SCCEncoder.symbol("SN34RD1A", error: error), settings).isEmpty)
    }
    let symbol = RM4SCCEncoder.symbol("SN34RD1A")
    #expect(readings(posts: "D" + symbol.dropFirst(), settings).isEmpty)
    #expect(readings(posts: symbol.dropLast() + "A", settings).isEmpty)
    #expect(readings(posts: RM4SCCEncoder.symbol("SN34"), settings).isEmpty)
  }
}
