// The simulated sensor follows the physics of a real one, and obeys as late as a real one.

import BarcodeTypes
import Devices
import Testing

/// A sensor before a scene, and its frames.
private final class Bench {
  let time = SimulatedTime(nanoseconds: 1_000_000_000)
  let torch = SimulatedTorch()
  let sensor: SimulatedSensor

  init(
    _ scene: SimulatedScene, seed: UInt64 = 1, traits: SensorTraits = Bench.quiet, settings: CameraSettings = Bench.unmoved
  ) {
    sensor = SimulatedSensor(scene: scene, seed: seed, traits: traits, settings: settings, torch: torch, time: time)
    sensor.load()
  }

  /// A lens without scattered light, so that light can be compared.
  static let quiet: SensorTraits = {
    var traits = SensorTraits()
    traits.haloShare = 0
    return traits
  }()

  static let unmoved: CameraSettings = {
    var settings = CameraSettings()
    settings.focus = .unchanged
    return settings
  }()

  func wish(_ exposure: Int? = nil, gain: Double? = nil, lens: Double? = nil) {
    var wish = CameraWish()
    (wish.exposure, wish.gain, wish.lens) = (exposure, gain, lens)
    sensor.adjust(wish)
  }

  /// The next frame as levels, and its metadata.
  func frame() -> (luma: Frame, metadata: FrameMetadata) {
    sensor.start()
    var taken: (Frame, FrameMetadata)?
    while taken == nil {
      _ = sensor.withNextFrame(within: .seconds(1)) { view, metadata in
        let rows = (0..<view.height).map { y in (0..<view.width).map { view[$0, y] } }
        taken = (Frame(rows: rows), metadata)
      }
    }
    return taken!
  }
}

private struct Frame: Equatable {
  var rows: [[UInt8]]

  /// The linear light of a square in the middle, as a share of the brightest.
  var middle: Double { light(x: 300..<340, y: 180..<220) }

  func light(x: Range<Int>, y: Range<Int>) -> Double {
    var sum = 0.0
    for row in rows[y] { for level in row[x] { sum += Self.linear[Int(level)] } }
    return sum / Double(x.count * y.count)
  }

  /// The standard deviation of the middle's light.
  var noise: Double {
    let values = rows[180..<220].flatMap { $0[300..<340].map { Self.linear[Int($0)] } }
    let mean = values.reduce(0, +) / Double(values.count)
    return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
  }

  /// The distance over which the light of the middle row rises from 10 % to 90 % of its largest value.
  var edgeWidth: Int {
    let light = (0..<640).map { x in rows[190..<210].reduce(0) { $0 + Self.linear[Int($1[x])] } }
    let top = light.max() ?? 1
    let (start, end) = (light.firstIndex { $0 > 0.1 * top } ?? 0, light.firstIndex { $0 > 0.9 * top } ?? 0)
    return end - start
  }

  /// Powers of 2.2, as the sensor's transfer curve has, by repeated multiplication: x^2.2 is x² times the fifth root of x.
  static let linear: [Double] = (0..<256).map { level in
    let x = Double(level) / 255
    var root = 0.5 + x / 2
    for _ in 0..<60 { root -= x == 0 ? root : (root * root * root * root * root - x) / (5 * root * root * root * root) }
    return x * x * root
  }
}

@Suite struct SimulatedSensorTests {
  /// A grey sheet that fills the view at 0.2 m.
  private func sheet(lux: Double = 400, flicker: SceneLight.Flicker = .none) -> SimulatedScene {
    let part = ScenePart(
      SimulatedPicture(width: 400, height: 300, shade: 255), millimetresPerPixel: 1,
      surface: .print(black: 0, white: 0.5), path: ScenePath(depth: 200))
    return SimulatedScene(name: "sheet", parts: [part], light: SceneLight(lux: lux, flicker: flicker))
  }

  /// A sheet whose left half is black and whose right half is white, at 0.2 m.
  private func edge(_ change: (inout ScenePath) -> Void = { _ in }) -> SimulatedScene {
    let row = [UInt8](repeating: 0, count: 400) + [UInt8](repeating: 255, count: 400)
    let picture = SimulatedPicture(width: 800, height: 400, luma: Array(repeatElement(row, count: 400).joined()))
    var path = ScenePath(depth: 200)
    change(&path)
    let part = ScenePart(picture, millimetresPerPixel: 0.5, surface: .print(black: 0, white: 0.8), path: path)
    return SimulatedScene(name: "edge", parts: [part], light: SceneLight(lux: 1000))
  }

