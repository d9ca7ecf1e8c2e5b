// Painting of lists: only changes are drawn, in their place, and no text leaves its box.

import BarcodeTypes
import ScanScreen
import ScreenPainter
import Testing

@Suite struct PainterTests {
  private static let panel = ScreenSize(width: 200, height: 100)
  private let white = Colour(red: 255, green: 255, blue: 255)

  private func painter() throws -> CairoPainter { try #require(CairoPainter(panel: Self.panel)) }

  private func list(_ overlay: [DisplayItem], _ controls: [DisplayItem] = [], turn: QuarterTurn = .none) -> DisplayList {
    DisplayList(panel: Self.panel, turn: turn, overlay: overlay, controls: controls)
  }

  private func pixels(_ painter: CairoPainter) -> [UInt32] {
    var pixels: [UInt32] = []
    painter.withPixels { base, bytesPerRow in
      for y in 0..<Self.panel.height {
        for x in 0..<Self.panel.width { pixels.append((base + y * (bytesPerRow / 4))[x]) }
      }
    }
    return pixels
  }

  /// The smallest rectangle around everything drawn.
  private func inked(_ pixels: [UInt32]) -> PixelRegion? {
    var (left, top, right, bottom) = (Int.max, Int.max, -1, -1)
    for (index, pixel) in pixels.enumerated() where pixel != 0 {
      let (x, y) = (index % Self.panel.width, index / Self.panel.width)
      (left, top, right, bottom) = (min(left, x), min(top, y), max(right, x), max(bottom, y))
    }
    return right < 0 ? nil : PixelRegion(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
  }

  /// A hyphen at the end of a line would be mistaken for a part of the barcode.
  @Test func `W5: a line of a wrapped word ends with its last letter`() throws {
    func pixels(_ text: String, width: Double, lines: Int) throws -> [UInt32] {
      let painter = try painter()
      var run = TextRun(text, in: ScreenRect(x: 0, y: 0, width: width, height: 100), size: 12, colour: white)
      run.lineCountMax = lines
      _ = painter.paint(list([], [.text(run)]))
      return self.pixels(painter)
    }
    let five = try #require(inked(try pixels("BATCH", width: 200, lines: 1)))
    let six = try #require(inked(try pixels("BATCHB", width: 200, lines: 1)))
    // Room for five letters and a hyphen, but not for a sixth letter.
    let wrapped = try pixels("BATCHBATCHBATCH", width: Double(five.x + five.width + six.x + six.width) / 2, lines: 3)
    let all = try #require(inked(wrapped))
    #expect(all.height > 2 * five.height)
    let first = wrapped.prefix((all.y + five.height) * Self.panel.width)
    let line = try #require(inked(Array(first)))
    #expect(abs(line.x + line.width - five.x - five.width) <= 1, "\(line), \(five)")
  }

  @Test func `W5: words stay whole where all of them fit in smaller letters`() throws {
    let size = 20.0
    func height(_ text: String) throws -> Int {
      let painter = try painter()
      var run = TextRun(text, in: ScreenRect(x: 0, y: 0, width: 90, height: 90), size: size, colour: white)
      (run.sizeMin, run.fillsBox) = (6, true)
      _ = painter.paint(list([], [.text(run)]))
      return try #require(inked(pixels(painter))).height
    }
    // Two words that are slightly too wide become two smaller lines, not three or four. A word that cannot fit keeps its
    // size.
    let words = try height("HHHHHHH HHHHHHH")
    #expect(Double(words) < 2.4 * size && Double(words) > 1.2 * size, "\(words)")
    #expect(Double(try height("HHHHHHHHHHHHHHHHHHHHHHH")) > 2.4 * size)
  }

  @Test func `V4: an even-odd fill leaves the hole clear and is half-transparent around it`() throws {
    let painter = try painter()
    let hole = ScreenRect(x: 50, y: 20, width: 100, height: 60)
    let outer = ScreenRect(x: -50, y: -100, width: 300, height: 300)
    _ = painter.paint(
      list([.fill([.rectangle(outer), .rectangle(hole)], Colour(red: 0, green: 0, blue: 0, alpha: 128))]))
    let pixels = pixels(painter)
    for y in 0..<100 {
      for x in 0..<200 {
        let isInside = x >= 50 && x < 150 && y >= 20 && y < 80
        #expect(pixels[y * 200 + x] == (isInside ? 0 : 0x8000_0000), "\(x), \(y)")
      }
    }
  }

  @Test func `redrawing the changes looks like redrawing everything`() throws {
    let movingPainter = try painter()
    for step in 0..<20 {
      var run = TextRun("step \(step)", in: ScreenRect(x: 10, y: 60, width: 100, height: 30), size: 20, colour: white)
      run.isBold = step.isMultiple(of: 2)
      let turn: QuarterTurn = step < 10 ? .none : .half
      let list = list(
        [
          .fill([.circle(center: ScreenPoint(x: Double(step) * 9, y: 50.5), radius: 13.3)], white.faded(to: 0.5)),
          .stroke([.line([ScreenPoint(x: 0, y: 0), ScreenPoint(x: 200, y: Double(step) * 5)])], white, width: 3),
        ], [.text(run)], turn: turn)
      let freshPainter = try painter()
      _ = freshPainter.paint(list)
      let changes = movingPainter.paint(list)
      #expect(step == 0 || changes.reduce(0) { $0 + $1.width * $1.height } < 200 * 100 * 2)
      let (moved, fresh) = (pixels(movingPainter), pixels(freshPainter))
      // Antialiasing at a clip's edge differs by a grey level in places.
      let worst = zip(moved, fresh).map { abs(Int($0 >> 24) - Int($1 >> 24)) }.max()
      #expect((worst ?? 0) <= 2)
    }
  }

  @Test func `an outline looks like two strokes, one on top of the other`() throws {
    let (dark, bright) = (Colour(red: 0, green: 0, blue: 0, alpha: 150), Colour(red: 61, green: 220, blue: 132))
    for (points, groundWidth) in [
      ([(20.0, 20.0), (180, 20), (180, 80), (20, 80)], 9.0), ([(30, 70), (170, 12.3), (185.5, 60), (40.2, 95)], 9),
      ([(50, 50), (50.5, 50), (50.5, 50.5), (50, 50.5)], 6), ([(60, 10), (60, 10), (140, 90), (20, 50)], 12),
      ([(-60, 30), (900, 44), (700, 500), (-40, 80)], 9),
    ] {
      let corners = points.map { ScreenPoint(x: $0.0, y: $0.1) }
      let (outlined, stroked) = (try painter(), try painter())
      _ = outlined.paint(
        list([.outline(corners, bright, width: groundWidth / 2, ground: dark, groundWidth: groundWidth)]))
      _ = stroked.paint(
        list([
          .stroke([.polygon(corners)], dark, width: groundWidth),
          .stroke([.polygon(corners)], bright, width: groundWidth / 2),
        ]))
      let (drawn, wanted) = (pixels(outlined), pixels(stroked))
      var worst = 0
      var sum = 0
      for (a, b) in zip(drawn, wanted) {
        for shift in [24, 16, 8, 0] {
          let difference = abs(Int(a >> UInt32(shift) & 0xFF) - Int(b >> UInt32(shift) & 0xFF))
          worst = max(worst, difference)
          sum += difference
        }
      }
      // At a corner, smoothing by distance differs slightly from smoothing by area: a pixel there may differ by a third.
      #expect(worst <= 85 && sum <= drawn.count, "\(corners): \(worst), \(sum)")
    }
  }

  @Test func `moving outlines look like redrawing everything, at any turn`() throws {
    for turn in [QuarterTurn.none, .clockwise, .half] {
      let movingPainter = try painter()
      for step in 0..<30 {
        let shift = Double(step) * 1.7
        func outline(_ x: Double, _ y: Double) -> DisplayItem {
          let corners = [(0.0, 0.0), (45, -9), (52, 30), (5, 41)].map { ScreenPoint(x: x + $0.0, y: y + $0.1) }
          return .outline(corners, white, width: 3, ground: Colour(red: 9, green: 8, blue: 7, alpha: 150), groundWidth: 6)
        }
        let list = list(
          [
            .fill(
              [
                .rectangle(ScreenRect(x: 0, y: 0, width: 200, height: 100)),
                .rectangle(ScreenRect(x: 50, y: 20, width: 100, height: 60)),
              ], white.faded(to: 0.5)),
            outline(20 + shift, 30), outline(100, 20 + shift / 3),
          ], [outline(10, 10 + shift)], turn: turn)
        let freshPainter = try painter()
        _ = freshPainter.paint(list)
        _ = movingPainter.paint(list)
        #expect(pixels(movingPainter) == pixels(freshPainter), "\(turn), \(step)")
      }
    }
  }

  @Test func `nothing is drawn while nothing changes`() throws {
    let painter = try painter()
    let list = list([.fill([.rectangle(ScreenRect(x: 1, y: 1, width: 5, height: 5))], white)])
    #expect(painter.paint(list).count == 1)
    #expect(painter.paint(list).isEmpty)
  }

  @Test(arguments: [
    (QuarterTurn.none, PixelRegion(x: 10, y: 20, width: 30, height: 5)),
    (.clockwise, PixelRegion(x: 175, y: 10, width: 5, height: 30)),
    (.half, PixelRegion(x: 160, y: 75, width: 30, height: 5)),
    (.anticlockwise, PixelRegion(x: 20, y: 60, width: 5, height: 30)),
  ])
  func `W2: controls are turned onto the panel`(turn: QuarterTurn, region: PixelRegion) throws {
    let painter = try painter()
    let item = DisplayItem.fill([.rectangle(ScreenRect(x: 10, y: 20, width: 30, height: 5))], white)
    _ = painter.paint(list([], [item], turn: turn))
    #expect(inked(pixels(painter)) == region)
  }

  @Test func `W3: a picture is drawn at its place and angle`() throws {
    let painter = try painter()
    let image = ImageReference(number: 3)
    // Dark on its left half.
    painter.setImage(image, luma: (0..<16).map { $0 % 4 < 2 ? 0 : 255 }, width: 4, height: 4)
    _ = painter.paint(
      list([.image(image, center: ScreenPoint(x: 100, y: 50), width: 40, height: 40, angle: .pi / 2)]))
    let pixels = pixels(painter)
    #expect(inked(pixels) == PixelRegion(x: 80, y: 30, width: 40, height: 40))
    // Rotated clockwise by a quarter, the left half is on top.
    #expect(pixels[35 * 200 + 100] == 0xFF00_0000 && pixels[65 * 200 + 100] == 0xFFFF_FFFF)
  }

  @Test(arguments: [false, true])
  func `W3: the focus frame shows its code upright and legible, mirrored preview or not`(isMirrored: Bool) throws {
    let painter = try painter()
    let panel = Self.panel
    let geometry = PreviewGeometry(
      frame: panel, panel: panel, orientation: FrameOrientation(turn: .none, isMirrored: isMirrored))
    func point(_ x: Int, _ y: Int) -> PixelPoint { PixelPoint(x: Fixed16(x), y: Fixed16(y)) }
    var movements = ScreenMovements()
    movements.isScannerRevealed = true
    movements.focus = AnimationSpan(start: 0, seconds: 0.5)
    movements.focusCorners = Quad(
      topLeft: point(20, 30), topRight: point(59, 30), bottomRight: point(59, 69), bottomLeft: point(20, 69))
    let image = ImageReference(number: 9)
    movements.focusImage = image
    // Dark in its upper left quarter.
    painter.setImage(image, luma: (0..<16).map { $0 < 8 && $0 % 4 < 2 ? 0 : 255 }, width: 4, height: 4)
    let overlay = ScreenDrawing(style: ScreenStyle()).overlay(
      panel: panel, unit: 0.2, scene: OverlayScene(geometry: geometry, viewport: ViewportPlace(.square(0.5), in: geometry)),
      movements: movements, at: 10_000_000_000)
    _ = painter.paint(list(overlay))
    let pixels = pixels(painter)
    // The code's middle, in the frame's pixels.
    let middle = geometry.panelPoint(ScreenPoint(x: 40, y: 50))
    for (dx, dy, isDark) in [(-10, -10, true), (10, -10, false), (-10, 10, false), (10, 10, false)] {
      let pixel = pixels[(Int(middle.y) + dy) * 200 + Int(middle.x) + dx]
      #expect(pixel == (isDark ? 0xFF00_0000 : 0xFFFF_FFFF), "\(dx), \(dy): \(String(pixel, radix: 16))")
    }
  }

  @Test(arguments: [
    "plain", "<b>&amp;</b>", "</span><span size=\"999999\">", String(repeating: "W", count: 5000),
    "a\u{0}\n\r\n\t\u{7F}b", "\u{202E}txt.exe", "ܐ̈" + String(repeating: "\u{0308}", count: 2000), "﷽﷽﷽﷽﷽﷽﷽﷽",
    "検査済み ✓ geprüft किताब ภาษาไทย שלום مرحبا", "𒀱𒀱𒀱𒀱", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦",
  ])
  func `text stays in its box and is never interpreted as markup`(text: String) throws {
    let box = ScreenRect(x: 20, y: 30, width: 120, height: 40)
    for lineCount in [1, 2] {
      let painter = try painter()
      var run = TextRun(text.shown, in: box, size: 18, colour: white)
      run.cut = .middle
      run.lineCountMax = lineCount
      _ = painter.paint(list([], [.text(run)]))
      let region = try #require(inked(pixels(painter)), "nothing is drawn")
      #expect(region.y >= 30 && region.y + region.height <= 70)
      // Except for the overhang of letters.
      #expect(region.x >= 18 && region.x + region.width <= 142)
    }
  }

  @Test(arguments: [
    "plain", "a\u{0}b\r\n\u{1F}\u{7F}", "👩‍👩‍👧‍👦 ✓ ☎", "𒀱 𓀀 \u{E000} \u{10FFFF}", "\u{1D} GS1", "検査 किताब ภาษาไทย שלום",
  ])
  func `W5: a character that no font has is shown as a mark, never as a box with its number`(text: String) throws {
    let painter = try painter()
    for isBold in [false, true] {
      var run = TextRun(text.shown, in: ScreenRect(x: 0, y: 0, width: 200, height: 90), size: 18, colour: white)
      run.isBold = isBold
      run.fillsBox = true
      // After a text whose layout would cut this one.
      var narrow = TextRun("narrow", in: ScreenRect(x: 0, y: 0, width: 20, height: 20), size: 18, colour: white)
      narrow.lineCountMax = 1
      #expect(painter.cuts(narrow))
      #expect(!painter.hasBoxes(run))
    }
  }

  @Test func `markup is shown literally`() throws {
    func width(_ text: String) throws -> Int {
      let painter = try painter()
      let box = ScreenRect(x: 0, y: 0, width: 200, height: 40)
      _ = painter.paint(list([], [.text(TextRun(text, in: box, size: 12, colour: white))]))
      return inked(pixels(painter))?.width ?? 0
    }
    #expect(try width("<b>x</b>") > 3 * width("x"))
  }
}
