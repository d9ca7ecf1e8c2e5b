// The keyboard sink on real drivers, read back as a desktop reads it: from the kernel's event device, by libxkbcommon. The keyboard
// is one of this machine (uinput) or of a USB host, whose cable is the kernel's dummy_hcd.

import Foundation
import KeyboardHost
import TestSupport
import Testing

extension LabScript {
  /// Starts a desktop that reads the station's keyboard, until `endDesktop`. Its Caps Lock is on.
  fileprivate mutating func startDesktop(at location: SourceLocation = #_sourceLocation) {
    add(source: "read_keyboard.py")
    start("desktop", "python3", "read_keyboard.py", at: location)
  }

  fileprivate mutating func endDesktop(at location: SourceLocation = #_sourceLocation) {
    run("touch", "ended", at: location)
    finish("desktop", at: location)
    expect(.file("lost", is: "0"), at: location)
  }

  /// Starts a desktop that reads the keyboard of a USB device that is there.
  fileprivate mutating func startUSBHost(at location: SourceLocation = #_sourceLocation) {
    startDesktop(at: location)
    self.await(.fileExists("reading"), within: 10, at: location)
  }

  fileprivate mutating func installGadget(_ functions: String..., at location: SourceLocation = #_sourceLocation) {
    run(["reticle", "gadget", "install"] + functions, at: location)
    self.await(.output(of: ["reticle", "gadget", "status"], says: "dummy_udc.0: configured"), within: 10, at: location)
  }

  /// Pulls the cable out of the host, or plugs it in.
  fileprivate mutating func plugCable(_ isIn: Bool, at location: SourceLocation = #_sourceLocation) {
    shell("echo \(isIn ? 0 : 1) >/sys/bus/usb/devices/1-0:1.0/usb1-port1/disable", at: location)
  }
}

extension LabFact {
  /// The desktop has seen Enter going up.
  fileprivate static func entered(times: Int = 1) -> LabFact { .file("typed", says: "28 0", times: times) }
}

extension LabRun {
  /// The text typed on a desktop with a layout, whose Caps Lock must be on at the end.
  fileprivate func typed(_ layout: String) throws -> String {
    let host = try #require(KeyboardHost(layout, capsLock: true))
    for line in lines(of: "typed") {
      let numbers = line.split(separator: " ").compactMap { UInt16($0) }
      host.key(numbers[0], isDown: numbers[1] == 1)
    }
    #expect(host.capsLockIsOn)
    #expect(host.chords.isEmpty)
    return host.takeText()
  }
}

@Suite(.inTheLab, .serialized) struct KeyboardLabTests {
  /// Characters that a rule's template reads; a label has them.
  private static let braces = #"{}|"\"#
  /// The other printable characters of ISO 8859-1.
  private static let latin1 = String(
    String.UnicodeScalarView(
      (Array(0x20...0x7E) + Array(0xA0...0xFF)).compactMap { Unicode.Scalar($0 as UInt32) }.filter {
        !braces.unicodeScalars.contains($0)
      }))

  private func configuration(_ keyboard: String) -> String {
    """
    camera: {pictures: [ONE.pgm, TWO.pgm], repeat: once}
    outbox: {path: outbox.sqlite}
    rules:
      - {when: {matches: ONE}, then: {rewrite: "\(Self.latin1)", scan: keep}}
      - {then: {scan: keep}}
    sinks:
      - keyboard: {\(keyboard)}
    """
  }

  /// Uses pictures instead of a camera. The second label wants to press Escape and Ctrl and C.
  private func lab() -> LabScript {
    var lab = LabScript()
    lab.add(.label("ONE"), as: "ONE.pgm")
    lab.add(.label(Self.braces + "\u{1B}\u{03}\u{7F}"), as: "TWO.pgm")
    return lab
  }

  @Test(arguments: ["us", "de", "fr"])
  func `every character of Latin-1 reaches the desktop, with Caps Lock on`(_ layout: String) throws {
    var lab = lab()
    lab.startDesktop()
    lab.startStation(configuration("layout: \(layout), fallback: ctrl shift u, pause: 1 ms"))
    lab.finish("station")
    lab.endDesktop()
    #expect(try lab.run().typed(layout) == Self.latin1 + "\r" + Self.braces + "\r")
  }

