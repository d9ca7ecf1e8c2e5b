// The whole configuration as values: read once and validated as a whole; later code relies on it.

public import BarcodeDecoder
import BarcodeTypes
import Configuration
import DeliveryModel
public import Devices
public import HostText
public import Outbox
public import ScanControl
public import ScanScreen
public import Sinks
import SystemPackage

/// All settings of an operator.
public struct StationConfiguration: Equatable, Sendable {
  /// The source of frames, and its settings.
  public struct Camera: Equatable, Sendable {
    public var isEnabled = true
    public var source = CameraSource.standard
    /// Folders, files and patterns.
    public var pictures: [String] = []
    /// Frames per second.
    public var frameRate = 10.0
    /// The settings for `libcamera`.
    public var settings = CameraSettings()
    /// The limits of the strategy that changes them while frames come.
    public var steering = SteeringSettings()
    public var repetition = PictureRepeat.loop
    public var keepsEveryFrame = true

    /// The time from one frame to the next.
    public var period: Duration { .nanoseconds(Int64((1_000_000_000 / frameRate).rounded())) }
  }

  public var stationName = "reticle"
  public var camera = Camera()
  public var decoder = DecoderSettings()
  /// Percent of the time between frames that decoding may take; nil: `decoder.effort` determines the work.
  public var frameShare: Int? = 60
  /// Whether a message in several symbols is one scan.
  public var assembles = false
  /// The age to check driver licences for, instead of reading their data; nil: they are read like other codes.
  public var overAge: Int?
  public var viewport = Viewport.whole
  public var scan = ScanSettings()
  /// Whether confirmation is required only because a panel exists, not because it is configured; without an input device to
  /// confirm with, it is then not required.
  public var isConfirmationImplied = false
  public var devices = DeviceConfiguration()
  public var screen = ScreenConfiguration()
  public var outbox = OutboxSettings()
  public var console = ConsoleSettings()
  public var logsBarcodeData = false
  /// Set-up by barcode.
  public var setup = SetupSettings()
  /// The text format for hosts.
  public var host = HostFormat()
  /// Pictures of scans and of what could not be read; nil: none are kept.
  public var pictures: PictureSettings?
  /// The grading of scans' print; nil: none are graded.
  public var grading: GradingSettings?
  /// Texts and records of no-reads.
  public var noReads = NoReadTexts()
  @SinkList public var sinks: [any SinkSettings] = [StandardOutputSettings()]

  /// The default configuration.
  public init() {
    decoder.effort = .frame
    outbox.onTrouble = .memory
    setup.files = SetupFiles(outbox: outbox.path)
  }

  /// The use of the changes of set-up codes.
  public enum Overlay: Equatable, Sendable {
    /// The stored overlay; an error in it is the configuration's.
    case stored
    /// The stored overlay, or none if there is an error in it: a damaged overlay does not stop a station.
    case storedOrNone
    case none
    /// This overlay instead of the stored one.
    case instead(SetupOverlay)
  }

  /// A configuration with the origins of its values.
  public struct Loaded: Sendable {
    public var configuration: StationConfiguration
    /// Each value, in reference order.
    public var values: [EffectiveValue]
    /// Why the stored overlay is not in effect; nil if it is, or without one.
    public var overlayError: ConfigurationError?
  }

  /// Reads and validates a configuration file.
  ///
  /// - Parameters:
  ///   - path: nil for only the defaults and the environment.
  ///   - environment: `RETICLE_…` variables override the file.
  ///   - override: changes that take precedence over both, such as command-line options.
  /// - Throws: all errors at once.
  public static func load(
    path: String?, environment: [String: String], override: (inout StationConfiguration) -> Void = { _ in }
  ) async throws(ConfigurationError) -> StationConfiguration {
    try await loadWithOrigins(path: path, environment: environment, override: override).configuration
  }

  /// Reads and validates a configuration file; also returns the origin of each value.
  ///
  /// The overlay applies only while set-up by barcode is on. The file is validated without it first: set-up codes cannot make
  /// an invalid file valid.
  public static func loadWithOrigins(
    path: String?, environment: [String: String], overlay: Overlay = .storedOrNone,
    override: (inout StationConfiguration) -> Void = { _ in }
  ) async throws(ConfigurationError) -> Loaded {
    let file: ConfigurationFile
    let layer: any ConfigProvider
    if let path {
      let provider: FileProvider<ConfigurationFile>
      do {
        provider = try await FileProvider(filePath: FilePath(path))
      } catch {
        let problem = ConfigurationProblem(
          "it cannot be read (\(error)); write the path of a YAML file that this user can read")
        throw ConfigurationError(file: path, problems: [problem])
      }
      guard let snapshot = provider.snapshot() as? ConfigurationFile else {
        preconditionFailure("a file provider without file")
      }
      (file, layer) = (snapshot, provider)
    } else {
      (file, layer) = (ConfigurationFile(bytes: []), InMemoryProvider(values: [:]))
    }
    return try load(file, layer, name: path ?? "the environment", environment, overlay, override)
  }

