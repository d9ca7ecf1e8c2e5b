// The figures of frames, and what a station leaves out while nothing is in view.

import BarcodeTypes
import Devices
import ScanControl
import Testing

@testable import ScanLoop

/// A source that may be adjusted, and notes its wishes.
private final class NotingSource: AdjustableFrameSource {
  let name = "noting source"
  let keepsEveryFrame: Bool
  let counts = FrameCounts()
  var controls = CameraControls()
  private(set) var wishes: [CameraWish] = []

  init(keepsEveryFrame: Bool = false) {
    self.keepsEveryFrame = keepsEveryFrame
    controls.exposure = 50...50_000
    controls.gain = 1...8
    controls.frameDuration = 10_000...100_000
  }

  func readPermission() -> DevicePermission { .authorized }
  func load() {}
  func start() {}
  func stop() {}
  func withNextFrame(within limit: Duration, _ body: (LumaView, FrameMetadata) -> Void) -> NextFrame { .ended }
  func adjust(_ wish: CameraWish) { wishes.append(wish) }
}

@Suite struct SteeringTests {
  private static let (width, height) = (640, 400)

  /// A grey frame with a white square, which is black inside.
  private func frame(square x: Int? = nil, level: UInt8 = 100) -> [UInt8] {
    var luma = [UInt8](repeating: level, count: Self.width * Self.height)
    guard let x else { return luma }
    for row in 100..<180 {
      for column in max(0, x)..<x + 80 {
        let isInside = (120..<160).contains(row) && (x + 20..<x + 60).contains(column)
        luma[row * Self.width + column] = isInside ? 20 : 230
      }
    }
    return luma
  }

  private func metadata(_ number: Int, exposure: Int? = 4_000) -> FrameMetadata {
    var metadata = FrameMetadata(
      sequence: UInt64(number), captureBootTimeNanoseconds: 1_000_000_000 + Int64(number) * 33_000_000)
    metadata.sensor.exposureMicroseconds = exposure
    metadata.sensor.gain = exposure == nil ? nil : 2
    return metadata
  }

  private func withView<Result>(_ luma: [UInt8], _ body: (LumaView) -> Result) -> Result {
    luma.withUnsafeBufferPointer { luma in
      body(LumaView(base: luma.baseAddress!, width: Self.width, height: Self.height, bytesPerRow: Self.width))
    }
  }

