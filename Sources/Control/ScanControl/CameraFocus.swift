// The lens and the light of the camera's strategy: the lens climbs to where what is in view is sharpest, and the torch is tried the
// other way where it may help or harm.

import BarcodeTypes

/// Moves the lens to where what is in view shows most detail. It waits at the position that read last, or at home.
struct FocusSweep: Sendable {
  /// The distances from the sharpest position at which the lens looks for a sharper one, in thousandths of a dioptre: the last is
  /// half the depth of field of a small camera at f/2.
  private static let distances = [1_250, 2_500, 625]
  /// The same once a label that passes was read: those that follow are about as far away.
  private static let passingDistances = [625, 1_250]
  /// How near to a position the lens must be reported for the frame to count, in thousandths.
  private static let tolerance = 300
  /// Frames at a position of a lens that does not tell where it is, and the most frames that one which tells is waited for.
  private static let (blindFrameCount, frameCountMax) = (3, 6)
  /// The part of the detail, in percent, by which a sharper picture must exceed another.
  private static let gainMin = 3
  /// How much more detail than the least, in percent, the sharpest position of all must show.
  private static let certainGain = 40
  /// Frames that are exposed right for what is in view before the lens moves.
  private static let patience = 3
  /// Positions that are remembered: more than the whole range of a lens has at `tolerance`.
  private static let measuredCountMax = 64
  /// The detail below which what is in view is far out of focus, frames in a row that must show so little, and the most frames of a
  /// sweep through the whole range.
  private static let (blurredDetail, blurredCountMin, sweepFrameMax) = (300, 4, 16)
  /// The least detail of the position that a sweep ends at.
  private static let peakDetail = 200
  /// The distance from the sharpest position within which details count for the middle of a sweep's peak.
  private static let peakReach = 2_500
  /// The speed of what will have passed in half a second, in pixels per second.
  private static let dashSpeed = 1_500
  /// Frames without something in view after which it counts as gone, and how long what was measured is remembered.
  private static let goneCount = 10
  private static let memory = Duration.seconds(3)

  /// The growth of a label that comes nearer, in percent, over the frames of `sizes`.
  private static let growth = 10
  /// The widths and heights together of what was in view in the last frames, in pixels; 0 for a frame without.
  private var sizes: [5 of Int] = .init(repeating: 0)
  /// The position that read last.
  private var read: Int?
  /// Where the lens is sent.
  private var position: Int?
  private var frameCount = 0
  /// Positions that were measured, the detail at each, and when the last was.
  private var measured: [(lens: Int, detail: Int)] = []
  private var measuredAt: Instant?
  private var missingCount = 0
  /// The end of the range to which the lens sweeps, frames since it began, and the ends that it was sent to.
  private var sweepEnd: Int?
  private var sweepFrameCount = 0
  private var sweepCount = 0
  private var blurredCount = 0
  /// Whether the lens sweeps: other settings stay, so that its frames can be compared.
  var isSweeping: Bool { sweepEnd != nil }
  /// Whether the torch was lit at the last frame: light changes what counts as detail.
  private var wasLit: Bool?
  /// Frames that were exposed right since something came into view.
  private var rightCount = 0

