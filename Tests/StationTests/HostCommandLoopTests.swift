// A host that commands a whole station: its words become the controller's events, and its questions are answered.

import Devices
import ScanControl
import Synchronization
import Testing

@testable import Delivery
@testable import Station

@Suite(.timeLimit(.minutes(1))) struct HostCommandLoopTests {
  private let basket = Basket()
  private let requests: AsyncStream<HostRequest>
  private let desk: AsyncStream<HostRequest>.Continuation

  init() { (requests, desk) = AsyncStream.makeStream() }

  /// The station's answer; nil when it gives none in ten seconds.
  private func ask(_ command: HostCommand) async -> HostAnswer? {
    let answer = Mutex<HostAnswer?>(nil)
    desk.yield(HostRequest(sink: "till", command: command) { given in answer.withLock { $0 = given } })
    for _ in 0..<2000 {
      if let given = answer.withLock({ $0 }) { return given }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return nil
  }

  /// Whether that many labels come to be forwarded.
  private func scans(_ count: Int) async throws -> Bool {
    for _ in 0..<2000 where basket.texts.count < count { try await Task.sleep(for: .milliseconds(5)) }
    return basket.texts.count == count
  }

  @Test func `S0, S1: a host triggers, switches off and on, and asks how the station is`() async throws {
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
    #expect(await ask(.trigger) == .done(.trigger))
    #expect(try await scans(2))
    #expect(await ask(.disable) == .done(.disable))
    #expect(await ask(.trigger) == .done(.trigger))
    try await Task.sleep(for: .milliseconds(100))
    #expect(await ask(.status) == .status("session=disabled torch=unavailable undelivered=0"))
    #expect(basket.texts.count == 2)
    #expect(await ask(.enable) == .done(.enable))
    #expect(try await scans(3))
    await station.shutDown()
    try await running
  }
}
