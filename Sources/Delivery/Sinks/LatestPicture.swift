// The last picture on its way to sinks that publish pictures. A newer one replaces it: pictures are never
// queued.

import Synchronization

/// The last picture of the station.
public final class LatestPicture: Sendable {
  private struct State {
    var number: UInt64 = 0
    var bytes: [UInt8] = []
    var mediaType = ""
  }

  private let state = Mutex(State())

  public init() {}

  /// Replaces the picture.
  ///
  /// - Parameters:
  ///   - bytes: a picture's file.
  ///   - mediaType: such as `image/webp`.
  public func put(_ bytes: [UInt8], mediaType: String) {
    state.withLock { $0 = State(number: $0.number + 1, bytes: bytes, mediaType: mediaType) }
  }

  /// The picture, if its number is greater than `number`. The first picture has the number 1.
  package func newer(than number: UInt64) -> (number: UInt64, bytes: [UInt8], mediaType: String)? {
    state.withLock { $0.number > number ? ($0.number, $0.bytes, $0.mediaType) : nil }
  }
}

/// The picture of a scan, or why it is missing.
public enum PictureAnswer: Equatable, Sendable {
  /// The bytes of its file, and their media type, such as `image/webp`.
  case file(bytes: [UInt8], mediaType: String)
  /// It is still being written or read; the reason in words.
  case pending(String)
  /// The reason why it is missing, in words.
  case none(String)
}
