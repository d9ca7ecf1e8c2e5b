// BMP as Windows and OS/2 write it: a header, a palette, and rows from the bottom or the top, stored plainly or as runs. No library
// of Debian reads it without all of a desktop.

import CPicture

/// The header of a BMP, and the reader of its pixels.
struct WindowsBitmap {
  private(set) var width = 0
  private(set) var height = 0
  private let isFromTop: Bool
  private let bitCount: Int
  private let isRunLength: Bool
  /// Where the pixels begin.
  private let offset: Int
  /// The luma of each index; of pictures with up to 8 bits per pixel.
  private var palette: [UInt8] = []
  /// Red, green, blue and opacity in a pixel of 16 or 32 bits.
  private var masks: [UInt32] = []

  /// Sizes of the second header: OS/2, Windows 3, with masks, with masks and opacity, OS/2 2, Windows 4 and 5.
  static let headerByteCounts: Set<Int> = [12, 40, 52, 56, 64, 108, 124]

  init(header file: UnsafeRawBufferPointer) throws(PictureFileError) {
    guard file.count >= 26 else { throw .truncated(.bmp) }
    offset = Self.number(file, 10, 4)
    let headerByteCount = Self.number(file, 14, 4)
    guard file.count >= 14 + headerByteCount else { throw .truncated(.bmp) }
    let isOld = headerByteCount == 12
    let signedHeight = isOld ? Self.number(file, 20, 2) : Int(Int32(truncatingIfNeeded: Self.number(file, 22, 4)))
    width = isOld ? Self.number(file, 18, 2) : Int(Int32(truncatingIfNeeded: Self.number(file, 18, 4)))
    height = abs(signedHeight)
    isFromTop = signedHeight < 0
    bitCount = Self.number(file, isOld ? 24 : 28, 2)
    let compression = isOld ? 0 : Self.number(file, 30, 4)
    isRunLength = compression == 1 || compression == 2
    guard width > 0, height > 0 else { throw .corrupt(.bmp, detail: "a side is 0") }
    guard [1, 4, 8, 16, 24, 32].contains(bitCount) else {
      throw .unsupported(.bmp, detail: "\(bitCount) bits per pixel")
    }
    switch (compression, bitCount) {
    case (0, _), (1, 8), (2, 4), (3, 16), (3, 32), (6, 16), (6, 32): break
    default: throw .unsupported(.bmp, detail: "compression \(compression) with \(bitCount) bits per pixel")
    }
    if bitCount <= 8 {
      let colourByteCount = isOld ? 3 : 4
      let said = isOld ? 0 : Self.number(file, 46, 4)
      let start = 14 + headerByteCount
      let room = max(0, min(offset, file.count) - start) / colourByteCount
      let count = min(said == 0 ? 1 << bitCount : said, 1 << bitCount, room)
      palette = (0..<count).map { index in
        let colour = start + index * colourByteCount
        return Self.luma(file[colour + 2], file[colour + 1], file[colour])
      }
      // Indexes without a colour are black.
      palette += [UInt8](repeating: 0, count: 256 - palette.count)
    } else if compression == 3 || compression == 6 {
      let count = compression == 6 || headerByteCount >= 56 ? 4 : 3
      guard file.count >= 54 + 4 * count else { throw .truncated(.bmp) }
      masks = (0..<count).map { UInt32(truncatingIfNeeded: Self.number(file, 54 + 4 * $0, 4)) }
    } else {
      masks = bitCount == 16 ? [0x7C00, 0x03E0, 0x001F] : [0xFF_0000, 0xFF00, 0xFF]
    }
  }

