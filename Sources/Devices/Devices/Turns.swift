// Turns at a device between a reader and writers. A read may last for a second while there is something to write: a writer rings,
// and the read ends early.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Counts the callers that want a turn at a descriptor, and cuts waits short for them.
public final class Turns: Sendable {
  /// How a wait for a descriptor ended.
  public enum Waited: Equatable, Sendable {
    /// The descriptor is ready.
    case ready
    /// The other end has gone away, and there is nothing left to read.
    case hungUp
    /// The deadline passed, the task was cancelled, or somebody else wants the turn.
    case over
    /// poll(2) failed with this errno.
    case failed(Int32)
  }

  /// Readable when somebody came; -1 if the system has no descriptors left, and then a wait lasts its slice.
  private let descriptor: Int32
  private let bell: Int32
  private let waiting = Atomic<Int>(0)

  /// Rings that are taken back at once.
  private static let ringCountMax = 64
  /// The longest single wait that does not give way: how soon a cancelled task ends.
  private static let sliceMilliseconds: Int64 = 50
  /// The longest single wait that gives way: a ring ends it.
  private static let longSliceMilliseconds: Int64 = 1000

  public init() {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends where end >= 0 {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, bell) = (ends[0], ends[1])
  }

  deinit { for end in [descriptor, bell] where end >= 0 { close(end) } }

  /// Asks for a turn. The count rises before the bell rings, so that a reader that has heard the bell sees the count. A full pipe
  /// rings already.
  public func ask() {
    waiting.add(1, ordering: .sequentiallyConsistent)
    ring()
  }

  private func ring() {
    var ring: UInt8 = 1
    _ = write(bell, &ring, 1)
  }

  /// Carries out a read that gives way; cancelling the task ends its wait at once.
  public func interruptibly<Value: Sendable, Failure: Error>(
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await withTaskCancellationHandler { () async -> Result<Value, Failure> in
      do throws(Failure) {
        return .success(try await body())
      } catch {
        return .failure(error)
      }
    } onCancel: {
      ring()
    }.get()
  }

  /// The turn has come.
  public func begin() { waiting.subtract(1, ordering: .sequentiallyConsistent) }

  /// Waits on this thread until a descriptor is ready for an event of poll(2). Looks at least once, also after the deadline.
  ///
  /// - Parameter givesWay: whether the wait ends when somebody else asks for a turn.
  public func wait(
    for event: Int32, of device: Int32, until deadline: ContinuousClock.Instant, givesWay: Bool
  ) -> Waited {
    // Without a bell the end of a slice is all that ends a wait.
    let longSlice = descriptor < 0 ? Self.sliceMilliseconds : Self.longSliceMilliseconds
    while true {
      let left = ContinuousClock.now.duration(to: deadline).components
      let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
      let hasToEnd = givesWay && isAskedFor()
      let slice = hasToEnd ? 0 : max(0, min(milliseconds, givesWay ? longSlice : Self.sliceMilliseconds))
      var waited = [
        pollfd(fd: device, events: Int16(event), revents: 0),
        pollfd(fd: givesWay ? descriptor : -1, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&waited, 2, Int32(slice))
      if count < 0, errno != EINTR { return .failed(errno) }
      let happened = count > 0 ? Int32(waited[0].revents) : 0
      // Bytes that came before the hang-up can still be read.
      if happened != 0 { return happened & event != 0 ? .ready : .hungUp }
      if hasToEnd || milliseconds <= 0 || Task.isCancelled { return .over }
    }
  }

  /// Whether to give way. Takes back the rings first, so that one that comes later is heard.
  private func isAskedFor() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: Self.ringCountMax, alignment: 1) {
      _ = read(descriptor, $0.baseAddress, Self.ringCountMax)
    }
    return waiting.load(ordering: .sequentiallyConsistent) > 0
  }
}
