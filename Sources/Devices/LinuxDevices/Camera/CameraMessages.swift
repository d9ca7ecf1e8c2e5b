// Routes libcamera's messages to the station's log. By default libcamera writes them to standard error, in its own format,
// several lines per search for cameras.

#if Camera

  import CLibcamera
  import Synchronization

  /// The messages of libcamera.
  public enum CameraMessages {
    /// The severity of a message, named as in libcamera.
    public enum Level: String, CaseIterable, Equatable, Sendable {
      case debug = "DEBUG"
      case info = "INFO"
      case warning = "WARN"
      case error = "ERROR"
      case fatal = "FATAL"
    }

    public typealias Receiver = @Sendable (Level, String) -> Void

    private static let receiver = Mutex<Receiver?>(nil)
    private static let told = Mutex(ToldMessages())

    /// Allows messages to be reported again: the camera works, so new messages concern something else.
    static func forgetTold() { told.withLock { $0 = ToldMessages() } }

    /// Sends messages to a receiver, each once until a frame has come: a camera that is retried gives the same ones each
    /// time. Nothing goes to standard error. LIBCAMERA_LOG_LEVELS in the environment selects the messages. The receiver is
    /// called on any thread and must not use cameras.
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
          guard CameraMessages.told.withLock({ $0.isNew(message) }) else { return }
          CameraMessages.receiver.withLock { $0 }?(level, message)
        }, nil)
    }

    /// Splits a line such as `[0:00:12.345678901] [17] INFO Camera camera_manager.cpp:293 libcamera v0.0.3` into level and
    /// text. A line of another form counts as information, unchanged.
    static func parse(_ line: String) -> (level: Level, message: String) {
      let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: true)
      let whole = line.split(separator: "\n").joined(separator: " ")
      guard words.count == 4, words[0].hasPrefix("["), words[1].hasPrefix("["), let level = Level(rawValue: String(words[2]))
      else { return (.info, whole) }
      return (level, words[3].split(separator: "\n").joined(separator: " "))
    }
  }

  /// libcamera's messages since the last frame.
  struct ToldMessages {
    /// Messages remembered; further ones are reported each time.
    static let countMax = 64

    private var told: Set<String> = []

    init() {}

    /// Whether a message has not been reported. Numbers are ignored: they are file numbers, which change between attempts.
    mutating func isNew(_ message: String) -> Bool {
      let form = String(message.map { $0.isNumber ? "#" : $0 })
      guard !told.contains(form) else { return false }
      if told.count < Self.countMax { told.insert(form) }
      return true
    }
  }

#endif
