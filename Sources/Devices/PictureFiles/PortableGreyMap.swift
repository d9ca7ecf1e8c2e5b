// PGM as defined by Netpbm's pgm(5): a text header, then samples as text (P2) or as one or two bytes each (P5).

/// The header of a PGM picture, and the reader of its samples.
struct PortableGreyMap {
  private(set) var width = 0
  private(set) var height = 0
  private let isText: Bool
  /// The sample value of white, 1…65535.
  private var white = 0
  /// Where the samples begin.
  private var offset = 2

  /// Reads the header of a file that begins with P2 or P5.
  init(header file: UnsafeRawBufferPointer) throws(PictureFileError) {
    isText = file[1] == UInt8(ascii: "2")
    width = try readNumber(file)
    height = try readNumber(file)
    white = try readNumber(file)
    guard width > 0, height > 0 else { throw .corrupt(.pgm, detail: "a side is 0") }
    guard (1...65_535).contains(white) else { throw .corrupt(.pgm, detail: "the greatest sample must be 1 to 65535") }
    guard offset < file.count else { throw .truncated(.pgm) }
    guard isSpace(file[offset]) || (isText && file[offset] == UInt8(ascii: "#")) else {
      throw .corrupt(.pgm, detail: "its header does not end in white space")
    }
    offset += 1
  }

  /// Reads width × height samples into `luma`, scaled so that the largest permitted sample becomes 255. Larger ones count as
  /// white.
  mutating func readPixels(
    _ file: UnsafeRawBufferPointer, into luma: UnsafeMutablePointer<UInt8>
  ) throws(PictureFileError) {
    let count = width * height
    if isText {
      for index in 0..<count { luma[index] = scaled(try readNumber(file)) }
      return
    }
    let sampleByteCount = white > 255 ? 2 : 1
    guard file.count - offset >= count * sampleByteCount else { throw .truncated(.pgm) }
    let samples = UnsafeRawBufferPointer(rebasing: file[offset...])
    if sampleByteCount == 2 {
      for index in 0..<count { luma[index] = scaled(Int(samples[2 * index]) << 8 | Int(samples[2 * index + 1])) }
    } else if white == 255, let base = samples.baseAddress {
      luma.update(from: base.assumingMemoryBound(to: UInt8.self), count: count)
    } else {
      for index in 0..<count { luma[index] = scaled(Int(samples[index])) }
    }
  }

  private func scaled(_ sample: Int) -> UInt8 { UInt8((min(sample, white) * 255 + white / 2) / white) }

  /// The next decimal number after white space and comments, which extend from # to the end of their line.
  private mutating func readNumber(_ file: UnsafeRawBufferPointer) throws(PictureFileError) -> Int {
    while offset < file.count, isSpace(file[offset]) || file[offset] == UInt8(ascii: "#") {
      if file[offset] == UInt8(ascii: "#") {
        while offset < file.count, file[offset] != 0x0A, file[offset] != 0x0D { offset += 1 }
      } else {
        offset += 1
      }
    }
    let start = offset
    var number = 0
    while offset < file.count, (0x30...0x39).contains(file[offset]) {
      number = min(number * 10 + Int(file[offset] - 0x30), 1 << 31)
      offset += 1
    }
    if offset == start {
      if offset >= file.count { throw .truncated(.pgm) }
      throw .corrupt(.pgm, detail: "a number is missing")
    }
    return number
  }
}
