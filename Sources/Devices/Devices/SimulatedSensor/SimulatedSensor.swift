// A camera that looks at a simulated scene, instead of the real one: what it is set to decides what its frames show. It serves
// tests of strategies that adjust exposure, focus and light.

public import BarcodeTypes

/// A camera with a scene before it. The same scene, seed, traits and calls give the same frames.
///
/// A frame ends at its last row's readout; its stamp is the first row's readout, as on a Pi. The frame is drawn when it is asked
/// for. A reader that is late gets the newest frame, unless the source keeps every frame.
public final class SimulatedSensor: AdjustableFrameSource {
  public let name = "simulated sensor"
  public let keepsEveryFrame: Bool
  public private(set) var counts = FrameCounts()
  public let traits: SensorTraits
  public private(set) var controls = CameraControls()

  private let settings: CameraSettings
  private let torch: SimulatedTorch?
  private let time: any DeviceTime
  private let frameCountMax: Int?
  private let response: SensorResponse
  private var renderer: SceneRenderer
  private var noise: SceneChance

  private var isRecording = false
  private var wish: CameraWish
  private var exposure: DelayedValue<Int>
  private var gain: DelayedValue<Double>
  private var duration: DelayedValue<Int>
  private var lens: SensorLens
  private var focus: ContrastFocus?
  private var automatic: AutomaticExposure
  /// The number of the last frame, and when its last row was read.
  private var sequence: UInt64 = 0
  private var lastEnd: Int64
  /// When the scene began; nil before the first start.
  private var sceneStart: Int64?
  private var levels: [UInt8]
  private var steps: [Int32]

  /// Time from one frame to the next by default, in microseconds.
  private static let defaultDuration = 33_333
  /// The part of a frame's duration that no exposure fills, in microseconds.
  private static let blanking = 100

  /// - Parameters:
  ///   - scene: begins at the first start.
  ///   - seed: of the noise.
  ///   - settings: those for exposure, gain, frame rate and focus count; the size is that of the traits.
  ///   - torch: asked for each frame whether it is lit; nil for none.
  ///   - frameCountMax: frames after which the source ends; nil for no end.
  public init(
    scene: SimulatedScene, seed: UInt64, traits: SensorTraits = SensorTraits(), settings: CameraSettings = CameraSettings(),
    torch: SimulatedTorch? = nil, keepsEveryFrame: Bool = false, frameCountMax: Int? = nil, time: any DeviceTime
  ) {
    self.traits = traits
    self.settings = settings
    self.torch = torch
    self.keepsEveryFrame = keepsEveryFrame
    self.frameCountMax = frameCountMax
    self.time = time
    response = SensorResponse(traits)
    renderer = SceneRenderer(scene, traits: traits)
    noise = SceneChance(seed: seed)
    automatic = AutomaticExposure(total: Double(traits.firstExposure) * traits.firstGain)
    exposure = DelayedValue(traits.firstExposure)
    gain = DelayedValue(traits.firstGain)
    duration = DelayedValue(Self.defaultDuration)
    lastEnd = time.now()
    lens = SensorLens(position: traits.restingLens, speed: traits.lensSpeed, at: lastEnd)
    levels = [UInt8](repeating: 0, count: traits.width * traits.height)
    steps = [Int32](repeating: 0, count: traits.width)
    wish = CameraWish()
    wish.exposure = settings.exposure.map {
      Int($0.components.seconds * 1_000_000 + $0.components.attoseconds / 1_000_000_000_000)
    }
    wish.gain = settings.gain
    carryOut(wish)
  }

  /// The scene before the camera. Another one begins at once.
  public var scene: SimulatedScene {
    get { renderer.scene }
    set {
      renderer = SceneRenderer(newValue, traits: traits)
      sceneStart = sceneStart == nil ? nil : time.now()
    }
  }

  /// Seconds since the scene began.
  public var sceneSeconds: Double { sceneStart.map { Double(time.now() - $0) / 1e9 } ?? 0 }

  public func readPermission() -> DevicePermission { .authorized }

  public func load() { controls = traits.controls }

  public func start() {
    guard !isRecording else { return }
    isRecording = true
    lastEnd = time.now()
    sceneStart = sceneStart ?? lastEnd
    exposure.settle()
    gain.settle()
    duration.settle()
  }

  public func stop() { isRecording = false }

  // MARK: Adjusting

  public func adjust(_ wish: CameraWish) {
    self.wish = wish
    carryOut(wish)
  }

  private func carryOut(_ wish: CameraWish) {
    let exposureFrame = sequence + 1 + UInt64(traits.exposureDelayFrames)
    let rate = settings.frameRate.map { Int((1_000_000 / $0).rounded()) }
    let wishedDuration = traits.obeys(.frameDuration) ? wish.frameDuration ?? rate : nil
    duration.set(Self.limited(wishedDuration ?? Self.defaultDuration, to: traits.frameDurations), from: exposureFrame)
    expose(wish)
    lens.advance(to: time.now())
    if let dioptres = traits.obeys(.lens) ? wish.lens : nil {
      focus = nil
      lens.target = Self.limited(dioptres, to: traits.lensPositions)
    } else {
      followSettings()
    }
    if !isRecording {
      exposure.settle()
      gain.settle()
      duration.settle()
    }
  }

  /// Focuses as the settings say.
  private func followSettings() {
    switch settings.focus {
    case .unchanged: focus = nil
    case .fixed(let dioptres):
      focus = nil
      if traits.obeys(.lens) { lens.target = Self.limited(dioptres, to: traits.lensPositions) }
    case .near, .full:
      guard traits.hasAutofocus, focus == nil else { return }
      let nearest = traits.lensPositions.upperBound
      let farthest = settings.focus == .near ? min(Self.nearRangeStart, nearest) : traits.lensPositions.lowerBound
      focus = ContrastFocus(range: max(farthest, traits.lensPositions.lowerBound)...nearest, from: lens.position)
      lens.target = focus?.target ?? lens.target
    }
  }

