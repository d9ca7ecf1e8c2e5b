import BarcodeTypes
import Foundation
import SymbolPrinter
import Testing

@Suite("reticle scan") struct ScanCommandTests {
  @Test func `a picture without a code gives an empty list of codes and status 1`() throws {
    let folder = try WorkFolder()
    let file = try folder.write("blank.pgm", blankPicture())
    let run = try CommandRun("scan", "--format", "json", file)
    #expect(run.status == 1)
    #expect(run.errors.isEmpty)
    let object = try #require(run.objects.first)
    #expect(Set(object.keys) == ["file", "width", "height", "decode_ns", "codes"])
    #expect(object["file"] as? String == file)
    #expect(object["width"] as? Int == 40)
    #expect(object["height"] as? Int == 30)
    #expect((object["codes"] as? [Any])?.isEmpty == true)
    #expect((object["decode_ns"] as? Int ?? 0) > 0)
    let text = try CommandRun("scan", file)
    #expect(text.status == 1)
    #expect(text.text.isEmpty && text.errors.isEmpty)
  }

  @Test func `answers keep the order of the files, and an unreadable file gives an error object and status 2`() throws {
    let folder = try WorkFolder()
    let good = try folder.write("a.pgm", blankPicture())
    let empty = try folder.write("empty.png", [])
    let truncated = try folder.write("cut.png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0])
    let wrong = try folder.write("text.jpg", Array("hello".utf8))
    let huge = try folder.write("huge.pgm", Array("P5 99999 99999 255\n".utf8))
    let missing = folder.path("none.png")
    let bare = folder.path("bare")
    try FileManager.default.createDirectory(atPath: bare, withIntermediateDirectories: false)
    let files = [good, empty, truncated, wrong, huge, missing, bare, good]
    let run = try CommandRun("scan", "--format", "json", "-", input: files.joined(separator: "\n"))
    #expect(run.status == 2)
    let objects = run.objects
    #expect(objects.map { $0["file"] as? String } == files)
    let parts = ["empty", "end too early", "not a picture", "limit", "no such file", "no pictures there"]
    for (index, part) in parts.enumerated() {
      let message = try #require(objects[index + 1]["error"] as? String)
      #expect(message.contains(part) && message.contains("; "))
      #expect(objects[index + 1]["codes"] == nil)
    }
    #expect(objects[7]["codes"] != nil)
  }

  @Test func `in text format, an unreadable file is reported only on standard error`() throws {
    let run = try CommandRun("scan", "/nonexistent/\u{1B}[31m.png")
    #expect(run.status == 2)
    #expect(run.text.isEmpty)
    #expect(
      run.errors == "reticle: /nonexistent/\\x1b[31m.png: there is no such file; "
        + "check the name and the folder it is looked for in\n")
  }

  @Test func `with -, each answer is printed before the next name is read`() throws {
    let folder = try WorkFolder()
    let file = try folder.write("a.pgm", blankPicture())
    let process = Process()
    process.executableURL = CommandRun.command
    process.arguments = ["scan", "--format", "json", "-"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let guardian = process.endsWithin(CommandRun.limit)
    defer { guardian.cancel() }
    for _ in 0..<3 {
      input.fileHandleForWriting.write(Data((file + "\n").utf8))
      let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      #expect(answer.hasPrefix("{\"file\":") && answer.hasSuffix("}\n"))
    }
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 1)
  }

  @Test func `a folder gives its pictures by name`() throws {
    let folder = try WorkFolder()
    for name in ["b.pgm", "a.pgm", "notes.txt"] { _ = try folder.write(name, blankPicture()) }
    let run = try CommandRun("scan", "--format", "json", folder.url.path)
    #expect(run.objects.map { $0["file"] as? String } == [folder.path("a.pgm"), folder.path("b.pgm")])
  }

  @Test func `with -0, names on standard input end in a zero byte and may hold line feeds`() throws {
    let folder = try WorkFolder()
    let files = [try folder.write("a\nb.pgm", blankPicture()), try folder.write("c\r", blankPicture())]
    let run = try CommandRun("scan", "-0", "--format", "json", "-", input: files.map { $0 + "\0" }.joined())
    #expect(run.objects.map { $0["file"] as? String } == files && run.status == 1, "\(run.text)")
  }

