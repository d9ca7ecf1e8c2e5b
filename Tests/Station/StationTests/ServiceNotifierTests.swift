// Messages to a service manager: ready, alive, stopping; and none once the capture thread hangs.

import Devices
import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import ScanLoop
@testable import Station

/// A clock that only a test advances.
private final class StandingTime: DeviceTime {
  private let nanoseconds = Mutex<Int64>(1)

  func now() -> Int64 { nanoseconds.withLock { $0 } }
  func sleep(until nanoseconds: Int64) {}
  func advance(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    nanoseconds.withLock { $0 += seconds * 1_000_000_000 + attoseconds / 1_000_000_000 }
  }
}

/// The service manager's socket.
private final class ManagerSocket {
  let path = FileManager.default.temporaryDirectory.appending(path: "reticle-\(UUID().uuidString.prefix(8))").path
  private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)

  init() {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    precondition(result == 0)
  }

  deinit {
    close(descriptor)
    unlink(path)
  }

  /// The next message; nil if none comes within ten seconds.
  func next() async throws -> String? {
    var buffer = [UInt8](repeating: 0, count: 256)
    for _ in 0..<2000 {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count >= 0 { return String(decoding: buffer[..<count], as: UTF8.self) }
      try await Task.sleep(for: .milliseconds(5))
    }
    return nil
  }

  /// Messages up to the one that reports stopping or reloading; at most a hundred.
  func rest() async throws -> [String] {
    var messages: [String] = []
    while messages.count < 100, let message = try await next() {
      messages.append(message)
      if message == "STOPPING=1" || message.hasPrefix("RELOADING=1") { break }
    }
    return messages
  }
}

@Suite(.timeLimit(.minutes(1))) struct ServiceNotifierTests {
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// Runs a notifier until it has reported that the station is ready and sent `count` more messages, and then shuts it down.
  /// Returns all messages.
  private func run(_ notifier: ServiceNotifier, _ socket: ManagerSocket, until count: Int) async throws -> [String] {
    let group = ServiceGroup(services: [notifier], logger: logger)
    return try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      var messages: [String] = []
      for _ in 0...count { messages.append(try #require(try await socket.next())) }
      // Time for messages that should not be sent.
      try await Task.sleep(for: .milliseconds(60))
      await group.triggerGracefulShutdown()
      messages += try await socket.rest()
      try await tasks.waitForAll()
      return messages
    }
  }

  @Test func `the service manager hears that the station is ready, alive and stopping`() async throws {
    let socket = ManagerSocket()
    let watch = CaptureWatch(time: StandingTime())
    let notifier = try #require(
      ServiceNotifier(
        environment: ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "40000", "WATCHDOG_PID": "\(getpid())"],
        watch: watch, logger: logger))
    let messages = try await run(notifier, socket, until: 3)
    #expect(messages.first == "READY=1")
    #expect(messages.last == "STOPPING=1")
    #expect(messages.dropFirst().dropLast().allSatisfy { $0 == "WATCHDOG=1" })
    #expect(messages.count >= 5)
  }

  /// systemd before version 253 has no `Type=notify-reload`; the message and its time are the same.
  @Test func `a station that reloads its configuration reports reloading, not stopping`() async throws {
    let socket = ManagerSocket()
    let watch = CaptureWatch(time: StandingTime())
    let notifier = try #require(
      ServiceNotifier(environment: ["NOTIFY_SOCKET": socket.path], watch: watch, logger: logger))
    notifier.announceReload()
    let messages = try await run(notifier, socket, until: 0)
    #expect(messages.count == 2 && messages.first == "READY=1")
    let moment = try #require(messages.last?.wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=([0-9]+)/)?.1)
    #expect(try #require(Int64(moment)) > 0)
  }

  @Test func `a capture thread stuck in one piece of work stops feeding the watchdog`() async throws {
    let socket = ManagerSocket()
    let time = StandingTime()
    let watch = CaptureWatch(time: time)
    watch.begin()
    time.advance(by: .milliseconds(21))
    let notifier = try #require(
      ServiceNotifier(
        environment: ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "40000"], watch: watch, logger: logger))
    #expect(try await run(notifier, socket, until: 0) == ["READY=1", "STOPPING=1"])
    watch.end()
    #expect(watch.isAlive(within: .milliseconds(1)))
  }

  @Test func `another process's watchdog is not fed, and without a socket nothing is sent`() async throws {
    let socket = ManagerSocket()
    let watch = CaptureWatch(time: StandingTime())
    let notifier = try #require(
      ServiceNotifier(
        environment: ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"], watch: watch,
        logger: logger))
    #expect(try await run(notifier, socket, until: 0) == ["READY=1", "STOPPING=1"])
    #expect(ServiceNotifier(environment: [:], watch: watch, logger: logger) == nil)
  }

  @Test func `a manager that does not read its messages does not block the station`() async throws {
    let socket = ManagerSocket()
    let watch = CaptureWatch(time: StandingTime())
    let notifier = try #require(
      ServiceNotifier(environment: ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "400"], watch: watch, logger: logger))
    let group = ServiceGroup(services: [notifier], logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      #expect(try await socket.next() == "READY=1")
      // Many more than fit into a datagram socket's queue.
      try await Task.sleep(for: .milliseconds(200))
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
  }
}
