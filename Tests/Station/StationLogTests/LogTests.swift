// Log entries arrive complete and harmless, as a line and in the journal; a flood is shortened and counted.

import Foundation
import Glibc
import Logging
import Synchronization
import Testing

@testable import StationLog

@Suite struct LogTests {
  private let hostile = "</script>\u{1B}]0;owned\u{07}\nPRIORITY=0\nMESSAGE=the station is fine\u{2028}\u{202E}"

  private func record(_ fields: [(name: String, value: String)], message: String = "scanned") -> LogRecord {
    LogRecord(level: .info, label: "reticle", message: message, fields: fields)
  }

  @Test func `a log entry stays on one line and sends nothing to a terminal`() {
    let line = record([("data", hostile)]).line(at: "now")
    #expect(line.hasPrefix("now info reticle: scanned: data=</script>\\x1b]0;owned\\x07\\nPRIORITY=0\\n"))
    #expect(line.unicodeScalars.filter { $0.value < 0x20 || $0.value == 0x2028 || $0.value == 0x202E } == ["\n"])
  }

  @Test func `a journal entry has one field per value, and no value forges another field`() throws {
    let entry = try fields(of: record([("data", hostile), ("symbology", "qr")]).journalEntry)
    #expect(
      entry.map(\.name) == ["MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "LOGGER", "RETICLE_DATA", "RETICLE_SYMBOLOGY"])
    #expect(entry[1].value == "6")
    #expect(entry[4].value == hostile)
    #expect(entry[5].value == "qr")
    #expect(entry[0].value.hasPrefix("scanned: data=</script>\\x1b"))
  }

  @Test func `field names are valid in the journal`() {
    #expect(LogRecord.journalName("exposure_us") == "EXPOSURE_US")
    #expect(LogRecord.journalName("a=b\nMESSAGE") == "A_B_MESSAGE")
    #expect(LogRecord.journalName(String(repeating: "x", count: 99)).utf8.count == 56)
  }

  @Test func `an entry too long for a datagram reaches the journal`() throws {
    let journal = try ListeningJournal()
    let socket = try #require(JournalSocket(path: journal.path))
    socket.send(record([("data", "short")]).journalEntry)
    #expect(try fields(of: journal.receive()).last?.value == "short")
    // A datagram is limited by the socket's buffer, some 200 KB: four values of the greatest length exceed it.
    let long = String(repeating: "x", count: LogRecord.valueByteCountMax)
    socket.send(record((0..<6).map { ("data\($0)", long) }).journalEntry)
    #expect(try fields(of: journal.receive()).last?.value == long)
  }

  @Test func `a value that is too long is truncated`() throws {
    let entry = record([("data", String(repeating: "x", count: LogRecord.valueByteCountMax + 9))]).journalEntry
    #expect(try fields(of: entry).last?.value.utf8.count == LogRecord.valueByteCountMax)
  }

  @Test func `the journal is used only if standard error is connected to it`() {
    var status = stat()
    fstat(STDERR_FILENO, &status)
    #expect(LogDestination.isJournal(STDERR_FILENO, "\(status.st_dev):\(status.st_ino)"))
    #expect(!LogDestination.isJournal(STDERR_FILENO, "\(status.st_dev):\(status.st_ino + 1)"))
    #expect(!LogDestination.isJournal(STDERR_FILENO, nil))
    #expect(JournalSocket(path: "/nowhere/socket") == nil)
  }

  @Test func `a flood of messages is limited, and the number suppressed is logged afterwards`() {
    let (clock, written) = (Clock(), Written())
    let destination = LogDestination(now: { clock.now }) { written.append($0) }
    var logger = Logger(label: "reticle") { StationLogHandler(label: $0, level: .info, destination: destination) }
    logger[metadataKey: "station"] = "till-3"
    for number in 0..<1000 { logger.error("a frame was skipped", metadata: ["number": "\(number)"]) }
    logger.error("another message")
    logger.debug("below the level")
    #expect(written.all.count == LogLimiter.burstCountMax + 1)
    #expect(written.all.last?.text == "another message: station=till-3")
    clock.pass(LogLimiter.windowNanoseconds)
    logger.error("a frame was skipped")
    let told = written.all.suffix(2)
    #expect(told.first?.message == "messages were not logged, for there were too many")
    #expect(told.first?.text.hasSuffix("message=a frame was skipped suppressed=\(1000 - LogLimiter.burstCountMax)") == true)
    #expect(told.last?.message == "a frame was skipped")
    for _ in 0..<LogLimiter.burstCountMax { logger.error("a frame was skipped") }
    destination.flush()
    #expect(written.all.last?.text.hasSuffix("suppressed=1") == true)
  }

  @Test func `messages of unlimited variety share one count`() {
    var limiter = LogLimiter()
    var admittedCount = 0
    for number in 0..<10_000 where limiter.admits(.info, "message \(number)", at: 0) { admittedCount += 1 }
    #expect(admittedCount == LogLimiter.messageCountMax + LogLimiter.burstCountMax)
  }

  /// The fields of an entry in the journal's native protocol.
  private func fields(of entry: [UInt8]) throws -> [(name: String, value: String)] {
    var fields: [(String, String)] = []
    var rest = entry[...]
    while !rest.isEmpty {
      let nameEnd = try #require(rest.firstIndex { $0 == 0x0A || $0 == UInt8(ascii: "=") })
      let name = String(decoding: rest[..<nameEnd], as: UTF8.self)
      var value = rest[(nameEnd + 1)...]
      if rest[nameEnd] == 0x0A {
        let count = value.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        value = value.dropFirst(8).prefix(count)
      } else {
        value = value.prefix { $0 != 0x0A }
      }
      try #require(value.endIndex < rest.endIndex && rest[value.endIndex] == 0x0A)
      fields.append((name, String(decoding: value, as: UTF8.self)))
      rest = rest[(value.endIndex + 1)...]
    }
    return fields
  }
}

private final class Clock: Sendable {
  private let time = Mutex<Int64>(1)
  var now: Int64 { time.withLock { $0 } }
  func pass(_ nanoseconds: Int64) { time.withLock { $0 += nanoseconds } }
}

private final class Written: Sendable {
  private let records = Mutex<[LogRecord]>([])
  var all: [LogRecord] { records.withLock { $0 } }
  func append(_ record: LogRecord) { records.withLock { $0.append(record) } }
}

/// A socket that listens like the journal.
private final class ListeningJournal {
  struct Failure: Error { let call: String }

