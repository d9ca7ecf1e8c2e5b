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
    .default(enabledTraits: ["Station", "Camera", "Lines", "Screen", "Console"]),
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
    // Floor 0
    .target(name: "CVector"),
    .target(name: "CSymbolTables"),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CXkbcommon", pkgConfig: "xkbcommon", providers: [.apt(["libxkbcommon-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .target(name: "BarcodeTypes", swiftSettings: decoderSettings),
    // Floor 1
    .target(
      name: "BarcodeDecoder", dependencies: ["BarcodeTypes", "CSymbolTables", "CVector"], swiftSettings: decoderSettings),
    .target(name: "BarcodeMessage", dependencies: ["BarcodeTypes"], swiftSettings: settings),
    .target(name: "ScanControl", dependencies: ["BarcodeTypes"], swiftSettings: settings),
    .target(name: "ScanScreen", dependencies: ["BarcodeTypes"], swiftSettings: settings),
    .target(name: "Devices", dependencies: ["BarcodeTypes"], swiftSettings: settings),
    .target(name: "HTTPClient", dependencies: ["CCurl", "COpenSSL"], swiftSettings: settings),
    .target(name: "CLinux"),
    .systemLibrary(name: "SystemLibcamera", pkgConfig: "libcamera"),
    .systemLibrary(name: "SystemLibgpiod", pkgConfig: "libgpiod"),
    .systemLibrary(name: "SystemLibdrm", pkgConfig: "libdrm"),
    .systemLibrary(name: "SystemLibinput", pkgConfig: "libinput"),
    .target(name: "CLibcamera", dependencies: ["SystemLibcamera"], linkerSettings: [.linkedLibrary("udev")]),
    .target(name: "CLibgpiod", dependencies: ["SystemLibgpiod"]),
    .target(name: "CLibdrm", dependencies: ["SystemLibdrm"]),
    .target(name: "CLibinput", dependencies: ["SystemLibinput"], linkerSettings: [.linkedLibrary("udev")]),
    .target(
      name: "CPicture", linkerSettings: [.linkedLibrary("png"), .linkedLibrary("jpeg"), .linkedLibrary("webp")]),
    .systemLibrary(name: "CCairo", pkgConfig: "pangocairo", providers: [.apt(["libpango1.0-dev"])]),
    .systemLibrary(name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CZint", providers: [.apt(["libzint-dev"])]),
    .target(name: "CAllocationCounter"),
    .target(
      name: "Boards", path: "boards", exclude: ["README.md"],
      resources: [
        .embedInCode("raspberry-pi-zero-2-w.yaml"), .embedInCode("raspberry-pi-3.yaml"),
        .embedInCode("raspberry-pi-4.yaml"), .embedInCode("raspberry-pi-5.yaml"), .embedInCode("generic-linux.yaml"),
      ], swiftSettings: settings),
    // Floor 2
    .target(name: "PictureFiles", dependencies: ["BarcodeTypes", "CPicture", "Devices"], swiftSettings: settings),
    .target(name: "HTTPServer", dependencies: ["CMicrohttpd", "Devices"], swiftSettings: settings),
    .target(name: "ScreenPainter", dependencies: ["BarcodeTypes", "CCairo", "ScanScreen"], swiftSettings: settings),
    .target(
      name: "SymbolPrinter", dependencies: ["BarcodeTypes", "BarcodeMessage", "CPicture", "CZint"], swiftSettings: settings),
    .target(
      name: "Delivery",
      dependencies: [
        "BarcodeMessage", "CLinux", "CMosquitto", "COpenSSL", "CSQLite", "CXkbcommon", "Devices", "HTTPClient",
        .station("Logging", "swift-log"),
        .station("Metrics", "swift-metrics"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], swiftSettings: settings),
    .target(name: "HostText", dependencies: ["BarcodeMessage", "BarcodeTypes"], swiftSettings: settings),
    .target(name: "SetupCodes", dependencies: ["COpenSSL"], swiftSettings: settings),
    .target(
      name: "StationLog", dependencies: ["BarcodeMessage", "CLinux", .station("Logging", "swift-log")],
      swiftSettings: settings),
    .target(
      name: "LinuxDevices",
      dependencies: [
        "BarcodeTypes", "CLinux", "Devices", "CPicture",
        .target(name: "CLibcamera", condition: .when(traits: ["Camera"])),
        .target(name: "CLibgpiod", condition: .when(traits: ["Lines"])),
      ], swiftSettings: settings),
    .target(
      name: "LinuxScreen",
      dependencies: [
        "BarcodeTypes", "Devices", "ScanScreen",
        .target(name: "CLibdrm", condition: .when(traits: ["Screen"])),
        .target(name: "CLibinput", condition: .when(traits: ["Screen"])),
      ], swiftSettings: settings),
    // Floor 3
    .target(
      name: "ScanLoop",
      dependencies: [
        "BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "ScanControl", "ScanScreen", "Devices",
        .station("Logging", "swift-log"),
        .station("Metrics", "swift-metrics"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
        .station("UnixSignals", "swift-service-lifecycle"),
      ], swiftSettings: settings),
    .target(
      name: "StationConfiguration",
      dependencies: [
        "BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "CYAML", "HostText", "PictureFiles", "ScanControl",
        "ScanScreen", "SetupCodes", "Devices", "Delivery",
        .station("Configuration", "swift-configuration"),
        .station("SystemPackage", "swift-system"),
      ], swiftSettings: settings),
    .target(
      name: "ScanReceiver", dependencies: ["BarcodeMessage", "Delivery", "HTTPServer"], swiftSettings: settings),
    // Floor 4
    .target(
      name: "StationScreen",
      dependencies: [
        "BarcodeTypes", "Devices", "ScanControl", "ScanLoop", "ScanScreen",
        .station("Logging", "swift-log"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], swiftSettings: settings),
    .target(
      name: "StationPictures",
      dependencies: [
        "BarcodeTypes", "Delivery", "Devices", "PictureFiles", "ScanControl", "ScanLoop", "StationConfiguration",
        .station("Logging", "swift-log"),
        .station("Metrics", "swift-metrics"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], swiftSettings: settings),
    .target(
      name: "StationConsole",
      dependencies: [
        "BarcodeMessage", "BarcodeTypes", "Delivery", "Devices", "ScanControl", "ScanLoop", "ScanScreen",
        .target(name: "HTTPServer", condition: .when(traits: ["Console"])),
        .station("CoreMetrics", "swift-metrics"),
        .station("Logging", "swift-log"),
        .station("Metrics", "swift-metrics"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], swiftSettings: settings),
    .target(
      name: "StationDoctor",
      dependencies: [
        "BarcodeMessage", "Boards", "CLinux", "Delivery", "Devices", "HostText", "LinuxDevices", "PictureFiles",
        "ScanScreen", "StationConfiguration",
        .target(name: "CLibcamera", condition: .when(traits: ["Camera"])),
      ], swiftSettings: settings),
    .target(
      name: "ReticleScanner",
      dependencies: [
        "BarcodeTypes", "BarcodeDecoder", "Devices", "LinuxDevices", "PictureFiles", "ScanControl", "ScanLoop",
        "ScanScreen",
        .station("CoreMetrics", "swift-metrics"),
        .station("Logging", "swift-log"),
        .station("Metrics", "swift-metrics"),
      ], swiftSettings: settings),
    // Floor 5
    .target(
      name: "Station",
      dependencies: [
        "BarcodeMessage", "BarcodeTypes", "Delivery", "Devices", "HostText", "ScanControl", "ScanLoop", "ScanScreen",
        "SetupCodes", "StationConfiguration", "StationConsole", "StationPictures", "StationScreen",
        .station("Logging", "swift-log"),
        .station("Metrics", "swift-metrics"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
        .station("UnixSignals", "swift-service-lifecycle"),
      ], swiftSettings: settings),
    .executableTarget(name: "scanner-example", dependencies: ["ReticleScanner"], swiftSettings: settings),
    .executableTarget(
      name: "decoder-example", dependencies: ["BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "PictureFiles"],
      swiftSettings: settings),
    // Floor 6
    .executableTarget(
      name: "reticle",
      dependencies: [
        "BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "Boards", "Delivery", "Devices", "HTTPClient",
        "HostText", "LinuxDevices", "PictureFiles", "StationLog", "ScanControl", "ScanLoop", "ScanScreen", "SetupCodes",
        "Station",
        "StationConfiguration", "StationConsole", "StationDoctor", "StationPictures", "StationScreen", "SymbolPrinter",
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
      ], swiftSettings: settings),
    .executableTarget(
      name: "decoder-benchmark",
      dependencies: [
        "BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "PictureFiles", "CAllocationCounter",
        .station("ArgumentParser", "swift-argument-parser"),
      ], swiftSettings: settings),

    // Tests
    .target(
      name: "TestScenes", dependencies: ["BarcodeTypes", "Devices", "SymbolPrinter"], path: "Tests/TestScenes",
      swiftSettings: settings),
    .target(
      name: "KeyboardHost", dependencies: ["CXkbcommon"], path: "Tests/KeyboardHost", swiftSettings: settings),
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .target(name: "TestCertificates", path: "Tests/TestCertificates", swiftSettings: settings),
    .target(name: "TestClient", path: "Tests/TestClient", swiftSettings: settings),
    .target(name: "RawServer", dependencies: ["COpenSSL"], path: "Tests/RawServer", swiftSettings: settings),
    .target(
      name: "DrawnSymbols", dependencies: ["BarcodeDecoder", "BarcodeTypes", "CSymbolTables", "TestScenes"],
      path: "Tests/DrawnSymbols", swiftSettings: settings),
    .testTarget(
      name: "BarcodeDecoderTests",
      dependencies: ["BarcodeDecoder", "BarcodeTypes", "CSymbolTables", "DrawnSymbols", "TestScenes"],
      swiftSettings: testSettings),
    .testTarget(
      name: "PictureFilesTests",
      dependencies: ["BarcodeDecoder", "BarcodeTypes", "Devices", "PictureFiles", "CPictureWriter"],
      swiftSettings: testSettings),
    .testTarget(
      name: "ScanLoopTests",
      dependencies: [
        "BarcodeDecoder", "BarcodeMessage", "BarcodeTypes", "Devices", "ScanControl", "ScanLoop", "ScanScreen", "TestScenes",
      ], swiftSettings: settings),
    .testTarget(
      name: "StationScreenTests",
      dependencies: ["BarcodeTypes", "ScanControl", "ScanLoop", "ScanScreen", "StationScreen", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "StationConfigurationTests",
      dependencies: [
        "BarcodeDecoder", "BarcodeMessage", "BarcodeTypes", "Boards", "Delivery", "Devices", "HostText", "ScanControl",
        "ScanScreen", "SetupCodes", "StationConfiguration", "TestCertificates",
      ], swiftSettings: testSettings),
    .testTarget(name: "SetupCodesTests", dependencies: ["SetupCodes"], swiftSettings: testSettings),
    .testTarget(
      name: "StationDoctorTests",
      dependencies: ["Delivery", "Devices", "HostText", "SetupCodes", "StationConfiguration", "StationDoctor"],
      swiftSettings: testSettings),
    .testTarget(
      name: "StationConsoleTests",
      dependencies: [
        "BarcodeTypes", "ScanControl", "ScanLoop", "StationConsole", .station("CoreMetrics", "swift-metrics"),
      ], swiftSettings: testSettings),
    .testTarget(
      name: "StationPicturesTests",
      dependencies: [
        "BarcodeTypes", "Delivery", "Devices", "PictureFiles", "ScanControl", "ScanLoop", "StationConfiguration",
        "StationPictures",
        .station("Logging", "swift-log"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], swiftSettings: testSettings),
    .testTarget(
      name: "StationTests",
      dependencies: [
        "BarcodeDecoder", "BarcodeTypes", "CAllocationCounter", "Delivery", "Devices", "HostText", "PictureFiles",
        "ScanControl", "ScanLoop", "ScanScreen", "SetupCodes", "Station", "StationConfiguration", "StationConsole",
        "StationPictures",
        "StationScreen", "TestClient",
        "TestScenes",
        .station("CoreMetrics", "swift-metrics"),
        .target(name: "HTTPServer", condition: .when(traits: ["Console"])),
        .station("Logging", "swift-log"),
        .station("MetricsTestKit", "swift-metrics"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], swiftSettings: testSettings),
    .testTarget(
      name: "StationLogTests", dependencies: ["StationLog", .station("Logging", "swift-log")],
      swiftSettings: testSettings),
    .testTarget(name: "DevicesTests", dependencies: ["BarcodeTypes", "Devices"], swiftSettings: testSettings),
    .testTarget(
      name: "LinuxDevicesTests",
      dependencies: [
        "BarcodeTypes", "Devices", "LinuxDevices", "CPictureWriter",
        .target(name: "CLibcamera", condition: .when(traits: ["Camera"])),
      ],
      swiftSettings: testSettings),
    .testTarget(name: "LinuxScreenTests", dependencies: ["LinuxScreen"], swiftSettings: testSettings),
    .testTarget(
      name: "HTTPServerTests", dependencies: ["HTTPServer", "TestCertificates", "TestClient"], swiftSettings: testSettings),
    .testTarget(name: "LayeringTests", swiftSettings: testSettings),
    .testTarget(name: "ScanScreenTests", dependencies: ["BarcodeTypes", "ScanScreen"], swiftSettings: testSettings),
    .executableTarget(
      name: "screen-lab",
      dependencies: [
        "BarcodeDecoder", "BarcodeTypes", "CAllocationCounter", "Devices", "ScanControl", "ScanLoop", "ScanScreen",
        "Station", "StationConfiguration", "StationScreen", "TestScenes",
        .target(name: "LinuxDevices", condition: .when(traits: ["Screen"])),
        .target(name: "LinuxScreen", condition: .when(traits: ["Screen"])),
        .target(name: "ScreenPainter", condition: .when(traits: ["Screen"])),
        .station("Logging", "swift-log"),
      ], path: "Tests/ScreenLab", swiftSettings: settings),
    .executableTarget(
      name: "conformance-lab", dependencies: ["BarcodeDecoder", "BarcodeMessage", "BarcodeTypes", "CZint"],
      path: "Tests/ConformanceLab", swiftSettings: settings),
    .testTarget(
      name: "ConformanceTests", dependencies: ["TestSupport", "conformance-lab"], exclude: ["encoders.py"],
      swiftSettings: testSettings),
    .executableTarget(
      name: "sequence-lab",
      dependencies: ["BarcodeDecoder", "BarcodeTypes", "ScanControl", "ScanLoop", "StationConfiguration", "TestScenes"],
      path: "Tests/SequenceLab", swiftSettings: settings),
    .testTarget(
      name: "ScreenPainterTests",
      dependencies: [
        "BarcodeDecoder", "BarcodeTypes", "CPictureWriter", "Devices", "PictureFiles", "ScanControl", "ScanLoop",
        "ScanScreen", "ScreenPainter", "StationScreen", "SymbolPrinter", "TestScenes",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "ScanControlTests", dependencies: ["BarcodeTypes", "ScanControl", "TestSupport"], swiftSettings: settings),
    .executableTarget(
      name: "outbox-writer",
      dependencies: [
        "Delivery", "Devices", "LinuxDevices",
        .station("Logging", "swift-log"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], path: "Tests/OutboxWriter", swiftSettings: settings),
    .target(
      name: "CSimulatedStorage", path: "Tests/CSimulatedStorage", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "OutboxSimulation",
      dependencies: ["CSimulatedStorage", "Delivery", "Devices", .station("Logging", "swift-log")],
      path: "Tests/OutboxSimulation", swiftSettings: settings),
    .executableTarget(
      name: "outbox-simulator", dependencies: ["OutboxSimulation"], path: "Tests/OutboxSimulator", swiftSettings: settings),
    .target(
      name: "CStorageRecorder", path: "Tests/CStorageRecorder", linkerSettings: [.linkedLibrary("sqlite3")]),
    .testTarget(
      name: "DeliveryTests",
      dependencies: [
        "BarcodeTypes", "CMosquitto", "CSimulatedStorage", "CStorageRecorder", "Delivery", "Devices", "HTTPClient",
        "KeyboardHost", "LinuxDevices", "OutboxSimulation", "RawServer", "ScanReceiver", "TestCertificates", "TestSupport",
        "outbox-writer",
        .station("Logging", "swift-log"),
        .station("ServiceLifecycle", "swift-service-lifecycle"),
      ], swiftSettings: testSettings),
    .testTarget(
      name: "GateTests", dependencies: ["BarcodeTypes", "PictureFiles", "TestScenes", "TestSupport"], exclude: ["Embedded"],
      swiftSettings: settings),
    .target(
      name: "CPictureWriter", path: "Tests/CPictureWriter",
      linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("webp")]),
    .testTarget(
      name: "HostTextTests", dependencies: ["BarcodeMessage", "BarcodeTypes", "HostText"], swiftSettings: testSettings),
    .testTarget(name: "BarcodeMessageTests", dependencies: ["BarcodeTypes", "BarcodeMessage"], swiftSettings: testSettings),
    .testTarget(
      name: "SymbolPrinterTests",
      dependencies: ["BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "PictureFiles", "SymbolPrinter", "TestScenes"],
      swiftSettings: testSettings),
    .testTarget(
      name: "AllocationCounterTests", dependencies: ["BarcodeTypes", "BarcodeDecoder", "CAllocationCounter"],
      swiftSettings: testSettings),
    .testTarget(
      name: "ReticleScannerTests",
      dependencies: [
        "BarcodeDecoder", "BarcodeTypes", "Devices", "ReticleScanner", "ScanControl", "TestScenes", "TestSupport",
        "decoder-example", "scanner-example",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "LabTests",
      dependencies: [
        "reticle", "screen-lab", "sequence-lab", "outbox-writer", "BarcodeTypes", "KeyboardHost", "ScanScreen", "TestScenes",
        "TestSupport",
      ],
      exclude: [
        "allocation_recorder.c", "lab.sh", "play_frames.py", "read_keyboard.py", "read_scanner.py", "screen_thief.py",
        "simulated_terminal.c",
        "simulated_user.py",
        "unusable_frames.c",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "reticle", "decoder-benchmark", "BarcodeTypes", "Delivery", "RawServer", "SetupCodes", "SymbolPrinter", "TestClient",
        "TestSupport",
        .station("Logging", "swift-log"),
      ],
      swiftSettings: testSettings),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// Only the named targets and what they need, and no other package where none of them needs one: the shorter loops, such as the
// decoder's, build in a fraction of the time of all. Fuzz targets are built no other way, as all but
// fuzz-symbols link only with `--sanitize fuzzer`, which brings their main function.
if let names = Context.environment["RETICLE_TARGETS"]?.split(separator: " ").map(String.init) {
  package.targets += [
    .executableTarget(name: "fuzz-decoder", dependencies: ["BarcodeDecoder", "BarcodeTypes"], swiftSettings: settings),
    .executableTarget(
      name: "fuzz-symbols", dependencies: ["BarcodeDecoder", "BarcodeTypes", "SymbolPrinter", "TestScenes"],
      swiftSettings: settings),
    .executableTarget(name: "fuzz-picture", dependencies: ["BarcodeTypes", "PictureFiles"], swiftSettings: settings),
    .executableTarget(name: "fuzz-message", dependencies: ["BarcodeTypes", "BarcodeMessage"], swiftSettings: settings),
    .executableTarget(name: "fuzz-serial", dependencies: ["Devices"], swiftSettings: settings),
    .executableTarget(name: "fuzz-webhook", dependencies: ["HTTPClient", "RawServer"], swiftSettings: settings),
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
