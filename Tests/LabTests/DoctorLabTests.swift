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
}
