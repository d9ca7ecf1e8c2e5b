// The camera's strategy: figures of frames in, wishes out.

import BarcodeTypes
import ScanControl
import Testing

/// A camera that obeys a strategy at once, before a scene that a test describes.
private struct ObedientCamera {
  var strategy: CameraStrategy
  var settings = SensorSettings(exposure: 2_000, gain: 2_000, lens: 5_000)
  var now = Instant(nanoseconds: 1_000_000_000)
  private(set) var requests: [CameraRequest] = []

  init(_ exposure: ExposureStrategy = .automatic, limits: CameraLimits = Self.limits) {
    strategy = CameraStrategy(limits: limits, exposure: exposure)
  }

  static var limits: CameraLimits {
    var limits = CameraLimits()
    limits.exposure = 100...30_000
    limits.gain = 1_000...16_000
    limits.lens = 2_000...12_000
    limits.frameDuration = 8_333...200_000
    return limits
  }

  /// A frame, 33 ms after the last one; the next has the wished settings.
  mutating func frame(_ change: (inout FrameMeasures) -> Void = { _ in }) -> CameraRequest {
    now = now.advanced(by: .milliseconds(33))
    var measures = FrameMeasures(capturedAt: now, settings: settings)
    // A view that is right at 4000 µs of gain 1; cameras write the square root of the light.
    let gathered = (settings.exposure ?? 4_000) * (settings.gain ?? 1_000) / 1_000
    let middle = UInt8(min(255, 80 * Double(gathered).squareRoot() / 63.2))
    measures.viewport = Brightness(dark: middle / 2, middle: middle, bright: middle)
    measures.change = 4
    change(&measures)
    let request = strategy.request(after: measures)
    requests.append(request)
    if let exposure = request.exposure { settings.exposure = exposure }
    if let gain = request.gain { settings.gain = gain }
    if let lens = request.lens { settings.lens = lens }
    return request
  }
}

/// A part in view.
private func part(
  bright: UInt8 = 180, dark: UInt8 = 40, white: Int = 0, detail: Int = 1_000, module: Int? = nil
) -> PartMeasures {
  PartMeasures(
    place: PixelRegion(x: 100, y: 100, width: 80, height: 80),
    brightness: Brightness(dark: dark, middle: 100, bright: bright, whiteShare: white), module: module.map { Fixed16($0) },
    detailAcross: detail, detailDown: detail)
}

@Suite struct CameraStrategyTests {
  /// The light that a request gathers, in microseconds at gain 1.
  private func gathered(_ request: CameraRequest) -> Int { (request.exposure ?? 0) * (request.gain ?? 0) / 1000 }

  @Test func `what read last stays while things read, and comes back for the next`() {
    var camera = ObedientCamera()
    for _ in 0..<10 { _ = camera.frame() }
    camera.settings = SensorSettings(exposure: 777, gain: 3_000, lens: 7_000)
    for _ in 0..<20 {
      let request = camera.frame { $0.readCount = 1 }
      #expect(request.reason == .lastRead && request.exposure == 777 && request.gain == 3_000 && request.lens == 7_000)
    }
    for _ in 0..<60 { _ = camera.frame() }
    #expect(camera.frame().lens == 7_000)
    #expect((1_500...3_500).contains(gathered(camera.frame())), "as much light as read last")
  }

  @Test func `a located symbol is exposed for itself: less where it is white, more where it is dark`() {
    for (bright, white, wanted) in [(UInt8(255), 600, 0..<1_000), (60, 0, 20_000..<200_000), (190, 0, 3_500..<4_500)] {
      var camera = ObedientCamera()
      for _ in 0..<5 { _ = camera.frame() }
      camera.settings = SensorSettings(exposure: 2_000, gain: 2_000, lens: 5_000)
      let request = camera.frame { $0.unread = part(bright: bright, white: white) }
      #expect(request.reason == .symbol && wanted.contains(gathered(request)), "\(bright): \(gathered(request))")
    }
  }

