// Set-up codes at a station: what is accepted changes the configuration once, everything else changes nothing and says why,
// and no set-up code is ever a scan.

import BarcodeTypes
import Foundation
import Logging
import MetricsTestKit
import ScanControl
import ScanLoop
import SetupCodes
import Station
import StationConfiguration
import Synchronization
import Testing

@Suite struct SetupDeskTests {
  private static let key = SetupSigningKey.generate()!
  private static let now: Int64 = 1_800_000_000

  /// A station's set-up, with its clocks in the test's hand.
  private final class Bench: Sendable {
    struct State {
      var unixSeconds: Int64? = SetupDeskTests.now
      var elapsed = Duration.zero
      var replacements: [StationConfiguration] = []
    }

    let folder = FileManager.default.temporaryDirectory.appending(path: "reticle-desk-\(UUID())").path
    let basket = Basket()
    let metrics = TestMetrics()
    let state = Mutex(State())
    let desk: Mutex<SetupDesk?> = Mutex(nil)
    let more: String

    init(_ more: String = "", allow: String = "vote, repeat") throws {
      self.more = more
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data(
        """
        station: {name: till-3}
        camera: {pictures: [a]}
        outbox: {path: \(folder)/outbox}
        setup: {public_keys: ["\(SetupDeskTests.key.publicKey.text)"], allow: [\(allow)]}
        \(more)
        """.utf8
      ).write(to: URL(filePath: folder + "/station.yaml"))
      restart()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// A new process.
    func restart() {
      let path = folder + "/station.yaml"
      let surroundings = SetupSurroundings(
        load: { overlay throws(ConfigurationError) in
          try await StationConfiguration.loadWithOrigins(path: path, environment: [:], overlay: .instead(overlay))
        }, replace: { next in self.state.withLock { $0.replacements.append(next) } },
        trustedUnixSeconds: { self.state.withLock { $0.unixSeconds } }, elapsed: { self.state.withLock { $0.elapsed } })
      let made = SetupDesk(surroundings, factory: metrics, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      desk.withLock { $0 = made }
    }

    var theDesk: SetupDesk { desk.withLock { $0! } }
    var files: SetupFiles { SetupFiles(outbox: folder + "/outbox") }
    var replacements: [StationConfiguration] { state.withLock { $0.replacements } }

    func loaded() async throws -> StationConfiguration {
      try await StationConfiguration.loadWithOrigins(path: folder + "/station.yaml", environment: [:], overlay: .stored)
        .configuration
    }

    /// Shows texts in one frame to a station with the present configuration.
    func show(_ texts: String..., symbology: Symbology = .qr) async throws -> [ScanSafety] {
      let forwarding = SetupForwarding(basket, desk: theDesk, try await loaded())
      return try await forwarding.accept(texts.map { result($0, symbology) }).map { try $0.get() }
    }

    func result(_ text: String, _ symbology: Symbology) -> ScanResult {
      let corner = PixelPoint(x: .zero, y: .zero)
      let code = ScannedCode(symbology: symbology, payload: Array(text.utf8), text: text, mark: .search)
      let quad = Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner)
      return ScanResult(
        Sighting(code: code, corners: quad),
        in: FrameReport(run: 1, sequence: 1, capturedAt: Instant(nanoseconds: 0), sightings: []))
    }

    /// The next station starts, after a while.
    func startNext() async throws {
      theDesk.stationIsSetUp(try await loaded().setup)
      state.withLock { $0.elapsed += .seconds(60) }
    }

    func count(_ result: String) -> Int64? {
      try? metrics.expectCounter("reticle_setup_codes_total", [("result", result)]).totalValue
    }
  }

  private static func text(
    _ changes: [String: String] = ["vote.frames": "3"], station: String? = nil, madeAt: Int64 = now, valid: Int64 = 600,
    key: SetupSigningKey = key
  ) throws -> String {
    try SetupCode(
      changes.sorted { $0.key < $1.key }.map { SetupCode.Change(key: $0.key, value: $0.value) }, for: station,
      madeAt: madeAt, validSeconds: valid
    ).text(signedBy: key)
  }

  @Test
  func
    `B1, B3: a set-up code changes the configuration for the next station, is kept from sinks, and is reported as changed`()
    async throws
  {
    let bench = try Bench()
    let before = try await bench.loaded()
    #expect(before.scan.votes.frameCount == 1)
    let code = try Self.text(station: "till-*")
    #expect(try await bench.show("LABEL", code) == [.stored, .setup(.accepted)])
    #expect(bench.basket.texts == ["LABEL"])
    #expect(bench.replacements.map(\.scan.votes.frameCount) == [3])
    #expect(bench.files.isOnTrial)
    try await bench.startNext()
    #expect(try await bench.loaded().scan.votes.frameCount == 3)
    #expect(!bench.files.isOnTrial)
    let next = SetupForwarding(bench.basket, desk: bench.theDesk, try await bench.loaded())
    #expect(next.takeNotice()?.outcome == .changed(["vote.frames=3"]))
    #expect(next.takeNotice() == nil)
    #expect(bench.count("changed") == 1)
  }

