import Foundation
import Testing

@Suite("reticle grade") struct GradeCommandTests {
  /// Draws a symbol of the command itself.
  private static func drawn(_ text: String, _ symbology: String, in folder: WorkFolder, scale: Int = 6) throws -> String {
    let path = folder.path("\(symbology).png")
    let run = try CommandRun("generate", text, "--symbology", symbology, "--scale", "\(scale)", "-o", path)
    try #require(run.status == 0, "\(run.errors)")
    return path
  }

  @Test(arguments: [
    ("4006381333931", "ean13"), ("96385074", "ean8"), ("036000291452", "upca"), ("01234565", "upce"), ("TK17-A", "code128"),
    ("SHELF 12", "code39"), ("1234567890", "itf"), ("9501101530003", "itf14"), ("SERIAL 4711", "datamatrix"),
    ("https://example.org", "qr"),
  ])
  func `a clean symbol of each kind has 4.0, and says what the grade is good for`(text: String, symbology: String) throws {
    let folder = try WorkFolder()
    let path = try Self.drawn(text, symbology, in: folder)
    let run = try CommandRun("grade", path)
    #expect(run.status == 0, "\(run.errors)")
    let line = try #require(run.lines.first)
    #expect(line.hasPrefix("\(path)\t\(symbology)\t") && line.contains("\t4.0\tA\tISO/IEC 1541"), "\(run.text)")
    #expect(run.text.contains("process control, not for verification"))
  }

  @Test func `JSON has parameters, profiles and segments`() throws {
    let folder = try WorkFolder()
    let linear = try Self.drawn("4006381333931", "ean13", in: folder)
    let matrix = try Self.drawn("SERIAL 4711", "datamatrix", in: folder)
    let run = try CommandRun("grade", "--format", "json", linear, matrix)
    #expect(run.status == 0)
    let codes = run.objects.compactMap { ($0["codes"] as? [[String: Any]])?.first }
    try #require(codes.count == 2)
    let quality = codes.compactMap { $0["quality"] as? [String: Any] }
    #expect(codes[0]["text"] as? String == "4006381333931")
    #expect(quality[0]["grade"] as? Double == 4 && quality[0]["letter"] as? String == "A")
    #expect((quality[0]["profiles"] as? [Any])?.count == 10)
    #expect((quality[1]["segments"] as? [Any])?.count == 5)
    #expect(quality[1]["rows"] as? Int == 14 || quality[1]["rows"] as? Int == 16)
    #expect(run.objects.allSatisfy { ($0["limitation"] as? String)?.contains("not for verification") == true })
  }

  @Test func `reports are PDF and SVG by the file's name, and hold every symbol`() throws {
    let folder = try WorkFolder()
    let files = [
      try Self.drawn("4006381333931", "ean13", in: folder), try Self.drawn("SERIAL 4711", "datamatrix", in: folder),
    ]
    for (name, beginning) in [("report.pdf", "%PDF"), ("report.svg", "<?xml")] {
      let run = try CommandRun(arguments: ["grade", "--report", folder.path(name)] + files)
      #expect(run.status == 0, "\(run.errors)")
      let bytes = try Data(contentsOf: URL(filePath: folder.path(name)))
      #expect(bytes.starts(with: Data(beginning.utf8)) && bytes.count > 5000)
    }
    let svg = try String(contentsOfFile: folder.path("report.svg"), encoding: .utf8)
    // Two pages, one below the other.
    #expect(svg.contains("1684"))
    #expect(try CommandRun("grade", "--report", folder.path("report.txt"), files[0]).status == 64)
  }

  @Test func `symbols that are not graded are reported with the reason and by the status`() throws {
    let folder = try WorkFolder()
    let path = try Self.drawn("TEXT", "pdf417", in: folder)
    let unknown = try CommandRun("grade", path)
    #expect(unknown.status == 1 && unknown.text == "\(path)\tpdf417\tTEXT\t-\tgrading of pdf417 is not supported\n")
    let other = try CommandRun("grade", "--symbologies", "qr", path)
    #expect(other.status == 1 && other.text.isEmpty)
    let json = try CommandRun("grade", "--format", "json", path)
    let code = (json.objects.first?["codes"] as? [[String: Any]])?.first
    #expect(code?["not_graded"] as? String == "grading of pdf417 is not supported" && code?["quality"] == nil)
    let missing = try CommandRun("grade", folder.path("missing.png"))
    #expect(missing.status == 2 && missing.errors.contains("missing.png"))
    #expect(try CommandRun("grade", "--aperture", "3", path).status == 64)
  }

  @Test func `a report without a graded symbol is not written, and says so`() throws {
    let folder = try WorkFolder()
    let path = try Self.drawn("TEXT", "pdf417", in: folder)
    let report = folder.path("report.pdf")
    let run = try CommandRun("grade", "--report", report, path)
    #expect(run.status == 1 && !FileManager.default.fileExists(atPath: report))
    #expect(run.errors.contains("report.pdf is not written, because no symbol was graded"), "\(run.errors)")
    let missing = try CommandRun("grade", "--report", report, folder.path("missing.png"))
    #expect(missing.status == 2 && missing.errors.contains("report.pdf is not written"), "\(missing.errors)")
  }

  @Test func `a report that leaves symbols out says so on every page and on standard error`() throws {
    let folder = try WorkFolder()
    let path = try Self.drawn("96385074", "ean8", in: folder, scale: 3)
    let report = folder.path("report.pdf")
    let run = try CommandRun(arguments: ["grade", "--report", report] + Array(repeating: path, count: 502))
    #expect(run.status == 0 && run.errors.contains("report.pdf shows the first 500 of 502 graded symbols"), "\(run.errors)")
    func pages() throws -> [Substring] {
      let text = try CommandRun(arguments: [report, "-"], program: URL(filePath: "/usr/bin/pdftotext")).text
      return text.split(separator: "\u{0C}")
    }
    let note = "This report shows 500 of 502 graded symbols."
    #expect(try pages().count == 500 && pages().allSatisfy { $0.contains(note) })
    // A report of all symbols has no such line.
    #expect(try CommandRun("grade", "--report", report, path).errors.isEmpty)
    #expect(try pages().count == 1 && !pages()[0].contains("This report shows"))
  }

  @Test func `small modules are graded with a remark, and tiny ones not at all`() throws {
    let folder = try WorkFolder()
    let small = try CommandRun("grade", try Self.drawn("TEXT", "qr", in: folder, scale: 3))
    #expect(small.status == 0 && small.text.contains("A module has 3.0 pixels"), "\(small.text)")
    let tiny = try CommandRun("grade", try Self.drawn("TEXT", "datamatrix", in: folder, scale: 1))
    #expect(tiny.status == 1 && tiny.text.contains("grading needs 2"), "\(tiny.text)")
  }
}
