// A host that commands a whole station: its commands become the controller's events, and its questions are answered.

import BarcodeTypes
import Devices
import ScanControl
import ScanScreen
import Synchronization
import Testing
@testable import Sinks
@testable import Station
@testable import StationScreen

@Suite(.timeLimit(.minutes(1))) struct HostCommandLoopTests {
  private let basket = Basket()
  private let requests: AsyncStream<HostRequest>
  private let desk: AsyncStream<HostRequest>.Continuation

  init() { (requests, desk) = AsyncStream.makeStream() }

  /// The station's answer within ten seconds, if any.
  private func ask(_ command: HostCommand) async -> HostAnswer? {
    let answer = Mutex<HostAnswer?>(nil)
    desk.yield(HostRequest(sink: "till", command: command) { given in answer.withLock { $0 = given } })
    for _ in 0..<2000 {
      if let given = answer.withLock({ $0 }) { return given }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return nil
  }

  /// Waits until `count` labels are forwarded; false if that takes too long.
  private func scans(_ count: Int) async throws -> Bool {
    for _ in 0..<2000 where basket.texts.count < count { try await Task.sleep(for: .milliseconds(5)) }
    return basket.texts.count == count
  }

  @Test func `S0, S1: a host triggers, disables and enables the scanner, and reads its status`() async throws {
    let frames = (0..<200_000).map { _ in SimulatedCamera.Step.frame(picture(of: "LABEL")) }
    let source = SimulatedCamera(script: frames, period: .milliseconds(1), time: BootTime())
    var settings = ScanSettings()
    settings.reopening = .onTrigger
    var parts = StationParts(source: source, reading: TopRowReading(), forwarding: basket)
    parts.hostRequests = requests
    parts.deliverySummary = { "undelivered=0" }
    let station = Station(settings: settings, parts: parts, logger: Notebook().logger, signals: [])
    async let running: Void = station.run()
    #expect(try await scans(1))
    #expect(await ask(.status) == .status("session=waiting torch=unavailable undelivered=0"))
    #expect(await ask(.confirm) == .done(.confirm), "where no session is open, it opens one")
    #expect(try await scans(2))
    for command in [HostCommand.torchOn, .torch, .next, .turn] {
      #expect(await ask(command) == .nothing(command), "there is no torch, no result and no screen")
    }
    #expect(await ask(.disable) == .done(.disable))
    #expect(await ask(.trigger) == .nothing(.trigger))
    try await Task.sleep(for: .milliseconds(100))
    #expect(await ask(.status) == .status("session=disabled torch=unavailable undelivered=0"))
    #expect(basket.texts.count == 2)
    #expect(await ask(.enable) == .done(.enable))
    #expect(try await scans(3))
    await station.shutDown()
    try await running
  }

  /// Waits up to ten seconds for the station's status to contain a text.
  private func hears(_ words: String) async throws -> Bool {
    for _ in 0..<2000 {
      if case .status(let status) = await ask(.status), status.contains(words) { return true }
      try await Task.sleep(for: .milliseconds(5))
    }
    return false
  }

  @Test func `N2: a host confirms a result under review`() async throws {
    let frames = (0..<200_000).map { _ in SimulatedCamera.Step.frame(picture(of: "LABEL")) }
    let source = SimulatedCamera(script: frames, period: .milliseconds(1), time: BootTime())
    var settings = ScanSettings()
    settings.confirmation = .always
    settings.reopening = .onTrigger
    var parts = StationParts(source: source, reading: TopRowReading(), forwarding: basket)
    parts.hostRequests = requests
    let station = Station(settings: settings, parts: parts, logger: Notebook().logger, signals: [])
    async let running: Void = station.run()
    #expect(try await hears("session=reviewing"))
    #expect(basket.texts.isEmpty)
    #expect(await ask(.open) == .nothing(.open))
    #expect(await ask(.confirm) == .done(.confirm))
    #expect(try await scans(1))
    await station.shutDown()
    try await running
  }

  @Test func `W2, C3: a host turns the screen and reads its state`() async throws {
    let frames = (0..<200_000).map { _ in SimulatedCamera.Step.frame(picture(of: "")) }
    let source = SimulatedCamera(script: frames, period: .milliseconds(1), time: BootTime())
    var parts = StationParts(source: source, reading: TopRowReading(), forwarding: basket)
    parts.hostRequests = requests
    let screen = SimulatedScreen(mode: ScreenMode(width: 64, height: 64))
    let turns = Mutex<[QuarterTurn]>([])
    parts.screen = ScreenParts(screen: screen, settings: ScreenSettings(), stationName: "turned") { panel in
      TurnPainter(panel: panel) { turn in turns.withLock { if $0.last != turn { $0.append(turn) } } }
    }
    let station = Station(settings: ScanSettings(), parts: parts, logger: Notebook().logger, signals: [])
    async let running: Void = station.run()
    #expect(try await hears("screen=available"))
    for count in 2...4 {
      #expect(await ask(.turn) == .done(.turn))
      for _ in 0..<2000 where turns.withLock({ $0.count }) < count { try await Task.sleep(for: .milliseconds(5)) }
    }
    #expect(turns.withLock { $0 } == [.none, .clockwise, .half, .anticlockwise])
    for (cause, state) in [
      (ScreenTrouble.Cause.heldByAnotherProgram, "multipleForegroundApps"), (.inBackground, "applicationInBackground"),
      (.disconnected, "unavailable"),
    ] {
      screen.trouble(ScreenTrouble(cause, "taken away"))
      #expect(try await hears("screen=\(state)"))
      screen.trouble(nil)
      #expect(try await hears("screen=available"))
    }
    await station.shutDown()
    try await running
  }
}

/// A painter that reports the rotation in which it is to draw.
private final class TurnPainter: OverlayPainting {
  let panel: ScreenSize
  private let pixels: [UInt32]
  private let report: @Sendable (QuarterTurn) -> Void

  init(panel: ScreenSize, report: @escaping @Sendable (QuarterTurn) -> Void) {
    self.panel = panel
    self.report = report
    pixels = [UInt32](repeating: 0, count: panel.width * panel.height)
  }

  func setImage(_ reference: ImageReference, luma: [UInt8], width: Int, height: Int) {}
  func setImage(_ reference: ImageReference, pngFile path: String) -> Bool { false }

  func paint(_ list: DisplayList) -> [PixelRegion] {
    report(list.turn)
    return [PixelRegion(x: 0, y: 0, width: panel.width, height: panel.height)]
  }

  func withPixels(_ body: (UnsafePointer<UInt32>, _ bytesPerRow: Int) -> Void) {
    pixels.withUnsafeBufferPointer { if let base = $0.baseAddress { body(base, panel.width * 4) } }
  }
}