  @Test func `B1: a second code adds to the first`() async throws {
    let bench = try Bench()
    _ = try await bench.show(try Self.text())
    try await bench.startNext()
    _ = try await bench.show(try Self.text(["repeat.absence": "3 s"]))
    try await bench.startNext()
    let configuration = try await bench.loaded()
    #expect(configuration.scan.votes.frameCount == 3 && configuration.scan.repeatAbsence == .seconds(3))
  }

  @Test func `B1: a code that stays in view keeps its outcome; shown again it was used, also after a restart`() async throws
  {
    let bench = try Bench()
    let code = try Self.text()
    for _ in 0..<100 {
      #expect(try await bench.show(code) == [.setup(.accepted)])
      bench.state.withLock { $0.elapsed += .milliseconds(100) }
    }
    bench.theDesk.stationIsSetUp(try await bench.loaded().setup)
    for _ in 0..<100 {
      #expect(try await bench.show(code) == [.setup(.changed(["vote.frames=3"]))])
      bench.state.withLock { $0.elapsed += .seconds(9) }
    }
    #expect(bench.replacements.count == 1 && bench.count("used") == 0)
    bench.state.withLock { $0.elapsed += .seconds(10) }
    #expect(try await bench.show(code) == [.setup(.refused(.used, detail: ""))])
    bench.restart()
    #expect(try await bench.show(code) == [.setup(.refused(.used, detail: ""))])
    #expect(bench.replacements.count == 1 && bench.basket.texts.isEmpty)
  }

  /// Expects that a text changes nothing.
  private func expectRefused(
    _ text: String, _ reason: SetupRefusal, containing detail: String = "", at bench: Bench,
    location: SourceLocation = #_sourceLocation
  ) async throws {
    let outcome = try await bench.show(text).first
    guard case .setup(.refused(let given, let words)) = outcome else {
      Issue.record("\(String(describing: outcome))", sourceLocation: location)
      return
    }
    #expect(given == reason && (detail.isEmpty || words.contains(detail)), "\(given): \(words)", sourceLocation: location)
    #expect(bench.replacements.isEmpty && bench.basket.texts.isEmpty, sourceLocation: location)
    #expect(!FileManager.default.fileExists(atPath: bench.files.overlayPath), sourceLocation: location)
    #expect(bench.count(reason.rawValue) == 1, sourceLocation: location)
  }

  @Test func `B2: a code of another key, a damaged one, and one for another station change nothing`() async throws {
    try await expectRefused(try Self.text(key: SetupSigningKey.generate()!), .signature, at: try Bench())
    try await expectRefused(String(try Self.text().dropLast(3)), .malformed, at: try Bench())
    try await expectRefused("RETICLE:1:", .malformed, at: try Bench())
    try await expectRefused("RETICLE:1:" + String(repeating: "A", count: 2000), .malformed, at: try Bench())
    try await expectRefused(try Self.text(station: "till-4"), .station, at: try Bench())
  }

  @Test func `B2: age counts by a synchronised clock alone`() async throws {
    try await expectRefused(try Self.text(madeAt: Self.now - 601), .expired, at: try Bench())
    try await expectRefused(try Self.text(madeAt: Self.now + SetupDesk.aheadSecondsMax + 1), .future, at: try Bench())
    let bench = try Bench()
    bench.state.withLock { $0.unixSeconds = nil }
    try await expectRefused(try Self.text(), .clock, at: bench)
    for madeAt in [Self.now - 600, Self.now + SetupDesk.aheadSecondsMax] {
      #expect(try await Bench().show(try Self.text(madeAt: madeAt)) == [.setup(.accepted)])
    }
  }

  @Test func `B2: keys that are not listed, wrong values and changes without effect change nothing`() async throws {
    try await expectRefused(
      try Self.text(["station.name": "x", "vote.frames": "3"]), .key, containing: "station.name", at: try Bench())
    try await expectRefused(try Self.text(["setup.allow": "[station]"]), .key, containing: "setup.allow", at: try Bench())
    try await expectRefused(try Self.text(["outbox.path": "/tmp/x"]), .key, containing: "outbox.path", at: try Bench())
    try await expectRefused(try Self.text(["vote.frames": "99"]), .value, containing: "from 1 to 10", at: try Bench())
    let sinks = try Bench(allow: "sinks.2.serial.prefix")
    try await expectRefused(try Self.text(["sinks.2.serial.prefix": "x"]), .value, at: sinks)
  }

  @Test func `B2: a full or damaged list of used codes changes nothing`() async throws {
    let bench = try Bench()
    try Data("x\n".utf8).write(to: URL(filePath: bench.files.usedPath))
    try await expectRefused(try Self.text(), .storage, containing: "damaged", at: bench)
  }

