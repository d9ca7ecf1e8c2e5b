// The serial sink over a real driver: a USB serial port whose two ends are both at hand, the adapter (ttyACM) and the gadget
// (ttyGS), one the station's and the other the host's.

import BarcodeTypes
import Foundation
import TestScenes
import Testing

@Suite(.enabled(if: DeviceLab.isThere, DeviceLab.missing), .serialized) struct SerialLabTests {
  private func label(_ text: String) throws -> [UInt8] {
    var scene = CameraScene(.qr, text)
    scene.modulePixels = 6
    return try scene.pgm()
  }

  /// `host` writes to `received` each line that comes, without STX and CR, and acknowledges it. Its end of the line, `far`,
  /// is opened anew after the cable was pulled: an adapter may then have another number.
  private let host = """
    host() {
      local end
      while [ ! -e ended ]; do
        end=$(compgen -G "$far" | head -n 1)
        if [ -c "$end" ] && exec 3<>"$end"; then
          stty raw -echo <&3 || true
          while IFS= read -r -t 1 line <&3; do
            line=${line%$'\\r'}; printf '%s\\n' "${line#$'\\002'}" >>received
            printf '\\006' >&3 || break
          done
          exec 3>&- || true
        fi
        sleep 0.05
      done
    }
    # has TEXT: a line of that text was received.
    has() { grep -qxF -- "$1" received; }

    """

  private func run(_ script: String, _ files: [String: [UInt8]] = [:], yaml: String = "", limit: Int = 300) throws -> LabRun
  {
    var files = files
    files["station.yaml"] = Array(yaml.utf8)
    let run = try DeviceLab.run(host + script, files: files, limit: limit)
    #expect(run.status == 0, "\(run.errors)\n\(run.output)")
    return run
  }

  private func yaml(_ device: String) -> String {
    """
    camera: {pictures: [ONE.pgm, TWO.pgm, THREE.pgm], repeat: once}
    outbox: {path: outbox.sqlite}
    sinks:
      - serial: {device: "\(device)", prefix: '\\x02', suffix: crlf, acknowledge: true}
    """
  }

  @Test(arguments: [("/dev/ttyACM0", "peer"), ("usb:0525:a4a7:0", "peer"), ("/dev/ttyGS0", "device")])
  func `scans go over an adapter, by its path and by its USB identity, and over a gadget port`(
    _ device: String, _ far: String
  ) throws {
    let texts = ["ONE", "TWO", "THREE"]
    let run = try run(
      """
      eval "$(devices serial)"; far=$\(far)
      host & host=$!
      reticle run --config station.yaml 2>log || { cat log >&2; exit 1; }
      touch ended; wait $host
      cat received
      """, Dictionary(uniqueKeysWithValues: try texts.map { ($0 + ".pgm", try label($0)) }), yaml: yaml(device))
    #expect(run.lines == texts)
  }

  @Test(
    arguments: [
      ("parity: even, data_bits: 7, stop_bits: 2, flow_control: software", "cs7 parenb -parodd cstopb ixon ixoff -crtscts"),
      ("parity: odd, flow_control: hardware", "cs8 parenb parodd -cstopb -ixon -ixoff crtscts"),
      ("parity: none", "cs8 -parenb -cstopb -ixon -ixoff -crtscts"),
    ])
  func `a line is set as it is configured`(_ keys: String, _ expected: String) throws {
    let run = try run(
      """
      eval "$(devices serial)"
      reticle run --config station.yaml 2>log & station=$!
      await 20 "stty -F $device | grep -q 'speed 115200 '"
      stty -F $device -a
      kill -TERM $station; wait $station
      """, ["ONE.pgm": try label("ONE")],
      yaml: """
        camera: {pictures: [ONE.pgm]}
        outbox: {path: outbox.sqlite}
        sinks:
          - serial: {device: /dev/ttyACM0, baud: 115200, \(keys), commands: true}
        """)
    let words = Set(run.output.split { " ;\n".contains($0) })
    for word in expected.split(separator: " ") { #expect(words.contains(word), "\(word)") }
  }

  @Test(arguments: [("/dev/ttyACM0", "peer"), ("/dev/ttyGS0", "device")])
  func `a host triggers, switches off and on, and asks how the station is, over an adapter and a gadget port`(
    _ device: String, _ far: String
  ) throws {
    let run = try run(
      """
      eval "$(devices serial)"
      exec 3<>$\(far)
      cat <&3 >heard & reader=$!
      reticle run --config station.yaml 2>log & station=$!
      say() { printf '%s\\r' "$1" >&3; }
      hears() { [ "$(tr -d '\\020\\r' <heard | grep -cxE -- "$1")" = "$2" ]; }
      await 20 hears ONE 1
      say status; await 5 hears "'status session=waiting torch=unavailable undelivered=0 durability=[a-z-]*'" 1
      say TRIGGER; await 5 hears "'trigger ok'" 1; await 5 hears ONE 2
      say disable; await 5 hears "'disable ok'" 1
      say trigger; await 5 hears "'trigger ok'" 2
      say status; await 5 hears "'status session=disabled .*'" 1
      say nonsense; await 5 hears "'error unknown command'" 1
      hears ONE 2
      say enable; await 5 hears "'enable ok'" 1; await 5 hears ONE 3
      kill -TERM $station; wait $station
      kill $reader
      """, ["ONE.pgm": try label("ONE")],
      yaml: """
        camera: {pictures: [ONE.pgm]}
        session: {reopen: on trigger}
        outbox: {path: outbox.sqlite}
        sinks:
          - serial: {device: \(device), suffix: crlf, commands: true}
        """)
    #expect(run.status == 0)
  }

  /// The cable is pulled at random while scans are delivered as fast as the host takes them: the adapter goes and comes at
  /// the station, or at the host where the station itself is the USB device.
  @Test(arguments: [("usb:0525:a4a7:0", "/dev/ttyGS0"), ("/dev/ttyGS0", "/dev/ttyACM*")])
  func `no scan is lost when the cable of an adapter or a gadget port is pulled again and again`(
    _ device: String, _ far: String
  ) throws {
    let run = try run(
      """
      eval "$(devices serial)"; far='\(far)'
      gadget=/sys/kernel/config/usb_gadget/serial0; udc=$(cat $gadget/UDC)
      touch received
      host 2>/dev/null & host=$!
      outbox-writer outbox.sqlite \(device) 400 >appended & writer=$!
      for pull in 1 2 3 4 5 6; do
        sleep 0.$((RANDOM % 6 + 2))
        echo "" >$gadget/UDC; sleep 0.$((RANDOM % 3 + 1)); echo $udc >$gadget/UDC
      done
      wait $writer
      touch ended; wait $host
      uniq received >once
      diff appended once >&2
      echo "appended=$(wc -l <appended)"; echo "received=$(wc -l <received)"; echo "once=$(wc -l <once)"
      """, limit: 200)
    #expect(run["appended"] == "400" && run["once"] == "400")
  }
}
