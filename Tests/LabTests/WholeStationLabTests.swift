// Everything at once, as a till would have it; and the same for a very long time.

import BarcodeTypes
import Foundation
import TestScenes
import Testing

@Suite(.enabled(if: DeviceLab.isThere, DeviceLab.missing), .serialized) struct WholeStationLabTests {
  private func picture(_ text: String, _ symbology: Symbology = .qr) throws -> [UInt8] {
    var scene = CameraScene(symbology, text)
    scene.modulePixels = symbology == .qr ? 6 : 3
    return try scene.pgm()
  }

  private func small(_ text: String) throws -> [UInt8] {
    var scene = CameraScene(.qr, text)
    (scene.width, scene.height, scene.modulePixels) = (320, 240, 5)
    return try scene.pgm()
  }

  @Test func `a label is shown: torch, serial port, webhook, lamp and figures all do what they should`() throws {
    let empty = Array("P5 640 480 255\n".utf8) + [UInt8](repeating: 130, count: 640 * 480)
    let run = try DeviceLab.run(
      """
      devices gpio 4 0=TORCH 1=GOOD >/dev/null
      eval "$(devices serial)"
      cp empty.pgm picture.pgm; devices camera 640x480@30 picture.pgm >/dev/null
      head -c 14 "$peer" > serial & reader=$!
      reticle receive --port 9471 > hooks 2>receiver & receiver=$!
      sleep 0.5
      cat > station.yaml <<YAML
      camera: {source: libcamera, size: 640x480}
      outbox: {path: outbox.sqlite}
      console: {port: 9470}
      session: {reopen: after 2 s}
      torch: {line: TORCH, mode: 'on'}
      outputs: {good_read: {line: GOOD, good_read: 1 s}}
      sinks:
        - serial: {device: $device}
        - webhook: {url: http://127.0.0.1:9471/scans}
      YAML
      reticle run --config station.yaml 2>log & station=$!
      await 5 '[ "$(devices gpio-get TORCH)" = 1 ]'
      cp label.pgm next.pgm; mv next.pgm picture.pgm
      await 5 '[ "$(devices gpio-get GOOD)" = 1 ]'
      await 2 '[ "$(devices gpio-get TORCH)" = 0 ]'
      await 5 'grep -q 4006381333931 hooks'
      wait $reader
      exec 3<>/dev/tcp/127.0.0.1/9470; printf 'GET /metrics HTTP/1.1\\r\\nHost: lab\\r\\nConnection: close\\r\\n\\r\\n' >&3; timeout 5 cat <&3 > figures
      kill -TERM $station; wait $station
      kill $receiver
      cat figures; echo; echo serial=$(tr '\\r' '$' < serial)
      cat log >&2
      """, files: ["empty.pgm": empty, "label.pgm": try picture("4006381333931", .ean13)])
    #expect(run.status == 0, "\(run.errors)\n\(run.output)")
    #expect(run["serial"] == "4006381333931$")
    #expect(run.output.contains("reticle_scans_total{symbology=\"ean13\"} 1"))
    #expect(run.output.contains("reticle_user_actions_total{action=\"MobileQRScannerScannedCode\"} 1"))
    #expect(run.output.contains("reticle_user_actions_total{action=\"MobileQRScannerTorchOn\"} 0"))
  }

  /// CI takes 30 cycles; RETICLE_LAB_CYCLES says how many.
  @Test func `the camera is pulled and plugged again and again: no recovery is missed, nothing leaks`() throws {
    let cycles = ProcessInfo.processInfo.environment["RETICLE_LAB_CYCLES"].flatMap { Int($0) } ?? 30
    let run = try DeviceLab.run(
      """
      step=0.2
      devices udev
      devices camera 320x240@5 picture.pgm >/dev/null
      reticle run --config station.yaml >scans 2>log & station=$!
      await 20 'grep -q LABEL scans'
      measure() { echo "descriptors$1=$(ls /proc/$station/fd | wc -l)"; echo "memory$1=$(sed -n 's/VmRSS: *\\([0-9]*\\).*/\\1/p' /proc/$station/status)"; }
      for cycle in $(seq \(cycles)); do
        [ $cycle != 10 ] || measure 10
        devices camera-unplug
        await 30 "[ \\$(grep -c 'it was unplugged' log) -ge $cycle ]"
        devices camera 320x240@5 picture.pgm >/dev/null
        await 120 "[ \\$(grep -c 'the camera can be used again' log) -ge $cycle ]"
      done
      measure last
      kill -0 $station; kill -TERM $station; wait $station || true
      echo recoveries=$(grep -c 'the camera can be used again' log)
      """,
      files: [
        "picture.pgm": try small("LABEL"),
        "station.yaml": Array(
          "camera: {source: libcamera, model: Lab, size: 320x240, frame_deadline: 1 s}\noutbox: {path: outbox.sqlite}\n".utf8
        ),
      ], hasSimulatedTime: true, limit: 60 + cycles * 15)
    #expect(run.status == 0, "\(run.errors)\n\(run.output)")
    #expect(run["recoveries"] == "\(cycles)")
    func number(_ name: String) throws -> Int { try #require(run[name].flatMap { Int($0) }) }
    #expect(try number("descriptorslast") <= number("descriptors10") + 2)
    // Kilobytes: the allocator may keep pages of its own, but not some for every cycle.
    #expect(try number("memorylast") <= number("memory10") + 4096)
  }
}
