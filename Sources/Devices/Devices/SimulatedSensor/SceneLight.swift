// The light that falls on a scene, other than the torch.

import Glibc

/// Light that is the same everywhere in a scene.
public struct SceneLight: Equatable, Sendable {
  /// How the light varies over time. The mean is the same for all.
  public enum Flicker: Equatable, Sendable {
    /// Daylight, or lamps with good drivers.
    case none
    /// A sine: lamps on 50 Hz mains flicker at 100 Hz. A depth of 1 reaches darkness.
    case sine(hertz: Double, depth: Double)
    /// On for a share of each period: a dimmed LED.
    case pulses(hertz: Double, share: Double)
  }

  /// The mean illuminance.
  public var lux: Double
  public var flicker = Flicker.none
  /// The flicker's position at the start of the scene, in periods.
  public var phase = 0.0

  public init(lux: Double, flicker: Flicker = .none, phase: Double = 0) {
    self.lux = lux
    self.flicker = flicker
    self.phase = phase
  }

  /// The mean illuminance of an exposure, relative to `lux`.
  ///
  /// - Parameters:
  ///   - start: seconds since the scene began.
  ///   - seconds: the exposure, more than 0.
  public func share(from start: Double, seconds: Double) -> Double {
    switch flicker {
    case .none: return 1
    case .sine(let hertz, let depth):
      let pulsatance = 2 * .pi * hertz
      let angle = pulsatance * start + 2 * .pi * phase
      return 1 + depth * (sin(angle + pulsatance * seconds) - sin(angle)) / (pulsatance * seconds)
    case .pulses(let hertz, let share):
      let periods = start * hertz + phase
      let lit = Self.litPeriods(periods + seconds * hertz, share) - Self.litPeriods(periods, share)
      return lit / (share * seconds * hertz)
    }
  }

  /// The lit time of pulses from 0 to a moment, in periods.
  private static func litPeriods(_ periods: Double, _ share: Double) -> Double {
    let whole = periods.rounded(.down)
    return whole * share + min(share, periods - whole)
  }
}
