// Hosts on TCP connections: what goes over a connection, hosts that are slow, silent, strange or gone, and who may connect.

import Devices
import FoundationEssentials
import Glibc
import RawServer
import ServiceLifecycle
import Synchronization
import Testing
@testable import DeliveryModel
@testable import Sinks

@Suite struct TCPPlaceTests {
  @Test(
    arguments: [
      ("till.example:9100", "till.example", 9100), ("127.0.0.1:1", "127.0.0.1", 1), ("[::1]:65535", "::1", 65535),
    ])
  func `a place is a host and a port`(_ text: String, _ host: String, _ port: Int) throws {
    let place = try #require(TCPPlace(text))
    #expect(place == TCPPlace(host: host, port: port))
    #expect("\(place)" == text)
  }

  @Test(
    arguments: [
      "", "till", "till:", ":9100", "till:0", "till:65536", "till:-1", "::1:9100", "[till]:9100", "a b:1", "x@y:1",
    ])
  func `anything else is no place`(_ text: String) { #expect(TCPPlace(text) == nil) }

  @Test(
    arguments: [
      ("192.168.1.0/24", "192.168.1.255", true), ("192.168.1.0/24", "192.168.2.1", false), ("10.1.2.3", "10.1.2.3", true),
      ("10.1.2.3", "10.1.2.4", false), ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "::1", false),
      ("192.168.0.0/22", "192.168.3.1", true), ("192.168.0.0/22", "192.168.4.1", false),
      ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
      ("192.168.1.0/24", "::ffff:192.168.1.7", true),
    ])
  func `a range holds the addresses that begin like it`(_ range: String, _ address: String, _ isIn: Bool) throws {
    #expect(try #require(AddressRange(range)).contains(address) == isIn)
  }

