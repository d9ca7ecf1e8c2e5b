// Signals of a station without a screen to its user: lamps, a buzzer, a voice.

import Synchronization

/// An immediate signal to the user.
public enum StationSignal: String, CaseIterable, Equatable, Hashable, Sendable {
  /// A scan is safe in the outbox.
  case goodRead
  /// A scan is held only in memory while storage has trouble, and is lost if the station stops.
  case atRisk
  /// A triggered session ended without a scan.
  case noRead
  /// A scan was read but could not be stored: it must be scanned again.
  case refused
  /// A scan is safe, but differs from the code it is compared with.
  case mismatch
}

/// Lamps and buzzers.
public protocol Signals: Sendable {
  /// Starts showing a signal and returns at once; a newer signal replaces it.
  func show(_ signal: StationSignal)
}

/// A station without lamps.
public struct AbsentSignals: Signals {
  public init() {}
  public func show(_ signal: StationSignal) {}
}

/// Records the signals shown, instead of real lamps.
public final class SimulatedSignals: Signals {
  /// Signals kept in `history`; further ones are forgotten.
  public static let historyCountMax = 1000

  private let shown = Mutex<[StationSignal]>([])

  public init() {}

  public var history: [StationSignal] { shown.withLock { $0 } }

  public func show(_ signal: StationSignal) {
    shown.withLock { if $0.count < Self.historyCountMax { $0.append(signal) } }
  }
}

/// A voice.
public protocol Speaker: Sendable {
  /// Speaks a text and returns when done or failed, within its own time limit. Returns the failure, or nil.
  func say(_ text: String) async -> String?
}

/// A silent voice, instead of the real one.
public final class SimulatedSpeaker: Speaker {
  private let said = Mutex<[String]>([])
  private let duration: Duration

  /// - Parameter duration: the time that each announcement takes.
  public init(duration: Duration = .zero) { self.duration = duration }

  public var history: [String] { said.withLock { $0 } }

  public func say(_ text: String) async -> String? {
    try? await Task.sleep(for: duration)
    said.withLock { $0.append(text) }
    return nil
  }
}
