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
      (["", "-o", "x.png"], "at least one character"), (["a", "-o", "x.bmp"], ".png or .svg"), (["a"], "--output"),
      (["a", "-o", "x.png", "--scale", "0"], "from 1 to 200"), (["a", "-o", "x.png", "--scale", "big"], "--scale"),
      (["a", "-o", "x.png", "--quiet-zone", "999"], "from 0 to 200"),
      (["a", "-o", "x.png", "--correction", "Z"], "L, M, Q and H"), (["a", "-o", "x.png", "--symbology", "foo"], "aztec"),
      (["123", "-o", "x.png", "--symbology", "ean13"], "12 or 13 digits"),
      (["4006381333932", "-o", "x.png", "--symbology", "ean13"], "would be 1"),
      (["世", "-o", "x.png", "--symbology", "code128"], "Latin-1"),
      (["(01)123", "-o", "x.png", "--gs1"], "(01)09501101530003"),
      (["a", "-o", "x.png", "--scale", "200", "--quiet-zone", "200"], "smaller scale"),
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
