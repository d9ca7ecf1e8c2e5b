// Limits of a station's cost: memory, and the time until it sees.

import Foundation
import Testing

@Suite(.inTheLab, .serialized) struct ProductLabTests {
  /// Simulated time, so that the result is the time that the station waits, independent of the machine's load.
  @Test func `from the start to the first scan, the station waits no longer than 1.5 s`() throws {
    var lab = LabScript()
    lab.plugCamera(showing: .label("FIRST"))
    lab.configure("camera: {source: libcamera, size: 640x480}\noutbox: {path: outbox.sqlite}\n")
    lab.stamp("begin")
    lab.startStation()
    lab.await(.scanned("FIRST"), within: 20, every: 0.01)
    lab.stamp("scan")
    lab.stopStation()
    let run = try lab.run()
    #expect(try run.seconds(from: "begin", to: "scan") <= 1.5)
  }

  /// The lab has no sound card. `deploy/prepare test` installs espeak-ng.
  @Test func `N2, N6: an inaudible voice is reported, and the result is still shown for confirmation and forwarded`() throws
  {
    var lab = LabScript()
    lab.plugCamera("320x240@30", showing: .label("SPOKEN"))
    lab.startStation(
      """
      camera: {source: libcamera, size: 320x240}
      outbox: {path: outbox.sqlite}
      console: {port: 9470}
      confirm: alphanumeric
      speech: {enabled: true}
      """)
    lab.await(.log("an announcement was not made"), within: 20)
    lab.expect(.log("espeak-ng was not heard (error: No such file or directory); connect a sound card"))
    lab.await(.log("a result waits for confirmation"), within: 5)
    lab.expect(!.anyScan)
    lab.post("/confirm")
    lab.await(.scanned("SPOKEN"), within: 5)
    lab.stopStation()
    _ = try lab.run()
  }

  /// Without a sound card, espeak-ng speaks into a file, which exists once it has spoken.
  @Test func `N2, N6: a result is shown for confirmation after the voice has said it, once, and nothing else`() throws {
    var lab = LabScript()
    lab.plugCamera("320x240@30", showing: .label("SPOKEN 17"))
    lab.add(
      """
      #!/bin/bash
      echo "$*" >>said
      exec /usr/bin/espeak-ng -w spoken.wav "$@"
      """, as: "espeak-ng")
    lab.shell("chmod +x espeak-ng")
    lab.startStation(
      """
      camera: {source: libcamera, size: 320x240}
      outbox: {path: outbox.sqlite}
      console: {port: 9470}
      confirm: alphanumeric
      speech: {enabled: true}
      """, program: ["env", "PATH=.:/usr/bin:/bin", DeviceLab.programs + "/reticle"])
    lab.await(.log("a result waits for confirmation"), within: 30)
    lab.expect(.fileExists("spoken.wav"))
    lab.expect(.file("said", says: "SPOKEN 17", times: 1))
    lab.expect(!.anyScan)
    lab.post("/confirm")
    lab.await(.scanned("SPOKEN 17"), within: 5)
    lab.expect(.file("said", says: "SPOKEN 17", times: 1))
    lab.expect(!.log("an announcement was not made"))
    lab.stopStation()
    let run = try lab.run()
    #expect(try run.bytes(of: "spoken.wav").count > 22_050, "half a second of 16 bit at 22 kHz, at least")
  }

  /// The program is copied out of the build folder, whose files the lab's kernel does not share between processes.
  @Test func `a headless station with a camera of 1280x720 takes at most 64 MB of memory`() throws {
    var lab = LabScript()
    lab.plugCamera("1280x720@30", showing: .label("MEMORY"))
    lab.run("cp", DeviceLab.programs + "/reticle", "program")
    lab.startStation(
      "camera: {source: libcamera, size: 1280x720}\noutbox: {path: outbox.sqlite}\n", program: ["./program"])
    lab.await(.scanned("MEMORY"), within: 20)
    lab.pause(5)
    lab.measure("station")
    lab.stopStation()
    let station = try lab.run().measurement("station")
    print("resident: \(station.memory) kB, at most \(station.peakMemory) kB")
    #expect(station.memory <= 64 << 10)
  }
}