  private func isNear(_ a: Double, _ b: Double, within share: Double = 0.03) -> Bool { abs(a - b) <= share * abs(b) }

  // MARK: Light

  @Test func `light is proportional to exposure until pixels are full`() {
    func light(_ exposure: Int) -> Double {
      let bench = Bench(sheet())
      bench.wish(exposure, gain: 1)
      return bench.frame().luma.middle
    }
    // 400 lux on a half-white sheet for 10 ms are 2 of the 20 lx·s that fill a pixel.
    #expect(isNear(light(10_000), 0.1))
    #expect(isNear(light(20_000), 2 * light(10_000)))
    #expect(isNear(light(40_000), 4 * light(10_000)))
    #expect(light(100_000) > 0.97)
  }

  @Test func `gain multiplies the light until the converter is full`() {
    func light(_ gain: Double) -> Double {
      let bench = Bench(sheet())
      bench.wish(5000, gain: gain)
      return bench.frame().luma.middle
    }
    #expect(isNear(light(2), 2 * light(1)))
    #expect(isNear(light(8), 8 * light(1)))
    #expect(light(16) <= 1 && light(16) > 0.75)
  }

  @Test func `noise grows with the root of the light, and relative noise with gain`() {
    func noise(_ exposure: Int, _ gain: Double) -> (light: Double, noise: Double) {
      let bench = Bench(sheet())
      bench.wish(exposure, gain: gain)
      let frame = bench.frame().luma
      return (frame.middle, frame.noise)
    }
    let (bright, dim, gained) = (noise(40_000, 1), noise(10_000, 1), noise(4_000, 10))
    // 2400 electrons of 6000.
    #expect(isNear(bright.noise, 2400.0.squareRoot() / 6000, within: 0.15))
    #expect(isNear(bright.noise / dim.noise, 2, within: 0.15))
    #expect(isNear(bright.light, gained.light, within: 0.05))
    #expect(gained.noise > 2.5 * bright.noise)
  }

  @Test func `the torch's light falls with the square of the distance`() async {
    func light(_ depth: Double) async -> Double {
      var scene = sheet(lux: 0)
      scene.parts[0].path.depth = depth
      let bench = Bench(scene)
      bench.wish(2000, gain: 4)
      _ = await bench.torch.set(isOn: true)
      return bench.frame().luma.middle
    }
    #expect(isNear(await light(150), 4 * (await light(300)), within: 0.06))
    let dark = Bench(sheet(lux: 0))
    dark.wish(2000, gain: 4)
    #expect(dark.frame().luma.middle < 0.01)
  }

  @Test func `a glossy part mirrors the torch, and a lamp`() async {
    var scene = sheet(lux: 200)
    var gloss = SceneGloss(strength: 20, spreadX: 0.02, spreadY: 0.02)
    gloss.lamp = SceneGloss.Direction(x: -0.2, y: 0)
    gloss.lampLux = 200
    scene.parts[0].gloss = gloss
    let bench = Bench(scene)
    bench.wish(1000, gain: 1)
    let unlit = bench.frame().luma
    #expect(unlit.light(x: 110..<125, y: 195..<205) > 10 * unlit.light(x: 500..<515, y: 195..<205))
    _ = await bench.torch.set(isOn: true)
    let lit = bench.frame().luma
    // The spot is half of the way from the lens to the torch.
    #expect(lit.light(x: 350..<365, y: 195..<205) > 5 * lit.light(x: 500..<515, y: 195..<205))
  }

  @Test func `flicker gives bands, which vanish when the exposure is a whole period`() {
    func contrast(_ exposure: Int) -> Double {
      let bench = Bench(sheet(flicker: .sine(hertz: 100, depth: 0.9)))
      bench.wish(exposure, gain: 4)
      let frame = bench.frame().luma
      let rows = stride(from: 0, to: 400, by: 10).map { frame.light(x: 0..<640, y: $0..<($0 + 10)) }
      return (rows.max() ?? 0) / (rows.min() ?? 1)
    }
    #expect(contrast(1000) > 5)
    #expect(contrast(5000) > 1.8)
    #expect(contrast(10_000) < 1.05)
    #expect(contrast(20_000) < 1.05)
  }

