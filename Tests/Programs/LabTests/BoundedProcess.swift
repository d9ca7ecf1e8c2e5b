// A program that a test waits for with a time limit. A program that hangs is killed with its children, and the test fails
// with the output up to then instead of blocking the run.

import Foundation
import Glibc

enum BoundedProcess {
  /// The status of a program that was killed for taking too long, as with the command `timeout`.
  static let timedOut: Int32 = 124
  /// Time that a program gets to end when asked to.
  static let grace = Duration.seconds(5)
  /// Interval between checks whether it has ended.
  static let lookMicroseconds: UInt32 = 10_000

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs a program in a process group of its own.
  ///
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - output: path of the file for its standard output.
  ///   - errors: path of the file for its standard error.
  /// - Returns: its exit status, 128 plus the signal's number if a signal ended it, or `timedOut`.
  static func run(
    _ program: String, _ arguments: [String], in folder: String, environment: [String: String], output: String,
    errors: String, limit: Duration
  ) throws -> Int32 {
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&files, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    posix_spawn_file_actions_addopen(&files, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)
    var process = pid_t()
    // `env` changes to the folder and then becomes the program.
    let env = "/usr/bin/env"
    let result = withCStrings([env, "-C", folder, program] + arguments) { arguments in
      withCStrings(environment.map { "\($0)=\($1)" }) { environment in
        posix_spawn(&process, env, &files, &attributes, arguments, environment)
      }
    }
    guard result == 0 else {
      throw Failure(description: "\(program) cannot be started: \(String(cString: strerror(result)))")
    }
    if let status = wait(for: process, within: limit) { return status }
    kill(-process, SIGTERM)
    let status = wait(for: process, within: grace)
    // Kill the remaining children, too.
    kill(-process, SIGKILL)
    if status == nil { _ = wait(for: process, within: grace) }
    return timedOut
  }

  /// The exit status of a process that ends within the limit.
  private static func wait(for process: pid_t, within limit: Duration) -> Int32? {
    let end = ContinuousClock.now + limit
    while true {
      var status: Int32 = 0
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F }
      if ended < 0, errno != EINTR { return -1 }
      if ContinuousClock.now > end { return nil }
      usleep(lookMicroseconds)
    }
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
  }
}
