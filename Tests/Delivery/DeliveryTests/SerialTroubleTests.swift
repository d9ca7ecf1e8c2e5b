// A serial host that answers late, and a line that echoes.

import Devices
import OutboxSimulation
import Synchronization
import TestSupport
import Testing
@testable import DeliveryModel
@testable import OutboxSimulation
@testable import Sinks

@Suite(.timeLimit(.minutes(2))) struct SerialTroubleTests {
  @Test func `a late answer is credited to no other scan`() async throws {
    let timeout = Duration.milliseconds(100)
    let taken = Mutex<[String]>([])
    let frames = Mutex(0)
    let host = LateHost()
    let line = SimulatedSerialPort { bytes in
      let text = String(decoding: bytes, as: UTF8.self).filter { $0 != "\r" }
      let number = frames.withLock { count in
        count += 1
        return count
      }
      // Every third frame is not understood and not answered; the others are acknowledged after the time-out.
      guard number % 3 != 0 else { return [] }
      taken.withLock { $0.append(text) }
      Task {
        try await Task.sleep(for: timeout + .milliseconds(50))
        host.answer()
      }
      return []
    }
    host.line.withLock { $0 = line }
    var settings = SerialSettings(device: "simulated")
    settings.acknowledgement = AcknowledgementSettings()
    settings.acknowledgement?.limit = timeout
    settings.acknowledgement?.lateLimit = timeout * 2
    let sink = LineSink(settings: settings, port: line)
    var scans = ScanMaker()
    for number in 1...9 {
      let scan = scans.next("\(number)")
      while await sink.deliver(scan) != .delivered {}
    }
    #expect(Set(taken.withLock { $0 }) == Set((1...9).map(String.init)))
    await sink.close()
  }

  @Test func `an echoed label is not a command`() async throws {
    let port = SimulatedSerialPort { $0 }
    let commands = Mutex<[HostCommand]>([])
    var settings = SerialSettings(device: "simulated")
    settings.acceptsCommands = true
    let sink = LineSink(settings: settings, port: port) { request in
      commands.withLock { $0.append(request.command) }
      request.answer(.done(request.command))
      return true
    }
    let listening = Task { await sink.listen() }
    var scans = ScanMaker()
    for text in ["disable", "Stop", "x trigger", "4006381333931", String(repeating: "long ", count: 20)] {
      #expect(await sink.deliver(scans.next(text)) == .delivered)
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(commands.withLock { $0 } == [])
    port.send(Array("\u{16}torch\r".utf8))
    #expect(await eventually { commands.withLock { $0 } == [.torch] })
    // Its answer is echoed as well, and the echo gets no answer.
    var sent: [UInt8] = []
    #expect(
      await eventually {
        sent += port.takeSent()
        return String(decoding: sent, as: UTF8.self).contains("torch ok")
      })
    try await Task.sleep(for: .milliseconds(100))
    sent += port.takeSent()
    #expect(!String(decoding: sent, as: UTF8.self).contains("error"))
    listening.cancel()
    await listening.value
    await sink.close()
  }
}

/// Hosts that answer long after the time-out.
@Suite(.timeLimit(.minutes(2))) struct LateHostTests {
  private func outcome(
    _ delay: ClosedRange<Double>, missing part: Int, seed: UInt64, isNumbered: Bool = false
  ) async -> SerialSchedule.Outcome {
    var schedule = SerialSchedule(delay: delay)
    schedule.missedPart = part
    schedule.acknowledgement.limit = .milliseconds(200)
    schedule.acknowledgement.isNumbered = isNumbered
    return await schedule.run(seed: seed)
  }

  @Test func `no scan is lost to a host that answers after the time-out and misses frames`() async {
    for _ in 1...20 {
      let seed = UInt64.random(in: 0 ... .max)
      let usual = await outcome(1.05...1.05, missing: 10, seed: seed)
      #expect(usual.lost.isEmpty && usual.deliveredCount == 60, "seed \(seed): \(usual)")
      let wild = await outcome(0.1...2.9, missing: 4, seed: seed)
      #expect(wild.lost.isEmpty && wild.deliveredCount == 60, "seed \(seed): \(wild)")
    }
  }

  @Test func `with numbers an answer belongs to its frame, and no scan waits for the answers to another`() async {
    let seed = UInt64.random(in: 0 ... .max)
    let plain = await outcome(1.05...1.05, missing: 10, seed: seed)
    let numbered = await outcome(1.05...1.05, missing: 10, seed: seed, isNumbered: true)
    #expect(numbered.lost.isEmpty && numbered.deliveredCount == 60, "seed \(seed): \(numbered)")
    #expect(numbered.time < plain.time, "seed \(seed)")
    let wild = await outcome(0.1...9, missing: 4, seed: seed, isNumbered: true)
    #expect(wild.lost.isEmpty && wild.deliveredCount == 60, "seed \(seed): \(wild)")
  }

  @Test func `new schedules of serial lines hold`() async {
    let report = await SerialSchedule.run(
      from: UInt64.random(in: 0 ... .max / 2), limit: .milliseconds(Int(TestDepth.scaled(500))))
    #expect(report.wrong == nil && report.count > 0)
  }

  @Test func `a number is the same when a frame is sent again, and another for the next one`() async {
    let port = SimulatedSerialPort()
    var settings = SerialSettings(device: "simulated")
    settings.framing.prefix = [0x02]
    var acknowledgement = AcknowledgementSettings()
    (acknowledgement.isNumbered, acknowledgement.limit) = (true, .milliseconds(10))
    settings.acknowledgement = acknowledgement
    let sink = LineSink(settings: settings, port: port, logger: quiet)
    var scans = ScanMaker()
    for text in ["a", "b"] { _ = await sink.deliver(scans.next(text)) }
    let frames = String(decoding: port.takeSent(), as: UTF8.self).split(separator: "\r").map(String.init)
    #expect(frames.count == 6 && Set(frames).count == 2 && frames[0].hasSuffix("a") && frames[3].hasSuffix("b"))
    let digits = frames.compactMap { $0.dropFirst().first?.wholeNumberValue }
    #expect(digits.count == 6 && digits[3] == (digits[0] + 1) % 10)
  }
}

