// Redrawing only changes, and displaying malicious text.

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

  @Test func `added and removed items are redrawn with a margin of one pixel, in whole bands of rows`() {
    let region = PixelRegion(x: 99, y: 48, width: 12, height: 16)
    #expect(list([a, b, c]).damage(since: list([a, c])) == [region])
    #expect(list([a, c]).damage(since: list([a, b, c])) == [region])
  }

  @Test func `items that swap their order are redrawn`() {
    #expect(!list([a, b]).damage(since: list([b, a])).isEmpty)
  }

  @Test func `the first display list redraws the whole panel`() {
    #expect(list([a]).damage(since: nil) == [PixelRegion(x: 0, y: 0, width: 200, height: 100)])
  }

  @Test func `controls are redrawn where they lie on the turned panel`() {
    let before = list([], [a], turn: .clockwise)
    // Upright (10, 10) to (30, 30) of 100 by 200 is (170, 10) to (190, 30) on the panel.
    #expect(list([], [], turn: .clockwise).damage(since: before) == [PixelRegion(x: 169, y: 8, width: 22, height: 24)])
  }

  @Test func `a point on the panel maps to the upright screen and back`() {
    let panel = ScreenSize(width: 200, height: 100)
    for turn in [QuarterTurn.none, .clockwise, .half, .anticlockwise] {
      let point = ScreenPoint(x: 12, y: 34)
      let upright = DisplayList.uprightPoint(point, turn: turn, panel: panel)
      #expect(DisplayList.panelPoint(upright, turn: turn, panel: panel) == point)
    }
    #expect(DisplayList.uprightPoint(ScreenPoint(x: 200, y: 0), turn: .clockwise, panel: panel) == ScreenPoint(x: 0, y: 0))
  }

  @Test func `too many small changes are redrawn as one region`() {
    let panel = ScreenSize(width: 1000, height: 1000)
    func list(_ count: Int) -> DisplayList {
      var list = DisplayList(panel: panel, turn: .none)
      for index in 0..<count {
        let (x, y) = (Double(index % 50) * 20, Double(index / 50) * 20)
        list.overlay.append(.fill([.rectangle(ScreenRect(x: x, y: y, width: 2, height: 2))], dot))
      }
      return list
    }
    #expect(list(100).damage(since: list(0)).count == 100)
    #expect(list(2500).damage(since: list(0)).count == 1)
  }

  private func outlined(_ points: [ScreenPoint]) -> DisplayList {
    DisplayList(
      panel: ScreenSize(width: 200, height: 100), turn: .none,
      overlay: [.outline(points, dot, width: 2, ground: dot, groundWidth: 4)])
  }

  @Test func `an outline that moves is redrawn along its edges, in rectangles that do not overlap`() {
    var noise = Noise(state: 5)
    for _ in 0..<200 {
      let points = (0..<4).map { _ in ScreenPoint(x: noise.next(260) - 30, y: noise.next(160) - 30) }
      let regions = outlined(points).damage(since: outlined([]))
      for y in 0..<100 {
        for x in 0..<200 {
          let hits = regions.filter { $0.x <= x && x < $0.x + $0.width && $0.y <= y && y < $0.y + $0.height }
          #expect(hits.count <= 1)
          let middle = ScreenPoint(x: Double(x) + 0.5, y: Double(y) + 0.5)
          let away = (0..<4).map { distance(middle, points[$0], points[($0 + 1) & 3]) }.min() ?? 0
          // Items that are drawn can be hit, and nothing far from them.
          if away <= 2.5 { #expect(hits.count == 1, "\(x), \(y)") }
        }
      }
    }
    let square = [(20.0, 20.0), (180, 20), (180, 80), (20, 80)].map { ScreenPoint(x: $0.0, y: $0.1) }
    let area = outlined(square).damage(since: outlined([])).reduce(0) { $0 + $1.width * $1.height }
    #expect(area < 166 * 66 * 6 / 10)
  }

  /// The distance of a point from a line segment between two others.
  private func distance(_ point: ScreenPoint, _ a: ScreenPoint, _ b: ScreenPoint) -> Double {
    let (along, across) = (b - a, point - a)
    let square = along.x * along.x + along.y * along.y
    let part = square > 0 ? min(max((across.x * along.x + across.y * along.y) / square, 0), 1) : 0
    return length(ScreenPoint(x: across.x - part * along.x, y: across.y - part * along.y))
  }

  private struct Noise {
    var state: UInt64

    mutating func next(_ end: Double) -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 40) / Double(1 << 24) * end
    }
  }

  @Test func `a frame with a hole is not redrawn inside the hole`() {
    let frame = DisplayItem.fill([.rectangle(ScreenRect(x: 0, y: 0, width: 200, height: 100)), .rectangle(a)], dot)
    #expect(!frame.places.contains { $0.contains(a.center) })
    #expect(frame.places.contains { $0.contains(b.center) })
  }
}

