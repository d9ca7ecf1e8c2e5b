// Pages of PDF documents, drawn by poppler's programs pdfinfo and pdftoppm. They run as processes of their own: a document that
// crashes them, or makes them take memory or time without end, costs one error. They are looked for when the first document comes.

import CPicture
import Glibc

/// A PDF document in memory that only this process and the programs see.
struct PortableDocument: ~Copyable {
  /// The bytes of the document.
  private let descriptor: Int32
  /// In points, 72 to the inch; one for each page.
  private let sizes: [(width: Double, height: Double)]

  /// The number of pages.
  var pageCount: Int { sizes.count }

  private init(descriptor: Int32, sizes: [(width: Double, height: Double)]) {
    self.descriptor = descriptor
    self.sizes = sizes
  }

  /// Takes over the bytes of a document.
  static func open(_ file: UnsafeRawBufferPointer) throws(PictureFileError) -> PortableDocument {
    let descriptor = try Self.copy(file)
    do throws(PictureFileError) {
      return PortableDocument(descriptor: descriptor, sizes: try pageSizes(descriptor))
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Asks how many pages there are, and how large they are.
  private static func pageSizes(_ descriptor: Int32) throws(PictureFileError) -> [(width: Double, height: Double)] {
    var output = FileBytes()
    try run(
      ["pdfinfo", "-f", "1", "-l", "\(PictureLimits.pageCountMax)", input], descriptor, into: &output,
      byteCountMax: PictureLimits.pageListByteCountMax)
    let text = String(decoding: output.bytes, as: UTF8.self)
    var sizes: [(width: Double, height: Double)] = []
    var pageCount = 0
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == "Pages:" { pageCount = Int(words[1]) ?? 0 }
      // Page    1 size: 595.276 x 841.89 pts (A4)
      guard words.count >= 6, words[0] == "Page", words[2] == "size:", let width = Double(words[3]),
        let height = Double(words[5])
      else { continue }
      sizes.append((width, height))
    }
    guard pageCount <= PictureLimits.pageCountMax else { throw .tooManyPages(count: pageCount) }
    guard pageCount > 0, sizes.count == pageCount, sizes.allSatisfy({ $0.width > 0 && $0.height > 0 }) else {
      throw .corrupt(.pdf, detail: "the size of its pages is not known")
    }
    return sizes
  }

  deinit { close(descriptor) }

  /// Draws a page, counted from 0, in grey as a PGM. Of a page that is too large for the limits, fewer dots per inch are drawn.
  func draw(page: Int, dotsPerInch: Int, into output: inout FileBytes) throws(PictureFileError) {
    let size = sizes[page]
    // A dot less, as the program rounds up.
    let side = Double(PictureLimits.sidePixelsMax - 1) / max(size.width, size.height)
    let area = (Double(PictureLimits.pixelCountMax) / (size.width * size.height)).squareRoot() * 0.999
    let resolution = min(Double(dotsPerInch), 72 * side, 72 * area)
    try Self.run(
      [
        "pdftoppm", "-gray", "-cropbox", "-f", "\(page + 1)", "-l", "\(page + 1)", "-r", "\(resolution)", Self.input,
      ], descriptor, into: &output, byteCountMax: PictureLimits.fileByteCountMax)
  }

  /// The document's name for the programs, whose standard input it is.
  private static let input = "/dev/stdin"

  private static func copy(_ file: UnsafeRawBufferPointer) throws(PictureFileError) -> Int32 {
    let descriptor = cpicture_memory_file()
    guard descriptor >= 0 else { throw .outOfMemory }
    var written = 0
    while written < file.count {
      let count = write(descriptor, file.baseAddress.map { $0 + written }, file.count - written)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        close(descriptor)
        throw .outOfMemory
      }
      written += count
    }
    return descriptor
  }

  /// Runs a program on the document, with limits on its memory, its time and its output.
  private static func run(
    _ words: [String], _ document: Int32, into output: inout FileBytes, byteCountMax: Int
  ) throws(PictureFileError) {
    let messages = cpicture_memory_file()
    var ends: [Int32] = [-1, -1]
    guard messages >= 0, pipe(&ends) == 0 else {
      if messages >= 0 { close(messages) }
      throw .outOfMemory
    }
    defer { close(messages) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let child: pid_t
    do throws(PictureFileError) {
      defer { close(ends[1]) }
      child = try start(words, input: document, output: ends[1], messages: messages)
    } catch {
      close(ends[0])
      throw error
    }
    let end: ProgramEnd = output.read(
      pipe: ends[0], byteCountMax: byteCountMax, within: PictureLimits.pageSecondsMax)
    close(ends[0])
    if end != .whole { kill(child, SIGKILL) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    switch end {
    case .whole: break
    case .late: throw .pageTakesTooLong
    case .tooMuch: throw .fileTooLarge(byteCount: byteCountMax + 1)
    case .noMemory: throw .outOfMemory
    }
    if status != 0 { throw failure(message(messages, status), status) }
  }

  /// The cause of a program's failure.
  private static func failure(_ message: String, _ status: Int32) -> PictureFileError {
    // The kernel's signal at the end of the permitted processor time.
    if status & 0x7F == SIGXCPU { return .pageTakesTooLong }
    // Poppler's own words, and those of C++ where an allocation fails.
    if message.contains("Out of memory") || message.contains("bad_alloc") { return .pageTakesTooMuchMemory }
    return message.contains("password")
      ? .unsupported(.pdf, detail: "it needs a password") : .corrupt(.pdf, detail: message)
  }

  private static func start(
    _ words: [String], input: Int32, output: Int32, messages: Int32
  ) throws(PictureFileError) -> pid_t {
    let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&files, messages, STDERR_FILENO)
    // A thread that blocks signals would start programs that the kernel's signal at the end of their time does not end.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var blocked = sigset_t()
    sigemptyset(&blocked)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var child = pid_t()
    let problem = posix_spawnp(&child, words[0], &files, &attributes, arguments, environ)
    guard problem == 0 else {
      throw problem == ENOENT ? .needs(.pdf, package: "poppler-utils") : .unreadable(path: words[0], errno: problem)
    }
    _ = cpicture_limit_process(child, PictureLimits.pageMemoryByteCountMax, UInt32(PictureLimits.pageSecondsMax))
    return child
  }

  /// The first line that a program wrote about its failure, without the prefix that it has.
  private static func message(_ messages: Int32, _ status: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 200)
    let count = bytes.withUnsafeMutableBytes { pread(messages, $0.baseAddress, $0.count, 0) }
    let line = String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self)
    if !line.isEmpty { return line }
    return "the program ended with \(status & 0x7F == 0 ? "status \(status >> 8)" : "signal \(status & 0x7F)")"
  }
}

/// How the output of a program ended.
enum ProgramEnd { case whole, late, tooMuch, noMemory }
