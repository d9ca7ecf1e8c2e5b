// Records which rules have matched lately. An operator relies on each rule, so the doctor reads this file to find rules that
// never match.

import FoundationEssentials
import Synchronization

/// The time at which each rule first appeared and last matched, in a file next to the outbox.
public final class RuleMemory: Sendable {
  /// The times of a rule, in seconds since 1970.
  public struct Entry: Equatable, Sendable {
    /// When the rule first appeared.
    public var firstSeen: Int64
    /// Nil: never.
    public var lastMatched: Int64?

    public init(firstSeen: Int64, lastMatched: Int64? = nil) {
      (self.firstSeen, self.lastMatched) = (firstSeen, lastMatched)
    }
  }

  /// The longest delay before a match is written, in seconds, and so the shortest time between writes.
  public static let writeInterval: Int64 = 3600
  /// The longest accepted file in bytes: far longer than that of the most rules.
  static let byteCountMax = 64 << 10

  /// The path of the file for an outbox.
  public static func path(outbox: String) -> String { outbox + "-rules" }

  private let path: String
  private let entries: Mutex<[String: Entry]>

  /// - Parameters:
  ///   - path: the file to read and write; a failed write is retried at the next match.
  ///   - rules: the names of the rules; others are forgotten.
  public init(path: String, rules: [String], unixSeconds: Int64) {
    self.path = path
    let known = RuleMemory.read(path)
    let kept = Dictionary(rules.map { ($0, known[$0] ?? Entry(firstSeen: unixSeconds)) }) { first, _ in first }
    entries = Mutex(kept)
    if kept != known { write(kept) }
  }

  /// Notes that rules have matched.
  public func matched(_ rules: [String], unixSeconds: Int64) {
    guard !rules.isEmpty else { return }
    let changed = entries.withLock { entries -> [String: Entry]? in
      var isOld = false
      for rule in rules {
        guard let last = entries[rule] else { continue }
        // A time in the future, after the clock was set back, counts as old.
        if let moment = last.lastMatched, (0..<RuleMemory.writeInterval).contains(unixSeconds - moment) { continue }
        entries[rule]?.lastMatched = unixSeconds
        isOld = true
      }
      return isOld ? entries : nil
    }
    if let changed { write(changed) }
  }

  private func write(_ entries: [String: Entry]) {
    let lines = entries.sorted { $0.key < $1.key }.map { name, entry in
      "\(entry.firstSeen)\t\(entry.lastMatched.map { "\($0)" } ?? "-")\t\(name)\n"
    }
    try? Data(lines.joined().utf8).write(to: URL(filePath: path), options: .atomic)
  }

  /// The entries of a file; empty if it does not exist.
  public static func read(_ path: String) -> [String: Entry] {
    guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= byteCountMax else { return [:] }
    var entries: [String: Entry] = [:]
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: "\t", maxSplits: 2)
      guard parts.count == 3, let first = Int64(parts[0]) else { continue }
      entries[String(parts[2])] = Entry(firstSeen: first, lastMatched: Int64(parts[1]))
    }
    return entries
  }
}
