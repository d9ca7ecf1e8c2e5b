// A voice through the separate program espeak-ng, which deals with sound cards: a sound card that hangs costs a time limit,
// not the station.

public import Devices
import Glibc

/// Says texts with espeak-ng.
public actor EspeakSpeaker: Speaker {
  /// The most characters spoken; the rest of a longer text is omitted.
  public static let characterCountMax = 200
  /// The last bytes of the program's messages, which are examined.
  static let messageByteCountMax = 4096

  private nonisolated let executor = BlockingExecutor(label: "voice")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let program: String
  private let voice: String
  private let limit: Duration

  /// - Parameters:
  ///   - voice: a language or voice of espeak-ng, such as `en` or `de`.
  ///   - limit: how long an announcement may take before it is cut off.
  public init(voice: String, limit: Duration, program: String = "espeak-ng") {
    self.voice = voice
    self.limit = limit
    self.program = program
  }

  public func say(_ text: String) async -> String? {
    let spoken = String(text.unicodeScalars.map { $0.value < 0x20 ? " " : Character($0) }.prefix(Self.characterCountMax))
    var process = pid_t()
    // Arguments, not a shell: a barcode may contain anything.
    let words: [String] = [program, "-v", voice, "--", spoken]
    let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    // Scans may go to the station's standard output: the program must not write there.
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    defer { posix_spawn_file_actions_destroy(&files) }
    // Its messages matter only after a failure: sound libraries write a lot.
    var messages = Messages()
    defer { messages.close() }
    if messages.writing >= 0 { posix_spawn_file_actions_adddup2(&files, messages.writing, STDERR_FILENO) }
    let result = posix_spawnp(&process, program, &files, nil, arguments, environ)
    guard result == 0 else {
      return "\(program) does not start (\(String(cString: strerror(result)))); install it, or set speech.enabled to false"
    }
    messages.closeWriting()
    return waitForEnd(of: process, &messages)
  }

  private func waitForEnd(of process: pid_t, _ messages: inout Messages) -> String? {
    let time = BootTime()
    let deadline = time.now() + limit.nanoseconds
    var status: Int32 = 0
    while true {
      let ended = waitpid(process, &status, WNOHANG)
      messages.read()
      if ended < 0, errno != EINTR { return nil }
      if ended == process { break }
      if time.now() >= deadline {
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        return "\(program) took longer than \(limit.milliseconds) ms and was cut off"
      }
      time.sleep(until: time.now() + 10_000_000)
    }
    guard status == 0 else {
      return "\(program) failed (status \(status >> 8))" + (messages.lines.last.map { ": \($0)" } ?? "")
    }
    // Without a sound card it exits successfully; only its own error line reveals the failure.
    guard let trouble = messages.lines.last(where: { $0.hasPrefix("error:") }) else { return nil }
    return "\(program) was not heard (\(trouble)); connect a sound card that the user may use, in the group audio, or set "
      + "speech.enabled to false"
  }
}

/// The last part of the messages that a program writes to its standard error.
private struct Messages {
  private var reading: Int32 = -1
  private(set) var writing: Int32 = -1
  private var bytes: [UInt8] = []

  init() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    (reading, writing) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(reading, F_SETFL, O_NONBLOCK)
  }

  /// Closes the writing end here: the program has its own by now.
  mutating func closeWriting() {
    if writing >= 0 { _ = Glibc.close(writing) }
    writing = -1
  }

  /// Reads the available bytes without waiting: a full pipe would block the program. A program that never stops writing is
  /// not read forever.
  mutating func read() {
    guard reading >= 0 else { return }
    var part = [UInt8](repeating: 0, count: EspeakSpeaker.messageByteCountMax)
    for _ in 0..<64 {
      let count = Glibc.read(reading, &part, part.count)
      guard count > 0 else { return }
      bytes = (bytes + part.prefix(count)).suffix(EspeakSpeaker.messageByteCountMax)
    }
  }

  var lines: [Substring] { String(decoding: bytes, as: UTF8.self).split(separator: "\n") }

  mutating func close() {
    closeWriting()
    if reading >= 0 { _ = Glibc.close(reading) }
    reading = -1
  }
}
