// SPEC §2 on a real driver: a USB camera that is plugged, pulled, held, hung and forbidden, and a station that gets over it.

import BarcodeTypes
import Foundation
import TestScenes
import Testing

@Suite(.enabled(if: DeviceLab.isThere, DeviceLab.missing), .serialized) struct CameraLabTests {
  /// A label as the camera's picture, 640x480.
  private func label(_ text: String) throws -> [UInt8] {
    var scene = CameraScene(.qr, text)
    scene.modulePixels = 6
    return try scene.pgm()
  }

  private let station = """
    station: {name: lab}
    camera: {source: libcamera, size: 640x480, frame_deadline: 500 ms}
    outbox: {path: outbox.sqlite}
    repeat: {absence: 300 ms}

    """

  /// The real udevd shows another camera too, the kernel's test pattern, which is not meant.
  private var labCamera: String { station.replacing("size:", with: "model: Lab, size:") }

  /// Starts the station; its scans go to `scans`, its log to `log`.
  private let start = """
    reticle run --config station.yaml >scans 2>log &
    station=$!
    """
  /// Ends it and hands its log on; the script's last words.
  private let finish = """
    kill -TERM $station; wait $station || true
    cat log >&2
    """

  private func run(
    _ script: String, _ files: [String: [UInt8]] = [:], yaml: String? = nil, limit: Int = 300
  ) throws -> LabRun {
    var files = files
    files["station.yaml"] = Array((yaml ?? station).utf8)
    files["label.pgm"] = try label("FIRST")
    files["other.pgm"] = try label("SECOND")
    let run = try DeviceLab.run(script, files: files, limit: limit)
    #expect(run.status == 0, "\(run.errors)\n\(run.output)")
    return run
  }

  @Test func `the id that the list prints finds the camera, and each format of the camera gives the same scan`() throws {
    let run = try run(
      """
      devices camera 640x480@30 label.pgm >/dev/null
      reticle cameras
      id=$(reticle cameras | sed -n 's/^id: \\("[^"]*"\\).*/\\1/p')
      for format in nv12 yuyv; do
        printf 'camera: {source: libcamera, id: %s, size: 640x480, format: %s}\\noutbox: {path: %s.sqlite}\\n' \\
          "$id" $format $format > station.yaml
        \(start)
        await 10 'grep -q FIRST scans'
        \(finish)
        echo $format=$(grep -c FIRST scans)
      done
      """)
    #expect(run.lines.first?.contains("model: ") == true)
    #expect(run["nv12"] == "1")
    #expect(run["yuyv"] == "1")
  }

  @Test func `C1: without a camera the station says so, and takes one that is plugged in later`() throws {
    let run = try run(
      """
      hotplug
      \(start)
      await 5 'grep -q "there is no camera of model Lab" log'
      devices camera 640x480@30 label.pgm >/dev/null
      await 40 'grep -q FIRST scans'
      \(finish)
      """, yaml: labCamera)
    #expect(run.errors.contains("the camera does not work"))
    #expect(run.errors.contains("the camera can be used again"))
  }

  @Test func `C1: a camera that is not the one wanted is no camera, and the others are named`() throws {
    let run = try run(
      """
      devices camera 640x480@30 label.pgm >/dev/null
      \(start)
      await 5 'grep -q "there is no camera of model imx708; there are" log'
      \(finish)
      """, yaml: station.replacing("size:", with: "model: imx708, size:"))
    #expect(!run.errors.isEmpty)
  }

  @Test func `C1: a camera that gives no luma says what it gives, and what to do`() throws {
    let run = try run(
      """
      devices camera 640x480@30 label.pgm >/dev/null
      \(start)
      await 5 'grep -q "it gives NV12, YUYV, and no luma that can be had; set camera.format: automatic" log'
      kill -TERM $station; wait $station || true
      # The kernel's own test camera is one of colours alone.
      devices vimc
      sed -i 's/format: mjpeg/model: Sensor B/' station.yaml
      \(start)
      await 5 'grep -q "and no luma that can be had; use another camera" log'
      \(finish)
      """, yaml: station.replacing("size:", with: "format: mjpeg, size:"))
    #expect(run.errors.contains("it gives BG24, RG24"))
  }

  @Test func `C3: a camera that another program holds is waited for, and taken when it is free`() throws {
    let run = try run(
      """
      devices camera 640x480@30 label.pgm >/dev/null
      cam -c1 -C100000 >/dev/null 2>&1 & holder=$!
      sleep 1
      \(start)
      await 5 'grep -q "another program holds the camera" log'
      kill $holder
      await 10 'grep -q FIRST scans'
      \(finish)
      """)
    #expect(run.errors.contains("the camera can be used again"))
  }

  @Test func `S2: a user who may not open the camera is told the group to join`() throws {
    let run = try run(
      """
      devices camera 640x480@30 label.pgm >/dev/null
      chmod 600 /dev/media* /dev/video*; chmod 777 .
      setpriv --reuid=1000 --regid=1000 --clear-groups reticle run --config station.yaml >scans 2>log & station=$!
      await 5 'grep -q "the camera may not be used" log'
      setpriv --reuid=1000 --regid=1000 --clear-groups reticle cameras || echo cameras=$?
      chmod 666 /dev/media* /dev/video*
      await 10 'grep -q FIRST scans'
      \(finish)
      """)
    #expect(run.errors.contains("add the user to the group video"))
    #expect(run["cameras"] == "77")
  }

  @Test func `C3, C5: a camera pulled out and plugged in again is used again by the same process`() throws {
    let run = try run(
      """
      hotplug
      devices camera 640x480@30 label.pgm >/dev/null
      \(start)
      await 10 'grep -q FIRST scans'
      for round in 1 2 3; do
        devices camera-unplug
        await 5 "[ \\$(grep -c 'it was unplugged' log) = $round ]"
        if [ $round = 2 ]; then cp other.pgm label.pgm; fi
        devices camera 640x480@30 label.pgm >/dev/null
        await 20 "[ \\$(grep -c 'the camera can be used again' log) = $round ]"
      done
      await 10 'grep -q SECOND scans'
      kill -0 $station
      \(finish)
      """, yaml: labCamera)
    #expect(run.errors.contains("it was unplugged"))
  }

  @Test func `C4, C5: a camera that hangs is silent, its stop blocks nobody, and it is used again when it answers`() throws {
    let run = try run(
      """
      devices camera 640x480@30 label.pgm >/dev/null
      \(start)
      await 10 'grep -q FIRST scans'
      before=$(date +%s%N)
      devices camera-freeze
      await 5 'grep -q "no frame came for 500 ms" log'
      echo noticed=$(( ($(date +%s%N) - before) / 1000000 ))
      sleep 3
      devices camera-thaw
      cp other.pgm label.pgm
      await 40 'grep -q SECOND scans'
      kill -0 $station
      \(finish)
      """)
    let noticed = try #require(run["noticed"].flatMap { Int($0) })
    #expect((500...4000).contains(noticed), "noticed after \(noticed) ms")
    #expect(run.errors.contains("the camera can be used again"))
  }

  @Test func `a station whose camera hangs still ends when it is told to`() throws {
    let run = try run(
      """
      devices camera 640x480@30 label.pgm >/dev/null
      \(start)
      await 10 'grep -q FIRST scans'
      devices camera-freeze
      before=$(date +%s%N)
      kill -TERM $station; wait $station || echo status=$?
      echo ended=$(( ($(date +%s%N) - before) / 1000000 ))
      cat log >&2
      """)
    let ended = try #require(run["ended"].flatMap { Int($0) })
    #expect(ended < 8000, "it took \(ended) ms")
  }
}