  @Test func `what is not read in its own exposure is tried darker and brighter in turn`() {
    var camera = ObedientCamera()
    var reasons: [CameraRequest.Reason] = []
    for _ in 0..<24 { reasons.append(camera.frame { $0.unread = part() }.reason) }
    #expect(reasons.prefix(5).allSatisfy { $0 == .symbol })
    #expect(reasons.dropFirst(6).filter { $0 == .around }.count >= 6)
    #expect(reasons.dropFirst(6).filter { $0 == .symbol }.count >= 6)
  }

  @Test func `what moves is exposed for two thirds of a module at most, and the gain makes up for a third of the light`() {
    var camera = ObedientCamera()
    camera.settings = SensorSettings(exposure: 8_000, gain: 2_000)
    var request = CameraRequest(reason: .view)
    for _ in 0..<3 {
      request = camera.frame {
        $0.unread = part(module: 3)
        $0.speed = 3_000
        $0.change = 200
      }
    }
    #expect((request.exposure ?? .max) * 3_000 <= 2_000_000 + 3_000, "\(request)")
    // 18 ms of light at gain 1 would be right; 0.67 ms at the highest gain would gather 11.
    #expect((8_000...9_500).contains(request.gain ?? 0), "\(request)")
  }

  @Test func `exposures longer than a brightening of the lamps are multiples of it`() {
    var camera = ObedientCamera()
    for _ in 0..<30 {
      let request = camera.frame { $0.viewport = Brightness(dark: 2, middle: 5, bright: 9) }
      if let exposure = request.exposure, exposure > 10_000 { #expect(exposure % 10_000 == 0) }
    }
    #expect(camera.requests.last?.exposure == 30_000 && camera.requests.last?.gain ?? 0 >= 15_000)
  }

  @Test func `the lens climbs to the most detail, and stays there`() {
    for sharpest in [2_500, 4_000, 7_000, 11_000] {
      var camera = ObedientCamera()
      for _ in 0..<20 {
        let lens = camera.settings.lens ?? 0
        _ = camera.frame { $0.thing = part(detail: 20_000 / (1 + abs(lens - sharpest) / 250)) }
      }
      #expect(abs((camera.settings.lens ?? 0) - sharpest) <= 700, "\(sharpest): \(camera.settings.lens ?? 0)")
    }
  }

  @Test func `the lens sweeps through its range for what shows no detail`() {
    for sharpest in [2_500, 10_000] {
      var camera = ObedientCamera()
      for _ in 0..<24 {
        let wished = camera.requests.last?.lens ?? 5_000
        // It moves by two dioptres per frame.
        let lens = camera.settings.lens ?? 0
        _ = camera.frame { $0.thing = part(detail: abs(lens - sharpest) <= 1_500 ? 3_000 - abs(lens - sharpest) : 30) }
        camera.settings.lens = lens + min(max(wished - lens, -2_000), 2_000)
      }
      #expect(abs((camera.settings.lens ?? 0) - sharpest) <= 700, "\(sharpest): \(camera.settings.lens ?? 0)")
    }
  }

  @Test func `a camera that focuses automatically gets the window of what is in view`() {
    var limits = ObedientCamera.limits
    (limits.lens, limits.hasFocusWindow) = (nil, true)
    var camera = ObedientCamera(limits: limits)
    #expect(camera.frame().focusWindow == nil)
    let first = part().place
    for offset in 0..<3 {
      let request = camera.frame {
        $0.thing = part()
        $0.thing?.place.x += offset * 8
      }
      #expect(request.focusWindow == first && request.lens == nil)
    }
    let request = camera.frame {
      $0.thing = part()
      $0.thing?.place.x = 400
    }
    #expect(request.focusWindow?.x == 400)
    for _ in 0..<60 { _ = camera.frame() }
    #expect(camera.requests.last?.focusWindow == nil)
    var other = ObedientCamera()
    #expect(other.frame { $0.thing = part() }.focusWindow == nil)
  }

  @Test func `what has no detail anywhere leaves the lens at home`() {
    var camera = ObedientCamera()
    for _ in 0..<40 { _ = camera.frame { $0.thing = part(detail: 200) } }
    #expect(camera.settings.lens == 5_000)
  }

  @Test func `nothing is wished for controls that the camera lacks, or from frames that do not tell their settings`() {
    var without = ObedientCamera(limits: CameraLimits())
    var silent = ObedientCamera()
    for count in 0..<60 {
      let request = without.frame { $0.unread = count % 2 == 0 ? part() : nil }
      #expect(request.exposure == nil && request.gain == nil && request.lens == nil && request.frameDuration == nil)
      silent.settings = SensorSettings()
      let blind = silent.frame { $0.unread = part() }
      #expect(blind.exposure == nil && blind.gain == nil)
    }
    var fixed = ObedientCamera(.fixed)
    #expect(fixed.frame { $0.unread = part(bright: 255, white: 900) }.exposure == nil)
  }

  @Test func `with nothing in view for a while the station waits cheaply, and wakes with the first change`() {
    var camera = ObedientCamera()
    for _ in 0..<160 { _ = camera.frame() }
    #expect(camera.requests[100].frameDuration == nil)
    #expect(camera.requests.last?.reason == .waiting && camera.requests.last?.frameDuration == 50_000)
    var measures = FrameMeasures(capturedAt: camera.now, settings: camera.settings)
    measures.change = 5
    #expect(camera.strategy.isUnchanged(measures))
    measures.change = 100
    #expect(!camera.strategy.isUnchanged(measures))
    measures.rowShare = 250
    #expect(camera.strategy.isUnchanged(measures), "lamps that flicker")
    #expect(camera.frame { $0.thing = part() }.frameDuration == nil)
  }

  @Test func `what stays too dark for the camera is lit, and a glossy label is tried without light`() {
    var limits = ObedientCamera.limits
    limits.hasLight = true
    var dark = ObedientCamera(limits: limits)
    dark.settings = SensorSettings(exposure: 30_000, gain: 16_000)
    let lights = (0..<4).map { _ in
      dark.settings = SensorSettings(exposure: 30_000, gain: 16_000)
      return dark.frame {
        $0.isLit = false
        $0.thing = part(bright: 40, dark: 5)
      }.light
    }
    #expect(lights[0] == nil && lights[3] == true)
    var empty = ObedientCamera(limits: limits)
    let emptyLights = (0..<10).map { _ in
      empty.settings = SensorSettings(exposure: 30_000, gain: 16_000)
      return empty.frame {
        $0.isLit = false
        $0.viewport = Brightness(dark: 5, middle: 20, bright: 30)
      }.light
    }
    #expect(emptyLights.last == true, "a dark room without a label")
    var glossy = ObedientCamera(limits: limits)
    let wishes = (0..<40).map { _ in
      glossy.frame {
        $0.isLit = true
        $0.unread = part(bright: 240, white: 60)
      }.light
    }
    #expect(wishes.prefix(20).allSatisfy { $0 == nil } && wishes.contains(false))
    var unable = ObedientCamera()
    #expect(unable.frame { $0.isLit = false }.light == nil)
  }

  @Test func `a bracket alternates even with an empty view`() {
    var camera = ObedientCamera(.bracket)
    let exposures = (0..<12).map { _ in gathered(camera.frame()) }
    #expect((exposures.max() ?? 0) > 4 * (exposures.min() ?? 0))
  }

  @Test func `T6: light that the strategy wishes is switched only where the station may switch it`() {
    for mode in [TorchMode.automatic, .manual, .on] {
      var talk = Conversation { $0.torch = mode }
      talk.tell(.lightWished(isOn: true))
      #expect(talk.count(.setTorch(isOn: true)) == 0, "no session")
      talk.startScanning()
      talk.tell(.torchCapabilityReported(.full))
      talk.tell(.torchObserved(isOn: false))
      let before = talk.count(.setTorch(isOn: true))
      talk.tell(.lightWished(isOn: true))
      #expect(talk.count(.setTorch(isOn: true)) - before == (mode == .automatic ? 1 : 0), "\(mode)")
      guard mode == .automatic else { continue }
      talk.tell(.lightWished(isOn: true))
      #expect(talk.count(.setTorch(isOn: true)) - before == 1, "a request is pending")
      talk.tell(.torchObserved(isOn: true))
      talk.tell(.torchPressed)
      talk.tell(.torchObserved(isOn: false))
      let pressed = talk.count(.setTorch(isOn: true))
      talk.tell(.lightWished(isOn: true))
      #expect(talk.count(.setTorch(isOn: true)) == pressed, "it is in the user's hands")
    }
  }

  @Test func `settings stay while the light that is needed changes little, and what read first stays while it reads`() {
    var camera = ObedientCamera()
    for _ in 0..<20 { _ = camera.frame() }
    let settled = camera.settings
    for count in 0..<20 {
      _ = camera.frame { $0.viewport = Brightness(dark: 40, middle: count % 2 == 0 ? 79 : 81, bright: 90) }
      #expect(camera.settings == settled)
    }
    camera.settings = SensorSettings(exposure: 500, gain: 1_000, lens: 5_000)
    _ = camera.frame { $0.readCount = 1 }
    camera.settings = SensorSettings(exposure: 9_000, gain: 8_000, lens: 5_000)
    let request = camera.frame { $0.readCount = 1 }
    #expect(request.exposure == 500 && request.gain == 1_000)
  }

  @Test func `the strategy looks again for a code that stays in view and is read only once`() {
    var camera = ObedientCamera()
    for _ in 0..<10 { _ = camera.frame() }
    _ = camera.frame { $0.readCount = 1 }
    let reasons = (0..<12).map { _ in camera.frame { $0.unread = part() }.reason }
    #expect(reasons[2] == .lastRead && reasons[10] != .lastRead)
  }

  @Test func `what was gathered in other light is forgotten when the torch is switched`() {
    var limits = ObedientCamera.limits
    limits.hasLight = true
    var camera = ObedientCamera(limits: limits)
    for _ in 0..<5 { _ = camera.frame { $0.isLit = false } }
    camera.settings = SensorSettings(exposure: 30_000, gain: 16_000, lens: 5_000)
    _ = camera.frame {
      $0.isLit = false
      $0.readCount = 1
    }
    let request = camera.frame {
      $0.isLit = true
      $0.viewport = Brightness(dark: 250, middle: 255, bright: 255, whiteShare: 900)
    }
    #expect(request.reason == .view && gathered(request) < 100_000)
  }

  @Test func `the lens looks farther away for what will have passed at once, and nearby for what follows`() {
    var camera = ObedientCamera()
    func pass(isRead: Bool = false) -> Int? {
      let lens = camera.settings.lens ?? 0
      return camera.frame {
        $0.thing = part(detail: 3_000 - abs(lens - 3_750))
        $0.speed = 3_000
        $0.readCount = isRead ? 1 : 0
      }.lens
    }
    #expect(pass() == 3_750)
    // Read there; the next label is not.
    _ = pass(isRead: true)
    for _ in 0..<20 { _ = camera.frame() }
    #expect(camera.settings.lens == 3_750)
    #expect(Set((0..<12).map { _ in pass() ?? 0 }) == [3_125, 3_750, 4_375])
  }

  @Test func `the lens waits for what passes where it was sharpest, not where one was read by chance`() {
    var camera = ObedientCamera()
    for lens in [3_750, 3_750, 5_000] {
      camera.settings.lens = lens
      _ = camera.frame {
        $0.thing = part(detail: lens == 3_750 ? 3_000 : 800)
        $0.speed = 3_000
        $0.readCount = 1
      }
    }
    for _ in 0..<20 { _ = camera.frame() }
    #expect(camera.settings.lens == 3_750)
  }

  @Test func `the lens waits at home for a label that comes nearer`() {
    var camera = ObedientCamera()
    for count in 0..<30 {
      let request = camera.frame {
        var thing = part(detail: 100 + count)
        thing.place = PixelRegion(x: 100, y: 100, width: 60 + 8 * count, height: 40 + 6 * count)
        $0.thing = thing
      }
      if count > 6 { #expect(request.lens == 5_000) }
    }
  }
}
