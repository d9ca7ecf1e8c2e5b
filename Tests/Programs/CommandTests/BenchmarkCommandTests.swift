import Foundation
import Testing

@Suite("decoder-benchmark") struct BenchmarkCommandTests {
  @Test func `a folder's pictures are timed by stage, without allocations`() throws {
    let folder = try WorkFolder()
    for name in ["a.pgm", "b.pgm"] { _ = try folder.write(name, blankPicture(width: 320, height: 200)) }
    _ = try folder.write("notes.txt", Array("no picture".utf8))
    let run = try CommandRun("--json", "--repeat", "3", folder.url.path, program: "decoder-benchmark")
    #expect(run.status == 0)
    let report = try #require(try JSONSerialization.jsonObject(with: run.output) as? [String: Any])
    #expect(report["picture_count"] as? Int == 2)
    let pictures = try #require(report["pictures"] as? [[String: Any]])
    #expect(pictures.map { ($0["file"] as? String)?.suffix(5) } == ["a.pgm", "b.pgm"])
    for picture in pictures {
      #expect(picture["width"] as? Int == 320)
      // A sanitizer's build does not count.
      #expect(picture["allocations"] is NSNull || picture["allocations"] as? Int == 0)
      let least = try #require(picture["decode_ns_least"] as? Int)
      let median = try #require(picture["decode_ns_median"] as? Int)
      #expect(least > 0 && least <= median)
      let stages = try #require(picture["stages"] as? [String: [String: Int]])
      #expect(stages["tiles"]?["ns_median"] ?? 0 > 0)
    }
  }

  @Test func `the table has one line per picture and a line of means`() throws {
    let folder = try WorkFolder()
    let file = try folder.write("a.pgm", blankPicture())
    let run = try CommandRun("--repeat", "1", file, program: "decoder-benchmark")
    #expect(run.status == 0)
    #expect(run.lines.count == 3)
    #expect(run.lines[1].hasSuffix(file) && run.lines[2].contains("mean"))
  }

  @Test func `unreadable pictures are reported, and the others are measured`() throws {
    let folder = try WorkFolder()
    let file = try folder.write("a.pgm", blankPicture())
    let run = try CommandRun(folder.path("none.png"), file, program: "decoder-benchmark")
    #expect(run.status == 2)
    #expect(run.lines.count == 3)
    #expect(run.errors.contains("there is no such file"))
    #expect(try CommandRun("--repeat", "0", file, program: "decoder-benchmark").status == 64)
    #expect(try CommandRun("--symbologies", "foo", file, program: "decoder-benchmark").status == 64)
  }

  @Test func `trials print one JSON object per picture, with its candidates`() throws {
    let folder = try WorkFolder()
    // Stripes with a margin: bars without a symbol.
    var picture = Array("P5 320 200 255\n".utf8)
    for y in 0..<200 {
      for x in 0..<320 { picture.append(y >= 40 && y < 160 && x >= 40 && x < 280 && x / 4 % 2 == 0 ? 20 : 230) }
    }
    let file = try folder.write("stripes.pgm", picture)
    let run = try CommandRun("--trials", "--effort", "still", file, program: "decoder-benchmark")
    #expect(run.status == 0)
    #expect(run.lines.count == 1)
    let report = try #require(try JSONSerialization.jsonObject(with: run.output) as? [String: Any])
    #expect((report["symbols"] as? [Any])?.isEmpty == true)
    let trials = try #require(report["trials"] as? [[String: Any]])
    let bars = trials.filter { $0["kind"] as? String == "bars" && $0["is_tried"] as? Bool == true }
    #expect(bars.contains { $0["step"] as? String == "grid" })
  }
}
