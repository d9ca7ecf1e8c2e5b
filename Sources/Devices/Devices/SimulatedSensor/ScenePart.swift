// A flat thing in a scene: a label, a telephone's screen, a table.

/// A picture on a flat or slightly curved surface.
public struct ScenePart: Equatable, Sendable {
  /// The meaning of the picture's levels.
  public enum Surface: Equatable, Sendable {
    /// The share of light that level 0 and level 255 reflect, with a straight line between.
    case print(black: Double, white: Double)
    /// A screen that shines: the luminance of level 255, as the illuminance under which white paper is as bright, and the share
    /// of it that level 0 still emits.
    case screen(lux: Double, black: Double)
  }

  public var picture: SimulatedPicture
  public var millimetresPerPixel: Double
  public var surface: Surface
  public var path: ScenePath
  /// Clockwise, in radians.
  public var rotation = 0.0
  /// Turns about the vertical and the horizontal axis, in radians: the right edge, or the bottom, moves away.
  public var yaw = 0.0
  public var pitch = 0.0
  /// The radius of a bottle whose axis runs along the picture's columns, in millimetres; nil for a flat part.
  public var curveRadius: Double?
  /// Illuminance that falls on this part alone, such as sunlight.
  public var ownLux = 0.0
  public var gloss: SceneGloss?
  /// When the part is there, in seconds since the scene began.
  public var shown = 0.0...Double.infinity
  /// The text that a perfect reader reads from the part; nil for none.
  public var text: String?

  public init(
    _ picture: SimulatedPicture, millimetresPerPixel: Double, surface: Surface = .print(black: 0.04, white: 0.85),
    path: ScenePath, text: String? = nil
  ) {
    precondition(millimetresPerPixel > 0)
    self.picture = picture
    self.millimetresPerPixel = millimetresPerPixel
    self.surface = surface
    self.path = path
    self.text = text
  }
}

/// A surface that mirrors lamps as soft spots.
public struct SceneGloss: Equatable, Sendable {
  /// The brightness of the middle of a spot, relative to white paper in the same light.
  public var strength: Double
  /// The spot's standard deviations as angles seen from the camera, in radians.
  public var spreadX: Double
  public var spreadY: Double
  /// Where a lamp of the scene is mirrored by an upright part, as angles from the optical axis, in radians; nil: nowhere in view.
  public var lamp: Direction?
  /// The lamp's illuminance.
  public var lampLux = 0.0

  public struct Direction: Equatable, Sendable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  public init(strength: Double, spreadX: Double, spreadY: Double) {
    self.strength = strength
    self.spreadX = spreadX
    self.spreadY = spreadY
  }
}
