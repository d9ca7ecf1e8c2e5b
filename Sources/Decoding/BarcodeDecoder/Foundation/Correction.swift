// How much of its error correction a symbol has used.

/// The cost of correcting codewords.
struct Correction: BitwiseCopyable {
  /// Number of codewords that were wrong or erased.
  var correctedCount = 0
  /// Share of the correction capacity used, in percent; of several blocks, that of the fullest.
  var loadPercent = 0

  /// Adds the cost of another block.
  mutating func add(_ block: Correction) {
    correctedCount += block.correctedCount
    loadPercent = max(loadPercent, block.loadPercent)
  }
}
