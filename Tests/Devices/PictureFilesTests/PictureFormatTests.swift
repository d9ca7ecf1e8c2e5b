import BarcodeTypes
import PictureFiles
import Testing

/// Luma of a file's bytes, row by row.
func luma(_ file: [UInt8]) throws(PictureFileError) -> (width: Int, height: Int, luma: [UInt8]) {
  var picture = Picture()
  do throws(PictureFileError) {
    try picture.load(bytes: file.span.bytes)
  } catch {
    // A picture that could not be read lends no pixels.
    #expect(picture.withLuma { _ in true } == nil)
    throw error
  }
  let pixels = picture.withLuma { view in
    (0..<view.height).flatMap { y in (0..<view.width).map { x in view[x, y] } }
  }
  return (picture.width, picture.height, pixels ?? [])
}

/// The greatest difference between a file's luma and the expected one.
private func worst(_ file: [UInt8], _ expected: [Double]) throws -> Double {
  let read = try luma(file)
  try #require(read.luma.count == expected.count)
  return zip(read.luma, expected).map { abs(Double($0) - $1) }.max() ?? 0
}

/// Half a level of rounding, twice: from colour to luma, and over white.
private let rounding = 1.0

@Suite struct PictureEncodingTests {
  /// A ramp in both directions, with gaps between rows.
  private func ramp(_ width: Int, _ height: Int) -> (pixels: [UInt8], bytesPerRow: Int) {
    var pixels = [UInt8](repeating: 255, count: (width + 5) * height)
    for y in 0..<height { for x in 0..<width { pixels[y * (width + 5) + x] = UInt8((x + 2 * y) & 255) } }
    return (pixels, width + 5)
  }

  @Test(arguments: [(WrittenFormat.webp, 37, 29), (.jpeg, 37, 29), (.webp, 1, 1), (.jpeg, 1, 1), (.jpeg, 16_384, 1)])
  func `a written picture reads back as it was, within the loss of its format`(
    format: WrittenFormat, width: Int, height: Int
  ) throws {
    let (pixels, bytesPerRow) = ramp(width, height)
    let file = pixels.withUnsafeBufferPointer {
      PictureEncoding.file(
        LumaView(base: $0.baseAddress!, width: width, height: height, bytesPerRow: bytesPerRow), format: format, quality: 100
      )
    }
    let read = try luma(try #require(file))
    #expect((read.width, read.height) == (width, height))
    for y in 0..<height {
      for x in 0..<width {
        #expect(abs(Int(read.luma[y * width + x]) - Int(pixels[y * bytesPerRow + x])) <= 4, "\(x), \(y)")
      }
    }
  }

  @Test func `a side that a format cannot hold is refused, and quality makes files larger`() throws {
    let (pixels, bytesPerRow) = ramp(16_384, 1)
    pixels.withUnsafeBufferPointer {
      let wide = LumaView(base: $0.baseAddress!, width: 16_384, height: 1, bytesPerRow: bytesPerRow)
      #expect(PictureEncoding.file(wide, format: .webp, quality: 75) == nil)
    }
    let noise = (0..<64 * 64).map { _ in UInt8.random(in: 0...255) }
    for format in WrittenFormat.allCases {
      let sizes = [10, 50, 95].compactMap { quality in
        noise.withUnsafeBufferPointer {
          PictureEncoding.file(
            LumaView(base: $0.baseAddress!, width: 64, height: 64, bytesPerRow: 64), format: format, quality: quality)?.count
        }
      }
      #expect(sizes.count == 3 && sizes == sizes.sorted() && Set(sizes).count == 3, "\(sizes)")
    }
  }
}

@Suite("Formats (behaviour N8)") struct PictureFormatTests {
  @Test(arguments: [false, true])
  func `PNG of every colour type and depth gives BT 601 luma over white, interlaced or not`(isInterlaced: Bool) throws {
    let colour = SamplePicture()
    let soft = SamplePicture(isOpaque: false)
    let grey = SamplePicture(isGrey: true)
    var file = PNGFile(width: 37, height: 29, colourType: 2) { x, y in colour.pixel(x, y).prefix(3).map { Int($0) } }
    file.isInterlaced = isInterlaced
    #expect(try worst(file.bytes, colour.luma) <= rounding)
    file.bitDepth = 16
    file.pixel = { x, y in colour.pixel(x, y).prefix(3).map { Int($0) * 257 } }
    #expect(try worst(file.bytes, colour.luma) <= rounding)
    file.colourType = 6
    file.pixel = { x, y in soft.pixel(x, y).map { Int($0) * 257 } }
    #expect(try worst(file.bytes, soft.luma) <= rounding)
    file.bitDepth = 8
    file.pixel = { x, y in soft.pixel(x, y).map { Int($0) } }
    #expect(try worst(file.bytes, soft.luma) <= rounding)
    file.colourType = 0
    file.pixel = { x, y in [Int(grey.pixel(x, y)[0])] }
    #expect(try worst(file.bytes, grey.luma) < 0.001)
    file.bitDepth = 16
    file.pixel = { x, y in [Int(grey.pixel(x, y)[0]) * 257] }
    #expect(try worst(file.bytes, grey.luma) < 0.001)
    for depth in [1, 2, 4] {
      let white = (1 << depth) - 1
      file.bitDepth = depth
      file.pixel = { x, y in [(x + y) & white] }
      var expected: [Double] = []
      for y in 0..<29 { for x in 0..<37 { expected.append(Double((x + y) & white) * 255 / Double(white)) } }
      #expect(try worst(file.bytes, expected) < 0.001)
    }
  }

  @Test func `PNG palettes, their transparency and single transparent colours are honoured`() throws {
    let palette: [UInt8] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30]
    var file = PNGFile(width: 9, height: 5, bitDepth: 2, colourType: 3, palette: palette) { x, y in [(x + y) % 4] }
    let opaque = [76.245, 149.685, 29.07, 18.15]
    let places = (0..<45).map { ($0 % 9 + $0 / 9) % 4 }
    #expect(try worst(file.bytes, places.map { opaque[$0] }) <= rounding)
    file.transparency = [0, 128]
    let soft = [255, 149.685 * 128 / 255 + 127, 29.07, 18.15]
    #expect(try worst(file.bytes, places.map { soft[$0] }) <= rounding)
    let grey = PNGFile(width: 4, height: 1, colourType: 0, transparency: [0, 77]) { x, _ in [x == 2 ? 77 : 10] }
    #expect(try luma(grey.bytes).luma == [10, 10, 255, 10])
  }

