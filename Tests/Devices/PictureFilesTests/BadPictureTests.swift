import BarcodeDecoder
import BarcodeTypes
import CPictureWriter
import Glibc
import PictureFiles
import Testing

private func error(_ file: [UInt8]) -> PictureFileError? {
  do throws(PictureFileError) {
    _ = try luma(file)
    return nil
  } catch {
    return error
  }
}

private func error(path: String) -> PictureFileError? {
  var picture = Picture()
  do throws(PictureFileError) {
    try picture.load(path: path)
    return nil
  } catch {
    return error
  }
}

/// A valid file of each format.
private func goodFiles() -> [(PictureFormat, [UInt8])] {
  let sample = SamplePicture()
  let png = PNGFile(width: 37, height: 29, colourType: 6) { x, y in sample.pixel(x, y).map { Int($0) } }
  var interlaced = png
  interlaced.isInterlaced = true
  return [
    (.png, png.bytes), (.png, interlaced.bytes), (.jpeg, sample.jpeg(channels: 3)),
    (.jpeg, sample.jpeg(channels: 1, isProgressive: true)), (.webp, sample.webp()),
    (.webp, sample.webp(isLossless: true)), (.pgm, Array("P5 4 4 255\n".utf8) + [UInt8](repeating: 9, count: 16)),
    (.pgm, Array("P2 2 2 255\n10 20 30 40".utf8)),
    (.ppm, Array("P6 4 4 255\n".utf8) + [UInt8](repeating: 9, count: 48)),
    (.ppm, Array("P3 1 2 255\n10 20 30 40 50 60".utf8)), (.pbm, Array("P4 9 8\n".utf8) + [UInt8](repeating: 9, count: 16)),
    (.gif, GIFFile(width: 20, height: 20, frame: (2, 3, 18, 17), indexes: [UInt8](repeating: 7, count: 306)).bytes),
    (.tiff, TIFFFile(pages: [sample]).bytes),
    (.bmp, BMPFile(width: 37, height: 3, bitCount: 24, data: [UInt8](repeating: 50, count: 112 * 3)).bytes),
  ]
}

@Suite("Bad picture files") struct BadPictureTests {
  @Test func `a missing file, a folder, a device and an empty file are distinguished`() {
    let folder = TemporaryFolder()
    let missing = "\(folder.path)/none.png"
    #expect(error(path: missing) == .missing(path: missing))
    #expect(error(path: "\(folder.path)/none/a.png") == .missing(path: "\(folder.path)/none/a.png"))
    #expect(error(path: folder.path) == .isFolder(path: folder.path))
    #expect(error(path: "/dev/null") == .notAFile(path: "/dev/null"))
    #expect(error(path: folder.write("empty.png", [])) == .empty)
    #expect(error(path: "") == .missing(path: ""))
  }

  @Test func `a file without read permission is reported as such`() {
    let folder = TemporaryFolder()
    let path = folder.write("secret.png", [1, 2, 3])
    chmod(path, 0)
    cpicturewriter_use_files_as(65_534)
    defer { cpicturewriter_use_files_as(geteuid()) }
    #expect(error(path: path) == .notPermitted(path: path))
  }

  @Test func `the content decides the format, never the name`() throws {
    let folder = TemporaryFolder()
    let path = folder.write("photo.jpg", Array("P5 1 1 255\n".utf8) + [7])
    var picture = Picture()
    try picture.load(path: path)
    #expect(picture.withLuma { $0[0, 0] } == 7)
  }

  @Test(
    arguments: [
      ("P7\nWIDTH 1\n", "PAM"), ("\0\0\0\u{C}jP  ", "JPEG 2000"), ("PK\u{3}\u{4}", "ZIP"), ("<svg ", "SVG"),
      ("<!DOCTYPE html>", "web page"), ("\0\0\0\u{20}ftypisom", "video"),
    ])
  func `files of other known formats are named`(content: String, name: String) throws {
    let found = error(Array(content.utf8) + [UInt8](repeating: 0, count: 32))
    guard case .wrongType(let recognised?) = found else {
      Issue.record("\(String(describing: found))")
      return
    }
    #expect(recognised.contains(name))
  }

  @Test func `any other content is not a picture of a known format`() {
    #expect(error(Array("root:x:0:0:root:/root:/bin/bash\n".utf8)) == .wrongType(recognised: nil))
    #expect(error([0]) == .wrongType(recognised: nil))
    #expect(error(Array("P5x3 3 255\n".utf8) + [1, 2]) == .wrongType(recognised: nil))
    #expect(error(Array("BMW X1, a car and not a picture".utf8)) == .wrongType(recognised: nil))
  }

  @Test func `a file cut off anywhere is truncated`() {
    for (format, file) in goodFiles() {
      #expect(error(file) == nil)
      // The last bytes may be more than the picture needs: a JPEG's end marker, white space, padding, or a digit of the last
      // number.
      for count in stride(from: 2, to: file.count - 4, by: max(1, file.count / 97)) {
        let found = error(Array(file[..<count]))
        if format == .webp && count < 4 || format == .gif && count < 3 { continue }
        #expect(found == .truncated(format), "\(format) cut to \(count) of \(file.count) bytes")
      }
    }
  }

