// The pictures that a user sees, compared with those in the manual. Fonts differ slightly between machines, so blocks of
// pixels are compared with a tolerance; a person checks the pictures when they are redrawn.

import BarcodeDecoder
import BarcodeTypes
import CPictureWriter
import Devices
import Foundation
import PictureFiles
import ScanScreen
import ScreenPainter
import SymbolPrinter
import TestScenes
import Testing

/// The states shown in the manual.
enum Shot: String, CaseIterable {
  case idle, preview, recognised, focus, result, review, error, portrait

  static let panel = ScreenSize(width: 800, height: 480)

  func compose(_ scene: ParcelScene) throws -> (pixels: [UInt32], panel: ScreenSize) {
    let image = ImageReference(number: 1)
    let (content, movements) = state(scene, image)
    return try Self.compose(
      scene, content, movements, image, panel: self == .portrait ? ScreenSize(width: 480, height: 800) : Self.panel,
      language: self == .portrait ? .german : .english)
  }

  static func compose(
    _ scene: ParcelScene, _ content: ScreenContent, _ movements: ScreenMovements, _ image: ImageReference,
    panel: ScreenSize, language: ScreenLanguage, at moment: Int64 = 10_000_000_000,
    viewport: ViewportChoice = .square(ScreenLayout.viewportPart), showsPreview: Bool? = nil
  ) throws -> (pixels: [UInt32], panel: ScreenSize) {
    var style = ScreenStyle()
    style.words.language = language
    let orientation = FrameOrientation()
    let geometry = PreviewGeometry(
      frame: ScreenSize(width: ParcelScene.width, height: ParcelScene.height), panel: panel, orientation: orientation)
    let overlay = OverlayScene(
      geometry: geometry, viewport: ViewportPlace(viewport, in: geometry))
    let layout = ScreenLayout(panel: panel, turn: .none, pixelsPerMillimetre: nil)
    let painter = try #require(CairoPainter(panel: panel))
    painter.setImage(image, luma: scene.symbol.pixels, width: scene.symbol.width, height: scene.symbol.height)
    let list = ScreenDrawing(style: style).list(
      view: ScreenView(content: content, layout: layout, words: style.words), panel: panel, turn: .none,
      scene: overlay, movements: movements, at: moment)
    let changes = painter.paint(list)
    let screen = SimulatedScreen(mode: ScreenMode(width: panel.width, height: panel.height))
    _ = try screen.open()
    try scene.withFrame { luma, chroma throws(ScreenTrouble) in
      let frame = PreviewFrame(luma: luma, visible: geometry.visible, orientation: orientation, chroma: chroma)
      var outcome: ScreenTrouble?
      painter.withPixels { pixels, bytesPerRow in
        do throws(ScreenTrouble) {
          try screen.present(
            showsPreview ?? movements.isScannerRevealed ? .frame(frame) : .hidden,
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

  private func state(_ scene: ParcelScene, _ image: ImageReference) -> (ScreenContent, ScreenMovements) {
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
        title: .cameraSilent, detail: "ov5647 (csi0): no frame came for 2 s", remedy: .cameraSilentRemedy)
      let lines = [
        "till-3", "The camera sends no picture", "Check the camera's cable and power.",
        "ov5647 (csi0): no frame came for 2 s",
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
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "deploy/pictures")
  private static let isDrawing = ProcessInfo.processInfo.environment["RETICLE_DRAW_PICTURES"] != nil

  /// The side of the compared blocks in pixels, and the greatest difference between their means: less than a missing line of
  /// text causes, more than another version of a font.
  private static let blockSide = 40
  private static let tolerance = 14.0

  private static let scene = Result { try ParcelScene() }

  @Test(arguments: Shot.allCases)
  func `the screen looks like the manual's pictures`(shot: Shot) throws {
    let (pixels, panel) = try shot.compose(Self.scene.get())
    try compare(pixels, panel, with: "screen-\(shot.rawValue).jpg")
  }

  @Test func `the demo's parcel is the manual's, and both of its symbols are read`() throws {
    let scene = try Self.scene.get()
    try compare(scene.pixels, ScreenSize(width: ParcelScene.width, height: ParcelScene.height), with: "parcel.jpg")
    var picture = Picture()
    try picture.load(path: Self.folder.appending(path: "parcel.jpg").path)
    var workspace = Workspace(pixelCountMax: ParcelScene.width * ParcelScene.height)
    var settings = DecoderSettings()
    settings.effort = .frame
    picture.withLuma { luma in
      #expect(Decoder.decode(luma, settings: settings, workspace: &workspace).symbolCount == 2)
    }
    let read = (0..<workspace.symbolCount).map { workspace.symbol($0) }
    for (symbology, corners) in [(Symbology.qr, scene.matrix), (.ean13, scene.linear)] {
      let symbol = try #require(read.first { $0.symbology == symbology })
      #expect(symbol.corners.contains(corners.center) && corners.contains(symbol.corners.center))
    }
  }

  /// Compares pixels with a picture of the manual, after redrawing that picture if requested.
  private func compare(_ pixels: [UInt32], _ panel: ScreenSize, with name: String) throws {
    let path = Self.folder.appending(path: name).path
    if Self.isDrawing { try Self.write(pixels, panel, to: path) }
    var golden = Picture()
    try golden.load(path: path)
    let luma = Self.luma(pixels)
    golden.withLuma { view in
      #expect(view.width == panel.width && view.height == panel.height)
      for top in stride(from: 0, to: panel.height, by: Self.blockSide) {
        for left in stride(from: 0, to: panel.width, by: Self.blockSide) {
          var difference = 0
          for y in top..<min(panel.height, top + Self.blockSide) {
            for x in left..<left + Self.blockSide { difference += Int(luma[y * panel.width + x]) - Int(view[x, y]) }
          }
          let mean = Double(difference) / Double(Self.blockSide * Self.blockSide)
          #expect(abs(mean) < Self.tolerance, "\(name): the block at \(left), \(top)")
        }
      }
    }
  }

  static func write(_ pixels: [UInt32], _ panel: ScreenSize, to path: String) throws {
    let samples = pixels.flatMap { [UInt8($0 >> 16 & 0xFF), UInt8($0 >> 8 & 0xFF), UInt8($0 & 0xFF)] }
    var file: UnsafeMutablePointer<UInt8>?
    let count = cpicturewriter_jpeg(samples, Int32(panel.width), Int32(panel.height), 3, 88, 1, &file)
    defer { free(file) }
    let bytes = try #require(file)
    try Data(bytes: bytes, count: count).write(to: URL(filePath: path))
  }

  private static func luma(_ pixels: [UInt32]) -> [UInt8] {
    pixels.map { pixel in
      let red = Double(pixel >> 16 & 0xFF)
      let green = Double(pixel >> 8 & 0xFF)
      return UInt8((0.299 * red + 0.587 * green + 0.114 * Double(pixel & 0xFF)).rounded())
    }
  }
}
