import CoreMetrics
import Foundation
import Testing

@testable import StationConsole

@Suite struct MetricsRegistryTests {
  @Test func `the exposition is sorted, states each type and escapes labels`() {
    let registry = MetricsRegistry()
    registry.makeCounter(label: "reticle_scans_total", dimensions: [("symbology", "qr")]).increment(by: 2)
    registry.makeCounter(label: "reticle_scans_total", dimensions: [("symbology", "a\"b\\c\nd")]).increment(by: 1)
    registry.makeMeter(label: "reticle_torch_on", dimensions: []).set(Int64(1))
    #expect(
      registry.exposition() == """
        # HELP reticle_scans_total Scans that were stored.
        # TYPE reticle_scans_total counter
        reticle_scans_total{symbology="a\\"b\\\\c\\nd"} 1
        reticle_scans_total{symbology="qr"} 2
        # HELP reticle_metrics_refused_total Series beyond the limit, which are not kept.
        # TYPE reticle_metrics_refused_total counter
        reticle_metrics_refused_total 0
        # HELP reticle_torch_on 1 while the torch is seen to be on.
        # TYPE reticle_torch_on gauge
        reticle_torch_on 1

        """)
  }

  @Test func `the same labels in any order are one series`() {
    let registry = MetricsRegistry()
    for _ in 0..<3 {
      registry.makeCounter(label: "a_total", dimensions: [("x", "1"), ("y", "2")]).increment(by: 1)
      registry.makeCounter(label: "a_total", dimensions: [("y", "2"), ("x", "1")]).increment(by: 1)
    }
    #expect(registry.exposition().contains("a_total{x=\"1\",y=\"2\"} 6\n"))
  }

  @Test func `a duration is counted in every bucket that contains it`() {
    let registry = MetricsRegistry()
    let timer = registry.makeTimer(label: "reticle_decode_seconds", dimensions: [])
    for milliseconds in [1, 20, 40_000] { timer.recordNanoseconds(Int64(milliseconds) * 1_000_000) }
    let text = registry.exposition()
    #expect(text.contains("reticle_decode_seconds_bucket{le=\"0.0005\"} 0\n"))
    #expect(text.contains("reticle_decode_seconds_bucket{le=\"0.001\"} 1\n"))
    #expect(text.contains("reticle_decode_seconds_bucket{le=\"0.025\"} 2\n"))
    #expect(text.contains("reticle_decode_seconds_bucket{le=\"30\"} 2\n"))
    #expect(text.contains("reticle_decode_seconds_bucket{le=\"+Inf\"} 3\n"))
    #expect(text.contains("reticle_decode_seconds_sum 40.021\nreticle_decode_seconds_count 3\n"))
  }

  @Test func `series beyond the limit are refused and counted`() {
    let registry = MetricsRegistry()
    for index in 0..<MetricsRegistry.seriesCountMax + 5 {
      registry.makeCounter(label: "a_total", dimensions: [("x", "\(index)")]).increment(by: 1)
    }
    let text = registry.exposition()
    #expect(text.contains("reticle_metrics_refused_total 5\n"))
    #expect(text.split(separator: "\n").count { $0.hasPrefix("a_total{") } == MetricsRegistry.seriesCountMax)
  }

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test func `every metric that the sources make is in the catalogue, and no other`() throws {
    let sources = Self.root.appending(path: "Sources")
    var made: Set<String> = []
    for case let file as URL in try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    where file.pathExtension == "swift" && file.lastPathComponent != "MetricCatalogue.swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /(?:label|name): "((?:reticle|process)_[a-z_]+)"/) { made.insert(String(match.1)) }
    }
    #expect(made == Set(MetricCatalogue.help.keys))
  }

  @Test func `the page of metrics has exactly one row per metric, with its help`() throws {
    let page = try String(contentsOf: Self.root.appending(path: "docs/metrics.md"), encoding: .utf8)
    var rows: [String: String] = [:]
    for line in page.split(separator: "\n") {
      guard let match = line.wholeMatch(of: /\| `((?:reticle|process)_[a-z_]+)` \| [a-z]+ \| .*\| (.+) \|/) else { continue }
      #expect(rows.updateValue(String(match.2), forKey: String(match.1)) == nil, "\(line)")
    }
    #expect(rows == MetricCatalogue.help)
  }

  @Test func `figures of process and machine appear if the machine measures them`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sensors-\(UInt32.random(in: .min ... .max))")
    defer { try? FileManager.default.removeItem(at: folder) }
    func plant(_ path: String, _ text: String) throws {
      let file = folder.appending(path: "sys/" + path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let nothing = MachineMetrics(sensors: MachineSensors(root: folder.path)).exposition
    #expect(!nothing.contains("reticle_temperature") && nothing.contains("# TYPE process_cpu_seconds_total counter\n"))
    try plant("class/thermal/thermal_zone0/temp", "48312\n")
    try plant("class/power_supply/ups/power_now", "4200000\n")
    try plant("class/hwmon/hwmon1/power1_input", "300000\n")
    try plant("devices/platform/soc/soc:firmware/get_throttled", "50000\n")
    let text = MachineMetrics(sensors: MachineSensors(root: folder.path)).exposition
    for line in ["reticle_temperature_celsius 48.3", "reticle_power_watts 4.5", "reticle_throttled 0.0"] {
      #expect(text.contains(line + "\n"), "\(text)")
    }
    let follow = try JSONDecoder().decode(
      FollowReport.self,
      from: Data(#"{"commit":"0af3","state":"rolledBack","problem":"x","drift":true,"checked":1790000000}"#.utf8))
    let followed = MachineMetrics(sensors: MachineSensors(root: folder.path), follow: follow).exposition
    let lines = [
      "reticle_follow_checked_seconds 1790000000.0", "reticle_follow_drift 1.0",
      "reticle_follow_state{commit=\"0af3\",state=\"rolledBack\"} 1.0",
    ]
    for line in lines { #expect(followed.contains(line + "\n") && !text.contains("reticle_follow"), "\(followed)") }
    try plant("devices/platform/soc/soc:firmware/get_throttled", "50005\n")
    #expect(MachineSensors(root: folder.path).isThrottled == true)
    func value(_ name: String) throws -> Double {
      let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
      return try #require(line.flatMap { Double($0.dropFirst(name.count + 1)) })
    }
    #expect(try value("process_open_fds") >= 3 && value("process_max_fds") >= value("process_open_fds"))
    #expect(try value("process_cpu_seconds_total") > 0)
    #expect(try value("process_resident_memory_bytes") > 1_000_000)
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").compactMap {
      Double($0)
    }
    let pageBytes = Double(sysconf(Int32(_SC_PAGESIZE)))
    #expect(abs(try value("process_virtual_memory_bytes") / (pages[0] * pageBytes) - 1) < 0.1)
    #expect(abs(try value("process_resident_memory_bytes") / (pages[1] * pageBytes) - 1) < 0.5)
    #expect(abs(try value("process_start_time_seconds") - Date().timeIntervalSince1970) < 86_400)
  }
}
