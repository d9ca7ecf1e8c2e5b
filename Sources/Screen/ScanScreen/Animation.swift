// Positions of moving things as functions of the time since the movement began: at 5 or 60 frames per second, a movement
// takes equally long and ends in the same place.

import Glibc

/// A movement's start and duration, in nanoseconds of the boot-time clock.
public struct AnimationSpan: Equatable, Sendable {
  public var start: Int64
  public var length: Int64

  public init(start: Int64, seconds: Double) {
    self.start = start
    length = Int64((seconds * 1e9).rounded())
  }

  public var end: Int64 { start + length }

  /// 0 until the start, 1 from the end on; slowing down towards the end.
  public func progress(at nanoseconds: Int64) -> Double {
    guard length > 0, nanoseconds < end else { return 1 }
    let rest = 1 - Double(max(0, nanoseconds - start)) / Double(length)
    return 1 - rest * rest * rest
  }
}

/// A rectangle about a centre, rotated clockwise by an angle in radians.
public struct FocusPose: Equatable, Sendable {
  public var center: ScreenPoint
  public var width: Double
  public var height: Double
  public var angle: Double

  /// The corners, clockwise from the top left of the unrotated rectangle.
  public var corners: [ScreenPoint] {
    let cosine = cos(angle)
    let sine = sin(angle)
    return [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map { part in
      let x = part.0 * width
      let y = part.1 * height
      return ScreenPoint(x: center.x + x * cosine - y * sine, y: center.y + x * sine + y * cosine)
    }
  }
}

/// The focus frame's movement from the viewport onto a code (behaviour W3).
public struct FocusMovement: Equatable, Sendable {
  public let from: FocusPose
  public let to: FocusPose

  /// - Parameters:
  ///   - corners: the code's corners on the panel, from its own top left clockwise as intended for reading. On a mirrored
  ///     preview they run anticlockwise.
  ///   - padding: pixels between the code and the frame, on each side.
  public init(viewport: ScreenRect, corners: [ScreenPoint], padding: Double) {
    precondition(corners.count == 4)
    from = FocusPose(center: viewport.center, width: viewport.width, height: viewport.height, angle: 0)
    let sides = (0..<4).map { length(corners[($0 + 1) & 3] - corners[$0]) }
    // The top edge, or the bottom edge if the code is seen so obliquely that the top edge vanishes. For a mirrored code the
    // edge runs from its right end to its left: the frame's content is not mirrored, and stays upright.
    let top = corners[1] - corners[0]
    let along = length(top) > 0 ? top : corners[2] - corners[3]
    let edge = isMirrored(corners) ? ScreenPoint(x: -along.x, y: -along.y) : along
    to = FocusPose(
      center: ScreenRect(around: corners).center, width: max(sides[0], sides[2]) + 2 * padding,
      height: max(sides[1], sides[3]) + 2 * padding, angle: atan2(edge.y, edge.x))
  }

  /// The pose after this fraction of the movement, 0…1. It rotates the shorter way: the angle lies between -π and π,
  /// starting from 0.
  public func pose(_ part: Double) -> FocusPose {
    func between(_ a: Double, _ b: Double) -> Double { part >= 1 ? b : a + (b - a) * part }
    return FocusPose(
      center: ScreenPoint(x: between(from.center.x, to.center.x), y: between(from.center.y, to.center.y)),
      width: between(from.width, to.width), height: between(from.height, to.height),
      angle: between(from.angle, to.angle))
  }
}

/// Whether corners run anticlockwise on the panel, whose y axis points down.
private func isMirrored(_ corners: [ScreenPoint]) -> Bool {
  let (across, down) = (corners[2] - corners[0], corners[3] - corners[1])
  return across.x * down.y - across.y * down.x < 0
}

/// The distance of a point from (0, 0).
func length(_ vector: ScreenPoint) -> Double { (vector.x * vector.x + vector.y * vector.y).squareRoot() }
