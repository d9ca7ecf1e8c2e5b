// The processor's time of one thread: what it costs to show a frame, whatever else the machine does.

import Glibc

/// Nanoseconds that this thread has run.
func threadTime() -> Int64 {
  var time = [Int](repeating: 0, count: 2)
  time.withUnsafeMutableBytes { bytes in
    if let base = bytes.baseAddress { clock_gettime(CLOCK_THREAD_CPUTIME_ID, base.assumingMemoryBound(to: timespec.self)) }
  }
  return Int64(time[0]) * 1_000_000_000 + Int64(time[1])
}
