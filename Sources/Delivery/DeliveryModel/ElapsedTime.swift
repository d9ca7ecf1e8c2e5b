// Spans of time, as delivery measures and reports them.

/// The time since this call, by a clock.
package func elapsedTime<C: Clock>(of clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
  let start = clock.now
  return { start.duration(to: clock.now) }
}

extension Duration {
  /// Whole milliseconds, rounded towards zero.
  package var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }

  /// Seconds with a fraction.
  package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
