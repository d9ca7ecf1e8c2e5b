// Changes the configuration file for an operator at a distance: a new text is on trial until the station is well with it and
// the operator's browser has reached the station again; otherwise the former text comes back.

public import Logging
import SetupCodes
public import StationConfiguration

/// The surroundings of a desk for configurations.
public struct ConfigurationSurroundings: Sendable {
  /// Validates a text as the configuration file.
  public var load: @Sendable (_ text: String) async throws(ConfigurationError) -> StationConfiguration.Loaded
  /// The configuration of the running station.
  public var running: @Sendable () async -> StationConfiguration
  /// Ends the running station; another one with this configuration replaces it.
  public var replace: @Sendable (StationConfiguration) async -> Void
  /// Why the running station is not ready, one reason each; empty if it is.
  public var troubles: @Sendable () async -> [String]
  /// Time since an arbitrary moment, which never jumps.
  public var elapsed: @Sendable () -> Duration
  /// Waits.
  public var sleep: @Sendable (Duration) async -> Void

  public init(
    load: @escaping @Sendable (_ text: String) async throws(ConfigurationError) -> StationConfiguration.Loaded,
    running: @escaping @Sendable () async -> StationConfiguration,
    replace: @escaping @Sendable (StationConfiguration) async -> Void,
    troubles: @escaping @Sendable () async -> [String], elapsed: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
  ) {
    (self.load, self.running, self.replace, self.troubles) = (load, running, replace, troubles)
    (self.elapsed, self.sleep) = (elapsed, sleep)
  }
}

/// The trial of a configuration, as an operator sees it.
public struct ConfigurationTrial: Equatable, Sendable, Encodable {
  public enum State: String, Sendable, Encodable, CaseIterable {
    case none, running, kept
    case rolledBack
  }

  public var state = State.none
  /// Until the former text comes back.
  public var secondsLeft: Int?
  /// Why the former text came back.
  public var problem: String?
}

/// Why a text was not put on trial.
public enum ConfigurationRefusal: Error, Equatable, Sendable {
  /// Somebody else has changed the file since it was read.
  case changed
  /// Another trial is running.
  case busy
  case wrong(ConfigurationError)
  /// A secret is missing, or the text cannot be read.
  case unclear(String)
  /// The storage refuses; with the remedy.
  case storage(String)
}

