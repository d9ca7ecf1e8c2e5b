// The operator's limits for the camera's strategy.

/// Settings of a `CameraStrategy`, and of what a waiting station leaves out.
public struct SteeringSettings: Equatable, Sendable {
  public var exposure = ExposureStrategy.automatic
  /// The longest exposure, in microseconds: at 30 ms, a hand that holds a label still enough blurs it by less than a module.
  public var exposureMax = 30_000
  /// The largest gain, in thousandths: at 16, small sensors still show bars through their noise.
  public var gainMax = 16_000
  /// Where the lens looks for the sharpest picture, in thousandths of a dioptre: labels are held at 8 to 50 cm.
  public var lens = 2_000...12_000
  /// Where the lens waits before anything was read, in thousandths of a dioptre: 0.2 m.
  public var home = 5_000
  /// Whether the lens may be moved.
  public var movesLens = true
  /// Whether fewer frames are taken, and unchanged ones are not decoded, while nothing is in view.
  public var rests = true
  /// Whether the torch may be switched.
  public var hasLight = false
  /// From one brightening of the mains' light to the next, in microseconds; nil for light that does not flicker.
  public var flickerPeriod: Int? = 10_000

  public init() {}
}
