// The serial sink on a real driver: a USB serial port with both ends on this machine, the adapter (ttyACM) and the gadget
// (ttyGS). One is the station's, the other the host's.

import Foundation
import Testing

@Suite(.inTheLab, .serialized) struct SerialLabTests {
  private static let (adapter, gadget) = (LabScript.adapterPort, LabScript.gadgetPort)
  /// The adapter's port, by its USB identity.
  private static let usbIdentity = "usb:0525:a4a7:0"

  /// Uses pictures instead of a camera.
  private func lab(_ texts: [String]) -> LabScript {
    var lab = LabScript()
    for text in texts { lab.add(.label(text), as: text + ".pgm") }
    lab.plugSerial()
    return lab
  }

  @Test(arguments: [(adapter, gadget), (usbIdentity, gadget), (gadget, adapter)])
  func `scans go over an adapter, by its path and by its USB identity, and over a gadget port`(
    _ device: String, _ far: String
  ) throws {
    let texts = ["ONE", "TWO", "THREE"]
    var lab = lab(texts)
    lab.startHost(far)
    lab.startStation(
      """
      camera: {pictures: [ONE.pgm, TWO.pgm, THREE.pgm], repeat: once}
      outbox: {path: outbox.sqlite}
      sinks:
        - serial: {device: "\(device)", prefix: '\\x02', suffix: crlf, acknowledge: true}
      """)
    lab.finish("station")
    lab.endHost()
    let run = try lab.run()
    #expect(run.lines(of: "received") == texts)
  }

  @Test(
    arguments: [
      ("parity: even, data_bits: 7, stop_bits: 2, flow_control: software", "cs7 parenb -parodd cstopb ixon ixoff -crtscts"),
      ("parity: odd, flow_control: hardware", "cs8 parenb parodd -cstopb -ixon -ixoff crtscts"),
      ("parity: none", "cs8 -parenb -cstopb -ixon -ixoff -crtscts"),
    ])
  func `a line is set as it is configured`(_ keys: String, _ expected: String) throws {
    var lab = lab(["ONE"])
    lab.startStation(
      """
      camera: {pictures: [ONE.pgm]}
      outbox: {path: outbox.sqlite}
      sinks:
        - serial: {device: \(Self.adapter), baud: 115200, \(keys), commands: true}
      """)
    lab.await(.output(of: ["stty", "-F", Self.adapter], says: "speed 115200 "), within: 20)
    lab.run("stty", "-F", Self.adapter, "-a", into: "settings")
    lab.stopStation()
    let words = Set(try lab.run().text(of: "settings").split { " ;\n".contains($0) })
    for word in expected.split(separator: " ") { #expect(words.contains(word), "\(word)") }
  }

  @Test(arguments: [(adapter, gadget), (gadget, adapter)])
  func `a host triggers, disables, enables and queries the station over an adapter and a gadget port`(
    _ device: String, _ far: String
  ) throws {
    var lab = lab(["ONE"])
    lab.openSerial(far)
    lab.startStation(
      """
      camera: {pictures: [ONE.pgm]}
      session: {reopen: on trigger}
      outbox: {path: outbox.sqlite}
      sinks:
        - serial: {device: \(device), suffix: crlf, commands: true}
      """)
    lab.await(.heard("ONE"), within: 20)
    lab.say("status")
    lab.await(.heard("status session=waiting torch=unavailable undelivered=0 durability=[a-z-]*"), within: 5)
    lab.say("TRIGGER")
    lab.await(.heard("trigger ok"), within: 5)
    lab.await(.heard("ONE", times: 2), within: 5)
    lab.say("disable")
    lab.await(.heard("disable ok"), within: 5)
    lab.say("trigger")
    lab.await(.heard("trigger nothing"), within: 5)
    lab.say("status")
    lab.await(.heard("status session=disabled .*"), within: 5)
    lab.say("nonsense")
    lab.await(.heard("error unknown command"), within: 5)
    lab.expect(.heard("ONE", times: 2))
    lab.say("enable")
    lab.await(.heard("enable ok"), within: 5)
    lab.await(.heard("ONE", times: 3), within: 5)
    lab.stopStation()
    _ = try lab.run()
  }

  /// The cable is pulled at random while scans are delivered as fast as the host accepts them. The adapter disappears and
  /// returns at the station, or at the host if the station itself is the USB device.
  @Test(arguments: [(usbIdentity, gadget), (gadget, "/dev/ttyACM*")])
  func `no scan is lost when the cable of an adapter or a gadget port is pulled again and again`(
    _ device: String, _ far: String
  ) throws {
    let count = 400
    var lab = lab([])
    lab.startHost(far)
    lab.start("appended", "outbox-writer", "outbox.sqlite", device, "\(count)")
    lab.pullSerialCable(times: 6)
    lab.finish("appended")
    lab.endHost()
    let run = try lab.run(limit: 200)
    let appended = run.lines(of: "appended")
    // A record whose acknowledgement was lost is sent again.
    var once: [String] = []
    for line in run.lines(of: "received") where line != once.last { once.append(line) }
    #expect(appended.count == count)
    let difference = zip(once, appended).first { $0 != $1 }
    #expect(once == appended, "received \(once.count) lines; the first other one: \(difference.map { "\($0)" } ?? "none")")
  }
}
