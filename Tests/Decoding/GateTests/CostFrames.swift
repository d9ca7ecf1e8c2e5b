// The frames whose cost is counted by stage. All have 1280×720 pixels and are the same each time.

import BarcodeTypes
import Foundation
import TestScenes

enum CostFrames {
  /// Names and pixels, in the order of the table in docs/tuning.md.
  static func draw() throws -> [(name: String, luma: [UInt8])] {
    try [
      ("carton", ShelfScene(.carton, showsLabel: false).luma), ("cloth", ShelfScene(.cloth, showsLabel: false).luma),
      ("print", PrintedPage.draw()),
    ] + clean.map { ($0.symbology.name.description, try seen($0).draw()) }
      + noisy.map { ("noisy \($0.symbology.name)", try seen($0).draw()) }
  }

  private static let width = 1280
  private static let height = 720

  /// A symbol in the middle of the frame, turned as a hand holds it.
  private static let clean = symbols([.ean13, .code128, .pdf417, .datamatrix, .qr, .aztec]) { scene in
    scene.modulePixels = 3.2
    scene.rotation = 7
    scene.blurPasses = 1
    scene.noise = 1.5
  }

  /// Smaller ones in poor light.
  private static let noisy = symbols([.code128, .datamatrix, .qr]) { scene in
    scene.modulePixels = 2.2
    scene.rotation = 12
    scene.blurPasses = 2
    scene.noise = 8
  }

  private static let texts: [Symbology: String] = [
    .ean13: "4006381333931", .code128: "RET-2026-417", .pdf417: "Reticle station 417",
    .datamatrix: "https://example.org/reticle",
    .qr: "https://example.org/reticle", .aztec: "https://example.org/reticle",
  ]

  private static func symbols(_ symbologies: [Symbology], _ change: (inout CameraScene) -> Void) -> [CameraScene] {
    symbologies.map { symbology in
      var scene = CameraScene(symbology, texts[symbology] ?? "")
      change(&scene)
      return scene
    }
  }

  private static func seen(_ scene: CameraScene) -> CameraScene {
    var scene = scene
    (scene.width, scene.height) = (width, height)
    return scene
  }

  /// Writes a frame as a PGM file and returns its path.
  static func write(_ luma: [UInt8], named name: String, to folder: URL) throws -> String {
    let path = folder.appending(path: name.replacing(" ", with: "-") + ".pgm")
    try (Data("P5 \(width) \(height) 255\n".utf8) + Data(luma)).write(to: path)
    return path.path
  }
}
