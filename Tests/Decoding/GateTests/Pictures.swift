// The pictures that the gates decode.

import BarcodeTypes
import Foundation
import PictureFiles
import TestScenes

enum Pictures {
  /// Writes PGM files to `folder`: symbols of every kind as seen by a camera, and the public sample pictures if they are on
  /// this machine. Returns their paths.
  static func write(to folder: URL) throws -> [String] {
    var paths: [String] = []
    for (index, scene) in scenes.enumerated() {
      let path = folder.appending(path: "scene-\(index)-\(scene.symbology.name).pgm")
      try Data(scene.pgm()).write(to: path)
      paths.append(path.path)
    }
    guard let shared = Place.shared else {
      print("skipped: the public sample pictures are not on this machine")
      return paths
    }
    for group in [
      "ean13-1", "code128-1", "rssexpanded-1", "pdf417-1", "micropdf417-1", "datamatrix-2", "aztec-2", "microqrcode-1",
      "maxicode-1", "rmqrcode-1", "qrcode-1", "qrcode-6", "falsepositives-1",
    ] {
      paths += try convert(shared.appending(path: "corpus/zxing-cpp/\(group)"), to: folder)
    }
    return paths
  }

  /// The names of the symbologies that `write` draws.
  static var symbologies: Set<String> { Set(scenes.map { "\($0.symbology.name)" }) }

  /// Writes the frames without a code among the public sample pictures as PGM files to `folder`.
  static func emptyFrames(_ shared: URL, to folder: URL) throws -> [String] {
    try convert(shared.appending(path: "frames"), to: folder)
  }

  /// Every symbology, by name: first upright, sharp and large, then rotated, tilted, blurred and noisy.
  private static var scenes: [CameraScene] {
    var scenes: [CameraScene] = []
    for turn in 0..<4 {
      var symbols = [
        CameraScene(.ean13, "4006381333931"), CameraScene(.ean8, "96385074"), CameraScene(.upca, "036000291452"),
        CameraScene(.upce, "04252614"), CameraScene(.itf, "20261121"), CameraScene(.itf14, "09521234543213"),
        CameraScene(.code39, "RET-417"), CameraScene(.code93, "RET-417"), CameraScene(.code128, "RET-2026-417"),
        CameraScene(.code128, "(01)09521234543213(10)AB", isGS1: true), CameraScene(.codabar, "A2026417B"),
        CameraScene(.databar, "09521234543213"), CameraScene(.databarLimited, "09521234543213"),
        CameraScene(.databarExpanded, "(01)09521234543213(10)AB", isGS1: true),
        CameraScene(.pdf417, "Reticle station 417"), CameraScene(.micropdf417, "Reticle 417"),
        CameraScene(.datamatrix, "https://example.org/reticle"), CameraScene(.aztec, "https://example.org/reticle"),
        CameraScene(.qr, "https://example.org/reticle"), CameraScene(.qr, "検査済み ✓"), CameraScene(.microqr, "RET-417"),
        CameraScene(.rmqr, "RET-417"),
      ]
      for index in symbols.indices {
        symbols[index].rotation = Double(turn * (37 + index * 11))
        symbols[index].modulePixels = 2.5 - 0.3 * Double(turn)
        symbols[index].tilt = Double(turn % 3) * 0.2
        symbols[index].blurPasses = turn
        symbols[index].noise = Double(turn)
        symbols[index].seed = UInt64(turn * 100 + index)
      }
      scenes += symbols
    }
    return scenes
  }

  /// Converts the picture files of a folder to PGM files in another one; returns their paths, in order of their names.
  private static func convert(_ source: URL, to folder: URL) throws -> [String] {
    var picture = Picture()
    var paths: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: source.path).sorted() where !name.hasSuffix(".md") {
      try picture.load(path: source.appending(path: name).path)
      let path = folder.appending(path: "\(source.lastPathComponent)-\(name).pgm")
      let header = "P5 \(picture.width) \(picture.height) 255\n"
      let luma = picture.withLuma { luma in
        UnsafeRawBufferPointer(start: luma.base, count: luma.bytesPerRow * luma.height).withMemoryRebound(to: UInt8.self) {
          Data($0)
        }
      }
      try (Data(header.utf8) + (luma ?? Data())).write(to: path)
      paths.append(path.path)
    }
    return paths
  }
}
