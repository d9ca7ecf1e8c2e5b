// A voice through espeak-ng, a program of its own: what it does with sound cards is its business, and a sound card that
// hangs costs a limit and not the station.

public import Devices
import Glibc

/// Says texts with espeak-ng.
public actor EspeakSpeaker: Speaker {
  /// Characters that are said; the rest of a longer text is left out.
  public static let characterCountMax = 200

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
    // Arguments and not a shell: a barcode may hold anything.
    let words: [String] = [program, "-v", voice, "--", spoken]
    let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    // Scans may go to our standard output: nothing else may.
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    defer { posix_spawn_file_actions_destroy(&files) }
    let result = posix_spawnp(&process, program, &files, nil, arguments, environ)
    guard result == 0 else {
      return "\(program) does not start (\(String(cString: strerror(result)))); install it, or set speech.enabled to false"
    }
    return waitForEnd(of: process)
  }

  private func waitForEnd(of process: pid_t) -> String? {
    let time = BootTime()
    let deadline = time.now() + limit.nanoseconds
    var status: Int32 = 0
    while true {
      let ended = waitpid(process, &status, WNOHANG)
      if ended < 0, errno != EINTR { return nil }
      if ended == process { break }
      if time.now() >= deadline {
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        return "\(program) took longer than \(limit.milliseconds) ms and was cut off"
      }
      time.sleep(until: time.now() + 10_000_000)
    }
    return status == 0 ? nil : "\(program) failed (status \(status >> 8))"
  }
}
