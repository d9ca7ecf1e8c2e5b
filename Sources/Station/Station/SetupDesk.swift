// Judges set-up codes and carries them out: signature, station, age, replay, permission, values; then the list of used codes,
// the overlay, and a new station. Each step is on the storage before the next begins, so that a power cut at any time leaves
// the former settings or the new ones, and a code that was used once.

public import Logging
public import Metrics
import ScanControl
import ScanLoop
import SetupCodes
public import StationConfiguration
import Synchronization

/// The surroundings of a set-up desk.
public struct SetupSurroundings: Sendable {
  /// Reads and validates the configuration with this overlay instead of the stored one.
  public var load: @Sendable (SetupOverlay) async throws(ConfigurationError) -> StationConfiguration.Loaded
  /// Ends the running station; another one with this configuration replaces it.
  public var replace: @Sendable (StationConfiguration) -> Void
  /// Seconds since 1970 by a synchronised clock; nil if the clock is not synchronised.
  public var trustedUnixSeconds: @Sendable () -> Int64?
  /// Time since an arbitrary moment, which never jumps.
  public var elapsed: @Sendable () -> Duration

  public init(
    load: @escaping @Sendable (SetupOverlay) async throws(ConfigurationError) -> StationConfiguration.Loaded,
    replace: @escaping @Sendable (StationConfiguration) -> Void, trustedUnixSeconds: @escaping @Sendable () -> Int64?,
    elapsed: @escaping @Sendable () -> Duration
  ) {
    (self.load, self.replace) = (load, replace)
    (self.trustedUnixSeconds, self.elapsed) = (trustedUnixSeconds, elapsed)
  }
}

/// Carries out set-up codes. One desk serves all stations of a process, one after the other.
public final class SetupDesk: Sendable {
  /// How far the clock of the maker of a code may be ahead of the station's, in seconds.
  public static let aheadSecondsMax: Int64 = 120
  /// A code seen again within this time after it was last seen has stayed in view, also across the start of the next station:
  /// its outcome stands.
  static let stayLimit = Duration.seconds(10)

  private struct State {
    /// The last code, its outcome, and when it was last seen.
    var last: (payload: [UInt8], outcome: SetupOutcome, seen: Duration)?
    /// The change that the next station starts with.
    var trial: (result: ScanResult, changes: [String])?
    /// The outcome for the next station to show.
    var notice: SetupNotice?
  }

  private struct Refusal: Error {
    let reason: SetupRefusal
    var detail = ""

    init(_ reason: SetupRefusal, _ detail: String = "") { (self.reason, self.detail) = (reason, detail) }
  }

  private let surroundings: SetupSurroundings
  private let logger: Logger
  private let state = Mutex(State())
  private let changed: Counter
  private let refused: [SetupRefusal: Counter]

  public init(_ surroundings: SetupSurroundings, factory: any MetricsFactory, logger: Logger) {
    self.surroundings = surroundings
    self.logger = logger
    func counter(_ result: String) -> Counter {
      Counter(label: "reticle_setup_codes_total", dimensions: [("result", result)], factory: factory)
    }
    changed = counter("changed")
    refused = Dictionary(uniqueKeysWithValues: SetupRefusal.allCases.map { ($0, counter($0.rawValue)) })
  }

  /// Judges a set-up code and, if it is right, stores its changes and replaces the station.
  ///
  /// - Parameters:
  ///   - settings: those of the running station.
  ///   - station: its name.
  func take(_ result: ScanResult, _ settings: SetupSettings, station: String) async -> SetupOutcome {
    let now = surroundings.elapsed()
    let standing = state.withLock { state -> SetupOutcome? in
      guard let last = state.last, last.payload == result.code.payload, now - last.seen < Self.stayLimit else { return nil }
      state.last?.seen = now
      return last.outcome
    }
    if let standing { return standing }
    let outcome: SetupOutcome
    do throws(Refusal) {
      let (code, next) = try await judge(result, settings, station)
      try store(code, settings.files, next.setup.overlay)
      outcome = .accepted
      state.withLock { state in state.trial = (result, code.changes.map(\.text)) }
      logger.notice(
        "a set-up code changes the configuration; the station starts over with it",
        metadata: ["changes": "\(code.changes.map(\.text).joined(separator: ", "))"])
      surroundings.replace(next)
    } catch {
      outcome = .refused(error.reason, detail: error.detail)
      note(error)
    }
    // A code that came during another change may be shown again at once, and the other one may still be in view.
    if case .refused(.busy, _) = outcome { return outcome }
    state.withLock { $0.last = (result.code.payload, outcome, now) }
    return outcome
  }

