// The QR Code of an error dialog, as a phone sees it on the panel.

import BarcodeDecoder
import BarcodeTypes
import ScanScreen
import ScreenPainter
import SymbolPrinter
import Testing

@Suite struct DialogSymbolTests {
  private static let panels = [
    (320, 240), (240, 320), (480, 272), (480, 320), (480, 480), (480, 800), (800, 480), (1280, 720),
  ]

  /// Texts of 104 bytes, the most that a station puts into the code.
  private static let texts = [
    String(repeating: "ä", count: 52), String(repeating: "Kabel der Kamera prüfen\n", count: 4) + "1234",
  ]

  @Test(arguments: panels, [nil, 3.0, 6.5, 12])
  func `C9: a dialog's QR Code has at least two pixels per module on any panel, and is readable`(
    panel: (Int, Int), pixelsPerMillimetre: Double?
  ) throws {
    let panel = ScreenSize(width: panel.0, height: panel.1)
    for text in Self.texts {
      #expect(text.utf8.count == 104)
      let symbol = try SymbolPrinter.print(SymbolRequest(text, correction: .low))
      var content = ScreenContent()
      content.dialog = DialogContent(title: .cameraSilent, detail: "csi0", remedy: .cameraSilentRemedy)
      content.dialog?.symbol = ModuleGrid(side: symbol.rows.count, isDark: symbol.rows.flatMap(\.modules))
      for hasTouch in [true, false] {
        content.hasTouch = hasTouch
        let found = try #require(try read(content, panel, pixelsPerMillimetre), "\(hasTouch)")
        #expect(found.text == text)
        #expect(found.width > 2 * symbol.rows.count - 2)
      }
    }
  }

  /// The text read from a panel, and the width of the symbol in pixels.
  private func read(
    _ content: ScreenContent, _ panel: ScreenSize, _ pixelsPerMillimetre: Double?
  ) throws -> (text: String, width: Int)? {
    let geometry = PreviewGeometry(frame: panel, panel: panel, orientation: FrameOrientation())
    let scene = OverlayScene(
      geometry: geometry, viewport: ViewportPlace(.square(ScreenLayout.viewportPart), in: geometry))
    let layout = ScreenLayout(panel: panel, turn: .none, pixelsPerMillimetre: pixelsPerMillimetre)
    let style = ScreenStyle()
    var movements = ScreenMovements()
    movements.isScannerRevealed = true
    let list = ScreenDrawing(style: style).list(
      view: ScreenView(content: content, layout: layout, words: style.words), panel: panel, turn: .none, scene: scene,
      movements: movements, at: 10_000_000_000)
    let painter = try #require(CairoPainter(panel: panel))
    _ = painter.paint(list)
    var luma: [UInt8] = []
    painter.withPixels { pixels, bytesPerRow in
      for y in 0..<panel.height {
        for x in 0..<panel.width { luma.append(UInt8(pixels[y * bytesPerRow / 4 + x] >> 8 & 0xFF)) }
      }
    }
    var workspace = Workspace(pixelCountMax: panel.width * panel.height)
    luma.withUnsafeBufferPointer { buffer in
      let view = LumaView(base: buffer.baseAddress!, width: panel.width, height: panel.height, bytesPerRow: panel.width)
      _ = Decoder.decode(view, settings: DecoderSettings(), workspace: &workspace)
    }
    guard let index = (0..<workspace.symbolCount).first(where: { workspace.symbol($0).symbology == .qr }) else { return nil }
    let symbol = workspace.symbol(index)
    let payload = workspace.payload(index)
    let text = String(decoding: payload.indices.map { payload[$0] }, as: UTF8.self)
    return (text, (symbol.corners.topRight.x - symbol.corners.topLeft.x).rounded)
  }
}
