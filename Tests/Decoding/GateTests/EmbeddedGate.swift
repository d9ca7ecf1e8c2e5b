// The decoder as a program without a Swift runtime, built once for all gates.

import Dispatch
import Foundation
import Synchronization
import Testing

enum EmbeddedGate {
  /// The decoder compiled for both machines as Embedded Swift with `-no-allocations`, once for all tests and in parallel:
  /// each build takes a core for a minute or more. The script fails if any part of the decoder may allocate, or if its
  /// object code refers to anything but memory copies and the stack guard.
  static let programs = Result {
    let folder = Place.package.appending(path: ".build/gates")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let script = Place.package.appending(path: "Tests/Decoding/GateTests/Embedded/build-gate").path
    let machines = ["x86_64", "aarch64"]
    let programs = machines.map { folder.appending(path: $0).path }
    let results = Mutex<[Result<ProgramResult, any Error>]>([])
    DispatchQueue.concurrentPerform(iterations: machines.count) { index in
      let result = Result { try run(script, [machines[index], programs[index]]) }
      results.withLock { $0.append(result) }
    }
    for result in try results.withLock({ $0 }).map({ try $0.get() }) {
      try #require(result.status == 0, "\(result.errors)\(result.output)")
    }
    return (x86: programs[0], arm: programs[1])
  }
}