@Suite struct ShownTextTests {
  @Test func `control characters are shown as control pictures`() {
    #expect("a\u{0}b\nc\u{1D}\u{7F}".shown == "a␀b␊c␝␡")
  }

  @Test func `invisible characters and those that change direction are shown as code points`() {
    #expect("x\u{202E}gpj.exe\u{200B}\u{2028}".shown == "x<U+202E>gpj.exe<U+200B><U+2028>")
    #expect("\u{85}\u{E000}".shown == "<U+85><U+E000>")
  }

  @Test func `text in any script is left alone`() {
    for text in ["検査済み ✓ geprüft", "किताब", "ภาษาไทย", "שלום", "مرحبا", "👩‍🏭"] { #expect(text.shown == text) }
  }

  @Test func `a tower of combining marks is truncated`() {
    let tower = "a" + String(repeating: "\u{301}", count: 5000)
    #expect(tower.shown.unicodeScalars.count <= 2 * (1 + String.shownMarkCountMax))
  }

  @Test func `long text is shortened in the middle to its limit`() {
    let long = String(repeating: "0123456789", count: 1000)
    #expect(long.shown.unicodeScalars.count == String.shownScalarCountMax)
    #expect(long.shown.hasPrefix("0123") && long.shown.hasSuffix("6789"))
    #expect(String(repeating: "7", count: String.shownScalarCountMax).shown.count == String.shownScalarCountMax)
    // The worst case of spelled-out characters.
    #expect(String(repeating: "\u{202E}", count: 9000).shown.count <= 8 * String.shownScalarCountMax)
  }
}

@Suite struct ScreenTextTests {
  @Test func `every text exists in every language`() {
    for text in ScreenText.allCases {
      #expect(!text.words.english.isEmpty && !text.words.german.isEmpty)
      #expect(text.words.english.contains("%d") == text.words.german.contains("%d"))
    }
  }

  @Test func `an operator's words replace the defaults`() {
    let words = ScreenWords(language: .german, overrides: [.ready: "Grüezi"])
    #expect(words[.ready] == "Grüezi" && words[.cancel] == "Abbrechen")
  }

  @Test func `colours are parsed from hexadecimal`() {
    #expect(Colour(hexadecimal: "#0a1B2c") == Colour(red: 10, green: 27, blue: 44))
    #expect(Colour(hexadecimal: "#00000080")?.alpha == 128)
    for text in ["", "#", "0a1b2c", "#0a1b2", "#0a1b2g", "#+a1b2c", "#0a1b2c0"] { #expect(Colour(hexadecimal: text) == nil) }
  }

  @Test func `text has a contrast of at least 7 to 1 against its background`() {
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
        // The sRGB curve approximated by a power of 2.25, precise enough for a limit.
        let linear = Double(value) / 255
        return linear * linear * linear.squareRoot().squareRoot()
      }
      return 0.2126 * part(colour.red) + 0.7152 * part(colour.green) + 0.0722 * part(colour.blue)
    }
    let (lighter, darker) = (max(luminance(a), luminance(b)), min(luminance(a), luminance(b)))
    return (lighter + 0.05) / (darker + 0.05)
  }
}
