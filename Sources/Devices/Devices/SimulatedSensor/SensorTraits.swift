// The properties of a simulated sensor and its lens. The defaults resemble the middle of the
// picture of a Pi's third camera module.

/// A control of a simulated sensor.
public enum SensorControl: CaseIterable, Hashable, Sendable { case exposure, gain, lens, frameDuration }

/// The properties of a simulated sensor.
public struct SensorTraits: Equatable, Sendable {
  // MARK: Geometry

  /// A multiple of 16.
  public var width = 640
  public var height = 400
  /// The focal length in pixels: a thing as wide as its distance covers as many.
  public var focalPixels = 1000.0
  /// The diameter of the lens opening. A dioptre out of focus blurs by this many millimetres seen at 1 m.
  public var apertureMillimetres = 2.6
  /// Time from one row's exposure to the next row's.
  public var rowMicroseconds = 25.0

  // MARK: Light

  /// The light on white paper that fills a pixel at gain 1.
  public var fullScaleLuxSeconds = 20.0
  /// Electrons in a full pixel.
  public var fullWellElectrons = 6000.0
  /// The standard deviation of a reading in darkness.
  public var readNoiseElectrons = 4.0
  /// The share of light that the lens scatters around its place.
  public var haloShare = 0.02
  /// The torch's illuminance at 1 m; falls with the square of the distance.
  public var torchLux = 40.0
  /// The place of the torch next to the lens.
  public var torchMillimetres = 15.0

  // MARK: Controls

  /// In microseconds.
  public var exposures = 20...100_000
  public var gains = 1.0...16.0
  /// In dioptres.
  public var lensPositions = 0.0...12.0
  /// In microseconds.
  public var frameDurations = 8_333...100_000
  /// Controls that the camera lists.
  public var listed = Set(SensorControl.allCases)
  /// Controls without effect, whether listed or not.
  public var deaf: Set<SensorControl> = []
  /// Controls whose values the frames' metadata tell.
  public var told = Set(SensorControl.allCases)
  /// Whether the camera has autofocus.
  public var hasAutofocus = true
  /// Frames between `adjust` and the first frame with the wished exposure that still have the old one.
  public var exposureDelayFrames = 2
  public var gainDelayFrames = 2
  /// In dioptres per second.
  public var lensSpeed = 60.0
  /// The lens position before the first wish, and of a lens that cannot move.
  public var restingLens = 2.0
  /// The settings with which automatic exposure starts.
  public var firstExposure = 10_000
  public var firstGain = 1.0

  public init() {}

  /// The controls that a source with these traits lists.
  public var controls: CameraControls {
    var controls = CameraControls()
    if listed.contains(.exposure) { controls.exposure = exposures }
    if listed.contains(.gain) { controls.gain = gains }
    if listed.contains(.lens) { controls.lens = lensPositions }
    if listed.contains(.frameDuration) { controls.frameDuration = frameDurations }
    controls.hasAutomaticExposure = true
    controls.hasFocusWindow = hasAutofocus
    return controls
  }

  /// Whether a wish for a control has an effect.
  func obeys(_ control: SensorControl) -> Bool { listed.contains(control) && !deaf.contains(control) }
}