/// A host's commands on a line that echoes the bytes it receives.
@Suite(.timeLimit(.minutes(2))) struct EchoTests {
  private final class Heard: Sendable {
    let commands = Mutex<[HostCommand]>([])
    var all: [HostCommand] { commands.withLock { $0 } }
  }

  private func sink(
    _ port: any SerialPort, _ heard: Heard, _ clock: SimulatedClock = SimulatedClock(),
    _ change: (inout SerialSettings) -> Void = { _ in }
  ) -> LineSink {
    var settings = SerialSettings(device: "simulated")
    settings.acceptsCommands = true
    change(&settings)
    return LineSink(settings: settings, port: port, logger: quiet, clock: clock) { request in
      heard.commands.withLock { $0.append(request.command) }
      request.answer(.done(request.command))
      return true
    }
  }

  @Test(arguments: ["dis_able", "dis\u{7}able", "dis\u{1D}able", "\u{16}disable", "disable", "x\rdisable"])
  func `a label whose echo loses a character is not a command`(_ label: String) async throws {
    // The line keeps only lower-case letters and CR.
    let port = SimulatedSerialPort { bytes in bytes.filter { $0 == 0x0D || (0x61...0x7A).contains($0) } }
    let heard = Heard()
    let sink = sink(port, heard)
    let listening = Task { await sink.listen() }
    var scans = ScanMaker()
    #expect(await sink.deliver(scans.next(label)) == .delivered)
    // The sink reads in order, so a later command proves that it has read the echo.
    port.send(Array("\u{16}torch\r".utf8))
    #expect(await eventually { heard.all.contains(.torch) })
    #expect(heard.all == [.torch])
    listening.cancel()
    await listening.value
    await sink.close()
  }

  @Test func `a command without its prefix counts only when nothing was sent for a while, and is answered otherwise`() async
  {
    let port = SimulatedSerialPort()
    let heard = Heard()
    let clock = SimulatedClock()
    let sink = sink(port, heard, clock)
    let listening = Task { await sink.listen() }
    #expect(await eventually { port.openCount == 1 })
    port.send(Array("torch-on\r".utf8))
    #expect(await eventually { heard.all == [.torchOn] })
    #expect(await eventually { String(decoding: port.takeSent(), as: UTF8.self).contains("torch-on ok") })
    port.send(Array("torch-off\r".utf8))
    #expect(await eventually { String(decoding: port.takeSent(), as: UTF8.self).contains("error prefix missing") })
    #expect(heard.all == [.torchOn])
    clock.advance(by: LineEcho.span + .milliseconds(1))
    port.send(Array("torch-off\r".utf8))
    #expect(await eventually { heard.all == [.torchOn, .torchOff] })
    // With the prefix, a command counts at any time, even in the middle of a line.
    port.send(Array("rubbish\u{16} STATUS\n".utf8))
    #expect(await eventually { heard.all == [.torchOn, .torchOff, .status] })
    listening.cancel()
    await listening.value
    await sink.close()
  }

  @Test func `without a prefix a command counts only when nothing was sent for a while`() async {
    let port = SimulatedSerialPort()
    let heard = Heard()
    let clock = SimulatedClock()
    let sink = sink(port, heard, clock) { $0.commandPrefix = nil }
    let listening = Task { await sink.listen() }
    var scans = ScanMaker()
    #expect(await sink.deliver(scans.next()) == .delivered)
    port.send(Array("\u{16}torch\rtorch\rtorch-on\r".utf8))
    try? await Task.sleep(for: .milliseconds(50))
    #expect(heard.all == [])
    clock.advance(by: LineEcho.span + .milliseconds(1))
    port.send(Array("torch\r".utf8))
    #expect(await eventually { heard.all == [.torch] })
    listening.cancel()
    await listening.value
    await sink.close()
  }
}

/// A host's end of a line, created after the line's description.
private final class LateHost: Sendable {
  let line = Mutex<SimulatedSerialPort?>(nil)

  func answer() { line.withLock { $0 }?.send([0x06]) }
}