  let path = "/tmp/reticle-journal-\(UUID().uuidString.prefix(8))"
  private let descriptor: Int32

  init() throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw Failure(call: "bind") }
  }

  deinit {
    close(descriptor)
    unlink(path)
  }

  /// The next entry, from its datagram or from the attached file.
  func receive() throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    // The file's descriptor is in the last four bytes of the control message (cmsg(3)).
    var control = [UInt8](repeating: 0, count: 64)
    let (count, controlCount) = try bytes.withUnsafeMutableBytes { bytes in
      try control.withUnsafeMutableBytes { control in
        var vector = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        return try withUnsafeMutablePointer(to: &vector) { vector in
          var message = msghdr()
          message.msg_iov = vector
          message.msg_iovlen = 1
          message.msg_control = control.baseAddress
          message.msg_controllen = control.count
          let count = recvmsg(descriptor, &message, 0)
          guard count >= 0 else { throw Failure(call: "recvmsg") }
          return (count, Int(message.msg_controllen))
        }
      }
    }
    guard controlCount > 0 else { return Array(bytes.prefix(count)) }
    let file = control.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: Int32.self) }
    defer { close(file) }
    let seals = fcntl(file, 1034)  // F_GET_SEALS
    guard seals == 0xF else { throw Failure(call: "the file is not sealed") }
    var entry: [UInt8] = []
    var offset: off_t = 0
    while case let part = pread(file, &bytes, bytes.count, offset), part > 0 {
      entry += bytes.prefix(part)
      offset += part
    }
    return entry
  }
}
