// The destination of records: the journal, if standard error is connected to it, else standard error.

import CLinux
import Glibc
import Logging
import Synchronization

/// Writes records, limits their rate, and reports how many it suppressed. Safe to use from any thread.
public final class LogDestination: Sendable {
  /// The socket of systemd's journal.
  public static let journalSocket = "/run/systemd/journal/socket"

  private let limiter = Mutex(LogLimiter())
  private let write: @Sendable (LogRecord) -> Void
  private let now: @Sendable () -> Int64

  init(now: @escaping @Sendable () -> Int64 = LogDestination.bootNanoseconds, write: @escaping @Sendable (LogRecord) -> Void)
  {
    self.now = now
    self.write = write
  }

  /// Standard error, one line per record.
  public static func standardError() -> LogDestination {
    LogDestination { record in
      var text = record.line(at: timestamp())
      text.withUTF8 { bytes in _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
    }
  }

  /// The journal, if `JOURNAL_STREAM` shows that standard error is connected to it (systemd.exec(5)); else standard error.
  public static func preferred(environment: [String: String], socket: String = journalSocket) -> LogDestination {
    guard isJournal(STDERR_FILENO, environment["JOURNAL_STREAM"]), let journal = JournalSocket(path: socket) else {
      return standardError()
    }
    return LogDestination { journal.send($0.journalEntry) }
  }

  /// Whether `JOURNAL_STREAM`, such as `8:12345`, names a descriptor's device and inode (systemd.exec(5)).
  public static func isJournal(_ descriptor: Int32, _ stream: String?) -> Bool {
    var status = stat()
    guard let stream, fstat(descriptor, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }

  func log(_ record: LogRecord) {
    let time = now()
    let (isAdmitted, suppressions) = limiter.withLock { limiter in
      let suppressions = limiter.ended(at: time)
      return (limiter.admits(record.level, record.message, at: time), suppressions)
    }
    for suppression in suppressions { tell(suppression) }
    if isAdmitted { write(record) }
  }

  /// Reports suppressed records that have not been reported yet, at the end of the process.
  public func flush() {
    for suppression in limiter.withLock({ $0.takeAll() }) { tell(suppression) }
  }

  private func tell(_ suppression: LogLimiter.Suppression) {
    write(
      LogRecord(
        level: suppression.key.level, label: "reticle", message: "messages were not logged, for there were too many",
        fields: [("message", suppression.key.message), ("suppressed", "\(suppression.count)")]))
  }

  static func bootNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Such as `2026-11-21T17:05:09+0100`, in the machine's time zone.
  private static func timestamp() -> String {
    var seconds = time(nil)
    var parts = tm()
    localtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let count = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S%z", &parts)
    return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// A connection to the journal.
final class JournalSocket: Sendable {
  private let descriptor: Int32

  /// Nil if the journal does not listen there.
  init?(path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isConnected else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Sends an entry as a datagram, or in a memory file if it is too long for one. If the journal does not accept it, the
  /// entry is written to standard error, which the journal also reads.
  func send(_ entry: [UInt8]) {
    let count = entry.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    if count == entry.count { return }
    if errno == EMSGSIZE || errno == ENOBUFS, clinux_send_memory(descriptor, entry, entry.count) == 0 { return }
    let message = entry.prefix { $0 != 0x0A }.dropFirst("MESSAGE=".utf8.count) + [0x0A]
    _ = message.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
