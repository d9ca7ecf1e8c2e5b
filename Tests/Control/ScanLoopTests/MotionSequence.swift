// Labels that move before a station, one after the other: on a conveyor and in a hand, before the simulated sensor, through decoder and
// controller. Each label is one presentation, and should be one scan.

import BarcodeDecoder
import Devices
import ScanControl
import TestScenes

@testable import ScanLoop

/// How labels move.
enum LabelMotion: Hashable, CustomStringConvertible {
  /// Across the bars, in millimetres per second.
  case conveyor(Int)
  /// Held by a hand that trembles.
  case held
  /// Held by a hand that shakes.
  case shaken
  /// Passed by a hand.
  case swiped

  static let conveyorSpeeds = [250, 500, 1000, 1500, 2500]
  static let byHand: [LabelMotion] = [.held, .shaken, .swiped]

  var description: String {
    switch self {
    case .conveyor(let speed): "\(Double(speed) / 1000) m/s"
    case .held: "held"
    case .shaken: "shaken"
    case .swiped: "swiped"
    }
  }

  var framesPerSecond: Double { if case .conveyor = self { 60 } else { 30 } }

  /// The light of a lit conveyor, or of a room with lamps, for the station's own exposure.
  var lux: Double { if case .conveyor = self { 1000 } else { 500 } }

  /// How long a hand holds a label, in seconds: longer than the absence after which a code counts as presented again.
  private static let heldSeconds = 2.0
  /// In millimetres per second.
  private static let swipeSpeeds = 300.0...800.0
  /// Standard deviations of a hand's place, in millimetres, and its frequencies in hertz.
  private static let tremor = 1.5...3.0
  private static let shaking = 5.0...8.0
  private static let hertz = 4.0...9.0

  /// Moves a label, and returns for how many seconds.
  ///
  /// - Parameter way: millimetres from just outside of the view on one side to just outside on the other.
  func move(_ label: inout ScenePart, way: Double, _ chance: inout SceneChance) -> Double {
    func tremble(_ range: ClosedRange<Double>) {
      label.path.shake = SceneShake(
        millimetres: chance.number(in: range), hertz: chance.number(in: Self.hertz), seed: chance.next())
    }
    func pass(at speed: Double) -> Double {
      label.path.x = -way / 2
      label.path.velocityX = speed
      return way / speed
    }
    switch self {
    case .conveyor(let speed): return pass(at: Double(speed))
    case .held:
      tremble(Self.tremor)
      return Self.heldSeconds
    case .shaken:
      tremble(Self.shaking)
      return Self.heldSeconds
    case .swiped:
      tremble(Self.tremor)
      return pass(at: chance.number(in: Self.swipeSpeeds))
    }
  }
}

/// A row of labels before one station.
struct MotionSequence {
  /// The number of labels by their scans.
  struct Outcome: Equatable {
    var once = 0
    var missed = 0
    var twice = 0
    /// Scans of texts that no label has.
    var wrong: [String] = []
    /// For each further scan of a label, how long it was not read before, in milliseconds.
    var absences: [Int] = []

    static func + (one: Outcome, other: Outcome) -> Outcome {
      Outcome(
        once: one.once + other.once, missed: one.missed + other.missed, twice: one.twice + other.twice,
        wrong: one.wrong + other.wrong, absences: one.absences + other.absences)
    }
  }

  /// The side of a module and the distance of labels, in millimetres: two pixels per module.
  static let module = 0.33
  private static let depth = 165.0
  /// Seconds without a label before the first and after each.
  private static let emptySeconds = (first: 1.0, other: 0.1)
  /// Light for fixed exposures: paper is this share of the brightest level at this gain, so that noise is the same for all.
  private static let paperLevel = 0.7
  private static let gain = 4.0

  var motion: LabelMotion
  /// In microseconds; nil for the station's own strategy.
  var exposure: Int?
  var isRolling: Bool
  /// Of each symbology.
  var count: Int
  var seed: Int

