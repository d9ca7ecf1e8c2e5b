// The USB scanner on the kernel's own drivers, read back as a till reads it: from the host's hidraw device, by the report descriptor
// that the host has. The cable is the kernel's dummy_hcd.

import Foundation
import TestSupport
import Testing

extension LabScript {
  /// Starts a till that reads the station's scanner, until `endTill`.
  ///
  /// - Parameter closed: seconds for which the till closes the scanner after each scan; nil keeps it open.
  fileprivate mutating func startTill(closed: Double? = nil, at location: SourceLocation = #_sourceLocation) {
    add(source: "read_scanner.py")
    start("till", ["python3", "read_scanner.py"] + (closed.map { ["\($0)"] } ?? []), at: location)
  }

  fileprivate mutating func endTill(at location: SourceLocation = #_sourceLocation) {
    run("touch", "ended", at: location)
    finish("till", at: location)
  }

  fileprivate mutating func installScanner(_ functions: String..., at location: SourceLocation = #_sourceLocation) {
    run(["reticle", "gadget", "install"] + functions, at: location)
    self.await(.output(of: ["reticle", "gadget", "status"], says: "dummy_udc.0: configured"), within: 10, at: location)
  }

  /// Pulls the cable out of the host, or plugs it in.
  fileprivate mutating func plugTill(_ isIn: Bool, at location: SourceLocation = #_sourceLocation) {
    shell("echo \(isIn ? 0 : 1) >/sys/bus/usb/devices/1-0:1.0/usb1-port1/disable", at: location)
  }

  /// Starts a writer whose scans have these bytes.
  fileprivate mutating func startWriter(_ payloads: [[UInt8]], at location: SourceLocation = #_sourceLocation) {
    let file = "payloads-\(payloads.count)"
    add(payloads.map { $0.hex + "\n" }.joined(), as: file)
    start(
      "appended", "env", "RETICLE_PAYLOADS=\(file)", "outbox-writer", "outbox.sqlite", "hid-pos:/dev/hidg0", at: location)
  }
}

extension [UInt8] {
  fileprivate var hex: String {
    reduce(into: "") { text, byte in
      for digit in [byte >> 4, byte & 15] {
        text.append(Character(Unicode.Scalar(Array<UInt8>("0123456789abcdef".utf8)[Int(digit)])))
      }
    }
  }
}

@Suite(.inTheLab, .serialized) struct ScannerLabTests {
  /// The lines of a till that receives each scan once. Before a long first scan the station ends what may have been begun.
  private func expected(_ payloads: [[UInt8]]) -> [String] {
    (payloads[0].count > 56 ? ["abandoned "] : []) + payloads.enumerated().map { "]C0 \($0.offset + 1) \($0.element.hex)" }
  }

  /// Every value of a byte, texts around each limit of a report, and random ones.
  private static func payloads(random count: Int) -> [[UInt8]] {
    var random = SystemRandomNumberGenerator()
    let all = (0...255).map(UInt8.init)
    let lengths = [0, 1, 55, 56, 57, 111, 112, 113, 168, 7089]
    return [all] + all.map { [$0] } + lengths.map { Array(repeating: 0x41, count: $0) }
      + (0..<count).map { _ in (0..<Int.random(in: 0...300)).map { _ in UInt8.random(in: 0...255, using: &random) } }
  }

  @Test func `every byte value and length reaches a USB host exactly`() throws {
    let payloads = Self.payloads(random: TestDepth.scaled(1000))
    var lab = LabScript()
    lab.installScanner("hid-pos")
    lab.startTill()
    lab.startWriter(payloads)
    lab.finish("appended")
    lab.pause(0.5)
    lab.endTill()
    let run = try lab.run(limit: 290)
    let received = run.lines(of: "received")
    let first = zip(received, expected(payloads)).first { $0 != $1 }
    #expect(received.count == payloads.count + 1)
    #expect(first == nil)
    // The kernel's parser names each field.
    let parsed = run.text(of: "parsed")
    for usage in ["GenericDesktop.ByteCount", "SymbologyIdentifier3", "DecodedData", "DecodeDataContinued"] {
      #expect(parsed.contains(usage), "\(usage)")
    }
    #expect(run.text(of: "descriptor").hasSuffix(" {2: 512}\n"))
  }

