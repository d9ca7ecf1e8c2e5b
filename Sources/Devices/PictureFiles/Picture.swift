// A picture from a file in the decoder's format: 8-bit luma in one block of memory, which the next picture reuses.

public import BarcodeTypes
import CPicture
import Glibc

/// The ground below the transparent parts of a picture.
public enum PictureGround: Sendable {
  /// As most viewers show it.
  case white
  /// Under white bars.
  case black
}

/// Luma of a picture file, in memory that it owns and reuses for the next picture.
///
/// It reads PNG, JPEG, WebP, GIF, TIFF, BMP, PPM, PGM and PBM; HEIF, HEIC and AVIF through libheif and PDF through poppler's
/// programs, where the machine has them. Colours become luma by Rec. 601. A picture is turned as its file says (Exif, or the tag of
/// a TIFF): width, height and corners are those that a viewer shows. Of a moving GIF it reads the first picture.
public struct Picture: ~Copyable {
  /// Pixels per row; 0 before the first picture, and after an unreadable one.
  public private(set) var width = 0
  /// Rows; 0 before the first picture, and after an unreadable one.
  public private(set) var height = 0
  /// Pages of the file that was opened last; 1 for formats without pages.
  public private(set) var pageCount = 0
  /// Whether the picture is transparent somewhere, where the ground shows through by more than half.
  public private(set) var isTransparent = false
  /// Dots per inch of pages that are drawn: those of PDF documents.
  public var dotsPerInch = PictureLimits.dotsPerInch
  private var pixels: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  private var file = FileBytes()
  private var document: PortableDocument?
  /// The drawn page of a document.
  private var drawing = FileBytes()

  /// A picture without pixels and without memory.
  public init() {}

  deinit {
    free(pixels)
  }

  /// Reads the picture file at `path`, or the first page of a document, over white. After an error the picture has no pixels.
  /// Blocks.
  ///
  /// - Parameter path: as in `FileName`, if it is not UTF-8.
  public mutating func load(path: String) throws(PictureFileError) {
    clear()
    try file.read(path: path)
    try open()
    try load()
  }

  /// Reads a picture from the bytes of a file. After an error the picture has no pixels.
  public mutating func load(bytes: RawSpan) throws(PictureFileError) {
    clear()
    if bytes.byteCount > PictureLimits.fileByteCountMax { throw .fileTooLarge(byteCount: bytes.byteCount) }
    try bytes.withUnsafeBytes { bytes throws(PictureFileError) in try file.copy(bytes) }
    try open()
    try load()
  }

  /// Reads another page of the file that was opened last, or the same over another ground.
  ///
  /// - Parameter page: counted from 0, below `pageCount`.
  public mutating func load(page: Int = 0, over ground: PictureGround = .white) throws(PictureFileError) {
    precondition(page >= 0 && page < pageCount)
    width = 0
    height = 0
    isTransparent = false
    if document != nil {
      // A page is drawn on white paper.
      try document?.draw(page: page, dotsPerInch: dotsPerInch, into: &drawing)
      // As a copy, which shares the memory: the picture changes while it is read.
      let drawn = drawing.bytes
      try decode(drawn, try recogniseFormat(drawn), page: 0, ground)
    } else {
      let bytes = file.bytes
      try decode(bytes, try recogniseFormat(bytes), page: page, ground)
    }
  }

  private mutating func clear() {
    width = 0
    height = 0
    pageCount = 0
    isTransparent = false
    document = nil
  }

  /// Counts the pages of the file.
  private mutating func open() throws(PictureFileError) {
    let format = try recogniseFormat(file.bytes)
    switch format {
    case .pdf:
      let document = try PortableDocument.open(file.bytes)
      pageCount = document.pageCount
      self.document = consume document
    case .tiff:
      var library = LibraryCall(format: format)
      var count: UInt32 = 0
      let bytes = file.bytes
      try library.check(
        cpicture_tiff_pages(
          bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &count, &library.detail))
      guard count <= PictureLimits.pageCountMax else { throw .tooManyPages(count: Int(count)) }
      pageCount = max(1, Int(count))
    default: pageCount = 1
    }
  }

  /// Lends the picture's luma for the duration of `body`; nil if there is no picture.
  public func withLuma<Result, Failure: Error>(
    _ body: (LumaView) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard let pixels, width > 0 else { return nil }
    return try body(LumaView(base: pixels, width: width, height: height, bytesPerRow: width))
  }

