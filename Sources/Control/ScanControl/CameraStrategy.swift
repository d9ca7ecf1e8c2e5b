// Start reading here: how the camera serves the decoder. From the figures of each frame the strategy wishes settings for frames to
// come: steady while codes are read, for the symbol in view if it is located but not read, and in turn for the bright and the dark
// parts of the view if something is there and nothing is located. A plain value: time is an argument, and nothing is done here.
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
  /// In microseconds.
  public var frameDuration: ClosedRange<Int>?
  public var hasFocusWindow = false
  /// Whether the torch may be switched.
  public var hasLight = false
  /// The time from one brightening of the mains' light to the next, in microseconds: 10 000 at 50 Hz, 8333 at 60 Hz; nil for
  /// light that does not flicker.
  public var flickerPeriod: Int? = 10_000

  public init() {}

  /// Whether exposure and gain can be set.
  var hasExposure: Bool { exposure != nil && gain != nil }
}

/// The strategies for exposure.
public enum ExposureStrategy: String, CaseIterable, Equatable, Sendable {
  /// Follows what is read, and looks for it in turn where nothing is.
  case automatic
  /// As configured.
  case fixed
  /// Alternates from frame to frame until something is read, whatever is in view.
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
    /// Its bright parts, such as a phone's screen.
    case bright
    /// Its dark parts.
    case dark
    /// The symbol that is located but not read.
    case symbol
    /// What was read last.
    case lastRead = "last read"
    /// The lens looks for the sharpest picture.
    case focus
  }

  /// In microseconds; nil: the camera's own automatic.
  public var exposure: Int?
  /// In thousandths; nil like `exposure`.
  public var gain: Int?
  /// In thousandths of a dioptre; nil: as configured.
  public var lens: Int?
  /// Where the camera's own autofocus looks.
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
  /// Levels that the exposure aims at: of the middle of the view, of its bright and of its dark parts, and of a symbol's light parts.
  static let (viewLevel, brightLevel, darkLevel, symbolLevel) = (100, 190, 70, 190)
  /// The mean change from which something moves in the view, in sixteenths of a level, beyond `changeNoise` times the usual one.
  static let changeMin = 12
  static let changeNoise = 3
  /// The part of a change, in 256ths, from which it is flicker.
  static let flickerShare = 200
  /// How long after the last sign of something in view the strategy keeps looking for it.
  static let attention = Duration.seconds(3)
  /// How long after a code was read its settings stay.
  static let steadiness = Duration.seconds(1)
  /// How long settings that have read something are tried first.
  static let memory = Duration.seconds(600)
  /// How long nothing must be in view before the station waits cheaply.
  static let patience = Duration.seconds(5)
  /// How long a located symbol is remembered.
  static let symbolHold = Duration.milliseconds(400)
  /// Microseconds between frames while nothing is in view: what comes is seen within 100 ms.
  static let waitingFrameDuration = 80_000
  /// The share of a view that is worth an exposure of its own, in thousandths.
  static let partShare = 15
  /// The exposure while something moves whose speed is unknown, in microseconds.
  static let movingExposure = 4_000
  /// The exposure up to which more light is taken from exposure, then from gain up to `quietGain`, then from exposure again.
  static let quietExposure = 8_000
  static let quietGain = 4_000

  public let limits: CameraLimits
  public let exposure: ExposureStrategy

  /// The light to gather for the view as a whole; nil before the first frame with settings.
  private var viewGathered: Int?
  private var brightGathered: Int?
  private var darkGathered: Int?
  /// The last symbol that was located but not read, and the light to gather for it.
  private var symbol: (seen: Instant, gathered: Int?, measures: UnreadMeasures)?
  /// The settings that read a code last, and when.
  private var lastRead: (at: Instant, settings: SensorSettings)?
  /// When something was in view last.
  private var lastSign: Instant?
  private var firstFrame: Instant?
  /// The usual change of an unmoved view.
  private var usualChange = CameraStrategy.changeMin
  /// Frames since the strategy began to look.
  private var turn = 0
  /// The speed of what is in view, in pixels per second, and when it was measured.
  private var speed: (at: Instant, pixels: Int)?
  private var isMoving = false
  private var focus = FocusSweep()
  private var light = LightTrial()

  public init(limits: CameraLimits, exposure: ExposureStrategy = .automatic) {
    (self.limits, self.exposure) = (limits, exposure)
  }

  /// Whether nothing has been in view for a while.
  public func isWaiting(at now: Instant) -> Bool {
    guard let begin = lastSign ?? firstFrame else { return false }
    return begin.duration(to: now) >= Self.patience
  }

  /// Whether a frame shows no change beyond the usual one; false if that is unknown.
  public func isUnchanged(_ frame: FrameMeasures) -> Bool { frame.change.map { !isMotion($0, frame.rowShare) } ?? false }

  private func isMotion(_ change: Int, _ rowShare: Int) -> Bool {
    rowShare < Self.flickerShare && change >= Self.changeMin && change > Self.changeNoise * usualChange
  }

  /// The settings to wish after a frame.
  public mutating func request(after frame: FrameMeasures) -> CameraRequest {
    let now = frame.capturedAt
    firstFrame = firstFrame ?? now
    noteSigns(frame, now)
    noteExposure(frame, now)
    var request = CameraRequest(reason: .view)
    let isReading = lastRead.map { $0.at.duration(to: now) < Self.steadiness } ?? false
    let isAttentive = lastSign.map { $0.duration(to: now) < Self.attention } ?? false
    if isReading || !isAttentive { turn = 0 }
    if isReading {
      request = steady(now)
    } else if isAttentive || exposure == .bracket {
      request = looking(now)
      turn += 1
    } else if isWaiting(at: now) {
      request.reason = .waiting
      request.frameDuration = limits.frameDuration.map { limits in
        min(max(Self.waitingFrameDuration, limits.lowerBound), limits.upperBound)
      }
      setExposure(of: &request, gathering: viewGathered, now)
    } else {
      setExposure(of: &request, gathering: viewGathered, now)
    }
    request.lens = focus.lens(
      after: frame, symbol: symbol?.measures, isLooking: isAttentive && !isReading, isStill: !isMoving, turn: turn, limits)
    if focus.isSweeping { request.reason = .focus }
    if limits.hasFocusWindow, request.lens == nil, isAttentive { request.focusWindow = symbol?.measures.place }
    request.light = light.wish(after: frame, symbol: symbol?.measures, isLooking: isAttentive && !isReading, limits)
    return request
  }

  // MARK: What frames tell

  private mutating func noteSigns(_ frame: FrameMeasures, _ now: Instant) {
    isMoving = false
    if let change = frame.change {
      isMoving = isMotion(change, frame.rowShare)
      // The usual change falls at once and rises slowly.
      usualChange =
        change < usualChange
        ? change : usualChange + max(isMoving ? 0 : 1, (min(change, 4 * usualChange) - usualChange) / 32)
    }
    if let pixels = frame.speed { speed = (now, pixels) }
    if let known = speed, known.at.duration(to: now) > Self.symbolHold { speed = nil }
    if frame.readCount > 0 {
      lastRead = (now, frame.settings)
      symbol = nil
    } else if let unread = frame.unread {
      let gathered = frame.settings.gathered.map { Self.solved($0, for: unread.brightness, level: Self.symbolLevel) }
      symbol = (now, gathered, unread)
    } else if let known = symbol, known.seen.duration(to: now) > Self.symbolHold {
      symbol = nil
    }
    if isMoving || frame.readCount > 0 || frame.unread != nil { lastSign = now }
  }

  /// Follows the light of the view, half way with each frame.
  private mutating func noteExposure(_ frame: FrameMeasures, _ now: Instant) {
    guard let gathered = frame.settings.gathered else { return }
    let view = frame.viewport
    let wanted = Self.scaled(gathered, from: Int(view.middle), to: Self.viewLevel, isWhite: view.middle >= Self.whiteLevel)
    viewGathered = viewGathered.map { ($0 + wanted) / 2 } ?? wanted
    // Parts are measured only where they show: bright ones need a frame in which they are not all white.
    if view.whiteShare >= Self.partShare || view.bright > Self.brightLevel {
      brightGathered = Self.scaled(
        gathered, from: Int(view.bright), to: Self.brightLevel, isWhite: view.whiteShare >= Self.partShare)
    } else if let known = brightGathered, gathered >= known {
      brightGathered = nil
    }
    if view.blackShare >= Self.partShare || view.dark < Self.darkLevel / 2 {
      darkGathered = Self.scaled(gathered, from: Int(view.dark), to: Self.darkLevel, isWhite: false)
    } else if let known = darkGathered, gathered <= known {
      darkGathered = nil
    }
  }

  /// The level from which a part counts as white to the end of the range.
  static let whiteLevel: UInt8 = 250
  /// The most that one frame changes the light to gather, as a factor, and the factor for what is white to the end.
  private static let (stepMax, whiteStep) = (16, 6)

  /// The light to gather for a symbol: its light parts bright, but not white.
  private static func solved(_ gathered: Int, for brightness: Brightness, level: Int) -> Int {
    scaled(gathered, from: Int(brightness.bright), to: level, isWhite: brightness.whiteShare > 100)
  }

  /// The light to gather so that a level becomes another. Cameras write the square root of the light, nearly.
  private static func scaled(_ gathered: Int, from level: Int, to wanted: Int, isWhite: Bool) -> Int {
    if isWhite { return max(1, gathered / whiteStep) }
    let level = max(level, wanted / 4)
    return max(1, gathered * wanted * wanted / (level * level))
  }
}

