// The stages by which the decoder's cost is counted.

import Foundation

/// A stage, by the decoder's sources that belong to it.
struct CostStage {
  let name: String
  /// Folders, which end in a slash, and files, below `Sources/Decoding/BarcodeDecoder`. The longest that fits a source counts.
  let sources: [String]

  static let folder = "Sources/Decoding/BarcodeDecoder/"

  /// In the order of a picture's way through the decoder.
  static let all = [
    CostStage(
      name: "tiles",
      sources: [
        "Picture/TileMap.swift", "Picture/PictureLevels.swift", "Picture/EnlargedPicture.swift",
        "Foundation/TinyPicture.swift",
      ]),
    CostStage(
      name: "regions of bars",
      sources: [
        "Picture/StripeActivity.swift", "Picture/StripeRegion.swift", "Picture/StripeRegionFinder.swift",
        "Queue/StripeLook.swift",
        "Readers/Stripes.swift",
      ]),
    CostStage(
      name: "regions of cells",
      sources: [
        "Picture/CellSizes.swift", "Picture/PatchRegion.swift", "Readers/ActiveRegions.swift", "Readers/Cells.swift",
      ]),
    CostStage(
      name: "thresholds and edges of rows",
      sources: ["Picture/ThresholdMap.swift", "Picture/RowEdges.swift", "Picture/SharpenedPicture.swift"]),
    CostStage(
      name: "finder patterns",
      sources: [
        "QRFamily/", "Readers/Finders.swift", "Readers/FinderSearches.swift", "Readers/LoneFinderReader.swift",
        "Grids/FinderPattern.swift",
      ]),
    CostStage(name: "rings", sources: ["Rings/"]),
    CostStage(
      name: "samples of pixels",
      sources: [
        "Picture/PixelLine.swift", "Picture/PixelPlace.swift", "Picture/PixelWalk.swift", "Picture/Interpolation.swift",
      ]),
    CostStage(
      name: "queue",
      sources: ["Queue/", "Decoder.swift", "SceneReading.swift", "PixelDecoding.swift", "Picture/Scene.swift"]),
    // Symbologies that no other stage names are linear or postal.
    CostStage(
      name: "bars",
      sources: ["Lines/", "Posts/", "Symbologies/", "Readers/LinearReader.swift", "Readers/PostReader.swift"]),
    CostStage(
      name: "stacked rows",
      sources: [
        "Stacks/", "Readers/StackedReader.swift", "Symbologies/PDF417/", "Symbologies/MicroPDF417/",
        "Symbologies/Composite/",
      ]),
    CostStage(name: "grids", sources: ["Grids/"]),
    CostStage(
      name: "QR family",
      sources: [
        "QRFamily/QRCodewordReader.swift", "QRFamily/QRMessageReader.swift", "QRFamily/QRScratch.swift",
        "QRFamily/QRTables.swift",
        "Symbologies/QR/", "Symbologies/MicroQR/", "Symbologies/RMQR/",
      ]),
    CostStage(name: "Data Matrix", sources: ["Symbologies/DataMatrix/"]),
    CostStage(name: "Aztec, MaxiCode", sources: ["Symbologies/Aztec/", "Symbologies/MaxiCode/"]),
    CostStage(name: "Han Xin, DotCode", sources: ["Symbologies/HanXin/", "Symbologies/DotCode/"]),
    CostStage(name: "error correction", sources: ["ErrorCorrection/"]),
    CostStage(name: "sums of frames", sources: ["Patches/", "EvidenceReading.swift", "Geometry/PatchPlace.swift"]),
    // Code that all stages call: memory, geometry, results, the register, and copies of memory.
    CostStage(name: shared, sources: ["Foundation/", "Geometry/", "Symbologies/Register.swift", "Workspace.swift"]),
  ]

  private static let shared = "shared"

  /// The stage of a source below `folder`.
  static func stage(ofSource path: String) -> CostStage? {
    all.compactMap { stage in
      stage.sources.filter { $0.hasSuffix("/") ? path.hasPrefix($0) : path == $0 }.max { $0.count < $1.count }.map {
        (stage, $0)
      }
    }.max { $0.1.count < $1.1.count }?.0
  }

  /// The index of the stage of an instruction.
  ///
  /// - Parameter files: the source of the instruction, and then those of the functions into which it was inlined; the last is that of
  ///   the function itself. What all stages share counts for the one into which it was inlined.
  static func index(ofFiles files: [String]) -> Int {
    let indices = files.compactMap { file -> Int? in
      guard let place = file.range(of: folder), let stage = stage(ofSource: String(file[place.upperBound...])) else {
        return nil
      }
      return stage.name == shared ? nil : all.firstIndex { $0.name == stage.name }
    }
    return indices.first ?? all.count - 1
  }
}
