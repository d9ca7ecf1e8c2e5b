// A picture from a file in the decoder's format: 8-bit luma in one block of memory, which the next picture reuses.

public import BarcodeTypes
import CPicture
import Glibc

/// Luma of a picture file, in memory that it owns and reuses for the next picture.
///
/// It reads PNG, JPEG, WebP and PGM. Colours become luma by Rec. 601, transparent pixels are composited on white. The
/// orientation that a camera may have noted in the file (Exif) is ignored: corners are those of the stored pixels.
public struct Picture: ~Copyable {
  /// Pixels per row; 0 before the first picture, and after an unreadable one.
  public private(set) var width = 0
  /// Rows; 0 before the first picture, and after an unreadable one.
  public private(set) var height = 0
  private var pixels: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  private var file = FileBytes()

  /// A picture without pixels and without memory.
  public init() {}

  deinit {
    free(pixels)
  }

  /// Reads the picture file at `path`. After an error the picture has no pixels. Blocks.
  public mutating func load(path: String) throws(PictureFileError) {
    width = 0
    height = 0
    try file.read(path: path)
    try decode(file.bytes)
  }

  /// Reads a picture from the bytes of a file. After an error the picture has no pixels.
  public mutating func load(bytes: RawSpan) throws(PictureFileError) {
    width = 0
    height = 0
    if bytes.byteCount > PictureLimits.fileByteCountMax { throw .fileTooLarge(byteCount: bytes.byteCount) }
    try bytes.withUnsafeBytes { bytes throws(PictureFileError) in try decode(bytes) }
  }

  /// Lends the picture's luma for the duration of `body`; nil if there is no picture.
  public func withLuma<Result, Failure: Error>(
    _ body: (LumaView) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard let pixels, width > 0 else { return nil }
    return try body(LumaView(base: pixels, width: width, height: height, bytesPerRow: width))
  }

  private mutating func decode(_ file: UnsafeRawBufferPointer) throws(PictureFileError) {
    let format = try recogniseFormat(file)
    let bytes = file.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var library = LibraryCall(format: format)
    var width: UInt32 = 0
    var height: UInt32 = 0
    var portable: PortableGreyMap?
    switch format {
    case .png: try library.check(cpicture_png_size(bytes, file.count, &width, &height, &library.detail))
    case .jpeg: try library.check(cpicture_jpeg_size(bytes, file.count, &width, &height, &library.detail))
    case .webp: try library.check(cpicture_webp_size(bytes, file.count, &width, &height, &library.detail))
    case .pgm:
      let header = try PortableGreyMap(header: file)
      width = UInt32(clamping: header.width)
      height = UInt32(clamping: header.height)
      portable = header
    }
    let luma = try makeRoom(width: Int(width), height: Int(height))
    switch format {
    case .png: try library.check(cpicture_png_luma(bytes, file.count, luma, &library.detail))
    case .jpeg:
      try library.check(
        cpicture_jpeg_luma(
          bytes, file.count, luma, PictureLimits.jpegMemoryByteCountMax, Int32(PictureLimits.jpegScanCountMax),
          &library.detail))
    case .webp: try library.check(cpicture_webp_luma(bytes, file.count, luma, &library.detail))
    case .pgm: try portable?.readPixels(file, into: luma)
    }
    self.width = Int(width)
    self.height = Int(height)
  }

  /// Allocates memory for a picture of the size in a header, within the limits.
  private mutating func makeRoom(width: Int, height: Int) throws(PictureFileError) -> UnsafeMutablePointer<UInt8> {
    guard width > 0, height > 0, width <= PictureLimits.sidePixelsMax, height <= PictureLimits.sidePixelsMax,
      width * height <= PictureLimits.pixelCountMax
    else { throw .pictureTooLarge(width: width, height: height) }
    if let pixels, capacity >= width * height { return pixels }
    free(pixels)
    pixels = nil
    capacity = 0
    // Swift's own allocation would end the process if memory is short.
    guard let memory = malloc(width * height) else { throw .outOfMemory }
    let taken = memory.bindMemory(to: UInt8.self, capacity: width * height)
    pixels = taken
    capacity = width * height
    return taken
  }
}

/// Converts an error of CPicture.
private struct LibraryCall {
  let format: PictureFormat
  var detail = cpicture_detail()

  func check(_ code: Int32) throws(PictureFileError) {
    switch Int(code) {
    case 0: return
    case CPICTURE_TRUNCATED: throw .truncated(format)
    case CPICTURE_UNSUPPORTED: throw .unsupported(format, detail: text)
    case CPICTURE_NO_MEMORY: throw .outOfMemory
    default: throw .corrupt(format, detail: text)
    }
  }

  private var text: String {
    withUnsafeBytes(of: detail.text) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
