// GIF, TIFF, BMP, PPM and PBM; pages, grounds and orientations; and names that are not UTF-8.

import BarcodeTypes
import Glibc
import PictureFiles
import Testing

/// The greatest difference between a file's luma and the expected one.
private func worst(_ file: [UInt8], _ expected: [Double]) throws -> Double {
  let read = try luma(file)
  try #require(read.luma.count == expected.count)
  return zip(read.luma, expected).map { abs(Double($0) - $1) }.max() ?? 0
}

/// Luma of a page over a ground.
private func luma(_ file: [UInt8], page: Int = 0, over ground: PictureGround) throws -> [UInt8] {
  var picture = Picture()
  try picture.load(bytes: file.span.bytes)
  try picture.load(page: page, over: ground)
  return picture.withLuma { view in (0..<view.height).flatMap { y in (0..<view.width).map { view[$0, y] } } } ?? []
}

private func isTransparent(_ file: [UInt8]) throws -> Bool {
  var picture = Picture()
  try picture.load(bytes: file.span.bytes)
  return picture.isTransparent
}

@Suite("More formats (behaviour N8)") struct MoreFormatTests {
  @Test func `PPM and PBM are read as bytes, words, bits or text`() throws {
    let sample = SamplePicture()
    #expect(try worst(Array("P6 37 29 255\n".utf8) + sample.samples(3), sample.luma) <= 1)
    let words = sample.samples(3).flatMap { [$0, $0] }
    #expect(try worst(Array("P6 37 29 65535\n".utf8) + words, sample.luma) <= 1)
    let text = sample.samples(3).map(String.init).joined(separator: " ")
    #expect(try worst(Array("P3\n37 29 # size\n255\n\(text)\n".utf8), sample.luma) <= 1)
    #expect(try luma(Array("P1 3 2\n0 1 0\n101".utf8)).luma == [255, 0, 255, 0, 255, 0])
    #expect(
      try luma(Array("P4 10 2\n".utf8) + [0x80, 0x40, 0x01, 0x80]).luma == [0] + [UInt8](repeating: 255, count: 8) + [0]
        + [UInt8](repeating: 255, count: 7) + [0, 0, 255])
    for bad in ["P1 2 1\n0 2", "P3 1 1 255\n1 2 x", "P6 0 1 255\n1"] {
      guard case .corrupt = failure(Array(bad.utf8)) else {
        Issue.record("\(bad) was taken")
        continue
      }
    }
  }

  @Test func `BMP is read with every depth, with masks, with runs, and from either end`() throws {
    // Two rows, the lower first: red, green, blue; white, black, grey.
    let upper: [UInt8] = [255, 255, 255, 0, 0, 0, 100, 100, 100, 0, 0, 0]
    let lower: [UInt8] = [0, 0, 255, 0, 255, 0, 255, 0, 0, 0, 0, 0]
    let shown: [UInt8] = [255, 0, 100, 76, 150, 29]
    #expect(try luma(BMPFile(width: 3, height: 2, bitCount: 24, data: lower + upper).bytes).luma == shown)
    #expect(try luma(BMPFile(width: 3, height: -2, bitCount: 24, data: upper + lower).bytes).luma == shown)
    // Blue, green, red, nothing; and the same by masks, in another order, with opacity.
    let plain: [UInt8] = [0, 0, 255, 0, 10, 10, 10, 0]
    #expect(try luma(BMPFile(width: 2, height: 1, bitCount: 32, data: plain).bytes).luma == [76, 10])
    let masks: [UInt8] = [0xFF, 0, 0, 0, 0, 0xFF, 0, 0, 0, 0, 0xFF, 0, 0, 0, 0, 0xFF]
    let masked = BMPFile(
      width: 2, height: 1, bitCount: 32, compression: 6, table: masks, data: [255, 0, 0, 255, 200, 200, 200, 0]
    ).bytes
    #expect(try luma(masked).luma == [76, 255] && isTransparent(masked))
    #expect(try luma(masked, over: .black) == [76, 0])
    // Five bits for each colour.
    #expect(try luma(BMPFile(width: 2, height: 1, bitCount: 16, data: [0x00, 0x7C, 0xFF, 0x7F]).bytes).luma == [76, 255])
    let greys: [UInt8] = (0..<16).flatMap { [$0 * 17, $0 * 17, $0 * 17, 0] }
    #expect(
      try luma(BMPFile(width: 3, height: 1, bitCount: 4, table: greys, data: [0x1F, 0x30, 0, 0]).bytes).luma == [
        17, 255, 51,
      ])
    let two: [UInt8] = [0, 0, 0, 0, 255, 255, 255, 0]
    #expect(
      try luma(BMPFile(width: 9, height: 1, bitCount: 1, table: two, data: [0b1010_0000, 0x80, 0, 0]).bytes).luma
        == [255, 0, 255, 0, 0, 0, 0, 0, 255])
    let palette: [UInt8] = (0...255).flatMap { [UInt8($0), UInt8($0), UInt8($0), 0] }
    // Three of 9; the end of the row; a step of one; two single ones.
    let runs: [UInt8] = [3, 9, 0, 0, 0, 2, 1, 0, 0, 3, 7, 8, 6, 0, 0, 1]
    #expect(
      try luma(BMPFile(width: 4, height: 2, bitCount: 8, compression: 1, table: palette, data: runs).bytes).luma
        == [0, 7, 8, 6, 9, 9, 9, 0])
    let small: [UInt8] = [3, 0x12, 0, 0, 0, 4, 0x34, 0x56, 0, 1]
    #expect(
      try luma(BMPFile(width: 4, height: 2, bitCount: 4, compression: 2, table: greys, data: small).bytes).luma
        == [51, 68, 85, 102, 17, 34, 17, 0])
    guard
      case .unsupported(.bmp, _) = failure(
        BMPFile(width: 1, height: 1, bitCount: 24, compression: 4, data: [1, 2, 3, 0]).bytes)
    else {
      Issue.record("a JPEG in a BMP was taken")
      return
    }
  }

  @Test(arguments: [false, true])
  func `the first picture of a GIF lies where it belongs, and the rest is ground`(isInterlaced: Bool) throws {
    var gif = GIFFile(
      width: 21, height: 20, frame: (2, 3, 18, 15), isInterlaced: isInterlaced,
      indexes: (0..<270).map { UInt8($0 % 251) })
    gif.transparent = 40
    for (ground, grey) in [(PictureGround.white, UInt8(255)), (.black, 0)] {
      var expected = [UInt8](repeating: grey, count: 420)
      for (index, value) in gif.indexes.enumerated() where value != 40 {
        expected[(index / 18 + 3) * 21 + index % 18 + 2] = value
      }
      #expect(try luma(gif.bytes, over: ground) == expected)
    }
    #expect(try isTransparent(gif.bytes))
    let whole = GIFFile(width: 2, height: 1, frame: (0, 0, 2, 1), transparent: 9, indexes: [8, 10])
    #expect(try luma(whole.bytes).luma == [8, 10] && !isTransparent(whole.bytes))
    // A picture that reaches beyond the screen is cut.
    let beyond = GIFFile(width: 2, height: 1, frame: (1, 0, 2, 2), indexes: [1, 2, 3, 4])
    #expect(try luma(beyond.bytes).luma == [255, 1])
  }

  @Test func `TIFF is read page by page, with opacity`() throws {
    let (first, second) = (SamplePicture(), SamplePicture(width: 20, height: 10, isOpaque: false))
    var file = TIFFFile(pages: [first, second])
    #expect(try worst(file.bytes, first.luma) <= 1)
    var picture = Picture()
    try picture.load(bytes: file.bytes.span.bytes)
    #expect(picture.pageCount == 2)
    try picture.load(page: 1)
    #expect(picture.width == 20 && picture.height == 10 && !picture.isTransparent)
    file = TIFFFile(pages: [second], channels: 4)
    // libtiff multiplies colours by opacity in whole numbers.
    #expect(try worst(file.bytes, second.luma) <= 2)
    #expect(try isTransparent(file.bytes))
    let many = TIFFFile(pages: [SamplePicture](repeating: SamplePicture(width: 1, height: 1), count: 1001))
    #expect(failure(many.bytes) == .tooManyPages(count: 1001))
  }

  @Test func `a link from a TIFF's last page to its first ends`() throws {
    var file = TIFFFile(pages: [SamplePicture()]).bytes
    file.replaceSubrange(file.count - 4..<file.count, with: file[4..<8])
    var picture = Picture()
    try picture.load(bytes: file.span.bytes)
    #expect(picture.pageCount <= 2 && picture.width == 37)
  }

  /// The pixels that a viewer shows of a picture of 3 × 2 pixels, 1 to 6, for each orientation.
  private static let turned: [(Int, Int, [UInt8])] = [
    (1, 3, [1, 2, 3, 4, 5, 6]), (2, 3, [3, 2, 1, 6, 5, 4]), (3, 3, [6, 5, 4, 3, 2, 1]), (4, 3, [4, 5, 6, 1, 2, 3]),
    (5, 2, [1, 4, 2, 5, 3, 6]), (6, 2, [4, 1, 5, 2, 6, 3]), (7, 2, [6, 3, 5, 2, 4, 1]), (8, 2, [3, 6, 2, 5, 1, 4]),
    (0, 3, [1, 2, 3, 4, 5, 6]), (9, 3, [1, 2, 3, 4, 5, 6]),
  ]

  @Test(arguments: turned)
  func `a picture is turned as its file says`(orientation: Int, width: Int, shown: [UInt8]) throws {
    var sample = SamplePicture(width: 3, height: 2)
    for index in sample.rgba.indices where index % 4 != 3 { sample.rgba[index] = UInt8(index / 4 + 1) }
    let tiff = TIFFFile(pages: [sample], orientation: orientation).bytes
    let lossless = sample.webp(isLossless: true)
    for isLittle in [true, false] {
      let note = exif(orientation, isLittle: isLittle)
      var file = PNGFile(width: 3, height: 2, colourType: 0) { x, y in [y * 3 + x + 1] }
      file.exif = note
      for bytes in [file.bytes, tiff, extended(lossless, exif: note)] {
        let read = try luma(bytes)
        #expect(read.width == width && read.height == 6 / width && read.luma == shown, "\(orientation)")
      }
    }
    // A JPEG loses too much of six pixels: its blocks are large.
    var photo = SamplePicture(width: 48, height: 32, isGrey: true)
    for index in photo.rgba.indices where index % 4 != 3 {
      photo.rgba[index] = UInt8((index / 4 % 48 / 16 + index / 4 / 48 / 16 * 3 + 1) * 40)
    }
    var jpeg = photo.jpeg(channels: 1, quality: 100)
    let note = Array("Exif\0\0".utf8) + exif(orientation, isLittle: true)
    jpeg.insert(contentsOf: [0xFF, 0xE1, UInt8((note.count + 2) >> 8), UInt8((note.count + 2) & 255)] + note, at: 2)
    let read = try luma(jpeg)
    #expect(read.width == width * 16)
    for (index, value) in shown.enumerated() {
      let found = read.luma[(index / width * 16 + 8) * read.width + index % width * 16 + 8]
      #expect(abs(Int(found) - Int(value) * 40) <= 3, "\(orientation): \(index)")
    }
  }

  @Test func `damaged notes of the orientation are no notes`() throws {
    let good = exif(6, isLittle: true)
    for count in 0..<good.count {
      var file = PNGFile(width: 3, height: 2, colourType: 0) { x, y in [y * 3 + x + 1] }
      file.exif = Array(good[..<count])
      #expect(try luma(file.bytes).luma.count == 6)
    }
    var random = SeededRandom(seed: 3)
    for _ in 0..<500 {
      var note = good
      note[Int(random.next() % UInt64(note.count))] = UInt8(truncatingIfNeeded: random.next())
      var file = PNGFile(width: 3, height: 2, colourType: 0) { x, y in [y * 3 + x + 1] }
      file.exif = note
      #expect(try luma(file.bytes).luma.count == 6)
    }
  }

  @Test func `transparent parts show the ground, of every format that has them`() throws {
    var sample = SamplePicture(width: 4, height: 4)
    for index in sample.rgba.indices { sample.rgba[index] = index % 4 == 3 ? index < 32 ? 0 : 255 : 128 }
    let png = PNGFile(width: 4, height: 4, colourType: 6) { x, y in sample.pixel(x, y).map { Int($0) } }
    for file in [png.bytes, sample.webp(isLossless: true), TIFFFile(pages: [sample], channels: 4).bytes] {
      #expect(try isTransparent(file))
      for (ground, grey) in [(PictureGround.white, UInt8(255)), (.black, 0)] {
        #expect(
          try luma(file, over: ground) == [UInt8](repeating: grey, count: 8) + [UInt8](repeating: 128, count: 8))
      }
    }
    #expect(try !isTransparent(SamplePicture().webp(isLossless: true)))
  }

  @Test func `a name keeps its bytes on its way through text`() throws {
    let names: [[UInt8]] = [
      Array("a.png".utf8), [], [0x63, 0xE9, 0x2E], [0xFF, 0xFE], Array("é世🎉".utf8), [0xE4, 0xB8], [0xF4, 0x8F, 0xBA, 0x80],
      [0xC0, 0x80], [0xED, 0xA0, 0x80], Array("e\u{301}".utf8) + [0xE9], [0xF4, 0x90, 0x80, 0x80],
    ]
    for name in names {
      let text = FileName.text(name)
      #expect(FileName.bytes(text) == name)
      #expect(FileName.isUTF8(text) == (String(validating: name, as: UTF8.self) != nil && name.first != 0xF4))
      #expect(String(validating: Array(FileName.shown(text).utf8), as: UTF8.self) != nil)
    }
    var random = SeededRandom(seed: 11)
    for _ in 0..<5000 {
      let name = (0..<Int(random.next() % 9)).map { _ in UInt8(truncatingIfNeeded: random.next() | (random.next() & 0x80)) }
      #expect(FileName.bytes(FileName.text(name)) == name)
    }
    #expect(FileName.shown(FileName.text([0x61, 0xE9])) == "a\u{FFFD}")
    #expect(FileName.shown(FileName.text([0x61, 0xE9])) { "<\($0)>" } == "a<233>")
    let folder = TemporaryFolder()
    let path = folder.path + "/" + FileName.text([0x63, 0xE9] + Array(".pgm".utf8))
    let descriptor = FileName.withPath(path) { open($0, O_WRONLY | O_CREAT, 0o600) }
    let bytes = Array("P5 1 1 255\n".utf8) + [7]
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
    defer { _ = FileName.withPath(path) { unlink($0) } }
    #expect(try PictureList.paths(of: [folder.path]) == [path])
    #expect(try PictureList.paths(of: [path]) == [path])
    var picture = Picture()
    try picture.load(path: path)
    #expect(picture.withLuma { $0[0, 0] } == 7)
  }
}