  @Test(arguments: ["", "till", "192.168.1", "192.168.1.0/33", "::/129", "192.168.1.0/", "1.2.3.4/-1"])
  func `anything else is no range`(_ text: String) { #expect(AddressRange(text) == nil) }
}

/// Settings as FrameHost understands them, with short limits.
func hostSettings(_ role: TCPSettings.Role, acknowledges: Bool = true) -> TCPSettings {
  var settings = TCPSettings(role)
  settings.framing.prefix = [0x02]
  settings.framing.suffix = .lf
  settings.framing.sendsID = true
  settings.connectLimit = .milliseconds(300)
  settings.writeLimit = .milliseconds(300)
  settings.allowed = ["127.0.0.0/8"].compactMap { AddressRange($0) }
  settings.retry.fastDelay = .milliseconds(5)
  settings.retry.firstDelay = .milliseconds(5)
  settings.retry.delayMax = .milliseconds(20)
  guard acknowledges else { return settings }
  settings.acknowledgement = AcknowledgementSettings()
  settings.acknowledgement?.limit = .milliseconds(100)
  settings.acknowledgement?.lateLimit = .milliseconds(100)
  return settings
}

private func isRetry(_ outcome: DeliveryOutcome, _ words: String) -> Bool {
  guard case .retry(nil, let problem) = outcome else { return false }
  return problem.summary.contains(words) && !problem.remedy.isEmpty
}

private let surroundings = SinkSurroundings(
  logger: quiet, serialPort: { _ in SimulatedSerialPort() }, keyboard: { _ in SimulatedKeyboard() },
  scanner: { _ in SimulatedScanner() },
  onRequest: { _ in false })

@Suite(.timeLimit(.minutes(2))) struct TCPClientTests {
  private func sink(
    port: Int, _ change: (inout TCPSettings) -> Void = { _ in }, acknowledges: Bool = true
  ) throws -> LineSink {
    var settings = hostSettings(.connects(to: TCPPlace(host: "127.0.0.1", port: port)), acknowledges: acknowledges)
    change(&settings)
    return try #require(try settings.makeSink(surroundings) as? LineSink)
  }

  @Test func `a host gets the frame with its id and acknowledges it`() async throws {
    let host = FrameHost()
    let server = try host.listen()
    defer { server.stop() }
    let sink = try sink(port: server.port)
    var scans = ScanMaker()
    for _ in 1...3 { #expect(await sink.deliver(scans.next()) == .delivered) }
    #expect(host.texts == ["1", "2", "3"])
    #expect(host.frameCount == 3)
    #expect(server.connectionCount == 1)
    await sink.close()
  }

  @Test func `a host that refuses a scan, and one that says nothing, are told apart`() async throws {
    let host = FrameHost { text, _ in text == "1" ? .refuses : .isSilent }
    let server = try host.listen()
    defer { server.stop() }
    let sink = try sink(port: server.port)
    var scans = ScanMaker()
    guard case .rejected(nil, let problem) = await sink.deliver(scans.next()) else {
      Issue.record("NAK is a rejection")
      return
    }
    #expect(problem.summary.contains("refused the scan (NAK) 3 times"))
    #expect(isRetry(await sink.deliver(scans.next()), "did not acknowledge the scan within 0.1 seconds"))
    #expect(host.frameCount == 6)
    await sink.close()
  }

  @Test func `an unsolicited ACK is credited to no scan`() async throws {
    let server = try RawServer { connection in
      // The host answers the first frame twice, the second time late, and never answers the second frame.
      _ = connection.read()
      connection.send([0x06])
      usleep(10_000)
      connection.send([0x06])
      connection.stall()
    }
    defer { server.stop() }
    let sink = try sink(port: server.port)
    var scans = ScanMaker()
    #expect(await sink.deliver(scans.next()) == .delivered)
    try await Task.sleep(for: .milliseconds(50))
    #expect(isRetry(await sink.deliver(scans.next()), "did not acknowledge"))
    await sink.close()
  }

  @Test func `without acknowledgement a scan is delivered when the host's system has it`() async throws {
    let host = FrameHost { _, _ in .isSilent }
    let server = try host.listen()
    let sink = try sink(port: server.port, acknowledges: false)
    var scans = ScanMaker()
    #expect(sink.batching.countMax == 16)
    #expect(await sink.deliver((1...16).map { _ in scans.next() }) == .delivered)
    #expect(await eventually { host.texts == (1...16).map(String.init) })
    // The host goes: nothing is written into the void.
    server.stop()
    let scan = scans.next()
    #expect(await eventually { isRetry(await sink.deliver(scan), "ended") })
    #expect(isRetry(await sink.deliver(scan), "no connection: connection refused"))
    await sink.close()
  }

  @Test func `a host that does not read holds up the station for the write's limit alone`() async throws {
    let server = try RawServer { _ in usleep(3_000_000) }
    defer { server.stop() }
    let sink = try sink(port: server.port, acknowledges: false)
    var scans = ScanMaker()
    let text = String(repeating: "x", count: 1 << 20)
    var outcome = DeliveryOutcome.delivered
    let started = ContinuousClock.now
    for _ in 0..<64 where outcome == .delivered { outcome = await sink.deliver(scans.next(text)) }
    #expect(isRetry(outcome, "within 0.3 seconds"), "\(outcome)")
    #expect(ContinuousClock.now - started < .seconds(10))
    await sink.close()
  }

  @Test func `a host that answers no connection is given up after the limit`() async throws {
    // A full queue of connections that no program accepts: the kernel does not answer further ones.
    let listener = try ListeningSocket(address: "127.0.0.1", port: 0)
    defer { close(listener.descriptor) }
    _ = listen(listener.descriptor, 0)
    let place = TCPPlace(host: "127.0.0.1", port: listener.port)
    let fillers = (0..<4).map { _ in TCPLine(to: place, hostSettings(.connects(to: place))) }
    for filler in fillers { _ = try? await filler.open() }
    let started = ContinuousClock.now
    let sink = try sink(port: listener.port)
    var scans = ScanMaker()
    #expect(isRetry(await sink.deliver(scans.next()), "no connection: connection timed out"))
    #expect((.milliseconds(250) ... .seconds(5)).contains(ContinuousClock.now - started))
    for filler in fillers { await filler.close() }
  }

  @Test func `an unknown name is reported`() async throws {
    var settings = hostSettings(.connects(to: TCPPlace(host: "no-such-host.invalid", port: 9100)))
    settings.connectLimit = .seconds(1)
    let problem = try #require(await settings.reach())
    #expect(problem.summary.contains("no-such-host.invalid has no address") || problem.summary.contains("took longer"))
  }

  @Test func `the kernel is asked to notice a host that is gone without a word`() async throws {
    let server = try RawServer { $0.stall() }
    defer { server.stop() }
    var settings = hostSettings(.connects(to: TCPPlace(host: "127.0.0.1", port: server.port)))
    settings.keepAlive = .seconds(40)
    let line = TCPLine(to: TCPPlace(host: "127.0.0.1", port: server.port), settings)
    _ = try await line.open()
    // proc_net_tcp: the remote address, and the timer: 02 is the keep-alive, with the remaining hundredths of a second.
    let port = String(server.port, radix: 16, uppercase: true)
    func findRow() -> Substring? {
      // The kernel gives the table in parts, each shorter than asked for.
      guard let file = fopen("/proc/net/tcp", "r") else { return nil }
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 4 << 20)
      bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
      let rows = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      return rows.first { $0.split(separator: " ").dropFirst(2).first?.hasSuffix(":" + port) == true }
    }
    // The table may change while it is read, and then a row may be missing.
    #expect(await eventually { findRow() != nil })
    let row = try #require(findRow())
    let timer = row.split(separator: " ")[5].split(separator: ":")
    #expect(timer[0] == "02")
    #expect((3000...4100).contains(Int(timer[1], radix: 16) ?? 0), "\(row)")
    await line.close()
  }

  @Test func `a connection that ends is made again without a scan, and heartbeats go over it`() async throws {
    let host = FrameHost()
    let server = try host.listen()
    defer { server.stop() }
    let sink = try sink(port: server.port) { $0.heartbeat = Heartbeat(bytes: [0x05], interval: .milliseconds(20)) }
    let listening = Task { await sink.listen() }
    #expect(await eventually { host.otherBytes.count > 2 })
    host.endConnections()
    #expect(await eventually { server.connectionCount > 1 })
    var scans = ScanMaker()
    #expect(await eventually { await sink.deliver(scans.next("a")) == .delivered })
    #expect(host.texts.contains("a"))
    #expect(Set(host.otherBytes) == [0x05])
    listening.cancel()
    await listening.value
    await sink.close()
  }

  @Test func `a host commands the station over the connection of its scans`() async throws {
    let host = FrameHost()
    let server = try host.listen()
    defer { server.stop() }
    let requests = Mutex<[HostCommand]>([])
    var settings = hostSettings(.connects(to: TCPPlace(host: "127.0.0.1", port: server.port)))
    settings.acceptsCommands = true
    let sink = try settings.makeSink(
      SinkSurroundings(
        logger: quiet, serialPort: { _ in SimulatedSerialPort() }, keyboard: { _ in SimulatedKeyboard() },
        scanner: { _ in SimulatedScanner() }
      ) {
        request in
        requests.withLock { $0.append(request.command) }
        request.answer(.done(request.command))
        return true
      })
    let line = try #require(sink as? LineSink)
    let listening = Task { await line.listen() }
    #expect(await eventually { server.connectionCount == 1 })
    host.send([0x16] + Array("torch\n".utf8))
    #expect(await eventually { host.otherBytes == [0x10] + Array("torch ok\r\n".utf8) }, "\(host.otherBytes)")
    #expect(requests.withLock { $0 } == [.torch])
    listening.cancel()
    await listening.value
    await sink.close()
  }
}

@Suite(.timeLimit(.minutes(2))) struct TCPServerTests {
  /// A sink that listens, with the task that lets hosts in.
  private struct Station {
    let sink: TCPServerSink
    let listening: Task<Void, Never>

    init(_ change: (inout TCPSettings) -> Void = { _ in }, port: Int = 0, acknowledges: Bool = true) throws {
      let place = TCPPlace(host: "127.0.0.1", port: port)
      var settings = hostSettings(.listens(at: place), acknowledges: acknowledges)
      change(&settings)
      let sink = TCPServerSink(settings: settings, at: place, logger: quiet) { _ in false }
      self.sink = sink
      listening = Task { await sink.listen() }
    }

    func port() async throws -> Int {
      #expect(await eventually { sink.port != nil })
      return try #require(sink.port)
    }

    func stop() async {
      listening.cancel()
      await listening.value
      await sink.close()
    }
  }

  @Test func `scans wait for a host, and each host gets them`() async throws {
    let station = try Station()
    let port = try await station.port()
    var scans = ScanMaker()
    let first = scans.next()
    async let waiting = station.sink.deliver(first)
    try await Task.sleep(for: .milliseconds(20))
    let (host, other) = (FrameHost(), FrameHost())
    host.connect(port: port)
    #expect(await waiting == .delivered)
    other.connect(port: port)
    #expect(await eventually { await station.sink.hostCount == 2 })
    #expect(await station.sink.deliver(scans.next()) == .delivered)
    #expect(host.texts == ["1", "2"] && other.texts == ["2"])
    await station.stop()
  }

  @Test func `with all, a host that is connected and silent holds up the scan until it has gone`() async throws {
    let station = try Station()
    let port = try await station.port()
    let (host, silent) = (FrameHost(), FrameHost { _, _ in .isSilent })
    host.connect(port: port)
    let connection = try #require(silent.connect(port: port))
    #expect(await eventually { await station.sink.hostCount == 2 })
    var scans = ScanMaker()
    let scan = scans.next()
    #expect(isRetry(await station.sink.deliver(scan), "did not acknowledge"))
    #expect(host.frameCount == 1 && silent.frameCount == 3)
    connection.interrupt()
    #expect(await station.sink.deliver(scan) == .delivered)
    #expect(host.frameCount == 1, "the host that has the scan is not sent it again")
    await station.stop()
  }

  @Test func `with any, one acknowledgement is enough, and every host is sent each scan in order`() async throws {
    let station = try Station({ $0.acknowledger = .any })
    let port = try await station.port()
    let (host, silent) = (FrameHost(), FrameHost { _, _ in .isSilent })
    silent.connect(port: port)
    host.connect(port: port)
    #expect(await eventually { await station.sink.hostCount == 2 })
    var scans = ScanMaker()
    for _ in 1...5 { #expect(await station.sink.deliver(scans.next()) == .delivered) }
    #expect(host.texts == (1...5).map(String.init))
    #expect(await eventually { silent.texts == (1...5).map(String.init) }, "\(silent.texts)")
    await station.stop()
  }

  @Test func `without acknowledgement each host's system has to have the scans`() async throws {
    let station = try Station(acknowledges: false)
    let port = try await station.port()
    let hosts = [FrameHost { _, _ in .isSilent }, FrameHost { _, _ in .isSilent }]
    for host in hosts { host.connect(port: port) }
    #expect(await eventually { await station.sink.hostCount == 2 })
    var scans = ScanMaker()
    #expect(await station.sink.deliver([scans.next(), scans.next()]) == .delivered)
    for host in hosts { #expect(await eventually { host.texts == ["1", "2"] }) }
    await station.stop()
  }

  @Test func `an address that is not allowed gets nothing, and neither does one host too many`() async throws {
    let station = try Station({
      $0.allowed = ["127.0.0.2", "127.0.0.3"].compactMap { AddressRange($0) }
      $0.hostCountMax = 1
    })
    let port = try await station.port()
    let refused = try #require(RawConnection(port: port))
    #expect(refused.ends(withinMilliseconds: 10_000))
    refused.close()
    let host = FrameHost()
    host.connect(port: port, from: "127.0.0.2")
    #expect(await eventually { await station.sink.hostCount == 1 })
    let surplus = try #require(RawConnection(port: port, from: "127.0.0.3"))
    #expect(surplus.ends(withinMilliseconds: 10_000))
    surplus.close()
    var scans = ScanMaker()
    #expect(await station.sink.deliver(scans.next()) == .delivered)
    // The host comes back while its old connection still stands: the new one replaces it.
    let again = FrameHost()
    again.connect(port: port, from: "127.0.0.2")
    #expect(await eventually { await station.sink.deliver(scans.next("b")) == .delivered && again.texts.contains("b") })
    #expect(host.texts.first == "1")
    await station.stop()
  }

  @Test func `a taken port is reported, and opened as soon as it is free`() async throws {
    let holder = try ListeningSocket(address: "127.0.0.1", port: 0)
    let station = try Station(port: holder.port)
    var scans = ScanMaker()
    let scan = scans.next()
    #expect(isRetry(await station.sink.deliver(scan), "cannot be had"))
    close(holder.descriptor)
    let host = FrameHost()
    #expect(await eventually { host.connect(port: holder.port) != nil })
    #expect(await eventually { await station.sink.deliver(scan) == .delivered })
    await station.stop()
  }
}