  /// Writes width × height pixels; whether the ground shows through.
  func readPixels(
    _ file: UnsafeRawBufferPointer, into luma: UnsafeMutablePointer<UInt8>, ground: inout cpicture_ground
  ) throws(PictureFileError) {
    if isRunLength { return try readRuns(file, into: luma, ground: &ground) }
    let rowByteCount = (width * bitCount + 31) / 32 * 4
    // The last row's filling may be missing.
    guard offset >= 14, file.count - offset >= rowByteCount * (height - 1) + (width * bitCount + 7) / 8 else {
      throw offset < 14 ? .corrupt(.bmp, detail: "its pixels lie in the header") : .truncated(.bmp)
    }
    for y in 0..<height {
      let start = offset + y * rowByteCount
      let row = luma + (isFromTop ? y : height - 1 - y) * width
      switch bitCount {
      case 24:
        for x in 0..<width {
          let pixel = start + 3 * x
          row[x] = Self.luma(file[pixel + 2], file[pixel + 1], file[pixel])
        }
      case 16, 32:
        for x in 0..<width {
          let pixel = UInt32(truncatingIfNeeded: Self.number(file, start + x * bitCount / 8, bitCount / 8))
          row[x] = masked(pixel, &ground)
        }
      default:
        for x in 0..<width {
          let bit = x * bitCount
          let byte = Int(file[start + bit / 8])
          row[x] = palette[(byte >> (8 - bitCount - bit % 8)) & ((1 << bitCount) - 1)]
        }
      }
    }
  }

  private func masked(_ pixel: UInt32, _ ground: inout cpicture_ground) -> UInt8 {
    let luma = Self.luma(part(pixel, masks[0]), part(pixel, masks[1]), part(pixel, masks[2]))
    guard masks.count > 3, masks[3] != 0 else { return luma }
    let alpha = part(pixel, masks[3])
    if alpha < 128 { ground.is_visible = 1 }
    let shown = Int(luma) * Int(alpha)
    let under = Int(ground.luma) * (255 - Int(alpha))
    return UInt8((shown + under + 127) / 255)
  }

  /// The bits of a mask, stretched to 0…255.
  private func part(_ pixel: UInt32, _ mask: UInt32) -> UInt8 {
    guard mask != 0 else { return 0 }
    let shift = mask.trailingZeroBitCount
    let greatest = Int(mask >> shift)
    let value = Int((pixel & mask) >> shift)
    return UInt8((value * 255 + greatest / 2) / greatest)
  }

  /// Runs of equal pixels, runs of single ones, and steps, of 8 or 4 bits per pixel. Skipped pixels have the first colour. Every
  /// step consumes bytes of the file, which bounds the time by its length.
  private func readRuns(
    _ file: UnsafeRawBufferPointer, into luma: UnsafeMutablePointer<UInt8>, ground: inout cpicture_ground
  ) throws(PictureFileError) {
    luma.update(repeating: palette[0], count: width * height)
    var place = offset
    var (x, y) = (0, 0)
    func put(_ index: Int) {
      if x < width, y < height { luma[(isFromTop ? y : height - 1 - y) * width + x] = palette[index] }
      x += 1
    }
    while true {
      guard place >= 14, place + 2 <= file.count else { throw .truncated(.bmp) }
      let (count, value) = (Int(file[place]), Int(file[place + 1]))
      place += 2
      if count > 0 {
        for index in 0..<count { put(bitCount == 8 ? value : index % 2 == 0 ? value >> 4 : value & 15) }
        continue
      }
      switch value {
      case 0: (x, y) = (0, y + 1)
      case 1: return
      case 2:
        guard place + 2 <= file.count else { throw .truncated(.bmp) }
        x += Int(file[place])
        y += Int(file[place + 1])
        place += 2
      default:
        let byteCount = bitCount == 8 ? value : (value + 1) / 2
        guard place + byteCount <= file.count else { throw .truncated(.bmp) }
        for index in 0..<value {
          let byte = Int(file[place + (bitCount == 8 ? index : index / 2)])
          put(bitCount == 8 ? byte : index % 2 == 0 ? byte >> 4 : byte & 15)
        }
        place += byteCount + byteCount % 2
      }
      // Many files end here without a word.
      if y >= height { return }
    }
  }

  private static func luma(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt8 { rec601(red, green, blue) }

  private static func number(_ file: UnsafeRawBufferPointer, _ offset: Int, _ byteCount: Int) -> Int {
    var number = 0
    for index in (0..<byteCount).reversed() { number = number << 8 | Int(file[offset + index]) }
    return number
  }
}

/// Rec. 601 luma of full-range RGB, with the weights of `CPicture`.
func rec601(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt8 {
  let sum: UInt32 = 19_595 * UInt32(red) + 38_470 * UInt32(green) + 7_471 * UInt32(blue)
  return UInt8((sum + 32_768) >> 16)
}