  /// Finds the code in a text, and the configuration that it leads to.
  private func judge(
    _ result: ScanResult, _ settings: SetupSettings, _ station: String
  ) async throws(Refusal) -> (SetupCode, StationConfiguration) {
    guard state.withLock({ $0.trial == nil }) else { throw Refusal(.busy) }
    let code: SetupCode
    do throws(SetupCode.Fault) {
      code = try SetupCode(String(decoding: result.code.payload, as: UTF8.self), signedByOneOf: settings.publicKeys)
    } catch {
      throw Refusal(error == .signature ? .signature : .malformed)
    }
    guard code.isFor(station) else { throw Refusal(.station) }
    try checkAge(code)
    guard try !usedCodes(settings.files).contains(code.id) else { throw Refusal(.used) }
    let barred = code.changes.map(\.key).filter { !settings.allows($0) }
    guard barred.isEmpty else { throw Refusal(.key, barred.joined(separator: ", ")) }
    return (code, try await configuration(with: code, settings))
  }

  private func usedCodes(_ files: SetupFiles) throws(Refusal) -> UsedSetupCodes {
    do throws(UsedSetupCodes.Fault) {
      return try UsedSetupCodes(path: files.usedPath)
    } catch {
      throw Refusal(.storage, "\(error)")
    }
  }

  private func checkAge(_ code: SetupCode) throws(Refusal) {
    guard let now = surroundings.trustedUnixSeconds() else { throw Refusal(.clock) }
    guard code.madeAt <= now + Self.aheadSecondsMax else { throw Refusal(.future) }
    guard now <= code.madeAt + code.validSeconds else { throw Refusal(.expired) }
  }

  /// The configuration with the changes of a code, if it is valid and each change has an effect.
  private func configuration(
    with code: SetupCode, _ settings: SetupSettings
  ) async throws(Refusal) -> StationConfiguration {
    let overlay = settings.overlay.changed(by: code.changes)
    guard overlay.values.count <= SetupOverlay.valueCountMax else {
      throw Refusal(.storage, "more than \(SetupOverlay.valueCountMax) keys would be changed")
    }
    let loaded: StationConfiguration.Loaded
    do throws(ConfigurationError) {
      loaded = try await surroundings.load(overlay)
    } catch {
      throw Refusal(.value, error.problems.map { $0.message }.joined(separator: "; "))
    }
    for change in code.changes {
      guard let value = loaded.values.last(where: { $0.name == change.key }), value.place != .setupCode else { continue }
      throw Refusal(.value, "\(change.key) is set by \(value.origin), which takes precedence")
    }
    return loaded.configuration
  }

  private func store(_ code: SetupCode, _ files: SetupFiles, _ overlay: SetupOverlay) throws(Refusal) {
    guard let now = surroundings.trustedUnixSeconds() else { throw Refusal(.clock) }
    var used = try usedCodes(files)
    do throws(UsedSetupCodes.Fault) {
      try used.add(code, at: now)
    } catch {
      throw Refusal(.storage, "\(error)")
    }
    do throws(FileFault) {
      try files.begin(overlay)
    } catch {
      throw Refusal(.storage, "\(error)")
    }
  }

  private func note(_ refusal: Refusal) {
    refused[refusal.reason]?.increment()
    var metadata: Logger.Metadata = ["reason": "\(refusal.reason.rawValue)"]
    if !refusal.detail.isEmpty { metadata["detail"] = "\(refusal.detail)" }
    logger.warning("a set-up code was refused, and nothing has changed", metadata: metadata)
  }

  // MARK: The next station

  /// Notes that a station could be set up with the stored overlay: a change on trial stays.
  public func stationIsSetUp(_ settings: SetupSettings) {
    guard settings.isEnabled, settings.files.isOnTrial else { return }
    do throws(FileFault) {
      try settings.files.confirm()
    } catch {
      logger.error(
        "a change by a set-up code is in effect, and could not be noted as such", metadata: ["reason": "\(error)"])
    }
    changed.increment()
    let trial = state.withLock { state -> [String]? in
      defer { state.trial = nil }
      guard let trial = state.trial else { return nil }
      let outcome = SetupOutcome.changed(trial.changes)
      state.notice = SetupNotice(outcome, of: trial.result)
      state.last?.outcome = outcome
      return trial.changes
    }
    logger.notice(
      "the station has started with the change by a set-up code",
      metadata: trial.map { ["changes": "\($0.joined(separator: ", "))"] } ?? [:])
  }

  /// Notes that no station could be set up with the stored overlay, and undoes a change on trial.
  ///
  /// - Returns: whether a change was on trial.
  public func stationFailed(_ settings: SetupSettings, problem: String) -> Bool {
    guard settings.isEnabled, settings.files.isOnTrial else { return false }
    note(Refusal(.start, problem))
    do throws(FileFault) {
      try settings.files.takeBack()
    } catch {
      logger.error(
        "the settings before the set-up code could not be restored; the next start would try the change again",
        metadata: ["reason": "\(error)", "remedy": "sudo reticle config clear-setup"])
    }
    state.withLock { state in
      guard let trial = state.trial else { return }
      state.trial = nil
      let outcome = SetupOutcome.refused(.start, detail: problem)
      state.notice = SetupNotice(outcome, of: trial.result)
      state.last?.outcome = outcome
    }
    return true
  }

  func takeNotice() -> SetupNotice? {
    state.withLock { state in
      defer { state.notice = nil }
      return state.notice
    }
  }
}
