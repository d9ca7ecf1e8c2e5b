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
  /// A note as cameras write it.
  var exif: [UInt8] = []
  /// The samples of a pixel, each below 2 to the power of the depth.
  var pixel: (_ x: Int, _ y: Int) -> [Int]

  var bytes: [UInt8] {
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    let header = bigEndian(width) + bigEndian(height) + [UInt8(bitDepth), colourType, 0, 0, isInterlaced ? 1 : 0]
    file += chunk("IHDR", header)
    if !palette.isEmpty { file += chunk("PLTE", palette) }
    if !transparency.isEmpty { file += chunk("tRNS", transparency) }
    if !exif.isEmpty { file += chunk("eXIf", exif) }
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

/// A TIFF writer without compression: pages of the same RGBA pictures or of 8-bit grey.
struct TIFFFile {
  var pages: [SamplePicture]
  /// The tag's number; nil for none.
  var orientation: Int?
  /// 4 for RGB with opacity that is not multiplied in, 3 for RGB.
  var channels = 3

  var bytes: [UInt8] {
    var file: [UInt8] = [0x49, 0x49, 0x2A, 0, 0, 0, 0, 0]
    var link = 4
    for page in pages {
      let samples = page.samples(channels)
      let place = file.count
      file += samples
      if file.count % 2 == 1 { file.append(0) }
      let depths = file.count
      for _ in 0..<channels { file += [8, 0] }
      var entries = [
        (256, 4, 1, page.width), (257, 4, 1, page.height), (258, 3, channels, depths), (259, 3, 1, 1), (262, 3, 1, 2),
        (273, 4, 1, place), (277, 3, 1, channels), (278, 4, 1, page.height), (279, 4, 1, samples.count),
      ]
      if let orientation { entries.insert((274, 3, 1, orientation), at: 6) }
      if channels == 4 { entries.append((338, 3, 1, 2)) }
      file.replaceSubrange(link..<link + 4, with: Self.little(file.count, 4))
      file += Self.little(entries.count, 2)
      for (tag, type, count, value) in entries {
        file += Self.little(tag, 2) + Self.little(type, 2) + Self.little(count, 4) + Self.little(value, 4)
      }
      link = file.count
      file += [0, 0, 0, 0]
    }
    return file
  }

  static func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
}

/// A GIF writer that compresses nothing: every code is a single index.
struct GIFFile {
  var width: Int
  var height: Int
  /// The picture on the screen: its place and size.
  var frame: (left: Int, top: Int, width: Int, height: Int)
  var isInterlaced = false
  var transparent: Int?
  /// Indexes of the picture's pixels; the colour of an index is that grey.
  var indexes: [UInt8]

  var bytes: [UInt8] {
    var file = Array("GIF89a".utf8) + TIFFFile.little(width, 2) + TIFFFile.little(height, 2) + [0xF7, 0, 0]
    for grey in 0...255 { file += [UInt8(grey), UInt8(grey), UInt8(grey)] }
    if let transparent { file += [0x21, 0xF9, 4, 1, 0, 0, UInt8(transparent), 0] }
    file += [0x21, 0xFE, 3, 1, 2, 3, 0, 0x2C]
    for number in [frame.left, frame.top, frame.width, frame.height] { file += TIFFFile.little(number, 2) }
    file += [isInterlaced ? 0x40 : 0, 8]
    let data = codes
    for start in stride(from: 0, to: data.count, by: 255) {
      let block = data[start..<min(start + 255, data.count)]
      file += [UInt8(block.count)] + block
    }
    return file + [0, 0x3B]
  }

  /// Rows in their order in the file.
  private var rows: [Int] {
    guard isInterlaced else { return Array(0..<frame.height) }
    return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0.0, to: frame.height, by: $0.1)) }
  }

  /// Nine bits for each code; the table is cleared before it would need ten.
  private var codes: [UInt8] {
    var (bytes, held, heldBits) = ([UInt8](), 0, 0)
    func put(_ code: Int) {
      held |= code << heldBits
      heldBits += 9
      while heldBits >= 8 {
        bytes.append(UInt8(held & 255))
        held >>= 8
        heldBits -= 8
      }
    }
    var count = 0
    for row in rows {
      for index in indexes[row * frame.width..<(row + 1) * frame.width] {
        if count % 200 == 0 { put(256) }
        put(Int(index))
        count += 1
      }
    }
    put(257)
    if heldBits > 0 { bytes.append(UInt8(held)) }
    return bytes
  }
}

/// A BMP writer: rows from the bottom, or from the top if the height is negative.
struct BMPFile {
  var width: Int
  var height: Int
  var bitCount: Int
  var compression = 0
  /// Behind the header: masks, or blue, green, red and a zero for each index.
  var table: [UInt8] = []
  /// Rows as they are stored, each filled to four bytes; or runs.
  var data: [UInt8]

  var bytes: [UInt8] {
    let start = 54 + table.count
    var file = Array("BM".utf8) + TIFFFile.little(start + data.count, 4) + [0, 0, 0, 0] + TIFFFile.little(start, 4)
    file += TIFFFile.little(40, 4) + TIFFFile.little(width, 4) + TIFFFile.little(height, 4) + [1, 0]
    file += TIFFFile.little(bitCount, 2) + TIFFFile.little(compression, 4) + TIFFFile.little(data.count, 4)
    file += [UInt8](repeating: 0, count: 16)
    return file + table + data
  }
}

/// A PDF of pages with a black bar each, as wide and high as `bars` says, in points from the lower left corner.
func pdf(pages: [(width: Int, height: Int)], rotation: Int = 0, bars: [(x: Int, y: Int, width: Int, height: Int)]) -> [UInt8]
{
  var file = "%PDF-1.4\n"
  var places: [Int] = []
  func put(_ object: String) {
    places.append(file.utf8.count)
    file += "\(places.count) 0 obj\n\(object)\nendobj\n"
  }
  put("<< /Type /Catalog /Pages 2 0 R >>")
  let kids = pages.indices.map { "\(3 + 2 * $0) 0 R" }.joined(separator: " ")
  put("<< /Type /Pages /Count \(pages.count) /Kids [\(kids)] >>")
  for (index, page) in pages.enumerated() {
    put(
      "<< /Type /Page /Parent 2 0 R /Rotate \(rotation) /MediaBox [0 0 \(page.width) \(page.height)] "
        + "/Contents \(4 + 2 * index) 0 R >>")
    let bar = bars[index]
    let content = "0 g \(bar.x) \(bar.y) \(bar.width) \(bar.height) re f"
    put("<< /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream")
  }
  let start = file.utf8.count
  file += "xref\n0 \(places.count + 1)\n0000000000 65535 f \n"
  for place in places {
    let digits = String(place)
    file += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
  }
  return Array((file + "trailer\n<< /Size \(places.count + 1) /Root 1 0 R >>\nstartxref\n\(start)\n%%EOF\n").utf8)
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
