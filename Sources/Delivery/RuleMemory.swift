// Which rules have matched lately. A rule that never does is a rule that somebody believes in: the doctor looks into this file.

import FoundationEssentials
import Synchronization

/// When each rule was first there and matched last. A file beside the outbox.
public final class RuleMemory: Sendable {
  /// What is known of a rule, in seconds since 1970.
  public struct Entry: Equatable, Sendable {
    /// When the rule was first there.
    public var firstSeen: Int64
    /// nil: never.
    public var lastMatched: Int64?

    public init(firstSeen: Int64, lastMatched: Int64? = nil) {
      (self.firstSeen, self.lastMatched) = (firstSeen, lastMatched)
    }
  }

  /// How old what is written of a match may become, in seconds: the file is written no more often.
  public static let writeInterval: Int64 = 3600
  /// The longest file that is read, in bytes: far longer than one of the most rules.
  static let byteCountMax = 64 << 10

  /// The file of an outbox's station.
  public static func path(outbox: String) -> String { outbox + "-rules" }

  private let path: String
  private let entries: Mutex<[String: Entry]>

  /// - Parameters:
  ///   - path: read and written; what cannot be written is tried again at the next match.
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
        // A clock that was set back is as new as one that has moved on.
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

  /// The entries of a file; empty if there is none.
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
