// PBM, PGM and PPM as defined by Netpbm's pbm(5), pgm(5) and ppm(5): a text header, then samples as text (P1, P2, P3), as bits (P4), or
// as one or two bytes each (P5, P6).

/// The header of a PBM, PGM or PPM picture, and the reader of its samples.
struct PortableMap {
  private(set) var width = 0
  private(set) var height = 0
  private let format: PictureFormat
  private let isText: Bool
  /// The sample value of white, 1…65535.
  private var white = 1
  /// Where the samples begin.
  private var offset = 2

  /// Reads the header of a file that begins with P1 to P6.
  init(header file: UnsafeRawBufferPointer, _ format: PictureFormat) throws(PictureFileError) {
    self.format = format
    isText = file[1] <= UInt8(ascii: "3")
    width = try readNumber(file)
    height = try readNumber(file)
    if format != .pbm { white = try readNumber(file) }
    guard width > 0, height > 0 else { throw .corrupt(format, detail: "a side is 0") }
    guard (1...65_535).contains(white) else { throw .corrupt(format, detail: "the greatest sample must be 1 to 65535") }
    guard offset < file.count else { throw .truncated(format) }
    guard isSpace(file[offset]) || (isText && file[offset] == UInt8(ascii: "#")) else {
      throw .corrupt(format, detail: "its header does not end in white space")
    }
    offset += 1
  }

  /// Reads width × height pixels into `luma`, scaled so that the largest permitted sample becomes 255. Larger ones count as
  /// white.
  mutating func readPixels(
    _ file: UnsafeRawBufferPointer, into luma: UnsafeMutablePointer<UInt8>
  ) throws(PictureFileError) {
    switch format {
    case .pbm: try readBits(file, into: luma)
    case .ppm: try readColours(file, into: luma)
    default: try readGreys(file, into: luma)
    }
  }

  private mutating func readGreys(
    _ file: UnsafeRawBufferPointer, into luma: UnsafeMutablePointer<UInt8>
  ) throws(PictureFileError) {
    let count = width * height
    if isText {
      for index in 0..<count { luma[index] = scaled(try readNumber(file)) }
      return
    }
    let samples = try samples(file, count: count)
    if white > 255 {
      for index in 0..<count { luma[index] = scaled(wide(samples, index)) }
    } else if white == 255, let base = samples.baseAddress {
      luma.update(from: base.assumingMemoryBound(to: UInt8.self), count: count)
    } else {
      for index in 0..<count { luma[index] = scaled(Int(samples[index])) }
    }
  }

  private mutating func readColours(
    _ file: UnsafeRawBufferPointer, into luma: UnsafeMutablePointer<UInt8>
  ) throws(PictureFileError) {
    let count = width * height
    if isText {
      for index in 0..<count {
        let (red, green) = (scaled(try readNumber(file)), scaled(try readNumber(file)))
        luma[index] = rec601(red, green, scaled(try readNumber(file)))
      }
      return
    }
    let samples = try samples(file, count: 3 * count)
    let isWide = white > 255
    func sample(_ index: Int) -> UInt8 { scaled(isWide ? wide(samples, index) : Int(samples[index])) }
    for index in 0..<count { luma[index] = rec601(sample(3 * index), sample(3 * index + 1), sample(3 * index + 2)) }
  }

  /// Bits, 1 for black; in text they need no space between them.
  private mutating func readBits(
    _ file: UnsafeRawBufferPointer, into luma: UnsafeMutablePointer<UInt8>
  ) throws(PictureFileError) {
    if isText {
      for index in 0..<width * height {
        skipSpace(file)
        guard offset < file.count else { throw .truncated(format) }
        guard file[offset] & 0xFE == 0x30 else { throw .corrupt(format, detail: "a bit is neither 0 nor 1") }
        luma[index] = file[offset] == 0x30 ? 255 : 0
        offset += 1
      }
      return
    }
    let rowByteCount = (width + 7) / 8
    guard file.count - offset >= rowByteCount * height else { throw .truncated(format) }
    for y in 0..<height {
      let row = offset + y * rowByteCount
      for x in 0..<width { luma[y * width + x] = file[row + x / 8] >> UInt8(7 - x % 8) & 1 == 1 ? 0 : 255 }
    }
  }

  /// The binary samples: each has one or two bytes.
  private func samples(_ file: UnsafeRawBufferPointer, count: Int) throws(PictureFileError) -> UnsafeRawBufferPointer {
    guard file.count - offset >= count * (white > 255 ? 2 : 1) else { throw .truncated(format) }
    return UnsafeRawBufferPointer(rebasing: file[offset...])
  }

  private func wide(_ samples: UnsafeRawBufferPointer, _ index: Int) -> Int {
    Int(samples[2 * index]) << 8 | Int(samples[2 * index + 1])
  }

  private func scaled(_ sample: Int) -> UInt8 { UInt8((min(sample, white) * 255 + white / 2) / white) }

  /// Skips white space and comments, which extend from # to the end of their line.
  private mutating func skipSpace(_ file: UnsafeRawBufferPointer) {
    while offset < file.count, isSpace(file[offset]) || file[offset] == UInt8(ascii: "#") {
      if file[offset] == UInt8(ascii: "#") {
        while offset < file.count, file[offset] != 0x0A, file[offset] != 0x0D { offset += 1 }
      } else {
        offset += 1
      }
    }
  }

  /// The next decimal number.
  private mutating func readNumber(_ file: UnsafeRawBufferPointer) throws(PictureFileError) -> Int {
    skipSpace(file)
    let start = offset
    var number = 0
    while offset < file.count, (0x30...0x39).contains(file[offset]) {
      number = min(number * 10 + Int(file[offset] - 0x30), 1 << 31)
      offset += 1
    }
    if offset == start {
      if offset >= file.count { throw .truncated(format) }
      throw .corrupt(format, detail: "a number is missing")
    }
    return number
  }
}
