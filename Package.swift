// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target: no hidden existentials, no leaking imports.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The decoder's floors: no heap, no floating point, every unsafe operation marked.
let decoderSettings = settings + [.strictMemorySafety(), .enableExperimentalFeature("Lifetimes")]

/// Tests that leave the work to what they test: they compile in half the time, and take no longer.
let testSettings = settings + [.unsafeFlags(["-Onone"])]

extension Target.Dependency {
  /// A product of another package. SwiftPM leaves out a package that is asked for by no enabled trait, so a program that takes
  /// the decoder alone, with `traits: []`, fetches none.
  static func station(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Station"]))
  }
}

let package = Package(
  name: "Reticle",
  products: [
    .library(name: "BarcodeDecoder", targets: ["BarcodeTypes", "BarcodeDecoder"]),
    .library(name: "BarcodeMessage", targets: ["BarcodeMessage"]),
    .library(name: "PictureFiles", targets: ["PictureFiles"]),
    .library(name: "ReticleScanner", targets: ["ReticleScanner"]),
    .executable(name: "reticle", targets: ["reticle"]),
    .executable(name: "decoder-benchmark", targets: ["decoder-benchmark"]),
  ],
  traits: [
    .trait(
      name: "Station",
      description:
        "What needs other packages: the station, the command and ReticleScanner; not the decoder, messages and pictures"),
    .trait(name: "Camera", description: "Cameras through libcamera", enabledTraits: ["Station"]),
    .trait(
      name: "Lines", description: "Torch, lamps and buttons on GPIO lines through libgpiod", enabledTraits: ["Station"]),
    .trait(
      name: "Screen", description: "The kiosk's screen through libdrm, libinput, Cairo and Pango", enabledTraits: ["Station"]
    ),
    .trait(
      name: "Console",
      description: "The HTTP server for status, health and metrics, and the receiver, through libmicrohttpd",
      enabledTraits: ["Station"]),
    .trait(
      name: "Labels",
      description: "The command generate, which draws labels, and the drawn reports of grade, through Cairo and Pango",
      enabledTraits: ["Station"]),
    .trait(name: "Formats", description: "TIFF and GIF pictures through libtiff and giflib"),
    .default(enabledTraits: ["Station", "Camera", "Lines", "Screen", "Console", "Labels", "Formats"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
  ],
  targets: [
    // Sources/Decoding
    .target(name: "BarcodeTypes", path: "Sources/Decoding/BarcodeTypes", swiftSettings: decoderSettings),
    .target(
      name: "BarcodeDecoder", dependencies: ["BarcodeTypes", "CSymbolTables", "CVector"],
      path: "Sources/Decoding/BarcodeDecoder", swiftSettings: decoderSettings),
    .target(
      name: "BarcodeMessage", dependencies: ["BarcodeTypes", "CCharacterSets"], path: "Sources/Decoding/BarcodeMessage"),
    .target(name: "CCharacterSets", path: "Sources/Decoding/CCharacterSets"),
    .target(
      name: "PrintQuality", dependencies: ["BarcodeDecoder", "BarcodeTypes"], path: "Sources/Decoding/PrintQuality"),
    .target(name: "CVector", path: "Sources/Decoding/CVector"),
    .target(name: "CSymbolTables", path: "Sources/Decoding/CSymbolTables"),

    // Sources/Devices
    .target(name: "Devices", dependencies: ["BarcodeTypes"], path: "Sources/Devices/Devices"),
    .target(
      name: "LinuxDevices",
      dependencies: [
        "BarcodeTypes", "CLinux", "Devices", "CPicture",
        .target(name: "CLibcamera", condition: .when(traits: ["Camera"])),
        .target(name: "CLibgpiod", condition: .when(traits: ["Lines"])),
      ], path: "Sources/Devices/LinuxDevices"),
    .target(
      name: "PictureFiles", dependencies: ["BarcodeTypes", "CPicture", "Devices"], path: "Sources/Devices/PictureFiles"),

    // Sources/Control
    .target(name: "ScanControl", dependencies: ["BarcodeTypes"], path: "Sources/Control/ScanControl"),
    .target(
      name: "ScanLoop",
      dependencies: [
        "BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "ScanControl", "ScanScreen", "Devices",
        .station("Logging", "swift-log"),
        .station("Metrics", "swift-metrics"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
        .station("UnixSignals", "swift-service-lifecycle"),
      ], path: "Sources/Control/ScanLoop"),

    // Sources/Screen
    .target(name: "ScanScreen", dependencies: ["BarcodeTypes"], path: "Sources/Screen/ScanScreen"),
    .target(
      name: "ScreenPainter", dependencies: ["BarcodeTypes", "CCairo", "ScanScreen"], path: "Sources/Screen/ScreenPainter"),
    .target(
      name: "LinuxScreen",
      dependencies: [
        "BarcodeTypes", "Devices", "ScanScreen",
        .target(name: "CLibdrm", condition: .when(traits: ["Screen"])),
        .target(name: "CLibinput", condition: .when(traits: ["Screen"])),
      ], path: "Sources/Screen/LinuxScreen"),
    .target(
      name: "StationScreen",
      dependencies: [
        "BarcodeTypes", "Devices", "ScanControl", "ScanLoop", "ScanScreen",
        .station("Logging", "swift-log"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], path: "Sources/Screen/StationScreen"),

    // Sources/Delivery
    .target(name: "HostText", dependencies: ["BarcodeMessage", "BarcodeTypes"], path: "Sources/Delivery/HostText"),
    .target(
      name: "DeliveryModel",
      dependencies: [
        "BarcodeMessage",
        .station("Logging", "swift-log"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], path: "Sources/Delivery/DeliveryModel"),
    .target(
      name: "Outbox",
      dependencies: [
        "CLinux", "CSQLite", "DeliveryModel", "Devices",
        .station("Logging", "swift-log"),
        .station("Metrics", "swift-metrics"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], path: "Sources/Delivery/Outbox"),
    .target(
      name: "Sinks",
      dependencies: [
        "BarcodeMessage", "COpenSSL", "CXkbcommon", "DeliveryModel", "Devices", "HTTPClient",
        .station("Logging", "swift-log"),
        .station("Metrics", "swift-metrics"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], path: "Sources/Delivery/Sinks"),
    .target(
      name: "MQTT",
      dependencies: [
        "CMosquitto", "COpenSSL", "DeliveryModel", "Devices", "HTTPClient", "Sinks",
        .station("Logging", "swift-log"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], path: "Sources/Delivery/MQTT"),
    .target(name: "HTTPClient", dependencies: ["CCurl", "COpenSSL"], path: "Sources/Delivery/HTTPClient"),
    .target(
      name: "ScanStore", dependencies: ["DeliveryModel", "MQTT"], path: "Sources/Delivery/ScanStore"),

    // Sources/Station
    .target(
      name: "Station",
      dependencies: [
        "BarcodeMessage", "BarcodeTypes", "DeliveryModel", "Outbox", "Sinks", "Devices", "HostText", "ScanControl",
        "ScanLoop", "ScanScreen",
        "SetupCodes", "StationConfiguration", "StationConsole", "StationGrading", "StationPictures", "StationScreen",
        .station("Logging", "swift-log"),
        .station("Metrics", "swift-metrics"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
        .station("UnixSignals", "swift-service-lifecycle"),
      ], path: "Sources/Station/Station"),
    .target(
      name: "StationConfiguration",
      dependencies: [
        "BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "CYAML", "HostText", "PictureFiles", "PrintQuality",
        "ScanControl", "ScanScreen", "SetupCodes", "Devices", "DeliveryModel", "HTTPClient", "MQTT", "Outbox", "Sinks",
        .station("Configuration", "swift-configuration"),
        .station("SystemPackage", "swift-system"),
      ], path: "Sources/Station/StationConfiguration"),
    .target(
      name: "StationConsole",
      dependencies: [
        "BarcodeMessage", "BarcodeTypes", "DeliveryModel", "Devices", "PictureFiles", "ScanControl", "ScanLoop",
        "ScanScreen",
        .station("CoreMetrics", "swift-metrics"),
      ], path: "Sources/Station/StationConsole"),
    .target(
      name: "ConsoleServer",
      dependencies: [
        "BarcodeMessage", "BarcodeTypes", "DeliveryModel", "Devices", "HostText", "Outbox", "ScanControl", "ScanLoop",
        "ScanScreen", "Sinks", "Station", "StationConfiguration", "StationConsole", "StationGrading", "SymbolPrinter",
        .target(name: "HTTPServer", condition: .when(traits: ["Console"])),
        .station("Logging", "swift-log"),
        .station("Metrics", "swift-metrics"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], path: "Sources/Station/ConsoleServer",
      resources: [
        .embedInCode("Page/index.html"), .embedInCode("Page/console.css"), .embedInCode("Page/icon.svg"),
        .embedInCode("Page/api.js"), .embedInCode("Page/app.js"), .embedInCode("Page/configuration.js"),
        .embedInCode("Page/health.js"), .embedInCode("Page/live.js"),
        .embedInCode("Page/scans.js"), .embedInCode("Page/setup.js"), .embedInCode("Page/sinks.js"),
        .embedInCode("Page/words.js"), .embedInCode("Page/schemas.json"),
      ]),
    .target(
      name: "StationDoctor",
      dependencies: [
        "BarcodeMessage", "Boards", "CLinux", "DeliveryModel", "Outbox", "Sinks", "Devices", "HostText", "LinuxDevices",
        "PictureFiles",
        "ScanScreen", "StationConfiguration",
        .target(name: "CLibcamera", condition: .when(traits: ["Camera"])),
      ], path: "Sources/Station/StationDoctor"),
    .target(
      name: "StationLog", dependencies: ["BarcodeMessage", "CLinux", .station("Logging", "swift-log")],
      path: "Sources/Station/StationLog"),
    .target(
      name: "StationGrading",
      dependencies: [
        "BarcodeDecoder", "BarcodeTypes", "Devices", "PrintQuality", "ScanControl", "ScanLoop", "StationConfiguration",
        .station("Logging", "swift-log"),
        .station("Metrics", "swift-metrics"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], path: "Sources/Station/StationGrading"),
    .target(
      name: "StationPictures",
      dependencies: [
        "BarcodeTypes", "DeliveryModel", "Sinks", "Devices", "PictureFiles", "ScanControl", "ScanLoop",
        "StationConfiguration",
        .station("Logging", "swift-log"),
        .station("Metrics", "swift-metrics"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], path: "Sources/Station/StationPictures"),
    .target(name: "SetupCodes", dependencies: ["COpenSSL"], path: "Sources/Station/SetupCodes"),
    .target(name: "HTTPServer", dependencies: ["CMicrohttpd", "Devices"], path: "Sources/Station/HTTPServer"),
    .target(
      name: "Boards", path: "boards", exclude: ["README.md"],
      resources: [
        .embedInCode("raspberry-pi-zero-2-w.yaml"), .embedInCode("raspberry-pi-3.yaml"),
        .embedInCode("raspberry-pi-4.yaml"), .embedInCode("raspberry-pi-5.yaml"), .embedInCode("generic-linux.yaml"),
        .embedInCode("camera-module-1.yaml"), .embedInCode("camera-module-2.yaml"), .embedInCode("camera-module-3.yaml"),
        .embedInCode("camera-hq.yaml"), .embedInCode("camera-global-shutter.yaml"), .embedInCode("camera-usb.yaml"),
      ]),

    // Sources/Programs
    .executableTarget(
      name: "reticle",
      dependencies: [
        "BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "Boards", "DeliveryModel", "Outbox", "Sinks", "Devices",
        "HTTPClient",
        "HostText", "LinuxDevices", "MQTT", "PictureFiles", "PrintQuality", "StationLog", "ScanControl", "ScanLoop",
        "ScanScreen", "ScanStore", "SetupCodes", "Station",
        "ConsoleServer", "StationConfiguration", "StationConsole", "StationDoctor", "StationGrading", "StationPictures",
        "StationScreen", "SymbolPrinter",
        .target(name: "HTTPServer", condition: .when(traits: ["Console"])),
        .target(name: "LabelPrinter", condition: .when(traits: ["Labels"])),
        .target(name: "QualityReport", condition: .when(traits: ["Labels"])),
        .target(name: "ScanReceiver", condition: .when(traits: ["Console"])),
        .target(name: "LinuxScreen", condition: .when(traits: ["Screen"])),
        .target(name: "ScreenPainter", condition: .when(traits: ["Screen"])),
        .target(name: "CLibcamera", condition: .when(traits: ["Camera"])),
        .target(name: "CLibgpiod", condition: .when(traits: ["Lines"])),
        .target(name: "CLibdrm", condition: .when(traits: ["Screen"])),
        .station("ArgumentParser", "swift-argument-parser"),
        .station("Logging", "swift-log"),
        .station("Metrics", "swift-metrics"),
        .station("UnixSignals", "swift-service-lifecycle"),
      ], path: "Sources/Programs/reticle"),
    .target(
      name: "ReticleScanner",
      dependencies: [
        "BarcodeTypes", "BarcodeDecoder", "Devices", "LinuxDevices", "PictureFiles", "ScanControl", "ScanLoop",
        "ScanScreen",
        .station("CoreMetrics", "swift-metrics"),
        .station("Logging", "swift-log"),
        .station("Metrics", "swift-metrics"),
      ], path: "Sources/Programs/ReticleScanner"),
    .target(
      name: "ScanReceiver", dependencies: ["BarcodeMessage", "DeliveryModel", "Sinks", "HTTPServer"],
      path: "Sources/Programs/ScanReceiver"),
    .target(
      name: "LabelPrinter", dependencies: ["BarcodeTypes", "CCairo", "SymbolPrinter"],
      path: "Sources/Programs/LabelPrinter"),
    .target(
      name: "QualityReport", dependencies: ["CCairo", "PrintQuality"], path: "Sources/Programs/QualityReport"),
    .target(
      name: "SymbolPrinter", dependencies: ["BarcodeTypes", "BarcodeMessage", "CPicture", "CZint"],
      path: "Sources/Programs/SymbolPrinter"),
    .target(name: "CAllocationCounter", path: "Sources/Programs/CAllocationCounter"),
    .executableTarget(
      name: "decoder-benchmark",
      dependencies: [
        "BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "PictureFiles", "CAllocationCounter",
        .station("ArgumentParser", "swift-argument-parser"),
      ], path: "Sources/Programs/decoder-benchmark"),
    .executableTarget(
      name: "decoder-example", dependencies: ["BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "PictureFiles"],
      path: "Sources/Programs/decoder-example"),
    .executableTarget(name: "scanner-example", dependencies: ["ReticleScanner"], path: "Sources/Programs/scanner-example"),

    // Sources/System
    .systemLibrary(
      name: "CCairo", path: "Sources/System/CCairo", pkgConfig: "pangocairo", providers: [.apt(["libpango1.0-dev"])]),
    .systemLibrary(
      name: "CCurl", path: "Sources/System/CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(
      name: "CLibcamera", dependencies: ["SystemLibcamera"], path: "Sources/System/CLibcamera",
      linkerSettings: [.linkedLibrary("udev")]),
    .target(name: "CLibdrm", dependencies: ["SystemLibdrm"], path: "Sources/System/CLibdrm"),
    .target(name: "CLibgpiod", dependencies: ["SystemLibgpiod"], path: "Sources/System/CLibgpiod"),
    .target(
      name: "CLibinput", dependencies: ["SystemLibinput"], path: "Sources/System/CLibinput",
      linkerSettings: [.linkedLibrary("udev")]),
    .target(name: "CLinux", path: "Sources/System/CLinux"),
    .systemLibrary(
      name: "CMicrohttpd", path: "Sources/System/CMicrohttpd", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(
      name: "CMosquitto", path: "Sources/System/CMosquitto", pkgConfig: "libmosquitto",
      providers: [.apt(["libmosquitto-dev"])]),
    .systemLibrary(
      name: "COpenSSL", path: "Sources/System/COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .target(
      name: "CPicture", path: "Sources/System/CPicture",
      cSettings: [.define("CPICTURE_MORE_FORMATS", .when(traits: ["Formats"]))],
      linkerSettings: [
        .linkedLibrary("png"), .linkedLibrary("jpeg"), .linkedLibrary("webp"),
        .linkedLibrary("tiff", .when(traits: ["Formats"])), .linkedLibrary("gif", .when(traits: ["Formats"])),
      ]),
    .systemLibrary(
      name: "CSQLite", path: "Sources/System/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CXkbcommon", path: "Sources/System/CXkbcommon", pkgConfig: "xkbcommon", providers: [.apt(["libxkbcommon-dev"])]),
    .systemLibrary(name: "CYAML", path: "Sources/System/CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CZint", path: "Sources/System/CZint", providers: [.apt(["libzint-dev"])]),
    .systemLibrary(name: "SystemLibcamera", path: "Sources/System/SystemLibcamera", pkgConfig: "libcamera"),
    .systemLibrary(name: "SystemLibdrm", path: "Sources/System/SystemLibdrm", pkgConfig: "libdrm"),
    .systemLibrary(name: "SystemLibgpiod", path: "Sources/System/SystemLibgpiod", pkgConfig: "libgpiod"),
    .systemLibrary(name: "SystemLibinput", path: "Sources/System/SystemLibinput", pkgConfig: "libinput"),

    // Tests/Decoding
    .testTarget(
      name: "BarcodeDecoderTests",
      dependencies: ["BarcodeDecoder", "BarcodeTypes", "CSymbolTables", "DrawnSymbols", "TestScenes", "TestSupport"],
      path: "Tests/Decoding/BarcodeDecoderTests"),
    .testTarget(
      name: "BarcodeMessageTests", dependencies: ["BarcodeTypes", "BarcodeMessage"],
      path: "Tests/Decoding/BarcodeMessageTests"),
    .executableTarget(
      name: "conformance-lab", dependencies: ["BarcodeDecoder", "BarcodeMessage", "BarcodeTypes", "CZint"],
      path: "Tests/Decoding/ConformanceLab"),
    .testTarget(
      name: "ConformanceTests", dependencies: ["TestSupport", "conformance-lab"], path: "Tests/Decoding/ConformanceTests",
      exclude: ["encoders.py"]),
    .target(
      name: "DrawnSymbols", dependencies: ["BarcodeDecoder", "BarcodeTypes", "CSymbolTables", "TestScenes"],
      path: "Tests/Decoding/DrawnSymbols"),
    .testTarget(
      name: "GateTests", dependencies: ["BarcodeTypes", "PictureFiles", "TestScenes", "TestSupport"],
      path: "Tests/Decoding/GateTests", exclude: ["Embedded"],
      swiftSettings: settings),
    .testTarget(
      name: "AllocationCounterTests", dependencies: ["BarcodeTypes", "BarcodeDecoder", "CAllocationCounter"],
      path: "Tests/Decoding/AllocationCounterTests"),
    .testTarget(
      name: "PrintQualityTests",
      dependencies: [
        "BarcodeDecoder", "BarcodeTypes", "PrintQuality", "SymbolPrinter", "TestSupport", "WornSymbols", "quality-lab",
      ], path: "Tests/Decoding/PrintQualityTests"),
    .executableTarget(
      name: "quality-lab", dependencies: ["BarcodeTypes", "PrintQuality", "SymbolPrinter", "WornSymbols"],
      path: "Tests/Decoding/QualityLab"),
    .target(
      name: "TestScenes", dependencies: ["BarcodeTypes", "Devices", "SymbolPrinter"], path: "Tests/Decoding/TestScenes"),
    .target(
      name: "WornSymbols", dependencies: ["BarcodeDecoder", "BarcodeTypes", "PrintQuality", "SymbolPrinter", "TestScenes"],
      path: "Tests/Decoding/WornSymbols"),

    // Tests/Devices
    .testTarget(name: "DevicesTests", dependencies: ["BarcodeTypes", "Devices"], path: "Tests/Devices/DevicesTests"),
    .testTarget(
      name: "LinuxDevicesTests",
      dependencies: [
        "BarcodeTypes", "Devices", "LinuxDevices", "CPictureWriter",
        .target(name: "CLibcamera", condition: .when(traits: ["Camera"])),
      ], path: "Tests/Devices/LinuxDevicesTests"),
    .testTarget(
      name: "PictureFilesTests",
      dependencies: ["BarcodeDecoder", "BarcodeTypes", "Devices", "PictureFiles", "CPictureWriter"],
      path: "Tests/Devices/PictureFilesTests"),
    .target(
      name: "CPictureWriter", path: "Tests/Devices/CPictureWriter",
      linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("webp")]),

    // Tests/Control
    .testTarget(
      name: "ScanControlTests", dependencies: ["BarcodeTypes", "ScanControl", "TestSupport"],
      path: "Tests/Control/ScanControlTests", swiftSettings: settings),
    .testTarget(
      name: "ScanLoopTests",
      dependencies: [
        "BarcodeDecoder", "BarcodeMessage", "BarcodeTypes", "Devices", "ScanControl", "ScanLoop", "ScanScreen",
        "TestScenes", "TestSupport",
      ], path: "Tests/Control/ScanLoopTests", swiftSettings: settings),
    .executableTarget(
      name: "sequence-lab",
      dependencies: ["BarcodeDecoder", "BarcodeTypes", "ScanControl", "ScanLoop", "StationConfiguration", "TestScenes"],
      path: "Tests/Control/SequenceLab"),

    // Tests/Screen
    .testTarget(
      name: "ScanScreenTests", dependencies: ["BarcodeTypes", "ScanScreen"], path: "Tests/Screen/ScanScreenTests"),
    .testTarget(
      name: "ScreenPainterTests",
      dependencies: [
        "BarcodeDecoder", "BarcodeTypes", "CPictureWriter", "Devices", "PictureFiles", "ScanControl", "ScanLoop",
        "ScanScreen", "ScreenPainter", "StationScreen", "SymbolPrinter", "TestScenes",
      ], path: "Tests/Screen/ScreenPainterTests"),
    .testTarget(name: "LinuxScreenTests", dependencies: ["LinuxScreen"], path: "Tests/Screen/LinuxScreenTests"),
    .testTarget(
      name: "StationScreenTests",
      dependencies: ["BarcodeTypes", "ScanControl", "ScanLoop", "ScanScreen", "StationScreen", "TestSupport"],
      path: "Tests/Screen/StationScreenTests",
      swiftSettings: settings),
    .executableTarget(
      name: "screen-lab",
      dependencies: [
        "BarcodeDecoder", "BarcodeTypes", "CAllocationCounter", "Devices", "ScanControl", "ScanLoop", "ScanScreen",
        "Station", "StationConfiguration", "StationScreen", "TestScenes",
        .target(name: "LinuxDevices", condition: .when(traits: ["Screen"])),
        .target(name: "LinuxScreen", condition: .when(traits: ["Screen"])),
        .target(name: "ScreenPainter", condition: .when(traits: ["Screen"])),
        .station("Logging", "swift-log"),
      ], path: "Tests/Screen/ScreenLab"),

    // Tests/Delivery
    .testTarget(
      name: "DeliveryTests",
      dependencies: [
        "BarcodeTypes", "CMosquitto", "CSimulatedStorage", "CStorageRecorder", "DeliveryModel", "MQTT", "Outbox", "Sinks",
        "Devices", "HTTPClient",
        "KeyboardHost", "LinuxDevices", "OutboxSimulation", "RawServer", "ScanReceiver", "ScanStore", "TestCertificates",
        "TestSupport", "outbox-writer",
        .station("Logging", "swift-log"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], path: "Tests/Delivery/DeliveryTests"),
    .testTarget(
      name: "HostTextTests", dependencies: ["BarcodeMessage", "BarcodeTypes", "HostText"],
      path: "Tests/Delivery/HostTextTests"),
    .target(
      name: "CSimulatedStorage", path: "Tests/Delivery/CSimulatedStorage", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CStorageRecorder", path: "Tests/Delivery/CStorageRecorder", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "KeyboardHost", dependencies: ["CXkbcommon"], path: "Tests/Delivery/KeyboardHost"),
    .target(
      name: "OutboxSimulation",
      dependencies: ["CSimulatedStorage", "DeliveryModel", "Outbox", "Sinks", "Devices", .station("Logging", "swift-log")],
      path: "Tests/Delivery/OutboxSimulation"),
    .executableTarget(name: "outbox-simulator", dependencies: ["OutboxSimulation"], path: "Tests/Delivery/OutboxSimulator"),
    .executableTarget(
      name: "outbox-writer",
      dependencies: [
        "DeliveryModel", "MQTT", "Outbox", "Sinks", "Devices", "LinuxDevices",
        .station("Logging", "swift-log"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], path: "Tests/Delivery/OutboxWriter"),
    .target(name: "RawServer", dependencies: ["COpenSSL"], path: "Tests/Delivery/RawServer"),

    // Tests/Station
    .testTarget(
      name: "StationTests",
      dependencies: [
        "BarcodeDecoder", "BarcodeTypes", "CAllocationCounter", "DeliveryModel", "Outbox", "Sinks", "Devices", "HostText",
        "PictureFiles",
        "ConsoleServer", "ScanControl", "ScanLoop", "ScanScreen", "SetupCodes", "Station", "StationConfiguration",
        "PrintQuality", "StationConsole", "StationGrading", "StationPictures", "StationScreen", "SymbolPrinter",
        "TestClient",
        "TestScenes", "WornSymbols",
        .station("CoreMetrics", "swift-metrics"),
        .target(name: "HTTPServer", condition: .when(traits: ["Console"])),
        .station("Logging", "swift-log"),
        .station("MetricsTestKit", "swift-metrics"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], path: "Tests/Station/StationTests"),
    .testTarget(
      name: "StationConfigurationTests",
      dependencies: [
        "BarcodeDecoder", "BarcodeMessage", "BarcodeTypes", "Boards", "DeliveryModel", "MQTT", "Sinks", "Devices",
        "HostText", "PrintQuality", "ScanControl",
        "ScanScreen", "SetupCodes", "StationConfiguration", "TestCertificates",
      ], path: "Tests/Station/StationConfigurationTests"),
    .testTarget(
      name: "StationConsoleTests",
      dependencies: [
        "BarcodeTypes", "DeliveryModel", "ScanControl", "ScanLoop", "StationConsole",
        .station("CoreMetrics", "swift-metrics"),
      ], path: "Tests/Station/StationConsoleTests"),
    .testTarget(
      name: "StationDoctorTests",
      dependencies: ["Sinks", "Devices", "HostText", "SetupCodes", "StationConfiguration", "StationDoctor"],
      path: "Tests/Station/StationDoctorTests"),
    .testTarget(
      name: "StationLogTests", dependencies: ["StationLog", .station("Logging", "swift-log")],
      path: "Tests/Station/StationLogTests"),
    .testTarget(
      name: "StationGradingTests",
      dependencies: ["PrintQuality", "StationGrading"],
      path: "Tests/Station/StationGradingTests"),
    .testTarget(
      name: "StationPicturesTests",
      dependencies: [
        "BarcodeTypes", "DeliveryModel", "Sinks", "Devices", "PictureFiles", "ScanControl", "ScanLoop",
        "StationConfiguration",
        "StationPictures",
        .station("Logging", "swift-log"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], path: "Tests/Station/StationPicturesTests"),
    .testTarget(name: "SetupCodesTests", dependencies: ["SetupCodes"], path: "Tests/Station/SetupCodesTests"),
    .testTarget(
      name: "HTTPServerTests", dependencies: ["HTTPServer", "TestCertificates", "TestClient"],
      path: "Tests/Station/HTTPServerTests"),
    .target(name: "TestCertificates", path: "Tests/Station/TestCertificates"),
    .target(name: "TestClient", path: "Tests/Station/TestClient"),

    // Tests/Programs
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "reticle", "decoder-benchmark", "BarcodeTypes", "DeliveryModel", "Outbox", "RawServer", "SetupCodes",
        "SymbolPrinter", "TestClient",
        "TestSupport",
        .station("Logging", "swift-log"),
      ], path: "Tests/Programs/CommandTests"),
    .testTarget(
      name: "ReticleScannerTests",
      dependencies: [
        "BarcodeDecoder", "BarcodeTypes", "Devices", "ReticleScanner", "ScanControl", "TestScenes", "TestSupport",
        "decoder-example", "scanner-example",
      ], path: "Tests/Programs/ReticleScannerTests"),
    .testTarget(
      name: "SymbolPrinterTests",
      dependencies: ["BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "PictureFiles", "SymbolPrinter", "TestScenes"],
      path: "Tests/Programs/SymbolPrinterTests"),
    .testTarget(
      name: "LabelPrinterTests",
      dependencies: ["BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "LabelPrinter", "SymbolPrinter"],
      path: "Tests/Programs/LabelPrinterTests"),
    .testTarget(
      name: "LibraryTests", dependencies: ["reticle", "BarcodeTypes", "PictureFiles", "TestScenes", "TestSupport"],
      path: "Tests/Programs/LibraryTests", exclude: ["Programs"]),
    .testTarget(
      name: "LabTests",
      dependencies: [
        "reticle", "screen-lab", "sequence-lab", "outbox-writer", "BarcodeTypes", "KeyboardHost", "ScanScreen", "TestScenes",
        "TestSupport",
      ], path: "Tests/Programs/LabTests",
      exclude: [
        "allocation_recorder.c", "lab.sh", "play_frames.py", "read_keyboard.py", "read_scanner.py", "screen_thief.py",
        "simulated_terminal.c",
        "simulated_user.py",
        "unusable_frames.c",
      ]),

    // Tests/House
    .testTarget(name: "LayeringTests", path: "Tests/House/LayeringTests"),
    .target(name: "TestSupport", path: "Tests/House/TestSupport"),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// Only the named targets and what they need, and no other package where none of them needs one: the shorter loops, such as the
// decoder's, build in a fraction of the time of all. Fuzz targets are built no other way, as all but
// fuzz-symbols link only with `--sanitize fuzzer`, which brings their main function.
if let names = Context.environment["RETICLE_TARGETS"]?.split(separator: " ").map(String.init) {
  package.targets += [
    .executableTarget(
      name: "fuzz-decoder", dependencies: ["BarcodeDecoder", "BarcodeTypes"], path: "Sources/Fuzzing/fuzz-decoder"),
    .executableTarget(
      name: "fuzz-symbols", dependencies: ["BarcodeDecoder", "BarcodeTypes", "SymbolPrinter", "TestScenes"],
      path: "Sources/Fuzzing/fuzz-symbols"),
    .executableTarget(
      name: "fuzz-picture", dependencies: ["BarcodeTypes", "PictureFiles"], path: "Sources/Fuzzing/fuzz-picture"),
    .executableTarget(
      name: "fuzz-message", dependencies: ["BarcodeTypes", "BarcodeMessage"], path: "Sources/Fuzzing/fuzz-message"),
    .executableTarget(name: "fuzz-serial", dependencies: ["Devices"], path: "Sources/Fuzzing/fuzz-serial"),
    .executableTarget(
      name: "fuzz-webhook", dependencies: ["HTTPClient", "RawServer"], path: "Sources/Fuzzing/fuzz-webhook"),
  ]
  var kept: Set<String> = []
  var waiting = names
  while let name = waiting.popLast() {
    guard let target = package.targets.first(where: { $0.name == name }) else {
      fatalError("RETICLE_TARGETS names \(name), which is no target of Package.swift.")
    }
    guard kept.insert(name).inserted else { continue }
    waiting += target.dependencies.compactMap(\.targetName)
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { !kept.isSuperset(of: $0.targetNames) }
  if package.targets.allSatisfy({ $0.dependencies.allSatisfy { $0.targetName != nil } }) { package.dependencies = [] }
}

// What a target does not set itself. Targets of C ignore it.
for target in package.targets where target.swiftSettings == nil && target.type != .system {
  target.swiftSettings = target.type == .test ? testSettings : settings
}

extension Target.Dependency {
  /// The target of this package that it names; nil for another package's product.
  var targetName: String? {
    switch self {
    case .targetItem(let name, _), .byNameItem(let name, _): name
    default: nil
    }
  }
}

extension Product {
  var targetNames: [String] { (self as? Library)?.targets ?? (self as? Executable)?.targets ?? [] }
}
