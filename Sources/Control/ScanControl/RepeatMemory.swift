// Reports a code once per presentation. Presence decides, not a timer since the last report: a label that lies in view of
// the camera for an hour is one scan; a label taken away and brought back is two.

/// The codes that were reported and may still be in view.
///
/// Absence is measured in watched time: time without recording proves nothing. A code counts as out of view from the first
/// frame without it.
struct RepeatMemory: Equatable, Sendable {
  /// The most codes remembered: all that one frame can show (`DecoderLimits.symbolCountMax`). When full, the code that has
  /// been out of view longest is replaced.
  static let codeCountMax = 256

  /// The meaning of a sighting.
  enum Verdict: Equatable { case new, present, returned }

  private struct Entry: Equatable {
    var code: ScannedCode
    /// Watched time at the first frame without the code; nil while it is in view.
    var absentSince: Duration?
    /// The number of the last frame that showed it.
    var lastFrame: UInt64
    /// Number of the package that carries the code; nil for a code that names no article, and outside retail.
    var package: Int64?
    let mark: CodeMark
  }

  var absence: Duration
  private var entries: [Entry] = []
  /// Total time watched.
  private var watched = Duration.zero
  /// The number of the current frame, counted here.
  private var frame: UInt64 = 0
  private var lastFrameAt: Instant?
  /// The codes that the previous process had in view. One that is seen before `absence` has been watched is still there.
  private var left: Set<CodeMark>

  init(absence: Duration, left: Set<CodeMark> = []) {
    self.absence = absence
    self.left = left
  }

  /// The codes in view, or out of view for less than `absence`.
  var marksInView: [CodeMark] { entries.filter { !isAbsent($0, for: absence) }.map(\.mark) + left }

  /// Forgets everything: the user asked for a new session, so every code in view is to be scanned.
  mutating func forgetAll() {
    entries.removeAll(keepingCapacity: true)
    left.removeAll()
  }

  /// Forgets a code: if it is still in view, it counts as presented again.
  mutating func forget(_ code: ScannedCode) { entries.removeAll { $0.code == code } }

  /// Recording begins: the time since the last frame was not watched.
  mutating func captureBegan() { lastFrameAt = nil }

  mutating func frameBegan(at time: Instant) {
    if let lastFrameAt, time > lastFrameAt { watched += lastFrameAt.duration(to: time) }
    lastFrameAt = time
    frame += 1
    if watched >= absence { left.removeAll() }
  }

  /// A frame showed no code.
  mutating func watchedNothing(at time: Instant) {
    frameBegan(at: time)
    frameEnded()
  }

  /// Judges a code of the current frame and notes that it is in view. A `new` code is remembered only by `remember`.
  mutating func judge(_ code: ScannedCode) -> Verdict {
    guard let index = entries.firstIndex(where: { $0.code == code }) else {
      guard !left.isEmpty, left.remove(CodeMark(code)) != nil else { return .new }
      remember(code)
      return .present
    }
    entries[index].lastFrame = frame
    guard let absentSince = entries[index].absentSince else { return .present }
    entries[index].absentSince = nil
    guard watched - absentSince >= absence else { return .returned }
    entries.remove(at: index)
    return .new
  }

  /// Notes that a code was reported.
  mutating func remember(_ code: ScannedCode, of package: Int64? = nil) {
    if entries.count == RepeatMemory.codeCountMax { entries.remove(at: indexToForget()) }
    entries.append(Entry(code: code, absentSince: nil, lastFrame: frame, package: package, mark: CodeMark(code)))
  }

  /// The package in view that carries a code with this product; nil if unknown.
  func package(of product: ScannedProduct) -> Int64? {
    let near = entries.filter { $0.package != nil && !isAbsent($0, for: absence) }
    return near.first { candidate in
      near.allSatisfy { $0.package != candidate.package || $0.code.product?.isCompatible(with: product) != false }
        && candidate.code.product?.isCompatible(with: product) == true
    }?.package
  }

  /// Whether a code that names an article is in view, or was within `limit`.
  func hasProduct(within limit: Duration) -> Bool {
    entries.contains { $0.code.product != nil && !isAbsent($0, for: limit) }
  }

  private func isAbsent(_ entry: Entry, for limit: Duration) -> Bool {
    guard let absentSince = entry.absentSince else { return false }
    return watched - absentSince >= limit
  }

  /// Marks codes that the frame did not show as out of view. The codes of a package stay in view as long as one of them
  /// does.
  mutating func frameEnded() {
    for index in entries.indices where entries[index].lastFrame < frame {
      if let package = entries[index].package,
        entries.contains(where: { $0.package == package && $0.lastFrame == frame })
      {
        entries[index].absentSince = nil
      } else if entries[index].absentSince == nil {
        entries[index].absentSince = watched
      }
    }
  }

  private func indexToForget() -> Int {
    var oldest = 0
    for index in entries.indices where entries[index].lastFrame < entries[oldest].lastFrame { oldest = index }
    return oldest
  }
}