/// Reads and changes the configuration file. One desk serves all stations of a process, one after the other.
public actor ConfigurationDesk {
  /// How long a trial lasts at most.
  public static let trialLimit = Duration.seconds(30)
  /// How long the station must be well without a break.
  public static let wellTime = Duration.seconds(8)
  /// How often the station is looked at.
  static let lookInterval = Duration.milliseconds(250)

  private let store: ConfigurationStore
  private let surroundings: ConfigurationSurroundings
  private let logger: Logger
  private var trial = ConfigurationTrial()
  /// When the trial ends.
  private var deadline = Duration.zero
  /// Whether the operator has reached the station that runs with the text on trial.
  private var isReached = false
  /// Why the station could not start with the text on trial.
  private var failure: String?
  /// Whether the operator has ended the trial.
  private var isUndone = false

  /// - Parameters:
  ///   - path: the configuration file.
  ///   - folder: where former texts are kept.
  public init(path: String, folder: String, _ surroundings: ConfigurationSurroundings, logger: Logger) {
    store = ConfigurationStore(path: path, folder: folder)
    self.surroundings = surroundings
    self.logger = logger
  }

  /// Ends the trial of a process that ended during it: the former text comes back. To be called before the file is read.
  public static func recover(path: String, folder: String, logger: Logger) {
    do throws(FileFault) {
      guard try ConfigurationStore(path: path, folder: folder).takeBack() else { return }
      logger.error(
        "the station ended while a new configuration was on trial; the former one is back", metadata: ["file": "\(path)"])
    } catch {
      logger.error("a configuration on trial cannot be taken back", metadata: ["problem": "\(error)"])
    }
  }

  // MARK: Looking

  /// The path of the file, its text without secrets, empty without a file, and the identity of the text.
  public func present() throws(ConfigurationRefusal) -> (path: String, text: String, revision: String) {
    let text = try stored() ?? ""
    return (store.path, try Self.concealed(text).text, ConfigurationStore.revision(of: text))
  }

  /// Why the file cannot be written; nil if it can.
  public var obstacle: String? { store.obstacle }

  /// The errors in a text that was written from the shown one.
  public func check(_ text: String) async -> [ConfigurationProblem] {
    do {
      _ = try await surroundings.load(try revealed(text))
      return []
    } catch let error as ConfigurationError {
      return error.problems
    } catch ConfigurationRefusal.unclear(let reason) {
      return [ConfigurationProblem(reason)]
    } catch {
      return [ConfigurationProblem("\(error)")]
    }
  }

  /// The values of a text with their origins; the present file's for nil.
  public func loaded(_ text: String? = nil) async throws -> StationConfiguration.Loaded {
    if let text { return try await surroundings.load(try revealed(text)) }
    return try await surroundings.load(try stored() ?? "")
  }

  public var revisions: [ConfigurationRevision] { store.revisions() }

  /// The text of a revision without secrets; nil if it is not kept.
  public func text(of id: String) throws(ConfigurationRefusal) -> String? {
    guard let text = store.text(of: id) else { return nil }
    return try Self.concealed(text).text
  }

  /// The state of the last trial.
  ///
  /// - Parameter isOperator: whether the operator asks, which proves that the station can be reached.
  public func state(isOperator: Bool) -> ConfigurationTrial {
    if isOperator, trial.state == .running { isReached = true }
    var state = trial
    if state.state == .running {
      state.secondsLeft = Int(max(.zero, deadline - surroundings.elapsed()).components.seconds)
    }
    return state
  }

  // MARK: Changing

  /// Puts a text on trial, which was written from the shown one.
  ///
  /// - Parameter revision: the identity of the text that the operator saw.
  public func begin(_ text: String, revision: String) async throws(ConfigurationRefusal) {
    guard trial.state != .running else { throw .busy }
    let former = try stored()
    guard ConfigurationStore.revision(of: former ?? "") == revision else { throw .changed }
    let text = try revealed(text)
    let next: StationConfiguration
    do throws(ConfigurationError) {
      next = try await surroundings.load(text).configuration
    } catch {
      throw .wrong(error)
    }
    guard trial.state != .running else { throw .busy }
    do throws(FileFault) {
      try store.begin(text, former: former)
    } catch {
      throw .storage(store.obstacle ?? "\(error); make room or check the folder's permissions")
    }
    trial = ConfigurationTrial(state: .running)
    (deadline, isReached, failure, isUndone) = (surroundings.elapsed() + Self.trialLimit, false, nil, false)
    logger.notice("a new configuration is on trial", metadata: ["file": "\(store.path)"])
    Task { await self.watch(next, before: await surroundings.running()) }
  }

  /// Ends a running trial at once: the former text comes back.
  public func undo() { isUndone = trial.state == .running }

  /// Notes that the station could not start.
  public func stationFailed(_ problem: String) { if trial.state == .running { failure = problem } }

  private func watch(_ next: StationConfiguration, before former: StationConfiguration) async {
    // Earlier troubles are not the new text's fault.
    let known = Set(await surroundings.troubles())
    // The console that answers the operator ends with the station.
    await surroundings.sleep(Self.lookInterval)
    await surroundings.replace(next)
    // A request while the old station ends reaches that one.
    isReached = false
    var wellSince: Duration?
    var troubles: [String] = []
    while surroundings.elapsed() < deadline, !isUndone, failure == nil {
      await surroundings.sleep(Self.lookInterval)
      troubles = await surroundings.troubles().filter { !known.contains($0) }
      wellSince = troubles.isEmpty ? wellSince ?? surroundings.elapsed() : nil
      if let wellSince, isReached, surroundings.elapsed() - wellSince >= Self.wellTime { return keep() }
    }
    let problem =
      isUndone
      ? "you took it back"
      : failure ?? troubles.first
        ?? "the browser did not reach the console with it within \(Self.trialLimit.components.seconds) s"
    await takeBack(problem, former)
  }

  private func keep() {
    do throws(FileFault) {
      try store.confirm()
      trial = ConfigurationTrial(state: .kept)
      logger.notice("the new configuration is kept")
    } catch {
      trial = ConfigurationTrial(
        state: .rolledBack, problem: "\(error); the former configuration comes back with the next start")
    }
  }

  private func takeBack(_ problem: String, _ former: StationConfiguration) async {
    do throws(FileFault) {
      let isBack = try store.takeBack()
      logger.error("the new configuration is taken back", metadata: ["cause": "\(problem)"])
      await surroundings.replace(former)
      trial = ConfigurationTrial(
        state: .rolledBack, problem: isBack ? problem : "\(problem); somebody else has changed the file, which stays")
    } catch {
      trial = ConfigurationTrial(state: .rolledBack, problem: "\(problem); \(error)")
      logger.error("the former configuration cannot be restored", metadata: ["problem": "\(error)"])
    }
  }

  private func stored() throws(ConfigurationRefusal) -> String? {
    do throws(FileFault) {
      return try store.text()
    } catch {
      throw .storage("\(error)")
    }
  }

  private static func concealed(_ text: String) throws(ConfigurationRefusal) -> ConcealedConfiguration {
    do throws(ConfigurationEditFault) {
      return try ConcealedConfiguration(text)
    } catch {
      throw .unclear(error.description)
    }
  }

  private func revealed(_ text: String) throws(ConfigurationRefusal) -> String {
    let present = try Self.concealed(try stored() ?? "")
    do throws(ConfigurationEditFault) {
      return try present.revealed(in: text)
    } catch {
      throw .unclear(error.description)
    }
  }
}
