// Pages of PDF documents, and what becomes of those that poppler's programs cannot draw.

import BarcodeTypes
import Foundation
import PictureFiles
import Testing

/// One after the other, as some look for the programs elsewhere.
@Suite("PDF documents (behaviour N8)", .serialized) struct PortableDocumentTests {
  @Test func `pages of a PDF are drawn at the chosen resolution, turned as they say`() throws {
    let file = pdf(
      pages: [(144, 72), (72, 36)], bars: [(0, 0, 72, 36), (36, 18, 36, 18)])
    var picture = Picture()
    picture.dotsPerInch = 100
    try picture.load(bytes: file.span.bytes)
    #expect(picture.pageCount == 2 && picture.width == 200 && picture.height == 100)
    // Of the first page the lower left quarter is black, of the second the upper right one.
    #expect(picture.withLuma { [$0[50, 75], $0[150, 75], $0[50, 25], $0[150, 25]] } == [0, 255, 255, 255])
    try picture.load(page: 1)
    #expect(picture.width == 100 && picture.height == 50)
    #expect(picture.withLuma { [$0[25, 37], $0[75, 37], $0[25, 12], $0[75, 12]] } == [255, 255, 255, 0])
    let turned = pdf(pages: [(144, 72)], rotation: 90, bars: [(0, 0, 72, 36)])
    try picture.load(bytes: turned.span.bytes)
    // A quarter to the right: the lower left corner comes to the upper left one.
    #expect(picture.width == 100 && picture.height == 200 && picture.withLuma { [$0[25, 50], $0[75, 150]] } == [0, 255])
  }

  @Test func `a huge page is drawn with fewer dots, a huge document is refused, and a damaged one is an error`() throws {
    var picture = Picture()
    picture.dotsPerInch = 1200
    let poster = pdf(pages: [(14_400, 700)], bars: [(0, 0, 7200, 700)])
    try picture.load(bytes: poster.span.bytes)
    #expect(picture.width > 16_000 && picture.width <= PictureLimits.sidePixelsMax)
    let pages = [(width: Int, height: Int)](repeating: (72, 72), count: 1001)
    let bars = [(x: Int, y: Int, width: Int, height: Int)](repeating: (0, 0, 9, 9), count: 1001)
    #expect(failure(pdf(pages: pages, bars: bars)) == .tooManyPages(count: 1001))
    #expect(failure(Array("%PDF-1.4\n".utf8))?.message.hasPrefix("the PDF data are damaged") == true)
  }

  @Test func `a page that takes more memory or time than its limits is an error that names the limit`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "reticle-pdf-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func place(_ name: String, _ script: String) throws {
      let file = folder.appending(path: name).path
      try "#!/bin/sh\n\(script)\n".write(toFile: file, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    }
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    setenv("PATH", "\(folder.path):\(path)", 1)
    defer { setenv("PATH", path, 1) }
    try place("pdfinfo", "echo 'Pages: 1'; echo 'Page 1 size: 72 x 72 pts'")
    for (script, told) in [
      ("echo 'Out of memory' >&2; exit 1", "more memory to draw than the limit of 1280 MiB"),
      ("echo \"terminate called after throwing an instance of 'std::bad_alloc'\" >&2; kill -ABRT $$", "1280 MiB"),
      ("kill -XCPU $$", "longer to draw than the limit of 60 s"),
      // The limits that the program has, once they are set: kibibytes and seconds.
      ("sleep 0.3; echo \"$(ulimit -v) $(ulimit -t)\" >&2; exit 1", "(1310720 60)"),
    ] {
      try place("pdftoppm", script)
      #expect(failure(pdf(pages: [(72, 72)], bars: [(0, 0, 9, 9)]))?.message.contains(told) == true, "\(script)")
    }
  }

  @Test func `without poppler's programs a PDF is an error that names the package`() {
    let path = getenv("PATH").map { String(cString: $0) }
    setenv("PATH", "/nonexistent", 1)
    defer { if let path { setenv("PATH", path, 1) } else { unsetenv("PATH") } }
    #expect(failure(pdf(pages: [(72, 72)], bars: [(0, 0, 9, 9)])) == .needs(.pdf, package: "poppler-utils"))
  }
}
