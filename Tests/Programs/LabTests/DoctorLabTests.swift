// The doctor on real device files: a complete till, and the same till with each part removed, forbidden, held or wrong.

import Foundation
import Testing

@Suite(.inTheLab, .serialized) struct DoctorLabTests {
  /// Findings that are not a fault of the till: the lab's folder may be in memory, and its clock is not synchronised.
  private let always: Set<String> = ["outbox-forgetful", "outbox-disk-small", "clock-unsynchronized"]

  private func till(
    camera: String = "", outbox: String = "box/outbox.sqlite", torch: String = "TORCH", lamp: String = "GOOD",
    device: String = LabScript.adapterPort
  ) -> String {
    """
    camera: {source: libcamera, size: 640x480}
    outbox: {path: \(outbox)}
    console: {port: 9470}
    torch: {line: \(torch)}
    buttons: {trigger: {line: TRIGGER}}
    outputs: {good_read: {line: \(lamp)}}
    screen: {output: kms}
    sinks:
      - serial: {device: \(device)}

    """
  }

  /// A till with all its devices.
  private func lab() -> LabScript {
    var lab = LabScript()
    lab.addLines(["TORCH", "GOOD", "TRIGGER"])
    lab.plugSerial()
    lab.plugCamera()
    lab.shell("mkdir box; chmod 777 box .")
    lab.configure(till())
    return lab
  }

  @Test func `a complete till has no fault, even while the station runs, and the doctor lights and sends nothing`() throws {
    var lab = lab()
    lab.openSerial(LabScript.gadgetPort)
    lab.examine("whole", status: 0)
    lab.expect(.line("TORCH", is: 0))
    lab.startStation()
    lab.await(
      .output(of: ["reticle", "doctor", "--config", "station.yaml"], says: "the station uses it"), within: 20, every: 0.5)
    lab.examine("running", status: 0)
    lab.stopStation()
    let run = try lab.run()
    for name in ["whole", "running"] {
      let found = try run.troubles(name).subtracting(always).subtracting(["screen-unplugged", "fonts-absent"])
      #expect(found.isEmpty, "\(name): \(found)")
    }
    #expect(run.text(of: "heard").isEmpty)
  }

  @Test func `a lack of permission is found for each device`() throws {
    var lab = lab()
    lab.examine("stranger", as: LabScript.stranger, status: 1)
    let found = try lab.run().troubles("stranger")
    #expect(found.isSuperset(of: ["camera-denied", "lines-denied", "serial-denied", "screen-denied"]), "\(found)")
  }

  @Test func `missing lines and a missing chip are found`() throws {
    var lab = lab()
    lab.configure(till(torch: "LAMP", lamp: "'none:GOOD'"))
    lab.examine("lines", status: 1)
    let found = try lab.run().troubles("lines")
    #expect(found.isSuperset(of: ["line-absent", "line-chip-absent"]), "\(found)")
  }

  @Test func `a serial port and a camera that other programs hold are found`() throws {
    var lab = lab()
    lab.shell("sleep 60 <>\(LabScript.adapterPort) & processes[holder]=$!")
    lab.examine("serial", status: 1)
    lab.stop("holder")
    lab.start("holder", "cam", "--camera", "1", "--capture=100000")
    lab.await(.doctorFinds("camera-held", "camera"), within: 20)
    lab.stop("holder")
    let run = try lab.run()
    #expect(try run.troubles("serial").contains("serial-held"))
    #expect(try run.troubles("camera").subtracting(always) == ["camera-held"])
  }

  /// The kernel's own test pattern stays; libcamera ignores it unless asked for it.
  @Test func `an unplugged camera and a missing serial port are found`() throws {
    var lab = lab()
    lab.unplugCamera()
    lab.examine("unplugged", status: 1)
    lab.configure(till(device: "/dev/ttyACM7"))
    lab.examine("unwired", status: 1)
    let run = try lab.run()
    #expect(try run.troubles("unplugged").subtracting(always) == ["camera-unlisted"])
    #expect(try run.troubles("unwired").subtracting(always) == ["camera-unlisted", "serial-absent"])
  }

  @Test func `a missing folder and a wrong or missing configuration are found`() throws {
    var lab = lab()
    lab.configure(till(outbox: "nowhere/outbox.sqlite"))
    lab.examine("homeless", status: 1)
    lab.configure(till() + "confirm: maybe\n")
    lab.examine("wrong", status: 1)
    lab.run("rm", "station.yaml")
    lab.examine("missing", status: 1)
    let run = try lab.run()
    #expect(try run.troubles("homeless").contains("outbox-folder-absent"))
    #expect(try run.troubles("wrong") == ["configuration-wrong"])
    #expect(try run.troubles("missing") == ["configuration-missing"])
  }

