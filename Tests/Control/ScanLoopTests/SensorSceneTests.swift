// The scenes of the simulated sensor, read by the decoder under fixed settings. The table of what each setting reads is the basis
// for whatever chooses settings by itself.

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
  /// In dioptres; nil: the camera focuses by itself.
  var lens: Double?
  var isTorchLit = false

  var text: String {
    let light = exposure.map { "\(Double($0) / 1000) ms" } ?? "auto"
    let factor = gain.map { " ×\(Int($0))" } ?? ""
    return light + factor + (lens.map { " \($0) dpt" } ?? " af") + (isTorchLit ? " torch" : "")
  }
}

@Suite(.timeLimit(.minutes(10))) struct SensorSceneTests {
  /// Frames that a presentation lasts, after those that the controls need to act.
  private static let frameCount = 8
  private static let presentationCount = 12

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
    for _ in 0..<Self.frameCount where !isRead {
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

  @Test(.enabled(if: ProcessInfo.processInfo.environment["RETICLE_FRAMES"] != nil))
  func `draws frames of each scene`() throws {
    let folder = try #require(ProcessInfo.processInfo.environment["RETICLE_FRAMES"])
    let reading = DecoderReading(settings: DecoderSettings(), pixelCountMax: 640 * 400)
    for kind in CatalogueScene.allCases {
      for presentation in 0..<4 {
        var number = 0
        _ = present(kind, presentation, FixedSetting(exposure: presentation < 2 ? nil : 2000, gain: presentation < 2 ? nil : 4), reading) { frame in
          let pixels = (0..<frame.height).flatMap { y in (0..<frame.width).map { frame[$0, y] } }
          let file = Data("P5 \(frame.width) \(frame.height) 255\n".utf8) + Data(pixels)
          try? file.write(to: URL(filePath: "\(folder)/\(kind.rawValue)-\(presentation)-\(number).pgm"))
          number += 1
        }
      }
    }
  }
}
