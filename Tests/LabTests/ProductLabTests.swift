// What a station may cost: memory, and the time until it sees.

import BarcodeTypes
import Foundation
import TestScenes
import Testing

@Suite(.enabled(if: DeviceLab.isThere, DeviceLab.missing), .serialized) struct ProductLabTests {
  /// In simulated time, so that what is measured is what the station waits for, whatever the load of the machine.
  @Test func `from the start to the first scan it waits no longer than 1.5 s`() throws {
    var scene = CameraScene(.qr, "FIRST")
    scene.modulePixels = 6
    let run = try DeviceLab.run(
      """
      devices camera 640x480@30 label.pgm >/dev/null
      begin=$(date +%s%N)
      reticle run --config station.yaml 2>log > scans & station=$!
      step=0.01; await 20 'grep -q FIRST scans'
      echo milliseconds=$((($(date +%s%N) - begin) / 1000000))
      kill -TERM $station; wait $station || true
      cat log >&2
      """,
      files: [
        "label.pgm": try scene.pgm(),
        "station.yaml": Array("camera: {source: libcamera, size: 640x480}\noutbox: {path: outbox.sqlite}\n".utf8),
      ])
    #expect(run.status == 0, "\(run.errors)")
    let milliseconds = try #require(run["milliseconds"].flatMap { Int($0) })
    #expect(milliseconds <= 1500)
  }

  /// The lab has no sound card.
  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/espeak-ng"), "espeak-ng is not installed"))
  func `N2, N6: a voice that cannot be heard is told, and the result is put up and forwarded all the same`() throws {
    var scene = CameraScene(.qr, "SPOKEN")
    scene.modulePixels = 6
    let run = try DeviceLab.run(
      """
      devices camera 640x480@30 label.pgm >/dev/null
      reticle run --config station.yaml 2>log > scans & station=$!
      await 20 'grep -q "an announcement was not made" log'
      await 5 'grep -q "a result waits for confirmation" log'
      [ ! -s scans ]
      exec 3<>/dev/tcp/127.0.0.1/9470
      printf 'POST /confirm HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' >&3
      await 5 'grep -q SPOKEN scans'
      kill -TERM $station; wait $station || true
      cat log >&2
      """,
      files: [
        "label.pgm": try scene.pgm(),
        "station.yaml": Array(
          """
          camera: {source: libcamera, size: 640x480}
          outbox: {path: outbox.sqlite}
          console: {port: 9470}
          confirm: alphanumeric
          speech: {enabled: true}
          """.utf8),
      ])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("espeak-ng was not heard (error: No such file or directory); connect a sound card"))
  }

  @Test func `a headless station with a camera of 1280x720 takes at most 64 MB of memory`() throws {
    var scene = CameraScene(.qr, "MEMORY")
    (scene.width, scene.height, scene.modulePixels) = (1280, 720, 6)
    let run = try DeviceLab.run(
      """
      chmod +x program
      devices camera 1280x720@30 label.pgm >/dev/null
      ./program run --config station.yaml 2>log > scans & station=$!
      await 20 'grep -q MEMORY scans'; sleep 5
      echo kilobytes=$(awk '/VmRSS/ {print $2}' /proc/$station/status)
      echo peak=$(awk '/VmHWM/ {print $2}' /proc/$station/status)
      kill -TERM $station; wait $station || true
      cat log >&2
      """,
      files: [
        "label.pgm": try scene.pgm(), "program": Array(try Data(contentsOf: URL(filePath: DeviceLab.programs + "/reticle"))),
        "station.yaml": Array("camera: {source: libcamera, size: 1280x720}\noutbox: {path: outbox.sqlite}\n".utf8),
      ])
    #expect(run.status == 0, "\(run.errors)")
    print("resident: \(run["kilobytes"] ?? "?") KB, at most \(run["peak"] ?? "?") KB")
    #expect(try #require(run["kilobytes"].flatMap { Int($0) }) <= 64 << 10)
  }
}
