// Scans that flow to a host over TCP while the host dies, in every manner, and the station stops, starts and is killed: the host,
// which takes each id once, has every scan, in order.

import Devices
import FoundationEssentials
import Glibc
import RawServer
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing
@testable import DeliveryModel
@testable import Outbox
@testable import Sinks

@Suite(.serialized, .timeLimit(.minutes(60))) struct TCPFlowTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Lives of the station, and what happens in each.
  private static let lifeCount = TestDepth.scaled(4)
  private static let scansPerLife = 40
  private static let killsPerLife = 3

  /// A host that dies with some frames, and loses an answer now and then.
  private static func mortalHost() -> FrameHost {
    FrameHost { _, number in
      switch number % 13 {
      case 3: .dies
      case 7: .takesAndDies
      case 11: .isSilent
      default: .takes
      }
    }
  }

  /// A free port.
  private static func freePort() throws -> Int {
    let socket = try ListeningSocket(address: "127.0.0.1", port: 0)
    defer { close(socket.descriptor) }
    return socket.port
  }

  private func outbox() async -> Outbox {
    var settings = OutboxSettings()
    settings.path = folder.file("outbox.sqlite")
    return await Outbox(settings: settings, sinks: [OutboxSink("tcp")], logger: quiet)
  }

  /// Runs a station from its start to its graceful end.
  private func live(_ settings: TCPSettings, _ body: (Outbox) async throws -> Void) async throws {
    let outbox = await outbox()
    let sink = try settings.makeSink(
      SinkSurroundings(
        logger: quiet, serialPort: { _ in SimulatedSerialPort() }, keyboard: { _ in SimulatedKeyboard() },
        scanner: { _ in SimulatedScanner() },
        onRequest: { _ in false }))
    let loop = DeliveryLoop(sink: sink, outbox: outbox, retry: settings.retry, logger: quiet)
    let group = ServiceGroup(services: [loop as any Service] + sink.services, logger: quiet)
    let run = Task { try await group.run() }
    try await body(outbox)
    await group.triggerGracefulShutdown()
    try await run.value
    await outbox.close()
  }

  @Test(arguments: [true, false])
  func `a host that dies again and again has every scan once by id, in order, from a station that starts again`(
    stationConnects: Bool
  ) async throws {
    let (host, port) = (Self.mortalHost(), try Self.freePort())
    let place = TCPPlace(host: "127.0.0.1", port: port)
    var settings = hostSettings(stationConnects ? .connects(to: place) : .listens(at: place))
    settings.acknowledgement?.limit = .milliseconds(30)
    settings.acknowledgement?.lateLimit = .milliseconds(40)
    var server = stationConnects ? try host.listen(port: port) : nil
    // A host that connects does so whenever it is not.
    let connecting = Task {
      while !stationConnects, !Task.isCancelled {
        if !host.isConnected { host.connect(port: port) }
        try? await Task.sleep(for: .milliseconds(3))
      }
    }
    var scans = ScanMaker()
    let killEvery = Self.scansPerLife / Self.killsPerLife
    for life in 1...Self.lifeCount {
      try await live(settings) { outbox in
        for number in 1...Self.scansPerLife {
          _ = try await outbox.append(scans.next())
          try await Task.sleep(for: .milliseconds(2))
          guard number % killEvery == 0 else { continue }
          server?.stop()
          if !stationConnects { host.endConnections() }
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...10)))
          if server != nil { server = try await again { try host.listen(port: port) } }
        }
        guard life == Self.lifeCount else { return }
        #expect(await eventually(.seconds(60)) { await outbox.undeliveredCount(for: "tcp") == 0 })
      }
    }
    connecting.cancel()
    await connecting.value
    server?.stop()
    let count = Self.lifeCount * Self.scansPerLife
    #expect(host.texts == (1...count).map(String.init))
    print("\(count) scans, \(host.frameCount) frames, \(Self.lifeCount * Self.killsPerLife) kills of the host")
  }

  /// A port whose holder is about to let go of it.
  private func again(_ listen: () throws -> RawServer) async throws -> RawServer {
    for _ in 0..<1000 {
      if let server = try? listen() { return server }
      try await Task.sleep(for: .milliseconds(1))
    }
    return try listen()
  }

  @Test func `no acknowledged scan is lost, or out of order, by kills of the station`() async throws {
    let (host, port) = (FrameHost(), try Self.freePort())
    let server = try host.listen(port: port)
    defer { server.stop() }
    let path = folder.file("outbox.sqlite")
    var acknowledged: [String] = []
    for _ in 0..<TestDepth.scaled(3) {
      let child = try Child(try Child.writer(), [path, "tcp:127.0.0.1:\(port)"])
      try await Task.sleep(for: .milliseconds(Int.random(in: 50...400)))
      acknowledged += child.kill()
    }
    let station = try Child(try Child.writer(), [path, "tcp:127.0.0.1:\(port)", "20"])
    #expect(await eventually(.seconds(60)) { station.statusIfEnded() == 0 })
    let texts = host.texts
    #expect(Set(acknowledged).subtracting(texts).isEmpty, "acknowledged scans were lost")
    #expect(texts.count >= 20 && texts == texts.sorted())
    print("\(acknowledged.count) acknowledged, \(texts.count) taken, \(host.frameCount) frames")
  }
}