  @Test func `damage gives an error or a picture, never a crash`() {
    var random = SeededRandom(seed: 7)
    for (_, file) in goodFiles() {
      for round in 0..<400 {
        var bytes = file
        for _ in 0...round % 5 {
          let range = round % 2 == 0 ? bytes.count : min(64, bytes.count)
          bytes[Int(random.next() % UInt64(range))] = UInt8(truncatingIfNeeded: random.next())
        }
        if let found = error(bytes) { #expect(!found.message.isEmpty && !found.remedy.isEmpty) }
      }
    }
  }

  @Test func `a wrong checksum and invalid PGM values are corruption`() {
    var png = goodFiles()[0].1
    png[20] ^= 1
    guard case .corrupt(.png, _) = error(png) else {
      Issue.record("a wrong CRC was taken")
      return
    }
    #expect(error(Array("P5 0 3 255\n".utf8) + [1]) == .corrupt(.pgm, detail: "a side is 0"))
    guard case .corrupt(.pgm, _) = error(Array("P5 3 3 70000\n".utf8) + [1]) else {
      Issue.record("a greatest sample over 65535 was taken")
      return
    }
    guard case .corrupt(.pgm, _) = error(Array("P2 2 1 255\n1 x".utf8)) else {
      Issue.record("a letter was taken for a sample")
      return
    }
  }

  @Test func `a picture with more pixels than allowed is refused before memory is allocated`() {
    let wide = PNGFile(width: 1, height: 1, colourType: 0) { _, _ in [0] }
    var bytes = wide.bytes
    bytes.replaceSubrange(16..<24, with: [0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF])
    let crc = PNGFile.crc(Array(bytes[12..<29]))
    bytes.replaceSubrange(
      29..<33, with: [UInt8(crc >> 24), UInt8(crc >> 16 & 255), UInt8(crc >> 8 & 255), UInt8(crc & 255)])
    #expect(error(bytes) == .pictureTooLarge(width: 0x7FFF_FFFF, height: 0x7FFF_FFFF))
    #expect(error(Array("P5 16385 1 255\n".utf8) + [1]) == .pictureTooLarge(width: 16_385, height: 1))
    #expect(error(Array("P5 16384 4097 255\n".utf8) + [1]) == .pictureTooLarge(width: 16_384, height: 4097))
    #expect(error(Array("P2 99999999999999999999 1 255\n".utf8)) == .pictureTooLarge(width: 1 << 31, height: 1))
    #expect(
      error(BMPFile(width: 20_000, height: 1, bitCount: 24, data: []).bytes) == .pictureTooLarge(width: 20_000, height: 1))
    #expect(
      error(GIFFile(width: 60_000, height: 9, frame: (0, 0, 1, 1), indexes: [0]).bytes)
        == .pictureTooLarge(width: 60_000, height: 9))
    var tiff = TIFFFile(pages: [SamplePicture()]).bytes
    // The width is the value of the first entry.
    let directory = Int(tiff[4]) | Int(tiff[5]) << 8
    tiff.replaceSubrange(directory + 10..<directory + 14, with: [0xFF, 0xFF, 0, 0])
    #expect(error(tiff) == .pictureTooLarge(width: 65_535, height: 29))
    // The size is at about offset 163 in this writer's JPEG header; its marker locates it.
    var jpeg = SamplePicture().jpeg(channels: 1)
    let frame = (0..<jpeg.count - 1).first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 } ?? 0
    jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0x00, 0xFF, 0x00])
    #expect(error(jpeg) == .pictureTooLarge(width: 65_280, height: 65_280))
  }

  @Test func `the limits of picture files are the decoder's`() {
    #expect(PictureLimits.sidePixelsMax == DecoderLimits.sidePixelsMax)
    #expect(PictureLimits.pixelCountMax == DecoderLimits.pixelCountMax)
  }

  @Test func `every error has a message and a remedy`() {
    let all: [PictureFileError] = [
      .missing(path: "a"), .notPermitted(path: "a"), .isFolder(path: "a"), .notAFile(path: "a"),
      .unreadable(path: "a", errno: EIO), .empty, .wrongType(recognised: nil), .wrongType(recognised: "a GIF picture"),
      .truncated(.png), .corrupt(.jpeg, detail: "x"), .unsupported(.webp, detail: "it is an animation"),
      .fileTooLarge(byteCount: 1), .pictureTooLarge(width: 1, height: 1), .outOfMemory, .tooManyPages(count: 2000),
      .needs(.pdf, package: "poppler-utils"), .pageTakesTooLong, .pageTakesTooMuchMemory,
    ]
    for error in all { #expect(error.description.contains("; ") && !error.description.hasSuffix(".")) }
    #expect(PictureFileError.unreadable(path: "a", errno: EIO).message.contains("Input/output error"))
  }
}

/// xorshift64: the same numbers everywhere.
struct SeededRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
