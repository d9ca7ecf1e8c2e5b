// The program `outbox-writer` as a separate process, to be killed or measured.

import FoundationEssentials
import Glibc
import Testing

/// A child process with readable output.
struct Child {
  let id: pid_t
  private let output: Int32

  init(_ path: String, _ arguments: [String]) throws {
    let ends = try makePipe()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The threads that tests run on block signals, and children would, too.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var argv: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    argv.append(nil)
    defer { for argument in argv { free(argument) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, path, &actions, &attributes, argv, environ)
    close(ends[1])
    try #require(code == 0, "\(path) did not start: errno \(code)")
    self.id = id
    output = ends[0]
  }

  /// The path of the program `outbox-writer`, which is built next to the tests.
  static func writer() throws -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    try #require(count > 0)
    let test = URL(filePath: String(decoding: buffer.prefix(count), as: UTF8.self))
    return test.deletingLastPathComponent().appending(path: "outbox-writer").path
  }

  /// The process's private memory in RAM, without files: RssAnon of proc(5), `/proc/pid/status`. Nil if it has ended.
  var residentBytes: Int? {
    guard let data = try? Data(contentsOf: URL(filePath: "/proc/\(id)/status")) else { return nil }
    let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
  }

  /// The exit status, as in waitpid(2); nil while the process runs. Its output must be short.
  func statusIfEnded() -> Int32? {
    var status: Int32 = 0
    guard waitpid(id, &status, WNOHANG) == id else { return nil }
    close(output)
    return status
  }

  /// Kills the process, waits for its end, and returns the complete lines that it printed.
  func kill() -> [String] {
    _ = Glibc.kill(id, SIGKILL)
    var status: Int32 = 0
    waitpid(id, &status, 0)
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(output, &part, part.count)
      guard count > 0 else { break }
      bytes += part.prefix(count)
    }
    close(output)
    let whole = bytes.prefix(through: bytes.lastIndex(of: 0x0A) ?? -1)
    return String(decoding: whole, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
