// Behaviour §2 on a real driver: a USB camera that is plugged in, pulled, held, hung and forbidden, and a station that
// recovers.

import Foundation
import Testing

@Suite(.inTheLab, .serialized) struct CameraLabTests {
  private let first = LabPicture.label("FIRST")
  private let second = LabPicture.label("SECOND")

  /// - Parameter keys: further keys of the camera.
  private func station(_ keys: String = "") -> String {
    """
    camera: {source: libcamera, size: 320x240, frame_deadline: 500 ms\(keys)}
    outbox: {path: outbox.sqlite}
    repeat: {absence: 300 ms}
    """
  }

  /// With the real udevd there is also another camera, the kernel's test pattern, which the test does not want.
  private var labCamera: String { station(", model: Lab") }

  @Test(arguments: ["nv12", "yuyv"])
  func `the id that the list prints finds the camera, and each of its formats gives the same scan`(format: String) throws {
    var list = LabScript()
    list.plugCamera("320x240@30", showing: first)
    list.run("reticle", "cameras", into: "cameras")
    let cameras = try list.run().text(of: "cameras")
    #expect(cameras.prefix { !$0.isNewline }.contains("model: "))
    let id = try #require(cameras.firstMatch(of: /(?m)^id: ("[^"]*")/)?.1)

    var lab = LabScript()
    lab.plugCamera("320x240@30", showing: first)
    lab.startStation(station(", id: \(id), format: \(format)"))
    lab.await(.scanned("FIRST", times: 1), within: 10)
    lab.stopStation()
    lab.expect(.scanned("FIRST", times: 1))
    _ = try lab.run()
  }

  @Test func `C1: a station without a camera reports it, and uses one that is plugged in later`() throws {
    var lab = LabScript()
    lab.startUdev()
    lab.startStation(labCamera)
    lab.await(.log("there is no camera of model Lab"), within: 5)
    lab.expect(.log("the camera is not there"))
    lab.plugCamera("320x240@30", showing: first)
    lab.await(.scanned("FIRST"), within: 40)
    lab.expect(.log("the camera can be used again"))
    lab.stopStation()
    _ = try lab.run()
  }

  @Test func `C1: if the wanted camera is missing, the error names the others`() throws {
    var lab = LabScript()
    lab.plugCamera("320x240@30", showing: first)
    lab.startStation(station(", model: imx708"))
    lab.await(.log("there is no camera of model imx708; there are"), within: 5)
    lab.stopStation()
    _ = try lab.run()
  }

  @Test func `C1: a camera without luma in the wanted format is reported with its formats and a remedy`() throws {
    var lab = LabScript()
    lab.plugCamera("320x240@30", showing: first)
    lab.startStation(station(", format: mjpeg"))
    lab.await(
      .log("it offers NV12, YUYV, not camera.format remedy=choose another camera.format, camera or picture"), within: 5)
    lab.stopStation()
    _ = try lab.run()
  }

  /// The kernel's own test camera, vimc, offers only colour formats.
  @Test func `C1: a camera without luma in any format is reported with its formats and the need for another`() throws {
    var lab = LabScript()
    lab.run("devices", "vimc")
    lab.startStation(station(", model: Sensor B"))
    lab.await(.log(", none with usable luma remedy=choose another camera.format, camera or picture"), within: 5)
    lab.expect(.log("it offers BG24, RG24"))
    lab.stopStation()
    _ = try lab.run()
  }

  @Test func `C3: the station waits for a camera that another program holds, and uses it once it is free`() throws {
    var lab = LabScript()
    lab.plugCamera("320x240@30", showing: first)
    lab.start("holder", "cam", "-c1", "-C100000")
    lab.await(.file("holder", says: "fps"), within: 20)
    lab.startStation(station())
    lab.await(.log("another program holds the camera"), within: 5)
    lab.stop("holder")
    lab.await(.scanned("FIRST"), within: 10)
    lab.expect(.log("the camera can be used again"))
    lab.stopStation()
    _ = try lab.run()
  }

