// The whole station with drawn pictures, from pixels to forwarding. The reader here takes text from the first row's pixels,
// so that the tests cover the station and not the decoder.

import BarcodeDecoder
import BarcodeTypes
import Devices
import Foundation
import Logging
import MetricsTestKit
import ScanControl
import ScanLoop
import ScanScreen
import Station
import Synchronization
import TestScenes
import Testing

/// A picture whose top row encodes its code: the length and the bytes, one pixel each.
func picture(of text: String) -> SimulatedPicture {
  var luma = [UInt8](repeating: 200, count: 64 * 8)
  luma[0] = UInt8(text.utf8.count)
  for (index, byte) in text.utf8.enumerated() { luma[1 + index] = byte }
  return SimulatedPicture(width: 64, height: 8, luma: luma)
}

/// Reads pictures made by `picture(of:)`.
struct TopRowReading: SymbolReading {
  func read(
    _ frame: LumaView, region: PixelRegion?, at moment: Instant, into sightings: inout [Sighting]
  ) -> FrameReading {
    let count = Int(frame[0, 0])
    guard count > 0, count < frame.width else { return .read }
    let bytes = (1...count).map { frame[$0, 0] }
    let corner = PixelPoint(x: .zero, y: .zero)
    let code = ScannedCode(
      symbology: .code128, payload: bytes, text: String(decoding: bytes, as: UTF8.self), mark: .search)
    sightings.append(
      Sighting(
        code: code, corners: Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner)))
    return .read
  }
}

/// Reads a picture's code, and another one of equal length.
private struct PairReading: SymbolReading {
  func read(
    _ frame: LumaView, region: PixelRegion?, at moment: Instant, into sightings: inout [Sighting]
  ) -> FrameReading {
    let outcome = TopRowReading().read(frame, region: region, at: moment, into: &sightings)
    guard var second = sightings.first else { return outcome }
    second.code.text += "2"
    second.code.payload.append(0x32)
    sightings.append(second)
    return outcome
  }
}

/// Frames that end once the station has been told to end, and a camera that stops after the controller has finished.
private final class LateSource: FrameSource, Sendable {
  let name = "late source"
  let keepsEveryFrame = false
  let counts = FrameCounts()
  private let told: DispatchSemaphore
  private let finished: DispatchSemaphore
  private let recording = Atomic(false)

  init(told: DispatchSemaphore, finished: DispatchSemaphore) {
    self.told = told
    self.finished = finished
  }

  var isRecording: Bool { recording.load(ordering: .relaxed) }

  func readPermission() -> DevicePermission { .authorized }
  func load() {}
  func start() {}

  func withNextFrame(within limit: Duration, _ body: (LumaView, FrameMetadata) -> Void) -> NextFrame {
    recording.store(true, ordering: .relaxed)
    told.wait()
    return .ended
  }

  func stop() {
    _ = finished.wait(timeout: .now() + .seconds(2))
    // The controller's loop needs a moment for its final steps.
    usleep(100_000)
  }
}

/// Accepts results, or refuses them.
final class Basket: ScanForwarding {
  struct Full: Error {}

  private let state = Mutex<(texts: [String], isFull: Bool, isAtRisk: Bool, drainCount: Int)>(([], false, false, 0))

  var texts: [String] { state.withLock { $0.texts } }
  var drainCount: Int { state.withLock { $0.drainCount } }

  func fill() { state.withLock { $0.isFull = true } }
  func endanger() { state.withLock { $0.isAtRisk = true } }

  func accept(_ results: [ScanResult]) async -> [Result<ScanSafety, any Error>] {
    state.withLock { state in
      if state.isFull { return results.map { _ in .failure(Full()) } }
      state.texts += results.map(\.code.text)
      let count = state.texts.count
      return results.map { _ in .success(state.isAtRisk ? .atRisk(count: count) : .stored) }
    }
  }

  /// Waits for a host that accepts nothing if the basket is full.
  func drain(within limit: Duration) async -> Int {
    let isFull = state.withLock { state in
      state.drainCount += 1
      return state.isFull
    }
    if isFull { try? await Task.sleep(for: limit) }
    return isFull ? 1 : 0
  }
}

/// Has a prepared outcome for each result of a frame.
private struct Verdict: ScanForwarding {
  let outcomes: [Result<ScanSafety, any Error>]

