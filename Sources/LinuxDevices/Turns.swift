// Turns on a device: a read may wait for a second while another task has something to write. A newcomer writes to a pipe,
// and the waiting read ends.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Counts the waiting tasks, and wakes a poll when one comes.
final class Turns: Sendable {
  /// Readable when a task waits; -1 if the system has no descriptors left, and then a wait lasts its full slice.
  let descriptor: Int32
  private let bell: Int32
  private let waiting = Atomic<Int>(0)

  /// The most wake-ups read at once.
  private static let ringCountMax = 64

  init() {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends where end >= 0 {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, bell) = (ends[0], ends[1])
  }

  deinit { for end in [descriptor, bell] where end >= 0 { close(end) } }

  /// Requests a turn. The task is counted before the wake-up is written, so that a reader of the wake-up sees the count. A
  /// failed write is ignored: without a pipe nothing can be woken, and a full pipe is readable already.
  func ask() {
    waiting.add(1, ordering: .sequentiallyConsistent)
    var ring: UInt8 = 1
    _ = write(bell, &ring, 1)
  }

  /// Begins the turn.
  func begin() { waiting.subtract(1, ordering: .sequentiallyConsistent) }

  /// Whether another task waits. Drains the wake-ups first, so that a later one is seen.
  func isAskedFor() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: Self.ringCountMax, alignment: 1) {
      _ = read(descriptor, $0.baseAddress, Self.ringCountMax)
    }
    return waiting.load(ordering: .sequentiallyConsistent) > 0
  }
}
