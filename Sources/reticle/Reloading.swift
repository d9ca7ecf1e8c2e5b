// The signals to a station that goes on: SIGHUP has the configuration read again, and a station with the new one takes the place
// of the old one; SIGUSR1 pauses the station, SIGUSR2 lets it go on.

import Devices
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
    /// What was asked while no station ran, for the next one.
    var command: HostCommand?
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

  /// Serves signals until the task is cancelled. From its start on they no longer end the process.
  func serve() async {
    for await signal in await UnixSignalsSequence(trapping: .sighup, .sigusr1, .sigusr2, .sigterm, .sigint) {
      switch signal {
      case .sighup: break
      case .sigusr1:
        logger.notice("asked to pause", metadata: ["signal": "SIGUSR1"])
        pass(.disable)
        continue
      case .sigusr2:
        logger.notice("asked to go on", metadata: ["signal": "SIGUSR2"])
        pass(.enable)
        continue
      default:
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

  private func pass(_ command: HostCommand) {
    let station = state.withLock { state in
      if state.station == nil { state.command = command }
      return state.station
    }
    station?.pass(command)
  }

  /// Runs a station until it ends by itself, by a signal, or because there is a configuration to go on with.
  func run(_ station: Station) async throws {
    let (isStale, command) = state.withLock { state in
      defer { state.command = nil }
      state.station = station
      return (state.next != nil || state.isEnding, state.command)
    }
    if let command { station.pass(command) }
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
