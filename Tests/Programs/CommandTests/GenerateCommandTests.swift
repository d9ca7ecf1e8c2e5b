import Foundation
import Testing

@Suite("reticle generate") struct GenerateCommandTests {
  @Test func `the extension or --format selects PNG or SVG, and - means standard output`() throws {
    let folder = try WorkFolder()
    for (name, start) in [("a.png", "\u{89}PNG"), ("a.PNG", "\u{89}PNG"), ("a.svg", "<?xml")] {
      #expect(try CommandRun("generate", "hello", "-o", folder.path(name)).status == 0)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
      #expect(bytes.starts(with: start.unicodeScalars.map { UInt8($0.value) }))
    }
    #expect(try CommandRun("generate", "hello", "-o", folder.path("b"), "--format", "svg").status == 0)
    let png = try CommandRun("generate", "hello", "-o", "-")
    #expect(png.output.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    let svg = try CommandRun("generate", "hello", "-o", "-", "--format", "svg", "--scale", "3", "--quiet-zone", "2")
    #expect(svg.text.contains("width=\"75\" height=\"75\" viewBox=\"0 0 25 25\""))
  }

  @Test(
    arguments: [
      (["", "-o", "x.png"], "at least one character"), (["a", "-o", "x.bmp"], ".png, .svg, .pdf or .zpl"),
      (["a"], "--output"),
      (["a", "-o", "x.png", "--scale", "0"], "from 1 to 200"), (["a", "-o", "x.png", "--scale", "big"], "--scale"),
      (["a", "-o", "x.png", "--quiet-zone", "999"], "from 0 to 200"),
      (["a", "-o", "x.png", "--correction", "Z"], "L, M, Q and H"), (["a", "-o", "x.png", "--symbology", "foo"], "aztec"),
      (["123", "-o", "x.png", "--symbology", "ean13"], "12 or 13 digits"),
      (["4006381333932", "-o", "x.png", "--symbology", "ean13"], "would be 1"),
      (["世", "-o", "x.png", "--symbology", "code128"], "Latin-1"),
      (["(01)123", "-o", "x.png", "--gs1"], "(01)09501101530003"),
      (["a", "-o", "x.png", "--scale", "200", "--quiet-zone", "200"], "smaller scale"),
      (["-o", "x.png"], "--input"), (["a", "b", "-o", "x.png"], "choose pdf or zpl"),
      (["a", "-o", "x.png", "--module", "0.3"], "give --scale"), (["a", "-o", "x.pdf", "--scale", "3"], "give --module"),
      (["a", "-o", "x.pdf", "--dpi", "300"], "--dpi is for ZPL"), (["a", "-o", "x.svg", "--sheet", "a4"], "name a .pdf"),
      (["a", "-o", "x.pdf", "--rows", "3"], "give --sheet"), (["a", "-o", "x.pdf", "--sheet", "b9"], "105x148"),
      (["a", "-o", "x.pdf", "--sheet", "1x1"], "105x148"), (["a", "-o", "x.pdf", "--module", "0"], "from 0.05 to 20"),
      (["a", "-o", "x.pdf", "--sheet", "a6", "--module", "2"], "choose a smaller module"),
      (
        ["128-10", "-o", "x.png", "--symbology", "dx-film-edge"],
        "product number of dx-film-edge is out of range; give 1 to 127"
      ),
      (["115-10/64", "-o", "x.png", "--symbology", "dx-film-edge"], "give 0 to 63"),
      (["", "-o", "x.png", "--symbology", "dx-film-edge"], "at least one character"),
    ])
  func `a symbol that cannot be printed is refused with status 64 and a remedy`(arguments: [String], part: String) throws {
    let folder = try WorkFolder()
    let process = Process()
    process.executableURL = CommandRun.command
    process.arguments = ["generate"] + arguments
    process.currentDirectoryURL = folder.url
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let guardian = process.endsWithin(CommandRun.limit)
    defer { guardian.cancel() }
    let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 64)
    #expect(message.contains(part))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test func `a PDF has a page for each label, of its size, and sheets have places`() throws {
    let folder = try WorkFolder()
    let file = folder.path("labels.pdf")
    #expect(try CommandRun("generate", "4006381333931", "12345678901", "-o", file, "--symbology", "ean13").status == 64)
    let made = try CommandRun(
      "generate", "4006381333931", "9501101530003", "-o", file, "--symbology", "ean13", "--module", "0.5")
    #expect(made.status == 0, "\(made.errors)")
    let pages = try CommandRun("scan", "--format", "json", file)
    let object = try #require(pages.objects.first)
    // 117 modules of half a millimetre, at 300 dots per inch.
    #expect(object["pages"] as? Int == 2 && abs((object["width"] as? Int ?? 0) - 691) <= 1, "\(pages.text)")
    let codes = object["codes"] as? [[String: Any]] ?? []
    #expect(codes.map { $0["text"] as? String } == ["4006381333931", "9501101530003"])
    #expect(codes.map { $0["page"] as? Int } == [1, 2])
    // The text stays text.
    let text = try CommandRun(arguments: ["-layout", file, "-"], program: URL(filePath: "/usr/bin/pdftotext"))
    #expect(text.text.filter(\.isNumber).contains("4006381333931"), "\(text.text)")
    let lines = (1...7).map { "SHELF-\($0)" }.joined(separator: "\n")
    let sheets = try CommandRun(
      "generate", "--input", "-", "--symbology", "code128", "--sheet", "a6", "--columns", "2", "--rows", "3", "--module",
      "0.2",
      "-o", file, input: lines)
    #expect(sheets.status == 0, "\(sheets.errors)")
    let read = try CommandRun("scan", "--format", "json", file)
    let places = read.objects.first?["codes"] as? [[String: Any]] ?? []
    #expect(read.objects.first?["width"] as? Int == 1241 && read.objects.first?["pages"] as? Int == 2)
    #expect(Set(places.map { $0["text"] as? String ?? "" }) == Set((1...7).map { "SHELF-\($0)" }))
    #expect(places.filter { $0["page"] as? Int == 2 }.map { $0["text"] as? String } == ["SHELF-7"])
    // The second place is right of the first, the third below it.
    func corner(_ text: String) -> [Double] {
      (places.first { $0["text"] as? String == text }?["corners"] as? [[Double]])?.first ?? [0, 0]
    }
    #expect(corner("SHELF-2")[0] > corner("SHELF-1")[0] + 500 && corner("SHELF-3")[1] > corner("SHELF-1")[1] + 400)
  }

  @Test(
    arguments: [
      ("4006381333931", "ean13", "4006381333931"), ("012345678905", "upca", "0012345678905"),
      ("15400141288763", "itf14", "15400141288763"),
      ("0950110153000", "databar", "0109501101530003"), ("maxi", "maxicode", "maxi"), ("HELLO", "datamatrix", "HELLO"),
    ])
  func `PDF and SVG read back as they were drawn`(text: String, symbology: String, read: String) throws {
    let folder = try WorkFolder()
    for ending in ["pdf", "svg"] {
      let file = folder.path("label.\(ending)")
      #expect(try CommandRun("generate", text, "--symbology", symbology, "-o", file).status == 0)
      var picture = file
      if ending == "svg" {
        picture = folder.path("label.png")
        let drawn = try CommandRun(arguments: [file, "-o", picture], program: URL(filePath: "/usr/bin/rsvg-convert"))
        #expect(drawn.status == 0, "\(drawn.errors)")
      }
      let codes =
        try CommandRun("scan", "--format", "json", "--symbologies", symbology, picture)
        .objects.first?["codes"] as? [[String: Any]]
      #expect(
        codes?.count == 1 && (codes?.first?["text"] as? String).map(read.hasSuffix) == true, "\(ending): \(codes ?? [])")
    }
  }

  @Test func `bearer bars are chosen, and are for ITF alone`() throws {
    let generate = { (symbology: String, bars: String) in
      try CommandRun(
        "generate", "15400141288763", "--symbology", symbology, "--format", "svg", "-o", "-", "--bearer-bars", bars)
    }
    let runs = try ["none", "horizontal", "frame"].map { try generate("itf14", $0).text }
    #expect(Set(runs).count == 3 && runs.allSatisfy { $0.hasPrefix("<?xml") })
    #expect(try generate("itf", "frame").status == 0)
    #expect(try generate("code128", "frame").errors.contains("for itf14 and itf"))
  }

  @Test func `ZPL has a label for each text, with modules of whole dots`() throws {
    let run = try CommandRun("generate", "A", "B", "--format", "zpl", "-o", "-", "--module", "0.5", "--dpi", "300")
    #expect(run.status == 0 && run.text.matches(of: #/\^XA\n/#).count == 2 && run.text.hasSuffix("^FS\n^XZ\n"))
    // 29 modules of 6 dots are 22 bytes.
    #expect(run.text.contains("^FO0,0^GFA,3828,3828,22,\n"))
  }

  @Test func `an error names the text of a file that cannot be printed by its number`() throws {
    let folder = try WorkFolder()
    let run = try CommandRun(
      "generate", "--input", "-", "--symbology", "ean13", "-o", folder.path("a.pdf"), input: "4006381333931\n12x\n")
    #expect(run.status == 64 && run.errors == "reticle: text 2: ean13 cannot encode 'x'; it takes digits\n", "\(run.errors)")
    let missing = try CommandRun("generate", "--input", "/nonexistent/a.txt", "-o", folder.path("a.pdf"))
    #expect(missing.status == 74 && missing.errors.contains("No such file"))
    #expect(try CommandRun("generate", "--input", "-", "-o", folder.path("a.pdf")).errors.contains("give one per line"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test func `text too long for the symbol is refused`() throws {
    let run = try CommandRun("generate", String(repeating: "a", count: 2400), "-o", "-")
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("too long for qr"))
  }

  @Test(arguments: [
    (["generate", "12x", "--symbology", "ean13", "-o", "a.png"], "Usage: reticle generate"),
    (["boards", "raspberry-pie"], "Usage: reticle boards"),
    (["config", "init", "--board", "raspberry-pie"], "Usage: reticle config init"),
    (["outbox", "show", "first"], "Usage: reticle outbox show"),
  ])
  func `wrong usage is reported with the usage of that command`(arguments: [String], usage: String) throws {
    let run = try CommandRun(arguments: arguments)
    #expect(run.status == 64)
    #expect(run.errors.contains(usage), "\(run.errors)")
  }

  @Test func `a Data Matrix is a square`() throws {
    for text in ["A", "ABCDEFGHIJKL", String(repeating: "A", count: 20)] {
      let run = try CommandRun("generate", text, "--symbology", "datamatrix", "--scale", "1", "--format", "svg", "-o", "-")
      let size = try #require(run.text.firstMatch(of: /width="([0-9]+)" height="([0-9]+)"/))
      #expect(size.1 == size.2, "\(text)")
    }
  }

  @Test func `an output file that cannot be written is reported with status 74`() throws {
    let run = try CommandRun("generate", "a", "-o", "/nonexistent/a.png")
    #expect(run.status == 74)
    #expect(run.errors.hasPrefix("reticle: cannot write '/nonexistent/a.png': No such file"))
  }
}
