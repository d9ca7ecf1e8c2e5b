// Start reading here: how the camera serves the decoder. From the figures of each frame the strategy wishes settings for the frames
// to come: steady while codes are read; for the symbol that is located but not read, or else for what has come into view; and then
// around that. A plain value: time is an argument, and nothing is done here.
//
// Wishes act some frames later, so several are under way at once. A frame's own settings tell what it answers to.

public import BarcodeTypes

/// The limits within which a camera is driven; nil for a control that it lacks or that is fixed.
public struct CameraLimits: Equatable, Sendable {
  /// In microseconds.
  public var exposure: ClosedRange<Int>?
  /// In thousandths.
  public var gain: ClosedRange<Int>?
  /// In thousandths of a dioptre.
  public var lens: ClosedRange<Int>?
  /// Where the lens waits before anything was read, in thousandths of a dioptre.
  public var home = 5_000
  /// Whether the camera focuses automatically and accepts a window for that.
  public var hasFocusWindow = false
  /// In microseconds.
  public var frameDuration: ClosedRange<Int>?
  /// Whether the torch may be switched.
  public var hasLight = false
  /// The time from one brightening of the mains' light to the next, in microseconds; nil for light that does not flicker.
  public var flickerPeriod: Int? = 10_000

  public init() {}

  /// The most light that can be gathered, in microseconds at gain 1; nil if the camera decides.
  var gatheredMax: Int? { exposure.flatMap { times in gain.map { times.upperBound * $0.upperBound / 1000 } } }
}

/// The strategies for exposure.
public enum ExposureStrategy: String, CaseIterable, Equatable, Sendable {
  /// Follows what is in view and what is read.
  case automatic
  /// As configured.
  case fixed
  /// Alternates from frame to frame until something is read, even with an empty view.
  case bracket
}

/// The settings for the frames to come.
public struct CameraRequest: Equatable, Sendable {
  /// Why they are wished.
  public enum Reason: String, CaseIterable, Equatable, Sendable {
    /// Nothing is in view.
    case waiting
    /// The view as a whole.
    case view
    /// A thing that has come into view.
    case thing
    /// The symbol that is located but not read.
    case symbol
    /// Darker and brighter than what is in view seems to need.
    case around
    /// The symbol that was read last.
    case lastRead = "last read"
  }

  /// In microseconds; nil: the camera's own automatic.
  public var exposure: Int?
  /// In thousandths; nil like `exposure`.
  public var gain: Int?
  /// In thousandths of a dioptre; nil: as configured.
  public var lens: Int?
  /// The window in which the camera focuses automatically, in frame pixels; nil: the camera's choice.
  public var focusWindow: PixelRegion?
  /// In microseconds; nil: as configured.
  public var frameDuration: Int?
  /// Whether the torch should be lit; nil: no wish.
  public var light: Bool?
  public var reason: Reason

  public init(reason: Reason) { self.reason = reason }
}

/// The strategy of a camera.
public struct CameraStrategy: Sendable {
  /// Levels that the exposure aims at: of the middle of the view, and of the light parts of a label.
  static let (viewLevel, labelLevel) = (80, 190)
  /// How many times the usual change something moves in the view.
  static let changeNoise = 3
  /// How long after the last sign of something in view the strategy keeps looking for it.
  static let attention = Duration.seconds(1)
  /// How long after a code was read its settings stay.
  static let steadiness = Duration.seconds(1)
  /// Frames with something in view and nothing read after which they do not.
  static let unreadCountMax = 6
  /// How long nothing must be in view before the station waits cheaply.
  static let patience = Duration.seconds(5)
  /// How long what was located or came into view is remembered.
  static let hold = Duration.milliseconds(400)
  /// Microseconds between frames while nothing is in view: what comes is seen within 100 ms.
  static let waitingFrameDuration = 50_000
  /// Frames in which one exposure is tried before others around it: a located symbol, and a thing.
  static let (symbolTurns, thingTurns) = (6, 8)
  /// How long light that was seen to flicker counts as flickering.
  static let flickerMemory = Duration.seconds(60)
  /// How much more light than the camera can gather an empty view must need to be lit: labels are lighter than most views.
  static let viewDarkness = 4
  /// How much less light than wanted is better than a picture that motion blurs, or than noise at a high gain.
  static let darkFactor = 3
  /// The factor between an exposure and those around it.
  static let aroundFactor = 3
  /// The exposure up to which light is taken from exposure, and the gain up to which it is then taken from gain: for what moves
  /// or may come, and for what keeps still.
  static let (fastExposure, fastGain) = (400, 8_000)
  static let (calmExposure, calmGain) = (8_000, 4_000)
  /// The part by which exposure or light must differ from those wished last: frames of the same settings tell what changes.
  static let nearDivisor = 16
  /// The speed from which labels are expected to pass, in pixels per second, and for how long after the last.
  static let fastSpeed = 600
  static let speedMemory = Duration.seconds(120)
  /// Frames without motion after which what is in view keeps still.
  static let calmFrameCount = 3

