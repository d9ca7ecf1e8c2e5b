// The lens and the light of the camera's strategy: a sweep through the lens positions while the picture is blurred and still, and
// the torch in turn where it may help or harm.

import BarcodeTypes

/// Moves the lens through its range until something is read, and then to where the picture was sharpest.
struct FocusSweep: Sendable {
  /// The width of edges from which a symbol is out of focus, in pixels.
  private static let blurredEdge = Fixed16(bits: 3 << 16)
  /// Frames of looking without a located symbol, and with a blurred one, before the lens moves.
  private static let (blindTurns, blurredTurns) = (6, 3)
  /// Dioptres from one position to the next, in thousandths: the depth of field of a small camera at f/2.
  private static let step = 1_000
  /// How near to a position the lens must be reported for the frame to count, in thousandths.
  private static let tolerance = 250
  /// Frames that a position waits for the lens to arrive, or for cameras that do not tell.
  private static let frameCountMax = 4

  /// The position on the way; nil while the lens does not sweep.
  private var position: Int?
  /// Frames at this position.
  private var frameCount = 0
  private var sharpest: (steepness: UInt8, lens: Int)?
  /// The position that is kept: of the last read, or of the sharpest picture; nil: the camera's own.
  private(set) var kept: Int?
  /// Whether a sweep has ended without a read since something came into view.
  private var isDone = false

  var isSweeping: Bool { position != nil }

  /// The lens position to wish after a frame, in thousandths of a dioptre; nil: the camera's own.
  mutating func lens(
    after frame: FrameMeasures, symbol: UnreadMeasures?, isLooking: Bool, isStill: Bool, turn: Int, _ limits: CameraLimits
  ) -> Int? {
    guard let range = limits.lens else { return nil }
    if frame.readCount > 0 {
      if isSweeping { kept = frame.settings.lens ?? position }
      position = nil
      isDone = false
      return kept
    }
    guard isLooking else {
      position = nil
      isDone = false
      return kept
    }
    if let position { return sweep(from: position, frame, range) }
    let isBlurred = symbol.map { min($0.edgeAcross, $0.edgeDown) >= Self.blurredEdge } ?? (turn >= Self.blindTurns)
    guard isBlurred, isStill, !isDone, turn >= Self.blurredTurns else { return kept }
    // From near to far: labels are held close.
    sharpest = nil
    frameCount = 0
    position = range.upperBound
    return position
  }

  private mutating func sweep(from position: Int, _ frame: FrameMeasures, _ range: ClosedRange<Int>) -> Int? {
    frameCount += 1
    let place = frame.settings.lens
    if frame.steepness > sharpest?.steepness ?? 0 { sharpest = (frame.steepness, place ?? position) }
    let hasArrived = place.map { abs($0 - position) <= Self.tolerance } ?? false
    guard hasArrived || frameCount >= Self.frameCountMax else { return position }
    frameCount = 0
    guard position > range.lowerBound else {
      self.position = nil
      isDone = true
      kept = sharpest?.lens
      return kept
    }
    self.position = max(range.lowerBound, position - Self.step)
    return self.position
  }
}

/// Tries the torch the other way where a symbol is located but not read.
struct LightTrial: Sendable {
  /// How long a symbol is tried in one light before the other.
  private static let turn = Duration.milliseconds(600)
  /// The contrast below which light may help, in grey levels, and the share of white from which it may glare, in thousandths.
  private static let (contrastMin, glareShare) = (60, 40)

  /// When the present light was first tried on the symbol in view.
  private var since: Instant?

  /// Whether the torch should be lit; nil: no wish.
  mutating func wish(
    after frame: FrameMeasures, symbol: UnreadMeasures?, isLooking: Bool, _ limits: CameraLimits
  ) -> Bool? {
    guard limits.hasLight, let isLit = frame.isLit, isLooking, let symbol else {
      since = nil
      return nil
    }
    let now = frame.capturedAt
    let begin = since ?? now
    since = begin
    guard begin.duration(to: now) >= Self.turn else { return nil }
    let mayHelp = isLit ? symbol.brightness.whiteShare >= Self.glareShare : symbol.brightness.contrast < Self.contrastMin
    guard mayHelp else { return nil }
    since = now
    return !isLit
  }
}
