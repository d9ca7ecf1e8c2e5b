// How a station is, in a few words for those who watch many: they are published with its state.

public import DeliveryModel
import Devices
import Glibc

/// A station's report on itself.
public struct StationHealth: Sendable {
  private let version: String
  private let history: ReadHistory
  private let sensors: @Sendable () -> MachineSensors
  /// The start of the process, in nanoseconds since the boot.
  private let start: Int64

  /// - Parameters:
  ///   - start: when the process started.
  ///   - sensors: reads the machine's sensors.
  public init(
    version: String, history: ReadHistory, start: CaptureTime = .now(),
    sensors: @escaping @Sendable () -> MachineSensors = { MachineSensors() }
  ) {
    (self.version, self.history, self.sensors) = (version, history, sensors)
    self.start = start.bootNanoseconds
  }

  /// `name=value` pairs, separated by blanks: `version`, `since` and `last-scan` in seconds since 1970 by the present wall clock,
  /// `scans` and `no-reads` of the last hour, `temperature` in whole degrees Celsius, `throttled` (yes or no), `worn` (percent of
  /// the storage's life), and `sinks`, each with its phase. Unknown values are left out.
  public func words(_ report: DeliveryReport, at now: CaptureTime = .now()) -> String {
    let seconds = now.unixMilliseconds / 1000
    func unix(_ boot: Int64) -> Int64 { seconds - (now.bootNanoseconds - boot) / 1_000_000_000 }
    // To the minute, so that it stays the same.
    var words = ["version=\(version)", "since=\((unix(start) + 30) / 60 * 60)"]
    if let last = history.lastScanBootNanoseconds { words.append("last-scan=\(unix(last))") }
    let hour = history.buckets(60, length: 1, at: now.bootNanoseconds, unixSeconds: seconds)
    words.append("scans=\(hour.reduce(0) { $0 + $1.scans })")
    words.append("no-reads=\(hour.reduce(0) { $0 + $1.noSymbol + $1.badSymbol })")
    let sensors = sensors()
    if let degrees = sensors.temperatureCelsius { words.append("temperature=\(Int(degrees.rounded()))") }
    if let isThrottled = sensors.isThrottled { words.append("throttled=\(isThrottled ? "yes" : "no")") }
    if let worn = sensors.storageWornPercent { words.append("worn=\(worn)") }
    if !report.sinks.isEmpty {
      words.append("sinks=" + report.sinks.map { "\($0.name):\($0.phase)" }.joined(separator: ","))
    }
    return words.joined(separator: " ")
  }
}