  public let limits: CameraLimits
  public let exposure: ExposureStrategy

  /// The light to gather for the view as a whole; nil before the first frame with settings.
  private var viewGathered: Int?
  /// The same while nothing is in view.
  private var emptyGathered: Int?
  /// The target: the last symbol that was located, or else a thing that came into view; and the light to gather for it.
  private var target: (seen: Instant, isSymbol: Bool, part: PartMeasures, gathered: Int?)?
  /// The settings that read a code last, when, and what the empty view needed then.
  private var lastRead: (at: Instant, settings: SensorSettings, emptyGathered: Int?)?
  /// When something was in view last.
  private var lastSign: Instant?
  private var firstFrame: Instant?
  /// The usual change of an unmoved view.
  private var usualChange = FrameMeasures.changeMin
  /// Frames since the strategy began to look.
  private var turn = 0
  private var hadTarget = false
  private var unreadCount = 0
  /// The exposure and gain that were wished last.
  private var settled: (exposure: Int, gain: Int)?
  /// The light to gather for what was in view last.
  private var lastTarget: (at: Instant, gathered: Int, emptyGathered: Int?)?
  /// The speed of what is in view, in pixels per second, and when it was measured; and of what comes usually.
  private var speed: (at: Instant, pixels: Int)?
  private var usualSpeed: (at: Instant, pixels: Int)?
  private var lastSpeed: Int?
  private var calmFrameCount = 0
  private var flickerSeen: Instant?
  private var focus = FocusSweep()
  private var focusAim = FocusAim()
  private var light = LightTrial()
  /// Whether the torch was lit at the last frame.
  private var wasLit: Bool?

  public init(limits: CameraLimits, exposure: ExposureStrategy = .automatic) {
    (self.limits, self.exposure) = (limits, exposure)
  }

  /// Whether nothing has been in view for a while.
  public func isWaiting(at now: Instant) -> Bool {
    guard let begin = lastSign ?? firstFrame else { return false }
    return begin.duration(to: now) >= Self.patience
  }

  /// Whether a frame shows no change beyond the usual one; false if that is unknown.
  public func isUnchanged(_ frame: FrameMeasures) -> Bool {
    frame.thing == nil && frame.change.map { !isMotion($0, frame.rowShare) } ?? false
  }

  private func isMotion(_ change: Int, _ rowShare: Int) -> Bool {
    rowShare < FrameMeasures.flickerShare && change >= FrameMeasures.changeMin && change > Self.changeNoise * usualChange
  }

  /// The settings to wish after a frame.
  public mutating func request(after frame: FrameMeasures) -> CameraRequest {
    let now = frame.capturedAt
    firstFrame = firstFrame ?? now
    if frame.isLit != wasLit { forgetLight() }
    wasLit = frame.isLit
    noteMotion(frame, now)
    noteTarget(frame, now)
    if let gathered = frame.settings.gathered {
      let wanted = Self.scaled(gathered, frame.viewport, part: frame.viewport.middle, to: Self.viewLevel)
      let isTold = Self.toldLevels.contains(frame.viewport.middle)
      // A black view needs more light and a white one less; neither shows how much.
      let isDark = frame.viewport.middle < Self.viewLevel
      let isNews = isTold || viewGathered.map { isDark == (wanted > $0) } ?? true
      // Half way with each frame.
      if isNews { viewGathered = viewGathered.map { ($0 + wanted) / 2 } ?? wanted }
      if isTold, target == nil, frame.readCount == 0 { emptyGathered = viewGathered }
    }
    let isUnread = frame.readCount == 0 && (frame.unread != nil || frame.thing != nil)
    unreadCount = isUnread ? unreadCount + 1 : 0
    let hasJustRead = lastRead.map { $0.at.duration(to: now) < Self.steadiness } ?? false
    let isReading = hasJustRead && unreadCount < Self.unreadCountMax
    let isLooking = !isReading && (exposure == .bracket || lastSign.map { $0.duration(to: now) < Self.attention } ?? false)
    turn = isLooking && (target != nil) == hadTarget && !focus.isSweeping ? turn + 1 : 0
    hadTarget = target != nil
    var request = isLooking ? looking(now) : ready(now, isReading: isReading)
    if isWaiting(at: now) {
      request.reason = .waiting
      request.frameDuration = limits.frameDuration.map { min(max(Self.waitingFrameDuration, $0.lowerBound), $0.upperBound) }
    }
    let part = isLooking ? frame.unread ?? frame.thing : nil
    let isExposedRight = part.map { Self.rightLevels.contains($0.brightness.bright) } ?? false
    request.lens = focus.lens(after: frame, part: part, isExposedRight: isExposedRight, isPassing: usualSpeed != nil, limits)
    request.focusWindow = focusAim.window(for: part, isLooking: isLooking || isReading, limits)
    let needed = target?.gathered ?? viewGathered.map { $0 / Self.viewDarkness }
    request.light = light.wish(
      after: frame, part: isExposedRight ? part : nil, wanted: isReading ? nil : needed, limits)
    return request
  }