  @Test func `a dimmed lamp's pulses keep the mean and give bands`() {
    let light = SceneLight(lux: 100, flicker: .pulses(hertz: 200, share: 0.25))
    #expect(isNear(light.share(from: 0.001, seconds: 0.005), 1, within: 1e-9))
    #expect(light.share(from: 0, seconds: 0.001) == 4)
    #expect(light.share(from: 0.002, seconds: 0.001) < 1e-9)
  }

  // MARK: Sharpness

  @Test func `blur grows with the distance from the focus`() {
    func width(_ lens: Double) -> Int {
      let bench = Bench(edge())
      bench.wish(10_000, gain: 1, lens: lens)
      for _ in 0..<10 { _ = bench.frame() }
      return bench.frame().luma.edgeWidth
    }
    let widths = [5.0, 6, 8, 11].map(width)
    #expect(widths[0] <= 2)
    #expect(widths == widths.sorted() && Set(widths).count == 4)
    // 2.6 pixels per dioptre; light rises from 10 % to 90 % within about two thirds of a disc.
    #expect((8...13).contains(widths[3]))
    #expect((3...6).contains(widths[2]))
  }

  @Test func `motion blurs over exposure times speed`() {
    func width(_ exposure: Int) -> Int {
      // 200 mm/s at 200 mm are 1 pixel per millisecond.
      let bench = Bench(edge { $0.velocityX = 200 })
      bench.wish(exposure, gain: 1, lens: 5)
      for _ in 0..<6 { _ = bench.frame() }
      return bench.frame().luma.edgeWidth
    }
    #expect(width(1000) <= 3)
    #expect((7...10).contains(width(10_000)))
    #expect((14...18).contains(width(20_000)))
  }

  @Test func `a rolling shutter slants what moves sideways`() {
    let bench = Bench(edge { $0.velocityX = 1000 })
    bench.wish(500, gain: 4, lens: 5)
    let frame = bench.frame().luma
    func place(_ y: Int) -> Int { frame.rows[y].firstIndex { $0 > 60 } ?? 0 }
    // 5000 pixels per second for 10 ms from the first row to the last.
    #expect((44...54).contains(place(395) - place(5)))
  }

  // MARK: Controls

