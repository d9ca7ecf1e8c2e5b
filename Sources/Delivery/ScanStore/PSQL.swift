// PostgreSQL's own client as the way to the database: it knows every form of address, login and TLS that operators use.

import DeliveryModel
import Glibc

/// A running `psql`, which takes scripts on its standard input. Used by one thread at a time.
final class PSQL {
  /// How long a script may take.
  private static let limit = Duration.seconds(60)
  /// The most bytes of an answer and of a complaint that are kept.
  private static let answerByteCountMax = 1 << 20

  /// Why a script was not carried out.
  enum Failure: Error, Equatable {
    /// The rows are at fault: SQLSTATE class 22 or 23.
    case data(String)
    /// Something else; with the remedy.
    case other(DeliveryProblem)
  }

  /// The most bytes that are read at once: an answer has some dozens.
  private static let readByteCount = 512

  private let process: pid_t
  private let input: Int32
  private let output: Int32
  private let complaints: Int32
  private var scriptCount = 0

  /// Starts the program, which connects to the database.
  ///
  /// - Parameter database: a connection string or URI as libpq takes it, such as `postgresql:///reticle`.
  init(database: String) throws(DeliveryProblem) {
    let words = [
      "psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--no-password", "--set=ON_ERROR_STOP=1",
      "--set=VERBOSITY=verbose", "--dbname=\(database)",
    ]
    guard let inputs = Self.pipe(), let outputs = Self.pipe(), let errors = Self.pipe() else {
      throw DeliveryProblem("psql cannot be started: \(Self.text(errno))", remedy: "raise the limit of open files")
    }
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_adddup2(&files, inputs.reader, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&files, outputs.writer, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&files, errors.writer, STDERR_FILENO)
    let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let problem = posix_spawnp(&process, words[0], &files, nil, arguments, environ)
    for descriptor in [inputs.reader, outputs.writer, errors.writer] { Glibc.close(descriptor) }
    (self.process, input, output, complaints) = (problem == 0 ? process : -1, inputs.writer, outputs.reader, errors.reader)
    for descriptor in [input, output, complaints] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    guard problem == 0 else {
      throw DeliveryProblem(
        "psql does not start: \(Self.text(problem))", remedy: "install Debian's package postgresql-client")
    }
  }

  /// A pipe whose ends other programs do not inherit.
  private static func pipe() -> (reader: Int32, writer: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  deinit {
    for descriptor in [input, output, complaints] { Glibc.close(descriptor) }
    guard process > 0 else { return }
    kill(process, SIGTERM)
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
  }

  /// Carries out a script, with its rows.
  ///
  /// - Returns: what it printed.
  /// - Throws: why it was not carried out, or not known to be; the program is of no more use then.
  func run(_ script: String) throws(Failure) -> String {
    scriptCount += 1
    let end = "end \(scriptCount)\n"
    var bytes = Array((script + "\n\\echo \(end)").utf8)[...]
    var (answer, complaint) = ([UInt8](), [UInt8]())
    let deadline = ContinuousClock.now + Self.limit
    while !answer.ends(with: end.utf8) {
      guard ContinuousClock.now < deadline else {
        throw .other(DeliveryProblem("the database has not answered for \(Self.limit)", remedy: "see its log, and its disk"))
      }
      var polled = [
        pollfd(fd: output, events: Int16(POLLIN), revents: 0), pollfd(fd: complaints, events: Int16(POLLIN), revents: 0),
        pollfd(fd: bytes.isEmpty ? -1 : input, events: Int16(POLLOUT), revents: 0),
      ]
      poll(&polled, 3, 100)
      let isOpen = Self.read(output, into: &answer)
      _ = Self.read(complaints, into: &complaint)
      guard isOpen else { throw failure(complaint) }
      guard polled[2].revents != 0 else { continue }
      let count = bytes.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      if count > 0 { bytes = bytes.dropFirst(count) }
    }
    return String(decoding: answer.dropLast(end.utf8.count), as: UTF8.self)
  }

  /// Reads the bytes that have come. Returns false at the end.
  private static func read(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
    var buffer = [UInt8](repeating: 0, count: readByteCount)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return false }
      if count < 0 { return errno == EAGAIN || errno == EINTR }
      if bytes.count < answerByteCountMax { bytes += buffer.prefix(count) }
    }
  }

  /// The failure in psql's words, whose first line is such as `ERROR:  22P02: invalid input syntax`.
  private func failure(_ complaint: [UInt8]) -> Failure {
    let lines = String(decoding: complaint, as: UTF8.self).split(separator: "\n")
    let line = lines.first { $0.contains("ERROR:") || $0.contains("FATAL:") || $0.contains("error:") } ?? lines.first
    let text = line.map(String.init) ?? "psql ended without a word"
    if let match = text.firstMatch(of: /ERROR: +(22|23)[0-9A-Z]{3}:/) {
      return .data(String(text[match.range.upperBound...]))
    }
    return .other(DeliveryProblem("the database: \(text)", remedy: "check --database, and the server's log"))
  }

  private static func text(_ number: Int32) -> String { String(cString: strerror(number)) }
}

extension Array where Element == UInt8 {
  fileprivate func ends(with end: String.UTF8View) -> Bool { count >= end.count && suffix(end.count).elementsEqual(end) }
}