  @Test(arguments: [(1, 1), (9, 1), (1, 9), (5, 3)])
  func `a tiny interlaced PNG is complete`(width: Int, height: Int) throws {
    let file = PNGFile(width: width, height: height, colourType: 0, isInterlaced: true) { x, y in [x * 20 + y * 3] }
    let read = try luma(file.bytes)
    for y in 0..<height {
      for x in 0..<width { #expect(read.luma[y * width + x] == UInt8(x * 20 + y * 3)) }
    }
  }

  @Test func `JPEG gives its Y plane, whether grey, colour or progressive`() throws {
    let grey = SamplePicture(width: 64, height: 48, isGrey: true)
    // At quality 100, a ramp is preserved within the rounding of the transform.
    #expect(try worst(grey.jpeg(channels: 1, quality: 100), grey.luma) <= 3)
    #expect(try worst(grey.jpeg(channels: 3, quality: 100), grey.luma) <= 4)
    #expect(try worst(grey.jpeg(channels: 3, quality: 100, isProgressive: true), grey.luma) <= 4)
    #expect(try luma(grey.jpeg(channels: 3)).luma == luma(grey.jpeg(channels: 3, isProgressive: true)).luma)
  }

  @Test func `a CMYK JPEG as stored by Adobe has the luma of its printed colour`() throws {
    // No ink is 255: white paper; then half black; then cyan, whose luma is that of (0, 255, 255).
    for (samples, expected) in [
      ([255, 255, 255, 255], 255.0), ([255, 255, 255, 128], 128), ([0, 255, 255, 255], 178.755),
    ] {
      var sample = SamplePicture(width: 16, height: 16)
      for index in sample.rgba.indices { sample.rgba[index] = UInt8(samples[index % 4]) }
      #expect(try worst(sample.jpeg(channels: 4, quality: 100), [Double](repeating: expected, count: 256)) <= 2)
    }
  }

  @Test func `WebP gives luma in full range, whether lossy, lossless or transparent`() throws {
    let colour = SamplePicture()
    let soft = SamplePicture(isOpaque: false)
    #expect(try worst(colour.webp(isLossless: true), colour.luma) <= rounding)
    #expect(try worst(soft.webp(isLossless: true), soft.luma) <= rounding)
    for level in [0, 16, 128, 235, 255] {
      var flat = SamplePicture(isGrey: true)
      for index in flat.rgba.indices where index % 4 != 3 { flat.rgba[index] = UInt8(level) }
      #expect(try worst(flat.webp(), flat.luma) <= 1)
      for index in flat.rgba.indices where index % 4 == 3 { flat.rgba[index] = 128 }
      #expect(try worst(flat.webp(quality: 100), flat.luma) <= 2)
    }
  }

  @Test func `PGM is read as bytes, words or text, with any maximum value and with comments`() throws {
    let eight: [UInt8] = Array("P5\n# made by hand\n3 2\n255\n".utf8) + [0, 1, 2, 253, 254, 255]
    #expect(try luma(eight).luma == [0, 1, 2, 253, 254, 255])
    let words: [UInt8] = Array("P5 2 1 65535\n".utf8) + [0x80, 0x00, 0xFF, 0xFF]
    #expect(try luma(words).luma == [128, 255])
    let coarse: [UInt8] = Array("P5 3 1 3 ".utf8) + [0, 1, 200]
    #expect(try luma(coarse).luma == [0, 85, 255])
    let text = Array("P2 # text\n2 2 # size\n15\n0 15\n# between\n5 10".utf8)
    #expect(try luma(text).luma == [0, 255, 85, 170])
    #expect(try luma(text).width == 2)
  }

  @Test func `a picture of any size reuses the memory of the previous one`() throws {
    var picture = Picture()
    for side in [40, 8, 90, 1] {
      let file = PNGFile(width: side, height: side, colourType: 0) { x, y in [(x * 3 + y) & 255] }.bytes
      try picture.load(bytes: file.span.bytes)
      #expect(picture.width == side)
      #expect(picture.withLuma { $0[side - 1, side - 1] } == UInt8(((side - 1) * 4) & 255))
    }
  }
}
