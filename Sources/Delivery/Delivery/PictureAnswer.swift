// The answer to a request for the picture of a scan.

/// The picture of a scan, or why it is missing.
public enum PictureAnswer: Equatable, Sendable {
  /// The bytes of its file, and their media type, such as `image/webp`.
  case file(bytes: [UInt8], mediaType: String)
  /// It is still being written or read; the reason in words.
  case pending(String)
  /// The reason why it is missing, in words.
  case none(String)
}