  /// Validates the text of a configuration file, as if the file held it.
  ///
  /// - Parameter path: the name of the file in errors.
  /// - Throws: all errors at once.
  public static func load(
    text: String, of path: String, environment: [String: String], overlay: Overlay = .storedOrNone,
    override: (inout StationConfiguration) -> Void = { _ in }
  ) throws(ConfigurationError) -> Loaded {
    let file = ConfigurationFile(bytes: Array(text.utf8))
    return try load(file, TextProvider(file: file), name: path, environment, overlay, override)
  }

  private static func load(
    _ file: ConfigurationFile, _ layer: any ConfigProvider, name: String, _ environment: [String: String],
    _ overlay: Overlay, _ override: (inout StationConfiguration) -> Void
  ) throws(ConfigurationError) -> Loaded {
    let plain = try read(
      ConfigurationReading(file: file, fileLayer: layer, environment: environment), of: name, override)
    let setup = plain.configuration.setup
    guard setup.isEnabled, overlay != .none else { return plain }
    func changed(by overlay: SetupOverlay) throws(ConfigurationError) -> Loaded {
      if overlay.values.isEmpty { return plain }
      return try read(
        ConfigurationReading(file: file, fileLayer: layer, environment: environment, overlay: overlay), of: name, override)
    }
    if case .instead(let given) = overlay { return try changed(by: given) }
    do throws(ConfigurationError) {
      let changes = try stored(setup.files)
      do throws(ConfigurationError) {
        return try changed(by: changes)
      } catch {
        throw ConfigurationError(
          file: error.file,
          problems: error.problems + [ConfigurationProblem("correct the file, or \(overlayRemedy)", at: .setupCode)])
      }
    } catch {
      guard overlay == .storedOrNone else { throw error }
      var plain = plain
      plain.overlayError = error
      return plain
    }
  }

  private static let overlayRemedy = "run `sudo reticle config clear-setup` to remove the changes of set-up codes"

  private static func stored(_ files: SetupFiles) throws(ConfigurationError) -> SetupOverlay {
    do throws(SetupOverlayFault) {
      return try files.read()
    } catch {
      let remedy = error.isDenied ? "run this as root" : overlayRemedy
      throw ConfigurationError(
        file: files.overlayPath, problems: [ConfigurationProblem("it cannot be used: \(error); \(remedy)")])
    }
  }

  private static func read(
    _ reading: ConfigurationReading, of path: String, _ override: (inout StationConfiguration) -> Void
  ) throws(ConfigurationError) -> Loaded {
    var reading = reading
    var written = WrittenStation()
    written.readCapture(&reading)
    WrittenStation.sessionKeys.read(&reading, into: &written)
    let retail = WrittenRetail(&reading)
    written.scan.retail = retail.settings
    WrittenStation.voteKeys.read(&reading, into: &written)
    WrittenStation.lightKeys.read(&reading, into: &written)
    written.settle(&reading)
    var configuration = written.configuration
    configuration.devices = DeviceConfiguration(&reading, camera: configuration.camera)
    configuration.scan.isSpoken = configuration.devices.speech.isEnabled
    configuration.screen = ScreenConfiguration(&reading, viewport: configuration.viewport)
    let hasLamp = configuration.devices.outputs.contains { $0.patterns[.goodRead]?.isEmpty == false }
    configuration.outbox = OutboxSettings(&reading, tellsGoodReads: hasLamp || configuration.screen.output != .none)
    configuration.sinks = SinkReading.read(&reading, station: configuration.stationName)
    configuration.host = HostFormat(&reading, sinks: configuration.sinks.map(\.name), retail: retail)
    configuration.noReads = NoReadTexts(&reading)
    configuration.pictures = PictureSettings(&reading)
    configuration.grading = WrittenGrading.read(&reading)
    configuration.console = ConsoleSettings(&reading)
    StationConfiguration.logKeys.read(&reading, into: &configuration)
    configuration.setup = SetupSettings(&reading, outbox: configuration.outbox.path)
    override(&configuration)
    if configuration.screen.output == .kms, !reading.isWritten("confirm") {
      configuration.scan.confirmation = .alphanumeric
      configuration.isConfirmationImplied = true
    }
    configuration.reportContradictions(&reading)
    // A file that cannot be parsed gives no information about its keys.
    let isParsed = reading.file.problems.isEmpty || !reading.file.entries.isEmpty
    if isParsed, configuration.camera.source == .pictures, configuration.camera.pictures.isEmpty,
      !reading.isWritten("camera.pictures")
    {
      reading.noteMissing(
        "camera.pictures", "a list of folders or pictures, such as [labels/]",
        unlessMisspelt: "camera.source")
    }
    reading.reportUselessOverlay(configuration.setup)
    reading.reportUnknownKeys(known: ConfigurationKey.all)
    reading.reportUnknownVariables(known: ConfigurationKey.all)
    guard reading.problems.isEmpty else { throw ConfigurationError(file: path, problems: reading.problems) }
    return Loaded(configuration: configuration, values: reading.effective)
  }
}

