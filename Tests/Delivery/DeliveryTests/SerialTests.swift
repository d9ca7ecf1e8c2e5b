// The serial sink: the exact bytes on the line, a host that answers, and a real terminal (a pty) that disappears and comes
// back.

import BarcodeMessage
import FoundationEssentials
import Glibc
import Synchronization
import Testing
@testable import DeliveryModel
@testable import Devices
@testable import LinuxDevices
@testable import Sinks

@Suite struct SerialFrameTests {
  @Test func `a no-read is its text alone between prefix and suffix`() {
    var settings = FramingSettings()
    settings.prefix = [0x02]
    settings.sendsAIMIdentifier = true
    settings.sendsSymbologyLetter = true
    settings.nonASCII = .raw
    var scans = ScanMaker()
    let scan = scans.next()
    let record = ScanRecord(id: scan.id, station: "a", noRead: .noSymbol, text: "NOREAD", captured: scan.captured)
    #expect(LineFrame.bytes(record, settings) == [0x02] + Array("NOREAD".utf8) + settings.suffix.bytes)
  }

  private func frame(_ text: String, bytes: [UInt8]? = nil, _ change: (inout FramingSettings) -> Void = { _ in }) -> [UInt8]
  {
    var scans = ScanMaker()
    var record = scans.next(text)
    if let bytes { record.bytes = bytes }
    var settings = FramingSettings()
    change(&settings)
    return LineFrame.bytes(record, settings)
  }

  @Test func `by default a frame is the text and a carriage return`() {
    #expect(frame("4006381333931") == Array("4006381333931\r".utf8))
  }

  @Test(
    arguments: [
      (.none, ""), (.cr, "\r"), (.lf, "\n"), (.crlf, "\r\n"), (.tab, "\t"),
    ] as [(FramingSettings.Suffix, String)])
  func `a frame ends in its suffix`(_ suffix: FramingSettings.Suffix, _ expected: String) {
    #expect(frame("1") { $0.suffix = suffix } == Array("1".utf8) + Array(expected.utf8))
  }

  @Test func `a frame begins with its prefix and the identifier`() {
    let bytes = frame("1") {
      $0.prefix = [0x02]
      $0.sendsAIMIdentifier = true
    }
    #expect(bytes == [0x02] + Array("]C01\r".utf8))
  }

  @Test(
    arguments: [
      ("ean13", "]E0", "4006381333931", "]E04006381333931"), ("upca", "]E0", "036000291452", "]E00036000291452"),
      ("upce", "]E0", "01234565", "]E00012345000065"), ("ean8", "]E4", "96385074", "]E496385074"),
      ("ean13", "]E3", "4006381333931 12", "]E3400638133393112"),
      ("upca", "]E3", "036000291452 54321", "]E3003600029145254321"),
      ("upce", "]E3", "01234565 12", "]E3001234500006512"), ("ean8", "]E4", "96385074 12", "]E496385074]E112"),
      ("ean8", "]E4", "96385074 54321", "]E496385074]E254321"),
    ])
  func `behind an AIM identifier EAN and UPC have its number of digits`(
    _ symbology: String, _ identifier: String, _ text: String, _ expected: String
  ) {
    var scans = ScanMaker()
    var record = scans.next(text)
    (record.symbology, record.aimIdentifier) = (symbology, identifier)
    record.bytes = Array(text.utf8.filter { $0 != 0x20 })
    var settings = FramingSettings()
    #expect(LineFrame.bytes(record, settings) == Array((text + "\r").utf8))
    settings.sendsAIMIdentifier = true
    for rule in [FramingSettings.NonASCIIRule.utf8, .raw] {
      settings.nonASCII = rule
      #expect(LineFrame.bytes(record, settings) == Array((expected + "\r").utf8))
    }
  }

  @Test func `a frame carries the symbology's letter and a trailer`() {
    let bytes = frame("1\u{3}") {
      $0.prefix = [0x02]
      $0.sendsSymbologyLetter = true
      $0.trailer = [0x03]
      $0.suffix = .crlf
    }
    #expect(bytes == [0x02] + Array("C1".utf8) + [0x03, 0x0D, 0x0A])
  }