  @Test func `B1: a code counts as used before it changes anything: a power cut between the two changes nothing`()
    async throws
  {
    let bench = try Bench()
    // The overlay cannot be written: a folder has the name of its partial file.
    let obstacle = bench.files.overlayPath + ".new"
    try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: true)
    let code = try Self.text()
    try await expectRefused(code, .storage, containing: "-setup.yaml.new", at: bench)
    try FileManager.default.removeItem(atPath: obstacle)
    bench.restart()
    #expect(!bench.files.isOnTrial)
    #expect(try await bench.show(code) == [.setup(.refused(.used, detail: ""))])
    #expect(try await bench.loaded().scan.votes.frameCount == 1)
    #expect(try await bench.show(try Self.text()) == [.setup(.accepted)])
  }

  @Test func `B1: a list of used codes that cannot be written changes nothing, and does not use the code`() async throws {
    let bench = try Bench()
    let obstacle = bench.files.usedPath + ".new"
    try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: true)
    let code = try Self.text()
    try await expectRefused(code, .storage, containing: "-setup-used.new", at: bench)
    try FileManager.default.removeItem(atPath: obstacle)
    bench.restart()
    #expect(try await bench.show(code) == [.setup(.accepted)])
  }

  @Test func `B4: if the next station cannot start, the former settings come back and the code is refused`() async throws {
    let bench = try Bench()
    _ = try await bench.show(try Self.text(["repeat.absence": "3 s"]))
    try await bench.startNext()
    _ = SetupForwarding(bench.basket, desk: bench.theDesk, try await bench.loaded()).takeNotice()
    #expect(try await bench.show(try Self.text()) == [.setup(.accepted)])
    #expect(bench.theDesk.stationFailed(bench.replacements[1].setup, problem: "no camera"))
    let configuration = try await bench.loaded()
    #expect(configuration.scan.votes.frameCount == 1 && configuration.scan.repeatAbsence == .seconds(3))
    let forwarding = SetupForwarding(bench.basket, desk: bench.theDesk, configuration)
    #expect(forwarding.takeNotice()?.outcome == .refused(.start, detail: "no camera"))
    #expect(bench.count("start") == 1)
    #expect(!bench.theDesk.stationFailed(configuration.setup, problem: "another"), "nothing is on trial")
  }

  @Test
  func `B4: after a power cut during a trial, a start that fails takes the change back, and one that succeeds keeps it`()
    async throws
  {
    for succeeds in [true, false] {
      let bench = try Bench()
      _ = try await bench.show(try Self.text())
      bench.restart()
      let settings = try await bench.loaded().setup
      if succeeds {
        bench.theDesk.stationIsSetUp(settings)
      } else {
        #expect(bench.theDesk.stationFailed(settings, problem: "no camera"))
      }
      #expect(try await bench.loaded().scan.votes.frameCount == (succeeds ? 3 : 1))
      #expect(!bench.files.isOnTrial)
    }
  }

  @Test func `B1: while a change is under way, another code is refused`() async throws {
    let bench = try Bench()
    let (first, second) = (try Self.text(), try Self.text(["repeat.absence": "3 s"]))
    #expect(try await bench.show(first, second) == [.setup(.accepted), .setup(.refused(.busy, detail: ""))])
    bench.theDesk.stationIsSetUp(try await bench.loaded().setup)
    #expect(try await bench.show(first) == [.setup(.changed(["vote.frames=3"]))], "it is still in view")
    #expect(try await bench.show(second) == [.setup(.accepted)])
  }

  @Test func `B3: other symbologies and other texts are scans`() async throws {
    let bench = try Bench()
    #expect(try await bench.show(try Self.text(), symbology: .datamatrix) == [.stored])
    #expect(try await bench.show("RETICLE:2:x", "reticle:1:x", " RETICLE:1:x") == [.stored, .stored, .stored])
    #expect(bench.replacements.isEmpty && bench.basket.texts.count == 4)
  }

  @Test func `B3: mutated codes are all refused, and none reaches a sink`() async throws {
    let bench = try Bench()
    let forwarding = SetupForwarding(bench.basket, desk: bench.theDesk, try await bench.loaded())
    let text = Array(try Self.text().utf8)
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      var bytes = text
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        bytes[Int.random(in: SetupCode.prefix.utf8.count..<bytes.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      guard bytes != text else { continue }
      bench.state.withLock { $0.elapsed += .seconds(60) }
      let result = bench.result(String(decoding: bytes, as: UTF8.self), .qr)
      guard case .success(.setup(.refused)) = await forwarding.accept([result]).first else {
        Issue.record("\(bytes)"); continue
      }
    }
    #expect(bench.replacements.isEmpty && bench.basket.texts.isEmpty)
  }
}
