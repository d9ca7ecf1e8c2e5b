// The keys of the camera's strategy: what follows the symbols in view, and within which limits.

import ScanControl

/// The limits of the camera's strategy while they are read.
struct WrittenSteering {
  var settings = SteeringSettings()
  /// Factors, and dioptres.
  var gainMax = 16.0
  var (lensMin, lensMax) = (2.0, 12.0)

  static let keys = KeySection(
    "camera", WrittenSteering(),
    [
      Field(
        "exposure", \.settings.exposure, .choice,
        "The strategy for exposure, gain and focus. automatic: follows what is in view and is not read yet; what read last stays. "
          + "bracket: alternates until something is read. fixed: as camera.exposure_us and camera.gain say, or as the camera "
          + "decides; either of these keys implies it. A camera that does not report its exposures chooses them automatically.",
        isCommon: true),
      Field(
        "exposure_max_us", \.settings.exposureMax, .integer(100...1_000_000),
        "The longest exposure of the strategy, in microseconds. It is shorter while something moves."),
      Field("gain_max", \.gainMax, .decimal(1...64), "The largest gain of the strategy."),
      Field(
        "lens_min", \.lensMin, .decimal(0...30),
        "The farthest lens position, in dioptres, when the lens looks for the sharpest picture: 2 is 0.5 m."),
      Field("lens_max", \.lensMax, .decimal(0...30), "The nearest one: 12 is 8 cm."),
      Field(
        "light_flicker", \.settings.flickerPeriod, .words([("none", nil), ("50", 10_000), ("60", 8_333)]),
        "The frequency of the mains in hertz, whose lamps brighten twice per period: longer exposures are multiples of that time."
      ),
      Field(
        "rest", \.settings.rests, .flag,
        "With camera.exposure automatic or bracket: takes fewer frames, and does not decode those without change, while nothing "
          + "has been in view for 5 s."),
    ])

  /// The settings, with a report of what contradicts itself.
  static func read(_ reading: inout ConfigurationReading, focus: WrittenCamera.Focus) -> SteeringSettings {
    var written = WrittenSteering()
    keys.read(&reading, into: &written)
    let isFixed = reading.isWritten("camera.exposure_us") || reading.isWritten("camera.gain")
    if isFixed, !reading.isWritten("camera.exposure") { written.settings.exposure = .fixed }
    if isFixed, written.settings.exposure != .fixed {
      reading.report(
        "camera.exposure is \(written.settings.exposure.rawValue), and an exposure or gain is set; write exposure: fixed, or leave out "
          + "camera.exposure_us and camera.gain", at: reading.place(of: "camera.exposure"))
    }
    if written.lensMin > written.lensMax {
      reading.report(
        "camera.lens_min is above camera.lens_max; write the smaller number of dioptres first",
        at: reading.place(of: "camera.lens_min"))
      written.lensMin = written.lensMax
    }
    var settings = written.settings
    settings.gainMax = Int((written.gainMax * 1000).rounded())
    settings.lens = Int((written.lensMin * 1000).rounded())...Int((written.lensMax * 1000).rounded())
    settings.movesLens = focus == .near || focus == .full
    return settings
  }
}
