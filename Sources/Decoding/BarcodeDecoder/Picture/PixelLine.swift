// A straight line of whole pixels with repeated threshold crossings, on which the searches for finders measure runs.

import BarcodeTypes

/// The pixels from a start to the picture's edge in one of eight directions, classified as dark or light.
@safe struct PixelLine {
  private let start: PixelPlace
  private let stride: Int
  /// 1, or -1 if light pixels count as dark.
  private let sign: Int
  private let threshold: Int
  /// The least value on one side of the threshold; the greatest value on the other side is one less.
  private let limit: Int
  /// Number of steps to the picture's edge.
  let room: Int

  /// A walk whose start is clamped to the picture.
  init(_ view: LumaView, _ walk: PixelWalk, _ threshold: Threshold) {
    let x = max(0, min(view.width &- 1, walk.x))
    let y = max(0, min(view.height &- 1, walk.y))
    let (dx, dy) = (walk.dx, walk.dy)
    unsafe start = view.place(x, y)
    stride = dy &* view.bytesPerRow &+ dx
    sign = threshold.sign
    self.threshold = threshold.value
    limit = threshold.isInverted ? threshold.value &+ 1 : threshold.value
    room = min(
      dx > 0 ? view.width &- 1 &- x : dx < 0 ? x : Int.max, dy > 0 ? view.height &- 1 &- y : dy < 0 ? y : Int.max)
  }

  /// The value at a step, 0...`room`; negative for dark.
  @inline(__always) func value(_ step: Int) -> Int { unsafe (Int(start[step &* stride]) &- threshold) &* sign }

  /// The first step after `step` whose pixel differs from that one: light after dark, or dark after light. Nil if there is
  /// no such step within `stepsMax` steps.
  ///
  /// Not inlined: with its callers' other values in registers, the loop would take twice the instructions. It takes four
  /// steps at a time with a single bounds check.
  @inline(never) func change(after step: Int, within stepsMax: Int) -> Int? {
    var pixel = unsafe start + step &* stride
    // A change is where the difference from the limit changes its sign.
    let side = unsafe Int(pixel[0]) &- limit
    let end = step &+ min(room &- step, stepsMax)
    var next = step
    let (two, three, four) = (2 &* stride, 3 &* stride, 4 &* stride)
    while next &+ 4 <= end {
      if unsafe (Int(pixel[stride]) &- limit) ^ side < 0 { return next &+ 1 }
      if unsafe (Int(pixel[two]) &- limit) ^ side < 0 { return next &+ 2 }
      if unsafe (Int(pixel[three]) &- limit) ^ side < 0 { return next &+ 3 }
      if unsafe (Int(pixel[four]) &- limit) ^ side < 0 { return next &+ 4 }
      next &+= 4
      unsafe pixel += four
    }
    while next < end {
      next &+= 1
      unsafe pixel += stride
      if unsafe (Int(pixel[0]) &- limit) ^ side < 0 { return next }
    }
    return nil
  }

  /// The place between the pixel before `step` and the one at it where the line crosses the threshold, in 1/256 steps.
  @inline(__always) func crossing(before step: Int) -> Int {
    let last = value(step &- 1)
    return (step &- 1) &* 256 &+ 256 &* last / (last &- value(step))
  }
}
