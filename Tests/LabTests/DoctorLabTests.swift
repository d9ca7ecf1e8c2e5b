// The doctor over real device files: a till that is whole, and the same with each part taken away, forbidden, held or wrong.

import BarcodeTypes
import Foundation
import TestScenes
import Testing

@Suite(.enabled(if: DeviceLab.isThere, DeviceLab.missing), .serialized) struct DoctorLabTests {
  /// `doctor NAME [AS...]` keeps what the doctor says under a name; AS may be another user's command prefix.
  private let till = """
    devices gpio 4 0=TORCH 1=GOOD 2=TRIGGER >/dev/null
    eval "$(devices serial)"
    devices camera 640x480@30 empty.pgm >/dev/null
    mkdir box; chmod 777 box .
    cat > station.yaml <<YAML
    camera: {source: libcamera, size: 640x480}
    outbox: {path: box/outbox.sqlite}
    console: {port: 9470}
    torch: {line: TORCH}
    buttons: {trigger: {line: TRIGGER}}
    outputs: {good_read: {line: GOOD}}
    screen: {output: kms}
    sinks:
      - serial: {device: $device}
    YAML
    doctor() { local name=$1; shift; "$@" reticle doctor --config station.yaml --format json > $name.json 2>>errors || echo "$name=$?"; }
    says() { echo "said_$1=$(grep -o '"state":"[a-z]*","id":"[^"]*"' $1.json | sed 's/.*"id":"\\(.*\\)"/\\1/' | sort | tr '\\n' ' ')"; }

    """

  private func run(_ script: String) throws -> LabRun {
    let empty = Array("P5 640 480 255\n".utf8) + [UInt8](repeating: 130, count: 640 * 480)
    let run = try DeviceLab.run(till + script, files: ["empty.pgm": empty], limit: 120)
    #expect(run.status == 0, "\(run.errors)\n\(run.output)")
    return run
  }

  @Test func `a whole till has no fault, also while the station runs; nothing is lit and nothing sent`() throws {
    let run = try run(
      """
      cat "$peer" > sent & reader=$!
      doctor whole; says whole
      echo torch=$(devices gpio-get TORCH)
      reticle run --config station.yaml >/dev/null 2>log & station=$!
      await 20 'reticle doctor --config station.yaml | grep -q "the station uses it"'
      doctor running; says running
      kill -TERM $station; wait $station || true
      kill $reader; echo sent=$(wc -c < sent)
      """)
    #expect(run["whole"] == nil)
    #expect(run["running"] == nil)
    // The lab has no clock that is kept, and its folder may lie in memory; neither is a fault.
    for name in ["said_whole", "said_running"] {
      let said = Set((run[name] ?? "").split(separator: " ").map(String.init))
      #expect(
        said.subtracting(["outbox-forgetful", "outbox-disk-small", "screen-unplugged", "fonts-absent"]).isEmpty, "\(said)")
    }
    #expect(run["torch"] == "0")
    #expect(run["sent"] == "0")
  }

  @Test func `what is taken away, forbidden, held or wrong is found`() throws {
    let run = try run(
      """
      doctor stranger setpriv --reuid=1000 --regid=1000 --clear-groups; says stranger
      sed 's/TORCH/LAMP/; s/line: GOOD/line: "none:GOOD"/' -i station.yaml; doctor lines; says lines
      sed 's/LAMP/TORCH/; s/none:GOOD/GOOD/' -i station.yaml
      sleep 60 <>"$device" & sleeper=$!; doctor held; says held; kill $sleeper
      cam --camera 1 --capture=100000 >/dev/null 2>&1 & other=$!
      await 20 'doctor busy; grep -q camera-held busy.json'; says busy; kill $other; wait $other || true
      devices camera-unplug; doctor unplugged; says unplugged
      sed "s|$device|/dev/ttyACM7|" -i station.yaml; doctor unwired; says unwired
      sed 's|box/|nowhere/|' -i station.yaml; doctor boxless; says boxless
      echo 'confirm: maybe' >> station.yaml; doctor wrong; says wrong
      rm station.yaml; doctor missing; says missing
      """)
    func said(_ name: String) -> Set<String> { Set((run["said_" + name] ?? "").split(separator: " ").map(String.init)) }
    for name in ["stranger", "lines", "held", "unplugged", "unwired", "boxless", "wrong", "missing"] {
      #expect(run[name] == "1", "\(name): \(run.output)")
    }
    #expect(
      said("stranger").isSuperset(of: ["camera-denied", "lines-denied", "serial-denied", "screen-denied"]),
      "\(said("stranger"))")
    #expect(said("lines").isSuperset(of: ["line-absent", "line-chip-absent"]))
    #expect(said("held").contains("serial-held"))
    #expect(said("busy") == ["camera-held"])
    // The kernel's own test pattern stays, which is no camera of libcamera's until it is asked for.
    #expect(said("unplugged") == ["camera-unlisted"])
    #expect(said("unwired") == ["camera-unlisted", "serial-absent"])
    #expect(said("boxless").contains("outbox-folder-absent"))
    #expect(said("wrong") == ["configuration-wrong"])
    #expect(said("missing") == ["configuration-missing"])
  }

  /// One trouble at a time on a small station: the lines that are added to its configuration, or what is done to the machine.
  @Test func `each other trouble that can be planted is found, and nothing else is`() throws {
    let run = try run(
      """
      small() { printf 'camera: {source: libcamera, size: 640x480}\noutbox: {path: box/outbox.sqlite}\nsinks: [stdout]\n' >station.yaml; }
      # plant NAME [AS...]: with these lines more, from standard input.
      plant() { local name=$1; shift; cat >>station.yaml; doctor $name "$@"; says $name; small; }
      small; plant nothing </dev/null
      hold 0; holder=$!
      await 10 'gpioinfo | grep TORCH | grep -q used'
      plant line <<<'torch: {line: TORCH}'; kill $holder
      plant torch <<<'torch: {led: nolamp}'
      sed 's/size:/id: nowhere, size:/' -i station.yaml; plant unmatched </dev/null
      sed 's/size:/enabled: false, size:/' -i station.yaml; plant off </dev/null
      sed 's/libcamera/pictures, pictures: nowhere/' -i station.yaml; plant pictures </dev/null
      plant connector <<<'screen: {output: kms, connector: HDMI-A-9}'
      plant card <<<'screen: {output: kms, card: /dev/dri/card7}'
      sleep 60 <>/dev/dri/card0 & holder=$!
      plant screen <<<'screen: {output: kms}'; kill $holder
      python3 -m http.server --bind 127.0.0.1 9470 >/dev/null 2>&1 & holder=$!
      await 20 'grep -q :24FE /proc/net/tcp'
      plant port <<<'console: {port: 9470}'; kill $holder
      sed /sinks/d -i station.yaml; plant tty <<<"sinks: [{serial: {device: $PWD/empty.pgm}}]"
      sed /sinks/d -i station.yaml; plant unreachable <<<"sinks: [{webhook: {url: 'http://127.0.0.1:9/', headers: {X-Key: a}}}]"
      mount -t tmpfs -o ro none box; plant readonly </dev/null; umount box
      mount -t tmpfs -o size=1m none box; plant full </dev/null; umount box
      chmod 700 box; plant denied setpriv --reuid=1000 --regid=1000 --clear-groups </dev/null; chmod 777 box
      chmod 600 station.yaml; doctor unreadable setpriv --reuid=1000 --regid=1000 --clear-groups; chmod 644 station.yaml
      date -s @1000 >/dev/null; plant clock </dev/null
      """)
    // Neither is a fault, nor planted: the lab's folder may lie in memory, and nobody keeps its clock.
    let always: Set<String> = ["outbox-forgetful", "outbox-disk-small", "clock-unsynchronized"]
    for (name, expected, isFault) in [
      ("nothing", [], false), ("line", ["line-held"], true), ("torch", ["torch-absent"], true),
      ("unmatched", ["camera-unmatched"], true), ("off", ["camera-off"], false), ("pictures", ["pictures-missing"], true),
      ("connector", ["screen-connector-absent"], true), ("card", ["screen-absent"], true),
      ("screen", ["screen-held"], false), ("port", ["console-port-taken"], false), ("tty", ["serial-no-device"], true),
      ("unreachable", ["sink-unreachable", "configuration-exposed"], true), ("readonly", ["outbox-read-only"], true),
      ("full", ["outbox-disk-full"], true), ("denied", ["outbox-denied", "camera-denied"], true),
      ("clock", ["clock-unset"], true),
    ] as [(String, Set<String>, Bool)] {
      let said = Set((run["said_" + name] ?? "none").split(separator: " ").map(String.init))
      #expect(said.subtracting(always) == expected, "\(name): \(said)")
      #expect(run[name] == (isFault ? "1" : nil), "\(name)")
    }
    #expect(run["unreadable"] == "77")
  }
}
