// Sets up a station from its configuration: devices, outbox, sinks, screen and console.

import DeliveryModel
import Devices
import LinuxDevices
import Logging
import Metrics
import Outbox
import PictureFiles
import ScanControl
import ScanLoop
import ScanScreen
import SetupCodes
import Sinks
import Station
import StationConfiguration
import StationConsole
import StationGrading
import StationPictures
import StationScreen

/// A station and the objects that its owner must close.
struct StationSetup {
  /// The reason why a station cannot be set up.
  struct Failure: Error {
    /// The exit status of the process.
    let status: Int32
    let message: String
  }

  let station: Station
  let camera: any FrameSource
  /// To be closed after the station has ended.
  let outbox: Outbox
  let forwarding: OutboxForwarding

  /// Opens the outbox after all other steps that can fail, so that nothing must be closed after a failure.
  ///
  /// - Parameters:
  ///   - earlier: the state of the previous configuration's station.
  ///   - forwarding: that station's forwarding, whose sets and comparisons continue.
  ///   - remainder: scans that its outbox could not write.
  ///   - keeping: what outlives the station.
  init(
    _ configuration: StationConfiguration, after earlier: ScanController?, _ forwarding: OutboxForwarding?,
    _ remainder: Outbox.Remainder, _ keeping: StationKeeping
  ) async throws(Failure) {
    let (logger, metrics) = (keeping.logger, keeping.metrics)
    let devices = StationDevices(configuration, logger)
    let camera = try Self.camera(devices)
    #if Console
      let access = try ConsoleSetup.access(configuration, keeping)
      let tls = try ConsoleCertificate.tls(configuration)
    #endif
    let latestPicture = configuration.sinks.contains(where: \.publishesPictures) ? LatestPicture() : nil
    let pictures = configuration.pictures.map {
      PictureArchive(
        $0, station: configuration.stationName, latest: latestPicture,
        keepsCodes: configuration.grading != nil, logger: logger)
    }
    let grading = configuration.grading.map {
      PrintGrading($0, decoder: configuration.decoder, frames: pictures?.frames, logger: logger)
    }
    let delivery = try await Self.delivery(
      configuration, remainder, after: forwarding, pictures, grading, latestPicture, logger)
    let words = configuration.screen.settings.style.words
    let takesSetupCodes = configuration.setup.isEnabled
    var parts = StationParts(
      source: camera,
      reading: DecoderReading(
        settings: configuration.decoder, frameShare: configuration.frameShare, assembles: configuration.assembles,
        overAge: configuration.overAge,
        setupCodes: takesSetupCodes ? (SetupCode.prefix, words[.setupCode]) : nil, today: LocalTime.today),
      forwarding: takesSetupCodes
        ? SetupForwarding(delivery.forwarding, desk: keeping.setupDesk, configuration) : delivery.forwarding)
    parts.deliveryServices = delivery.services
    parts.pictures = pictures
    parts.grading = grading
    devices.add(to: &parts.scan)
    parts.hostRequests = delivery.hostRequests
    parts.deliverySummary = delivery.summary
    parts.health = { [health = keeping.health] in health.words(await delivery.report()) + (grading?.report.words ?? "") }
    parts.scan.metrics = metrics
    if camera is any AdjustableFrameSource, configuration.camera.steering.exposure != .fixed {
      parts.scan.steering = configuration.camera.steering
    }
    parts.scan.readingMark = keeping.readingMark
    // Scans of a station without sinks go nowhere.
    if !configuration.sinks.isEmpty { parts.scan.inViewMark = keeping.inViewMark }
    parts.environment = environmentVariables()
    parts.words = words
    parts.scan.logsBarcodeData = configuration.logsBarcodeData
    parts.screen = ScreenSetup.make(configuration, logger)
    let inspector = StationInspector()
    parts.inspector = inspector
    parts.history = keeping.history
    keeping.running.set(configuration) { await inspector.troubles(await delivery.report()) }
    #if Console
      if configuration.console.port > 0 {
        parts.deliveryServices.append(
          ConsoleSetup.console(configuration, access, tls, inspector, delivery, pictures, grading, keeping))
      }
    #endif
    station = Station(
      settings: Self.scanSettings(configuration), after: earlier,
      viewport: configuration.viewport, parts: parts, logger: logger)
    Gauge(label: "reticle_build_info", dimensions: [("version", ReticleVersion.number)], factory: metrics).record(1)
    self.camera = camera
    outbox = delivery.outbox
    self.forwarding = delivery.forwarding
    logger.notice(
      "the station starts",
      metadata: [
        "station": "\(configuration.stationName)", "source": "\(camera.name)",
        "sinks": "\(configuration.sinks.map(\.name).joined(separator: ", "))",
      ])
  }

  /// The settings. A confirmation that is not configured, and that no button can give, depends on the connected input
  /// devices.
  private static func scanSettings(_ configuration: StationConfiguration) -> ScanSettings {
    var settings = configuration.scan
    let hasButton = configuration.devices.buttons.contains { $0.button == .confirm }
    settings.confirmsOnlyWithInput = configuration.isConfirmationImplied && !hasButton
    return settings
  }

  private static func camera(_ devices: StationDevices) throws(Failure) -> any FrameSource {
    do throws(PictureList.Failure) {
      return try devices.makeSource()
    } catch {
      throw Failure(status: 66, message: error.description)
    }
  }

  private static func delivery(
    _ configuration: StationConfiguration, _ remainder: Outbox.Remainder, after earlier: OutboxForwarding?,
    _ pictures: PictureArchive?, _ grading: PrintGrading?, _ latestPicture: LatestPicture?, _ logger: Logger
  ) async throws(Failure) -> StationDelivery {
    do throws(DeliveryProblem) {
      return try await StationDelivery(
        configuration, remainder: remainder, after: earlier, pictures: pictures, grading: grading,
        latestPicture: latestPicture, logger: logger,
        keyboard: { settings -> any KeyboardPort in
          if settings.isOnUSB { GadgetKeyboard(device: settings.device) } else { UinputKeyboard(device: settings.device) }
        },
        scanner: { GadgetScanner(device: $0.device) }
      ) { settings in
        TermiosSerialPort(device: settings.device, settings: settings.line)
      }
    } catch {
      throw Failure(status: 78, message: error.description)
    }
  }
}