  /// The farthest position of an autofocus in the near range, in dioptres.
  private static let nearRangeStart = 2.0

  /// Sets exposure and gain for the frames after the delay: as wished, and else as the camera chooses.
  private func expose(_ wish: CameraWish) {
    let fixedExposure = traits.obeys(.exposure) ? wish.exposure.map { Self.limited($0, to: traits.exposures) } : nil
    let fixedGain = traits.obeys(.gain) ? wish.gain.map { Self.limited($0, to: traits.gains) } : nil
    let longest = Self.limited(duration.last - Self.blanking, to: traits.exposures)
    let chosen = automatic.split(
      exposures: fixedExposure.map { $0...$0 } ?? traits.exposures.lowerBound...longest,
      gains: fixedGain.map { $0...$0 } ?? traits.gains)
    exposure.set(chosen.exposure, from: sequence + 1 + UInt64(traits.exposureDelayFrames))
    gain.set(chosen.gain, from: sequence + 1 + UInt64(traits.gainDelayFrames))
  }

  private static func limited<Value>(_ value: Value, to range: ClosedRange<Value>) -> Value {
    max(range.lowerBound, min(range.upperBound, value))
  }

  // MARK: Frames

  public func withNextFrame(within limit: Duration, _ body: (LumaView, FrameMetadata) -> Void) -> NextFrame {
    precondition(isRecording, "a frame was asked for while the camera does not record")
    if let frameCountMax, counts.captured >= frameCountMax { return .ended }
    let (seconds, attoseconds) = limit.components
    let latest = time.now() + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    var settings = nextSettings()
    guard lastEnd + Int64(settings.duration) * 1000 <= max(latest, time.now()) else {
      time.sleep(until: latest)
      return .noneYet
    }
    take(settings)
    time.sleep(until: lastEnd)
    while !keepsEveryFrame, lastEnd + Int64(nextSettings().duration) * 1000 <= time.now() {
      settings = nextSettings()
      take(settings)
      counts.dropped += 1
    }
    expose(settings, body)
    return .lent
  }

  /// The settings of the frame after the last one; the lens is not yet where it will be.
  private func nextSettings() -> FrameSettings {
    var settings = FrameSettings(
      exposure: exposure.value(of: sequence + 1), gain: gain.value(of: sequence + 1),
      duration: duration.value(of: sequence + 1), lens: 0)
    if traits.obeys(.frameDuration), wish.frameDuration != nil || self.settings.frameRate != nil {
      settings.exposure = min(settings.exposure, settings.duration - Self.blanking)
    } else {
      settings.duration = max(settings.duration, settings.exposure + Self.blanking)
    }
    return settings
  }

  /// Counts a frame.
  private func take(_ settings: FrameSettings) {
    sequence += 1
    lastEnd += Int64(settings.duration) * 1000
    counts.captured += 1
  }

  /// Draws the frame that has just ended, and lends it.
  private func expose(_ settings: FrameSettings, _ body: (LumaView, FrameMetadata) -> Void) {
    var settings = settings
    let readout = Int64(Double(traits.height) * traits.rowMicroseconds * 1000)
    let stamp = lastEnd - readout
    let start = stamp - Int64(settings.exposure) * 1000
    // The lens where it is in the middle of the frame.
    lens.advance(to: start + (lastEnd - start) / 2)
    settings.lens = lens.position
    let lux = renderer.render(
      from: Double(start - (sceneStart ?? start)) / 1e9, settings, isTorchLit: torch?.isOn ?? false)
    let (width, height) = (traits.width, traits.height)
    levels.withUnsafeMutableBufferPointer { levels in
      steps.withUnsafeMutableBufferPointer { steps in
        guard let base = levels.baseAddress, let steps = steps.baseAddress else { return }
        for y in 0..<height {
          response.read(lux.row(y), steps, settings, count: width, chance: &noise, to: base + y * width)
        }
        let frame = LumaView(base: base, width: width, height: height, bytesPerRow: width)
        examine(frame, settings)
        body(frame, metadata(settings, stamp: stamp))
      }
    }
  }

  /// Lets the camera's own control see a frame.
  private func examine(_ frame: LumaView, _ settings: FrameSettings) {
    automatic.examine(
      frame, settings,
      limit: Double(traits.exposures.lowerBound) * traits.gains.lowerBound...Double(settings.duration)
        * traits.gains.upperBound)
    expose(wish)
    if focus != nil {
      let middle = PixelRegion(
        x: frame.width / 4, y: frame.height / 4, width: frame.width / 2, height: frame.height / 2)
      focus?.examine(ContrastFocus.contrast(of: frame, in: wish.focusWindow ?? middle), at: settings.lens)
      lens.target = focus?.target ?? lens.target
    }
  }

  private func metadata(_ settings: FrameSettings, stamp: Int64) -> FrameMetadata {
    var metadata = FrameMetadata(sequence: sequence, captureBootTimeNanoseconds: stamp)
    if traits.told.contains(.exposure) { metadata.sensor.exposureMicroseconds = settings.exposure }
    if traits.told.contains(.gain) { metadata.sensor.gain = settings.gain }
    if traits.told.contains(.lens) { metadata.sensor.lensPosition = settings.lens }
    if traits.told.contains(.frameDuration) { metadata.sensor.frameDurationMicroseconds = settings.duration }
    return metadata
  }
}
