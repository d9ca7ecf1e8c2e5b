// Metrics of the process and of the machine, read when they are asked for. Names of the process are those that Prometheus' client
// libraries share.

import Glibc

/// The metrics of process and machine, in the Prometheus text format.
public struct MachineMetrics {
  private struct Row {
    var name: String
    var type: String
    /// The label with its value, in the format's own words.
    var label = ""
    var value: Double?
  }

  private let rows: [Row]

  /// Reads them.
  ///
  /// - Parameters:
  ///   - certificateEnds: seconds since 1970 at which the certificates of these names end.
  ///   - follow: the report on the fleet's repository; nil: the station follows none.
  public init(
    sensors: MachineSensors = MachineSensors(), certificateEnds: [String: Int64] = [:], follow: FollowReport? = nil
  ) {
    let certificates = certificateEnds.sorted { $0.key < $1.key }.map { name, seconds in
      Row(
        name: "reticle_certificate_end_seconds", type: "gauge", label: "{certificate=\"\(MetricsRegistry.escaped(name))\"}",
        value: Double(seconds))
    }
    rows =
      certificates + [
        Row(name: "process_cpu_seconds_total", type: "counter", value: Self.processorSeconds),
        Row(name: "process_max_fds", type: "gauge", value: Self.descriptorMax),
        Row(name: "process_open_fds", type: "gauge", value: Self.descriptorCount),
        Row(name: "process_resident_memory_bytes", type: "gauge", value: Self.memoryBytes(column: 1)),
        Row(name: "process_start_time_seconds", type: "gauge", value: Self.startSeconds),
        Row(name: "process_virtual_memory_bytes", type: "gauge", value: Self.memoryBytes(column: 0)),
        Row(name: "reticle_clock_seconds", type: "gauge", value: Self.clockSeconds),
        Row(name: "reticle_follow_checked_seconds", type: "gauge", value: follow.map { Double($0.checked) }),
        Row(name: "reticle_follow_drift", type: "gauge", value: follow.map { $0.drift ? 1 : 0 }),
        Row(name: "reticle_follow_state", type: "gauge", label: Self.label(follow), value: follow.map { _ in 1 }),
        Row(name: "reticle_power_watts", type: "gauge", value: sensors.powerWatts),
        Row(name: "reticle_temperature_celsius", type: "gauge", value: sensors.temperatureCelsius),
        Row(name: "reticle_throttled", type: "gauge", value: sensors.isThrottled.map { $0 ? 1 : 0 }),
      ]
  }

  private static func label(_ follow: FollowReport?) -> String {
    guard let follow else { return "" }
    return "{commit=\"\(MetricsRegistry.escaped(follow.commit))\",state=\"\(MetricsRegistry.escaped(follow.state))\"}"
  }

  /// One series per metric that this machine knows.
  public var exposition: String {
    var text = ""
    var headed = ""
    for row in rows {
      guard let value = row.value else { continue }
      if row.name != headed {
        if let help = MetricCatalogue.help[row.name] { text += "# HELP \(row.name) \(help)\n" }
        text += "# TYPE \(row.name) \(row.type)\n"
        headed = row.name
      }
      text += "\(row.name)\(row.label) \(value)\n"
    }
    return text
  }

  /// The system's clock, right or wrong: the monitor compares it with its own.
  private static var clockSeconds: Double? {
    var now = timespec()
    guard clock_gettime(CLOCK_REALTIME, &now) == 0 else { return nil }
    return Double(now.tv_sec) + Double(now.tv_nsec / 1_000_000) / 1e3
  }

  private static var processorSeconds: Double? {
    var usage = rusage()
    guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  private static var descriptorMax: Double? {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? Double(limit.rlim_cur) : nil
  }

  /// The limit of the count; a station opens some dozens.
  private static let descriptorCountMax = 65_536

  private static var descriptorCount: Double? {
    guard let stream = opendir("/proc/self/fd") else { return nil }
    defer { closedir(stream) }
    var count = 0
    while count < descriptorCountMax, let entry = readdir(stream) {
      if entry.pointee.d_name.0 != 0x2E { count += 1 }
    }
    // The folder itself is open now.
    return Double(count - 1)
  }

  /// A column of statm (proc_pid_statm(5)), which counts pages: 0 is the address space, 1 the memory in use.
  private static func memoryBytes(column: Int) -> Double? {
    MachineSensors.text("/proc/self/statm")?.split(separator: " ").dropFirst(column).first.flatMap { Double($0) }
      .map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) }
  }

  /// Since 1970: the machine's start and, from it, the process's (proc_pid_stat(5), field 22).
  private static var startSeconds: Double? {
    guard let stat = MachineSensors.text("/proc/self/stat"), let end = stat.lastIndex(of: ")"),
      let ticks = stat[end...].split(separator: " ").dropFirst(20).first.flatMap({ Double($0) })
    else { return nil }
    var now = timespec()
    var boot = timespec()
    guard clock_gettime(CLOCK_REALTIME, &now) == 0, clock_gettime(CLOCK_BOOTTIME, &boot) == 0 else { return nil }
    let bootSeconds = Double(now.tv_sec - boot.tv_sec) + Double(now.tv_nsec - boot.tv_nsec) / 1e9
    return (bootSeconds + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))).rounded()
  }
}
