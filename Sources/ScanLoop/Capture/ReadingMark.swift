// A picture that ends the decoder ends the process, and does so again as long as it is in view. The station that is started next
// knows it by a byte that outlives the process, and delivers for a while before it reads.

import Glibc
public import Devices

/// Notes that a frame is being read, in a file that outlives the process; the folder it lies in does not outlive the machine's run.
public final class ReadingMark: Sendable {
  /// How long nothing is read after a process that ended while it read a frame.
  public static let pause = Duration.seconds(10)

  /// Whether the process before this one ended while it read a frame.
  public let wasLeft: Bool
  /// When reading may begin, in nanoseconds since the boot.
  private let begin: Int64
  private nonisolated(unsafe) let byte: UnsafeMutablePointer<UInt8>

  /// - Parameter folder: where the mark is kept.
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