  @Test func `what comes into view is told apart, in another exposure too, and its speed is measured`() throws {
    var measuring = FrameMeasuring()
    for number in 0..<10 {
      withView(frame()) { view in
        var measures = measuring.measure(view, region: nil, metadata(number))
        #expect(measures.thing == nil)
        measuring.add([], [], of: view, to: &measures)
      }
    }
    var speeds: [Int?] = []
    for number in 10..<14 {
      let x = 200 + 33 * (number - 10)
      // A quarter of the light: half of the level.
      let measures = withView(frame(square: x, level: number == 13 ? 50 : 100)) { view in
        var measures = measuring.measure(view, region: nil, metadata(number, exposure: number == 13 ? 1_000 : 4_000))
        measuring.add([], [], of: view, to: &measures)
        return measures
      }
      let place = try #require(measures.thing).place
      #expect(
        abs(place.x - x) <= 8 && abs(place.y - 100) <= 8 && abs(place.width - 80) <= 16 && abs(place.height - 80) <= 16)
      #expect(measures.thing?.brightness.bright == 230)
      speeds.append(measures.speed)
    }
    #expect(speeds[0] == nil && speeds.dropFirst().allSatisfy { abs(($0 ?? 0) - 1000) <= 300 }, "\(speeds)")
  }

  @Test func `the speed of what comes in at a side is that of its front`() {
    var measuring = FrameMeasuring()
    var speeds: [Int?] = []
    for number in 0..<14 {
      // The front of a square of 80 pixels comes in at the left.
      let front = 28 + 26 * (number - 10)
      let luma = number < 10 ? frame() : frame(square: front - 80)
      withView(luma) { view in
        var measures = measuring.measure(view, region: nil, metadata(number))
        measuring.add([], [], of: view, to: &measures)
        if number >= 10 { speeds.append(measures.speed) }
      }
    }
    #expect(speeds[0] == nil && speeds.dropFirst().allSatisfy { abs(($0 ?? 0) - 800) <= 300 }, "\(speeds)")
  }

  @Test func `frames of another exposure are not compared, and common rows are told from motion`() {
    var measuring = FrameMeasuring()
    _ = withView(frame()) { measuring.measure($0, region: nil, metadata(0)) }
    #expect(withView(frame()) { measuring.measure($0, region: nil, metadata(1)) }.change == 0)
    #expect(withView(frame(level: 50)) { measuring.measure($0, region: nil, metadata(2, exposure: 1_000)) }.change == nil)
    let rows = (0..<Self.height).flatMap { [UInt8](repeating: $0 % 80 < 40 ? 70 : 30, count: Self.width) }
    let flicker = withView(rows) { measuring.measure($0, region: nil, metadata(3, exposure: 1_000)) }
    #expect((flicker.change ?? 0) > 100 && flicker.rowShare >= 200)
    _ = withView(frame(level: 50)) { measuring.measure($0, region: nil, metadata(4, exposure: 1_000)) }
    let motion = withView(frame(square: 200, level: 50)) { measuring.measure($0, region: nil, metadata(5, exposure: 1_000)) }
    #expect((motion.change ?? 0) > 12 && motion.rowShare < 200)
  }

  @Test func `a waiting station decodes one frame in twenty, and every frame that shows something new`() {
    let source = NotingSource()
    var steering = CameraSteering(source, SteeringSettings())
    steering.begin()
    var rested: [Int] = []
    func show(_ luma: [UInt8], _ number: Int) {
      withView(luma) { view in
        let (measures, mayRest) = steering.measure(view, region: nil, metadata(number), isLit: nil, wasEmpty: true)
        if mayRest { rested.append(number) }
        _ = steering.steer(measures, [], [], of: view)
      }
    }
    for number in 0..<600 { show(frame(), number) }
    #expect(rested.first ?? 0 >= 150, "5 s after the beginning")
    let late = rested.filter { $0 >= 300 }.count
    #expect((280...286).contains(late), "\(late) of 300")
    #expect(source.wishes.last?.frameDuration == 50_000)
    show(frame(square: 200), 600)
    #expect(rested.last != 600, "the first frame with something new is decoded")
    #expect(source.wishes.last?.frameDuration == nil)
    for number in 601..<640 { show(frame(square: 200), number) }
    #expect(rested.last ?? 0 < 600)
  }

  @Test func `nothing rests where every frame counts, where it is not wanted, or with a symbol in view`() {
    var resting = SteeringSettings()
    resting.rests = false
    for (source, settings, wasEmpty) in [
      (NotingSource(keepsEveryFrame: true), SteeringSettings(), true), (NotingSource(), resting, true),
      (NotingSource(), SteeringSettings(), false),
    ] {
      var steering = CameraSteering(source, settings)
      steering.begin()
      for number in 0..<400 {
        withView(frame()) { view in
          let (measures, mayRest) = steering.measure(view, region: nil, metadata(number), isLit: nil, wasEmpty: wasEmpty)
          #expect(!mayRest)
          _ = steering.steer(measures, [], [], of: view)
        }
      }
    }
  }

  @Test func `wishes stay within the limits of the camera and of its operator`() {
    let source = NotingSource()
    var settings = SteeringSettings()
    (settings.exposureMax, settings.gainMax) = (5_000, 4_000)
    var steering = CameraSteering(source, settings)
    steering.begin()
    for number in 0..<30 {
      withView(frame(level: number < 15 ? 3 : 255)) { view in
        let (measures, _) = steering.measure(view, region: nil, metadata(number), isLit: nil, wasEmpty: true)
        _ = steering.steer(measures, [], [], of: view)
      }
    }
    #expect(source.wishes.count >= 2)
    for wish in source.wishes {
      #expect((50...5_000).contains(wish.exposure ?? 50) && (1...4).contains(wish.gain ?? 1) && wish.lens == nil)
    }
    #expect(CameraLimits(CameraControls(), settings) == CameraLimits(CameraControls(), settings))
    #expect(CameraLimits(CameraControls(), settings).exposure == nil)
  }
}
