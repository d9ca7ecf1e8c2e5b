// Redrawing what changed, and showing text that was made to do harm.

import BarcodeTypes
@testable import ScanScreen
import Testing

@Suite struct DamageTests {
  private let dot = Colour(red: 1, green: 2, blue: 3)

  private func list(_ overlay: [ScreenRect], _ controls: [ScreenRect] = [], turn: QuarterTurn = .none) -> DisplayList {
    DisplayList(
      panel: ScreenSize(width: 200, height: 100), turn: turn, overlay: overlay.map { .fill([.rectangle($0)], dot) },
      controls: controls.map { .fill([.rectangle($0)], dot) })
  }

  private let a = ScreenRect(x: 10, y: 10, width: 20, height: 20)
  private let b = ScreenRect(x: 100, y: 50, width: 10, height: 10)
  private let c = ScreenRect(x: 150, y: 10, width: 10, height: 10)

  @Test func `nothing is redrawn while nothing changes`() {
    #expect(list([a, b]).damage(since: list([a, b])).isEmpty)
    #expect(Stage().list().damage(since: Stage().list(at: 101)).isEmpty)
  }

  @Test func `what comes and what goes is redrawn, with a pixel around it`() {
    let region = PixelRegion(x: 99, y: 49, width: 12, height: 12)
    #expect(list([a, b, c]).damage(since: list([a, c])) == [region])
    #expect(list([a, c]).damage(since: list([a, b, c])) == [region])
  }

  @Test func `items that change places are redrawn`() {
    #expect(!list([a, b]).damage(since: list([b, a])).isEmpty)
  }

  @Test func `the first list redraws the whole panel`() {
    #expect(list([a]).damage(since: nil) == [PixelRegion(x: 0, y: 0, width: 200, height: 100)])
  }

  @Test func `controls are redrawn where they lie on the turned panel`() {
    let before = list([], [a], turn: .clockwise)
    // Upright (10, 10) to (30, 30) of 100 by 200 is (170, 10) to (190, 30) on the panel.
    #expect(list([], [], turn: .clockwise).damage(since: before) == [PixelRegion(x: 169, y: 9, width: 22, height: 22)])
  }

  @Test func `a place on the panel is the place that the reader sees, there and back`() {
    let panel = ScreenSize(width: 200, height: 100)
    for turn in [QuarterTurn.none, .clockwise, .half, .anticlockwise] {
      let point = ScreenPoint(x: 12, y: 34)
      let upright = DisplayList.uprightPoint(point, turn: turn, panel: panel)
      #expect(DisplayList.panelPoint(upright, turn: turn, panel: panel) == point)
    }
    #expect(DisplayList.uprightPoint(ScreenPoint(x: 200, y: 0), turn: .clockwise, panel: panel) == ScreenPoint(x: 0, y: 0))
  }

  @Test func `many small changes are redrawn as one`() {
    let scattered = (0..<40).map { ScreenRect(x: Double($0 % 10) * 20, y: Double($0 / 10) * 25, width: 2, height: 2) }
    #expect(list(scattered).damage(since: list([])).count == 1)
  }
}

@Suite struct ShownTextTests {
  @Test func `control characters are shown as pictures`() {
    #expect("a\u{0}b\nc\u{1D}\u{7F}".shown == "a␀b␊c␝␡")
  }

  @Test func `characters that turn the direction or are not seen are spelled`() {
    #expect("x\u{202E}gpj.exe\u{200B}\u{2028}".shown == "x<U+202E>gpj.exe<U+200B><U+2028>")
    #expect("\u{85}\u{E000}".shown == "<U+85><U+E000>")
  }

  @Test func `text of any script is left alone`() {
    for text in ["検査済み ✓ geprüft", "किताब", "ภาษาไทย", "שלום", "مرحبا", "👩‍🏭"] { #expect(text.shown == text) }
  }

  @Test func `a tower of marks is cut`() {
    let tower = "a" + String(repeating: "\u{301}", count: 5000)
    #expect(tower.shown.unicodeScalars.count <= 2 * (1 + String.shownMarkCountMax))
  }

  @Test func `no more is shown than can be looked at`() {
    let long = String(repeating: "0123456789", count: 1000)
    #expect(long.shown.unicodeScalars.count == String.shownScalarCountMax)
    #expect(long.shown.hasPrefix("0123") && long.shown.hasSuffix("6789"))
    #expect(String(repeating: "7", count: String.shownScalarCountMax).shown.count == String.shownScalarCountMax)
    // The worst that spelling can make of it.
    #expect(String(repeating: "\u{202E}", count: 9000).shown.count <= 8 * String.shownScalarCountMax)
  }
}

@Suite struct ScreenTextTests {
  @Test func `every text is there in every language`() {
    for text in ScreenText.allCases {
      #expect(!text.words.english.isEmpty && !text.words.german.isEmpty)
      #expect(text.words.english.contains("%d") == text.words.german.contains("%d"))
    }
  }

  @Test func `an operator's words take the place of ours`() {
    let words = ScreenWords(language: .german, overrides: [.ready: "Grüezi"])
    #expect(words[.ready] == "Grüezi" && words[.cancel] == "Abbrechen")
  }

  @Test func `colours are read from their hexadecimal form`() {
    #expect(Colour(hexadecimal: "#0a1B2c") == Colour(red: 10, green: 27, blue: 44))
    #expect(Colour(hexadecimal: "#00000080")?.alpha == 128)
    for text in ["", "#", "0a1b2c", "#0a1b2", "#0a1b2g", "#+a1b2c", "#0a1b2c0"] { #expect(Colour(hexadecimal: text) == nil) }
  }

  @Test func `text reads well on its ground`() {
    let colours = ScreenColours()
    for (text, ground) in [
      (colours.text, colours.background), (colours.text, colours.surface), (colours.quietText, colours.background),
      (colours.quietText, colours.surface), (colours.accentText, colours.accent),
    ] { #expect(contrast(text, ground) >= 7) }
  }

  /// WCAG 2.2: the contrast ratio of two colours by their relative luminance.
  private func contrast(_ a: Colour, _ b: Colour) -> Double {
    func luminance(_ colour: Colour) -> Double {
      func part(_ value: UInt8) -> Double {
        // The sRGB curve, close enough as a power of 2.2 for a limit.
        let linear = Double(value) / 255
        return linear * linear * linear.squareRoot().squareRoot()
      }
      return 0.2126 * part(colour.red) + 0.7152 * part(colour.green) + 0.0722 * part(colour.blue)
    }
    let (lighter, darker) = (max(luminance(a), luminance(b)), min(luminance(a), luminance(b)))
    return (lighter + 0.05) / (darker + 0.05)
  }
}
