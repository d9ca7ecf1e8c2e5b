// The record of a schedule, for the report of a violated invariant.

import Logging

/// The events of a schedule, together with the lines of the outbox's log.
final class History: @unchecked Sendable {
  var lines: [String] = []
}

struct HistoryLog: LogHandler {
  let history: History
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.notice

  init(history: History) { self.history = history }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let details = (event.metadata ?? [:]).filter { $0.key != "remedy" }.sorted { $0.key < $1.key }
    history.lines.append("  log: \(event.message) \(details.map { "\($0.key)=\($0.value)" }.joined(separator: " "))")
  }
}