  /// The lens position to wish after a frame, in thousandths of a dioptre; nil for a lens that does not move.
  ///
  /// - Parameters:
  ///   - part: what is looked at in this frame; nil: nothing.
  ///   - isExposedRight: whether the part is exposed well enough to tell how sharp it is.
  ///   - isPassing: whether labels pass one after the other.
  mutating func lens(
    after frame: FrameMeasures, part: PartMeasures?, isExposedRight: Bool, isPassing: Bool, _ limits: CameraLimits
  ) -> Int? {
    guard let range = limits.lens else { return nil }
    let home = read ?? min(max(limits.home, range.lowerBound), range.upperBound)
    if frame.isLit != wasLit { forget() }
    wasLit = frame.isLit
    if let measuredAt, measuredAt.duration(to: frame.capturedAt) > Self.memory { forget() }
    if frame.readCount > 0 {
      read = frame.settings.lens ?? position ?? home
      position = read
      // The sharpest of the labels that pass shows where to wait for the next one.
      if isPassing, let lens = frame.settings.lens, let detail = frame.thing?.detail {
        note(lens, detail)
        measuredAt = frame.capturedAt
        (frameCount, rightCount, missingCount) = (0, 0, 0)
      } else {
        forget()
      }
      return read
    }
    guard let part else {
      missingCount += 1
      if missingCount >= Self.goneCount {
        position = isPassing ? settled(home) : home
        sizes = .init(repeating: 0)
        // A label that passes shows the distance of the next one; a label that is held up does not.
        if !isPassing { forget() }
        rightCount = 0
      }
      return position ?? home
    }
    missingCount = 0
    if isComing(part.place) {
      // A label that comes nearer passes the usual distance soon.
      forget()
      position = home
      return home
    }
    var aim = position ?? home
    if !isPassing, frame.speed ?? 0 >= Self.dashSpeed, read == nil, aim == home {
      // It will have passed before the lens has been at several positions.
      aim = max(home - Self.distances[0], range.lowerBound)
    }
    position = aim
    frameCount += 1
    // Noise counts as detail, so that only frames of one exposure are compared; and the exposure comes first.
    guard isExposedRight || frameCount >= Self.frameCountMax else { return aim }
    let place = frame.settings.lens
    if let place { note(place, part.detail) }
    rightCount += 1
    measuredAt = frame.capturedAt
    if isPassing { sweepEnd = nil }
    if !isPassing, let place, let lens = sweep(at: place, part.detail, home: home, range) {
      if !isSweeping { frameCount = 0 }
      position = lens
      return lens
    }
    let hasArrived = place.map { abs($0 - aim) <= Self.tolerance } ?? (frameCount >= Self.blindFrameCount)
    guard rightCount >= Self.patience, hasArrived || frameCount >= Self.frameCountMax else { return aim }
    if place == nil { note(aim, part.detail) }
    frameCount = 0
    position = next(from: aim, home: home, isPassing: isPassing || frame.speed ?? 0 >= CameraStrategy.fastSpeed, range)
    return position
  }

  init() { measured.reserveCapacity(Self.measuredCountMax) }

  /// Whether what is in view has grown for some frames.
  private mutating func isComing(_ place: PixelRegion) -> Bool {
    let former = sizes[0]
    for index in 1..<sizes.count { sizes[index - 1] = sizes[index] }
    sizes[sizes.count - 1] = place.width + place.height
    return former > 0 && sizes[sizes.count - 1] * 100 >= former * (100 + Self.growth)
  }

  /// Where to send the lens while what is in view shows no detail: through the range to its farther end, then to the other; each frame on
  /// the way shows another position. Nil: a position nearby is sharper.
  private mutating func sweep(at place: Int, _ detail: Int, home: Int, _ range: ClosedRange<Int>) -> Int? {
    guard let end = sweepEnd else {
      blurredCount = detail < Self.blurredDetail ? blurredCount + 1 : 0
      guard sweepCount == 0, blurredCount >= Self.blurredCountMin else { return nil }
      sweepEnd = range.upperBound - place >= place - range.lowerBound ? range.upperBound : range.lowerBound
      (sweepFrameCount, sweepCount) = (0, 1)
      return sweepEnd
    }
    sweepFrameCount += 1
    let hasEnded = abs(place - end) <= Self.tolerance || sweepFrameCount >= Self.sweepFrameMax
    if let sharpest, sharpest.detail >= Self.peakDetail, hasEnded || detail * 2 < sharpest.detail {
      sweepEnd = nil
      return peak(around: sharpest.lens)
    }
    guard hasEnded else { return end }
    sweepEnd = sweepCount < 2 ? range.lowerBound + range.upperBound - end : nil
    (sweepFrameCount, sweepCount) = (0, sweepCount + 1)
    return sweepEnd ?? home
  }

  /// The middle of the details around a position.
  private func peak(around lens: Int) -> Int {
    var (moment, total) = (0, 0)
    for one in measured where abs(one.lens - lens) <= Self.peakReach && one.detail >= Self.peakDetail {
      moment += one.lens * one.detail
      total += one.detail
    }
    return total > 0 ? moment / total : lens
  }

  private mutating func forget() {
    measured.removeAll(keepingCapacity: true)
    (sweepEnd, sweepFrameCount, sweepCount, blurredCount) = (nil, 0, 0, 0)
    (frameCount, rightCount, missingCount, measuredAt) = (0, 0, 0, nil)
  }

