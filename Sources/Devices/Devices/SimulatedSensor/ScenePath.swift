// Where a part of a scene is at each moment. Positions are relative to the camera: x to the right, y downwards, depth ahead.

import Glibc

/// The movement of a part. Times count from the part's appearance.
public struct ScenePath: Equatable, Sendable {
  /// The centre at first, in millimetres from the optical axis.
  public var x: Double
  public var y: Double
  /// In millimetres per second.
  public var velocityX = 0.0
  public var velocityY = 0.0
  /// The distance at first, in millimetres.
  public var depth: Double
  /// In millimetres per second; negative comes closer.
  public var depthVelocity = 0.0
  /// The distance at which a part that comes closer, or moves away, stops.
  public var lastDepth: Double?
  /// The tremor of the hand that holds the part; nil for none.
  public var shake: SceneShake?

  public init(x: Double = 0, y: Double = 0, depth: Double) {
    self.x = x
    self.y = y
    self.depth = depth
  }

  /// A position, and the movement at that moment.
  struct Place: Equatable {
    var x: Double
    var y: Double
    var depth: Double
    var velocityX: Double
    var velocityY: Double
  }

  func place(after seconds: Double) -> Place {
    var depth = depth + depthVelocity * seconds
    if let lastDepth { depth = depthVelocity < 0 ? max(depth, lastDepth) : min(depth, lastDepth) }
    var place = Place(
      x: x + velocityX * seconds, y: y + velocityY * seconds, depth: max(Self.depthMin, depth), velocityX: velocityX,
      velocityY: velocityY)
    shake?.move(&place, after: seconds)
    return place
  }

  /// The closest that a part comes to the lens, in millimetres.
  static let depthMin = 10.0
}

/// A hand's tremor: for each direction a sum of three sines with frequencies around the hand's own.
public struct SceneShake: Equatable, Sendable {
  /// The standard deviation in each direction.
  public var millimetres: Double
  public var hertz: Double
  public var seed: UInt64

  public init(millimetres: Double, hertz: Double, seed: UInt64) {
    self.millimetres = millimetres
    self.hertz = hertz
    self.seed = seed
  }

  /// The frequencies relative to `hertz`: without a common period, so that the tremor does not repeat.
  private static let ratios = [0.61, 1.0, 1.43]

  fileprivate func move(_ place: inout ScenePath.Place, after seconds: Double) {
    var chance = SceneChance(seed: seed)
    // Each sine adds half of its squared amplitude to the variance.
    let amplitude = millimetres * sqrt(2 / Double(Self.ratios.count))
    for ratio in Self.ratios {
      let pulsatance = 2 * .pi * hertz * ratio
      let (across, down) = (chance.number(in: 0...2 * .pi), chance.number(in: 0...2 * .pi))
      place.x += amplitude * sin(pulsatance * seconds + across)
      place.y += amplitude * sin(pulsatance * seconds + down)
      place.velocityX += amplitude * pulsatance * cos(pulsatance * seconds + across)
      place.velocityY += amplitude * pulsatance * cos(pulsatance * seconds + down)
    }
  }
}