  @Test(
    arguments: [("us", "0 s"), ("uk", "5 ms"), ("de", "0 s"), ("fr", "5 ms"), ("es", "0 s"), ("br", "5 ms"), ("cz", "0 s")])
  func `every character of Latin-1 reaches a USB host, with Caps Lock on`(_ layout: String, _ pause: String) throws {
    var lab = lab()
    lab.installGadget("keyboard")
    lab.startUSBHost()
    lab.startStation(configuration("device: /dev/hidg0, layout: \(layout), fallback: ctrl shift u, pause: \(pause)"))
    lab.finish("station")
    lab.endDesktop()
    #expect(try lab.run().typed(layout) == Self.latin1 + "\r" + Self.braces + "\r")
  }

  /// RETICLE_DEPTH=400 types 100 000 texts.
  @Test func `random texts reach a USB host exactly`() throws {
    var random = SystemRandomNumberGenerator()
    let characters = (Array(0x20...0x7E) + Array(0xA0...0xFF)).compactMap { Unicode.Scalar($0 as UInt32) }.map(
      Character.init)
    let texts = (0..<TestDepth.scaled(250)).map { _ in
      String((0..<Int.random(in: 0...20, using: &random)).compactMap { _ in characters.randomElement(using: &random) })
    }
    var lab = LabScript()
    lab.add(
      texts.map { $0.utf8.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined() + "\n" }.joined(), as: "payloads")
    lab.installGadget("keyboard")
    lab.startUSBHost()
    lab.start("appended", "env", "RETICLE_PAYLOADS=payloads", "outbox-writer", "outbox.sqlite", "keyboard:/dev/hidg0")
    lab.finish("appended")
    lab.endDesktop()
    let typed = try lab.run(limit: 120 + texts.count / 10).typed("us")
    let first = zip(typed.split(separator: "\r", omittingEmptySubsequences: false), texts).first { $0 != $1 }
    #expect(first == nil)
    #expect(typed == texts.map { $0 + "\r" }.joined())
  }

  @Test func `a station that starts again finds out about the host's Caps Lock`() throws {
    var lab = lab()
    lab.installGadget("keyboard")
    lab.startUSBHost()
    for _ in 0..<2 {
      lab.startStation(configuration("device: /dev/hidg0, fallback: ctrl shift u"))
      lab.finish("station")
    }
    lab.endDesktop()
    let both = Self.latin1 + "\r" + Self.braces + "\r"
    #expect(try lab.run().typed("us") == both + both)
  }

  /// A host without its driver has configured the keyboard and fetches nothing, as one that sleeps.
  private func setDriver(_ isBound: Bool, _ lab: inout LabScript) {
    lab.shell("echo 1-1:1.0 >/sys/bus/usb/drivers/usbhid/\(isBound ? "bind" : "unbind")")
  }

  @Test(arguments: [false, true])
  func `scans wait for a host that sleeps or is unplugged, and are typed once`(_ isUnplugged: Bool) throws {
    var lab = lab()
    lab.installGadget("keyboard")
    if isUnplugged { lab.plugCable(false) } else { setDriver(false, &lab) }
    lab.startDesktop()
    lab.startStation(
      """
      camera: {pictures: [TWO.pgm]}
      outbox: {path: outbox.sqlite}
      console: {port: 9470}
      sinks:
        - keyboard: {device: /dev/hidg0}
      """)
    lab.await(
      .log(isUnplugged ? "/dev/hidg0: write failed: cannot send after" : "/dev/hidg0: the host does not fetch reports"),
      within: 20)
    lab.run("reticle", "outbox", "list", "--path", "outbox.sqlite", into: "waiting")
    lab.await(.output(of: ["http", "GET", "/readyz"], says: "503"), within: 60)
    if isUnplugged { lab.plugCable(true) } else { setDriver(true, &lab) }
    lab.await(.entered(), within: 20)
    lab.await(.output(of: ["http", "GET", "/readyz"], says: "200"), within: 20)
    lab.stopStation()
    lab.endDesktop()
    let run = try lab.run()
    #expect(try run.typed("us") == Self.braces + "\r")
    #expect(run.text(of: "waiting").contains("keyboard"))
  }

