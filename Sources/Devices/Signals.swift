// How a station without a screen speaks to whoever stands before it: lamps, a buzzer, a voice.

import Synchronization

/// Something to be told at once.
public enum StationSignal: String, CaseIterable, Equatable, Hashable, Sendable {
  /// A scan is safe in the outbox.
  case goodRead
  /// A scan is held in memory while the storage is in trouble, and is lost if the station stops.
  case atRisk
  /// A triggered session ended without a scan.
  case noRead
  /// A scan was read and could not be kept: it has to be scanned again.
  case refused
  /// A scan is safe, and is not what it is compared with.
  case mismatch
}

/// Lamps and buzzers.
public protocol Signals: Sendable {
  /// Begins to show a signal and returns at once; a newer one takes its place.
  func show(_ signal: StationSignal)
}

/// A station without lamps.
public struct AbsentSignals: Signals {
  public init() {}
  public func show(_ signal: StationSignal) {}
}

/// Keeps what was shown: a peer of real lamps.
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
  /// Says a text and returns when it is said, or could not be; what went wrong, or nil. Takes no longer than its limit.
  func say(_ text: String) async -> String?
}

/// A voice that nobody hears: a peer of the real one.
public final class SimulatedSpeaker: Speaker {
  private let said = Mutex<[String]>([])
  private let duration: Duration

  /// - Parameter duration: of each announcement.
  public init(duration: Duration = .zero) { self.duration = duration }

  public var history: [String] { said.withLock { $0 } }

  public func say(_ text: String) async -> String? {
    try? await Task.sleep(for: duration)
    said.withLock { $0.append(text) }
    return nil
  }
}
