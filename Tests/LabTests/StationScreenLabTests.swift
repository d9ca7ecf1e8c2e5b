// The whole station on a panel: what it shows while it scans, and how it gets along with others that want the panel.

import BarcodeTypes
import Foundation
import ScanScreen
import TestScenes
import TestSupport
import Testing

@Suite(.enabled(if: DeviceLab.isThere, DeviceLab.missing), .serialized) struct StationScreenLabTests {
  private let panel = ScreenSize(width: 640, height: 480)

  private func scene(_ text: String, width: Int, height: Int, modulePixels: Double) throws -> [UInt8] {
    var scene = CameraScene(.qr, text)
    (scene.width, scene.height, scene.modulePixels) = (width, height, modulePixels)
    return try scene.draw()
  }

  private func pgm(_ luma: [UInt8], _ size: ScreenSize) -> [UInt8] {
    Array("P5 \(size.width) \(size.height) 255\n".utf8) + luma
  }

  /// The corners that a line of JSON tells of a scan.
  private func corners(_ line: String) throws -> [ScreenPoint] {
    struct Line: Decodable { let corners: [[Double]] }
    return try JSONDecoder().decode(Line.self, from: Data(line.utf8)).corners.map { ScreenPoint(x: $0[0], y: $0[1]) }
  }

  /// A frame as large as the panel: a pixel of one is a pixel of the other.
  @Test(arguments: ["nv12", "yuyv"])
  func `V1, V4, N5, W1: a station shows what it scans: preview, viewport and outline are at the right pixels`(
    format: String
  ) throws {
    let label = try scene("INSIDE", width: 640, height: 480, modulePixels: 7)
    // A label beside the viewport: seen, but not scanned.
    let small = try scene("BESIDE", width: 160, height: 160, modulePixels: 4)
    var beside = [UInt8](repeating: 90, count: 640 * 480)
    for y in 0..<160 { for x in 0..<160 { beside[(y + 160) * 640 + x] = small[y * 160 + x] } }
    let run = try DeviceLab.run(
      """
      devices screen >/dev/null
      cp beside.pgm picture.pgm; devices camera 640x480@10 picture.pgm >/dev/null
      reticle run --config station.yaml --screen kms >scans 2>log & station=$!
      await 20 'grep -q "the station starts" log'
      sleep 3; [ ! -s scans ]
      devices screenshot shot.ppm >/dev/null; echo "beside=$(base64 -w0 shot.ppm)"
      echo "imported=$(grep -c imported=yes /sys/kernel/debug/dri/0/state || true)"
      echo "buffers=$(awk '/^ino/ { node = $2 } /^exp_name/ { print node }' /proc/$station/fdinfo/* | sort -u | wc -l)"
      cp label.pgm next.pgm; mv next.pgm picture.pgm
      await 20 'grep -q INSIDE scans'
      sleep 3
      devices screenshot shot.ppm >/dev/null; echo "inside=$(base64 -w0 shot.ppm)"
      kill -TERM $station; wait $station
      cat log >&2; cat scans
      """,
      files: [
        "label.pgm": pgm(label, panel), "beside.pgm": pgm(beside, panel),
        "station.yaml": Array(
          """
          camera: {source: libcamera, size: 640x480, format: \(format)}
          outbox: {path: outbox.sqlite}
          screen: {mode: 640x480}
          """.utf8),
      ])
    try #require(run.status == 0, "\(run.errors)")
    let geometry = PreviewGeometry(frame: panel, panel: panel, orientation: FrameOrientation())
    let viewport = ViewportPlace(.square(ScreenLayout.viewportPart), in: geometry)
    let scans = run.lines.filter { $0.hasPrefix("{") }
    #expect(scans.count == 1 && scans[0].contains("INSIDE"))
    // The panel reads the camera's own buffers, of which there are seven, or what was made of packed pixels for the decoder:
    // no memory is there for copies.
    #expect(run["imported"].flatMap { Int($0) } ?? 0 > 0)
    let buffers = try #require(run["buffers"].flatMap { Int($0) })
    #expect(format == "nv12" ? buffers == 7 : buffers > 7 && buffers <= 12, "\(buffers)")
    let hole = viewport.rect
    for (name, luma) in [("beside", beside), ("inside", label)] {
      let shot = try Screenshot(run[name])
      #expect(shot.width == 640 && shot.height == 480)
      // The torch control lies below the viewport, the prompt above: between them is preview alone.
      for y in stride(from: Int(hole.y) + 1, to: Int(hole.bottom) - 1, by: 7) {
        for x in stride(from: 2, to: 638, by: 7) {
          let isInside = Double(x) >= hole.x && Double(x) < hole.right
          let isNearEdge = abs(Double(x) - hole.x) < 12 || abs(Double(x) - hole.right) < 12
          if isNearEdge || name == "inside" && isInside { continue }
          // The list of codes is beside the viewport.
          if name == "inside" && Double(x) > hole.right { continue }
          let expected = Int(luma[y * 640 + x]) / (isInside ? 1 : 2)
          #expect(abs(shot.grey(x, y) - expected) <= 3, "\(name): \(x), \(y)")
        }
      }
    }
    // The outline is where the record of the scan says that the code is.
    let shot = try Screenshot(run["inside"])
    let corners = try corners(scans[0]).map { ScreenPoint(x: $0.x + 0.5, y: $0.y + 0.5) }
    try #require(corners.count == 4)
    for index in 0..<4 {
      let (from, to) = (corners[index], corners[(index + 1) % 4])
      for part in [0.0, 0.3, 0.6] {
        let (x, y) = (from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part)
        #expect(shot.isAccent(Int(x), Int(y)), "\(x), \(y)")
      }
    }
  }

  /// A station with a small camera and labels that come and go; everything that may slow a debug build down is small.
  private let yaml = """
    camera: {source: libcamera, size: 320x240}
    outbox: {path: outbox.sqlite}
    console: {port: 9470}
    repeat: {absence: 300 ms}
    screen: {output: kms, mode: 640x480, terminal: /dev/tty1}

    """

  /// Labels `L0`, `L1` … and what shows them one after another.
  private func labels(_ count: Int) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [
      "empty.pgm": pgm([UInt8](repeating: 110, count: 320 * 240), ScreenSize(width: 320, height: 240))
    ]
    for number in 0..<count {
      let luma = try scene("L\(number)", width: 320, height: 240, modulePixels: 4)
      files["L\(number).pgm"] = pgm(luma, ScreenSize(width: 320, height: 240))
    }
    return files
  }

  private let words = """
    show() { cp $1.pgm next.pgm; mv next.pgm picture.pgm; }
    state() { exec 3<>/dev/tcp/127.0.0.1/9470; printf 'GET /metrics HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3; timeout 5 cat <&3 | grep -qF "reticle_screen_state{state=\\"$1\\"} 1"; }

    """

  @Test func `C3: a screen stolen again and again comes back each time, and no scan is missed meanwhile`() throws {
    let count = TestDepth.scaled(20)
    var files = try labels(5)
    files["thief.py"] = Array(screenThief.utf8)
    files["station.yaml"] = Array(yaml.replacing(", terminal: /dev/tty1", with: "").utf8)
    let run = try DeviceLab.run(
      words + """
        devices screen >/dev/null
        show empty; devices camera 320x240@10 picture.pgm >/dev/null
        reticle run --config station.yaml >scans 2>log & station=$!
        await 20 state available
        python3 thief.py $station \(count) 0.4 1.2 & thief=$!
        shown=0
        while kill -0 $thief 2>/dev/null; do
          show L$((shown % 5)); shown=$((shown + 1)); sleep 0.7; show empty; sleep 0.6
        done
        wait $thief
        await 5 state available
        devices crc >/dev/null
        kill -TERM $station; wait $station
        cat log >&2
        echo shown=$shown; echo scans=$(wc -l <scans)
        echo lost=$(grep -c 'state=heldByAnotherProgram' log); echo back=$(grep -c 'the screen is back' log)
        cat scans
        """, files: files, limit: 300 + count * 10)
    try #require(run.status == 0, "\(run.errors)")
    let shown = try #require(run["shown"].flatMap { Int($0) })
    #expect(run["stolen"] == "\(count)" && run["lost"] == "\(count)" && run["back"] == "\(count)")
    // Each presentation is scanned once, in order, whoever has the screen.
    let texts = run.lines.compactMap { $0.firstMatch(of: /"text":"(L\d)"/).map { String($0.1) } }
    #expect(shown >= count && texts == (0..<shown).map { "L\($0 % 5)" })
  }

  /// Compiles the terminal that stands for the kernel's, which the lab's kernel does not have.
  private let terminal = """
    gcc -shared -fPIC -o terminal.so terminal.c
    with_terminal() { LD_PRELOAD=$PWD/terminal.so "$@"; }

    """

  private func terminalFiles() throws -> [String: [UInt8]] {
    var files = try labels(4)
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "simulated_terminal.c")
    files["terminal.c"] = Array(try Data(contentsOf: source))
    files["station.yaml"] = Array(yaml.utf8)
    return files
  }

  @Test func `C3: switched to another terminal the station lets go of the panel and scans on, and takes it back`() throws {
    let run = try DeviceLab.run(
      words + terminal + """
        devices screen >/dev/null
        show empty; devices camera 320x240@10 picture.pgm >/dev/null
        LD_PRELOAD=$PWD/terminal.so reticle run --config station.yaml >scans 2>log & station=$!
        await 20 state available
        echo begun=$(cat terminal.mode)
        keys() { stty -F /dev/tty1 -a | grep -oE -- '-?(isig|echo|icanon)\\b' | sort | tr -d '\\n'; }
        echo keys-begun=$(keys)
        show L0; await 10 'grep -q L0 scans'; show empty; sleep 0.6
        for round in 1 2 3; do
          kill -USR1 $(cat terminal.process)
          await 5 "[ \\$(grep -c leave terminal.answers) = $round ]"
          echo 2 >terminal.active
          await 5 state applicationInBackground
          show L$round; await 10 "grep -q L$round scans"; show empty; sleep 0.6
          # Whoever is seen now has the panel to itself.
          screen-lab stream 640x480 3 | sed s/^/other-/
          echo 1 >terminal.active
          kill -USR2 $(cat terminal.process)
          await 5 state available
          devices crc >/dev/null
        done
        echo entered=$(grep -c enter terminal.answers)
        kill -TERM $station; wait $station
        echo ended=$(cat terminal.mode); [ ! -e terminal.process ]
        echo keys-ended=$(keys)
        cat log >&2; echo scans=$(wc -l <scans)
        """, files: try terminalFiles())
    try #require(run.status == 0, "\(run.errors)")
    #expect(run["begun"] == "graphics" && run["ended"] == "text")
    // What a keyboard types at the panel's terminal neither shows nor ends the station.
    #expect(run["keys-begun"] == "-echo-icanon-isig" && run["keys-ended"] == "echoicanonisig")
    #expect(run["other-path"] != nil && run["scans"] == "4" && run["entered"] == "3")
  }

  /// The commands that the unit runs when the station is gone, however that came about.
  private func lastCommands() throws -> [String] {
    let unit = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "deploy/debian/reticle.service")
    return try String(contentsOf: unit, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("ExecStopPost=") }
      .map {
        String($0).replacing("ExecStopPost=-/usr/bin/", with: "")
          .replacing("/etc/reticle/reticle.yaml", with: "station.yaml")
      }
  }

  @Test func `T1: after kill -9 the unit's last commands give the terminal back and put the torch out`() throws {
    let commands = try lastCommands()
    #expect(commands.count == 2)
    var files = try terminalFiles()
    files["station.yaml"] = Array((yaml + "torch: {line: TORCH, mode: 'on'}\n").utf8)
    let run = try DeviceLab.run(
      words + terminal + """
        devices screen >/dev/null; devices gpio 4 0=TORCH >/dev/null
        show empty; devices camera 320x240@10 picture.pgm >/dev/null
        LD_PRELOAD=$PWD/terminal.so reticle run --config station.yaml >scans 2>log & station=$!
        await 20 state available
        await 10 '[ "$(devices gpio-get TORCH)" = 1 ]'
        kill -9 $station; wait $station || echo status=$?
        echo killed=$(cat terminal.mode)
        \(commands.map { "with_terminal \($0)" }.joined(separator: "\n"))
        echo ended=$(cat terminal.mode); [ ! -e terminal.process ]
        echo torch=$(devices gpio-get TORCH)
        # The panel went back to the kernel with the process, and anybody can have it.
        screen-lab stream 640x480 3 | sed s/^/other-/
        """, files: files)
    try #require(run.status == 0, "\(run.errors)\n\(run.output)")
    #expect(run["status"] == "137" && run["killed"] == "graphics" && run["ended"] == "text")
    #expect(run["torch"] == "0" && run["other-path"] != nil)
  }

  @Test func `W2: turned by a host's command the controls turn, and neither the camera nor what is scanned is disturbed`()
    throws
  {
    var files = try labels(3)
    files["station.yaml"] = Array(
      (yaml.replacing(", terminal: /dev/tty1", with: "")
        + "sinks: [{serial: {device: /dev/ttyACM0, suffix: crlf, commands: true}}]\n").utf8)
    let run = try DeviceLab.run(
      words + """
        devices screen >/dev/null; eval "$(devices serial)"
        show empty; devices camera 320x240@10 picture.pgm >/dev/null
        exec 4<>$peer; cat <&4 >heard & reader=$!
        reticle run --config station.yaml 2>log & station=$!
        await 20 state available
        for turn in 0 1 2 3 4; do
          await 10 '[ "$(devices crc | cut -d" " -f2)" = "$(sleep 0.2; devices crc | cut -d" " -f2)" ]'
          echo turn$turn=$(devices crc | cut -d' ' -f2)
          show L$((turn % 3)); await 10 "[ \\$(grep -c '^L' heard) = $((turn + 1)) ]"; show empty; sleep 3
          printf 'turn\\r' >&4; await 5 "[ \\$(grep -c 'turn ok' heard) = $((turn + 1)) ]"; sleep 1
        done
        printf 'status\\r' >&4; await 5 grep -q screen=available heard
        kill -TERM $station; wait $station; kill $reader
        echo starts=$(grep -c 'capture has ended' log)
        tr -d '\\r\\020' <heard; cat log >&2
        """, files: files)
    try #require(run.status == 0, "\(run.errors)\n\(run.output)")
    #expect(run.lines.filter { $0.hasPrefix("L") } == ["L0", "L1", "L2", "L0", "L1"])
    // Each turn looks different, and four of them are none.
    let pictures = (0...4).compactMap { run["turn\($0)"] }
    #expect(pictures.count == 5 && Set(pictures.prefix(4)).count == 4 && pictures[0] == pictures[4])
    #expect(!run.errors.contains("camera failed"))
  }
}
