// swift-tools-version: 6.2
import PackageDescription

/// The decoder's floors: no heap, no floating point, every unsafe operation marked.
let decoderSettings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableExperimentalFeature("Lifetimes"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "Reticle",
  products: [
    .library(name: "BarcodeDecoder", targets: ["BarcodeTypes", "BarcodeDecoder"])
  ],
  targets: [
    .target(name: "CVector"),
    .target(name: "BarcodeTypes", swiftSettings: decoderSettings),
    .target(name: "BarcodeDecoder", dependencies: ["BarcodeTypes", "CVector"], swiftSettings: decoderSettings),
  ],
  swiftLanguageModes: [.v6]
)
