// A thread for work that never yields: capture, drawing, sockets.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Runs `body` on a new thread, under a name that tools such as `top -H` show.
///
/// - Parameter name: at most 15 bytes.
public func startThread(named name: StaticString, _ body: @escaping @Sendable () -> Void) {
  let box = Unmanaged.passRetained(ThreadBody(name: name, body))
  var thread = pthread_t()
  let result = pthread_create(
    &thread, nil,
    { argument in
      guard let argument else { return nil }
      let thread = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
      nameThread(thread.name)
      thread.body()
      return nil
    }, box.toOpaque())
  precondition(result == 0, "a thread could not be made (error \(result))")
  pthread_detach(thread)
}

/// Names this thread. Failure to set the name is ignored.
private func nameThread(_ name: StaticString) {
  let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
  guard file >= 0 else { return }
  write(file, name.utf8Start, name.utf8CodeUnitCount)
  close(file)
}

private final class ThreadBody {
  let name: StaticString
  let body: @Sendable () -> Void

  init(name: StaticString, _ body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

/// A thread whose end can be awaited for a limited time.
public struct AwaitedThread: Sendable {
  private let end: AsyncStream<Void>

  /// Runs `body` as `startThread` does.
  public init(named name: StaticString, _ body: @escaping @Sendable () -> Void) {
    let (end, continuation) = AsyncStream<Void>.makeStream()
    self.end = end
    startThread(named: name) {
      body()
      continuation.finish()
    }
  }

  /// Waits until the thread has ended; false if it has not within `limit`.
  public func ends(within limit: Duration) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await _ in end {}
        return true
      }
      group.addTask {
        try? await Task.sleep(for: limit)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }
}
