// Texts that each symbology can encode.

public import BarcodeTypes

extension Symbology {
  /// A random text: pairs of digits, unless the symbology has a row here.
  public func sampleText(using generator: inout some RandomNumberGenerator) -> String {
    let digits = "0123456789"
    let letters = digits + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    func text(of characters: String, _ count: ClosedRange<Int>) -> String {
      String((0..<Int.random(in: count, using: &generator)).map { _ in characters.randomElement(using: &generator)! })
    }
    func rarely(_ text: String) -> String { Int.random(in: 1...4, using: &generator) == 1 ? text : "" }
    return switch self {
    case .ean13: text(of: digits, 12...12) + rarely(" " + text(of: digits, 5...5))
    case .ean8: text(of: digits, 7...7)
    case .upca: text(of: digits, 11...11) + rarely(" " + text(of: digits, 2...2))
    // Other digits could be written in another form that must be accepted.
    case .code32: text(of: digits, 8...8)
    case .pharmacodeTwoTrack: String(Int.random(in: 5_000_000...64_570_079, using: &generator))
    case .postnet: text(of: digits, 9...9)
    case .planet: text(of: digits, 11...11)
    case .cepnet, .auspost: text(of: digits, 8...8)
    case .intelligentMail:
      text(of: digits, 1...1) + text(of: "01234", 1...1) + text(of: digits, 18...18) + rarely("-" + text(of: digits, 9...9))
    case .rm4scc, .kix: text(of: letters, 8...12)
    case .mailmark: "4" + text(of: "1234", 1...1) + text(of: digits, 15...15) + "EF61AH8T"
    case .japanpost: text(of: digits, 7...7) + text(of: letters + "-", 0...6)
    case .plessey: text(of: digits + "ABCDEF", 4...12)
    case .dxFilmEdge:
      "\(Int.random(in: 1...127, using: &generator))-\(Int.random(in: 0...15, using: &generator))"
        + rarely("/\(Int.random(in: 0...63, using: &generator))A")
    case .pharmacode: String(Int.random(in: 1000...131_070, using: &generator))
    case .leitcode: text(of: digits, 13...13)
    case .identcode: text(of: digits, 11...11)
    case .pzn: pharmacyNumber(text(of: digits, 7...7))
    case .upce: text(of: "01", 1...1) + text(of: "456789", 5...5) + text(of: digits, 1...1)
    case .itf14, .databar: text(of: digits, 13...13)
    case .databarLimited: "0" + text(of: digits, 12...12)
    case .databarExpanded: "(10)" + text(of: letters, 1...18)
    case .codabar: "A" + text(of: digits + "-$:/.+", 4...12) + "B"
    case .microqr: text(of: digits, 1...9)
    case .code128, .pdf417, .micropdf417, .datamatrix, .aztec, .qr, .hanxin, .dotcode: text(of: letters + "abc-/:", 1...60)
    case .code39, .code93, .rmqr, .maxicode: text(of: letters + "-.", 2...14)
    default: (0..<Int.random(in: 3...7, using: &generator)).map { _ in text(of: digits, 2...2) }.joined()
    }
  }

  /// The number, changed if its check digit would be 10, which does not exist.
  private func pharmacyNumber(_ digits: String) -> String {
    let sum = digits.enumerated().reduce(0) { $0 + ($1.offset + 1) * $1.element.wholeNumberValue! }
    return sum % 11 == 10 ? String(digits.dropLast()) + "\((digits.last!.wholeNumberValue! + 1) % 10)" : digits
  }
}
