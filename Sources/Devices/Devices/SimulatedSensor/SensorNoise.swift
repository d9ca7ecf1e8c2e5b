// Noise that costs a load per pixel: a table of normally distributed numbers, entered at another place for each row.

/// Normally distributed numbers.
enum SensorNoise {
  /// Places at which a row may begin.
  private static let startCount = 1 << 16
  /// The longest row.
  static let rowLengthMax = 4096

  private static let table: [Float] = {
    var chance = SceneChance(seed: 0x5EED)
    return (0..<startCount + rowLengthMax).map { _ in Float(chance.normal()) }
  }()

  /// Lends a row of numbers with mean 0 and standard deviation 1.
  static func withRow(_ chance: inout SceneChance, _ body: (UnsafePointer<Float>) -> Void) {
    let start = Int(chance.next() % UInt64(startCount))
    table.withUnsafeBufferPointer { table in
      guard let base = table.baseAddress else { return }
      body(base + start)
    }
  }
}