// MARK: Wishes

extension CameraStrategy {
  /// What read last stays.
  private func steady(_ now: Instant) -> CameraRequest {
    var request = CameraRequest(reason: .lastRead)
    guard limits.hasExposure, let lastRead else { return request }
    request.exposure = lastRead.settings.exposure
    request.gain = lastRead.settings.gain
    return request
  }

  /// In turn, what may show the symbol.
  private func looking(_ now: Instant) -> CameraRequest {
    var request = CameraRequest(reason: .view)
    guard limits.hasExposure else { return request }
    var arms: [(reason: CameraRequest.Reason, gathered: Int)] = []
    func add(_ reason: CameraRequest.Reason, _ gathered: Int?) {
      guard let gathered, !arms.contains(where: { Self.areAlike($0.gathered, gathered) }) else { return }
      arms.append((reason, gathered))
    }
    if let symbol {
      // The measured exposure again and again: noise and motion differ from frame to frame. Then around it.
      add(.symbol, symbol.gathered)
      if turn >= Self.symbolTurns, let gathered = symbol.gathered {
        add(.symbol, gathered / 3)
        add(.symbol, gathered * 3)
      }
    } else {
      add(.view, viewGathered)
      if let lastRead, lastRead.at.duration(to: now) < Self.memory { add(.lastRead, lastRead.settings.gathered) }
      add(.bright, brightGathered)
      add(.dark, darkGathered)
    }
    guard !arms.isEmpty else { return request }
    let arm = arms[turn % arms.count]
    request.reason = arm.reason
    setExposure(of: &request, gathering: arm.gathered, now)
    return request
  }

