// Scenes with a difficulty each, for tests of strategies that adjust a camera. Each scene declares its ranges; the number of a
// presentation decides what is drawn from them.

/// A label for a scene: a symbol with its quiet zones, drawn by the caller.
public struct SceneLabel: Equatable, Sendable {
  public var text: String
  public var picture: SimulatedPicture
  /// Pixels of the picture per module.
  public var pixelsPerModule: Double

  public init(text: String, picture: SimulatedPicture, pixelsPerModule: Double) {
    self.text = text
    self.picture = picture
    self.pixelsPerModule = pixelsPerModule
  }
}

/// A scene of the catalogue.
public enum CatalogueScene: String, CaseIterable, Sendable {
  /// A telephone's screen at full brightness: a mean over the dark frame overexposes it.
  case phoneInTheDark
  /// A label that only the torch makes readable.
  case darkShelf
  /// A curved, glossy label that mirrors a lamp: an exposure short enough for the spot reads through it.
  case bottleUnderALamp
  /// A label that passes at 1 m/s: only short exposures freeze it.
  case conveyor
  /// A label that comes from 60 to 8 cm: the focus must follow.
  case approachingLabel
  /// A label in a trembling hand.
  case shakingHand
  /// A label under lamps that flicker with the mains: short exposures have dark bands.
  case flickeringLight
  /// A label much closer than the resting lens is focused.
  case nearLabel
  /// A faded label in the sun on a dark table.
  case sunlitTable
  /// An ordinary label in ordinary light.
  case counter
}

/// The ranges of a scene.
public struct SceneRanges: Equatable, Sendable {
  /// The side of a module, in millimetres. Smaller if the label would not fit.
  public var module = 0.35...0.5
  /// In millimetres.
  public var depth = 170.0...260.0
  /// The share of the view that the label may fill.
  public var fill = 0.9
  /// In radians, either way.
  public var rotation = 0.12
  public var tilt = 0.15
  /// The lamps' illuminance.
  public var lux = 300.0...600.0
  /// The shares of light that ink, paper and backdrop reflect.
  public var black = 0.03...0.08
  public var white = 0.7...0.88
  public var backdrop = 0.15...0.5
  /// The distance from the label to the backdrop, in millimetres.
  public var backdropDistance = 1.0...120.0
}

extension CatalogueScene {
  /// The ranges from which presentations are drawn.
  public var ranges: SceneRanges {
    var ranges = SceneRanges()
    switch self {
    case .phoneInTheDark:
      ranges.lux = 2...10
      ranges.module = 0.4...0.6
      ranges.backdrop = 0.05...0.3
    case .darkShelf:
      ranges.lux = 0.5...3
      ranges.module = 0.45...0.6
      ranges.depth = 200...320
      ranges.backdropDistance = 1...300
    case .bottleUnderALamp:
      ranges.lux = 300...800
      ranges.module = 0.45...0.6
      ranges.backdrop = 0.05...0.2
      ranges.rotation = 0.04
      ranges.tilt = 0.08
      ranges.backdropDistance = 100...400
    case .conveyor:
      ranges.lux = 800...1500
      ranges.module = 0.5...0.7
      ranges.depth = 250...330
      ranges.backdrop = 0.04...0.15
      ranges.backdropDistance = 20...150
    case .approachingLabel:
      ranges.module = 0.33...0.4
      ranges.depth = 600...600
      ranges.fill = 0.8
      ranges.backdropDistance = 300...900
    case .shakingHand: ranges.backdropDistance = 200...800
    case .flickeringLight: ranges.lux = 400...900
    case .nearLabel:
      ranges.module = 0.25...0.4
      ranges.depth = 70...100
      ranges.fill = 0.8
    case .sunlitTable:
      ranges.lux = 30_000...70_000
      ranges.black = 0.2...0.35
      ranges.backdrop = 0.03...0.06
      ranges.backdropDistance = 1...3
    case .counter: break
    }
    return ranges
  }

  /// How long a presentation lasts at most, in seconds.
  public var seconds: Double {
    switch self {
    case .conveyor: 0.35
    case .approachingLabel: 1.3
    default: 0.5
    }
  }

  /// How close the approaching label comes, in millimetres, and its speeds in millimetres per second.
  static let approachEnd = 80.0
  static let approachSpeeds = 450.0...900.0
  /// In millimetres per second.
  static let conveyorSpeed = 1000.0
  static let slowSpeeds = 10.0...40.0
  /// The tremor of a hand, in millimetres and hertz.
  static let tremor = 1.5...3.0
  static let tremorHertz = 4.0...9.0
  /// Lamps on 50 Hz mains.
  static let flickerHertz = 100.0
  static let flickerDepths = 0.85...1.0
  /// A telephone's brightness, as the illuminance under which white paper is as bright, and its size in millimetres.
  static let phoneLux = 1200.0...2000.0
  static let phoneBlack = 0.002...0.006
  static let phoneSize = (width: 72.0, height: 148.0)
  /// Glass mirrors the torch as a small, bright spot.
  static let phoneGlass = SceneGloss(strength: 30, spreadX: 0.01, spreadY: 0.01)
  /// A bottle's radius in millimetres.
  static let bottleRadii = 35.0...45.0
  /// A label ends where a bottle turns away farther than this, in radians; larger labels are on larger bottles.
  static let bottleAngleMax = 0.6
  /// The streak on a bottle: its brightness relative to white paper, and its standard deviations in radians.
  static let glareStrengths = 1.5...4.0
  static let glareWidths = 0.01...0.03
  static let glareHeights = 0.08...0.2
}

extension SimulatedScene {
  /// A presentation of a catalogue's scene. The same number and labels give the same scene.
  ///
  /// - Parameters:
  ///   - labels: at least one; the presentation takes one of them.
  ///   - traits: of the sensor for whose view the label is placed.
  public init(
    _ scene: CatalogueScene, presentation: Int, labels: [SceneLabel], traits: SensorTraits = SensorTraits()
  ) {
    precondition(!labels.isEmpty)
    let purpose = CatalogueScene.allCases.firstIndex(of: scene) ?? 0
    var chance = SceneChance(seed: UInt64(bitPattern: Int64(presentation)), purpose: UInt64(purpose))
    let label = labels[Int(chance.next() % UInt64(labels.count))]
    var stage = SceneStage(
      scene.ranges, label, traits, nearestDepth: scene == .approachingLabel ? CatalogueScene.approachEnd : nil, &chance)
    switch scene {
    case .phoneInTheDark: stage.showPhone(&chance)
    case .darkShelf, .nearLabel, .sunlitTable, .counter: break
    case .bottleUnderALamp: stage.bendLabel(&chance)
    case .conveyor: stage.passLabel(at: CatalogueScene.conveyorSpeed, traits)
    case .approachingLabel:
      stage.label.path.depthVelocity = -chance.number(in: CatalogueScene.approachSpeeds)
      stage.label.path.lastDepth = CatalogueScene.approachEnd
    case .shakingHand:
      stage.label.path.shake = SceneShake(
        millimetres: chance.number(in: CatalogueScene.tremor), hertz: chance.number(in: CatalogueScene.tremorHertz),
        seed: chance.next())
    case .flickeringLight:
      stage.light.flicker = .sine(
        hertz: CatalogueScene.flickerHertz, depth: chance.number(in: CatalogueScene.flickerDepths))
      stage.label.path.velocityX = chance.number(in: CatalogueScene.slowSpeeds) * (chance.next() % 2 == 0 ? 1 : -1)
    }
    self.init(name: scene.rawValue, parts: [stage.backdrop] + stage.between + [stage.label], light: stage.light)
  }
}
