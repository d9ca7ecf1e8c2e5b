// SPEC §3 and the triggers of §9 on a real GPIO chip: torch, buttons and lamps on lines that the test reads and pulls.

import BarcodeTypes
import Foundation
import TestScenes
import Testing

@Suite(.enabled(if: DeviceLab.isThere, DeviceLab.missing), .serialized) struct LineLabTests {
  private func run(_ script: String, yaml: String, _ files: [String: [UInt8]] = [:], limit: Int = 300) throws -> LabRun {
    var scene = CameraScene(.qr, "LABEL")
    scene.modulePixels = 6
    var files = files
    files["label.pgm"] = try scene.pgm()
    files["empty.pgm"] = Array("P5 640 480 255\n".utf8) + [UInt8](repeating: 130, count: 640 * 480)
    files["dark.pgm"] = Array("P5 640 480 255\n".utf8) + [UInt8](repeating: 12, count: 640 * 480)
    files["bright.pgm"] = Array("P5 640 480 255\n".utf8) + [UInt8](repeating: 240, count: 640 * 480)
    files["station.yaml"] = Array(yaml.utf8)
    let run = try DeviceLab.run(lines + script, files: files, limit: limit)
    #expect(run.status == 0, "\(run.errors)\n\(run.output)")
    return run
  }

  /// A chip with all the lines that the tests wire; buttons are pulled down as long as nobody presses them.
  private let lines = """
    devices gpio 8 0=TORCH 1=TORCH_BUTTON 2=TRIGGER 3=GOOD 4=BAD 5=BUZZER >/dev/null
    for line in TORCH_BUTTON TRIGGER; do devices gpio-pull $line down; done
    press() { devices gpio-pull $1 up; sleep 0.06; devices gpio-pull $1 down; sleep 0.06; }
    is() { [ "$(devices gpio-get $1)" = $2 ]; }
    begin() { reticle run --config station.yaml >scans 2>log & station=$!; }
    end() { kill -TERM $station; wait $station || true; cat log >&2; }
    show() { cp $1.pgm next.pgm; mv next.pgm picture.pgm; }
    # figure NAME: a figure of the station's own, without its labels.
    figure() { exec 3<>/dev/tcp/127.0.0.1/9470; printf 'GET /metrics HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3; timeout 5 cat <&3 | grep -F "$1" | tail -n 1 | sed 's/.* //' | tr -d '\\r'; }

    """

  private let camera = """
    camera: {source: libcamera, size: 640x480}
    outbox: {path: outbox.sqlite}
    console: {port: 9470}
    repeat: {absence: 300 ms}

    """

  @Test func `T1, T3, T4: the torch button lights the line, a press puts it out, and so does the end of the session`() throws
  {
    _ = try run(
      """
      show empty; devices camera 640x480@30 picture.pgm >/dev/null
      begin
      await 10 'grep -q "state=on" log || { press TORCH_BUTTON; false; }'
      is TORCH 1
      press TORCH_BUTTON; await 2 is TORCH 0
      press TORCH_BUTTON; await 2 is TORCH 1
      show label; await 10 'grep -q LABEL scans'
      await 2 is TORCH 0
      press TORCH_BUTTON; await 2 is TORCH 1
      kill -TERM $station; wait $station || true
      is TORCH 0
      cat log >&2
      """, yaml: camera + "torch: {line: 'lab0:TORCH'}\nbuttons: {torch: {line: TORCH_BUTTON}}\n")
  }

  @Test func `T1, T3: a torch that is lit when its line is low is dark from the start, and lit by a low line`() throws {
    let run = try run(
      """
      show empty; devices camera 640x480@30 picture.pgm >/dev/null
      reticle torch status --config station.yaml
      begin
      await 5 is TORCH 1
      await 10 'grep -q "state=on" log || { press TORCH_BUTTON; false; }'
      is TORCH 0
      reticle torch off --config station.yaml 2>&1 | sed 's/^/told=/'
      is TORCH 0
      end
      """, yaml: camera + "torch: {line: 'lab0:0', active: low}\nbuttons: {torch: {line: TORCH_BUTTON}}\n")
    #expect(run.lines.first == "off")
    #expect(run["told"] == "reticle: lab0:0: reticle holds the line; stop it, or use another line")
  }

  @Test func `T2, T5: a line that another program holds is a torch that cannot be driven; it can when it is free`() throws {
    let run = try run(
      """
      show empty; devices camera 640x480@30 picture.pgm >/dev/null
      hold 0; holder=$!
      sleep 0.3
      reticle torch on --config station.yaml || echo held=$?
      begin
      sleep 1.5; press TORCH_BUTTON; sleep 0.5
      is TORCH 0; grep -q "state=on" log && exit 1
      end
      kill $holder; sleep 0.2
      reticle torch on --config station.yaml
      """, yaml: camera + "torch: {line: TORCH}\nbuttons: {torch: {line: TORCH_BUTTON}}\n")
    #expect(run["held"] == "1")
    #expect(run.errors.contains("holds the line"))
  }

  @Test func `T1: after kill -9 the unit's last command puts the torch out`() throws {
    var name = Array("torch".utf8)
    name += [UInt8](repeating: 0, count: 64 - name.count) + [255, 0, 0, 0]
    let run = try run(
      """
      exec 9<>/dev/uleds; cat uleds >&9
      brightness=/sys/class/leds/torch/brightness
      show empty; devices camera 640x480@30 picture.pgm >/dev/null
      begin
      await 5 '[ $(cat $brightness) = 255 ]'
      kill -9 $station; wait $station || true
      echo after=$(cat $brightness)
      reticle torch status --config station.yaml
      reticle torch off --config station.yaml
      echo last=$(cat $brightness)
      reticle torch status --config station.yaml
      """, yaml: camera + "torch: {led: torch, mode: 'on'}\n", ["uleds": name])
    #expect(run["after"] == "255", "a lamp goes on when the process is gone")
    #expect(run["last"] == "0")
    #expect(run.lines.filter { ["on", "off"].contains($0) } == ["on", "off", "off"])
  }

  @Test func `T6: a dark scene lights the torch by itself, and daylight puts it out`() throws {
    _ = try run(
      """
      show bright; devices camera 640x480@30 picture.pgm >/dev/null
      begin
      sleep 2; is TORCH 0
      show dark; await 5 is TORCH 1
      show empty; sleep 1.5; is TORCH 1
      show bright; await 5 is TORCH 0
      end
      """, yaml: camera + "torch: {line: TORCH, mode: auto}\n")
  }

  @Test func `level trigger: held it scans, let go without a label it is a no-read, seen on the lamps`() throws {
    let run = try run(
      """
      show label; devices camera 640x480@30 picture.pgm >/dev/null
      begin
      sleep 1.5; [ ! -s scans ]
      devices gpio-pull TRIGGER up
      await 10 'grep -q LABEL scans'
      await 2 is GOOD 1
      devices gpio-pull TRIGGER down; sleep 1
      is BAD 0
      show empty; sleep 0.3
      devices gpio-pull TRIGGER up; sleep 1
      devices gpio-pull TRIGGER down
      await 2 is BAD 1; await 2 is BUZZER 1; await 4 is BAD 0
      echo noreads=$(figure reticle_no_reads_total)
      echo closed=$(figure MobileQRScannerClose)
      echo scanned=$(figure MobileQRScannerScannedCode)
      end
      echo scans=$(grep -c LABEL scans)
      """,
      yaml: camera + """
        trigger: {mode: level}
        buttons: {trigger: {line: TRIGGER, bias: down}}
        outputs:
          good_read: {line: GOOD, good_read: 1 s}
          no_read: {line: BAD, no_read: 1 s}
          buzzer: {line: BUZZER, good_read: [], no_read: [300 ms, 100 ms, 300 ms]}
        """)
    #expect(run["scans"] == "1")
    #expect(run["noreads"] == "1")
    #expect(run["closed"] == "1")
    #expect(run["scanned"] == "1")
  }

  @Test func `edge trigger: each press is a session of its own, and what is in view is meant`() throws {
    let run = try run(
      """
      show label; devices camera 640x480@30 picture.pgm >/dev/null
      begin
      sleep 1
      for count in 1 2 3; do press TRIGGER; await 10 "[ \\$(grep -c LABEL scans) = $count ]"; sleep 0.5; done
      show empty; sleep 0.2
      press TRIGGER; sleep 2
      echo noreads=$(figure reticle_no_reads_total)
      end
      echo scans=$(grep -c LABEL scans)
      """,
      yaml: camera + "trigger: {mode: edge, timeout: 500 ms}\nbuttons: {trigger: {line: 'lab0:2', debounce: 5 ms}}\n")
    #expect(run["scans"] == "3")
    #expect(run["noreads"] == "1")
  }

  @Test func `N2, C6: the confirm button forwards a result that waits, and the cancel button gives one up`() throws {
    let run = try run(
      """
      for line in GOOD BAD; do devices gpio-pull $line down; done
      show label; devices camera 640x480@30 picture.pgm >/dev/null
      begin
      await 10 'grep -q "waits for confirmation" log'; sleep 1; [ ! -s scans ]
      press BAD
      await 5 '[ "$(figure MobileQRScannerClose)" = 1 ] || [ "$(figure MobileQRScannerScannedCode)" = 1 ]'; [ ! -s scans ]
      show empty; sleep 1; exec 3<>/dev/tcp/127.0.0.1/9470
      printf 'POST /open HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n' >&3
      sleep 1; show label
      await 10 "[ \\$(grep -c 'waits for confirmation' log) = 2 ]"
      press GOOD; await 5 'grep -q LABEL scans'
      end
      echo scans=$(grep -c LABEL scans)
      """,
      yaml: camera + "confirm: always\nbuttons: {confirm: {line: GOOD}, cancel: {line: BAD}}\n")
    #expect(run["scans"] == "1")
  }

  @Test func `the list tells lines as the configuration takes them, and who holds them`() throws {
    let run = try run(
      """
      reticle lines
      reticle lines --all | grep -c input | sed 's/^/inputs=/'
      reticle torch on --config station.yaml; reticle torch off --config station.yaml
      echo wrong=$(reticle torch status --config wrong.yaml 2>&1 || true)
      """, yaml: camera + "torch: {line: 'lab0:TORCH'}\n",
      ["wrong.yaml": Array((camera + "torch: {line: 'lab0:LAMP'}\n").utf8)])
    #expect(run.output.contains("lab0  (/dev/gpiochip0, 8 lines)"))
    #expect(run.output.contains("  lab0:TORCH  "))
    #expect(run["inputs"] == "8")
    #expect(run["wrong"] == "reticle: lab0:LAMP: no line has this name; `reticle lines` lists chips and lines")
  }
}