  @Test(arguments: [0, 1, 2, 4]) func `exposure and gain act after their delays, and the metadata tell when`(delay: Int) {
    var traits = Bench.quiet
    (traits.exposureDelayFrames, traits.gainDelayFrames) = (delay, max(0, delay - 1))
    let bench = Bench(sheet(), traits: traits)
    bench.wish(10_000, gain: 1)
    _ = bench.frame()
    bench.wish(20_000, gain: 2)
    let frames = (0...delay).map { _ in bench.frame() }
    #expect(frames.map(\.metadata.sensor.exposureMicroseconds) == (0...delay).map { $0 < delay ? 10_000 : 20_000 })
    #expect(frames.map(\.metadata.sensor.gain) == (0...delay).map { $0 < max(0, delay - 1) ? 1 : 2 })
    #expect(isNear(frames[delay].luma.middle, 0.4))
    if delay > 1 { #expect(isNear(frames[delay - 2].luma.middle, 0.1)) }
  }

  @Test func `wishes are clamped to the limits, and a longer exposure makes frames longer`() {
    let bench = Bench(sheet())
    bench.wish(1_000_000, gain: 99, lens: 99)
    let sensor = bench.frame().metadata.sensor
    #expect(sensor.exposureMicroseconds == 100_000)
    #expect(sensor.gain == 16)
    #expect(sensor.frameDurationMicroseconds.map { $0 > 100_000 } == true)
    #expect(bench.sensor.controls.exposure == 20...100_000)
  }

  @Test func `a wished frame duration holds, and bounds the exposure`() {
    let bench = Bench(sheet())
    var wish = CameraWish()
    (wish.exposure, wish.gain, wish.frameDuration) = (50_000, 1, 20_000)
    bench.sensor.adjust(wish)
    let (first, second) = (bench.frame().metadata, bench.frame().metadata)
    #expect(second.captureBootTimeNanoseconds - first.captureBootTimeNanoseconds == 20_000_000)
    #expect(second.sensor.frameDurationMicroseconds == 20_000)
    #expect(second.sensor.exposureMicroseconds == 19_900)
  }

  @Test func `the lens takes its time, and the metadata tell where it was`() {
    var traits = Bench.quiet
    traits.lensSpeed = 30
    let bench = Bench(edge(), traits: traits)
    bench.wish(5000, gain: 1, lens: 2)
    _ = bench.frame()
    bench.wish(5000, gain: 1, lens: 5)
    let positions = (0..<6).compactMap { _ in bench.frame().metadata.sensor.lensPosition }
    // 3 dioptres at 30 per second are 0.1 s: three frames.
    #expect(positions[0] > 2 && positions[0] < 3)
    #expect(positions[1] > positions[0] && positions[2] > positions[1])
    #expect(positions[4] == 5 && positions[5] == 5)
    #expect(positions == positions.sorted())
  }

  @Test func `a camera may tell nothing, list nothing, or list a control without effect`() {
    var traits = Bench.quiet
    traits.told = []
    traits.listed = [.gain]
    traits.deaf = [.gain]
    traits.hasAutofocus = false
    let bench = Bench(sheet(), traits: traits, settings: CameraSettings())
    #expect(bench.sensor.controls.exposure == nil && bench.sensor.controls.lens == nil)
    #expect(bench.sensor.controls.gain != nil && !bench.sensor.controls.hasFocusWindow)
    let unwished = Bench(sheet(), traits: traits, settings: CameraSettings())
    bench.wish(50, gain: 16, lens: 12)
    for _ in 0..<6 {
      let (frame, metadata) = bench.frame()
      #expect(metadata.sensor == SensorReading())
      #expect(frame == unwished.frame().luma)
    }
  }

  @Test func `the same seed gives the same frames, and another one other noise`() {
    let label = SceneLabel(text: "A", picture: SimulatedPicture(width: 20, height: 20, shade: 255), pixelsPerModule: 1)
    func frames(_ seed: UInt64) -> [Frame] {
      let bench = Bench(
        SimulatedScene(.shakingHand, presentation: 3, labels: [label]), seed: seed, settings: CameraSettings())
      return (0..<5).map { _ in bench.frame().luma }
    }
    #expect(frames(1) == frames(1))
    #expect(frames(1) != frames(2))
  }

  @Test func `a late reader gets the newest frame, and the others count as dropped`() {
    let bench = Bench(sheet())
    let first = bench.frame().metadata
    bench.time.advance(by: .milliseconds(200))
    let second = bench.frame().metadata
    #expect(second.sequence == first.sequence + 6)
    #expect(bench.sensor.counts.dropped == 5)
    #expect(bench.sensor.counts.captured == 7)
    #expect(bench.time.now() - second.captureBootTimeNanoseconds < 33_333_000 + 10_000_000)
  }

  // MARK: Automatic exposure and focus

  @Test(arguments: [30.0, 300, 3000, 30_000]) func `automatic exposure settles within 15 frames`(lux: Double) {
    let bench = Bench(sheet(lux: lux))
    var frames = (0..<15).map { _ in bench.frame() }
    #expect(isNear(frames[14].luma.middle, 0.17, within: 0.1))
    // After another light it takes about as long again.
    bench.sensor.scene = sheet(lux: lux * 2)
    frames = (0..<15).map { _ in bench.frame() }
    #expect(isNear(frames[14].luma.middle, 0.17, within: 0.1))
    if let gain = frames[14].metadata.sensor.gain, gain > 1.01 {
      #expect(frames[14].metadata.sensor.exposureMicroseconds == 33_233, "exposure comes before gain")
    }
  }

  @Test(arguments: [120.0, 200, 350]) func `autofocus finds a label and stays`(depth: Double) {
    let picture = SimulatedPicture(
      width: 400, height: 300, luma: (0..<400 * 300).map { ($0 / 6 + $0 / 400 / 5) % 2 == 0 ? 0 : 255 })
    let part = ScenePart(picture, millimetresPerPixel: 0.5, path: ScenePath(depth: depth))
    let bench = Bench(SimulatedScene(name: "grid", parts: [part], light: SceneLight(lux: 500)), settings: CameraSettings())
    for _ in 0..<60 { _ = bench.frame() }
    let position = bench.frame().metadata.sensor.lensPosition ?? 0
    #expect(abs(position - 1000 / depth) < 0.5)
    for _ in 0..<10 { #expect(bench.frame().metadata.sensor.lensPosition == position) }
  }
}
