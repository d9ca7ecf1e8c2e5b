// The pictures that a user sees, drawn and held to the ones in the manual. Fonts differ a little from machine to machine, so
// blocks of pixels are compared, and with a tolerance; a person looks at the pictures when they are made anew.

import BarcodeTypes
import Devices
import Foundation
import PictureFiles
import ScanScreen
import ScreenPainter
import SymbolPrinter
import TestScenes
import Testing

/// The states that are shown in the manual.
enum Shot: String, CaseIterable {
  case idle, preview, recognised, focus, result, review, error, portrait

  static let panel = ScreenSize(width: 800, height: 480)

  func compose(_ scene: ShelfScene) throws -> (pixels: [UInt32], panel: ScreenSize) {
    let panel = self == .portrait ? ScreenSize(width: 480, height: 800) : Self.panel
    var style = ScreenStyle()
    if self == .portrait { style.words.language = .german }
    let orientation = FrameOrientation()
    let geometry = PreviewGeometry(
      frame: ScreenSize(width: ShelfScene.width, height: ShelfScene.height), panel: panel, orientation: orientation)
    let overlay = OverlayScene(
      geometry: geometry, viewport: ViewportPlace(.square(ScreenLayout.viewportPart), in: geometry))
    let layout = ScreenLayout(panel: panel, turn: .none, pixelsPerMillimetre: nil)
    let painter = try #require(CairoPainter(panel: panel))
    let image = ImageReference(number: 1)
    painter.setImage(image, luma: scene.symbol.pixels, width: scene.symbol.width, height: scene.symbol.height)
    let (content, movements) = state(scene, image)
    let list = ScreenDrawing(style: style).list(
      view: ScreenView(content: content, layout: layout, words: style.words), panel: panel, turn: .none,
      scene: overlay, movements: movements, at: 10_000_000_000)
    let changes = painter.paint(list)
    let screen = SimulatedScreen(mode: ScreenMode(width: panel.width, height: panel.height))
    _ = try screen.open()
    try scene.luma.withUnsafeBufferPointer { luma throws(ScreenTrouble) in
      guard let base = luma.baseAddress else { return }
      let frame = PreviewFrame(
        luma: LumaView(
          base: base, width: ShelfScene.width, height: ShelfScene.height, bytesPerRow: ShelfScene.width),
        visible: geometry.visible, orientation: orientation)
      var outcome: ScreenTrouble?
      painter.withPixels { pixels, bytesPerRow in
        do throws(ScreenTrouble) {
          try screen.present(
            self == .idle ? .hidden : .frame(frame),
            OverlayPicture(
              base: pixels, width: panel.width, height: panel.height, bytesPerRow: bytesPerRow, changes: changes))
        } catch {
          outcome = error
        }
      }
      if let outcome { throw outcome }
    }
    return (screen.pixels, panel)
  }

  private func state(_ scene: ShelfScene, _ image: ImageReference) -> (ScreenContent, ScreenMovements) {
    var content = ScreenContent()
    var movements = ScreenMovements()
    content.stationName = "till-3"
    content.torch = TorchContent(isOn: self == .review, isEnabled: true)
    movements.isScannerRevealed = self != .idle
    let codes = [
      CodeRow(
        value: "https://example.org/reticle", type: "QR Code", isLink: true, image: image),
      CodeRow(value: "4006381333931", type: "EAN-13", isLink: false),
    ]
    switch self {
    case .idle, .preview: break
    case .recognised, .portrait:
      content.codes = codes
      movements.outlines = [scene.matrix, scene.linear]
    case .focus:
      content.prompt = .scanned
      content.promptTone = .good
      content.codes = codes
      movements.focus = AnimationSpan(start: 0, seconds: 0.5)
      movements.focusCorners = scene.matrix
      movements.focusImage = image
    case .result:
      content.prompt = .scanned
      content.promptTone = .good
      content.result = ResultContent(row: codes[0], moreCount: 1)
      movements.focus = AnimationSpan(start: 0, seconds: 0.5)
      movements.focusCorners = scene.matrix
      movements.focusImage = image
    case .review: content.review = ReviewContent(rows: codes, focusIndex: 0)
    case .error:
      content.dialog = DialogContent(
        title: .cameraFailed, detail: "ov5647 (csi0): no frame came for 2 s", remedy: .cameraCableRemedy)
      let lines = [
        "till-3", "The camera does not work", "Check the camera's cable.", "ov5647 (csi0): no frame came for 2 s",
      ]
      let request = SymbolRequest(lines.joined(separator: "\n"), correction: .low)
      if let symbol = try? SymbolPrinter.print(request) {
        content.dialog?.symbol = ModuleGrid(side: symbol.rows.count, isDark: symbol.rows.flatMap(\.modules))
      }
    }
    return (content, movements)
  }
}

@Suite struct PictureTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "deploy/pictures")
  private static let isDrawing = ProcessInfo.processInfo.environment["RETICLE_DRAW_PICTURES"] != nil

  /// The side of the blocks that are compared, in pixels, and by how much the mean of one may differ: less than a line of
  /// text that is missing makes of it, more than another version of a font.
  private static let blockSide = 40
  private static let tolerance = 14.0

  @Test(arguments: Shot.allCases)
  func `the screen looks like the manual's pictures`(shot: Shot) throws {
    let (pixels, panel) = try shot.compose(ShelfScene())
    let path = Self.folder.appending(path: "screen-\(shot.rawValue).png").path
    if Self.isDrawing {
      let file = try #require(PNGScreen.png(pixels, width: panel.width, height: panel.height))
      try Data(file).write(to: URL(filePath: path))
    }
    var golden = Picture()
    try golden.load(path: path)
    let luma = try #require(pixels.withUnsafeBufferPointer { Self.luma(Array($0)) } as [UInt8]?)
    golden.withLuma { view in
      #expect(view.width == panel.width && view.height == panel.height)
      for top in stride(from: 0, to: panel.height, by: Self.blockSide) {
        for left in stride(from: 0, to: panel.width, by: Self.blockSide) {
          var difference = 0
          for y in top..<top + Self.blockSide {
            for x in left..<left + Self.blockSide { difference += Int(luma[y * panel.width + x]) - Int(view[x, y]) }
          }
          let mean = Double(difference) / Double(Self.blockSide * Self.blockSide)
          #expect(abs(mean) < Self.tolerance, "\(shot.rawValue): the block at \(left), \(top)")
        }
      }
    }
  }

  private static func luma(_ pixels: [UInt32]) -> [UInt8] {
    pixels.map { pixel in
      let red = Double(pixel >> 16 & 0xFF)
      let green = Double(pixel >> 8 & 0xFF)
      return UInt8((0.299 * red + 0.587 * green + 0.114 * Double(pixel & 0xFF)).rounded())
    }
  }
}
