// The station's metrics for Prometheus. All modules report through swift-metrics; this is the backend behind it: a bounded
// table of series, and their text exposition.

public import CoreMetrics
import Synchronization

/// Stores counters, gauges and duration histograms, and writes them in the Prometheus text format 0.0.4.
///
/// Install it once with `MetricsSystem.bootstrap`. Labels of swift-metrics become metric names and dimensions become
/// Prometheus labels; both must follow Prometheus' naming rules. Safe to use from any thread.
public final class MetricsRegistry: MetricsFactory {
  /// The most series stored. Labels have few values by design (a symbology, never a payload); further series are not stored,
  /// and are counted in `reticle_metrics_refused_total`.
  public static let seriesCountMax = 1024

  /// The content type of `exposition()`.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private struct Key: Hashable {
    var name: String
    var labels: String
  }

  private struct Table {
    var counters: [Key: Count] = [:]
    var gauges: [Key: Gauge] = [:]
    var durations: [Key: Durations] = [:]
    var refused = 0

    var seriesCount: Int { counters.count + gauges.count + durations.count }
  }

  private let table = Mutex(Table())

  public init() {}

  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    find(label, dimensions, in: \.counters) { Count() }
  }

  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    find(label, dimensions, in: \.gauges) { Gauge() }
  }

  public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    find(label, dimensions, in: \.gauges) { Gauge() }
  }

  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    find(label, dimensions, in: \.durations) { Durations() }
  }

  // A series lives as long as the registry: a counter that vanished would look like a restart.
  public func destroyCounter(_ handler: any CounterHandler) {}
  public func destroyMeter(_ handler: any MeterHandler) {}
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  public func destroyTimer(_ handler: any TimerHandler) {}

  /// All series, sorted by name, in the Prometheus text format.
  public func exposition() -> String {
    let (counters, gauges, durations, refused) = table.withLock { ($0.counters, $0.gauges, $0.durations, $0.refused) }
    var text = ""
    append(counters.mapValues { "\($0.value)" }, type: "counter", to: &text)
    append([Key(name: "reticle_metrics_refused_total", labels: ""): "\(refused)"], type: "counter", to: &text)
    append(gauges.mapValues { number($0.value) }, type: "gauge", to: &text)
    for name in Set(durations.keys.map(\.name)).sorted() {
      text += heading(of: name, type: "histogram")
      for (key, series) in durations.filter({ $0.key.name == name }).sorted(by: { $0.key.labels < $1.key.labels }) {
        append(series.snapshot, of: key, to: &text)
      }
    }
    return text
  }

  private func find<Series: Sendable>(
    _ label: String, _ dimensions: [(String, String)], in path: any WritableKeyPath<Table, [Key: Series]> & Sendable,
    make: () -> Series
  ) -> Series {
    let labels = dimensions.sorted { $0.0 < $1.0 }.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
    let key = Key(name: label, labels: labels)
    return table.withLock { table in
      if let known = table[keyPath: path][key] { return known }
      let series = make()
      if table.seriesCount < MetricsRegistry.seriesCountMax {
        table[keyPath: path][key] = series
      } else {
        table.refused += 1
      }
      return series
    }
  }

  private func append(_ series: [Key: String], type: String, to text: inout String) {
    var name = ""
    for (key, value) in series.sorted(by: { ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels) }) {
      if key.name != name { text += heading(of: key.name, type: type) }
      name = key.name
      text += key.labels.isEmpty ? "\(key.name) \(value)\n" : "\(key.name){\(key.labels)} \(value)\n"
    }
  }

  private func heading(of name: String, type: String) -> String {
    (MetricCatalogue.help[name].map { "# HELP \(name) \($0)\n" } ?? "") + "# TYPE \(name) \(type)\n"
  }

  private func append(_ durations: Durations.Snapshot, of key: Key, to text: inout String) {
    let before = key.labels.isEmpty ? "" : key.labels + ","
    let all = key.labels.isEmpty ? "" : "{\(key.labels)}"
    var count = 0
    for (bound, inBucket) in zip(Durations.boundsSeconds, durations.buckets) {
      count += inBucket
      text += "\(key.name)_bucket{\(before)le=\"\(number(bound))\"} \(count)\n"
    }
    text += "\(key.name)_bucket{\(before)le=\"+Inf\"} \(durations.count)\n"
    text += "\(key.name)_sum\(all) \(number(Double(durations.sumNanoseconds) / 1e9))\n"
    text += "\(key.name)_count\(all) \(durations.count)\n"
  }

  /// A label value with backslash, quote and line feed escaped, as the format requires.
  static func escaped(_ value: String) -> String {
    var text = ""
    for character in value {
      switch character {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n", "\r\n": text += "\\n"
      default: text.append(character)
      }
    }
    return text
  }

  private func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }
}

/// A counter. It never decreases: `reset` has no effect.
private final class Count: CounterHandler {
  private let total = Atomic<Int64>(0)
  var value: Int64 { total.load(ordering: .relaxed) }
  func increment(by amount: Int64) { total.wrappingAdd(max(0, amount), ordering: .relaxed) }
  func reset() {}
}

/// A value that goes up and down.
private final class Gauge: MeterHandler, RecorderHandler {
  private let state = Mutex(0.0)
  var value: Double { state.withLock { $0 } }
  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { state.withLock { $0 = value } }
  func increment(by amount: Double) { state.withLock { $0 += amount } }
  func decrement(by amount: Double) { state.withLock { $0 -= amount } }
  func record(_ value: Int64) { set(Double(value)) }
  func record(_ value: Double) { set(value) }
}

/// A histogram of durations.
private final class Durations: TimerHandler {
  /// Upper bounds of the buckets: from well below a frame's decoding to a slow webhook.
  static let boundsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

  struct Snapshot {
    var buckets = [Int](repeating: 0, count: Durations.boundsSeconds.count)
    var count = 0
    var sumNanoseconds: Int64 = 0
  }

  private let state = Mutex(Snapshot())
  var snapshot: Snapshot { state.withLock { $0 } }

  func recordNanoseconds(_ duration: Int64) {
    let seconds = Double(duration) / 1e9
    state.withLock { state in
      var bucket = 0
      while bucket < Durations.boundsSeconds.count, seconds > Durations.boundsSeconds[bucket] { bucket += 1 }
      if bucket < Durations.boundsSeconds.count { state.buckets[bucket] += 1 }
      state.count += 1
      state.sumNanoseconds += duration
    }
  }
}
