// SIGHUP: the configuration is read again, and a station with the new one takes the place of the old one.

import Logging
import Station
import StationConfiguration
import Synchronization
import UnixSignals

/// Reads the configuration anew at each SIGHUP and ends the station that runs, if what was read is right.
final class Reloading: Sendable {
  private struct State {
    var station: Station?
    var next: StationConfiguration?
    /// Whether the process has been told to end: then nothing takes the station's place.
    var isEnding = false
  }

  private let state = Mutex(State())
  private let logger: Logger
  private let load: @Sendable () async throws(ConfigurationError) -> StationConfiguration

  init(logger: Logger, load: @escaping @Sendable () async throws(ConfigurationError) -> StationConfiguration) {
    self.logger = logger
    self.load = load
  }

  /// Serves signals until the task is cancelled. From its start on SIGHUP no longer ends the process.
  func serve() async {
    for await signal in await UnixSignalsSequence(trapping: .sighup, .sigterm, .sigint) {
      guard signal == .sighup else {
        // The station traps these itself; one that comes while it is being replaced is meant for both.
        state.withLock { $0.isEnding = true }
        continue
      }
      do throws(ConfigurationError) {
        let next = try await load()
        logger.notice("the configuration was read again")
        let station = state.withLock { state in
          state.next = next
          return state.station
        }
        await station?.shutDown(isReload: true)
      } catch {
        logger.error(
          "the new configuration is wrong; the station goes on with the old one", metadata: ["problems": "\(error)"])
      }
    }
  }

  /// Runs a station until it ends by itself, by a signal, or because there is a configuration to go on with.
  func run(_ station: Station) async throws {
    let isStale = state.withLock { state in
      state.station = station
      return state.next != nil || state.isEnding
    }
    if isStale { return }
    defer { state.withLock { $0.station = nil } }
    try await station.run()
  }

  /// The configuration that was read while the last station ran, once.
  func takeNext() -> StationConfiguration? {
    state.withLock { state in
      defer { state.next = nil }
      return state.isEnding ? nil : state.next
    }
  }
}
