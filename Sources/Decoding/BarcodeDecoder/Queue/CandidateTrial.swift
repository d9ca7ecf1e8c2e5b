// How a candidate was tried: what an observer of the decoder gets.

/// A candidate that was tried or passed over.
public struct CandidateTrial: Sendable, BitwiseCopyable {
  public var kind: CandidateKind
  public var attempt: Attempt
  /// Its centre and half its longer side, in pixels of the region of interest.
  public var (x, y, reach) = (0, 0, 0)
  /// Whether it was tried; others were too unlikely, or lay in a symbol already read.
  public var isTried = false
  public var isRead = false
  public var workUnits = 0
  public var step = ReadingStep.candidate
  /// The greatest share of known modules that had their colour, or of lines with clear edges, in percent.
  public var agreement = 0

  /// The part of the decoder that tries it.
  public let stage: DecodeStage

  init(_ candidate: Candidate) {
    (kind, attempt, stage) = (candidate.kind, candidate.attempt, candidate.stage)
    (x, y, reach) = (Int(candidate.place.x), Int(candidate.place.y), Int(candidate.place.reach))
  }

  /// Notes the result of a try.
  mutating func note(_ progress: ReadingProgress, isRead: Bool, workUnits: Int) {
    (step, agreement) = (progress.step, progress.agreement)
    (isTried, self.isRead, self.workUnits) = (true, isRead, workUnits)
  }
}
