// Set-up codes and signals that replace the station without ending the process. SIGHUP reloads the configuration, and a station
// with the new one replaces the old one; SIGUSR1 pauses the station, SIGUSR2 resumes it.

import Devices
import Logging
import Station
import StationConfiguration
import Synchronization
import UnixSignals

/// Reloads the configuration at each SIGHUP and, if it is valid, ends the running station.
final class Reloading: Sendable {
  private struct State {
    var station: Station?
    var next: StationConfiguration?
    /// The last command received while no station ran, for the next one.
    var command: HostCommand?
    /// Whether the process was asked to end: then no station replaces the present one.
    var isEnding = false
  }

  private let state = Mutex(State())
  private let logger: Logger
  private let load: @Sendable () async throws(ConfigurationError) -> StationConfiguration

  init(logger: Logger, load: @escaping @Sendable () async throws(ConfigurationError) -> StationConfiguration) {
    self.logger = logger
    self.load = load
  }

  /// Serves signals until the task is cancelled. From its start on, they no longer end the process.
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
        // The station handles these signals itself; one that comes during a replacement also ends the next station.
        state.withLock { $0.isEnding = true }
        continue
      }
      do throws(ConfigurationError) {
        let next = try await load()
        logger.notice("the configuration was read again")
        await replace(by: next)
      } catch {
        logger.error(
          "the new configuration is wrong; the station goes on with the old one", metadata: ["problems": "\(error)"])
      }
    }
  }

  /// Ends the running station; one with this configuration replaces it.
  func replace(by next: StationConfiguration) async {
    let station = state.withLock { state in
      state.next = next
      return state.station
    }
    await station?.shutDown(isReload: true)
  }

  private func pass(_ command: HostCommand) {
    let station = state.withLock { state in
      if state.station == nil { state.command = command }
      return state.station
    }
    station?.pass(command)
  }

  /// Runs a station until it ends: when it is finished, by a signal, or because a new configuration was loaded.
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

  /// Takes the configuration that was loaded while the last station ran.
  func takeNext() -> StationConfiguration? {
    state.withLock { state in
      defer { state.next = nil }
      return state.isEnding ? nil : state.next
    }
  }
}
