// A camera's own exposure control, as simple ones are: the mean of the frame is brought to a target.

import BarcodeTypes
import Glibc

/// Chooses exposure and gain from the brightness of frames.
struct AutomaticExposure {
  /// The wished mean, as a share of the brightest light: a grey card's.
  private static let target = 0.17
  /// The share of an error that one frame corrects, and that one corrects when the error is small or the camera has just started.
  private static let speed = 0.2
  private static let finalSpeed = 0.5
  private static let startSpeed = 1.0
  private static let startFrameCount = 8
  /// Errors, as ratios, that count as small.
  private static let smallError = 1.25
  /// The largest step up from a frame, because a dark one tells little.
  private static let brighteningMax = 8.0
  /// Pixels from one metered pixel to the next, both ways.
  private static let meterStep = 8
  /// The weight of the frame's middle half relative to its border.
  private static let middleWeight = 4.0

  /// Exposure times gain, in microseconds.
  private(set) var total: Double
  private var frameCount = 0

  init(total: Double) { self.total = total }

  /// The weighted mean of a frame, as a share of the brightest light.
  static func brightness(of frame: LumaView) -> Double {
    var (sum, weights) = (0.0, 0.0)
    let (left, right) = (frame.width / 4, frame.width * 3 / 4)
    let (top, bottom) = (frame.height / 4, frame.height * 3 / 4)
    for y in stride(from: meterStep / 2, to: frame.height, by: meterStep) {
      let row = frame.row(y)
      for x in stride(from: meterStep / 2, to: frame.width, by: meterStep) {
        let weight = x >= left && x < right && y >= top && y < bottom ? middleWeight : 1
        sum += weight * Double(SensorResponse.light[Int(row[x])])
        weights += weight
      }
    }
    return sum / max(1, weights)
  }

  /// Examines a frame and the settings with which it was taken.
  mutating func examine(_ frame: LumaView, _ settings: FrameSettings, limit: ClosedRange<Double>) {
    let taken = Double(settings.exposure) * settings.gain
    let wished = taken * min(Self.brighteningMax, Self.target / max(1e-6, Self.brightness(of: frame)))
    frameCount += 1
    let error = max(wished / total, total / wished)
    let speed =
      frameCount <= Self.startFrameCount ? Self.startSpeed : error < Self.smallError ? Self.finalSpeed : Self.speed
    total = min(limit.upperBound, max(limit.lowerBound, total + speed * (wished - total)))
  }

  /// The exposure and gain for the total: exposure first, up to the frame's duration.
  ///
  /// - Parameter exposures: those possible, in microseconds.
  func split(exposures: ClosedRange<Int>, gains: ClosedRange<Double>) -> (exposure: Int, gain: Double) {
    let exposure = max(Double(exposures.lowerBound), min(Double(exposures.upperBound), total / gains.lowerBound))
    let gain = max(gains.lowerBound, min(gains.upperBound, total / exposure))
    return (Int(exposure.rounded()), gain)
  }
}
