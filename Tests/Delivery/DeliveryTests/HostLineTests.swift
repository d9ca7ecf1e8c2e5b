// The host's side of a serial line: commands and their answers between scans, and a long run with a pulled cable and lost
// answers.

import Devices
import FoundationEssentials
import Glibc
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing
@testable import DeliveryModel
@testable import LinuxDevices
@testable import Outbox
@testable import Sinks

@Suite(.timeLimit(.minutes(20))) struct HostLineTests {
  private let folder: TemporaryFolder
  private let terminal: Terminal

  init() throws {
    folder = try TemporaryFolder()
    terminal = Terminal(link: folder.file("ttyTEST"))
  }

  private func settings(acknowledges: Bool, commands: Bool) -> SerialSettings {
    var settings = SerialSettings(device: terminal.link)
    settings.framing.suffix = .lf
    settings.acceptsCommands = commands
    settings.writeLimit = .milliseconds(500)
    if acknowledges {
      settings.acknowledgement = AcknowledgementSettings()
      settings.acknowledgement?.limit = .milliseconds(100)
      settings.acknowledgement?.lateLimit = .milliseconds(200)
    }
    return settings
  }

  /// Waits until the host has heard the expected text, including the bytes read before.
  private func heard(_ expected: String, _ sofar: inout [UInt8]) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
      sofar += terminal.read()
      if String(decoding: sofar, as: UTF8.self).contains(expected) { return true }
      try? await Task.sleep(for: .milliseconds(2))
    }
    return false
  }

  @Test func `commands are answered without any scan`() async throws {
    try terminal.plugIn()
    let sink = LineSink(
      settings: settings(acknowledges: false, commands: true), port: TermiosSerialPort(device: terminal.link)
    ) { request in
      request.answer(request.command == .status ? .status("session=idle") : .done(request.command))
      return request.command != .torch
    }
    let listening = Task { await sink.listen() }
    var sofar: [UInt8] = []
    // The line opens asynchronously.
    #expect(
      await eventually {
        terminal.send(Array("\u{16}status\r".utf8))
        try? await Task.sleep(for: .milliseconds(20))
        sofar += terminal.read()
        return String(decoding: sofar, as: UTF8.self).contains("\u{10}status session=idle\r\n")
      })
    for command in HostCommand.allCases where command != .status && command != .torch {
      terminal.send(Array("\u{16}\(command.rawValue)\r\n".utf8))
      #expect(await heard("\u{10}\(command.rawValue) ok\r\n", &sofar))
    }
    terminal.send(Array("\u{16}torch\r\u{16}garbage\r".utf8))
    #expect(await heard("\u{10}torch busy\r\n", &sofar))
    #expect(await heard("\u{10}error unknown command\r\n", &sofar))
    // The cable is pulled and comes back: commands go on without any scan.
    terminal.unplug()
    try await Task.sleep(for: .milliseconds(100))
    try terminal.plugIn()
    sofar = []
    #expect(
      await eventually {
        terminal.send(Array("\u{16}stop\r".utf8))
        try? await Task.sleep(for: .milliseconds(50))
        sofar += terminal.read()
        return String(decoding: sofar, as: UTF8.self).contains("\u{10}stop ok\r\n")
      })
    listening.cancel()
    await listening.value
    await sink.close()
  }

  @Test func `a scan does not wait for a reader of commands`() async throws {
    try terminal.plugIn()
    let sink = LineSink(
      settings: settings(acknowledges: false, commands: true), port: TermiosSerialPort(device: terminal.link)
    ) { _ in true }
    let listening = Task { await sink.listen() }
    try await Task.sleep(for: .milliseconds(50))
    var scans = ScanMaker()
    var taken: [Duration] = []
    for _ in 0..<20 {
      let started = ContinuousClock.now
      #expect(await sink.deliver(scans.next()) == .delivered)
      taken.append(ContinuousClock.now - started)
      try await Task.sleep(for: .milliseconds(15))
    }
    // A read for commands lasts a second unless it is interrupted.
    #expect(taken.sorted()[taken.count / 2] < .milliseconds(500))
    listening.cancel()
    await listening.value
    await sink.close()
  }

  @Test func `commands and acknowledgements share the line`() async throws {
    try terminal.plugIn()
    let commands = Mutex(0)
    let sink = LineSink(
      settings: settings(acknowledges: true, commands: true), port: TermiosSerialPort(device: terminal.link)
    ) { request in
      commands.withLock { $0 += 1 }
      return true
    }
    let listening = Task { await sink.listen() }
    let host = Task { await terminal.answerLines() }
    var scans = ScanMaker()
    // Before the line is raw, the host's bytes come back as an echo, so the host begins to send after the first scan.
    #expect(await sink.deliver(scans.next()) == .delivered)
    let chatter = Task {
      while !Task.isCancelled {
        terminal.send(Array("\u{16}trigger\r".utf8))
        try? await Task.sleep(for: .milliseconds(3))
      }
    }
    for _ in 1..<100 { #expect(await sink.deliver(scans.next()) == .delivered) }
    chatter.cancel()
    #expect(terminal.lines.filter { Int($0) != nil } == (1...100).map(String.init))
    #expect(commands.withLock { $0 } > 10)
    listening.cancel()
    host.cancel()
    await listening.value
    await host.value
    await sink.close()
  }

  @Test func `a host that never stops sending is answered within bounds`() async throws {
    let port = SimulatedSerialPort()
    let sink = LineSink(settings: settings(acknowledges: false, commands: true), port: port) { _ in false }
    let listening = Task { await sink.listen() }
    #expect(await eventually { port.openCount == 1 })
    for _ in 0..<2000 { port.send(Array("\u{16}torch\r\u{16}x\r".utf8)) }
    try await Task.sleep(for: .milliseconds(100))
    var scans = ScanMaker()
    #expect(await sink.deliver(scans.next()) == .delivered)
    listening.cancel()
    await listening.value
    await sink.close()
  }

  /// Records through outbox and line while the cable is pulled at random and ACK and NAK arrive or get lost at random.
  @Test func `no record is lost on a line that is unplugged and loses answers`() async throws {
    let recordCount = TestDepth.scaled(600)
    try terminal.plugIn()
    var outboxSettings = OutboxSettings()
    outboxSettings.path = folder.file("outbox.sqlite")
    outboxSettings.synchronous = .normal
    let outbox = await Outbox(settings: outboxSettings, sinks: [OutboxSink("serial")], logger: quiet)
    var settings = settings(acknowledges: true, commands: false)
    settings.retry.fastDelay = .milliseconds(5)
    settings.retry.firstDelay = .milliseconds(10)
    settings.retry.delayMax = .milliseconds(20)
    let loop = DeliveryLoop(
      sink: LineSink(settings: settings, port: TermiosSerialPort(device: terminal.link)), outbox: outbox,
      retry: settings.retry, logger: quiet)
    let group = ServiceGroup(services: [loop], logger: quiet)
    let run = Task { try await group.run() }
    let host = Task {
      await terminal.answerLines { _ in
        switch Int.random(in: 0..<50) {
        case 0: .refused
        case 1: .lost
        default: .acknowledged
        }
      }
    }
    let unplugs = Mutex(0)
    let hand = Task {
      while !Task.isCancelled {
        try await Task.sleep(for: .milliseconds(Int.random(in: 20...300)))
        terminal.unplug()
        unplugs.withLock { $0 += 1 }
        try? await Task.sleep(for: .milliseconds(Int.random(in: 1...30)))
        try terminal.plugIn()
      }
    }
    var scans = ScanMaker()
    var sent: [String] = []
    for number in 1...recordCount {
      let text = "\(number):" + String(repeating: "abc\u{1D}", count: Int.random(in: 0...20)) + "\(number * 7919)"
      sent.append(text)
      _ = try await outbox.append(scans.next(text))
    }
    #expect(await eventually(.seconds(900)) { await outbox.undeliveredCount(for: "serial") == 0 })
    hand.cancel()
    try? await hand.value
    host.cancel()
    await host.value
    await group.triggerGracefulShutdown()
    try await run.value
    await outbox.close()
    // A record repeated because its ACK was lost immediately follows itself.
    var received: [String] = []
    for line in terminal.lines where received.last != line { received.append(line) }
    #expect(received == sent, "records were lost, torn or out of order")
    print(
      "\(recordCount) records, \(unplugs.withLock { $0 }) times unplugged, \(terminal.lines.count - sent.count) repeats, 0 lost"
    )
  }
}

