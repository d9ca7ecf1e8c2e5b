// A whole station before the simulated sensor, in simulated time: light, lens, pixels, decoder, controller and forwarding.

import BarcodeDecoder
import BarcodeTypes
import Devices
import ScanControl
import ScanLoop
import Station
import TestScenes
import Testing

@Suite(.timeLimit(.minutes(1))) struct SensorRunTests {
  private let basket = Basket()
  private let notebook = Notebook()
  private let time = SimulatedTime(nanoseconds: 1_000_000_000)

  /// Runs a station until the sensor's frames end.
  private func run(
    _ scene: SimulatedScene, torchMode: TorchMode, steering: SteeringSettings? = nil, traits: SensorTraits = SensorTraits(),
    frameCount: Int = 60
  ) async throws {
    let torch = SimulatedTorch()
    var settings = ScanSettings()
    settings.torch = torchMode
    let sensor = SimulatedSensor(
      scene: scene, seed: 1, traits: traits, torch: torch, keepsEveryFrame: true, frameCountMax: frameCount, time: time)
    var parts = StationParts(
      source: sensor, reading: DecoderReading(settings: DecoderSettings(), pixelCountMax: 640 * 400), forwarding: basket)
    parts.scan.time = time
    parts.scan.steering = steering
    parts.scan.torch = torch
    try await Station(settings: settings, parts: parts, logger: notebook.logger, signals: []).run()
  }

  @Test func `a station scans a label once, from the light on it to its text`() async throws {
    let scene = SimulatedScene(.counter, presentation: 1, labels: [try .printed("4006381333931", .ean13)])
    try await run(scene.delayed(by: 0.5), torchMode: .manual)
    #expect(basket.texts == ["4006381333931"])
    #expect(time.now() > 2_900_000_000, "60 frames take 2 s of simulated time")
  }

  @Test func `a station that steers its camera scans a label too near for the lens as it rests`() async throws {
    let label = try SceneLabel.printed("4006381333931", .ean13)
    var steering = SteeringSettings()
    steering.hasLight = true
    for presentation in 2...4 {
      let scene = SimulatedScene(.nearLabel, presentation: presentation, labels: [label])
      try await run(scene.delayed(by: 0.5), torchMode: .automatic, steering: steering, frameCount: 90)
    }
    #expect(basket.texts == [String](repeating: "4006381333931", count: 3))
  }

  /// A camera with a fault: its traits.
  private static let faults: [(name: String, traits: SensorTraits)] = {
    func camera(_ change: (inout SensorTraits) -> Void) -> SensorTraits {
      var traits = SensorTraits()
      traits.restingLens = 5
      change(&traits)
      return traits
    }
    var faults: [(String, SensorTraits)] = [
      ("without any control", camera { $0.listed = [] }),
      ("that refuses every control", camera { $0.deaf = Set(SensorControl.allCases) }),
      ("that tells nothing", camera { $0.told = [] }),
      ("whose controls act after ten frames", camera { ($0.exposureDelayFrames, $0.gainDelayFrames) = (10, 10) }),
    ]
    for control in SensorControl.allCases {
      faults.append(("without \(control)", camera { $0.listed.remove(control) }))
      faults.append(("that refuses \(control)", camera { $0.deaf = [control] }))
      faults.append(("that does not tell \(control)", camera { $0.told.remove(control) }))
    }
    return faults
  }()

  @Test(arguments: faults.map(\.name))
  func `a station scans with a camera`(_ fault: String) async throws {
    let traits = try #require(Self.faults.first { $0.name == fault }?.traits)
    let scene = SimulatedScene(.counter, presentation: 1, labels: [try .printed("4006381333931", .ean13)])
    try await run(scene.delayed(by: 0.5), torchMode: .automatic, steering: SteeringSettings(), traits: traits)
    #expect(basket.texts == ["4006381333931"])
  }

  @Test(arguments: [TorchMode.manual, .on])
  func `a label on a dark shelf is scanned in the torch's light only`(mode: TorchMode) async throws {
    var scene = SimulatedScene(.darkShelf, presentation: 3, labels: [try .printed("SHELF-17", .code128)])
    // The darkest shelf, so that no frame is read by chance.
    scene.light.lux = 0.2
    try await run(scene, torchMode: mode)
    #expect(basket.texts == (mode == .on ? ["SHELF-17"] : []))
  }
}
