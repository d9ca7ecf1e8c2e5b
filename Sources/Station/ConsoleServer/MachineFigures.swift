// The figures of the machine: temperature, throttling, disk, memory, clock. Linux's files say them; one that is missing leaves
// its figure out.

#if Console

  import DeliveryModel
  import Glibc
  import Outbox
  import StationConsole

  /// The state of the machine.
  struct MachineFigures: Encodable, Sendable {
    /// Of the processor.
    var temperatureCelsius: Double?
    /// The power that sensors of the board or its supply measure; nil without one.
    var powerWatts: Double?
    /// Why a Raspberry Pi runs more slowly than it could, now or since its start; nil on other boards.
    var throttling: [String]?
    /// Of the disk with the outbox.
    var freeByteCount: Int64 = 0
    var totalByteCount: Int64 = 0
    var memoryAvailableByteCount: Int64?
    var clockSynchronized: Bool
    var upSeconds: Int64
    /// Processes that ran or waited for a processor, averaged over a minute.
    var load: Double

    /// - Parameter folder: a path on the disk with the outbox.
    init(folder: String) {
      let sensors = MachineSensors()
      temperatureCelsius = sensors.temperatureCelsius
      powerWatts = sensors.powerWatts
      throttling = sensors.throttledBits.map(Self.throttling)
      var disk = statvfs()
      let parent = folder.lastIndex(of: "/").map { String(folder[...$0]) } ?? "."
      if statvfs(parent, &disk) == 0 {
        freeByteCount = Int64(disk.f_bavail) * Int64(disk.f_frsize)
        totalByteCount = Int64(disk.f_blocks) * Int64(disk.f_frsize)
      }
      memoryAvailableByteCount = MachineSensors.text("/proc/meminfo").flatMap { text in
        text.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }?.split(separator: " ").dropFirst().first
          .flatMap { Int64($0) }.map { $0 * 1024 }
      }
      clockSynchronized = CaptureTime.trustedUnixSeconds != nil
      upSeconds = Int64(CaptureTime.now().bootNanoseconds / 1_000_000_000)
      load = MachineSensors.text("/proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) } ?? 0
    }

    /// The firmware's bits (Raspberry Pi documentation, `vcgencmd get_throttled`).
    private static func throttling(_ bits: UInt32) -> [String] {
      let meanings: [(bit: Int, words: String)] = [
        (0, "the supply's voltage is too low now"), (1, "the processor's frequency is limited now"),
        (2, "the processor is throttled now"), (3, "the temperature limit is reached now"),
        (16, "the supply's voltage was too low since the start"), (17, "the frequency was limited since the start"),
        (18, "the processor was throttled since the start"), (19, "the temperature limit was reached since the start"),
      ]
      return meanings.filter { bits >> $0.bit & 1 == 1 }.map(\.words)
    }
  }

#endif