  // MARK: What frames tell

  /// Forgets what was gathered in the light of before.
  private mutating func forgetLight() {
    (viewGathered, emptyGathered, target, lastRead, lastTarget, turn) = (nil, nil, nil, nil, nil, 0)
  }

  private mutating func noteMotion(_ frame: FrameMeasures, _ now: Instant) {
    if let change = frame.change {
      let isMoving = isMotion(change, frame.rowShare)
      if isMoving { lastSign = now }
      if frame.isFlickering { flickerSeen = now }
      calmFrameCount = isMoving ? 0 : calmFrameCount + 1
      // The usual change falls at once and rises slowly.
      usualChange = change < usualChange ? change : usualChange + (change - usualChange + 15) / 16
    }
    if let pixels = frame.speed {
      // Of two measures the smaller: what appears or leaves at an edge seems to jump.
      let certain = min(pixels, lastSpeed ?? pixels)
      speed = (now, certain)
      let isSteady = lastSpeed.map { max(pixels, $0) <= 2 * certain } ?? false
      if isSteady, certain >= Self.fastSpeed { usualSpeed = (now, max(certain, usualSpeed?.pixels ?? 0)) }
    }
    lastSpeed = frame.speed
    if let known = usualSpeed, known.at.duration(to: now) > Self.speedMemory { usualSpeed = nil }
    if let known = speed, known.at.duration(to: now) > Self.hold { speed = nil }
  }

  private mutating func noteTarget(_ frame: FrameMeasures, _ now: Instant) {
    if frame.readCount > 0 {
      // Frames of wishes that were under way may read too, worse: what read first stays.
      let isSame = lastRead.map { $0.at.duration(to: now) < Self.steadiness } ?? false
      lastRead = (now, isSame ? lastRead?.settings ?? frame.settings : frame.settings, emptyGathered)
    }
    if frame.readCount > 0 || frame.unread != nil || frame.thing != nil { lastSign = now }
    let isHeld = target.map { $0.seen.duration(to: now) < Self.hold } ?? false
    if target == nil { calmFrameCount = 0 }
    if let part = frame.unread {
      target = (now, true, part, gathered(for: part, frame))
    } else if let part = frame.thing, !isHeld || target?.isSymbol == false {
      target = (now, false, part, gathered(for: part, frame))
    } else if !isHeld {
      target = nil
    }
    if let gathered = target?.gathered { lastTarget = (now, gathered, emptyGathered) }
  }

  /// The light to gather for a part: its light parts bright, but not white.
  private func gathered(for part: PartMeasures, _ frame: FrameMeasures) -> Int? {
    frame.settings.gathered.map { Self.scaled($0, part.brightness, part: part.brightness.bright, to: Self.labelLevel) }
  }

  /// The bright levels of a part that is exposed well enough to tell what it shows.
  private static let rightLevels: ClosedRange<UInt8> = 60...245
  /// The middle levels of a view that tell how much light it needs.
  private static let toldLevels: ClosedRange<UInt8> = 12...240
  /// The share of white, in thousandths, from which a part is too bright to tell by how much, the factor for it, and the most by
  /// which a level is raised.
  private static let (whiteShare, whiteFactor, raiseMax) = (100, 6, 8)
  /// The share of white from which a part is mostly white, and the factor for it.
  private static let (mostlyWhite, mostlyWhiteFactor) = (400, 20)

  /// The light to gather so that a level becomes another. Cameras write the square root of the light, nearly.
  private static func scaled(_ gathered: Int, _ brightness: Brightness, part level: UInt8, to wanted: Int) -> Int {
    if level >= 250, brightness.whiteShare >= whiteShare {
      return max(1, gathered / (brightness.whiteShare >= mostlyWhite ? mostlyWhiteFactor : whiteFactor))
    }
    let level = max(Int(level), wanted / raiseMax)
    return max(1, gathered * wanted * wanted / (level * level))
  }

