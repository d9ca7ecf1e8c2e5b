// Notifies the service manager that the station is ready, alive, or stopping (sd_notify(3): one datagram per message to the
// socket in NOTIFY_SOCKET). Without that variable nothing is sent.

import Dispatch
import Glibc
import Logging
import ScanLoop
import ServiceLifecycle
import Synchronization

/// The station's side of `Type=notify` and `WatchdogSec=`.
///
/// The watchdog is fed only while the capture thread makes progress: a hung station is restarted.
final class ServiceNotifier: Service {
  /// The most bytes of a socket's path: sun_path of unix(7).
  static let pathByteCountMax = 107

  private let socketPath: String
  /// The interval that the manager requires between messages; nil if it requires none.
  private let watchdogLimit: Duration?
  private let watch: CaptureWatch
  private let logger: Logger
  private let isReloading = Mutex(false)

  /// Nil without a service manager.
  ///
  /// - Parameter environment: `NOTIFY_SOCKET`, and `WATCHDOG_USEC` with `WATCHDOG_PID`, as the service manager sets them.
  init?(environment: [String: String], watch: CaptureWatch, logger: Logger) {
    guard let path = environment["NOTIFY_SOCKET"], !path.isEmpty else { return nil }
    socketPath = path
    let isForUs = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
    watchdogLimit = isForUs ? environment["WATCHDOG_USEC"].flatMap { Int64($0) }.map { .microseconds($0) } : nil
    self.watch = watch
    self.logger = logger
  }

  func run() async throws {
    send("READY=1")
    await cancelWhenGracefulShutdown {
      guard let limit = self.watchdogLimit, limit > .zero else {
        try? await gracefulShutdown()
        return
      }
      var wasAlive = true
      while !Task.isCancelled {
        let isAlive = self.watch.isAlive(within: limit / 2)
        if isAlive {
          self.send("WATCHDOG=1")
        } else if wasAlive {
          self.logger.critical(
            "the camera or the decoder hangs; the service manager will start the station again",
            metadata: ["limit": "\(limit)"])
        }
        wasAlive = isAlive
        try? await Task.sleep(for: limit / 4)
      }
    }
    send(
      isReloading.withLock { $0 }
        ? "RELOADING=1\nMONOTONIC_USEC=\(DispatchTime.now().uptimeNanoseconds / 1000)" : "STOPPING=1")
  }

  /// Announces that the station ends only to restart at once with another configuration.
  func announceReload() { isReloading.withLock { $0 = true } }

  /// Sends a message; a failure is logged, and scanning continues.
  private func send(_ message: String) {
    let failure = datagram(message)
    guard failure != 0 else { return }
    logger.warning(
      "cannot notify the service manager",
      metadata: ["message": "\(message)", "socket": "\(socketPath)", "errno": "\(failure)"])
  }

  /// 0, or the errno of a failure: EAGAIN if the manager does not read its messages, because the station does not wait.
  private func datagram(_ message: String) -> Int32 {
    var path = Array(socketPath.utf8)
    guard path.count <= Self.pathByteCountMax else { return ENAMETOOLONG }
    // A name that begins with @ is in the abstract namespace, where names begin with a zero byte.
    if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + path.count)
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    var text = message
    let sent = text.withUTF8 { bytes in
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          sendto(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), $0, length)
        }
      }
    }
    return sent < 0 ? errno : 0
  }
}
