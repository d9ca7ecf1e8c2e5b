// What votes and presence are worth over labels as hands hold them, and the same labels before a camera.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct SequenceLabTests {
  /// A line of `sequence-lab measure`.
  private struct Row {
    let words: [String: Int]

    init(_ line: String) {
      words = Dictionary(
        line.split(separator: " ").compactMap { word -> (String, Int)? in
          let parts = word.split(separator: "=")
          return parts.count == 2 ? Int(parts[1]).map { (String(parts[0]), $0) } : nil
        }, uniquingKeysWith: { first, _ in first })
    }

    subscript(name: String) -> Int { words[name] ?? -1 }
  }

  @Test func `votes keep misreads out, and presence tells a label that comes again from one that was covered`() throws {
    let count = TestDepth.scaled(40)
    let place = FileManager.default.temporaryDirectory.appending(path: "reticle-sequences-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    let output = place.appending(path: "output").path
    let status = try BoundedProcess.run(
      DeviceLab.programs + "/sequence-lab", ["measure", "\(count)"], in: place.path,
      environment: ProcessInfo.processInfo.environment, output: output, errors: output, limit: .seconds(300 + count * 10))
    let text = try String(contentsOfFile: output, encoding: .utf8)
    try #require(status == 0, "\(text)")
    print(text)
    let rows = text.split(separator: "\n").map { Row(String($0)) }.filter { $0["votes"] > 0 }
    try #require(rows.count == 15)
    func row(_ votes: Int, _ milliseconds: Int) throws -> Row {
      try #require(rows.first { $0["votes"] == votes && $0["absence"] == milliseconds })
    }
    // The defaults: two votes, a second of absence.
    let chosen = try row(2, 1000)
    #expect(chosen["wrong"] == 0)
    #expect(chosen["doubled"] * 100 <= count && chosen["missed"] <= max(1, count / 50))
    // A shorter absence doubles what was covered for a while, a longer one merges what came again.
    #expect(try row(2, 100)["doubled"] > chosen["doubled"])
    #expect(try row(2, 2000)["merged"] >= chosen["merged"])
  }

  /// The same kind of labels as pictures of a USB camera, at its pace, through the whole station as it is set up by default.
  @Test(.enabled(if: DeviceLab.isThere, DeviceLab.missing))
  func `N4: before a camera, each label that a hand holds is one scan, none is doubled and none is wrong`() throws {
    let run = try DeviceLab.run(
      """
      mkdir frames; sequence-lab frames 12 5 frames
      cp frames/0-0.pgm picture.pgm; devices camera 480x320@30 picture.pgm >/dev/null
      reticle run --config station.yaml >scans 2>log & station=$!
      await 20 'grep -q "the station starts" log'; sleep 1
      while read -r name count; do
        cp frames/$name next.pgm; mv next.pgm picture.pgm
        read -rt $((count / 30)).$(printf %03d $((count % 30 * 1000 / 30))) -u 19 || true
      done <frames/play
      kill -TERM $station; wait $station || true
      cat log >&2; sed 's/^/label=/' frames/labels; cat scans
      """,
      files: [
        "station.yaml": Array("camera: {source: libcamera, size: 480x320}\noutbox: {path: outbox.sqlite}\n".utf8)
      ])
    try #require(run.status == 0, "\(run.errors)\n\(run.output)")
    let scans = run.lines.compactMap { $0.firstMatch(of: /"text":"([^"]*)"/).map { String($0.1) } }
    // UPC-E and EAN-13 are told with their check digits, Codabar without its start and stop characters.
    // An EAN-13 number that begins with 0 is one of UPC-A.
    func isSame(_ scan: String, _ label: String) -> Bool {
      scan.hasPrefix(label) || ("0" + scan).hasPrefix(label) || label.contains(scan)
    }
    var (missed, merged, shown) = (0, 0, 0)
    var (last, gap) = ("", 60.0)
    var rest = scans[...]
    for line in run.lines where line.hasPrefix("label=") {
      let words = line.dropFirst("label=".count).split(separator: " ").map(String.init)
      shown += 1
      if let scan = rest.first, isSame(scan, words[1]) {
        rest.removeFirst()
      } else if last == words[1], gap < 1.1 {
        // It was not away for a second.
        merged += 1
      } else {
        missed += 1
      }
      (last, gap) = (words[1], Double(words[2]) ?? 0)
    }
    print("before a camera: \(shown) labels, \(scans.count) scans, \(merged) merged, \(missed) missed")
    #expect(shown == 12 && rest.isEmpty, "scanned besides: \(rest) of \(scans)\n\(run.output)")
    #expect(missed <= 2)
  }
}
