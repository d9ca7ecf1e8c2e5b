// The effect of votes and presence on labels held by hand, drawn and in front of a camera.

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

  @Test func `votes prevent misreads, and presence distinguishes a label that comes again from one that was covered`() throws
  {
    let count = TestDepth.scaled(40)
    let run = try DeviceLab.runOutside("sequence-lab", ["measure", "\(count)"], limit: .seconds(300 + count * 10))
    print(run.output)
    let rows = run.lines.map { Row($0) }.filter { $0["votes"] > 0 }
    try #require(rows.count == 15)
    func row(_ votes: Int, _ milliseconds: Int) throws -> Row {
      try #require(rows.first { $0["votes"] == votes && $0["absence"] == milliseconds })
    }
    // The defaults: two votes, a second of absence.
    let chosen = try row(2, 1000)
    #expect(chosen["wrong"] == 0)
    #expect(chosen["doubled"] * 100 <= count && chosen["missed"] <= max(1, count / 50))
    // A shorter absence doubles labels that were covered for a while; a longer one merges labels that came again.
    #expect(try row(2, 100)["doubled"] > chosen["doubled"])
    #expect(try row(2, 2000)["merged"] >= chosen["merged"])
  }

  @Test func `N12: a package is sent within 500 ms of its presentation, in each mode and at the frame rates of boards`()
    throws
  {
    let run = try DeviceLab.runOutside("sequence-lab", ["retail", "\(TestDepth.scaled(3))"], limit: .seconds(600))
    print(run.output)
    let rows = run.lines.map { Row($0) }.filter { $0["mode"] > 0 }
    try #require(rows.count == 18)
    for row in rows {
      let (mode, rate) = (row["mode"], row["rate"])
      #expect((0...500).contains(row["p99"]), "mode \(mode) at \(rate) frames per second")
      #expect(row["lost"] == 0 && row["doubled"] == 0, "mode \(mode) at \(rate) frames per second")
    }
  }

  /// A label that a hand held in front of the camera.
  private struct HeldLabel {
    let text: String
    /// Seconds of an empty view after it.
    let gap: Double

    init(_ line: String) throws {
      let words = line.split(separator: " ").map(String.init)
      try #require(words.count > 2)
      (text, gap) = (words[1], Double(words[2]) ?? 0)
    }

    /// Scans of UPC-E and EAN-13 include their check digits, those of Codabar exclude start and stop characters. An EAN-13
    /// number that begins with 0 is a UPC-A number.
    func isSame(as scan: String) -> Bool {
      scan.hasPrefix(text) || ("0" + scan).hasPrefix(text) || text.contains(scan)
    }
  }

  /// The same kind of labels as pictures of a USB camera, at its pace, through the whole station with its default settings.
  @Test(.inTheLab)
  func `N4: each label held in front of a camera is one scan, none is doubled and none is wrong`() throws {
    let count = 12
    var lab = LabScript()
    lab.shell("mkdir frames; sequence-lab frames \(count) 5 frames; cp frames/0-0.pgm picture.pgm")
    lab.cameraFormat = "480x320@30"
    lab.plugCameraAgain()
    lab.startStation("camera: {source: libcamera, size: 480x320}\noutbox: {path: outbox.sqlite}\n")
    lab.await(.stationStarted, within: 20)
    lab.pause(1)
    lab.add(source: "play_frames.py")
    lab.run("python3", "play_frames.py", "frames", "picture.pgm")
    lab.stopStation()
    let run = try lab.run()
    let scans = try run.scans().map(\.text)
    let labels = try run.lines(of: "frames/labels").map { try HeldLabel($0) }
    var (missed, merged) = (0, 0)
    var (last, gap) = ("", 60.0)
    var rest = scans[...]
    for label in labels {
      if let scan = rest.first, label.isSame(as: scan) {
        rest.removeFirst()
      } else if last == label.text, gap < 1.1 {
        // It was not absent for a second.
        merged += 1
      } else {
        missed += 1
      }
      (last, gap) = (label.text, label.gap)
    }
    print("before a camera: \(labels.count) labels, \(scans.count) scans, \(merged) merged, \(missed) missed")
    #expect(labels.count == count && rest.isEmpty, "scanned besides: \(rest) of \(scans)")
    #expect(missed <= 2)
  }
}