  @Test func `with --stdin, a picture comes from standard input`() throws {
    let picture = "P2 2 2 255 255 255 255 255\n"
    let run = try CommandRun("scan", "--stdin", "--format", "json", "-", input: picture)
    #expect(run.objects.map { $0["file"] as? String } == ["-"] && run.objects.first?["width"] as? Int == 2, "\(run.text)")
    #expect(try CommandRun("scan", "--stdin", "-", input: "no picture").status == 2)
  }

  @Test func `a picture on standard input, where names are read, is one error that names --stdin`() throws {
    let picture = "P2 2 2 255\n255 255\n255 255\n"
    let run = try CommandRun("scan", "-", input: picture)
    #expect(run.status == 64)
    #expect(run.text.isEmpty)
    #expect(
      run.errors
        == "reticle: standard input is a PGM picture, and - reads names of files from it; add --stdin to scan the picture\n")
    // A file may have such a name.
    let folder = try WorkFolder()
    let file = try folder.write("P2 2.pgm", Array(picture.utf8))
    let named = try CommandRun(
      arguments: ["-c", "cd \"$1\" && echo 'P2 2.pgm' | \"$0\" scan -", CommandRun.command.path, folder.url.path],
      program: URL(filePath: "/bin/sh"))
    #expect(named.status == 1, "\(file): \(named.errors)")
  }

  @Test func `names on standard input may be empty, end in CR LF, lack the last line feed or be too long`() throws {
    let folder = try WorkFolder()
    let file = try folder.write("a b.pgm", blankPicture())
    let long = String(repeating: "x", count: 70_000)
    let run = try CommandRun("scan", "--format", "json", "-", input: "\n\r\n\(file)\r\n\(long)\n\n\(file)")
    #expect(run.objects.map { $0["file"] as? String } == [file, "-", file])
    #expect((run.objects[1]["error"] as? String)?.contains("4096 bytes") == true)
    #expect(run.status == 2)
    #expect(try CommandRun("scan", "-").status == 1)
  }

  @Test func `JSON returns file names with quotes, backslashes and control characters unchanged`() throws {
    let folder = try WorkFolder()
    let file = try folder.write("a\"b\\c\u{1B}\té.pgm", blankPicture())
    let run = try CommandRun("scan", "--format", "json", file)
    #expect(run.objects.first?["file"] as? String == file)
    #expect(!run.text.contains("\u{1B}"))
  }

  @Test func `a larger picture after a small one grows the workspace`() throws {
    let folder = try WorkFolder()
    let small = try folder.write("small.pgm", blankPicture(width: 1, height: 1))
    let large = try folder.write("large.pgm", blankPicture(width: 2500, height: 1800))
    let run = try CommandRun("scan", "--format", "json", small, large, small)
    #expect(run.objects.map { $0["width"] as? Int } == [1, 2500, 1])
    #expect(run.status == 1)
  }

  @Test(
    arguments: [
      (["scan"], "file"), (["scan", "--format", "xml", "a.png"], "json"), (["scan", "--effort", "lazy", "a.png"], "still"),
      (["scan", "--addons", "maybe", "a.png"], "require"), (["scan", "--symbologies", "foo", "a.png"], "ean13"),
      (["scan", "--option", "code39.chek=verify", "a.png"], "did you mean code39.check"),
      (["scan", "--option", "itf.length=20-10", "a.png"], "a range such as 4-20"),
      (["scan", "--symbologies", "", "a.png"], "qr"), (["scan", "--nope", "a.png"], "Usage"), (["nope"], "Usage"),
    ])
  func `wrong usage has status 64 and a message that names the remedy`(arguments: [String], part: String) throws {
    let process = Process()
    process.executableURL = CommandRun.command
    process.arguments = arguments
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let guardian = process.endsWithin(CommandRun.limit)
    defer { guardian.cancel() }
    let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 64)
    #expect(message.contains(part))
  }

  @Test func `a full disk is reported with status 74`() throws {
    let folder = try WorkFolder()
    let file = try folder.write("a.pgm", blankPicture())
    let process = Process()
    process.executableURL = CommandRun.command
    process.arguments = ["scan", "--format", "json", file]
    process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let guardian = process.endsWithin(CommandRun.limit)
    defer { guardian.cancel() }
    let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 74)
    #expect(message.contains("No space left"))
  }
}

