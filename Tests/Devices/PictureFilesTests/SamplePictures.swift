// Pictures drawn for the tests, and files made of them.

import CPictureWriter
import Glibc

/// An RGBA picture with ramps in every channel, so that a swapped channel, row or column is visible.
struct SamplePicture {
  let width: Int
  let height: Int
  /// Four bytes per pixel, row by row.
  var rgba: [UInt8]

  init(width: Int = 37, height: Int = 29, isGrey: Bool = false, isOpaque: Bool = true) {
    self.width = width
    self.height = height
    rgba = []
    for y in 0..<height {
      for x in 0..<width {
        let red = UInt8((x * 7 + y) & 255)
        rgba += isGrey ? [red, red, red] : [red, UInt8((y * 9) & 255), UInt8((x * y) & 255)]
        rgba.append(isOpaque ? 255 : UInt8((x * 5 + y * 3) & 255))
      }
    }
  }

  /// The four samples of a pixel.
  func pixel(_ x: Int, _ y: Int) -> [UInt8] { Array(rgba[(y * width + x) * 4..<(y * width + x) * 4 + 4]) }

  /// The first `channels` samples of each pixel.
  func samples(_ channels: Int) -> [UInt8] {
    var samples: [UInt8] = []
    for index in 0..<width * height { samples += rgba[index * 4..<index * 4 + channels] }
    return samples
  }

  /// The expected luma, computed in floating point: Rec. 601 over white.
  var luma: [Double] {
    (0..<width * height).map { index in
      let alpha = Double(rgba[index * 4 + 3]) / 255
      let luma =
        0.299 * Double(rgba[index * 4]) + 0.587 * Double(rgba[index * 4 + 1]) + 0.114 * Double(rgba[index * 4 + 2])
      return luma * alpha + 255 * (1 - alpha)
    }
  }

  func jpeg(channels: Int, quality: Int = 95, isProgressive: Bool = false) -> [UInt8] {
    let samples = samples(channels)
    var file: UnsafeMutablePointer<UInt8>?
    let count = cpicturewriter_jpeg(
      samples, Int32(width), Int32(height), Int32(channels), Int32(quality), isProgressive ? 1 : 0, &file)
    defer { free(file) }
    return Array(UnsafeBufferPointer(start: file, count: count))
  }

  func webp(quality: Int = 95, isLossless: Bool = false) -> [UInt8] {
    var file: UnsafeMutablePointer<UInt8>?
    let count = cpicturewriter_webp(rgba, Int32(width), Int32(height), Int32(quality), isLossless ? 1 : 0, &file)
    defer { free(file) }
    return Array(UnsafeBufferPointer(start: file, count: count))
  }
}

/// A PNG writer without compression, for every colour type, depth and interlacing.
struct PNGFile {
  var width: Int
  var height: Int
  var bitDepth = 8
  /// 0 grey, 2 RGB, 3 palette, 4 grey with alpha, 6 RGB with alpha.
  var colourType: UInt8
  var isInterlaced = false
  var palette: [UInt8] = []
  var transparency: [UInt8] = []
  /// The samples of a pixel, each below 2 to the power of the depth.
  var pixel: (_ x: Int, _ y: Int) -> [Int]

  var bytes: [UInt8] {
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    let header = bigEndian(width) + bigEndian(height) + [UInt8(bitDepth), colourType, 0, 0, isInterlaced ? 1 : 0]
    file += chunk("IHDR", header)
    if !palette.isEmpty { file += chunk("PLTE", palette) }
    if !transparency.isEmpty { file += chunk("tRNS", transparency) }
    return file + chunk("IDAT", stored(rows)) + chunk("IEND", [])
  }

  private var rows: [UInt8] {
    guard isInterlaced else { return rows(x: 0, y: 0, stepX: 1, stepY: 1) }
    // Adam7: the start of each of the seven passes, and its steps.
    let passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    return passes.flatMap { rows(x: $0.0, y: $0.1, stepX: $0.2, stepY: $0.3) }
  }

  private func rows(x left: Int, y top: Int, stepX: Int, stepY: Int) -> [UInt8] {
    guard left < width else { return [] }
    var bytes: [UInt8] = []
    for y in stride(from: top, to: height, by: stepY) {
      bytes.append(0)
      var held = 0
      var heldBits = 0
      for x in stride(from: left, to: width, by: stepX) {
        for sample in pixel(x, y) {
          held = held << bitDepth | sample
          heldBits += bitDepth
          while heldBits >= 8 {
            heldBits -= 8
            bytes.append(UInt8(held >> heldBits & 255))
          }
        }
      }
      if heldBits > 0 { bytes.append(UInt8(held << (8 - heldBits) & 255)) }
    }
    return bytes
  }

  private func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return bigEndian(data.count) + body + bigEndian(Int(PNGFile.crc(body)))
  }

  /// A zlib stream of stored blocks.
  private func stored(_ data: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var offset = 0
    repeat {
      let count = min(65_535, data.count - offset)
      let isLast: UInt8 = offset + count == data.count ? 1 : 0
      stream += [isLast, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8 & 255)]
      stream += data[offset..<offset + count]
      offset += count
    } while offset < data.count
    var low = 1
    var high = 0
    for byte in data {
      low = (low + Int(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return stream + bigEndian(high << 16 | low)
  }

  static func crc(_ bytes: [UInt8]) -> UInt32 {
    var crc: UInt32 = ~0
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 != 0 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }

  private func bigEndian(_ value: Int) -> [UInt8] {
    [UInt8(value >> 24 & 255), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
  }
}

/// A folder for the files of a test, deleted with this value.
struct TemporaryFolder: ~Copyable {
  let path: String

  init() {
    var template = Array("/tmp/reticle-test-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress, let made = mkdtemp(base) else { return "/nonexistent" }
      return String(cString: made)
    }
  }

  deinit {
    if let folder = opendir(path) {
      while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) }
        if name != "." && name != ".." { remove("\(path)/\(name)") }
      }
      closedir(folder)
    }
    rmdir(path)
  }

  /// Writes a file and returns its path.
  func write(_ name: String, _ bytes: [UInt8]) -> String {
    let file = "\(path)/\(name)"
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(descriptor) }
    _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    return file
  }
}