  /// Unlike libcamera, such a program does not lock the camera: only the driver knows that it has the stream.
  @Test func `C3: a camera whose stream a V4L2 program holds is reported once as in use, and is used once it is free`()
    throws
  {
    var lab = LabScript()
    lab.plugCamera("320x240@30", showing: first)
    lab.add(source: "stream_holder.pl")
    lab.start("holder", "perl", "stream_holder.pl")
    lab.await(.file("holder", says: "holds"), within: 10)
    lab.startStation(station())
    lab.await(.log("error reticle: another program holds the camera"), within: 5)
    lab.pause(4)
    lab.expect(.log("error reticle: the camera", times: 0))
    lab.expect(.log("error reticle: another program holds the camera", times: 1))
    lab.expect(.log("libcamera: message=", times: 1))
    lab.stop("holder")
    lab.await(.scanned("FIRST"), within: 20)
    lab.expect(.log("the camera can be used again"))
    lab.stopStation()
    _ = try lab.run()
  }

  @Test func `S2: a user without access to the camera learns the group to join, and scans after joining it`() throws {
    var lab = LabScript()
    lab.plugCamera("320x240@30", showing: first)
    lab.shell("chmod 600 /dev/media* /dev/video*; chmod 777 .")
    lab.startStation(station(), program: LabScript.stranger + ["reticle"])
    lab.await(.log("the camera may not be used"), within: 5)
    lab.expect(.log("add the user to the group video"))
    lab.run(LabScript.stranger + ["reticle", "cameras"], status: 77)
    lab.shell("chmod 666 /dev/media* /dev/video*")
    // The memory of its frames is still forbidden.
    lab.pause(5)
    lab.expect(!.anyScan)
    lab.shell("chmod 666 /dev/dma_heap/*")
    lab.await(.scanned("FIRST"), within: 20)
    lab.stopStation()
    _ = try lab.run()
  }

  /// The driver's action on each frame while a file with this name exists, see unusable_frames.c.
  @Test(arguments: [
    ("damaged", "nv12", "the camera has failed", "its pictures come damaged"),
    ("refused", "nv12", "the camera has failed", "the kernel takes no buffers for its pictures (Input/output error)"),
    ("short", "yuyv", "the camera gives no picture that can be read", "its pictures cannot be read"),
  ])
  func `C3, C5: unusable frames are a failure with its cause, and the camera is used again when its frames are usable`(
    trouble: String, format: String, cause: String, told: String
  ) throws {
    var lab = LabScript()
    lab.plugCamera("320x240@30", showing: first)
    lab.startStation(station(", format: \(format)") + "\nconsole: {port: 9470}", preloading: "unusable_frames")
    lab.await(.scanned("FIRST"), within: 10)
    lab.shell("touch \(trouble)")
    lab.await(.log(told), within: 5)
    lab.expect(.log("error reticle: \(cause): detail="))
    lab.await(.metric("reticle_camera_state{state=\"unavailable\"}", is: 1), within: 2)
    lab.pause(3)
    lab.expect(.scanned("FIRST", times: 1))
    lab.shell("rm \(trouble)")
    lab.show(second)
    lab.await(.scanned("SECOND"), within: 40)
    lab.expect(.log("the camera can be used again"))
    lab.expect(.metric("reticle_camera_state{state=\"available\"}", is: 1))
    lab.stopStation()
    // libcamera asks repeatedly about a stream without buffers; with simulated time, the clock would stand still.
    _ = try lab.run(hasSimulatedTime: trouble != "refused")
  }

  @Test func `V5: a camera without frames of the requested size delivers those that it has`() throws {
    var lab = LabScript()
    lab.plugCamera("320x240@30", showing: first)
    lab.startStation(station().replacing("320x240", with: "1280x720"))
    lab.await(.scanned("FIRST"), within: 10)
    lab.stopStation()
    _ = try lab.run()
  }

  /// The lab's driver only stamps and numbers frames; the time from frame to frame follows from these.
  @Test(arguments: [(10, 100_000), (30, 33_333)])
  func `C8: the frame duration is read from the frames, and reported in the status and as a metric`(
    rate: Int, microseconds: Int
  ) throws {
    var lab = LabScript()
    lab.plugCamera("320x240@\(rate)", showing: first)
    lab.startStation(station() + "\nconsole: {port: 9470}")
    lab.await(.scanned("FIRST"), within: 10)
    lab.pause(7)
    lab.run("http", "GET", "/status", into: "status")
    lab.run("metric", "reticle_sensor_frame_seconds", into: "metric")
    lab.expect(.file("status", says: "\"permission\":\"authorized\""))
    lab.expect(.log("what the sensor does"))
    lab.stopStation()
    let run = try lab.run()
    let told = try #require(run.text(of: "status").firstMatch(of: /"sensor":{"frameDurationMicroseconds":([0-9]+)}/)?.1)
    let seconds = try #require(Double(run.text(of: "metric").trimmingCharacters(in: .whitespacesAndNewlines)))
    for value in [Double(told) ?? 0, seconds * 1e6] {
      #expect(abs(value - Double(microseconds)) < Double(microseconds) / 20, "\(value) µs")
    }
  }

