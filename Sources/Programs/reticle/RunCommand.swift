// `reticle run`: runs the whole station, from its configuration to a clean end. Errors are reported before anything starts.

import ArgumentParser
import BarcodeDecoder
import DeliveryModel
import Devices
import Glibc
import LinuxDevices
import Logging
import Metrics
import Outbox
import PictureFiles
import ScanControl
import ScanLoop
import Station
import StationConfiguration
import StationConsole
import StationLog

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run the station.",
    discussion: """
      Scans what the camera sees and delivers each scan to every sink of the configuration. Runs until SIGTERM or SIGINT, or \
      until pictures that are played once have ended and their scans are delivered. The log goes to standard error, under systemd to its journal with a field for each value.

      Variables of the environment override the configuration: RETICLE_CAMERA_FRAME_RATE is camera.frame_rate. SIGHUP reads \
      the configuration again: a right one takes effect at once, a wrong one is logged and the station goes on as it was. \
      What is not delivered yet stays in the outbox. SIGUSR1 pauses the station, as a host's disable does, and SIGUSR2 lets it \
      go on; a station that pauses goes on delivering, and pauses through a SIGHUP.

      Exit status: 0 after a clean end, 2 if none of the pictures could be read, 64 for wrong usage, 66 if there are no \
      pictures, 70 if a service failed, 75 if another station has the outbox, 78 if the configuration is wrong.
      """)

  @Option(help: ConfigurationLoading.help, completion: .file(extensions: ["yaml"]))
  var config: String?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Pictures to play instead of camera.pictures: folders, files or patterns.", valueName: "path"))
  var pictures: [String] = []

  @Flag(help: "Play the pictures once, as camera.repeat: once does.")
  var once = false

  @Flag(help: "While the configuration file is missing, let the station be set up in a browser.")
  var setUp = false

  @Option(
    help: ArgumentHelp(
      "Where the station shows itself instead of screen.output: kms, png:FOLDER or none.", valueName: "output"))
  var screen: ScreenChoice?

  @Option(help: ArgumentHelp("Least important messages to log.", valueName: "level"))
  var logLevel = LogLevelChoice.info

  func run() async throws {
    // If a reader of standard output goes away, only that sink fails; the station continues.
    signal(SIGPIPE, SIG_IGN)
    // A signal that pauses or resumes a starting station must not end it; it will be served in a moment.
    for number in [SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
    let level = logLevel.level
    let log = LogDestination.preferred(environment: environmentVariables())
    defer { log.flush() }
    let logger = Logger(label: "reticle") { StationLogHandler(label: $0, level: level, destination: log) }
    let metrics = MetricsRegistry()
    MetricsSystem.bootstrap(metrics)
    let reloading = Reloading(logger: logger) { () async throws(ConfigurationError) in
      try await loadConfiguration(.stored).configuration
    }
    let signals = Task { await reloading.serve() }
    defer { signals.cancel() }
    let keeping = keeping(reloading, metrics, logger)
    var configuration: StationConfiguration? = try await firstConfiguration(keeping)
    if let configuration { try await waitForOutbox(configuration.outbox.path) }
    let desk = keeping.setupDesk
    // The configuration of the last station.
    var former: StationConfiguration?
    // Its last state, and the scans that its outbox could not write.
    var earlier: ScanController?
    var forwarding: OutboxForwarding?
    var remainder = Outbox.Remainder()
    while let current = configuration {
      let setup: StationSetup
      do throws(StationSetup.Failure) {
        setup = try await StationSetup(current, after: earlier, forwarding, remainder, keeping)
      } catch {
        await keeping.configurationDesk?.stationFailed(error.message)
        // A reload must not end the station: this error could not be detected in the file.
        let wasOnTrial = desk.stationFailed(current.setup, problem: error.message)
        guard let known = former else {
          guard let plain = try await withoutFailedChange(current, wasOnTrial) else {
            throw failure(error.status, error.message)
          }
          logger.error(
            "the station cannot start with the changes of set-up codes, and starts without them",
            metadata: ["problem": "\(error.message)"])
          configuration = plain
          continue
        }
        logger.error(
          "the new configuration cannot be used; the station goes on with the old one",
          metadata: ["problem": "\(error.message)"])
        (configuration, former) = (known, nil)
        continue
      }
      former = current
      desk.stationIsSetUp(current.setup)
      (configuration, remainder) = try await run(setup, reloading)
      earlier = await setup.station.state
      // Scans of a first start, which has no sinks, went nowhere: a label that is still in view is scanned for the first sinks.
      if current.sinks.isEmpty { earlier?.forgetScans() }
      forwarding = setup.forwarding
    }
  }

  /// Makes what outlives a station.
  private func keeping(_ reloading: Reloading, _ metrics: MetricsRegistry, _ logger: Logger) -> StationKeeping {
    let file = ConfigurationLoading.file(config)
    let folder = environmentVariables()["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init) ?? "."
    let running = RunningStation()
    var desk: ConfigurationDesk?
    if let file {
      let history = folder + "/configuration"
      ConfigurationDesk.recover(path: file, folder: history, logger: logger)
      let start = ContinuousClock.now
      desk = ConfigurationDesk(
        path: file, folder: history,
        ConfigurationSurroundings(
          load: { text throws(ConfigurationError) in try loadConfiguration(text: text, of: file) },
          running: { running.configuration }, replace: { await reloading.replace(by: $0) },
          troubles: { await running.troubles }, elapsed: { start.duration(to: .now) }), logger: logger)
    }
    let isFirstStart = setUp && file.map { access($0, F_OK) != 0 && errno == ENOENT } ?? false
    return StationKeeping(
      metrics: metrics, readingMark: Self.readingMark(logger),
      inViewMark: Self.serviceFolder.flatMap { InViewMark(folder: $0) }, setupDesk: setupDesk(reloading, metrics, logger),
      configurationDesk: desk, running: running, firstStartFolder: isFirstStart ? folder : nil, configurationFile: file,
      logger: logger)
  }

  /// The configuration to start with.
  private func firstConfiguration(_ keeping: StationKeeping) async throws -> StationConfiguration {
    do throws(ConfigurationError) {
      #if Console
        if let firstSteps = keeping.firstSteps {
          var configuration = try firstSteps.configuration(environmentVariables())
          override(&configuration)
          return configuration
        }
      #endif
      let loaded = try await loadConfiguration(.storedOrNone)
      if let error = loaded.overlayError {
        keeping.logger.error(
          "the changes of set-up codes cannot be used; the station starts with its configuration file alone",
          metadata: ["problems": "\(error)"])
      }
      return loaded.configuration
    } catch {
      throw failure(78, error.description + ConfigurationLoading.hint(ConfigurationLoading.file(config)))
    }
  }

  private func setupDesk(_ reloading: Reloading, _ metrics: MetricsRegistry, _ logger: Logger) -> SetupDesk {
    let start = ContinuousClock.now
    let surroundings = SetupSurroundings(
      load: { overlay throws(ConfigurationError) in try await loadConfiguration(.instead(overlay)) },
      // The station waits for the code's outcome, so it cannot wait for its own end.
      replace: { next in Task { await reloading.replace(by: next) } },
      trustedUnixSeconds: { CaptureTime.trustedUnixSeconds },
      elapsed: { start.duration(to: .now) })
    return SetupDesk(surroundings, factory: metrics, logger: logger)
  }

  /// The configuration for a first start that failed with the changes of set-up codes: with the former changes if the last
  /// one was on trial, else without any; nil without changes, which then are not the cause.
  private func withoutFailedChange(
    _ failed: StationConfiguration, _ wasOnTrial: Bool
  ) async throws -> StationConfiguration? {
    guard !failed.setup.overlay.values.isEmpty else { return nil }
    return try? await loadConfiguration(wasOnTrial ? .storedOrNone : .none).configuration
  }

  /// How long another program may hold the outbox before this one gives up: `reticle outbox` holds it only briefly.
  private static let outboxPatience = Duration.seconds(3)
  private static let outboxPollInterval = Duration.milliseconds(100)

  /// Returns when no other program holds the outbox.
  ///
  /// - Throws: the exit status 75 (EX_TEMPFAIL of sysexits.h), after a report, if a program keeps holding it.
  private func waitForOutbox(_ path: String) async throws {
    let deadline = ContinuousClock.now + Self.outboxPatience
    while let trouble = Outbox.holder(of: path) {
      guard ContinuousClock.now < deadline else {
        throw failure(75, "\(trouble); \(trouble.remedy), or give this station an outbox.path of its own")
      }
      try await Task.sleep(for: Self.outboxPollInterval)
    }
  }

  /// Runs a station until it ends.
  ///
  /// - Returns: the configuration to continue with if SIGHUP ended it, and the scans that are only in memory.
  private func run(
    _ setup: StationSetup, _ reloading: Reloading
  ) async throws -> (StationConfiguration?, Outbox.Remainder) {
    do {
      try await reloading.run(setup.station)
    } catch {
      await setup.outbox.close()
      throw failure(70, "the station failed: \(error)")
    }
    let remainder = await setup.outbox.close()
    if let next = reloading.takeNext() { return (next, remainder) }
    if setup.camera.counts.captured == 0, setup.camera.counts.skipped > 0 { throw ExitCode(2) }
    return (nil, remainder)
  }

  /// The folder that a service manager keeps between starts of the station; nil without one.
  private static var serviceFolder: String? {
    environmentVariables()["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map(String.init)
  }

  /// The mark in the service's folder; nil without such a folder.
  private static func readingMark(_ logger: Logger) -> ReadingMark? {
    guard let folder = serviceFolder else { return nil }
    guard let mark = ReadingMark(folder: folder) else {
      logger.warning(
        "nothing can be noted in the service's folder: a restart scans again what is in view, even what ended the station",
        metadata: ["folder": "\(folder)", "remedy": "let the station's user write there"])
      return nil
    }
    if mark.wasLeft {
      logger.error(
        "the station before this one ended while it read a frame: nothing is scanned for a while, and scans are delivered",
        metadata: ["wait": "\(ReadingMark.pause)", "remedy": "take away what is in view, and report it with its picture"])
    }
    return mark
  }

  private func loadConfiguration(
    _ overlay: StationConfiguration.Overlay
  ) async throws(ConfigurationError) -> StationConfiguration.Loaded {
    let file = ConfigurationLoading.file(config)
    let loaded = try await StationConfiguration.loadWithOrigins(
      path: file, environment: environmentVariables(), overlay: overlay, override: override)
    return try checkingJournal(loaded, file ?? "the configuration")
  }

  private func loadConfiguration(text: String, of file: String) throws(ConfigurationError) -> StationConfiguration.Loaded {
    try checkingJournal(
      StationConfiguration.load(text: text, of: file, environment: environmentVariables(), override: override), file)
  }

  /// The options that take precedence over the file.
  private func override(_ configuration: inout StationConfiguration) {
    if !pictures.isEmpty {
      configuration.camera.pictures = pictures
      configuration.camera.source = .pictures
    }
    if once { configuration.camera.repetition = .once }
    screen?.apply(to: &configuration.screen)
  }

  private func checkingJournal(
    _ loaded: StationConfiguration.Loaded, _ file: String
  ) throws(ConfigurationError) -> StationConfiguration.Loaded {
    if LogDestination.isJournal(STDOUT_FILENO, environmentVariables()["JOURNAL_STREAM"]),
      let problem = loaded.configuration.journalProblem
    {
      throw ConfigurationError(file: file, problems: [problem])
    }
    return loaded
  }

  /// Writes a message to standard error; returns the exit status.
  private func failure(_ status: Int32, _ message: String) -> ExitCode {
    StandardOutput.writeError("reticle: \(message)\n")
    return ExitCode(status)
  }
}

enum LogLevelChoice: String, ExpressibleByArgument, CaseIterable {
  case debug, info, notice, warning, error

  var level: Logger.Level {
    switch self {
    case .debug: .debug
    case .info: .info
    case .notice: .notice
    case .warning: .warning
    case .error: .error
    }
  }
}
