// A part's picture in several resolutions, each an exact mean of areas: sampled at about its own resolution, it shows no moiré.

import Glibc

/// A picture and its reductions, made when first needed.
final class PictureLevels {
  /// A picture of levels 0…1, `scale` times smaller than the original in each direction.
  struct Level {
    let plane: FloatPlane
    let scaleX: Double
    let scaleY: Double
  }

  /// Reductions per halving. Sampled at the next larger one, a pixel covers at most a fifth more than its area.
  private static let stepsPerHalving = 4.0

  private let original: Level
  private var reductions: [Int: Level] = [:]

  init(_ part: ScenePart) {
    let picture = part.picture
    let plane = FloatPlane(width: picture.width, height: picture.height)
    for index in 0..<picture.luma.count { plane.base[index] = Float(picture.luma[index]) / 255 }
    original = Level(
      plane: part.curveRadius.map { Self.bent(plane, radius: $0 / part.millimetresPerPixel) } ?? plane, scaleX: 1, scaleY: 1)
  }

  /// The reduction for a sampling distance in pixels of the original.
  func level(forStep step: Double) -> Level {
    let number = Int((log2(max(1, step)) * Self.stepsPerHalving).rounded(.down))
    guard number > 0 else { return original }
    if let level = reductions[number] { return level }
    let factor = exp2(Double(number) / Self.stepsPerHalving)
    let plane = original.plane
    let width = max(1, Int((Double(plane.width) / factor).rounded()))
    let height = max(1, Int((Double(plane.height) / factor).rounded()))
    let level = Level(
      plane: Self.reduced(plane, width: width, height: height), scaleX: Double(plane.width) / Double(width),
      scaleY: Double(plane.height) / Double(height))
    reductions[number] = level
    return level
  }

  /// Means of equal areas.
  private static func reduced(_ plane: FloatPlane, width: Int, height: Int) -> FloatPlane {
    let across = FloatPlane(width: width, height: plane.height)
    for y in 0..<plane.height {
      reduce(plane.row(y), step: 1, count: plane.width, to: across.row(y), step: 1, count: width)
    }
    let result = FloatPlane(width: width, height: height)
    for x in 0..<width {
      reduce(across.base + x, step: width, count: plane.height, to: result.base + x, step: width, count: height)
    }
    return result
  }

  private static func reduce(
    _ source: UnsafePointer<Float>, step: Int, count: Int, to target: UnsafeMutablePointer<Float>, step targetStep: Int,
    count targetCount: Int
  ) {
    let factor = Float(count) / Float(targetCount)
    for index in 0..<targetCount {
      let start = Float(index) * factor
      let end = min(Float(count), start + factor)
      var sum: Float = 0
      var position = start
      while position < end {
        let pixel = min(count - 1, Int(position))
        let next = min(end, Float(pixel + 1))
        guard next > position else { break }
        sum += (next - position) * source[pixel * step]
        position = next
      }
      target[index * targetStep] = sum / factor
    }
  }

  /// The picture as seen on an upright cylinder, whose flanks are compressed and darker.
  private static func bent(_ plane: FloatPlane, radius: Double) -> FloatPlane {
    let halfAngle = min(flankAngleMax, Double(plane.width) / 2 / radius)
    let width = max(1, Int((2 * radius * sin(halfAngle)).rounded()))
    let result = FloatPlane(width: width, height: plane.height)
    for x in 0..<width {
      let sine = max(-1, min(1, (Double(x) + 0.5 - Double(width) / 2) / radius))
      let source = asin(sine) * radius + Double(plane.width) / 2 - 0.5
      let left = max(0, min(plane.width - 1, Int(source.rounded(.down))))
      let right = min(plane.width - 1, left + 1)
      let share = Float(max(0, min(1, source - Double(left))))
      let shade = Float(flankShade + (1 - flankShade) * sqrt(1 - sine * sine))
      for y in 0..<plane.height {
        let row = plane.row(y)
        result.row(y)[x] = (row[left] + share * (row[right] - row[left])) * shade
      }
    }
    return result
  }

  /// The part of a cylinder that a camera sees, from its middle, in radians.
  private static let flankAngleMax = 1.2
  /// The light on a surface that is seen edgeways, relative to one that faces the camera.
  private static let flankShade = 0.4
}
