// What libcamera writes about itself, on its way to the station's log: by itself it writes to standard error, in a form of its
// own, some lines for each time that cameras are looked for.

#if Camera

  import CLibcamera
  import Synchronization

  /// The messages of libcamera.
  public enum CameraMessages {
    /// How important a message is, as libcamera names it.
    public enum Level: String, CaseIterable, Equatable, Sendable {
      case debug = "DEBUG"
      case info = "INFO"
      case warning = "WARN"
      case error = "ERROR"
      case fatal = "FATAL"
    }

    public typealias Receiver = @Sendable (Level, String) -> Void

    private static let receiver = Mutex<Receiver?>(nil)

    /// Sends messages to a receiver instead of standard error. Which messages there are at all is libcamera's own choice, by
    /// LIBCAMERA_LOG_LEVELS in the environment. The receiver is called on any thread and must not use cameras.
    public static func route(to receiver: @escaping Receiver) {
      let isFirst = self.receiver.withLock { known in
        defer { known = receiver }
        return known == nil
      }
      guard isFirst else { return }
      _ = clibcamera_route_messages(
        { _, text, byteCount in
          guard let text else { return }
          let bytes = UnsafeRawBufferPointer(start: text, count: byteCount)
          let (level, message) = CameraMessages.parse(String(decoding: bytes, as: UTF8.self))
          CameraMessages.receiver.withLock { $0 }?(level, message)
        }, nil)
    }

    /// A line such as `[0:00:12.345678901] [17]  INFO Camera camera_manager.cpp:293 libcamera v0.0.3` as its level and what
    /// follows it. A line of another form is an information as it is.
    static func parse(_ line: String) -> (level: Level, message: String) {
      let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: true)
      let whole = line.split(separator: "\n").joined(separator: " ")
      guard words.count == 4, words[0].hasPrefix("["), words[1].hasPrefix("["), let level = Level(rawValue: String(words[2]))
      else { return (.info, whole) }
      return (level, words[3].split(separator: "\n").joined(separator: " "))
    }
  }

#endif
