// The keyboard sink on a real uinput, read back as a desktop reads it: from the kernel's event device, by libxkbcommon.

import Foundation
import KeyboardHost
import Testing

@Suite(.inTheLab, .serialized) struct KeyboardLabTests {
  /// The printable characters of ISO 8859-1, without those that a template would read.
  private static let latin1 = String(
    String.UnicodeScalarView(
      (Array(0x20...0x7E) + Array(0xA0...0xFF)).compactMap { Unicode.Scalar($0 as UInt32) }.filter {
        !"{}|\"\\".unicodeScalars.contains($0)
      }))

  @Test(arguments: ["us", "de", "fr"])
  func `every character of Latin-1 reaches the desktop, with Caps Lock on`(_ layout: String) throws {
    var lab = LabScript()
    lab.add(.label("ONE"), as: "ONE.pgm")
    lab.add(source: "read_keyboard.py")
    lab.start("desktop", "python3", "read_keyboard.py")
    lab.startStation(
      """
      camera: {pictures: [ONE.pgm], repeat: once}
      outbox: {path: outbox.sqlite}
      rules: [{then: {rewrite: "\(Self.latin1)", scan: keep}}]
      sinks:
        - keyboard: {layout: \(layout), fallback: ctrl shift u, pause: 1 ms}
      """)
    lab.finish("station")
    lab.finish("desktop")
    let run = try lab.run()
    let host = try #require(KeyboardHost(layout, capsLock: true))
    for line in run.lines(of: "typed") {
      let numbers = line.split(separator: " ").compactMap { UInt16($0) }
      host.key(numbers[0], isDown: numbers[1] == 1)
    }
    #expect(run.lines(of: "lost") == ["0"])
    #expect(host.takeText() == Self.latin1 + "\r")
    #expect(host.capsLockIsOn)
  }
}
