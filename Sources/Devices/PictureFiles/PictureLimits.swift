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
}
