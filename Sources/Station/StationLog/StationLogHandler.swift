// Connects swift-log to the destination.

public import Logging

/// A handler for every logger of the process.
public struct StationLogHandler: LogHandler {
  public var logLevel: Logger.Level
  public var metadata: Logger.Metadata = [:]
  public var metadataProvider: Logger.MetadataProvider?
  private let label: String
  private let destination: LogDestination

  public init(label: String, level: Logger.Level, destination: LogDestination) {
    self.label = label
    self.destination = destination
    logLevel = level
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    var all = metadata
    if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
    if let own = event.metadata { all.merge(own) { $1 } }
    if let error = event.error { all["error"] = "\(error)" }
    let fields = all.sorted { $0.key < $1.key }.map { (name: $0.key, value: "\($0.value)") }
    destination.log(
      LogRecord(
        level: event.level, label: label, message: "\(event.message)", fields: fields, file: event.file, line: event.line))
  }
}
