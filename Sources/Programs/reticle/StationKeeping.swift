// The parts that outlive a station that is replaced by the next one of the same process.

import Glibc
import Logging
import ScanLoop
import Station
import StationConfiguration
import StationConsole
import Synchronization

#if Console
  import ConsoleServer
#endif

/// The parts of a process that serve all its stations, one after the other.
struct StationKeeping: Sendable {
  let metrics: MetricsRegistry
  /// The mark that is set while a frame is read, if any.
  let readingMark: ReadingMark?
  /// The mark of the codes in view, if any.
  let inViewMark: InViewMark?
  /// Carries out set-up codes.
  let setupDesk: SetupDesk
  /// Changes the configuration file for the console; nil without a file.
  let configurationDesk: ConfigurationDesk?
  let history: ReadHistory
  let health: StationHealth
  let running: RunningStation
  #if Console
    let sessions = ConsoleSessions()
    /// The first start; nil if the process began with a configuration.
    private let beginning: FirstSteps?
  #endif
  /// The configuration file, whether it is there or not; nil if none is named.
  let configurationFile: String?
  let logger: Logger

  /// - Parameter firstStartFolder: where a first start keeps its files; nil: the process begins with a configuration.
  init(
    metrics: MetricsRegistry, readingMark: ReadingMark?, inViewMark: InViewMark?, setupDesk: SetupDesk,
    configurationDesk: ConfigurationDesk?, running: RunningStation, firstStartFolder: String?, configurationFile: String?,
    logger: Logger
  ) {
    (self.metrics, self.readingMark, self.inViewMark, self.setupDesk) = (metrics, readingMark, inViewMark, setupDesk)
    (self.configurationDesk, self.running) = (configurationDesk, running)
    (self.configurationFile, self.logger) = (configurationFile, logger)
    history = ReadHistory()
    health = StationHealth(version: ReticleVersion.number, history: history)
    #if Console
      beginning = firstStartFolder.map { FirstSteps(folder: $0, logger) }
    #endif
  }

  #if Console
    /// The first start while there is no configuration.
    var firstSteps: FirstSteps? {
      configurationFile.flatMap { access($0, F_OK) == 0 ? nil : beginning }
    }
  #endif
}

/// The running station as the process knows it.
final class RunningStation: Sendable {
  private struct State {
    var configuration = StationConfiguration()
    var troubles: (@Sendable () async -> [String])?
  }

  private let state = Mutex(State())

  /// Notes the station that runs from now on.
  ///
  /// - Parameter troubles: why it is not ready.
  func set(_ configuration: StationConfiguration, troubles: @escaping @Sendable () async -> [String]) {
    state.withLock { $0 = State(configuration: configuration, troubles: troubles) }
  }

  var configuration: StationConfiguration { state.withLock(\.configuration) }

  /// Why it is not ready, one reason each.
  var troubles: [String] {
    get async {
      guard let troubles = state.withLock(\.troubles) else { return ["the station is starting"] }
      return await troubles()
    }
  }
}
