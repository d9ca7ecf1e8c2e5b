// The sensors of the machine, as Linux's files tell them. What a machine does not measure is nil.

import Glibc

/// Temperature, power and throttling.
public struct MachineSensors: Sendable {
  /// Of the processor, in degrees Celsius.
  public let temperatureCelsius: Double?
  /// The power that sensors of the board or of its supply measure, in watts: of all that measure one.
  public let powerWatts: Double?
  /// The bits that a Raspberry Pi's firmware reports (Raspberry Pi documentation, `vcgencmd get_throttled`).
  public let throttledBits: UInt32?

  /// How much of its life the storage has used, in percent rounded up to tens, as eMMC reports it (JESD84-B51, EXT_CSD
  /// DEVICE_LIFE_TIME_EST_TYP_A and B: steps of 10 %); of several, the most worn. SD cards report nothing.
  public let storageWornPercent: Int?

  /// Sensors of each kind that are read at most.
  static let sensorCountMax = 16
  /// The bits for what slows the processor down now: too low a voltage, a limited frequency, throttling, heat.
  private static let slowNowBits: UInt32 = 0b1111

  /// Whether a Raspberry Pi is slowed down now.
  public var isThrottled: Bool? { throttledBits.map { $0 & Self.slowNowBits != 0 } }

  /// Reads the sensors.
  ///
  /// - Parameter root: the folder that holds `sys`; tests put files there.
  public init(root: String = "") {
    func number(_ path: String) -> Double? { Self.text("\(root)/sys/\(path)").flatMap { Double($0) } }
    temperatureCelsius = number("class/thermal/thermal_zone0/temp").map { ($0 / 100).rounded() / 10 }
    let throttled = Self.text("\(root)/sys/devices/platform/soc/soc:firmware/get_throttled")
    throttledBits = throttled.flatMap { UInt32($0, radix: 16) }
    let lives = Self.members("\(root)/sys/block").compactMap { Self.text("\(root)/sys/block/\($0)/device/life_time") }
    // Two numbers; 0 is unknown, and 11 beyond the life that was estimated.
    let steps = lives.flatMap { $0.split(separator: " ") }.compactMap { Int($0.dropFirst(2), radix: 16) }
    storageWornPercent = steps.filter { (1...11).contains($0) }.max().map { $0 * 10 }
    let supplies = Self.members("\(root)/sys/class/power_supply").map { "class/power_supply/\($0)/power_now" }
    let monitors = Self.members("\(root)/sys/class/hwmon").map { "class/hwmon/\($0)/power1_input" }
    // Both in microwatts (kernel documentation, ABI/testing/sysfs-class-power and sysfs-class-hwmon).
    let powers = (supplies + monitors).compactMap(number)
    powerWatts = powers.isEmpty ? nil : powers.reduce(0, +) / 1_000_000
  }

  /// The names in a folder, sorted.
  static func members(_ folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while names.count < sensorCountMax, let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// The beginning of a small file, without the line's end; nil if it cannot be read.
  public static func text(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = fread(&bytes, 1, bytes.count, file)
    if count == 0, ferror(file) != 0 { return nil }
    var text = bytes.prefix(count)
    if text.last == 0x0A { text.removeLast() }
    return String(decoding: text, as: UTF8.self)
  }
}
