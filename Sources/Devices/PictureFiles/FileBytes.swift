// A whole file in memory that the next file takes over. Mapping it instead would make a file that is cut short while it is
// read kill the process.

import Glibc

/// The bytes of the file read last.
struct FileBytes: ~Copyable {
  private var memory: UnsafeMutableRawPointer?
  private var capacity = 0
  private var count = 0

  deinit {
    free(memory)
  }

  /// Good until the next read.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  /// Reads a regular file, or a pipe until its writer closes it.
  mutating func read(path: String) throws(PictureFileError) {
    count = 0
    let descriptor = FileName.withPath(path) { open($0, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
    guard descriptor >= 0 else { throw openError(path: path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .unreadable(path: path, errno: errno) }
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFIFO: break
    case S_IFDIR: throw .isFolder(path: path)
    default: throw .notAFile(path: path)
    }
    let size = Int(status.st_size)
    guard size <= PictureLimits.fileByteCountMax else { throw .fileTooLarge(byteCount: size) }
    // One byte more, so that the end of the file shows without growing.
    try grow(to: max(size + 1, 64 << 10))
    while true {
      if count == capacity {
        guard count <= PictureLimits.fileByteCountMax else { throw .fileTooLarge(byteCount: count) }
        try grow(to: min(2 * count, PictureLimits.fileByteCountMax + 1))
      }
      let got = Glibc.read(descriptor, memory.map { $0 + count }, capacity - count)
      if got == 0 { return }
      if got > 0 {
        count += got
      } else if errno != EINTR {
        throw .unreadable(path: path, errno: errno)
      }
    }
  }

  /// Takes over bytes.
  mutating func copy(_ bytes: UnsafeRawBufferPointer) throws(PictureFileError) {
    count = 0
    try grow(to: bytes.count)
    if let source = bytes.baseAddress { memory?.copyMemory(from: source, byteCount: bytes.count) }
    count = bytes.count
  }

  /// Reads what a program writes to a pipe, until its end.
  mutating func read(pipe: Int32, byteCountMax: Int, within seconds: Int) -> ProgramEnd {
    count = 0
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
      if count == capacity {
        guard count <= byteCountMax else { return .tooMuch }
        do throws(PictureFileError) {
          try grow(to: min(max(2 * count, 64 << 10), byteCountMax + 1))
        } catch {
          return .noMemory
        }
      }
      let left = deadline - ContinuousClock.now
      guard left > .zero else { return .late }
      var poller = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
      guard poll(&poller, 1, Int32(left.components.seconds * 1000 + 1000)) > 0 else { continue }
      let got = Glibc.read(pipe, memory.map { $0 + count }, capacity - count)
      if got == 0 { return .whole }
      if got > 0 { count += got }
    }
  }

  private mutating func grow(to byteCount: Int) throws(PictureFileError) {
    guard byteCount > capacity else { return }
    // Swift's own allocation would end the process where memory is short.
    guard let larger = realloc(memory, byteCount) else { throw .outOfMemory }
    memory = larger
    capacity = byteCount
  }

  private func openError(path: String) -> PictureFileError {
    switch errno {
    case ENOENT, ENOTDIR, ENAMETOOLONG: .missing(path: path)
    case EACCES, EPERM: .notPermitted(path: path)
    case ENXIO, ENODEV: .notAFile(path: path)
    default: .unreadable(path: path, errno: errno)
    }
  }
}

/// The system's words for an error number.
func errorText(_ number: Int32) -> String {
  var text = [CChar](repeating: 0, count: 128)
  guard strerror_r(number, &text, text.count) == 0 else { return "error \(number)" }
  return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