  private mutating func note(_ lens: Int, _ detail: Int) {
    if let index = measured.firstIndex(where: { abs($0.lens - lens) <= Self.tolerance }) {
      measured[index] = (lens, detail)
    } else if measured.count < Self.measuredCountMax {
      measured.append((lens, detail))
    }
  }

  private var sharpest: (lens: Int, detail: Int)? {
    measured.reduce(nil) { best, one in
      guard let best else { return one }
      return one.detail * 100 > best.detail * (100 + Self.gainMin) ? one : best
    }
  }

  /// The sharpest position, if the others show clearly less; else home: what has no detail has no sharpness.
  private func settled(_ home: Int) -> Int {
    guard let sharpest else { return home }
    let least = measured.reduce(sharpest.detail) { min($0, $1.detail) }
    return sharpest.detail * 100 >= least * (100 + Self.certainGain) ? sharpest.lens : home
  }

  /// Where to go from a position that has been measured: beside the sharpest, first nearer and then farther, at ever smaller
  /// distances; the sharpest itself once all are known. What passes is rather farther: nearby it would be in view for few frames.
  private func next(from aim: Int, home: Int, isPassing: Bool, _ range: ClosedRange<Int>) -> Int {
    guard let sharpest else { return aim }
    for distance in isPassing && read != nil ? Self.passingDistances : Self.distances {
      for side in 0..<2 {
        let step = (side == 0) == isPassing ? -distance : distance
        let lens = min(max(sharpest.lens + step, range.lowerBound), range.upperBound)
        if !measured.contains(where: { abs($0.lens - lens) <= distance / 2 }) { return lens }
      }
    }
    return settled(home)
  }
}

/// The window of a camera that focuses automatically. What was in view first keeps it, as a new window restarts the camera's search.
struct FocusAim: Sendable {
  private var window: PixelRegion?

  /// The window to wish.
  ///
  /// - Parameter part: what is looked at in this frame; nil: nothing.
  mutating func window(for part: PartMeasures?, isLooking: Bool, _ limits: CameraLimits) -> PixelRegion? {
    guard limits.hasFocusWindow else { return nil }
    if let place = part?.place {
      if window.map({ !$0.holdsMiddle(of: place) || !place.holdsMiddle(of: $0) }) ?? true { window = place }
    } else if !isLooking {
      window = nil
    }
    return window
  }
}

extension PixelRegion {
  fileprivate func holdsMiddle(of other: PixelRegion) -> Bool {
    let (middleX, middleY) = (other.x + other.width / 2, other.y + other.height / 2)
    return middleX >= x && middleX < x + width && middleY >= y && middleY < y + height
  }
}

/// Tries the torch the other way where a symbol is located, or something is in view, and not read.
struct LightTrial: Sendable {
  /// How long one light is tried before the other.
  private static let turn = Duration.milliseconds(800)
  /// Frames in a row that must be too dark.
  private static let darkCountMin = 3
  /// The contrast below which light may help, in grey levels, and the share of white from which it may glare, in thousandths.
  private static let (contrastMin, glareShare) = (60, 40)

  /// When the present light was first tried on what is in view.
  private var since: Instant?
  private var darkCount = 0

  /// Whether the torch should be lit; nil: no wish.
  mutating func wish(
    after frame: FrameMeasures, part: PartMeasures?, wanted: Int?, _ limits: CameraLimits
  ) -> Bool? {
    guard limits.hasLight, let isLit = frame.isLit else { return nil }
    let now = frame.capturedAt
    // A part that is too dark for the camera needs light soon.
    let isTooDark = !isLit && (wanted ?? 0) > limits.gatheredMax ?? .max
    darkCount = isTooDark ? darkCount + 1 : 0
    if darkCount >= Self.darkCountMin { return true }
    guard let part else {
      since = nil
      return nil
    }
    let begin = since ?? now
    since = begin
    guard begin.duration(to: now) >= Self.turn else { return nil }
    let mayHelp = isLit ? part.brightness.whiteShare >= Self.glareShare : part.brightness.contrast < Self.contrastMin
    guard mayHelp else { return nil }
    since = now
    return !isLit
  }
}
