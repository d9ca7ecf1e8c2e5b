// Who waits for a device that somebody else is waiting on. A read may last for a second while there is something to write;
// whoever comes rings, and the read gives way.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Counts those who want a turn, and wakes a poll when one comes.
final class Turns: Sendable {
  /// Readable when somebody came; -1 if the system has no descriptors left, and then a wait lasts its slice.
  let descriptor: Int32
  private let bell: Int32
  private let waiting = Atomic<Int>(0)

  /// Rings that are taken back at once.
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

  /// Somebody wants a turn. Counted before it rings: whoever has heard the ring sees the count. A bell that nobody hears
  /// and that can ring no more rings already.
  func ask() {
    waiting.add(1, ordering: .sequentiallyConsistent)
    var ring: UInt8 = 1
    _ = write(bell, &ring, 1)
  }

  /// The turn has come.
  func begin() { waiting.subtract(1, ordering: .sequentiallyConsistent) }

  /// Whether to give way. Takes back the rings first, so that one that comes later is heard.
  func isAskedFor() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: Self.ringCountMax, alignment: 1) {
      _ = read(descriptor, $0.baseAddress, Self.ringCountMax)
    }
    return waiting.load(ordering: .sequentiallyConsistent) > 0
  }
}
