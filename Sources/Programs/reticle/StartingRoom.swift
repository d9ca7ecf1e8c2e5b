// Checks whether the system's limits allow the process to start. Without free threads, Dispatch would wait for them forever
// and silently; so the check tries to create them first.

import Glibc

enum StartingRoom {
  /// The most threads of a station: its own, Dispatch's, and those of libcamera and of libcurl's resolver.
  static let threadCount = 32
  /// Address space of a station besides its threads' stacks: frame buffers, the decoder's workspace, SQLite's pages.
  static let byteCount = 256 << 20

  /// The shortage and its remedy; nil if there is enough.
  static func shortage(threadCount: Int = threadCount, byteCount: Int = byteCount) -> String? {
    let room = mmap(nil, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard room != MAP_FAILED else {
      return "there is no room for \(byteCount >> 20) MB of address space; raise the limit (ulimit -v, LimitAS=)"
    }
    defer { munmap(room, byteCount) }
    // The threads wait for the end of the pipe, so that all of them exist at the same time.
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return "there are no file descriptors; raise the limit (ulimit -n, LimitNOFILE=)" }
    var threads: [pthread_t] = []
    defer {
      close(ends[1])
      for thread in threads { pthread_join(thread, nil) }
      close(ends[0])
    }
    for _ in 0..<threadCount {
      var thread = pthread_t()
      let failure = pthread_create(
        &thread, nil,
        { end in
          var byte: UInt8 = 0
          _ = read(Int32(Int(bitPattern: end)), &byte, 1)
          return nil
        }, UnsafeMutableRawPointer(bitPattern: Int(ends[0])))
      guard failure == 0 else {
        return
          "the system allows this process only \(threads.count) of \(threadCount) threads; raise the limits of address space "
          + "(ulimit -v, LimitAS=) and of threads (ulimit -u, TasksMax=)"
      }
      threads.append(thread)
    }
    return nil
  }
}
