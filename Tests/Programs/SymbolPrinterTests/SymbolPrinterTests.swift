import BarcodeTypes
import SymbolPrinter
import TestScenes
import Testing

private func failure(_ request: SymbolRequest) -> SymbolPrinterError? {
  do throws(SymbolPrinterError) {
    _ = try SymbolPrinter.print(request)
    return nil
  } catch {
    return error
  }
}

private let all = Symbology.allCases

@Suite("Printing symbols (behaviour N9)") struct SymbolPrinterTests {
  @Test(arguments: all)
  func `every symbology is drawn as PNG and as SVG`(symbology: Symbology) throws {
    var chance = SystemRandomNumberGenerator()
    let text = symbology.sampleText(using: &chance)
    let picture = try SymbolPrinter.print(SymbolRequest(text, symbology: symbology))
    let drawn = try picture.pixels(scale: 4)
    #expect(drawn.pixels.count == drawn.width * drawn.height)
    let darkCount = drawn.pixels.count { $0 == 0 }
    #expect(darkCount > drawn.pixels.count / 20 && darkCount < drawn.pixels.count * 3 / 4)
    // Only MaxiCode's shapes have edges between pixels.
    #expect(drawn.pixels.contains { $0 != 0 && $0 != 255 } == (symbology == .maxicode))
    #expect(try picture.png(scale: 2).starts(with: [0x89, 0x50, 0x4E, 0x47]))
    let svg = try picture.svg(scale: 2)
    #expect(svg.hasPrefix("<?xml") && svg.hasSuffix("</svg>\n"))
  }

  @Test func `the quiet zone is white on all sides and as wide as requested`() throws {
    let picture = try SymbolPrinter.print(SymbolRequest("A"))
    #expect(picture.standardQuietZone == 4)
    for (quiet, scale) in [(0, 1), (4, 3), (7, 2)] {
      let drawn = try picture.pixels(scale: scale, quietZone: quiet)
      #expect(drawn.width == (21 + 2 * quiet) * scale && drawn.height == drawn.width)
      for y in 0..<drawn.height {
        for x in 0..<drawn.width where drawn.pixels[y * drawn.width + x] == 0 {
          #expect(min(x, y) >= quiet * scale && max(x, y) < drawn.width - quiet * scale)
        }
      }
      // The finder pattern begins immediately after it.
      #expect(drawn.pixels[quiet * scale * drawn.width + quiet * scale] == 0)
    }
  }

  @Test func `any scale gives the same modules`() throws {
    let picture = try SymbolPrinter.print(SymbolRequest("https://example.org"))
    let small = try picture.pixels(scale: 1)
    for scale in [2, 3, 11] {
      let large = try picture.pixels(scale: scale)
      for y in 0..<large.height {
        for x in stride(from: y % 3, to: large.width, by: 3) {
          #expect(large.pixels[y * large.width + x] == small.pixels[y / scale * small.width + x / scale])
        }
      }
    }
  }

  @Test func `a higher correction level never needs a smaller symbol, and M is the default`() throws {
    let text = String(repeating: "Reticle ", count: 12)
    let sizes = try CorrectionLevel.allCases.map { try SymbolPrinter.print(SymbolRequest(text, correction: $0)).width }
    #expect(sizes == sizes.sorted() && sizes[0] < sizes[3])
    let medium = try SymbolPrinter.print(SymbolRequest(text, correction: .medium))
    #expect(try SymbolPrinter.print(SymbolRequest(text)).rows == medium.rows)
  }

  @Test func `a check digit may be left out, and a wrong one is refused`() throws {
    for (whole, symbology) in [
      ("4006381333931", Symbology.ean13), ("96385074", .ean8), ("036000291452", .upca), ("01234565", .upce),
      ("15400141288763", .itf14), ("09501101530003", .databar), ("00012344", .upce), ("01234133", .upce),
      ("01234145", .upce), ("01234176", .upce), ("01234523", .upce),
    ] {
      let with = try SymbolPrinter.print(SymbolRequest(whole, symbology: symbology))
      let without = try SymbolPrinter.print(SymbolRequest(String(whole.dropLast()), symbology: symbology))
      #expect(with.rows == without.rows)
      let wrong = String(whole.dropLast()) + (whole.last == "0" ? "1" : "0")
      let expected = whole.last?.wholeNumberValue ?? -1
      #expect(failure(SymbolRequest(wrong, symbology: symbology)) == .wrongCheckDigit(symbology, expected: expected))
    }
  }

  @Test func `an add-on makes a retail symbol longer`() throws {
    let plain = try SymbolPrinter.print(SymbolRequest("4006381333931", symbology: .ean13))
    let two = try SymbolPrinter.print(SymbolRequest("4006381333931 12", symbology: .ean13))
    let five = try SymbolPrinter.print(SymbolRequest("4006381333931+54321", symbology: .ean13))
    #expect(plain.width < two.width && two.width < five.width)
    #expect(try SymbolPrinter.print(SymbolRequest("01234565 12", symbology: .upce)).width > 51)
  }

  @Test func `text that a symbology cannot encode is refused with the reason`() {
    let long = String(repeating: "a", count: 3000)
    let cases: [(SymbolRequest, String)] = [
      (SymbolRequest(""), "no text"), (SymbolRequest(long), "too long"),
      (SymbolRequest(String(repeating: "a", count: 100_000)), "too long"),
      (SymbolRequest("123", symbology: .ean13), "12 or 13 digits, not 3"),
      (SymbolRequest("12345678901a", symbology: .ean13), "'a'"),
      (SymbolRequest("٤٠٠٦٣٨١٣٣٣٩٣", symbology: .ean13), "digits"),
      (SymbolRequest("400638133393 123", symbology: .ean13), "2 or 5 digits"),
      (SymbolRequest("400638133393 1 2", symbology: .ean13), "after one space"),
      (SymbolRequest("2345678", symbology: .upce), "begin with 0 or 1"),
      (SymbolRequest("123", symbology: .itf), "takes an even number of digits, such as 0123, not 3"),
      (SymbolRequest("abc", symbology: .code39), "capital"),
      (SymbolRequest("é", symbology: .code93), "ASCII"), (SymbolRequest("世", symbology: .code128), "Latin-1"),
      (SymbolRequest("12x", symbology: .codabar), "'x'"), (SymbolRequest("A", symbology: .databarExpanded), "(01)"),
      (SymbolRequest("hello", isGS1: true), "(01)"), (SymbolRequest("(01)09501101530004", isGS1: true), "check digit"),
      (SymbolRequest("(01)09501101530003", symbology: .pdf417, isGS1: true), "GS1"),
      (SymbolRequest("A", symbology: .aztec, correction: .low), "cannot be chosen"),
      (SymbolRequest("A", symbology: .microqr, correction: .high), "L, M, Q"),
      (SymbolRequest("09501101530003 12", symbology: .itf14), "digits"),
      (SymbolRequest("59501101530003", symbology: .databarLimited), "digit"),
    ]
    for (request, part) in cases {
      let found = failure(request)
      #expect(found?.message.contains(part) == true, "\(request.text.prefix(20)): \(found?.message ?? "was drawn")")
    }
  }

  @Test func `scales and sizes beyond the limits are refused before memory is allocated`() throws {
    let picture = try SymbolPrinter.print(SymbolRequest("A"))
    for (scale, quiet) in [(0, 4), (-1, 4), (201, 4), (1, -1), (1, 201), (Int.max, 4), (1, .max)] {
      #expect(throws: SymbolPrinterError.self) { try picture.pixels(scale: scale, quietZone: quiet) }
      #expect(throws: SymbolPrinterError.self) { try picture.svg(scale: scale, quietZone: quiet) }
    }
    #expect(throws: SymbolPrinterError.pictureTooLarge(width: 84_200, height: 84_200)) {
      try picture.png(scale: 200, quietZone: 200)
    }
  }

  @Test func `an SVG has the modules of the picture`() throws {
    let picture = try SymbolPrinter.print(SymbolRequest("A"))
    let svg = try picture.svg(scale: 10)
    #expect(svg.contains("width=\"290\" height=\"290\" viewBox=\"0 0 29 29\""))
    // The first row of a finder pattern is seven dark modules.
    #expect(svg.contains("M4 4h7v1h-7z"))
    let runCount = picture.rows.reduce(0) { count, row in
      count + row.modules.indices.count { row.modules[$0] && ($0 == 0 || !row.modules[$0 - 1]) }
    }
    #expect(svg.count { $0 == "M" } == runCount)
  }

  @Test(arguments: all)
  func `any text is drawn or refused, never a crash`(symbology: Symbology) {
    let alphabet = Array("0123456789ABCxyz ()[]+-$%/.\\\u{0}\u{1D}\u{7F}éß世🎉\u{301}\r\n")
    var state = UInt64(symbology.rawValue) + 1
    for round in 0..<60 {
      var text = ""
      // Mostly short, and some longer than any symbol.
      for _ in 0..<(round % 20 == 19 ? 5000 : 1 + round) {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text.append(alphabet[Int(state >> 33) % (round % 3 == 0 ? 10 : alphabet.count)])
      }
      for isGS1 in [false, true] {
        if let error = failure(SymbolRequest(text, symbology: symbology, isGS1: isGS1)) { #expect(!error.message.isEmpty) }
      }
    }
  }
}
