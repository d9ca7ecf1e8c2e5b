// Long load: a process that appends and delivers at a steady rate must not grow in memory or on disk. It is a separate
// process, so that the measurement excludes its receiver and the tests.

import FoundationEssentials
import Glibc
import ScanReceiver
import Synchronization
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct SoakTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let scansPerSecond = 200
  /// Growth permitted to allocator, dispatch and SQLite's page cache after the first third. Two thirds of ten minutes are
  /// 80000 scans, so losing a small object per scan would exceed it. Measured: 2.5 MB on two cores with five times the load.
  private static let growthByteCountMax = 4 << 20

  /// Two hundred scans per second through outbox and webhook.
  @Test func `sustained load does not leak`() async throws {
    let seconds = TestDepth.scaled(3)
    let count = Mutex(0)
    let receiver = WebhookReceiver()
    let port = try await receiver.start { receipt in count.withLock { $0 += receipt.isRepeat ? 0 : 1 } }
    let (path, scanCount) = (folder.file("outbox.sqlite"), seconds * Self.scansPerSecond)
    let started = ContinuousClock.now
    let station = try Child(
      try Child.writer(), [path, "http://127.0.0.1:\(port)/", "\(scanCount)", "\(Self.scansPerSecond)"])
    var status: Int32?
    defer { if status == nil { _ = station.kill() } }
    var (settled, last) = (0, 0)
    while true {
      status = station.statusIfEnded()
      if status != nil { break }
      try await Task.sleep(for: .milliseconds(200))
      // The first third fills pools and caches.
      guard let now = station.residentBytes, ContinuousClock.now - started >= .seconds(seconds) / 3 else { continue }
      if settled == 0 { settled = now }
      last = now
    }
    await receiver.stop()
    let size = try Data(contentsOf: URL(filePath: path)).count
    let taken = ContinuousClock.now - started
    print(
      "\(count.withLock { $0 }) scans in \(taken): \(settled >> 10) KiB of memory after a third, \(last >> 10) KiB at the end, "
        + "\(size >> 10) KiB on disk")
    #expect(status == 0)
    #expect(count.withLock { $0 } == scanCount)
    #expect(size < 4 << 20)
    #expect(settled > 0 && last < 64 << 20)
    if seconds > 60 { #expect(last - settled < Self.growthByteCountMax) }
  }
}
