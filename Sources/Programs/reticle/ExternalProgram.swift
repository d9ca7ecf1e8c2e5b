// Runs other programs whose output is kept in a file. Arguments go to the program as they are, never through a shell.

import Glibc

enum ExternalProgram {
  /// The interval at which the end of a program is awaited.
  private static let pollMicroseconds: UInt32 = 20_000

  /// Runs a program to its end, with an empty standard input.
  ///
  /// - Parameters:
  ///   - words: the program, looked up in PATH if it has no `/`, and its arguments.
  ///   - output: the file for its standard output and standard error, which is replaced.
  ///   - limit: how long it may run; after that it is killed.
  /// - Returns: nil if it ended with status 0, else the reason in words.
  static func run(_ words: [String], output: String, limit: Duration) -> String? {
    let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO)
    var process = pid_t()
    let problem = posix_spawnp(&process, words[0], &files, nil, arguments, environ)
    guard problem == 0 else { return "\(words[0]) does not start: \(errorText(problem))" }
    let deadline = ContinuousClock.now + limit
    var status: Int32 = 0
    while true {
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { break }
      if ended < 0, errno != EINTR { return "\(words[0]): \(errorText(errno))" }
      if ContinuousClock.now >= deadline {
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        return "\(words[0]) took longer than \(limit.components.seconds) s and was ended"
      }
      usleep(pollMicroseconds)
    }
    return status == 0 ? nil : "\(words[0]) ended with status \(status & 0x7F == 0 ? status >> 8 : 128 + status & 0x7F)"
  }
}
