// Keeps trouble that recurs with every frame from filling the disk: only a limited number of records per message is logged
// in a period; the rest are counted.

import Logging

/// Decides which records are logged. Time is an argument, in nanoseconds of a clock that never goes back.
struct LogLimiter {
  /// Records logged per message and window. Scanning by hand is not faster than this.
  static let burstCountMax = 60
  /// Nanoseconds of a window.
  static let windowNanoseconds: Int64 = 30_000_000_000
  /// Messages counted separately; they are constant texts of the program, about fifty. Further ones share a count.
  static let messageCountMax = 256

  /// A message by its constant text; variable data is in the fields.
  struct Key: Hashable {
    var level: Logger.Level
    var message: String
  }

  /// The number of suppressed records of a message.
  struct Suppression: Equatable {
    var key: Key
    var count: Int
  }

  private struct Window {
    var start: Int64
    var count = 0
    var suppressedCount = 0
  }

  private var windows: [Key: Window] = [:]
  private var lastLook: Int64 = .min

  /// Whether a record may be logged now.
  mutating func admits(_ level: Logger.Level, _ message: String, at now: Int64) -> Bool {
    var key = Key(level: level, message: message)
    if windows[key] == nil, windows.count >= Self.messageCountMax { key = Key(level: level, message: "other messages") }
    var window = windows[key] ?? Window(start: now)
    if now - window.start >= Self.windowNanoseconds, window.suppressedCount == 0 { window = Window(start: now) }
    window.count += 1
    let isAdmitted = window.count <= Self.burstCountMax
    if !isAdmitted { window.suppressedCount += 1 }
    windows[key] = window
    return isAdmitted
  }

  /// The suppressed counts of windows that have ended, each returned once. Checks at most once per second.
  mutating func ended(at now: Int64) -> [Suppression] {
    guard lastLook == .min || now - lastLook >= 1_000_000_000 else { return [] }
    lastLook = now
    var suppressions: [Suppression] = []
    for (key, window) in windows where now - window.start >= Self.windowNanoseconds {
      if window.suppressedCount > 0 { suppressions.append(Suppression(key: key, count: window.suppressedCount)) }
      windows[key] = nil
    }
    return suppressions.sorted { $0.key.message < $1.key.message }
  }

  /// The suppressed counts not returned yet, at the end of the process.
  mutating func takeAll() -> [Suppression] {
    lastLook = .min
    return ended(at: .max)
  }
}
