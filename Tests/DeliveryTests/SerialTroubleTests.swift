// A serial host that answers late, and a line that echoes.

import Devices
import Synchronization
import Testing

@testable import Delivery

@Suite(.timeLimit(.minutes(2))) struct SerialTroubleTests {
  @Test func `an answer that comes too late is credited to no other scan`() async throws {
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
    let sink = SerialSink(settings: settings, port: line)
    var scans = ScanMaker()
    for number in 1...9 {
      let scan = scans.next("\(number)")
      while await sink.deliver(scan) != .delivered {}
    }
    #expect(Set(taken.withLock { $0 }) == Set((1...9).map(String.init)))
    await sink.close()
  }

  @Test func `a label that the line echoes is no command`() async throws {
    let port = SimulatedSerialPort { $0 }
    let commands = Mutex<[HostCommand]>([])
    var settings = SerialSettings(device: "simulated")
    settings.acceptsCommands = true
    let sink = SerialSink(settings: settings, port: port) { request in
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
    port.send(Array("torch\r".utf8))
    #expect(await eventually { commands.withLock { $0 } == [.torch] })
    // Its answer is echoed, too, and answered by nothing.
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

/// A host's end of a line that does not exist yet when it is described.
private final class LateHost: Sendable {
  let line = Mutex<SimulatedSerialPort?>(nil)

  func answer() { line.withLock { $0 }?.send([0x06]) }
}
