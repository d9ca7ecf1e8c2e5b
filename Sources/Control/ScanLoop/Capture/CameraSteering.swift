// Carries out the camera's strategy on the capture thread: measures each frame, passes the strategy's wishes to the source, and lets
// frames rest that show nothing new while nothing is in view.

import BarcodeTypes
import Devices
import ScanControl

/// Steers a source. Used by the capture thread.
struct CameraSteering {
  /// While nothing is in view, every such frame is decoded whether it has changed or not: a second at 20 frames per second.
  private static let restingCountMax = 20

  private let source: any FrameSource
  /// The source, if its settings may change.
  private let adjustable: (any AdjustableFrameSource)?
  private let settings: SteeringSettings
  private var strategy: CameraStrategy
  private var measuring = FrameMeasuring()
  private var restingCount = 0
  /// The last wish, and the reason for it.
  private(set) var wished: CameraRequest?
  private var sent: CameraWish?
  private var lastLight: Bool?
  /// Whether the torch was lit at the last frame.
  private var wasLit: Bool?

  init(_ source: any FrameSource, _ settings: SteeringSettings) {
    (self.source, self.settings) = (source, settings)
    adjustable = source as? any AdjustableFrameSource
    strategy = CameraStrategy(limits: CameraLimits(), exposure: settings.exposure)
  }

  /// Begins a capture run, for which the source knows its controls.
  mutating func begin() {
    let controls = adjustable?.controls ?? CameraControls()
    strategy = CameraStrategy(limits: CameraLimits(controls, settings), exposure: settings.exposure)
    measuring = FrameMeasuring()
    (restingCount, wished, sent, lastLight) = (0, nil, nil, nil)
  }

  /// Measures a frame before it is decoded.
  ///
  /// - Returns: the figures, and whether the frame may rest: nothing has been in view for a while, and nothing has changed.
  mutating func measure(
    _ frame: LumaView, region: PixelRegion?, _ metadata: FrameMetadata, isLit: Bool?, wasEmpty: Bool
  ) -> (measures: FrameMeasures, mayRest: Bool) {
    if isLit != wasLit { measuring.lightChanged() }
    wasLit = isLit
    var measures = measuring.measure(frame, region: region, metadata)
    measures.isLit = isLit
    let mayRest =
      settings.rests && !source.keepsEveryFrame && wasEmpty && restingCount < Self.restingCountMax
      && strategy.isWaiting(at: measures.capturedAt) && strategy.isUnchanged(measures)
    restingCount = mayRest ? restingCount + 1 : 0
    return (measures, mayRest)
  }

  /// Wishes settings for the frames to come, after a frame whose symbols are known.
  ///
  /// - Returns: whether the torch should be lit; nil: no news.
  mutating func steer(
    _ measures: FrameMeasures, _ sightings: [Sighting], _ unread: [UnreadSymbol], of frame: LumaView
  ) -> Bool? {
    var measures = measures
    measuring.add(sightings, unread, of: frame, to: &measures)
    let request = strategy.request(after: measures)
    wished = request
    let wish = CameraWish(request)
    if wish != sent, let adjustable { adjustable.adjust(wish) }
    sent = wish
    guard request.light != lastLight else { return nil }
    lastLight = request.light
    return request.light
  }
}

extension CameraLimits {
  /// The limits that a camera and its operator share.
  init(_ controls: CameraControls, _ settings: SteeringSettings) {
    self.init()
    func thousandths(_ range: ClosedRange<Double>) -> ClosedRange<Int> {
      Int((range.lowerBound * 1000).rounded())...Int((range.upperBound * 1000).rounded())
    }
    func common(_ a: ClosedRange<Int>, _ b: ClosedRange<Int>) -> ClosedRange<Int>? { a.overlaps(b) ? a.clamped(to: b) : nil }
    if settings.exposure != .fixed {
      exposure = controls.exposure.flatMap { common($0, 1...max(1, settings.exposureMax)) }
      gain = controls.gain.flatMap { common(thousandths($0), 0...settings.gainMax) }
    }
    if settings.movesLens {
      lens = controls.lens.flatMap { common(thousandths($0), settings.lens) }
      home = settings.home
      hasFocusWindow = controls.hasFocusWindow && lens == nil
    }
    frameDuration = settings.rests ? controls.frameDuration : nil
    hasLight = settings.hasLight
    flickerPeriod = settings.flickerPeriod
  }
}

extension CameraWish {
  init(_ request: CameraRequest) {
    self.init()
    exposure = request.exposure
    gain = request.gain.map { Double($0) / 1000 }
    lens = request.lens.map { Double($0) / 1000 }
    focusWindow = request.focusWindow
    frameDuration = request.frameDuration
  }
}