  @Test func `a scan whose cable is pulled in the middle is ended, and typed again`() throws {
    let digits = "12345678901234567890"
    var lab = LabScript()
    lab.add(.label(digits), as: "ONE.pgm")
    lab.installGadget("keyboard")
    lab.startUSBHost()
    lab.startStation(
      """
      camera: {pictures: [ONE.pgm]}
      outbox: {path: outbox.sqlite}
      sinks:
        - keyboard: {device: /dev/hidg0, pause: 200 ms}
      """)
    // The key of the digit 5 goes up.
    lab.await(.file("typed", says: "6 0"), within: 20)
    lab.plugCable(false)
    lab.await(.log("the host may have a part of the scan"), within: 20)
    lab.plugCable(true)
    lab.await(.entered(times: 2), within: 30)
    lab.stopStation()
    lab.endDesktop()
    let texts = try lab.run().typed("us").split(separator: "\r")
    #expect(texts.count == 2 && texts[1] == digits)
    #expect(digits.hasPrefix(texts[0]) && (5...7).contains(texts[0].count), "\(texts)")
  }

  @Test(arguments: ["/dev/uinput", "/dev/hidg0"])
  func `a station that is stopped in the middle of a scan ends soon, with all keys up`(_ device: String) throws {
    let digits = "1234567890123456789012345678901234567890"
    var lab = LabScript()
    lab.add(.label(digits), as: "ONE.pgm")
    if device == "/dev/hidg0" { lab.installGadget("keyboard") }
    lab.startDesktop()
    lab.startStation(
      """
      camera: {pictures: [ONE.pgm]}
      outbox: {path: outbox.sqlite}
      sinks:
        - keyboard: {device: \(device), pause: 1 s}
      """)
    lab.await(.file("typed", says: "6 0"), within: 30)
    lab.stamp("stop")
    lab.stopStation()
    lab.stamp("end")
    lab.run("reticle", "outbox", "list", "--path", "outbox.sqlite", into: "waiting")
    lab.endDesktop()
    let run = try lab.run()
    // The attempt has 5 s to finish, and one more key takes 1 s.
    #expect((4.0...8.0).contains(try run.seconds(from: "stop", to: "end")))
    let keys = run.lines(of: "typed")
    #expect(keys.count { $0.hasSuffix(" 1") } == keys.count { $0.hasSuffix(" 0") })
    #expect((8...14).contains(keys.count { $0.hasSuffix(" 1") }), "\(keys.count)")
    #expect(run.text(of: "waiting").contains(digits))
  }

  @Test func `a USB host has a keyboard and a serial port at once`() throws {
    var lab = lab()
    lab.installGadget("keyboard", "serial")
    lab.run("reticle", "gadget", "status", into: "status")
    lab.run(LabScript.stranger + ["reticle", "gadget", "remove"], into: "refusal", status: 1)
    lab.startUSBHost()
    lab.startHost("/dev/ttyACM*")
    lab.startStation(
      """
      camera: {pictures: [ONE.pgm], repeat: once}
      outbox: {path: outbox.sqlite}
      sinks:
        - keyboard: {device: /dev/hidg0}
        - serial: {device: /dev/ttyGS0, prefix: '\\x02', suffix: crlf, acknowledge: true}
      """)
    lab.finish("station")
    lab.endHost()
    lab.endDesktop()
    lab.run("reticle", "gadget", "remove")
    lab.expect(!.fileExists("/dev/hidg0"))
    lab.run("reticle", "gadget", "status", into: "removed", status: 1)
    let run = try lab.run()
    #expect(try run.typed("us") == "ONE\r")
    #expect(run.lines(of: "received") == ["ONE"])
    #expect(run.lines(of: "status") == ["dummy_udc.0: configured", "keyboard\t/dev/hidg0", "serial\t/dev/ttyGS0"])
    #expect(run.text(of: "refusal").contains("permission denied; run it as root"))
    #expect(run.lines(of: "removed") == ["not installed"])
  }
}
