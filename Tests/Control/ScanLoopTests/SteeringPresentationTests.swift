// The camera's strategy before simulated scenes, beside fixed settings and the camera's own automatic: the share of labels that
// are read within 500 ms of their appearance.

import BarcodeDecoder
import BarcodeTypes
import Devices
import Foundation
import ScanControl
import SymbolPrinter
import TestSupport
import Testing

@testable import ScanLoop

/// What drives the camera.
enum CameraDriver: Hashable, CustomStringConvertible {
  case strategy
  /// The camera's own exposure and focus.
  case automatic
  case fixed(exposure: Int, gain: Double, lens: Double)

  var description: String {
    switch self {
    case .strategy: "strategy"
    case .automatic: "automatic"
    case .fixed(let exposure, let gain, let lens): "\(exposure) µs ×\(gain), \(lens) D"
    }
  }

  var isFixed: Bool { if case .fixed = self { true } else { false } }

  static let settings: [CameraDriver] = [400, 2_000, 10_000].flatMap { exposure in
    [1.0, 6].flatMap { gain in [2.0, 8].map { .fixed(exposure: exposure, gain: gain, lens: $0) } }
  }
}

/// The outcome of a presentation.
struct PresentationOutcome {
  /// From the label's appearance to the end of the frame that it was read in; nil: not read.
  var milliseconds: Int?
  var hasWrong = false
  var frameCount = 0
}

/// A label before a simulated sensor.
struct Presentation {
  /// How long the scene is empty before the label comes, in seconds: a camera's automatic settles.
  static let emptySeconds = 1.0
  /// How long the label is watched, in seconds.
  static let watchedSeconds = 0.6

  static let labels: [SceneLabel] = {
    let texts: [(Symbology, String)] = [
      (.ean13, "4006381333931"), (.qr, "https://reticle.example/7Q4K"), (.datamatrix, "LOT 7Q4K 2026-11"),
      (.code128, "TK17-A204"),
    ]
    return texts.compactMap { symbology, text in
      guard let picture = try? SymbolPrinter.print(SymbolRequest(text, symbology: symbology)).pixels(scale: 4) else {
        return nil
      }
      return SceneLabel(
        text: text, picture: SimulatedPicture(width: picture.width, height: picture.height, luma: picture.pixels),
        pixelsPerModule: 4)
    }
  }()

  let scene: CatalogueScene
  let number: Int
  var traits = SensorTraits()

  func run(_ driver: CameraDriver, log: ((FrameMeasures, CameraRequest?, Int) -> Void)? = nil) -> PresentationOutcome {
    let time = SimulatedTime()
    let emptySeconds = driver.isFixed ? 0.1 : Self.emptySeconds
    var settings = CameraSettings()
    if case .fixed(let exposure, let gain, let lens) = driver {
      (settings.exposure, settings.gain, settings.focus) = (.microseconds(exposure), gain, .fixed(lens))
    }
    let drawn = SimulatedScene(scene, presentation: number, labels: Self.labels, traits: traits)
    let sensor = SimulatedSensor(
      scene: drawn.delayed(by: emptySeconds), seed: UInt64(number), traits: traits, settings: settings, time: time)
    sensor.load()
    sensor.start()
    var steering = driver == .strategy ? CameraSteering(sensor, SteeringSettings()) : nil
    steering?.begin()
    var decoder = DecoderSettings()
    decoder.effort = .frame
    let reading = DecoderReading(settings: decoder, pixelCountMax: traits.width * traits.height)
    var outcome = PresentationOutcome()
    var sightings: [Sighting] = []
    let begin = time.now()
    func seconds() -> Double { Double(time.now() - begin) / 1e9 }
    while seconds() < emptySeconds + Self.watchedSeconds, outcome.milliseconds == nil {
      _ = sensor.withNextFrame(within: .milliseconds(200)) { frame, metadata in
        sightings.removeAll(keepingCapacity: true)
        let measured = steering?.measure(frame, region: nil, metadata, isLit: nil, wasEmpty: true)
        // Before the label comes nothing can be read, and nobody waits for it.
        if seconds() >= emptySeconds {
          _ = reading.read(
            frame, region: nil, at: Instant(nanoseconds: metadata.captureBootTimeNanoseconds), into: &sightings)
          outcome.frameCount += 1
        }
        if let measured {
          _ = steering?.steer(measured.measures, sightings, sightings.isEmpty ? reading.unread : [], of: frame)
        }
        if let measured { log?(measured.measures, steering?.wished, sightings.count) }
        if sightings.contains(where: { $0.code.text == drawn.texts.first }) {
          outcome.milliseconds = Int((seconds() - emptySeconds) * 1000)
        } else if !sightings.isEmpty {
          outcome.hasWrong = true
        }
      }
    }
    return outcome
  }
}

