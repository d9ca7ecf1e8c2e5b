// The seed of what tests draw by chance.

import Glibc

/// The number that decides what tests draw by chance.
public enum TestSeed {
  /// RETICLE_SEED, which `deploy/test` sets to a number of the commit; a new one if it is not set. A test that fails prints it.
  public static let value = getenv("RETICLE_SEED").flatMap { UInt64(String(cString: $0)) } ?? UInt64.random(in: 0..<1 << 32)
}
