// The plan of the package: every target, its floor, the modules that it may import, and the words that it must not use. It
// is a single table of data; the tests in this folder check the sources against it. A new target first gets a row here.

/// A target of the package.
struct Room {
  let name: String
  let floor: Int
  /// Targets of lower floors that it may import.
  let rooms: [String]
  /// External libraries that it may import; nil for any except those in `neverImported`.
  let libraries: [String]?
  /// Words of Swift that its code must not use, with the reason.
  let never: [Ban]
}

/// Forbidden words, and the reason.
struct Ban {
  let words: [String]
  let reason: String
}

enum FloorTable {
  /// Modules that no target imports: Foundation brings 46 MB of ICU data, and FoundationEssentials suffices.
  static let neverImported = ["Foundation"]

  private static let heap = Ban(
    words: ["class", "actor", "Array", "String", "Set", "Dictionary", "ContiguousArray", "ArraySlice", "indirect"],
    reason: "the decoder has no heap")
  private static let floatingPoint = Ban(
    words: ["Double", "Float", "Float16", "Float32", "Float64", "Float80", "CGFloat"],
    reason: "the decoder is fixed point, alike on every machine")
  private static let existentials = Ban(words: ["any", "AnyObject"], reason: "an existential may allocate")
  private static let clocks = Ban(
    words: [
      "Clock", "ContinuousClock", "SuspendingClock", "Date", "clock_gettime", "gettimeofday", "time", "now", "Timer",
    ], reason: "time is an argument here")
  private static let concurrency = Ban(
    words: ["async", "await", "Task", "Thread", "DispatchQueue", "Mutex", "Atomic", "actor", "pthread_create"],
    reason: "a value without threads")
  private static let files = Ban(
    words: [
      "fopen", "fread", "fwrite", "fputs", "puts", "printf", "print", "FileManager", "FileHandle", "getenv", "socket",
    ],
    reason: "no input or output here")

