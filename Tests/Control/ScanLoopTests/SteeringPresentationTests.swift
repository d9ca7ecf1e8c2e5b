// The camera's strategy before simulated scenes, beside fixed settings and the camera's own automatic: the share of labels that
// are read within 500 ms of their appearance, one after the other before the same station.

import BarcodeDecoder
import BarcodeTypes
import Devices
import Foundation
import ScanControl
import TestScenes
import TestSupport
import Testing

@testable import ScanLoop

/// The camera's driver.
private enum CameraDriver: Hashable, CustomStringConvertible {
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

  static let settings: [CameraDriver] = [100, 300, 1_000, 3_000, 10_000].flatMap { exposure in
    [1.0, 6].flatMap { gain in [3.5, 5, 9].map { .fixed(exposure: exposure, gain: gain, lens: $0) } }
  }
}

/// Labels one after the other in the same place.
private struct Presentations {
  /// How long the view is empty before the first label, and before each other, in seconds.
  static let emptySeconds = (first: 1.0, other: 1.5)
  /// How long a label is watched, in seconds.
  static let watchedSeconds = 0.6
  /// The time within which a label is to be read, in milliseconds.
  static let limit = 500

  let scene: CatalogueScene
  let number: Int
  let count: Int
  let labels: [SceneLabel]
  var traits = SensorTraits()

  /// Runs them.
  ///
  /// - Returns: milliseconds from each label's appearance to the end of the frame in which it was read, nil if it was not; and the
  ///   wrong texts.
  func run(_ driver: CameraDriver) -> (milliseconds: [Int?], wrong: [String]) {
    let time = SimulatedTime()
    var settings = CameraSettings()
    if case .fixed(let exposure, let gain, let lens) = driver {
      (settings.exposure, settings.gain, settings.focus) = (.microseconds(exposure), gain, .fixed(lens))
    }
    let torch = SimulatedTorch()
    let first = drawn(0)
    let sensor = SimulatedSensor(
      scene: first.delayed(by: Self.emptySeconds.first), seed: UInt64(number), traits: traits, settings: settings,
      torch: torch, time: time)
    sensor.load()
    sensor.start()
    var limits = SteeringSettings()
    limits.hasLight = true
    var steering = driver == .strategy ? CameraSteering(sensor, limits) : nil
    steering?.begin()
    var decoder = DecoderSettings()
    decoder.effort = .frame
    let reading = DecoderReading(settings: decoder, pixelCountMax: traits.width * traits.height)
    var (milliseconds, wrong): ([Int?], [String]) = ([], [])
    for index in 0..<count {
      let emptySeconds = index == 0 ? Self.emptySeconds.first : Self.emptySeconds.other
      // The same place and light, with the next label.
      var scene = drawn(index)
      scene.light = first.light
      scene.parts = first.parts.filter { $0.text == nil } + scene.parts.filter { $0.text != nil }
      if index > 0 { sensor.scene = scene.delayed(by: emptySeconds) }
      let begin = time.now()
      var read: Int?
      while true {
        let seconds = Double(time.now() - begin) / 1e9
        guard seconds < emptySeconds + Self.watchedSeconds else { break }
        _ = sensor.withNextFrame(within: .milliseconds(200)) { frame, metadata in
          var sightings: [Sighting] = []
          let measured = steering?.measure(frame, region: nil, metadata, isLit: torch.isOn, wasEmpty: true)
          let seconds = Double(time.now() - begin) / 1e9
          let isThere = seconds >= emptySeconds
          if isThere {
            let moment = Instant(nanoseconds: metadata.captureBootTimeNanoseconds)
            _ = reading.read(frame, region: nil, at: moment, into: &sightings)
          }
          let unread = isThere && sightings.isEmpty ? reading.unread : []
          if let measured, let light = steering?.steer(measured.measures, sightings, unread, of: frame) {
            torch.interfere(isOn: light)
          }
          // A UPC-A is an EAN-13 without its leading zero.
          let isRight: (Sighting) -> Bool = {
            scene.texts.contains($0.code.text) || scene.texts.contains("0" + $0.code.text)
          }
          for sighting in sightings where !isRight(sighting) { wrong.append(sighting.code.text) }
          if sightings.contains(where: isRight) {
            read = read ?? Int((seconds - emptySeconds) * 1000)
          }
        }
      }
      milliseconds.append(read)
    }
    return (milliseconds, wrong)
  }

