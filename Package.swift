// swift-tools-version: 6.2
import PackageDescription

/// Every target: no hidden existentials, no leaking imports.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The decoder's floors: no heap, no floating point, every unsafe operation marked.
let decoderSettings = settings + [.strictMemorySafety(), .enableExperimentalFeature("Lifetimes")]

let package = Package(
  name: "Reticle",
  products: [
    .library(name: "BarcodeDecoder", targets: ["BarcodeTypes", "BarcodeDecoder"]),
    .executable(name: "reticle", targets: ["reticle"]),
    .executable(name: "decoder-benchmark", targets: ["decoder-benchmark"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: [.defaults, "YAML"]),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // Floor 0
    .target(name: "CVector"),
    .target(name: "BarcodeTypes", swiftSettings: decoderSettings),
    // Floor 1
    .target(name: "BarcodeDecoder", dependencies: ["BarcodeTypes", "CVector"], swiftSettings: decoderSettings),
    .target(name: "BarcodeMessage", dependencies: ["BarcodeTypes"], swiftSettings: settings),
    .target(
      name: "CPicture", linkerSettings: [.linkedLibrary("png"), .linkedLibrary("jpeg"), .linkedLibrary("webp")]),
    .target(name: "CAllocationCounter"),
    .systemLibrary(name: "CZint", providers: [.apt(["libzint-dev"])]),
    // Floor 2
    .target(name: "PictureFiles", dependencies: ["BarcodeTypes", "CPicture"], swiftSettings: settings),
    .target(
      name: "SymbolPrinter", dependencies: ["BarcodeTypes", "BarcodeMessage", "CPicture", "CZint"],
      swiftSettings: settings),
    // Floor 4
    .executableTarget(
      name: "reticle",
      dependencies: [
        "BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "PictureFiles", "SymbolPrinter",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: settings),
    .executableTarget(
      name: "decoder-benchmark",
      dependencies: [
        "BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "PictureFiles", "CAllocationCounter",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: settings),
    // Tests
    .target(
      name: "CPictureWriter", path: "Tests/CPictureWriter",
      linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("webp")]),
    .testTarget(
      name: "PictureFilesTests", dependencies: ["BarcodeTypes", "BarcodeDecoder", "PictureFiles", "CPictureWriter"],
      swiftSettings: settings),
    .testTarget(name: "BarcodeMessageTests", dependencies: ["BarcodeTypes", "BarcodeMessage"], swiftSettings: settings),
    .testTarget(
      name: "SymbolPrinterTests",
      dependencies: ["BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "PictureFiles", "SymbolPrinter"],
      swiftSettings: settings),
    .testTarget(
      name: "AllocationCounterTests", dependencies: ["BarcodeTypes", "BarcodeDecoder", "CAllocationCounter"],
      swiftSettings: settings),
    .testTarget(
      name: "CommandTests", dependencies: ["reticle", "decoder-benchmark", "BarcodeTypes", "SymbolPrinter"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)

// Fuzz targets link only with `--sanitize fuzzer`, which brings their main function.
if Context.environment["RETICLE_FUZZ"] != nil {
  package.targets += [
    .executableTarget(name: "fuzz-picture", dependencies: ["BarcodeTypes", "PictureFiles"], swiftSettings: settings),
    .executableTarget(name: "fuzz-message", dependencies: ["BarcodeTypes", "BarcodeMessage"], swiftSettings: settings),
  ]
}
