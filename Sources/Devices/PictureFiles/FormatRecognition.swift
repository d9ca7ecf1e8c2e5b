// Recognises a file's format by its first bytes: names may be wrong, and an error can state the actual format.

/// The format of a file by its first bytes.
func recogniseFormat(_ file: UnsafeRawBufferPointer) throws(PictureFileError) -> PictureFormat {
  if file.isEmpty { throw .empty }
  if begins(file, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
  if begins(file, [0xFF, 0xD8, 0xFF]) { return .jpeg }
  if begins(file, "RIFF"), begins(file, "WEBP", at: 8) { return .webp }
  if file.count > 2, file[0] == UInt8(ascii: "P"), isSpace(file[2]) || file[2] == UInt8(ascii: "#") {
    switch file[1] {
    case UInt8(ascii: "1"), UInt8(ascii: "4"): return .pbm
    case UInt8(ascii: "2"), UInt8(ascii: "5"): return .pgm
    case UInt8(ascii: "3"), UInt8(ascii: "6"): return .ppm
    default: break
    }
  }
  if begins(file, "GIF87a") || begins(file, "GIF89a") { return .gif }
  if isTIFF(file) { return .tiff }
  if begins(file, "BM") {
    guard file.count >= 18 else { throw .truncated(.bmp) }
    if WindowsBitmap.headerByteCounts.contains(Int(file[14])), file[15] == 0 { return .bmp }
  }
  if begins(file, "%PDF-") { return .pdf }
  if begins(file, "ftyp", at: 4), isoMediaType(file) == nil { return .heif }
  if let format = truncatedFormat(file) { throw .truncated(format) }
  throw .wrongType(recognised: foreignType(file))
}

extension PictureFormat {
  /// The format of a file by its first bytes; nil for other files.
  public init?(beginning bytes: [UInt8]) {
    guard let format = bytes.withUnsafeBytes({ try? recogniseFormat($0) }) else { return nil }
    self = format
  }
}

/// The format of a file that ends within its first bytes.
private func truncatedFormat(_ file: UnsafeRawBufferPointer) -> PictureFormat? {
  let signatures: [(PictureFormat, [UInt8], least: Int)] = [
    (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], 2), (.jpeg, [0xFF, 0xD8, 0xFF], 2),
    (.webp, Array("RIFF".utf8), 4), (.pgm, Array("P5".utf8), 2), (.pgm, Array("P2".utf8), 2),
    (.ppm, Array("P6".utf8), 2), (.ppm, Array("P3".utf8), 2), (.pbm, Array("P4".utf8), 2), (.pbm, Array("P1".utf8), 2),
    (.gif, Array("GIF89a".utf8), 3), (.gif, Array("GIF87a".utf8), 3),
    (.tiff, [0x49, 0x49, 0x2A, 0x00], 2), (.tiff, [0x4D, 0x4D, 0x00, 0x2A], 2), (.pdf, Array("%PDF-".utf8), 2),
  ]
  for (format, signature, least) in signatures where file.count >= least && file.count < 12 {
    if file.prefix(signature.count).elementsEqual(signature.prefix(file.count)) { return format }
  }
  return nil
}

/// The names of other common formats, by their first bytes.
private func foreignType(_ file: UnsafeRawBufferPointer) -> String? {
  if begins(file, "ftyp", at: 4) { return isoMediaType(file) }
  if begins(file, [0xFF, 0x0A]) || begins(file, [0x00, 0x00, 0x00, 0x0C, 0x4A, 0x58, 0x4C, 0x20]) {
    return "a JPEG XL picture"
  }
  if begins(file, [0x00, 0x00, 0x00, 0x0C, 0x6A, 0x50, 0x20, 0x20]) { return "a JPEG 2000 picture" }
  if begins(file, "P7") { return "a PAM picture" }
  if begins(file, "Pf") || begins(file, "PF") { return "a PFM picture" }
  if begins(file, [0x50, 0x4B, 0x03, 0x04]) { return "a ZIP archive or an office document" }
  if begins(file, [0x1F, 0x8B]) { return "compressed by gzip" }
  if begins(file, "RIFF") { return "a sound or video file" }
  if begins(file, "<svg") || begins(file, "<?xml") { return "an SVG drawing or another XML document" }
  if begins(file, "<!DOCTYPE") || begins(file, "<html") { return "a web page" }
  return nil
}

/// The name of a file type that uses HEIF's boxes, by its brand; nil for pictures, such as HEIC and AVIF.
private func isoMediaType(_ file: UnsafeRawBufferPointer) -> String? {
  let brands: [StaticString] = ["hei", "hev", "mif1", "msf1", "avif", "avis"]
  return brands.contains { begins(file, $0, at: 8) } ? nil : "a video file"
}

/// Classic and big TIFF, in either order of bytes.
private func isTIFF(_ file: UnsafeRawBufferPointer) -> Bool {
  begins(file, [0x49, 0x49, 0x2A, 0x00]) || begins(file, [0x4D, 0x4D, 0x00, 0x2A])
    || begins(file, [0x49, 0x49, 0x2B, 0x00]) || begins(file, [0x4D, 0x4D, 0x00, 0x2B])
}

private func begins(_ file: UnsafeRawBufferPointer, _ signature: [UInt8]) -> Bool { file.starts(with: signature) }

private func begins(_ file: UnsafeRawBufferPointer, _ signature: StaticString, at offset: Int = 0) -> Bool {
  signature.withUTF8Buffer { file.dropFirst(offset).starts(with: $0) }
}

/// White space as defined by Netpbm: blank, tab, line feed, vertical tab, form feed, carriage return.
func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
