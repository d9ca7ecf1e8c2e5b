// A serial line for tests: a pty whose far end is the host, and which can be unplugged and plugged in again.

import Glibc
import Synchronization
import Testing

/// The far end of a pty, reached through a link with a fixed name, like those in /dev/serial/by-path.
final class Terminal: Sendable {
  let link: String
  private let state = Mutex(State())

  private struct State {
    var master: Int32 = -1
    var pending: [UInt8] = []
    var lines: [String] = []
  }

  init(link: String) { self.link = link }
  deinit { unplug() }

  func plugIn() throws {
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    try #require(master >= 0)
    // TIOCSPTLCK and TIOCGPTN from asm-generic/ioctls.h, as used by unlockpt and ptsname.
    var lock: Int32 = 0
    var number: Int32 = 0
    try #require(ioctl(master, 0x4004_5431, &lock) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
    state.withLock { $0.master = master }
    try #require(symlink("/dev/pts/\(number)", link) == 0)
  }

  func unplug() {
    state.withLock { state in
      guard state.master >= 0 else { return }
      unlink(link)
      close(state.master)
      state.master = -1
      state.pending = []
    }
  }

  func send(_ bytes: [UInt8]) { state.withLock { _ = write($0.master, bytes, bytes.count) } }

  /// The line settings: Linux reports those of the near end at the far end.
  func line() throws -> termios {
    var line = termios()
    try #require(state.withLock { tcgetattr($0.master, &line) } == 0)
    return line
  }

  /// The bytes received up to now.
  func read() -> [UInt8] { state.withLock { Self.read($0.master) } }

  private static func read(_ master: Int32) -> [UInt8] {
    var all: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(master, &part, part.count)
      guard count > 0 else { return all }
      all += part.prefix(count)
    }
  }

  /// A host's answer to a line.
  enum Answer: Sendable {
    case acknowledged, refused
    /// The line was accepted, but the ACK gets lost.
    case lost
  }

  /// Acts as a host that answers each line, until the task is cancelled.
  func answerLines(_ answer: @escaping @Sendable (String) -> Answer = { _ in .acknowledged }) async {
    while !Task.isCancelled {
      state.withLock { state in
        state.pending += Self.read(state.master)
        while let end = state.pending.firstIndex(of: 0x0A) {
          let line = String(decoding: state.pending[..<end], as: UTF8.self)
          state.pending.removeSubrange(...end)
          let answer = answer(line)
          if answer != .refused { state.lines.append(line) }
          var byte: UInt8 = answer == .refused ? 0x15 : 0x06
          if answer != .lost { _ = write(state.master, &byte, 1) }
        }
      }
      try? await Task.sleep(for: .milliseconds(1))
    }
  }

  /// The lines that the host accepted.
  var lines: [String] { state.withLock { $0.lines } }
}