  private func drawn(_ index: Int) -> SimulatedScene {
    SimulatedScene(scene, presentation: number + index, labels: labels, traits: traits)
  }
}

@Suite(.timeLimit(.minutes(60))) struct SteeringPresentationTests {
  /// Labels in a row before one station.
  private static let rowLength = 10

  private func readCount(_ milliseconds: [Int?]) -> Int {
    milliseconds.count(where: isInTime)
  }

  private func isInTime(_ milliseconds: Int?) -> Bool { milliseconds.map { $0 <= Presentations.limit } ?? false }

  /// The share of labels, in percent, that the strategy must read within 500 ms. docs/tuning.md has its figures; the share asked for
  /// here leaves room for a row of ten with hard labels in hard light.
  @Test(arguments: [
    (CatalogueScene.counter, 85), (.shakingHand, 65), (.flickeringLight, 60), (.sunlitTable, 85), (.nearLabel, 60),
    (.darkShelf, 60), (.phoneInTheDark, 60), (.conveyor, 35), (.bottleUnderALamp, 20), (.approachingLabel, 5),
  ])
  func `labels one after the other are read`(_ scene: CatalogueScene, _ percent: Int) throws {
    let seed = Int(TestSeed.value % 1_000_000)
    let labels = try SceneLabel.samples(count: 8, seed: UInt64(seed))
    let rowCount = max(3, TestDepth.scaled(4))
    var (read, total) = (0, 0)
    var wrong: [String] = []
    for row in 0..<rowCount {
      let outcome = Presentations(
        scene: scene, number: seed + row * Self.rowLength, count: Self.rowLength, labels: labels
      ).run(.strategy)
      read += readCount(outcome.milliseconds)
      total += Self.rowLength
      wrong += outcome.wrong
    }
    #expect(read * 100 >= total * percent, "\(read) of \(total), seed \(seed)")
    #expect(wrong == [], "seed \(seed)")
  }

  /// The left halves of these EAN-13s have the check digit of a UPC-E of number system 1, whose digits are drawn alike.
  @Test(arguments: [1_000, 2_000, 3_000])
  func `glare leaves no half of an EAN-13`(_ number: Int) throws {
    let labels = try ["3986270318540", "4404923395766", "6418408580965", "6298640388112"].map {
      try SceneLabel.printed($0, .ean13)
    }
    let row = Presentations(scene: .bottleUnderALamp, number: number, count: 2 * Self.rowLength, labels: labels)
    #expect(row.run(.strategy).wrong == [] && row.run(.automatic).wrong == [])
  }

  /// The left half of this EAN-13 is a UPC-E of number system 1, too. Overexposed glare hides all bars of the right half but the last guard.
  @Test func `overexposed glare leaves no half of an EAN-13`() throws {
    let labels = try SceneLabel.samples(count: 8, seed: 4711)
    let row = Presentations(scene: .bottleUnderALamp, number: 4741, count: Self.rowLength, labels: labels)
    #expect(row.run(.fixed(exposure: 10_000, gain: 6, lens: 5)).wrong == [])
  }

  /// This EAN-13 is out of focus and overexposed, and the grey values of a line nearly fit another number.
  @Test func `a line whose grey values are not certain is not believed alone`() throws {
    let labels = try SceneLabel.samples(count: 8, seed: 708_750)
    let row = Presentations(scene: .sunlitTable, number: 709_270, count: 2, labels: labels)
    #expect(row.run(.automatic).wrong == [])
  }

  /// Labels that frames of these bottles show only together. A frame that comes a second after the last may show another label.
  @Test func `frames add up, and are forgotten over a pause`() throws {
    let labels = try SceneLabel.samples(count: 8, seed: 90_125)
    let traits = SensorTraits()
    var settings = CameraSettings()
    (settings.exposure, settings.gain, settings.focus) = (.microseconds(3_000), 1, .fixed(5))
    var decoder = DecoderSettings()
    decoder.effort = .frame
    // Labels read with the times of the frames, and with a second from each to the next.
    var (readCount, pausedCount) = (0, 0)
    for number in [90_158, 90_166, 90_170, 90_172, 90_173, 90_177, 90_178, 90_182] {
      let sensor = SimulatedSensor(
        scene: SimulatedScene(.bottleUnderALamp, presentation: number, labels: labels, traits: traits), seed: UInt64(number),
        traits: traits, settings: settings, torch: SimulatedTorch(), time: SimulatedTime())
      sensor.load()
      sensor.start()
      let readings = (0..<2).map { _ in DecoderReading(settings: decoder, pixelCountMax: traits.width * traits.height) }
      var isRead = [false, false]
      for index in 0..<15 {
        _ = sensor.withNextFrame(within: .milliseconds(200)) { frame, metadata in
          for (which, moment) in [metadata.captureBootTimeNanoseconds, Int64(index) * 1_000_000_000].enumerated() {
            var sightings: [Sighting] = []
            _ = readings[which].read(frame, region: nil, at: Instant(nanoseconds: moment), into: &sightings)
            if !sightings.isEmpty { isRead[which] = true }
          }
        }
      }
      readCount += isRead[0] ? 1 : 0
      pausedCount += isRead[1] ? 1 : 0
    }
    print("\(readCount) labels read, \(pausedCount) with pauses")
    #expect(readCount >= pausedCount + 2)
  }

  /// In these rows, glare once made two characters of a symbol look like others with the same check sum, or hid half of a symbol.
  @Test(arguments: [917_869, 917_879, 917_889])
  func `under a lamp nothing is read wrong`(_ number: Int) throws {
    let labels = try SceneLabel.samples(count: 8, seed: 917_869)
    let row = Presentations(scene: .bottleUnderALamp, number: number, count: Self.rowLength, labels: labels)
    #expect(row.run(.strategy).wrong == [] && row.run(.automatic).wrong == [])
  }

  /// Processor time is measured per second of the station's time, as a waiting station takes fewer frames. The label appears after
  /// `emptySeconds`; a busy station has it in view.
  @Test(arguments: [CatalogueScene.counter, .nearLabel, .conveyor])
  func `an idle station takes a tenth of the processor time of a busy one, and decodes the frame that wakes it`(
    _ scene: CatalogueScene
  ) throws {
    let (settledSeconds, emptySeconds, busySeconds) = (10.0, 20.0, 2.0)
    let traits = SensorTraits()
    let time = SimulatedTime()
    let labels = try SceneLabel.samples(count: 8)
    let drawn = SimulatedScene(scene, presentation: 7, labels: labels, traits: traits)
    let sensor = SimulatedSensor(
      scene: drawn.delayed(by: emptySeconds), seed: 7, traits: traits, settings: CameraSettings(), torch: SimulatedTorch(),
      time: time)
    sensor.load()
    sensor.start()
    var steering = CameraSteering(sensor, SteeringSettings())
    steering.begin()
    var decoder = DecoderSettings()
    decoder.effort = .frame
    let reading = DecoderReading(settings: decoder, pixelCountMax: traits.width * traits.height)
    let begin = time.now()
    var (idle, busy) = (0.0, 0.0)
    var (restedCount, wasEmpty) = (0, true)
    var hasRestedAtFirst: Bool?
    while Double(time.now() - begin) / 1e9 < emptySeconds + busySeconds {
      _ = sensor.withNextFrame(within: .milliseconds(200)) { frame, metadata in
        let moment = Instant(nanoseconds: metadata.captureBootTimeNanoseconds)
        let seconds = Double(moment.nanoseconds - Int64(begin)) / 1e9
        var sightings: [Sighting] = []
        let before = threadSeconds()
        let (measures, mayRest) = steering.measure(frame, region: nil, metadata, isLit: nil, wasEmpty: wasEmpty)
        if !mayRest {
          _ = reading.read(frame, region: nil, at: moment, into: &sightings)
          wasEmpty = sightings.isEmpty
        }
        _ = steering.steer(measures, sightings, sightings.isEmpty ? reading.unread : [], of: frame)
        let cost = threadSeconds() - before
        switch seconds {
        case settledSeconds..<emptySeconds:
          idle += cost / (emptySeconds - settledSeconds)
          restedCount += mayRest ? 1 : 0
        case emptySeconds...:
          busy += cost / busySeconds
          // Exposed before the label came, in part.
          if seconds > emptySeconds + 0.01 { hasRestedAtFirst = hasRestedAtFirst ?? mayRest }
        default: break
        }
      }
    }
    print("\(scene.rawValue): \(idle * 1000) ms per second idle, \(busy * 1000) ms busy, \(restedCount) frames not decoded")
    #expect(idle * 10 <= busy)
    #expect(hasRestedAtFirst == false)
  }

  /// The processor time of this thread, in seconds.
  private func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// RETICLE_PRESENTATIONS=1000 prints the table of all drivers over as many presentations of each scene; RETICLE_DRIVERS=strategy
  /// leaves out the fixed settings.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["RETICLE_PRESENTATIONS"] != nil))
  func `the share that each driver reads within 500 ms`() throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["RETICLE_PRESENTATIONS"].flatMap(Int.init) ?? 100
    let seed = Int(TestSeed.value % 1_000_000)
    let labels = try SceneLabel.samples(count: 8, seed: UInt64(seed))
    let drivers =
      environment["RETICLE_DRIVERS"] == "strategy"
      ? [.strategy, .automatic] : [.strategy, .automatic] + CameraDriver.settings
    print("seed \(seed), \(count) presentations of each scene")
    for scene in CatalogueScene.allCases where environment["RETICLE_SCENE"].map({ $0 == scene.rawValue }) ?? true {
      var read: [CameraDriver: Int] = [:]
      var (wrong, times): (Int, [Int]) = (0, [])
      // Labels that any fixed setting read in time, and those of them that the strategy read.
      var (readable, readOfReadable) = (0, 0)
      for start in stride(from: 0, to: count, by: Self.rowLength) {
        var isReadable = [Bool](repeating: false, count: Self.rowLength)
        var isReadByStrategy = isReadable
        for driver in drivers {
          let outcome = Presentations(scene: scene, number: seed + start, count: Self.rowLength, labels: labels).run(driver)
          read[driver, default: 0] += readCount(outcome.milliseconds)
          wrong += outcome.wrong.count
          for text in Set(outcome.wrong) { print("wrong with \(driver): \(text), labels from \(seed + start)") }
          for (index, milliseconds) in outcome.milliseconds.enumerated() where isInTime(milliseconds) {
            switch driver {
            case .strategy: isReadByStrategy[index] = true
            case .automatic: break
            case .fixed: isReadable[index] = true
            }
          }
          if driver == .strategy { times += outcome.milliseconds.compactMap { $0 } }
        }
        readable += isReadable.count { $0 }
        readOfReadable += zip(isReadable, isReadByStrategy).count { $0 && $1 }
      }
      let best = CameraDriver.settings.max { read[$0] ?? 0 < read[$1] ?? 0 }
      print(
        "\(scene.rawValue): strategy \(read[.strategy] ?? 0), median \(times.sorted().dropFirst(times.count / 2).first ?? -1) ms; "
          + "automatic \(read[.automatic] ?? 0); best fixed \(best.flatMap { read[$0] } ?? 0) (\(best?.description ?? "-")), "
          + "any fixed \(readable), of which strategy \(readOfReadable); wrong \(wrong)")
    }
  }
}
