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
    .library(name: "BarcodeDecoder", targets: ["BarcodeTypes", "BarcodeDecoder"])
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: [.defaults, "YAML"]),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
    .package(url: "https://github.com/jpsim/Yams", "5.4.0"..<"7.0.0"),
  ],
  targets: [
    // Floor 0
    .target(name: "CVector"),
    .target(name: "BarcodeTypes", swiftSettings: decoderSettings),
    // Floor 1
    .target(name: "BarcodeDecoder", dependencies: ["BarcodeTypes", "CVector"], swiftSettings: decoderSettings),
    .target(name: "ScanControl", dependencies: ["BarcodeTypes"], swiftSettings: settings),
    .target(name: "Devices", dependencies: ["BarcodeTypes"], swiftSettings: settings),
    // Floor 2
    .target(name: "PictureFiles", dependencies: ["BarcodeTypes", "Devices"], swiftSettings: settings),
    // Floor 3
    .target(
      name: "Station",
      dependencies: [
        "BarcodeTypes", "BarcodeDecoder", "ScanControl", "Devices",
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Yams", package: "Yams"),
      ], swiftSettings: settings),
    // Floor 4
    .executableTarget(
      name: "reticle",
      dependencies: [
        "BarcodeTypes", "BarcodeDecoder", "ScanControl", "Devices", "PictureFiles", "Station",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ], swiftSettings: settings),
    // Tests
    .testTarget(
      name: "PictureFilesTests", dependencies: ["BarcodeTypes", "Devices", "PictureFiles"], swiftSettings: settings),
    .testTarget(
      name: "StationTests",
      dependencies: [
        "BarcodeDecoder", "BarcodeTypes", "Devices", "ScanControl", "Station",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ], swiftSettings: settings),
    .testTarget(name: "DevicesTests", dependencies: ["BarcodeTypes", "Devices"], swiftSettings: settings),
    .testTarget(name: "LayeringTests", swiftSettings: settings),
    .testTarget(name: "ScanControlTests", dependencies: ["BarcodeTypes", "ScanControl"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