  // MARK: Wishes

  /// The wish while nothing is looked for: what read last or was in view last, in the present light, or the view.
  private mutating func ready(_ now: Instant, isReading: Bool) -> CameraRequest {
    if isReading, let lastRead {
      var request = CameraRequest(reason: .lastRead)
      guard limits.exposure != nil, limits.gain != nil, exposure != .fixed else { return request }
      (request.exposure, request.gain) = (lastRead.settings.exposure, lastRead.settings.gain)
      return request
    }
    if let lastRead, let gathered = lastRead.settings.gathered {
      return exposing(inPresentLight(gathered, lastRead.emptyGathered), .lastRead, now)
    }
    if let lastTarget, lastTarget.at.duration(to: now) < Self.speedMemory {
      return exposing(inPresentLight(lastTarget.gathered, lastTarget.emptyGathered), .thing, now)
    }
    return exposing(viewGathered, .view, now)
  }

  /// The light to gather now for what needed some when the empty view needed other.
  private func inPresentLight(_ gathered: Int, _ then: Int?) -> Int {
    guard let then, let emptyGathered else { return gathered }
    return max(1, gathered * emptyGathered / max(1, then))
  }

  /// The wish while something is looked for: its own exposure, and in turn others around it.
  private mutating func looking(_ now: Instant) -> CameraRequest {
    let reason: CameraRequest.Reason = target.map { $0.isSymbol ? .symbol : .thing } ?? .view
    guard let gathered = target?.gathered ?? viewGathered else { return CameraRequest(reason: reason) }
    let isPatient = turn < (target?.isSymbol == true ? Self.symbolTurns : Self.thingTurns) && exposure != .bracket
    switch isPatient || target == nil && exposure != .bracket ? 0 : turn % 4 {
    case 1: return exposing(gathered / Self.aroundFactor, .around, now)
    case 3: return exposing(gathered * Self.aroundFactor, .around, now)
    default: return exposing(gathered, reason, now)
    }
  }

  /// Divides the light to gather between exposure and gain.
  private mutating func exposing(_ gathered: Int?, _ reason: CameraRequest.Reason, _ now: Instant) -> CameraRequest {
    var request = CameraRequest(reason: reason)
    guard let gathered, let times = limits.exposure, let gains = limits.gain, exposure != .fixed else { return request }
    func time(at gain: Int) -> Int { gathered * 1000 / max(1, min(max(gain, gains.lowerBound), gains.upperBound)) }
    let isFlickering = flickerSeen.map { $0.duration(to: now) < Self.flickerMemory } ?? false
    let isCalm = calmFrameCount >= Self.calmFrameCount && target != nil || isFlickering
    let cap = exposureCap
    var exposure = min(time(at: gains.lowerBound), isCalm ? Self.calmExposure : Self.fastExposure)
    exposure = min(cap, max(exposure, time(at: isCalm ? Self.calmGain : Self.fastGain)))
    // With the gain at its end, rather a blurred picture than a black one.
    exposure = max(exposure, min(2 * cap, time(at: gains.upperBound) / Self.darkFactor))
    if let period = limits.flickerPeriod, exposure > period || isFlickering && time(at: gains.lowerBound) * 3 / 2 >= period {
      exposure = max(1, exposure / period) * period
    }
    exposure = min(max(exposure, times.lowerBound), times.upperBound)
    // Gain makes the noise lighter, too: what moves is rather dark.
    let mostGain = exposure >= cap ? max(Self.fastGain, gathered * 1000 / exposure / Self.darkFactor) : gains.upperBound
    let gain = min(max(min(gathered * 1000 / exposure, mostGain), gains.lowerBound), gains.upperBound)
    if let settled, Self.isNear(settled.exposure, exposure), Self.isNear(settled.exposure * settled.gain, exposure * gain) {
      (request.exposure, request.gain) = settled
    } else {
      (request.exposure, request.gain) = (exposure, gain)
      settled = (exposure, gain)
    }
    return request
  }

  private static func isNear(_ a: Int, _ b: Int) -> Bool { abs(a - b) * nearDivisor <= b }

  /// The longest exposure that does not blur what moves: it moves by two thirds of a module at most.
  private var exposureCap: Int {
    guard let pixels = (target == nil ? nil : speed?.pixels) ?? usualSpeed?.pixels, pixels > 0 else { return Int(Int32.max) }
    let module = Int(target?.part.module?.bits ?? 2 << 16)
    return max(100, module * 1_000_000 / 65536 / pixels * 2 / 3)
  }
}