  private mutating func decode(
    _ file: UnsafeRawBufferPointer, _ format: PictureFormat, page: Int, _ under: PictureGround
  ) throws(PictureFileError) {
    let bytes = file.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let count = file.count
    var library = LibraryCall(format: format)
    var ground = cpicture_ground(luma: under == .white ? 255 : 0, is_visible: 0)
    var width: UInt32 = 0
    var height: UInt32 = 0
    var stored: UInt16 = 1
    var portable: PortableMap?
    var bitmap: WindowsBitmap?
    let side = Int32(PictureLimits.squareSidePixelsMax)
    switch format {
    case .png: try library.check(cpicture_png_size(bytes, count, &width, &height, &library.detail))
    case .jpeg: try library.check(cpicture_jpeg_size(bytes, count, &width, &height, &library.detail))
    case .webp: try library.check(cpicture_webp_size(bytes, count, &width, &height, &library.detail))
    case .gif: try library.check(cpicture_gif_size(bytes, count, &width, &height, &library.detail))
    case .tiff:
      try library.check(
        cpicture_tiff_size(bytes, count, UInt32(page), &width, &height, &stored, &library.detail))
    case .heif: try library.check(cpicture_heif_size(bytes, count, &width, &height, side, &library.detail))
    case .bmp:
      let header = try WindowsBitmap(header: file)
      (width, height) = (UInt32(clamping: header.width), UInt32(clamping: header.height))
      bitmap = header
    case .pbm, .pgm, .ppm:
      let header = try PortableMap(header: file, format)
      (width, height) = (UInt32(clamping: header.width), UInt32(clamping: header.height))
      portable = header
    case .pdf: throw .corrupt(.pdf, detail: "a page is no picture")
    }
    guard width > 0, height > 0 else { throw .corrupt(format, detail: "a side is 0") }
    let luma = try makeRoom(width: Int(width), height: Int(height))
    switch format {
    case .png: try library.check(cpicture_png_luma(bytes, count, luma, &ground, &library.detail))
    case .jpeg:
      try library.check(
        cpicture_jpeg_luma(
          bytes, count, luma, PictureLimits.jpegMemoryByteCountMax, Int32(PictureLimits.jpegScanCountMax),
          &library.detail))
    case .webp: try library.check(cpicture_webp_luma(bytes, count, luma, &ground, &library.detail))
    case .gif: try library.check(cpicture_gif_luma(bytes, count, luma, &ground, &library.detail))
    case .tiff:
      try library.check(
        cpicture_tiff_luma(
          bytes, count, UInt32(page), luma, PictureLimits.tiffMemoryByteCountMax, &ground, &library.detail))
    case .heif:
      try library.check(
        cpicture_heif_luma(bytes, count, width, height, luma, side, &ground, &library.detail))
    case .bmp: try bitmap?.readPixels(file, into: luma, ground: &ground)
    case .pbm, .pgm, .ppm: try portable?.readPixels(file, into: luma)
    case .pdf: break
    }
    let orientation =
      format == .tiff ? PictureOrientation(number: Int(stored)) : PictureOrientation(exifOf: file, format)
    try turn(orientation, width: Int(width), height: Int(height))
    isTransparent = ground.is_visible != 0
  }

  /// Takes the picture as it is shown.
  private mutating func turn(_ orientation: PictureOrientation, width: Int, height: Int) throws(PictureFileError) {
    if orientation.number != 1, let stored = pixels {
      guard let memory = malloc(width * height) else { throw .outOfMemory }
      let shown = memory.bindMemory(to: UInt8.self, capacity: width * height)
      orientation.turn(stored, width: width, height: height, into: shown)
      free(stored)
      pixels = shown
      capacity = width * height
    }
    self.width = orientation.isSideways ? height : width
    self.height = orientation.isSideways ? width : height
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
    case CPICTURE_NO_LIBRARY where format == .heif: throw .needs(.heif, package: "libheif1")
    case CPICTURE_NO_LIBRARY:
      throw .wrongType(recognised: "a \(format.rawValue) picture, which this program was built without")
    default: throw .corrupt(format, detail: text)
    }
  }

  private var text: String {
    withUnsafeBytes(of: detail.text) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