@Suite(.timeLimit(.minutes(60))) struct SteeringPresentationTests {
  /// RETICLE_PRESENTATIONS=1000 prints the table of all drivers over as many presentations of each scene.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["RETICLE_PRESENTATIONS"] != nil))
  func `the share that each driver reads within 500 ms`() {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["RETICLE_PRESENTATIONS"].flatMap(Int.init) ?? 100
    let seed = environment["RETICLE_SEED"].flatMap(Int.init) ?? Int.random(in: 0..<1_000_000)
    let drivers =
      environment["RETICLE_DRIVERS"] == "strategy" ? [.strategy] : [.strategy, .automatic] + CameraDriver.settings
    print("seed \(seed), \(count) presentations of each scene")
    for scene in CatalogueScene.allCases where environment["RETICLE_SCENE"].map({ $0 == scene.rawValue }) ?? true {
      var read: [CameraDriver: Int] = [:]
      var (any, wrong) = (0, 0)
      var times: [Int] = []
      for number in 0..<count {
        var isReadByAny = false
        for driver in drivers {
          let outcome = Presentation(scene: scene, number: seed + number).run(driver)
          if outcome.hasWrong { wrong += 1 }
          guard let milliseconds = outcome.milliseconds, milliseconds <= 500 else { continue }
          read[driver, default: 0] += 1
          isReadByAny = true
          if driver == .strategy { times.append(milliseconds) }
        }
        any += isReadByAny ? 1 : 0
      }
      let best = CameraDriver.settings.max { read[$0] ?? 0 < read[$1] ?? 0 }!
      print(
        "\(scene.rawValue): strategy \(read[.strategy] ?? 0), median \(times.sorted().dropFirst(times.count / 2).first ?? -1) ms; "
          + "automatic \(read[.automatic] ?? 0); best fixed \(read[best] ?? 0) (\(best)); any \(any); wrong \(wrong)")
    }
  }

  /// RETICLE_SCENE and RETICLE_SEED name one presentation, whose frames are told.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["RETICLE_TELL"] != nil))
  func `the frames of one presentation`() {
    let environment = ProcessInfo.processInfo.environment
    let scene = environment["RETICLE_SCENE"].flatMap(CatalogueScene.init) ?? .counter
    let number = environment["RETICLE_SEED"].flatMap(Int.init) ?? 1
    let outcome = Presentation(scene: scene, number: number).run(.strategy) { measures, request, count in
      print(
        measures.capturedAt.nanoseconds / 1_000_000, measures.settings.exposure ?? 0, measures.settings.gain ?? 0,
        measures.settings.lens ?? 0,
        "view \(measures.viewport.dark) \(measures.viewport.middle) \(measures.viewport.bright)",
        "white \(measures.viewport.whiteShare) steep \(measures.steepness) change \(measures.change ?? -1) rows \(measures.rowShare)",
        measures.unread.map { "unread \($0.brightness.bright) edges \($0.edgeAcross.bits >> 16) \($0.edgeDown.bits >> 16)" }
          ?? "",
        "read \(count)", request.map { "→ \($0.reason) \($0.exposure ?? 0) \($0.gain ?? 0) \($0.lens ?? -1)" } ?? "")
    }
    print(outcome)
  }
}