/// Finding a USB adapter by its identity, in a folder that resembles sysfs.
@Suite struct SerialDeviceNameTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A tty of an adapter: class/tty/NAME/device links to the adapter's interface.
  private func plugIn(_ tty: String, _ vendor: String, _ product: String, _ serial: String?) throws {
    let device = folder.file("devices/usb1/\(tty)")
    try FileManager.default.createDirectory(atPath: device + "/1-1:1.0", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: folder.file("class/tty/\(tty)"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("class/tty/\(tty)/device"), withDestinationPath: device + "/1-1:1.0")
    _ = try folder.write(vendor + "\n", to: "devices/usb1/\(tty)/idVendor")
    _ = try folder.write(product + "\n", to: "devices/usb1/\(tty)/idProduct")
    if let serial { _ = try folder.write(serial + "\n", to: "devices/usb1/\(tty)/serial") }
  }

  private func file(_ name: String) throws -> String {
    try #require(SerialDeviceName(name)).file(ttys: folder.file("class/tty"))
  }

  private func cause(_ name: String) -> SerialPortFailure.Cause? {
    do {
      _ = try file(name)
      return nil
    } catch {
      return (error as? SerialPortFailure)?.cause
    }
  }

  @Test func `an adapter is found under any number`() throws {
    try plugIn("ttyUSB0", "0403", "6001", "A1")
    try plugIn("ttyUSB7", "0403", "6001", "B2:C3")
    try plugIn("ttyACM0", "1d6b", "0104", nil)
    #expect(try file("usb:0403:6001:A1") == "/dev/ttyUSB0")
    #expect(try file("usb:0403:6001:B2:C3") == "/dev/ttyUSB7")
    #expect(try file("usb:1D6B:0104") == "/dev/ttyACM0")
    #expect(try file("/dev/ttyS0") == "/dev/ttyS0")
    #expect(cause("usb:0403:6001") == .ambiguous)
    #expect(cause("usb:0403:6001:C3") == .missing)
    #expect(cause("usb:ffff:0001") == .missing)
  }

  @Test func `a missing sysfs has no adapters`() { #expect(cause("usb:0403:6001") == .missing) }
}