@Suite("reticle scan reads") struct ScanResultTests {
  @Test func `each code has its symbology, identifier, text, bytes and corners, and the status is 0`() throws {
    let folder = try WorkFolder()
    let picture = try SymbolPrinter.print(SymbolRequest("4006381333931", symbology: .ean13))
    let file = try folder.write("a.png", try picture.png(scale: 3))
    let run = try CommandRun("scan", "--format", "json", file)
    #expect(run.status == 0)
    let codes = try #require(run.objects.first?["codes"] as? [[String: Any]])
    try #require(codes.count == 1)
    #expect(Set(codes[0].keys) == ["symbology", "aim", "text", "bytes_hex", "corners"])
    #expect(codes[0]["symbology"] as? String == "ean13")
    #expect(codes[0]["aim"] as? String == "]E0")
    #expect(codes[0]["text"] as? String == "4006381333931")
    #expect(codes[0]["bytes_hex"] as? String == "34303036333831333333393331")
    let corners = try #require(codes[0]["corners"] as? [[Double]])
    #expect(corners.count == 4 && corners.allSatisfy { $0.count == 2 })
    // Top left first, clockwise: bars run from x 33 to 318.
    #expect(corners[0][0] < corners[1][0] && corners[1][1] < corners[2][1] && corners[3][0] < corners[2][0])
    #expect(abs(corners[0][0] - 33) < 6 && abs(corners[1][0] - 318) < 6)
    let text = try CommandRun("scan", file)
    #expect(text.text == "\(file)\tean13\t4006381333931\n")
    #expect(text.status == 0)
  }

  @Test func `a GS1 code has a printed form, and FNC1 is U+001D in its text`() throws {
    let folder = try WorkFolder()
    let file = folder.path("gs1.png")
    #expect(try CommandRun("generate", "(10)AB(21)7", "--gs1", "-o", file).status == 0)
    let run = try CommandRun("scan", "--format", "json", file)
    let codes = try #require(run.objects.first?["codes"] as? [[String: Any]])
    #expect(codes.first?["hri"] as? String == "(10)AB(21)7")
    #expect(codes.first?["text"] as? String == "10AB\u{1D}217")
    #expect(codes.first?["aim"] as? String == "]Q3")
  }

  @Test func `no escape sequence of a code reaches the terminal`() throws {
    let folder = try WorkFolder()
    let file = folder.path("esc.png")
    #expect(try CommandRun("generate", "\u{1B}]0;x\u{7}\nb", "-o", file).status == 0)
    #expect(try CommandRun("scan", file).text == "\(file)\tqr\t\\x1b]0;x\\x07\\nb\n")
  }

  @Test(arguments: ["L", "M", "Q", "H"])
  func `N9: generated pictures are read back at every correction level and scale`(level: String) throws {
    let folder = try WorkFolder()
    let text = "Grüße 世界 🎉 https://example.org"
    let file = folder.path("code.png")
    for scale in ["2", "8"] {
      #expect(try CommandRun("generate", text, "-o", file, "--correction", level, "--scale", scale).status == 0)
      let run = try CommandRun("scan", "--format", "json", file)
      #expect((run.objects.first?["codes"] as? [[String: Any]])?.first?["text"] as? String == text)
    }
  }

  @Test func `an add-on follows after a space when it is requested`() throws {
    let folder = try WorkFolder()
    let file = folder.path("addon.png")
    #expect(try CommandRun("generate", "4006381333931 12", "--symbology", "ean13", "-o", file).status == 0)
    #expect(try CommandRun("scan", "--addons", "read", file).text == "\(file)\tean13\t4006381333931 12\n")
    #expect(try CommandRun("scan", file).text == "\(file)\tean13\t4006381333931\n")
  }

  @Test func `scan takes the symbology options of the configuration`() throws {
    let folder = try WorkFolder()
    let picture = try SymbolPrinter.print(SymbolRequest("1234567", symbology: .codabar))
    let file = try folder.write("codabar.png", try picture.png(scale: 3))
    #expect(try CommandRun("scan", "--option", "codabar.start_stop=false", file).text == "\(file)\tcodabar\t1234567\n")
    #expect(try CommandRun("scan", "--option", "codabar.length=8-20", file).status == 1)
  }
}