  @Test func `C3, C5: a camera pulled out and plugged in again is used again by the same process`() throws {
    var lab = LabScript()
    lab.startUdev()
    lab.plugCamera("320x240@30", showing: first)
    lab.startStation(labCamera)
    lab.await(.scanned("FIRST"), within: 10)
    for round in 1...3 {
      lab.unplugCamera()
      lab.await(.log("it was unplugged", times: round), within: 5)
      if round == 2 { lab.show(second) }
      lab.plugCameraAgain()
      lab.await(.log("the camera can be used again", times: round), within: 20)
    }
    lab.await(.scanned("SECOND"), within: 10)
    lab.expect(.runs("station"))
    lab.stopStation()
    _ = try lab.run()
  }

  /// libcamera 0.0.3 may end the process if a device that it has found is announced later.
  @Test func `C3, C5: a camera is used once all of its devices are announced`() throws {
    var lab = LabScript()
    lab.startUdev()
    lab.delayUdev(by: 0.5)
    lab.plugCamera("320x240@30", showing: first)
    lab.startStation(station())
    lab.await(.scanned("FIRST"), within: 10)
    for round in 1...3 {
      lab.unplugCamera()
      lab.await(.log("it was unplugged", times: round), within: 5)
      lab.pause(2)
      lab.stamp("plugged-\(round)")
      lab.plugCameraAgain()
      lab.await(.log("the camera can be used again", times: round), within: 20)
      lab.stamp("used-\(round)")
      lab.pause(1)
      lab.expect(.runs("station"))
    }
    lab.stopStation()
    let run = try lab.run()
    for round in 1...3 { #expect(try run.seconds(from: "plugged-\(round)", to: "used-\(round)") >= 0.5) }
  }

  @Test func `C5: a camera that is plugged in again after a long outage is used at once`() throws {
    var lab = LabScript()
    lab.startUdev()
    lab.plugCamera("320x240@30", showing: first)
    lab.startStation(labCamera)
    lab.await(.scanned("FIRST"), within: 10)
    lab.unplugCamera()
    lab.await(.log("it was unplugged"), within: 5)
    lab.show(second)
    // The waits are now 30 s long, and the next attempt is 25 s away.
    lab.pause(66)
    lab.stamp("plugged")
    lab.plugCameraAgain()
    lab.await(.scanned("SECOND"), within: 10)
    lab.stamp("scanned")
    lab.stopStation()
    let run = try lab.run()
    #expect(try run.seconds(from: "plugged", to: "scanned") < 6)
  }

  @Test func `C4, C5: a hanging camera counts as silent, stopping it blocks nothing, and it is used again when it answers`()
    throws
  {
    var lab = LabScript()
    lab.plugCamera("320x240@30", showing: first)
    lab.startStation(station())
    lab.await(.scanned("FIRST"), within: 10)
    lab.stamp("frozen")
    lab.freezeCamera()
    lab.await(.log("no frame came for 500 ms"), within: 5)
    lab.stamp("noticed")
    lab.pause(8)
    // The cause stays the same, no matter how the driver rejects the attempts in between.
    lab.expect(.log("error reticle: the camera sends no picture", times: 1))
    lab.expect(.log("error reticle: the camera", times: 1))
    lab.expect(.log("Unable to try format", times: 1))
    lab.thawCamera()
    lab.show(second)
    lab.await(.scanned("SECOND"), within: 40)
    lab.expect(.runs("station"))
    lab.expect(.log("the camera can be used again"))
    lab.stopStation()
    let run = try lab.run()
    #expect((0.5...4).contains(try run.seconds(from: "frozen", to: "noticed")))
  }

  @Test func `a station with a hanging camera still ends on request`() throws {
    var lab = LabScript()
    lab.plugCamera("320x240@30", showing: first)
    lab.startStation(station())
    lab.await(.scanned("FIRST"), within: 10)
    lab.freezeCamera()
    lab.stamp("told")
    lab.stopStation()
    lab.stamp("ended")
    let run = try lab.run()
    #expect(try run.seconds(from: "told", to: "ended") < 8)
  }
}