  func accept(_ results: [ScanResult]) async -> [Result<ScanSafety, any Error>] { outcomes }
  func drain(within limit: Duration) async -> Int { 0 }
}

/// A logger whose lines can be read.
final class Notebook: Sendable {
  private let lines = Mutex<[String]>([])

  var text: String { lines.withLock { $0.joined(separator: "\n") } }

  var logger: Logger { Logger(label: "test") { _ in Handler(notebook: self) } }

  private struct Handler: LogHandler {
    let notebook: Notebook
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    init(notebook: Notebook) { self.notebook = notebook }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let details = (event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted().joined(separator: " ")
      notebook.lines.withLock { $0.append("\(event.level) \(event.message) \(details)") }
    }
  }
}

/// Waits for a code that never comes.
private final class HalfSet: ScanForwarding {
  private let results = Mutex<[ScanResult]>([])

  func accept(_ results: [ScanResult]) async -> [Result<ScanSafety, any Error>] {
    self.results.withLock { $0 += results }
    return results.map { _ in .success(.waiting(missing: ["serial"])) }
  }

  func abandonSets() -> [IncompleteScans] {
    [IncompleteScans(set: "carton", missing: ["serial"], results: results.withLock { $0 })]
  }

  func drain(within limit: Duration) async -> Int { 0 }
}

