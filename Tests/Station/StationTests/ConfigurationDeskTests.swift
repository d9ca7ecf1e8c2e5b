import Foundation
import Logging
import Synchronization
import Testing

@testable import Station
@testable import StationConfiguration

/// A configuration on trial is kept only if the station is well with it and the operator reaches the station.
@Suite(.timeLimit(.minutes(1))) struct ConfigurationDeskTests {
  private static let old = "station: {name: old} # ours\ncamera: {pictures: [labels/]}\n"
  private static let new = "station: {name: new} # ours\ncamera: {pictures: [labels/]}\n"

  /// A station of which only its configuration and its troubles are known, on a clock that only waiting moves.
  private final class World: Sendable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "reticle-\(UUID())").path
    let running = Mutex(StationConfiguration())
    let troubles = Mutex<[String]>([])
    let now = Mutex(Duration.zero)
    var path: String { folder + "/reticle.yaml" }
    var history: String { folder + "/history" }

    init() throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try write(ConfigurationDeskTests.old)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func write(_ text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }

    var text: String? { try? String(contentsOfFile: path, encoding: .utf8) }

    /// - Parameter whenWaiting: called with the time at each look at the station.
    func desk(_ whenWaiting: @escaping @Sendable (World, Duration) async -> Void = { _, _ in }) -> ConfigurationDesk {
      ConfigurationDesk(
        path: path, folder: history,
        ConfigurationSurroundings(
          load: { [path] text throws(ConfigurationError) in
            try StationConfiguration.load(text: text, of: path, environment: [:])
          }, running: { self.running.withLock { $0 } },
          replace: { next in self.running.withLock { $0 = next } }, troubles: { self.troubles.withLock { $0 } },
          elapsed: { self.now.withLock { $0 } },
          sleep: { wait in
            let now = self.now.withLock { now in
              now += wait
              return now
            }
            await whenWaiting(self, now)
            await Task.yield()
          }), logger: Logger(label: "test"))
    }

    func begin(_ desk: ConfigurationDesk, _ text: String = ConfigurationDeskTests.new) async throws {
      running.withLock { $0.stationName = "old" }
      try await desk.begin(text, revision: desk.present().revision)
    }

    /// The state once the trial is over.
    func end(_ desk: ConfigurationDesk) async throws -> ConfigurationTrial {
      while true {
        let state = await desk.state(isOperator: false)
        if state.state != .running { return state }
        try await Task.sleep(for: .milliseconds(1))
      }
    }
  }

  @Test func `a configuration is kept once the station is well for a while and the operator has reached it`() async throws {
    let world = try World()
    let desk = Mutex<ConfigurationDesk?>(nil)
    let made = world.desk { _, _ in _ = await desk.withLock { $0 }?.state(isOperator: true) }
    desk.withLock { $0 = made }
    try await world.begin(made)
    #expect(try await world.end(made).state == .kept)
    #expect(world.text == Self.new && world.running.withLock { $0.stationName } == "new")
    #expect(world.now.withLock { $0 } >= ConfigurationDesk.wellTime)
    #expect(world.now.withLock { $0 } < ConfigurationDesk.trialLimit)
    let revisions = await made.revisions
    #expect(revisions.count == 1)
    #expect(try await made.text(of: try #require(revisions.first).id) == Self.old)
    // Nothing is left to take back.
    ConfigurationDesk.recover(path: world.path, folder: world.history, logger: Logger(label: "test"))
    #expect(world.text == Self.new)
  }

  @Test func `without the operator, or with a new trouble, the former configuration comes back after 30 s`() async throws {
    for isTroubled in [false, true] {
      let world = try World()
      world.troubles.withLock { $0 = ["it was dark before"] }
      let desk = Mutex<ConfigurationDesk?>(nil)
      let made = world.desk { world, _ in
        guard isTroubled else { return }
        world.troubles.withLock { $0 = ["it was dark before", "the camera is gone"] }
        _ = await desk.withLock { $0 }?.state(isOperator: true)
      }
      desk.withLock { $0 = made }
      try await world.begin(made)
      let state = try await world.end(made)
      #expect(state.state == .rolledBack)
      #expect(
        state.problem == (isTroubled ? "the camera is gone" : "the browser did not reach the console with it within 30 s"))
      #expect(world.text == Self.old && world.running.withLock { $0.stationName } == "old")
      #expect(world.now.withLock { $0 } >= ConfigurationDesk.trialLimit)
    }
  }

  @Test func `the operator takes it back, and a station that cannot start with it takes itself back`() async throws {
    for isUndone in [true, false] {
      let world = try World()
      let desk = Mutex<ConfigurationDesk?>(nil)
      let made = world.desk { _, _ in
        guard let desk = desk.withLock({ $0 }) else { return }
        if isUndone { await desk.undo() } else { await desk.stationFailed("no such camera") }
      }
      desk.withLock { $0 = made }
      try await world.begin(made)
      let state = try await world.end(made)
      #expect(state.state == .rolledBack && state.problem == (isUndone ? "you took it back" : "no such camera"))
      #expect(world.text == Self.old && world.now.withLock { $0 } < .seconds(2))
    }
  }

  @Test func `after a power cut during a trial, the former configuration is back, unless somebody has changed the file`()
    async throws
  {
    let world = try World()
    let store = ConfigurationStore(path: world.path, folder: world.history)
    try store.begin(Self.new, former: Self.old)
    #expect(world.text == Self.new)
    ConfigurationDesk.recover(path: world.path, folder: world.history, logger: Logger(label: "test"))
    #expect(world.text == Self.old)
    try store.begin(Self.new, former: Self.old)
    try world.write("station: {name: by-hand}\n")
    ConfigurationDesk.recover(path: world.path, folder: world.history, logger: Logger(label: "test"))
    #expect(world.text == "station: {name: by-hand}\n")
    // Without a file before, there is none afterwards.
    try FileManager.default.removeItem(atPath: world.path)
    try store.begin(Self.new, former: nil)
    ConfigurationDesk.recover(path: world.path, folder: world.history, logger: Logger(label: "test"))
    #expect(world.text == nil)
  }

  @Test func `a wrong text, an old revision and a second trial are refused, and the file stays`() async throws {
    let world = try World()
    let desk = world.desk()
    let revision = try await desk.present().revision
    await #expect(throws: ConfigurationRefusal.changed) { try await desk.begin(Self.new, revision: "old") }
    await #expect(throws: ConfigurationRefusal.self) { try await desk.begin("camera: {rate: 5}\n", revision: revision) }
    #expect(await desk.check("camera: {rate: 5}\n").first?.place == .line(1))
    #expect(world.text == Self.old)
    try await desk.begin(Self.new, revision: revision)
    await #expect(throws: ConfigurationRefusal.busy) { try await desk.begin(Self.old, revision: revision) }
  }

  @Test func `the last ten texts are kept, each once, and the file keeps its permissions`() async throws {
    let world = try World()
    let store = ConfigurationStore(path: world.path, folder: world.history)
    chmod(world.path, 0o644)
    for number in 0..<15 {
      try store.begin("station: {name: n\(number)}\n", former: "station: {name: o\(number % 12)}\n")
      try store.confirm()
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(store.revisions().count == ConfigurationStore.revisionCountMax)
    #expect(store.text(of: store.revisions()[0].id) == "station: {name: o2}\n")
    #expect(store.text(of: "../../etc/passwd") == nil)
    let mode = try FileManager.default.attributesOfItem(atPath: world.path)[.posixPermissions] as? Int
    #expect(mode == 0o644)
  }
}