  /// A trouble of a small station, without any other.
  struct Trouble: CustomTestStringConvertible {
    let testDescription: String
    var camera = "source: libcamera, size: 640x480"
    var sinks = "[stdout]"
    /// Additional keys of the small station.
    var keys = ""
    /// Changes the machine before the doctor runs.
    var plant: @Sendable (inout LabScript) -> Void = { _ in }
    var user: [String] = []
    let found: Set<String>
    var isFault = true

    static let all = [
      Trouble(testDescription: "nothing", found: [], isFault: false),
      Trouble(
        testDescription: "another program holds the line", keys: "torch: {line: TORCH}",
        plant: { lab in
          lab.takeLine(0)
          lab.await(.lineIsHeld("TORCH"), within: 10)
        }, found: ["line-held"]),
      Trouble(testDescription: "no such lamp", keys: "torch: {led: nolamp}", found: ["torch-absent"]),
      Trouble(
        testDescription: "no such camera", camera: "source: libcamera, id: nowhere, size: 640x480",
        found: ["camera-unmatched"]),
      Trouble(
        testDescription: "the camera is off", camera: "source: libcamera, enabled: false, size: 640x480",
        found: ["camera-off"],
        isFault: false),
      Trouble(
        testDescription: "no such pictures", camera: "source: pictures, pictures: nowhere, size: 640x480",
        found: ["pictures-missing"]),
      Trouble(
        testDescription: "no such connector", keys: "screen: {output: kms, connector: HDMI-A-9}",
        found: ["screen-connector-absent"]),
      Trouble(
        testDescription: "no such card", keys: "screen: {output: kms, card: /dev/dri/card7}", found: ["screen-absent"]),
      Trouble(
        testDescription: "another program holds the screen", keys: "screen: {output: kms}",
        plant: { $0.shell("sleep 60 <>/dev/dri/card0 &") }, found: ["screen-held"], isFault: false),
      Trouble(
        testDescription: "another program has the console's port", keys: "console: {port: 9470}",
        plant: { lab in
          lab.start("holder", "python3", "-m", "http.server", "--bind", "127.0.0.1", "9470")
          lab.await(.file("/proc/net/tcp", says: ":24FE"), within: 20)
        }, found: ["console-port-taken"], isFault: false),
      Trouble(
        testDescription: "the serial device is a file", sinks: "[{serial: {device: /etc/passwd}}]",
        found: ["serial-no-device"]),
      Trouble(
        testDescription: "the receiver is not there, and its key may be read by all",
        sinks: "[{webhook: {url: 'http://127.0.0.1:9/', headers: {X-Key: a}}}]",
        found: ["sink-unreachable", "configuration-exposed"]),
      Trouble(
        testDescription: "the outbox's disk is read-only",
        plant: { $0.run("mount", "-t", "tmpfs", "-o", "ro", "none", "box") },
        found: ["outbox-read-only"]),
      Trouble(
        testDescription: "the outbox's disk is full",
        plant: { $0.run("mount", "-t", "tmpfs", "-o", "size=1m", "none", "box") }, found: ["outbox-disk-full"]),
      Trouble(
        testDescription: "the outbox's folder is forbidden", plant: { $0.run("chmod", "700", "box") },
        user: LabScript.stranger, found: ["outbox-denied", "camera-denied"]),
      Trouble(
        testDescription: "the clock was never set", plant: { $0.run("date", "-s", "@1000") }, found: ["clock-unset"]),
    ]
  }

  @Test(arguments: Trouble.all)
  func `each other planted trouble is found, and nothing else`(trouble: Trouble) throws {
    var lab = LabScript()
    lab.addLines(["TORCH"])
    lab.plugCamera()
    lab.shell("mkdir box; chmod 777 box .")
    lab.configure(
      """
      camera: {\(trouble.camera)}
      outbox: {path: box/outbox.sqlite}
      sinks: \(trouble.sinks)
      \(trouble.keys)
      """)
    trouble.plant(&lab)
    lab.examine("found", as: trouble.user, status: trouble.isFault ? 1 : 0)
    #expect(try lab.run().troubles("found").subtracting(always) == trouble.found)
  }

  @Test func `a configuration that may not be read ends the doctor with the status for a lack of permission`() throws {
    var lab = LabScript()
    lab.configure("sinks: [stdout]\n")
    lab.run("chmod", "600", "station.yaml")
    lab.examine("found", as: LabScript.stranger, status: 77)
    _ = try lab.run()
  }
}
