// A picture that crashes the decoder crashes the process, again and again while it is in view. A byte that outlives the
// process tells the next one, which delivers for a while before it reads.

import Glibc
public import Devices

/// Marks that a frame is being read, in a file that outlives the process but not a reboot.
public final class ReadingMark: Sendable {
  /// How long reading is paused after a process that ended while reading a frame.
  public static let pause = Duration.seconds(10)

  /// Whether the previous process ended while reading a frame.
  public let wasLeft: Bool
  /// When reading may begin, in nanoseconds since the boot.
  private let begin: Int64
  private nonisolated(unsafe) let byte: UnsafeMutablePointer<UInt8>

  /// - Parameter folder: the folder that keeps the mark.
  /// - Returns: nil if there is no writable folder of that name.
  public init?(folder: String, time: any DeviceTime = BootTime()) {
    let descriptor = open(folder + "/reading", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard ftruncate(descriptor, 1) == 0,
      let memory = mmap(nil, 1, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
    else { return nil }
    byte = memory.assumingMemoryBound(to: UInt8.self)
    wasLeft = byte.pointee != 0
    byte.pointee = 0
    begin = wasLeft ? time.now() + Self.pause.components.seconds * 1_000_000_000 : 0
  }

  deinit { munmap(byte, 1) }

  /// Calls `body` with the mark set. One thread reads at a time.
  func whileSet<Result>(_ body: () throws -> Result) rethrows -> Result {
    byte.pointee = 1
    defer { byte.pointee = 0 }
    return try body()
  }

  /// How long to wait before reading, in nanoseconds; 0 or less if there is nothing to wait for.
  func wait(at now: Int64) -> Int64 { begin - now }
}
