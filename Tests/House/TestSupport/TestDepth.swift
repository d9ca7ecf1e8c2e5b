// The depth of long tests: the number of kills, power cuts, cycles, minutes of simulated time.

import Glibc

/// The scale of long tests: `RETICLE_DEPTH`, 1 unless set. Use 0.3 for a slow machine, 100 for a night.
public enum TestDepth {
  private static let scale = getenv("RETICLE_DEPTH").flatMap { Double(String(cString: $0)) } ?? 1

  /// A count at this depth; at least 1.
  ///
  /// - Parameter count: the count at depth 1.
  public static func scaled(_ count: Int) -> Int { max(1, Int(Double(count) * scale)) }
}