extension WrittenStation {
  /// Reads the keys of frames and of the decoder.
  fileprivate mutating func readCapture(_ reading: inout ConfigurationReading) {
    Self.frameKeys.read(&reading, into: &self)
    configuration.camera.source = source ?? (reading.isWritten("camera.pictures") ? .pictures : .standard)
    var written = WrittenCamera()
    WrittenCamera.keys.read(&reading, into: &written)
    configuration.camera.settings = CameraSettings(written)
    configuration.camera.steering = WrittenSteering.read(&reading, focus: written.focus)
    configuration.camera.settings.isPermitted = configuration.camera.isEnabled
    configuration.camera.settings.frameRate = frameRate
    configuration.camera.frameRate = frameRate ?? configuration.camera.frameRate
    #if !Camera
      if configuration.camera.source == .libcamera {
        reading.report("camera.source: libcamera needs a build with the package trait Camera; build it so, or play pictures")
      }
    #endif
    Self.decoderKeys.read(&reading, into: &self)
    DecoderSettings.optionKeys.read(&reading, into: &configuration.decoder)
    configuration.decoder.effort = effort == .still ? .still : .frame
    if effort != .auto { configuration.frameShare = nil }
  }

  /// Derives the settings that depend on several keys.
  fileprivate mutating func settle(_ reading: inout ConfigurationReading) {
    configuration.camera.steering.hasLight = configuration.scan.torch == .automatic
    configuration.scan.entries = EntryPoints(entries)
    if !reading.isWritten("session.entry"), !configuration.scan.entries.contains(configuration.scan.entry) {
      configuration.scan.entry = entries.first ?? configuration.scan.entry
    }
    configuration.scan.votes.frameCount =
      voteFrameCount ?? (configuration.camera.source == .pictures ? 1 : configuration.scan.votes.frameCount)
    // The decoder needs to know which symbologies are voted on.
    configuration.decoder.votedSymbologies = configuration.scan.votes.symbologies
    configuration.decoder.votedReadingCount = configuration.scan.votes.frameCount
    configuration.scan.trigger =
      switch trigger {
      case .continuous: .continuous
      case .presentation: .presentation
      case .level: .level(limit: triggerLimit)
      case .edge: .edge(limit: triggerLimit)
      case .timed: .timed(triggerLimit)
      }
    let (dark, bright) = (configuration.scan.sceneLevels.darkBelow, configuration.scan.sceneLevels.brightAbove)
    if bright <= dark {
      reading.report(
        "torch.bright_above is \(bright) and torch.dark_below \(dark); bright_above must be the greater one, by more than what "
          + "the torch adds", at: reading.place(of: "torch.bright_above"))
    }
  }
}

// MARK: The service, whose unit connects standard output to the system's journal. Starting, `reticle config check` and
// `reticle doctor` refuse such a configuration with the same text.

extension StationConfiguration {
  /// The service's configuration file, as named in its unit.
  public static let installedFile = "/etc/reticle/reticle.yaml"

  /// Why this configuration cannot run with standard output connected to the journal; nil if it can.
  public var journalProblem: ConfigurationProblem? {
    // The scans would be in the log, which may contain barcode data only if that is allowed.
    guard !logsBarcodeData else { return nil }
    guard sinks.contains(where: \.printsScans) else { return nil }
    return ConfigurationProblem(
      "sinks sends scans to standard output, which is the system's journal for a service; name a webhook or a serial line "
        + "instead, or allow it with log.barcode_data: true")
  }
}
