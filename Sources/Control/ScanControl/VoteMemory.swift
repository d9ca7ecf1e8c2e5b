// Weakly protected symbologies need frames that agree: the same misread rarely comes twice.

import BarcodeTypes

/// Codes that wait for more frames to agree.
struct VoteMemory: Equatable, Sendable {
  /// The most codes that wait; when full, the one seen longest ago is replaced.
  static let candidateCountMax = 64

  private struct Candidate: Equatable {
    var code: ScannedCode
    var frameCount: Int
    var lastSeen: Instant
  }

  private let settings: VoteSettings
  private var candidates: [Candidate] = []

  init(settings: VoteSettings) { self.settings = settings }

  mutating func forgetAll() { candidates.removeAll(keepingCapacity: true) }

  /// Drops candidates whose window has passed; returns how many.
  mutating func frameBegan(at time: Instant) -> Int {
    let before = candidates.count
    if before > 0 { candidates.removeAll { $0.lastSeen.duration(to: time) > settings.window } }
    return before - candidates.count
  }

  /// Counts a frame for a code, at most once per frame.
  ///
  /// - Returns: the number of agreeing frames if there are enough, else nil.
  mutating func elect(_ code: ScannedCode, at time: Instant) -> Int? {
    guard settings.frameCount > 1, settings.symbologies.contains(code.symbology) else { return 1 }
    guard let index = candidates.firstIndex(where: { $0.code == code }) else {
      if candidates.count == VoteMemory.candidateCountMax { candidates.remove(at: indexToForget()) }
      candidates.append(Candidate(code: code, frameCount: 1, lastSeen: time))
      return nil
    }
    guard candidates[index].lastSeen < time else { return nil }
    candidates[index].lastSeen = time
    candidates[index].frameCount += 1
    guard candidates[index].frameCount >= settings.frameCount else { return nil }
    candidates.remove(at: index)
    return settings.frameCount
  }

  private func indexToForget() -> Int {
    var oldest = 0
    for index in candidates.indices where candidates[index].lastSeen < candidates[oldest].lastSeen { oldest = index }
    return oldest
  }
}