  static let rooms: [Room] = [
    // Floor 0
    Room(name: "CVector", floor: 0, rooms: [], libraries: [], never: []),
    Room(name: "CSymbolTables", floor: 0, rooms: [], libraries: [], never: []),
    Room(name: "CCharacterSets", floor: 0, rooms: [], libraries: [], never: []),
    Room(name: "CCurl", floor: 0, rooms: [], libraries: [], never: []),
    Room(name: "CXkbcommon", floor: 0, rooms: [], libraries: [], never: []),
    Room(name: "COpenSSL", floor: 0, rooms: [], libraries: [], never: []),
    Room(name: "CMosquitto", floor: 0, rooms: [], libraries: [], never: []),
    Room(name: "CSQLite", floor: 0, rooms: [], libraries: [], never: []),
    Room(name: "CYAML", floor: 0, rooms: [], libraries: [], never: []),
    Room(
      name: "BarcodeTypes", floor: 0, rooms: [], libraries: [],
      never: [heap, floatingPoint, existentials, clocks, concurrency, files]),
    // Floor 1
    Room(
      name: "BarcodeDecoder", floor: 1, rooms: ["BarcodeTypes", "CSymbolTables", "CVector"], libraries: [],
      never: [heap, floatingPoint, existentials, clocks, concurrency]),
    Room(
      name: "BarcodeMessage", floor: 1, rooms: ["BarcodeTypes", "CCharacterSets"], libraries: [],
      never: [floatingPoint, clocks, concurrency, files]),
    Room(
      name: "ScanControl", floor: 1, rooms: ["BarcodeTypes"], libraries: [],
      never: [floatingPoint, existentials, Ban(words: ["class"], reason: "plain values"), wallClocks, concurrency, files]),
    Room(
      name: "ScanScreen", floor: 1, rooms: ["BarcodeTypes"], libraries: ["Glibc"],
      never: [Ban(words: ["class"], reason: "plain values"), wallClocks, concurrency, files]),
    Room(
      name: "Devices", floor: 1, rooms: ["BarcodeTypes"], libraries: ["Dispatch", "Glibc", "Musl", "Synchronization"],
      never: []),
    Room(
      name: "HTTPClient", floor: 1, rooms: ["CCurl", "COpenSSL"], libraries: ["Dispatch", "Glibc", "Synchronization"],
      never: []),
    Room(name: "SystemLibcamera", floor: 1, rooms: [], libraries: [], never: []),
    Room(name: "SystemLibgpiod", floor: 1, rooms: [], libraries: [], never: []),
    Room(name: "SystemLibdrm", floor: 1, rooms: [], libraries: [], never: []),
    Room(name: "SystemLibinput", floor: 1, rooms: [], libraries: [], never: []),
    Room(name: "CLibcamera", floor: 1, rooms: ["SystemLibcamera"], libraries: [], never: []),
    Room(name: "CLibgpiod", floor: 1, rooms: ["SystemLibgpiod"], libraries: [], never: []),
    Room(name: "CLibdrm", floor: 1, rooms: ["SystemLibdrm"], libraries: [], never: []),
    Room(name: "CLibinput", floor: 1, rooms: ["SystemLibinput"], libraries: [], never: []),
    Room(name: "CLinux", floor: 1, rooms: [], libraries: [], never: []),
    Room(name: "CPicture", floor: 1, rooms: [], libraries: [], never: []),
    Room(name: "CCairo", floor: 1, rooms: [], libraries: [], never: []),
    Room(name: "CMicrohttpd", floor: 1, rooms: [], libraries: [], never: []),
    Room(name: "CZint", floor: 1, rooms: [], libraries: [], never: []),
    Room(name: "CAllocationCounter", floor: 1, rooms: [], libraries: [], never: []),
    Room(name: "Boards", floor: 1, rooms: [], libraries: [], never: []),
    // Floor 2
    Room(
      name: "DeliveryModel", floor: 2, rooms: ["BarcodeMessage"],
      libraries: ["FoundationEssentials", "Glibc", "Logging", "Musl", "ServiceLifecycle"], never: [files]),
    Room(
      name: "HostText", floor: 2, rooms: ["BarcodeMessage", "BarcodeTypes"], libraries: [],
      never: [floatingPoint, clocks, concurrency, files]),
    Room(
      name: "SetupCodes", floor: 2, rooms: ["COpenSSL"], libraries: ["FoundationEssentials", "Glibc"], never: [clocks]),
    Room(
      name: "StationLog", floor: 2, rooms: ["BarcodeMessage", "CLinux"], libraries: ["Glibc", "Logging", "Synchronization"],
      never: []),
    Room(
      name: "HTTPServer", floor: 2, rooms: ["CMicrohttpd", "Devices"], libraries: ["Glibc", "Musl", "Synchronization"],
      never: []),
    Room(
      name: "LinuxDevices", floor: 2,
      rooms: ["BarcodeTypes", "Devices", "CLibcamera", "CLibgpiod", "CLinux", "CPicture"],
      libraries: ["Dispatch", "Glibc", "Musl", "Synchronization"],
      never: []),
    Room(
      name: "LinuxScreen", floor: 2, rooms: ["BarcodeTypes", "Devices", "CLibdrm", "CLibinput", "ScanScreen"],
      libraries: ["Dispatch", "Glibc", "Synchronization"], never: []),
    Room(
      name: "PrintQuality", floor: 2, rooms: ["BarcodeDecoder", "BarcodeTypes"], libraries: [],
      never: [existentials, Ban(words: ["class"], reason: "plain values"), clocks, concurrency, files]),
    Room(
      name: "PictureFiles", floor: 2, rooms: ["BarcodeTypes", "Devices", "CPicture"], libraries: ["Glibc"], never: []),
    Room(
      name: "ScreenPainter", floor: 2, rooms: ["BarcodeTypes", "CCairo", "ScanScreen"], libraries: [], never: [wallClocks]),
    Room(
      name: "SymbolPrinter", floor: 2, rooms: ["BarcodeTypes", "BarcodeMessage", "CPicture", "CZint"],
      libraries: ["Glibc"], never: []),
    // Floor 3
    Room(
      name: "LabelPrinter", floor: 3, rooms: ["BarcodeTypes", "CCairo", "SymbolPrinter"], libraries: [],
      never: [clocks, concurrency]),
    Room(
      name: "QualityReport", floor: 3, rooms: ["CCairo", "PrintQuality"], libraries: [], never: [clocks, concurrency]),
    Room(
      name: "Outbox", floor: 3, rooms: ["CLinux", "CSQLite", "DeliveryModel", "Devices"], libraries: nil, never: []),
    Room(
      name: "Sinks", floor: 3,
      rooms: ["BarcodeMessage", "COpenSSL", "CXkbcommon", "DeliveryModel", "Devices", "HTTPClient"],
      libraries: nil, never: []),
    Room(
      name: "ScanLoop", floor: 3,
      rooms: ["BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "ScanControl", "ScanScreen", "Devices"],
      libraries: ["Dispatch", "Glibc", "Logging", "Metrics", "ServiceLifecycle", "Synchronization", "UnixSignals"], never: []
    ),
    // Floor 4
    Room(
      name: "MQTT", floor: 4,
      rooms: ["CMosquitto", "COpenSSL", "DeliveryModel", "Devices", "HTTPClient", "Sinks"], libraries: nil, never: []),
    Room(
      name: "ScanReceiver", floor: 4, rooms: ["BarcodeMessage", "DeliveryModel", "HTTPServer", "Sinks"],
      libraries: ["FoundationEssentials", "Synchronization"], never: []),
    Room(
      name: "StationScreen", floor: 4, rooms: ["BarcodeTypes", "Devices", "ScanControl", "ScanLoop", "ScanScreen"],
      libraries: ["Dispatch", "Glibc", "Logging", "ServiceLifecycle"], never: []),
    Room(
      name: "StationConsole", floor: 4,
      rooms: [
        "BarcodeMessage", "BarcodeTypes", "DeliveryModel", "Devices", "PictureFiles", "ScanControl", "ScanLoop",
        "ScanScreen",
      ],
      libraries: ["CoreMetrics", "Glibc", "Synchronization"], never: []),
    Room(
      name: "ReticleScanner", floor: 4,
      rooms: [
        "BarcodeTypes", "BarcodeDecoder", "Devices", "LinuxDevices", "PictureFiles", "ScanControl", "ScanLoop", "ScanScreen",
      ], libraries: ["Logging", "Metrics", "Synchronization"], never: []),
    // Floor 5
    Room(
      name: "StationConfiguration", floor: 5,
      rooms: [
        "BarcodeTypes", "CYAML", "BarcodeDecoder", "BarcodeMessage", "HostText", "PictureFiles", "PrintQuality",
        "ScanControl",
        "ScanScreen", "SetupCodes", "Devices", "DeliveryModel", "HTTPClient", "MQTT", "Outbox", "Sinks",
      ],
      libraries: ["Configuration", "FoundationEssentials", "Glibc", "Synchronization", "SystemPackage"], never: []),
    Room(name: "scanner-example", floor: 5, rooms: ["ReticleScanner"], libraries: ["Glibc", "Musl"], never: []),
    Room(
      name: "decoder-example", floor: 5, rooms: ["BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "PictureFiles"],
      libraries: ["Glibc", "Musl"], never: []),
    Room(
      name: "ScanStore", floor: 5, rooms: ["DeliveryModel", "MQTT"],
      libraries: ["FoundationEssentials", "Glibc", "Synchronization"], never: []),
    // Floor 6
    Room(
      name: "StationGrading", floor: 6,
      rooms: [
        "BarcodeDecoder", "BarcodeTypes", "Devices", "PrintQuality", "ScanControl", "ScanLoop", "StationConfiguration",
      ],
      libraries: ["Dispatch", "Glibc", "Logging", "Metrics", "ServiceLifecycle", "Synchronization"], never: []),
    Room(
      name: "StationPictures", floor: 6,
      rooms: [
        "BarcodeTypes", "DeliveryModel", "Devices", "PictureFiles", "ScanControl", "ScanLoop", "Sinks",
        "StationConfiguration",
      ],
      libraries: ["Dispatch", "Glibc", "Logging", "Metrics", "ServiceLifecycle", "Synchronization"], never: []),
    Room(
      name: "StationDoctor", floor: 6,
      rooms: [
        "BarcodeMessage", "Boards", "CLibcamera", "CLinux", "DeliveryModel", "Devices", "HostText", "LinuxDevices",
        "Outbox", "PictureFiles", "ScanScreen", "Sinks", "StationConfiguration",
      ], libraries: ["FoundationEssentials", "Glibc"], never: []),
    // Floor 7
    Room(
      name: "Station", floor: 7,
      rooms: [
        "BarcodeMessage", "BarcodeTypes", "DeliveryModel", "Devices", "HostText", "Outbox", "ScanControl", "ScanLoop",
        "ScanScreen",
        "SetupCodes", "Sinks", "StationConfiguration", "StationConsole", "StationGrading", "StationPictures",
        "StationScreen",
      ],
      libraries: [
        "Dispatch", "FoundationEssentials", "Glibc", "Logging", "Metrics", "ServiceLifecycle", "Synchronization",
        "UnixSignals",
      ],
      never: []),
    // Floor 8
    Room(
      name: "ConsoleServer", floor: 8,
      rooms: [
        "BarcodeMessage", "BarcodeTypes", "DeliveryModel", "Devices", "HTTPServer", "HostText", "Outbox", "ScanControl",
        "ScanLoop", "ScanScreen", "Sinks", "Station", "StationConfiguration", "StationConsole", "StationGrading",
        "SymbolPrinter",
      ],
      libraries: ["FoundationEssentials", "Glibc", "Logging", "Metrics", "ServiceLifecycle", "Synchronization"], never: []),
    // Floor 9
    Room(
      name: "reticle", floor: 9,
      rooms: [
        "ConsoleServer",
        "BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "Boards", "CLibcamera", "CLibdrm", "CLibgpiod", "DeliveryModel",
        "Devices", "HTTPClient", "HTTPServer", "HostText", "LabelPrinter", "LinuxDevices", "LinuxScreen", "MQTT", "Outbox",
        "PictureFiles", "PrintQuality", "QualityReport",
        "ScanControl", "ScanLoop",
        "ScanReceiver",
        "ScanScreen", "ScanStore",
        "ScreenPainter", "SetupCodes", "Sinks", "Station", "StationConfiguration", "StationConsole", "StationDoctor",
        "StationLog",
        "StationGrading", "StationPictures", "StationScreen", "SymbolPrinter",
      ], libraries: nil, never: []),
    Room(
      name: "decoder-benchmark", floor: 4,
      rooms: ["BarcodeTypes", "BarcodeDecoder", "BarcodeMessage", "PictureFiles", "CAllocationCounter"], libraries: nil,
      never: []),
    Room(name: "fuzz-decoder", floor: 4, rooms: ["BarcodeTypes", "BarcodeDecoder"], libraries: [], never: []),
    Room(
      name: "fuzz-symbols", floor: 4, rooms: ["BarcodeTypes", "BarcodeDecoder", "SymbolPrinter"],
      libraries: ["Glibc", "Musl", "TestScenes"], never: []),
    Room(name: "fuzz-message", floor: 4, rooms: ["BarcodeTypes", "BarcodeMessage"], libraries: [], never: []),
    Room(name: "fuzz-serial", floor: 4, rooms: ["Devices"], libraries: [], never: []),
    Room(
      name: "fuzz-webhook", floor: 4, rooms: ["HTTPClient"], libraries: ["Dispatch", "RawServer", "Synchronization"],
      never: []),
    Room(name: "fuzz-picture", floor: 4, rooms: ["BarcodeTypes", "PictureFiles"], libraries: [], never: []),
  ]

  /// The controller's `Instant` and `timePassed` are not clocks: only code that reads one is.
  private static let wallClocks = Ban(
    words: ["Clock", "ContinuousClock", "SuspendingClock", "Date", "clock_gettime", "gettimeofday", "Timer"],
    reason: "time is an argument here")
}