@Suite(.timeLimit(.minutes(1))) struct WholeRunTests {
  private let basket = Basket()
  private let notebook = Notebook()
  private let metrics = TestMetrics()

  private func makeStation(
    _ source: any FrameSource, torch: any Torch = AbsentTorch(), buttons: (any Buttons)? = nil,
    _ change: (inout ScanSettings) -> Void = { _ in }
  ) -> Station {
    var settings = ScanSettings()
    settings.repeatAbsence = .milliseconds(10)
    change(&settings)
    var parts = StationParts(source: source, reading: TopRowReading(), forwarding: basket)
    parts.scan.torch = torch
    parts.scan.buttons = buttons
    parts.scan.metrics = metrics
    return Station(settings: settings, parts: parts, logger: notebook.logger, signals: [])
  }

  private func camera(showing texts: [String], period: Duration = .milliseconds(1)) -> SimulatedCamera {
    SimulatedCamera(script: texts.map { .frame(picture(of: $0)) }, period: period, time: BootTime())
  }

  private func count(_ label: String, _ dimensions: [(String, String)] = []) throws -> Int64 {
    try metrics.expectCounter(label, dimensions).totalValue
  }

  @Test func `S1, N4: pictures played once are scanned continuously, each code once, and then the station ends`()
    async throws
  {
    let texts = (0..<200).flatMap { ["L\($0)", "L\($0)"] }
    try await makeStation(camera(showing: texts)).run()
    #expect(basket.texts == (0..<200).map { "L\($0)" })
    #expect(basket.drainCount == 1)
    #expect(try count("reticle_frames_captured_total") == 400)
    #expect(try count("reticle_frames_decoded_total") == 400)
    #expect(try count("reticle_frames_dropped_total") == 0)
    #expect(try count("reticle_scans_total", [("symbology", "code128")]) == 200)
    #expect(try count("reticle_user_actions_total", [("action", "MobileQRScannerScannedCode")]) == 200)
    #expect(try count("reticle_user_actions_total", [("action", "MobileQRScannerClose")]) == 0)
  }

  @Test func `C7, N4: a capture session that each scan stops and restarts loses no picture`() async throws {
    let texts = (0..<20).map { "L\($0)" }
    let source = camera(showing: texts)
    try await makeStation(source) { $0.reopening = .after(.milliseconds(5)) }.run()
    #expect(basket.texts == texts)
    #expect(source.history.count { $0 == "stop" } >= 20)
    #expect(source.history.count { $0 == "load" } == 1)
    #expect(try count("reticle_scans_suppressed_total", [("reason", "late")]) == 0)
  }

  @Test func `a station that is shut down stops its capture and keeps its scans`() async throws {
    let source = camera(showing: (0..<100_000).map { "L\($0)" })
    let station = makeStation(source)
    async let running: Void = station.run()
    while basket.texts.count < 10 { try await Task.sleep(for: .milliseconds(5)) }
    await station.shutDown()
    try await running
    #expect(source.history.last == "stop")
    #expect(basket.texts == (0..<basket.texts.count).map { "L\($0)" })
    #expect(basket.drainCount == 0)
  }

  @Test func `SIGTERM ends the station cleanly`() async throws {
    let source = camera(showing: (0..<100_000).map { "L\($0)" })
    let parts = StationParts(source: source, reading: TopRowReading(), forwarding: basket)
    let station = Station(settings: ScanSettings(), parts: parts, logger: notebook.logger)
    async let running: Void = station.run()
    while basket.texts.count < 3 { try await Task.sleep(for: .milliseconds(5)) }
    kill(getpid(), SIGTERM)
    try await running
    #expect(source.history.last == "stop")
  }

  @Test func `S3, C5: a camera that fails while recording is reloaded and used again`() async throws {
    let failure = SourceFailure(.disconnected, "camera: it was unplugged")
    let source = SimulatedCamera(
      script: [.frame(picture(of: "A")), .trouble(.failed(failure)), .frame(picture(of: "B"))], period: .milliseconds(1),
      time: BootTime())
    try await makeStation(source).run()
    #expect(basket.texts == ["A", "B"])
    #expect(source.history == ["load", "start", "stop", "load", "start", "stop"])
    #expect(notebook.text.contains("error the camera is gone detail=camera: it was unplugged remedy=connect"))
    #expect(notebook.text.contains("notice the camera can be used again"))
    #expect(try count("reticle_camera_failures_total") == 1)
  }

  @Test func `C5: a camera that is plugged in during long waits is used at once`() async throws {
    let missing = SourceFailure(.nothingMatches, "there is no camera")
    let source = SimulatedCamera(script: [.frame(picture(of: "A"))], period: .milliseconds(1), time: BootTime())
    source.loadOutcomes = [missing, missing, missing]
    let arrivals = SimulatedArrivals()
    var parts = StationParts(source: source, reading: TopRowReading(), forwarding: basket)
    parts.scan.arrivals = arrivals
    let station = Station(settings: ScanSettings(), parts: parts, logger: notebook.logger, signals: [])
    let start = ContinuousClock.now
    async let running: Void = station.run()
    // Without the event, these attempts would take 3.5 s.
    while basket.texts.isEmpty {
      if notebook.text.contains("the camera is not there") { arrivals.plugIn() }
      try await Task.sleep(for: .milliseconds(20))
    }
    try await running
    #expect(ContinuousClock.now - start < .seconds(3))
  }

  @Test func `C3: another process that takes the camera interrupts the session, which then continues`() async throws {
    let source = SimulatedCamera(
      script: [
        .frame(picture(of: "A")), .trouble(.failed(SourceFailure(.heldByAnotherProcess, "camera: in use"))),
        .frame(picture(of: "B")),
      ], period: .milliseconds(1), time: BootTime())
    try await makeStation(source).run()
    #expect(basket.texts == ["A", "B"])
    #expect(source.history == ["load", "start", "stop", "load", "start", "stop"])
    #expect(notebook.text.contains("error another program holds the camera"))
    #expect(notebook.text.contains("notice the camera can be used again"))
  }

  @Test func `N4: a label that was gone before the camera was lost is scanned when it is held up again afterwards`()
    async throws
  {
    let gone = [SimulatedCamera.Step](repeating: .frame(picture(of: "")), count: 40)
    let failure = SourceFailure(.disconnected, "camera: it was unplugged")
    let source = SimulatedCamera(
      script: [.frame(picture(of: "A"))] + gone + [.trouble(.failed(failure)), .frame(picture(of: "A"))],
      period: .milliseconds(2), time: BootTime())
    try await makeStation(source).run()
    #expect(basket.texts == ["A", "A"])
    #expect(try count("reticle_scans_suppressed_total", [("reason", "repeated")]) == 0)
  }

  @Test func `a scan that the outbox refuses is counted and logged as lost, and not as a scan`() async throws {
    basket.fill()
    let station = makeStation(camera(showing: ["A"]))
    async let running: Void = station.run()
    while basket.drainCount == 0 { try await Task.sleep(for: .milliseconds(5)) }
    // Its sinks accept nothing: the station that waits for them ends at the first request.
    let start = ContinuousClock.now
    await station.shutDown()
    try await running
    #expect(ContinuousClock.now - start < .seconds(15))
    #expect(try count("reticle_scans_lost_total") == 1)
    #expect(try count("reticle_scans_total", [("symbology", "code128")]) == 0)
    #expect(notebook.text.contains("critical a scan was not accepted and is lost"))
  }

  @Test func `pictures that end during a shutdown are not a failure`() async throws {
    let (told, finished) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let source = LateSource(told: told, finished: finished)
    var parts = StationParts(source: source, reading: TopRowReading(), forwarding: basket)
    parts.scan.observer = { if $0 == .finish { finished.signal() } }
    let station = Station(settings: ScanSettings(), parts: parts, logger: notebook.logger, signals: [])
    async let running: Void = station.run()
    while !source.isRecording { try await Task.sleep(for: .milliseconds(5)) }
    await station.shutDown()
    // Time for the capture loop to be informed before the frames end.
    try await Task.sleep(for: .milliseconds(100))
    told.signal()
    try await running
  }

  @Test func `S2: a camera without permission is reported with a remedy and is not opened`() async throws {
    let source = camera(showing: ["A"])
    source.permission = .denied
    let station = makeStation(source)
    async let running: Void = station.run()
    while !notebook.text.contains("may not be used") { try await Task.sleep(for: .milliseconds(5)) }
    #expect(notebook.text.contains("remedy=add the user to the group video"))
    await station.shutDown()
    try await running
    #expect(source.history.isEmpty)
  }

  @Test func `the user's torch button lights the torch once, and the end of the session switches it off`() async throws {
    let torch = SimulatedTorch(isOn: true)
    let buttons = SimulatedButtons()
    let source = SimulatedCamera(script: [.silence(.seconds(60))], time: BootTime())
    let station = makeStation(source, torch: torch, buttons: buttons)
    async let running: Void = station.run()
    while torch.isOn { try await Task.sleep(for: .milliseconds(5)) }
    while !torch.isOn {
      try await Task.sleep(for: .milliseconds(20))
      if torch.history.count == 1 { buttons.press(.torch) }
    }
    await station.shutDown()
    try await running
    #expect(torch.history.first == false)
    #expect(torch.history.last == false)
    #expect(!torch.isOn)
    #expect(try count("reticle_user_actions_total", [("action", "MobileQRScannerTorchOn")]) == 1)
  }

  @Test
  func `S2, T1: a privacy switch closes the camera and turns the torch off at once; once it is open, scanning continues`()
    async throws
  {
    let source = SimulatedCamera(
      script: (0..<60_000).map { .frame(picture(of: "L\($0)")) }, period: .milliseconds(1), time: BootTime())
    let (privacy, torch) = (SimulatedPrivacySwitch(), SimulatedTorch())
    var settings = ScanSettings()
    settings.torch = .on
    var parts = StationParts(source: source, reading: TopRowReading(), forwarding: basket)
    (parts.scan.privacy, parts.scan.torch, parts.scan.metrics) = (privacy, torch, metrics)
    let station = Station(settings: settings, parts: parts, logger: notebook.logger, signals: [])
    async let running: Void = station.run()
    while basket.texts.count < 5 || !torch.isOn { try await Task.sleep(for: .milliseconds(2)) }
    for round in 1...2 {
      privacy.turn(isClosed: true)
      while notebook.text.split(separator: "\n").count(where: { $0.contains("the camera is switched off") }) < round {
        try await Task.sleep(for: .milliseconds(2))
      }
      #expect(notebook.text.contains("remedy=set camera.enabled to true, or turn the privacy switch off"))
      while torch.isOn { try await Task.sleep(for: .milliseconds(2)) }
      let (scanCount, frameCount) = (basket.texts.count, source.counts.captured)
      #expect(await station.state.camera.state == .permissionDenied)
      let restricted = try metrics.expectGauge("reticle_camera_permission", [("permission", "restricted")])
      #expect(restricted.lastValue == 1)
      // Longer than the thread takes to check the switch, and than the controller waits before it asks again.
      try await Task.sleep(for: .milliseconds(700))
      #expect(basket.texts.count == scanCount && source.counts.captured == frameCount && source.history.last == "stop")
      privacy.turn(isClosed: false)
      let start = ContinuousClock.now
      while basket.texts.count < scanCount + 3 || !torch.isOn { try await Task.sleep(for: .milliseconds(2)) }
      #expect(ContinuousClock.now - start < .seconds(5))
      #expect(restricted.lastValue == 0)
    }
    await station.shutDown()
    try await running
  }

  @Test func `S2: a station that starts with a closed privacy switch loads no camera`() async throws {
    let source = camera(showing: ["A"])
    var parts = StationParts(source: source, reading: TopRowReading(), forwarding: basket)
    let privacy = SimulatedPrivacySwitch(isClosed: true)
    parts.scan.privacy = privacy
    let station = Station(settings: ScanSettings(), parts: parts, logger: notebook.logger, signals: [])
    async let running: Void = station.run()
    while !notebook.text.contains("the camera is switched off") { try await Task.sleep(for: .milliseconds(5)) }
    #expect(source.history.isEmpty)
    privacy.turn(isClosed: false)
    try await running
    #expect(basket.texts == ["A"])
  }

  @Test func `W4: with speech, the control that gets the focus is said with its value`() async throws {
    let (speaker, buttons) = (SimulatedSpeaker(), SimulatedButtons())
    var settings = ScanSettings()
    settings.confirmation = .always
    settings.isSpoken = true
    let failure = SourceFailure(.disconnected, "camera: it was unplugged")
    let source = SimulatedCamera(
      script: [.trouble(.failed(failure)), .frame(picture(of: "A")), .silence(.seconds(60))], period: .milliseconds(1),
      time: BootTime())
    var parts = StationParts(source: source, reading: PairReading(), forwarding: basket)
    (parts.scan.speaker, parts.scan.buttons) = (speaker, buttons)
    let station = Station(settings: settings, parts: parts, logger: notebook.logger, signals: [])
    async let running: Void = station.run()
    func says(_ words: String) async throws {
      while speaker.history.last != words { try await Task.sleep(for: .milliseconds(5)) }
    }
    try await says("Cancel, The camera is gone")
    // Both results are announced; the first has the focus and is not spoken again.
    try await says("A, A2")
    while !notebook.text.contains("waits for confirmation") { try await Task.sleep(for: .milliseconds(5)) }
    try await Task.sleep(for: .milliseconds(100))
    #expect(speaker.history.last == "A, A2")
    buttons.press(.next)
    try await says("Code 128, A2")
    buttons.press(.next)
    try await says("Code 128, A")
    buttons.press(.confirm)
    try await says("Code 128, A2")
    await station.shutDown()
    try await running
    #expect(basket.texts == ["A"])
  }

  @Test func `W4: with speech, the torch is said when the user switches it`() async throws {
    let (speaker, buttons, torch) = (SimulatedSpeaker(), SimulatedButtons(), SimulatedTorch())
    let source = SimulatedCamera(script: [.silence(.seconds(60))], time: BootTime())
    var parts = StationParts(source: source, reading: TopRowReading(), forwarding: basket)
    (parts.scan.speaker, parts.scan.buttons, parts.scan.torch) = (speaker, buttons, torch)
    parts.words.language = .german
    let station = Station(settings: ScanSettings(), parts: parts, logger: notebook.logger, signals: [])
    async let running: Void = station.run()
    while await !station.state.session.isScanning { try await Task.sleep(for: .milliseconds(5)) }
    while await !station.state.isTorchEnabled { try await Task.sleep(for: .milliseconds(5)) }
    for words in ["Licht, An", "Licht, Aus"] {
      buttons.press(.torch)
      while speaker.history.last != words { try await Task.sleep(for: .milliseconds(5)) }
    }
    await station.shutDown()
    try await running
    #expect(speaker.history == ["Licht, An", "Licht, Aus"])
  }

  /// Uses the real decoder on a picture of an unreadable symbol.
  @Test func `N10: an unreadable symbol is counted once per presentation, and is not a scan`() async throws {
    let frame = try unreadablePicture()
    let blank = SimulatedPicture(width: frame.width, height: frame.height, shade: 200)
    let held = [SimulatedPicture](repeating: frame, count: 60)
    let gone = [SimulatedPicture](repeating: blank, count: 80)
    let source = SimulatedCamera(
      script: (held + gone + held + gone).map { .frame($0) }, period: .milliseconds(20), time: BootTime())
    var parts = StationParts(
      source: source, reading: DecoderReading(settings: DecoderSettings()), forwarding: basket)
    parts.scan.metrics = metrics
    try await Station(settings: ScanSettings(), parts: parts, logger: notebook.logger, signals: []).run()
    #expect(try count("reticle_unread_symbols_total", [("help", "stiller")]) == 2)
    #expect(basket.texts.isEmpty)
  }

  /// A QR Code with a hole in its middle, larger than error correction can fill.
  private func unreadablePicture() throws -> SimulatedPicture {
    let symbol = try ShelfScene().symbol
    let margin = 32
    let (width, height) = (symbol.width + 2 * margin, symbol.height + 2 * margin)
    var luma = [UInt8](repeating: 255, count: width * height)
    for y in 0..<symbol.height {
      for x in 0..<symbol.width {
        let isHole = [x * 5 / symbol.width, y * 5 / symbol.height].allSatisfy { (2...3).contains($0) }
        luma[(y + margin) * width + x + margin] = isHole ? 255 : symbol.pixels[y * symbol.width + x]
      }
    }
    return SimulatedPicture(width: width, height: height, luma: luma)
  }

  @Test func `C8: the sensor's actual values are read back from its frames and logged once`() async throws {
    let source = camera(showing: (0..<70).map { "L\($0)" })
    source.sensor.exposureMicroseconds = 498
    source.sensor.gain = 2.5
    try await makeStation(source).run()
    let told = notebook.text.split(separator: "\n").filter { $0.contains("what the sensor does") }
    #expect(told == ["info what the sensor does exposure_us=498 gain=2.5"])
    #expect(try metrics.expectGauge("reticle_sensor_exposure_seconds").lastValue == 0.000498)
    #expect(try metrics.expectGauge("reticle_sensor_gain").lastValue == 2.5)
  }

  @Test func `a stored scan, one at risk and a refused one each have a separate signal`() async throws {
    let signals = SimulatedSignals()
    var parts = StationParts(source: camera(showing: ["A", "B"]), reading: TopRowReading(), forwarding: basket)
    parts.scan.signals = signals
    try await Station(settings: ScanSettings(), parts: parts, logger: notebook.logger, signals: []).run()
    #expect(signals.history == [.goodRead, .goodRead])
    basket.endanger()
    parts.scan.source = camera(showing: ["C"])
    try await Station(settings: ScanSettings(), parts: parts, logger: notebook.logger, signals: []).run()
    #expect(signals.history == [.goodRead, .goodRead, .atRisk])
    #expect(notebook.text.contains("in memory only"))
    basket.fill()
    parts.scan.source = camera(showing: ["D"])
    let station = Station(settings: ScanSettings(), parts: parts, logger: notebook.logger, signals: [])
    async let running: Void = station.run()
    while signals.history.count < 4 { try await Task.sleep(for: .milliseconds(5)) }
    await station.shutDown()
    try await running
    #expect(signals.history == [.goodRead, .goodRead, .atRisk, .refused])
  }

  @Test func `the worst outcome among the scans of a frame is signalled`() async throws {
    let stored = Result<ScanSafety, any Error>.success(.stored)
    let atRisk = Result<ScanSafety, any Error>.success(.atRisk(count: 1))
    let refused = Result<ScanSafety, any Error>.failure(Basket.Full())
    let mismatched = Result<ScanSafety, any Error>.success(.mismatched)
    for (outcomes, worst) in [
      ([stored, stored], StationSignal.goodRead), ([stored, atRisk], .atRisk), ([atRisk, stored], .atRisk),
      ([stored, refused], .refused), ([refused, stored], .refused), ([atRisk, refused], .refused),
      ([refused, atRisk], .refused), ([stored, mismatched], .mismatch), ([mismatched, refused], .refused),
    ] {
      let signals = SimulatedSignals()
      var parts = StationParts(
        source: camera(showing: ["A"]), reading: PairReading(), forwarding: Verdict(outcomes: outcomes))
      parts.scan.signals = signals
      try await Station(settings: ScanSettings(), parts: parts, logger: notebook.logger, signals: []).run()
      #expect(signals.history == [worst], "\(outcomes)")
    }
  }

  @Test func `an incomplete set at the end is a no-read that names the missing parts, and not a good read`() async throws {
    let signals = SimulatedSignals()
    var parts = StationParts(source: camera(showing: ["A"]), reading: PairReading(), forwarding: HalfSet())
    parts.scan.signals = signals
    try await Station(settings: ScanSettings(), parts: parts, logger: notebook.logger, signals: []).run()
    #expect(signals.history == [.noRead])
    #expect(notebook.text.contains("a set of codes is not complete") && notebook.text.contains("serial"))
  }

  @Test func `a trigger that finds nothing is a no-read, counted once and signalled`() async throws {
    let (signals, buttons) = (SimulatedSignals(), SimulatedButtons())
    var settings = ScanSettings()
    settings.trigger = .level(limit: .seconds(5))
    var parts = StationParts(
      source: SimulatedCamera(script: [.silence(.seconds(60))], time: BootTime()), reading: TopRowReading(),
      forwarding: basket)
    (parts.scan.signals, parts.scan.buttons, parts.scan.metrics) = (signals, buttons, metrics)
    let station = Station(settings: settings, parts: parts, logger: notebook.logger, signals: [])
    async let running: Void = station.run()
    buttons.press(.trigger)
    try await Task.sleep(for: .milliseconds(200))
    buttons.release(.trigger)
    while signals.history.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    await station.shutDown()
    try await running
    #expect(signals.history == [.noRead])
    #expect(try count("reticle_no_reads_total") == 1)
    #expect(try count("reticle_user_actions_total", [("action", "MobileQRScannerClose")]) == 1)
  }

  @Test func `T1, T3: light that another program switches on is noticed, and turned off if no session can use it`()
    async throws
  {
    let torch = SimulatedTorch()
    var settings = ScanSettings()
    settings.entry = .shortcut
    var parts = StationParts(
      source: SimulatedCamera(script: [.silence(.seconds(60))], time: BootTime()), reading: TopRowReading(),
      forwarding: basket)
    parts.scan.torch = torch
    let station = Station(settings: settings, parts: parts, logger: notebook.logger, signals: [])
    async let running: Void = station.run()
    while torch.history.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    torch.interfere(isOn: true)
    while torch.isOn { try await Task.sleep(for: .milliseconds(20)) }
    #expect(notebook.text.contains("another program has switched the torch"))
    await station.shutDown()
    try await running
  }

  @Test func `N6: a result to confirm is announced first, and forwarded after confirmation`() async throws {
    let (speaker, buttons) = (SimulatedSpeaker(duration: .milliseconds(100)), SimulatedButtons())
    var settings = ScanSettings()
    settings.confirmation = .always
    settings.isSpoken = true
    var parts = StationParts(source: camera(showing: ["A"]), reading: TopRowReading(), forwarding: basket)
    (parts.scan.speaker, parts.scan.buttons) = (speaker, buttons)
    let station = Station(settings: settings, parts: parts, logger: notebook.logger, signals: [])
    async let running: Void = station.run()
    while !notebook.text.contains("waits for confirmation") { try await Task.sleep(for: .milliseconds(5)) }
    #expect(speaker.history == ["A"])
    #expect(basket.texts.isEmpty)
    buttons.press(.confirm)
    while basket.texts.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    await station.shutDown()
    try await running
    #expect(basket.texts == ["A"])
  }

  @Test func `T6: a dark scene lights a whole station's torch, which goes out at the end`() async throws {
    let torch = SimulatedTorch()
    let night = SimulatedPicture(width: 64, height: 64, shade: 0)
    let source = SimulatedCamera(
      script: [.frame(night)] + [SimulatedCamera.Step](repeating: .frame(night), count: 3000),
      period: .milliseconds(2), time: BootTime())
    let station = makeStation(source, torch: torch) { $0.torch = .automatic }
    async let running: Void = station.run()
    while !torch.isOn { try await Task.sleep(for: .milliseconds(5)) }
    await station.shutDown()
    try await running
    #expect(!torch.isOn)
    #expect(try count("reticle_user_actions_total", [("action", "MobileQRScannerTorchOn")]) == 0)
  }

  @Test func `S0: a scanner that is switched off opens no camera`() async throws {
    let source = camera(showing: ["A"])
    let station = makeStation(source) { $0.isEnabled = false }
    async let running: Void = station.run()
    while !notebook.text.contains("switched off") { try await Task.sleep(for: .milliseconds(5)) }
    await station.shutDown()
    try await running
    #expect(source.history.isEmpty)
  }
}
