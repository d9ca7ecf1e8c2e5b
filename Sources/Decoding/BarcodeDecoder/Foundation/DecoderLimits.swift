// Every bound of the decoder by name. Nothing in the decoder grows past these.

/// The bounds of one call of `Decoder.decode`.
public enum DecoderLimits {
  /// The longest side of a picture, in pixels: coordinates are Q16.16 and leave a bit for overshoot.
  public static let sidePixelsMax = 16_384
  /// The most pixels in a picture.
  public static let pixelCountMax = 64 << 20
  /// The most symbols reported from one picture.
  public static let symbolCountMax = 512
  /// The most symbols reported as found but not read in one picture; further ones are left out.
  public static let locatedCountMax = 16
  /// Payload bytes of all symbols in one picture. The longest possible payload has 7089 (QR version 40-L, numeric).
  public static let payloadByteCountMax = 128 << 10
  /// Character set segments of all symbols in one picture.
  public static let segmentCountMax = 2048
  /// The most modules in a row or column of a matrix symbol: version 84 of Han Xin Code.
  static let sideModulesMax = 189
  /// Scratch memory of the readers, in addition to the memory that grows with the picture.
  static let scratchByteCount = 10 << 20
}
