// Every bound of reading pictures by name.

/// The bounds of picture files.
public enum PictureLimits {
  /// The longest side of a picture, in pixels; the same as the decoder's.
  public static let sidePixelsMax = 16_384
  /// The most pixels in a picture; the same as the decoder's.
  public static let pixelCountMax = 64 << 20
  /// The most bytes of a file: the largest picture as binary PGM of 16 bits a pixel, and its header.
  public static let fileByteCountMax = 2 * pixelCountMax + (1 << 20)
  /// The most bytes that libjpeg may take: a progressive picture is held whole as 16-bit coefficients of three components.
  static let jpegMemoryByteCountMax = 6 * pixelCountMax + (16 << 20)
  /// The most scans of a progressive JPEG: encoders write about ten, and each costs a pass over the picture.
  static let jpegScanCountMax = 100
}