  @Test(
    arguments: [
      (.send, "a\u{1D}b\r\u{7F}\\c"), (.separatorOnly, "a\u{1D}b\\c"), (.remove, "ab\\c"),
      (.escape, #"a\x1Db\x0D\x7F\\c"#),
    ] as [(FramingSettings.ControlCharacterRule, String)])
  func `control characters follow their rule`(_ rule: FramingSettings.ControlCharacterRule, _ expected: String) {
    let bytes = frame("a\u{1D}b\r\u{7F}\\c") {
      $0.controlCharacters = rule
      $0.suffix = .none
    }
    #expect(bytes == Array(expected.utf8))
  }

  @Test func `a text for the host takes the data's place, with the operator's control characters`() {
    var scans = ScanMaker()
    var record = scans.next("4006381333931")
    record.hostText = "Ü\t\u{1}1"
    record.hostTexts = [.init(sink: "line", text: "€")]
    var settings = FramingSettings()
    settings.controlCharacters = .remove
    settings.nonASCII = .latin1
    #expect(LineFrame.bytes(record.addressed(to: "till"), settings) == [0xDC, 0x09, 0x01, 0x31, 0x0D])
    settings.nonASCII = .utf8
    #expect(LineFrame.bytes(record.addressed(to: "line"), settings) == Array("€\r".utf8))
    #expect(record.addressed(to: "line").hostTexts.isEmpty)
  }

  @Test(
    arguments: [
      (.utf8, Array("Ü€1".utf8)), (.latin1, [0xDC, 0x3F, 0x31]), (.replace, [0x3F, 0x3F, 0x31]), (.raw, [0xFF, 0x31]),
    ] as [(FramingSettings.NonASCIIRule, [UInt8])])
  func `characters outside ASCII follow their rule`(_ rule: FramingSettings.NonASCIIRule, _ expected: [UInt8]) {
    let bytes = frame("Ü€1", bytes: [0xFF, 0x31]) {
      $0.nonASCII = rule
      $0.suffix = .none
    }
    #expect(bytes == expected)
  }
}

@Suite(.timeLimit(.minutes(2))) struct SerialSinkTests {
  private func sink(_ port: any SerialPort, acknowledges: Bool = false) -> LineSink {
    var settings = SerialSettings(device: port.name)
    settings.framing.suffix = .lf
    settings.writeLimit = .milliseconds(300)
    if acknowledges {
      settings.acknowledgement = AcknowledgementSettings()
      settings.acknowledgement?.limit = .milliseconds(50)
      settings.acknowledgement?.lateLimit = .milliseconds(100)
    }
    return LineSink(settings: settings, port: port)
  }

  private func isRetry(_ outcome: DeliveryOutcome, _ words: String) -> Bool {
    guard case .retry(nil, let problem) = outcome else { return false }
    return problem.summary.contains(words) && !problem.remedy.isEmpty
  }

  @Test func `a sink opens its port once and writes each scan`() async {
    var scans = ScanMaker()
    let port = SimulatedSerialPort()
    let sink = sink(port)
    for _ in 0..<3 { #expect(await sink.deliver(scans.next()) == .delivered) }
    #expect(port.takeSent() == Array("1\n2\n3\n".utf8))
    #expect(port.openCount == 1)
  }

  @Test func `a pulled cable is reported and found again`() async {
    var scans = ScanMaker()
    let port = SimulatedSerialPort()
    let sink = sink(port)
    #expect(await sink.deliver(scans.next()) == .delivered)
    port.unplug()
    let second = scans.next()
    #expect(isRetry(await sink.deliver(second), "no such device"))
    port.plugIn()
    #expect(await sink.deliver(second) == .delivered)
    #expect(port.takeSent() == Array("1\n2\n".utf8))
    #expect(port.openCount == 2)
  }

  @Test func `a blocked line does not block the sink permanently`() async {
    var scans = ScanMaker()
    let port = SimulatedSerialPort()
    port.hold(true)
    #expect(isRetry(await sink(port).deliver(scans.next()), "in time"))
  }

  @Test func `an acknowledged scan is delivered`() async {
    var scans = ScanMaker()
    let port = SimulatedSerialPort { _ in [0x11, 0x06] }
    #expect(await sink(port, acknowledges: true).deliver(scans.next()) == .delivered)
  }

  @Test func `a refused scan is sent again`() async {
    var scans = ScanMaker()
    let count = Mutex(0)
    let port = SimulatedSerialPort { _ in
      count.withLock { count in
        count += 1
        return count < 3 ? [0x15] : [0x06]
      }
    }
    #expect(await sink(port, acknowledges: true).deliver(scans.next()) == .delivered)
    #expect(port.takeSent() == Array("1\n1\n1\n".utf8))
  }

  @Test func `a scan that is always refused is rejected`() async {
    var scans = ScanMaker()
    let port = SimulatedSerialPort { _ in [0x15] }
    guard case .rejected(nil, let problem) = await sink(port, acknowledges: true).deliver(scans.next()) else {
      Issue.record("a NAK refuses the scan, not the line")
      return
    }
    #expect(problem.summary.contains("NAK"))
    #expect(port.takeSent() == Array("1\n1\n1\n".utf8))
  }

  @Test func `a silent host is tried again later`() async {
    var scans = ScanMaker()
    let port = SimulatedSerialPort()
    #expect(isRetry(await sink(port, acknowledges: true).deliver(scans.next()), "did not acknowledge"))
  }

  @Test func `a host that never stops sending still gets its scans`() async {
    var scans = ScanMaker()
    let port = ChatteringPort()
    #expect(await sink(port, acknowledges: true).deliver(scans.next()) == .delivered)
  }

  @Test func `a late answer is not credited to the next scan`() async {
    var scans = ScanMaker()
    let port = SimulatedSerialPort()
    let sink = sink(port, acknowledges: true)
    #expect(isRetry(await sink.deliver(scans.next()), "did not acknowledge"))
    port.send([0x06])
    #expect(isRetry(await sink.deliver(scans.next()), "did not acknowledge"))
  }
}

/// A host that always has bytes to send, with an ACK among them once a frame has arrived.
private final class ChatteringPort: SerialPort {
  let name = "chattering"
  private let isWritten = Mutex(false)

  func open() async {}
  func write(_ bytes: [UInt8], within limit: Duration) async { isWritten.withLock { $0 = true } }
  func read(within limit: Duration) async -> [UInt8] { isWritten.withLock { $0 } ? [0x58, 0x06] : [0x58] }
  func close() async {}
}

@Suite(.timeLimit(.minutes(2))) struct TermiosSerialPortTests {
  private let folder: TemporaryFolder
  private let terminal: Terminal

  init() throws {
    folder = try TemporaryFolder()
    terminal = Terminal(link: folder.file("ttyTEST"))
  }

  private func cause(_ body: () async throws(SerialPortFailure) -> Void) async -> SerialPortFailure.Cause? {
    do {
      try await body()
      return nil
    } catch {
      return error.cause
    }
  }

  @Test func `a port carries every byte both ways`() async throws {
    try terminal.plugIn()
    let port = TermiosSerialPort(device: terminal.link)
    try await port.open()
    let all = (0...255).map { UInt8($0) }
    try await port.write(all, within: .seconds(2))
    #expect(terminal.read() == all)
    terminal.send(all)
    var back: [UInt8] = []
    while back.count < 256 {
      let part = try await port.read(within: .seconds(2))
      guard !part.isEmpty else { break }
      back += part
    }
    #expect(back == all)
    await port.close()
  }

  @Test func `reading ends at its limit`() async throws {
    try terminal.plugIn()
    let port = TermiosSerialPort(device: terminal.link)
    try await port.open()
    let started = ContinuousClock.now
    #expect(try await port.read(within: .milliseconds(120)).isEmpty)
    #expect(ContinuousClock.now - started >= .milliseconds(119))
  }

  @Test func `a failure says what is wrong with a device`() async throws {
    let missing = TermiosSerialPort(device: folder.file("missing"))
    #expect(await cause { () throws(SerialPortFailure) in try await missing.open() } == .missing)
    let path = try folder.write("x", to: "file")
    let file = TermiosSerialPort(device: path)
    #expect(await cause { () throws(SerialPortFailure) in try await file.open() } == .notASerialDevice)
    try terminal.plugIn()
    var settings = SerialLineSettings()
    settings.baudRate = 12345
    let odd = TermiosSerialPort(device: terminal.link, settings: settings)
    #expect(await cause { () throws(SerialPortFailure) in try await odd.open() } == .unsupportedSettings)
    let closed = TermiosSerialPort(device: terminal.link)
    #expect(await cause { () throws(SerialPortFailure) in try await closed.write([1], within: .zero) } == .closed)
  }

  @Test func `a device has at most one user`() async throws {
    try terminal.plugIn()
    let first = TermiosSerialPort(device: terminal.link)
    let second = TermiosSerialPort(device: terminal.link)
    try await first.open()
    #expect(await cause { () throws(SerialPortFailure) in try await second.open() } == .busy)
    await first.close()
    try await second.open()
    await second.close()
  }

  @Test(arguments: SerialLineSettings.supportedBaudRates)
  func `the settings of the line are applied`(_ baudRate: Int) async throws {
    try terminal.plugIn()
    var settings = SerialLineSettings()
    settings.baudRate = baudRate
    settings.stopBits = 2
    settings.flowControl = .hardware
    let port = TermiosSerialPort(device: terminal.link, settings: settings)
    try await port.open()
    let line = try terminal.line()
    #expect(line.c_cflag & tcflag_t(CSTOPB) != 0)
    #expect(line.c_cflag & tcflag_t(0o20_000_000_000) != 0)
    #expect(line.c_lflag & tcflag_t(ECHO | ICANON | ISIG) == 0)
    #expect(line.c_oflag & tcflag_t(OPOST) == 0)
    await port.close()
  }

  @Test func `a far end that does not read does not block the station`() async throws {
    try terminal.plugIn()
    let port = TermiosSerialPort(device: terminal.link)
    try await port.open()
    let much = [UInt8](repeating: 0x41, count: 1 << 20)
    let started = ContinuousClock.now
    #expect(
      await cause { () throws(SerialPortFailure) in try await port.write(much, within: .milliseconds(200)) } == .timedOut)
    #expect(ContinuousClock.now - started < .seconds(5))
  }

  @Test func `no scan is lost when the adapter is pulled and plugged in`() async throws {
    try terminal.plugIn()
    var settings = SerialSettings(device: terminal.link)
    settings.framing.suffix = .lf
    settings.acknowledgement = AcknowledgementSettings()
    let sink = LineSink(settings: settings, port: TermiosSerialPort(device: terminal.link))
    let host = Task { [terminal] in await terminal.answerLines() }
    defer { host.cancel() }
    var scans = ScanMaker()
    for number in 1...40 {
      let scan = scans.next()
      if number % 7 == 0 {
        terminal.unplug()
        #expect(isRetry(await sink.deliver(scan), "gone away"))
        #expect(isRetry(await sink.deliver(scan), "no such device"))
        try terminal.plugIn()
      }
      #expect(await sink.deliver(scan) == .delivered)
    }
    #expect(Set(terminal.lines) == Set((1...40).map(String.init)))
    await sink.close()
  }

  private func isRetry(_ outcome: DeliveryOutcome, _ words: String) -> Bool {
    guard case .retry(nil, let problem) = outcome else { return false }
    return problem.summary.contains(words)
  }

  @Test func `a cancelled read ends soon`() async throws {
    try terminal.plugIn()
    let port = TermiosSerialPort(device: terminal.link)
    try await port.open()
    let reading = Task { try await port.read(within: .seconds(60)) }
    try await Task.sleep(for: .milliseconds(30))
    let started = ContinuousClock.now
    reading.cancel()
    #expect(try await reading.value.isEmpty)
    #expect(ContinuousClock.now - started < .seconds(5))
  }
}

@Suite(.timeLimit(.minutes(2))) struct StandardOutputTests {
  @Test func `each scan is written on a separate line`() async throws {
    let ends = try makePipe()
    defer { for end in ends { close(end) } }
    let sink = StandardOutputSink(descriptor: ends[1])
    var scans = ScanMaker()
    let first = scans.next("a\nb")
    let second = scans.next()
    #expect(await sink.deliver(first) == .delivered)
    #expect(await sink.deliver(second) == .delivered)
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = read(ends[0], &bytes, bytes.count)
    let lines = bytes.prefix(max(0, count)).split(separator: 0x0A, omittingEmptySubsequences: false)
    #expect(lines.count == 3 && lines.last?.isEmpty == true)
    var records = try lines.prefix(2).map { try ScanRecord(json: Array($0)) }
    for index in records.indices {
      #expect(records[index].captured.elapsed(until: try #require(records[index].sent)) >= .zero)
      records[index].sent = nil
    }
    #expect(records == [first, second])
  }

  @Test func `a reader that has gone is reported`() async throws {
    let ends = try makePipe()
    close(ends[0])
    defer { close(ends[1]) }
    var scans = ScanMaker()
    guard case .retry(nil, let problem) = await StandardOutputSink(descriptor: ends[1]).deliver(scans.next()) else {
      Issue.record("no reader can have read it")
      return
    }
    #expect(problem.summary.contains("gone away"))
  }

  @Test func `a reader that does not read is abandoned when the station stops`() async throws {
    let ends = try makePipe()
    defer { for end in ends { close(end) } }
    var scans = ScanMaker()
    let scan = scans.next(String(repeating: "x", count: 200_000))
    let sink = StandardOutputSink(descriptor: ends[1])
    let delivering = Task { await sink.deliver(scan) }
    try await Task.sleep(for: .milliseconds(50))
    delivering.cancel()
    guard case .retry = await delivering.value else {
      Issue.record("no reader can have read it")
      return
    }
  }
}
