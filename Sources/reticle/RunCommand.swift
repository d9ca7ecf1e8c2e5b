// `reticle run`: the whole station, from its configuration to a clean end. What is wrong is said before anything starts.

import ArgumentParser
import BarcodeDecoder
import Delivery
import Devices
import Glibc
import LinuxDevices
import Logging
import Metrics
import PictureFiles
import Station

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run the station.",
    discussion: """
      Scans what the camera sees and delivers each scan to every sink of the configuration. Runs until SIGTERM or SIGINT, or \
      until pictures that are played once have ended and their scans are delivered. The log goes to standard error.

      Variables of the environment override the configuration: RETICLE_CAMERA_FRAME_RATE is camera.frame_rate.

      Exit status: 0 after a clean end, 2 if none of the pictures could be read, 64 for wrong usage, 66 if there are no \
      pictures, 70 if a service failed, 78 if the configuration is wrong.
      """)

  @Option(help: ArgumentHelp("The configuration, a YAML file.", valueName: "file"))
  var config: String?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Pictures to play instead of camera.pictures: folders, files or patterns.", valueName: "path"))
  var pictures: [String] = []

  @Flag(help: "Play the pictures once, as camera.repeat: once does.")
  var once = false

  @Option(
    help: ArgumentHelp(
      "Where the station shows itself instead of screen.output: kms, png:FOLDER or none.", valueName: "output"))
  var screen: ScreenChoice?

  @Option(help: ArgumentHelp("Least important messages to log.", valueName: "level"))
  var logLevel = LogLevelChoice.info

  func run() async throws {
    // A reader of standard output that goes away is a sink that fails, not the end of the station.
    signal(SIGPIPE, SIG_IGN)
    let level = logLevel.level
    let logger = Logger(label: "reticle") { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = level
      return handler
    }
    let configuration = try await loadConfiguration()
    let camera = try makeCamera(configuration)
    let metrics = MetricsRegistry()
    MetricsSystem.bootstrap(metrics)
    let delivery = try await makeDelivery(configuration, logger)
    var parts = StationParts(
      source: camera, reading: DecoderReading(settings: configuration.decoder), forwarding: delivery.forwarding)
    parts.deliveryServices = delivery.services
    parts.metrics = metrics
    parts.screen = StationScreen.make(configuration, logger)
    #if Console
      if configuration.consolePort > 0 {
        parts.deliveryServices.append(StatusServer(port: configuration.consolePort, metrics: metrics, logger: logger))
      }
    #endif
    let station = Station(
      settings: configuration.scan, viewport: configuration.viewport, parts: parts, logger: logger)
    logger.notice(
      "the station starts",
      metadata: [
        "station": "\(configuration.stationName)", "source": "\(camera.name)",
        "sinks": "\(configuration.sinks.map(\.name).joined(separator: ", "))",
      ])
    do {
      try await station.run()
    } catch {
      await delivery.outbox.close()
      throw failure(70, "the station failed: \(error)")
    }
    await delivery.outbox.close()
    if camera.counts.captured == 0, camera.counts.skipped > 0 { throw ExitCode(2) }
  }

  private func loadConfiguration() async throws -> StationConfiguration {
    do throws(ConfigurationError) {
      return try await StationConfiguration.load(path: config, environment: environment()) { configuration in
        if !pictures.isEmpty { configuration.camera.pictures = pictures }
        if once { configuration.camera.isLooped = false }
        screen?.apply(to: &configuration.screen)
      }
    } catch {
      throw failure(78, error.description)
    }
  }

  private func makeCamera(_ configuration: StationConfiguration) throws -> PictureCamera<Picture> {
    var playback = PicturePlayback()
    playback.period = configuration.camera.period
    playback.isLooped = configuration.camera.isLooped
    playback.keepsEveryFrame = configuration.camera.keepsEveryFrame
    playback.isPermitted = configuration.camera.isEnabled
    do throws(PictureList.Failure) {
      let paths = try PictureList.paths(of: configuration.camera.pictures)
      return PictureCamera(paths: paths, playback: playback, loader: Picture())
    } catch {
      throw failure(66, error.description)
    }
  }

  private func makeDelivery(_ configuration: StationConfiguration, _ logger: Logger) async throws -> StationDelivery {
    do throws(DeliveryProblem) {
      return try await StationDelivery(configuration, logger: logger) { settings in
        TermiosSerialPort(device: settings.device, settings: settings.line)
      }
    } catch {
      throw failure(78, error.description)
    }
  }

  /// Says on standard error what is wrong; the status to end with.
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

/// The environment's variables.
private func environment() -> [String: String] {
  var variables: [String: String] = [:]
  var next = environ
  while let variable = next.pointee {
    let text = String(cString: variable)
    if let equals = text.firstIndex(of: "=") {
      variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
    }
    next += 1
  }
  return variables
}
