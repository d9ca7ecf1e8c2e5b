// All limits for reading pictures, by name.

/// The limits for picture files.
public enum PictureLimits {
  /// The longest side of a picture, in pixels; equals the decoder's limit.
  public static let sidePixelsMax = 16_384
  /// The most pixels in a picture; equals the decoder's limit.
  public static let pixelCountMax = 64 << 20
  /// The most bytes in a file: the largest picture as binary PGM with 16 bits per pixel, plus its header.
  public static let fileByteCountMax = 2 * pixelCountMax + (1 << 20)
  /// The most bytes that libjpeg may use: it holds a progressive picture whole, as 16-bit coefficients of three components.
  static let jpegMemoryByteCountMax = 6 * pixelCountMax + (16 << 20)
  /// The most scans of a progressive JPEG: encoders write about ten, and each costs a pass over the picture.
  static let jpegScanCountMax = 100
  /// The most bytes that libtiff may allocate at a time: the largest picture with four components of 16 bits.
  static let tiffMemoryByteCountMax = 8 * pixelCountMax
  /// The side of a square of `pixelCountMax` pixels, as libheif counts its limit.
  static let squareSidePixelsMax = 8192
  /// The most pages of a PDF or TIFF.
  public static let pageCountMax = 1000
  /// The most bytes that pdfinfo may write about them.
  static let pageListByteCountMax = 1 << 20
  /// Dots per inch of a drawn PDF page: what office scanners and label printers have.
  public static let dotsPerInch = 300
  /// The dots per inch that can be chosen.
  public static let dotsPerInchRange = 36...1200
  /// The most memory that a program may take to draw a page, in bytes of address space: the largest picture in colour, and a gigabyte.
  static let pageMemoryByteCountMax = 4 * pixelCountMax + (1 << 30)
  /// The longest time that a program may take for a page, in seconds.
  static let pageSecondsMax = 60
}
