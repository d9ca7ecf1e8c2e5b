// SPEC T6 on a real line and a real camera driver: light for exposures, and none when nobody looks.

import BarcodeTypes
import Foundation
import TestScenes
import Testing

@Suite(.enabled(if: DeviceLab.isThere, DeviceLab.missing), .serialized) struct StrobeLabTests {
  private let words = """
    eval "$(devices gpio 8 0=TORCH)"
    value=$dir/sim_gpio0/value
    show() { cp $1.pgm next.pgm; mv next.pgm picture.pgm; }
    # sample COUNT NAME: looks at the line once a millisecond; says how often it went on, and how often it was.
    sample() {
      local lit=0 rising=0 last=0 n v
      for ((n = 0; n < $1; n++)); do
        read -r v <$value; [ $v = $last ] || { rising=$((rising + v)); last=$v; }
        lit=$((lit + v)); read -rt 0.001 -u 19 || true
      done
      echo "$2-pulses=$rising"; echo "$2-lit=$lit"
    }
    figure() { exec 3<>/dev/tcp/127.0.0.1/9470; printf 'GET /metrics HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3; timeout 5 cat <&3 | grep -F "$1" | tail -n 1 | sed 's/.* //' | tr -d '\\r'; }
    show empty; devices camera 320x240@30 picture.pgm >/dev/null
    reticle run --config station.yaml >scans 2>log & station=$!

    """

  private func run(_ script: String, reopen: String) throws -> LabRun {
    var files: [String: [UInt8]] = [:]
    for number in 1...5 {
      var scene = CameraScene(.qr, "LABEL\(number)")
      (scene.width, scene.height, scene.modulePixels) = (320, 240, 5)
      files["label\(number).pgm"] = try scene.pgm()
    }
    files["empty.pgm"] = Array("P5 320 240 255\n".utf8) + [UInt8](repeating: 130, count: 320 * 240)
    files["station.yaml"] = Array(
      """
      camera: {source: libcamera, size: 320x240, exposure_us: 500, frame_rate: 30}
      outbox: {path: outbox.sqlite}
      console: {port: 9470}
      session: {reopen: \(reopen)}
      torch: {line: TORCH, mode: 'on', strobe: true}
      """.utf8)
    let run = try DeviceLab.run(words + script, files: files)
    try #require(run.status == 0, "\(run.errors)\n\(run.output)")
    return run
  }

  @Test func `T1, T3, T6: the line pulses at the camera's rate, and is dark after the session, its end and kill -9`() throws
  {
    let run = try run(
      """
      step=0.001; await 10 '[ $(cat $value) = 1 ]'; sleep 0.5
      sample 2000 scanning; echo "scanning-on=$(figure reticle_torch_on)"
      show label1; step=0.05; await 10 'grep -q LABEL1 scans'; sleep 0.1
      sample 500 closed; echo "closed-on=$(figure reticle_torch_on)"
      show empty; sleep 3; sample 500 reopened
      devices camera-freeze; sleep 3; sample 500 frozen
      devices camera-thaw; sleep 5; step=0.001; await 20 '[ $(cat $value) = 1 ]'
      kill -9 $station; wait $station || true
      reticle torch off --config station.yaml; sample 200 killed
      """, reopen: "after 2 s")
    func number(_ name: String) throws -> Int { try #require(run[name].flatMap { Int($0) }) }
    // 2000 looks take a little more than 2 s; a pulse is 13 ms of 33.
    let pulses = try number("scanning-pulses")
    #expect((57...66).contains(pulses), "\(pulses) pulses in 2 s")
    #expect((600...1000).contains(try number("scanning-lit")))
    #expect(run["scanning-on"] == "1" && run["closed-on"] == "0")
    for name in ["closed", "frozen", "killed"] { #expect(try number(name + "-lit") == 0, "\(name)") }
    #expect(try number("reopened-pulses") >= 10)
  }

  @Test func `T2, T6: an LED that cannot strobe stays dark, and the log and the doctor say what to do`() throws {
    var led = Array("torch".utf8)
    led += [UInt8](repeating: 0, count: 64 - led.count) + [255, 0, 0, 0]
    let run = try DeviceLab.run(
      """
      exec 9<>/dev/uleds; cat uleds >&9
      devices camera 320x240@30 empty.pgm >/dev/null
      reticle doctor --config station.yaml --format json >report || true
      reticle run --config station.yaml >scans 2>log & station=$!
      await 10 'grep -q "this LED has no flash" log'; sleep 1
      echo brightness=$(cat /sys/class/leds/torch/brightness)
      kill -TERM $station; wait $station || true
      grep -o torch-flash-absent report | head -n 1 | sed 's/^/said=/'; cat log >&2
      """,
      files: [
        "uleds": led, "empty.pgm": Array("P5 320 240 255\n".utf8) + [UInt8](repeating: 130, count: 320 * 240),
        "station.yaml": Array(
          """
          camera: {source: libcamera, size: 320x240, exposure_us: 500}
          outbox: {path: outbox.sqlite}
          torch: {led: torch, mode: 'on', strobe: true}
          """.utf8),
      ])
    #expect(run.status == 0, "\(run.errors)\n\(run.output)")
    #expect(run["brightness"] == "0" && run["said"] == "torch-flash-absent")
  }

  @Test func `T6: whenever a frame that gave a scan was exposed, there was light`() throws {
    let run = try run(
      """
      step=0.001; await 10 '[ $(cat $value) = 1 ]'
      while :; do read -r v <$value; echo "light=$EPOCHREALTIME $v"; read -rt 0.0005 -u 19 || true; done >light & sampler=$!
      step=0.05
      for number in 1 2 3 4 5; do sleep 0.37; show label$number; await 10 "grep -q LABEL$number scans"; done
      kill $sampler; kill -TERM $station; wait $station || true
      cat light scans
      """, reopen: "after 0 s")
    let light = run.lines.filter { $0.hasPrefix("light=") }.compactMap { line -> (time: Double, isLit: Bool)? in
      let words = line.dropFirst("light=".count).split(separator: " ")
      guard words.count == 2, let time = Double(words[0]) else { return nil }
      return (time, words[1] == "1")
    }
    let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    let captured = try run.lines.filter { $0.hasPrefix("{") }.compactMap {
      try $0.firstMatch(of: /"captured":"([^"]+)"/).map { try format.parse(String($0.1)).timeIntervalSince1970 }
    }
    #expect(captured.count == 5)
    for time in captured {
      // A record's time is a whole millisecond.
      let around = light.filter { $0.time > time - 0.0005 && $0.time < time + 0.0015 }
      #expect(around.count > 1 && around.allSatisfy { $0.isLit }, "\(time): \(around)")
    }
    let share = Double(light.count { $0.isLit }) / Double(max(1, light.count))
    #expect(share < 0.55, "lit for \(share) of the time")
  }
}
