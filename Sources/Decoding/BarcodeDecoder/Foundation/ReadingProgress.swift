// How far a reading came, for those who look for the step at which symbols are lost (`deploy/losses`). Readers note it where they give
// up, which costs a comparison per grid or region.

/// The steps of a reading, in order. A candidate has reached a step even if it failed there.
public enum ReadingStep: UInt8, Sendable, BitwiseCopyable {
  /// Nothing was found at its place: no grid of modules, no sides of rows, and no line with enough edges.
  case candidate
  /// A grid, sides or edges. They show too little of a symbol's known modules, or no line was read.
  case grid
  /// Known modules as those of a symbol, so that its codewords were read; lines that were read. Errors were too many to correct, or
  /// too few lines agreed.
  case codewords
  /// Corrected codewords that do not form a message.
  case message
}

/// How far a candidate came.
struct ReadingProgress {
  private(set) var step = ReadingStep.candidate
  /// The greatest share of known modules that had their colour, or of lines with clear edges, in percent.
  private(set) var agreement = 0

  mutating func reach(_ step: ReadingStep, agreement: Int = 0) {
    if step.rawValue > self.step.rawValue { self.step = step }
    self.agreement = max(self.agreement, agreement)
  }

  /// Whether a reading came to a step or beyond it.
  func hasReached(_ step: ReadingStep) -> Bool { self.step.rawValue >= step.rawValue }
}
