// The scenes of the simulated sensor, read by the decoder under fixed settings. The table shows what each setting
// reads, and where a strategy must choose.

import BarcodeDecoder
import BarcodeTypes
import Devices
import Foundation
import ScanControl
import TestScenes
import Testing

@testable import ScanLoop

/// Settings that stay the same for all frames of a presentation.
private struct FixedSetting {
  /// In microseconds; nil: the camera chooses exposure and gain.
  var exposure: Int?
  var gain: Double?
  /// In dioptres; nil: autofocus.
  var lens: Double?
  var isTorchLit = false

  var text: String {
    let light = exposure.map { "\(Double($0) / 1000) ms" } ?? "auto"
    let factor = gain.map { " ×\(Int($0))" } ?? ""
    return light + factor + (lens.map { " \($0) dpt" } ?? " af") + (isTorchLit ? " torch" : "")
  }
}

@Suite(.timeLimit(.minutes(60))) struct SensorSceneTests {
  private static let presentationCount = 12
  /// Presentations per entry of the table: RETICLE_FIGURES, at least 1.
  private static let figureCount = ProcessInfo.processInfo.environment["RETICLE_FIGURES"].flatMap { Int($0) } ?? 0

  private let labels: [SceneLabel]

  init() throws { labels = try SceneLabel.samples(count: 4) }

  /// Presents a scene; whether one of its frames is read as its text, and the texts read wrongly.
  private func present(
    _ kind: CatalogueScene, _ presentation: Int, _ setting: FixedSetting, _ reading: DecoderReading,
    picture: ((LumaView) -> Void)? = nil
  ) -> (isRead: Bool, wrong: [String]) {
    let time = SimulatedTime(nanoseconds: 1_000_000_000)
    let scene = SimulatedScene(kind, presentation: presentation, labels: labels)
    let torch = SimulatedTorch(isOn: setting.isTorchLit)
    let sensor = SimulatedSensor(scene: scene, seed: UInt64(presentation), torch: torch, time: time)
    sensor.load()
    var wish = CameraWish()
    (wish.exposure, wish.gain, wish.lens) = (setting.exposure, setting.gain, setting.lens)
    sensor.adjust(wish)
    sensor.start()
    var isRead = false
    var wrong: [String] = []
    while !isRead, sensor.sceneSeconds < kind.seconds {
      _ = sensor.withNextFrame(within: .seconds(1)) { frame, metadata in
        var sightings: [Sighting] = []
        _ = reading.read(
          frame, region: nil, at: Instant(nanoseconds: metadata.captureBootTimeNanoseconds), into: &sightings)
        for sighting in sightings {
          if scene.texts.contains(sighting.code.text) { isRead = true } else { wrong.append(sighting.code.text) }
        }
        picture?(frame)
      }
    }
    return (isRead, wrong)
  }

  /// A setting that suits each scene; none suits all.
  private static let suited: [CatalogueScene: FixedSetting] = [
    .phoneInTheDark: FixedSetting(exposure: 3000, gain: 1, lens: 5),
    .darkShelf: FixedSetting(exposure: 3000, gain: 4, lens: 4, isTorchLit: true),
    .bottleUnderALamp: FixedSetting(exposure: 3000, gain: 1, lens: 5, isTorchLit: true),
    .conveyor: FixedSetting(exposure: 300, gain: 16, lens: 3.5, isTorchLit: true),
    .approachingLabel: FixedSetting(exposure: 3000, gain: 4, lens: 6),
    .shakingHand: FixedSetting(exposure: 1000, gain: 16, lens: 5),
    .flickeringLight: FixedSetting(exposure: 10_000, gain: 2, lens: 5),
    .nearLabel: FixedSetting(exposure: 10_000, gain: 2, lens: 12),
    .sunlitTable: FixedSetting(exposure: 300, gain: 1, lens: 5),
    .counter: FixedSetting(exposure: 10_000, gain: 2, lens: 5),
  ]

  /// Settings for the table: lights with each focus, then the torch with the shorter exposures.
  private static let settings: [FixedSetting] = {
    let lights: [(Int?, Double?)] = [
      (nil, nil), (30, 1), (300, 1), (300, 16), (1000, 1), (1000, 16), (3000, 1), (3000, 4), (10_000, 2), (33_000, 16),
    ]
    return [false, true].flatMap { isTorchLit in
      lights.flatMap { light in
        [nil, 5, 12].map { FixedSetting(exposure: light.0, gain: light.1, lens: $0, isTorchLit: isTorchLit) }
      }
    }
  }()

  private func makeReading() -> DecoderReading {
    DecoderReading(settings: DecoderSettings(), pixelCountMax: 640 * 400)
  }

  /// The share of presentations that a setting reads, in percent.
  private func share(of kind: CatalogueScene, _ setting: FixedSetting, _ count: Int, _ wrong: inout [String]) -> Int {
    var readCount = 0
    for presentation in 0..<count {
      let outcome = present(kind, presentation, setting, makeReading())
      readCount += outcome.isRead ? 1 : 0
      wrong += outcome.wrong
    }
    return readCount * 100 / count
  }

  @Test(arguments: CatalogueScene.allCases) func `a setting that suits a scene reads most presentations, and nothing wrong`(
    kind: CatalogueScene
  ) throws {
    var wrong: [String] = []
    let setting = try #require(Self.suited[kind])
    let share = share(of: kind, setting, Self.presentationCount, &wrong)
    print("\(kind.rawValue): \(setting.text) reads \(share) %")
    #expect(share >= 60)
    #expect(wrong.isEmpty)
  }

  @Test(.enabled(if: figureCount > 0))
  func `prints the share of presentations that each setting reads`() {
    let wished = ProcessInfo.processInfo.environment["RETICLE_SCENE"]
    let kinds = CatalogueScene.allCases.filter { wished == nil || wished == $0.rawValue }
    print("setting | " + kinds.map(\.rawValue).joined(separator: " | ") + " | least | mean")
    var wrong: [String] = []
    for setting in Self.settings {
      let shares = kinds.map { share(of: $0, setting, Self.figureCount, &wrong) }
      let columns = shares + [shares.min() ?? 0, shares.reduce(0, +) / kinds.count]
      print(setting.text + " | " + columns.map(String.init).joined(separator: " | "))
    }
    print("read wrongly: \(wrong)")
  }

  @Test(.enabled(if: figureCount > 0))
  func `prints the time that drawing a frame takes`() throws {
    for kind in CatalogueScene.allCases {
      // CPU time, because other work may run at the same time.
      let begin = clock()
      let sensor = SimulatedSensor(
        scene: SimulatedScene(kind, presentation: 0, labels: labels), seed: 1,
        time: SimulatedTime(nanoseconds: 1_000_000_000))
      sensor.load()
      sensor.start()
      let start = clock()
      for _ in 0..<15 { _ = sensor.withNextFrame(within: .seconds(1)) { _, _ in } }
      func milliseconds(_ from: clock_t, _ to: clock_t) -> Double {
        Double(to - from) / Double(CLOCKS_PER_SEC) * 1000
      }
      let (setUp, frame) = (milliseconds(begin, start), milliseconds(start, clock()) / 15)
      print("\(kind.rawValue): \(frame) ms per frame, \(setUp) ms before the first")
    }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["RETICLE_FRAMES"] != nil))
  func `draws frames of each scene`() throws {
    let folder = try #require(ProcessInfo.processInfo.environment["RETICLE_FRAMES"])
    for kind in CatalogueScene.allCases {
      for presentation in 0..<4 {
        var number = 0
        _ = present(
          kind, presentation, FixedSetting(exposure: presentation < 2 ? nil : 2000, gain: presentation < 2 ? nil : 4),
          makeReading()
        ) { frame in
          let pixels = (0..<frame.height).flatMap { y in (0..<frame.width).map { frame[$0, y] } }
          let file = Data("P5 \(frame.width) \(frame.height) 255\n".utf8) + Data(pixels)
          try? file.write(to: URL(filePath: "\(folder)/\(kind.rawValue)-\(presentation)-\(number).pgm"))
          number += 1
        }
      }
    }
  }
}