/// A note of the orientation as cameras write it, behind another entry.
private func exif(_ orientation: Int, isLittle: Bool) -> [UInt8] {
  func number(_ value: Int, _ count: Int) -> [UInt8] {
    let little = TIFFFile.little(value, count)
    return isLittle ? little : little.reversed()
  }
  var note: [UInt8] = isLittle ? [0x49, 0x49] : [0x4D, 0x4D]
  note += number(42, 2) + number(8, 4) + number(2, 2)
  note += number(0x010F, 2) + number(2, 2) + number(4, 4) + Array("cam\0".utf8)
  return note + number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + [0, 0] + number(0, 4)
}

/// A WebP with a note, which needs another header.
private func extended(_ webp: [UInt8], exif: [UInt8]) -> [UInt8] {
  func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    Array(name.utf8) + TIFFFile.little(data.count, 4) + data + (data.count % 2 == 1 ? [0] : [])
  }
  let body = chunk("VP8X", [8, 0, 0, 0, 2, 0, 0, 1, 0, 0]) + webp[12...] + chunk("EXIF", exif)
  return Array("RIFF".utf8) + TIFFFile.little(body.count + 4, 4) + Array("WEBP".utf8) + body
}

/// Why a file could not be read; nil if it could.
func failure(_ file: [UInt8]) -> PictureFileError? {
  do throws(PictureFileError) {
    _ = try luma(file)
    return nil
  } catch {
    return error
  }
}
