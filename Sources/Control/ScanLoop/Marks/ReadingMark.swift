// A picture that crashes the decoder crashes the process, again and again while it is in view. A byte that outlives the
// process tells the next one, which delivers for a while before it reads.

public import Devices

/// Marks that a frame is being read, in a file that outlives the process but not a reboot.
public final class ReadingMark: Sendable {
  /// How long reading is paused after a process that ended while reading a frame.
  public static let pause = Duration.seconds(10)

  /// Whether the previous process ended while reading a frame.
  public let wasLeft: Bool
  /// When reading may begin, in nanoseconds since the boot.
  private let begin: Int64
  private let memory: ServiceMemory

  /// - Parameter folder: the folder that keeps the mark.
  /// - Returns: nil if there is no writable folder of that name.
  public init?(folder: String, time: any DeviceTime = BootTime()) {
    guard let memory = ServiceMemory(folder: folder, name: "reading", byteCount: 1) else { return nil }
    self.memory = memory
    wasLeft = memory.bytes[0] != 0
    memory.bytes[0] = 0
    begin = wasLeft ? time.now() + Self.pause.components.seconds * 1_000_000_000 : 0
  }

  /// Calls `body` with the mark set. One thread reads at a time.
  func whileSet<Result>(_ body: () throws -> Result) rethrows -> Result {
    memory.bytes[0] = 1
    defer { memory.bytes[0] = 0 }
    return try body()
  }

  /// How long to wait before reading, in nanoseconds; 0 or less if there is nothing to wait for.
  func wait(at now: Int64) -> Int64 { begin - now }
}