  @Test(arguments: [false, true])
  func `scans wait for a till that is closed or unplugged, and are sent once`(_ isUnplugged: Bool) throws {
    let payloads: [[UInt8]] = [Array("4006381333931".utf8), [UInt8](repeating: 0x80, count: 200), [0]]
    var lab = LabScript()
    lab.installScanner("hid-pos")
    if isUnplugged {
      lab.startTill()
      lab.plugTill(false)
    }
    lab.startWriter(payloads)
    lab.pause(5)
    if isUnplugged { lab.plugTill(true) } else { lab.startTill() }
    lab.finish("appended")
    lab.pause(0.5)
    lab.endTill()
    #expect(try lab.run().lines(of: "received") == expected(payloads))
  }

  @Test func `a till that opens the scanner for each scan has every scan`() throws {
    let payloads = (0..<40).map { Array("scan \($0)".utf8) + [UInt8](repeating: 0xFF, count: $0 * 3) }
    var lab = LabScript()
    lab.installScanner("hid-pos")
    lab.startTill(closed: 0.11)
    lab.startWriter(payloads)
    lab.finish("appended")
    lab.pause(1)
    lab.endTill()
    #expect(try lab.run().lines(of: "received") == expected(payloads))
  }

  @Test func `no scan is lost when the cable is pulled again and again, and a till can tell repeats`() throws {
    let payloads = (0..<300).map { number in Array("\(number) ".utf8) + [UInt8](repeating: 0x2A, count: number * 7) }
    var lab = LabScript()
    lab.installScanner("hid-pos")
    lab.startTill()
    lab.startWriter(payloads)
    for _ in 0..<6 {
      lab.pause(2.5)
      lab.plugTill(false)
      lab.pause(0.3)
      lab.plugTill(true)
    }
    lab.finish("appended")
    lab.pause(1)
    lab.endTill()
    let run = try lab.run(limit: 200)
    let whole = run.lines(of: "received").filter { !$0.hasPrefix("abandoned") }
    var once: [String] = []
    for line in whole where line != once.last { once.append(line) }
    #expect(once == expected(payloads))
  }

  @Test func `a station that is killed in the middle of a scan ends it, and sends it again`() throws {
    let long = [UInt8](repeating: 0x33, count: 60_000)
    var lab = LabScript()
    lab.installScanner("hid-pos")
    lab.startTill()
    lab.startWriter([long])
    lab.await(.file("received", says: "abandoned"), within: 20, every: 0.01)
    lab.pause(0.03)
    lab.step(["stop", "appended", "KILL", "137"])
    lab.startWriter([Array("next".utf8), []])
    lab.finish("appended")
    lab.pause(0.5)
    lab.endTill()
    let lines = try lab.run().lines(of: "received")
    try #require(lines.count == 5, "\(lines.map { $0.prefix(40) })")
    #expect(lines[0] == "abandoned ")
    #expect(lines[1].hasPrefix("abandoned 3333") && lines[1].utf8.count < long.count)
    #expect(lines[2] == "]C0 1 \(long.hex)")
    // An outbox that was killed leaves out numbers.
    #expect(lines[3...].map { $0.split(separator: " ", omittingEmptySubsequences: false)[2] } == ["6e657874", ""])
  }

  @Test func `a USB host has a keyboard, a scanner and a serial port at once`() throws {
    var lab = LabScript()
    lab.add(.label("ONE"), as: "ONE.pgm")
    lab.installScanner()
    lab.run("reticle", "gadget", "status", into: "status")
    lab.startTill()
    lab.startStation(
      """
      camera: {pictures: [ONE.pgm], repeat: once}
      outbox: {path: outbox.sqlite}
      sinks:
        - hid_pos: {}
      """)
    lab.finish("station")
    lab.startStation(
      """
      camera: {pictures: [ONE.pgm]}
      outbox: {path: other.sqlite}
      sinks:
        - hid_pos: {device: /dev/hidg0}
      """)
    lab.await(.log("/dev/hidg0: it is the keyboard"), within: 20)
    lab.stopStation()
    lab.startStation(
      """
      camera: {pictures: [ONE.pgm]}
      outbox: {path: third.sqlite}
      sinks:
        - keyboard: {device: /dev/hidg1}
      """)
    lab.await(.log("/dev/hidg1: it is the scanner"), within: 20)
    lab.stopStation()
    lab.endTill()
    let run = try lab.run()
    #expect(run.lines(of: "received") == ["]Q1 1 4f4e45"])
    #expect(
      run.lines(of: "status") == [
        "dummy_udc.0: configured", "keyboard\t/dev/hidg0", "hid-pos\t/dev/hidg1", "serial\t/dev/ttyGS0",
      ])
  }
}