  /// Frames for which a located symbol's own exposure is tried before others.
  private static var symbolTurns: Int { 6 }

  /// Whether two exposures show nearly the same: less than a factor of 1.5 apart.
  private static func areAlike(_ a: Int, _ b: Int) -> Bool { 2 * max(a, b) < 3 * min(a, b) }

  /// Divides the light to gather between exposure and gain.
  private func setExposure(of request: inout CameraRequest, gathering gathered: Int?, _ now: Instant) {
    guard let gathered, let times = limits.exposure, let gains = limits.gain, exposure != .fixed else { return }
    func time(at gain: Int) -> Int { gathered * 1000 / max(1, gain) }
    let most = min(times.upperBound, limits.frameDuration?.upperBound ?? times.upperBound)
    let cap = min(most, exposureCap)
    var exposure = min(time(at: gains.lowerBound), min(cap, Self.quietExposure))
    if exposure * Self.quietGain / 1000 < gathered {
      exposure = min(cap, max(exposure, time(at: min(Self.quietGain, gains.upperBound))))
    }
    // With the gain at its end, rather a blurred picture than a black one.
    if exposure * gains.upperBound / 1000 < gathered { exposure = min(most, 2 * cap, time(at: gains.upperBound)) }
    if let period = limits.flickerPeriod, exposure > period { exposure -= exposure % period }
    exposure = min(max(exposure, times.lowerBound), times.upperBound)
    request.exposure = exposure
    request.gain = min(max(gathered * 1000 / exposure, gains.lowerBound), gains.upperBound)
  }

  /// The longest exposure that does not blur what moves: it moves by a module at most.
  private var exposureCap: Int {
    guard let speed else { return isMoving ? Self.movingExposure : .max }
    guard speed.pixels > 0 else { return .max }
    let module = symbol?.measures.module?.bits ?? 2 << 16
    return max(100, Int(module) * 1_000_000 / 65536 / speed.pixels)
  }
}