  func run() throws -> Outcome {
    var traits = SensorTraits()
    if !isRolling { traits.rowMicroseconds = 0 }
    let labels = try SceneLabel.samples(count: count, seed: UInt64(seed))
    var settings = CameraSettings()
    settings.frameRate = motion.framesPerSecond
    settings.focus = .fixed(1000 / Self.depth)
    if let exposure { (settings.exposure, settings.gain) = (.microseconds(exposure), Self.gain) }
    let (time, torch) = (SimulatedTime(nanoseconds: 1_000_000_000), SimulatedTorch())
    let backdrop = SimulatedScene(.conveyor, presentation: seed, labels: [labels[0]], traits: traits)
    let sensor = SimulatedSensor(
      scene: backdrop, seed: UInt64(seed), traits: traits, settings: settings, torch: torch, time: time)
    sensor.load()
    sensor.start()
    var limits = SteeringSettings()
    limits.hasLight = true
    var steering = exposure == nil ? CameraSteering(sensor, limits) : nil
    steering?.begin()
    var decoder = DecoderSettings()
    decoder.effort = .frame
    let reading = DecoderReading(settings: decoder, pixelCountMax: traits.width * traits.height)
    var session = RecordedSession(ScanSettings(), at: Instant(nanoseconds: time.now()))
    var wasEmpty = true
    var (lastRead, absences): ([String: Instant], [Int]) = ([:], [])
    for index in labels.indices {
      var (scene, seconds) = scene(index, labels[index], before: backdrop, traits)
      if index == 0 {
        scene = scene.delayed(by: Self.emptySeconds.first)
        seconds += Self.emptySeconds.first
      }
      sensor.scene = scene
      let end = time.now() + Int64((seconds + Self.emptySeconds.other) * 1e9)
      while time.now() < end {
        _ = sensor.withNextFrame(within: .milliseconds(200)) { frame, metadata in
          let moment = Instant(nanoseconds: metadata.captureBootTimeNanoseconds)
          var sightings: [Sighting] = []
          let measured = steering?.measure(frame, region: nil, metadata, isLit: torch.isOn, wasEmpty: wasEmpty)
          _ = reading.read(frame, region: nil, at: moment, into: &sightings)
          let unread = sightings.isEmpty ? reading.unread : []
          if let measured, let light = steering?.steer(measured.measures, sightings, unread, of: frame) {
            torch.interfere(isOn: light)
          }
          wasEmpty = sightings.isEmpty
          let scanCount = session.texts.count
          session.frame(sightings, at: moment)
          for text in session.texts[scanCount...] where session.texts[..<scanCount].contains(text) {
            absences.append(lastRead[text].map { Int($0.duration(to: moment) / .milliseconds(1)) } ?? 0)
          }
          for sighting in sightings { lastRead[sighting.code.text] = moment }
        }
      }
    }
    return outcome(labels.map(\.text), session.texts, absences)
  }

  private func outcome(_ labels: [String], _ scans: [String], _ absences: [Int]) -> Outcome {
    var outcome = Outcome()
    outcome.absences = absences
    // A UPC-A is an EAN-13 without its leading zero.
    let scans = scans.map { labels.contains($0) ? $0 : "0" + $0 }
    for label in labels {
      switch scans.count(where: { $0 == label }) {
      case 0: outcome.missed += 1
      case 1: outcome.once += 1
      default: outcome.twice += 1
      }
    }
    outcome.wrong = scans.filter { !labels.contains($0) }
    return outcome
  }

  /// A label before a scene's backdrop, and for how long it is there, in seconds.
  private func scene(
    _ index: Int, _ printed: SceneLabel, before backdrop: SimulatedScene, _ traits: SensorTraits
  ) -> (scene: SimulatedScene, seconds: Double) {
    var scene = backdrop
    scene.parts.removeLast()
    // Print, paper and rotation as on the catalogue's conveyor.
    var drawn = SimulatedScene(.conveyor, presentation: seed + index, labels: [printed], traits: traits)
    var label = drawn.parts.removeLast()
    var chance = SceneChance(seed: UInt64(seed + index), purpose: 417)
    label.millimetresPerPixel = Self.module / printed.pixelsPerModule
    let (viewWidth, viewHeight) = (
      Double(traits.width) / traits.focalPixels * Self.depth, Double(traits.height) / traits.focalPixels * Self.depth
    )
    let (width, height) = (
      Double(label.picture.width) * label.millimetresPerPixel, Double(label.picture.height) * label.millimetresPerPixel
    )
    label.path = ScenePath(depth: Self.depth)
    label.path.y = max(0, viewHeight - height) / 4 * chance.number(in: -1...1)
    let seconds = motion.move(&label, way: viewWidth + width, &chance)
    label.shown = 0...seconds
    scene.parts.append(label)
    scene.light.lux = motion.lux
    if let exposure {
      scene.light.lux = Self.paperLevel * traits.fullScaleLuxSeconds * 1e6 / (Double(exposure) * Self.gain * Self.paperWhite)
    }
    return (scene, seconds)
  }

  /// The share of light that paper reflects: the middle of the scenes' range.
  private static let paperWhite = 0.8
}
