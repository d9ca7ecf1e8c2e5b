// Small files that are replaced as a whole: after a power cut, a reader finds the old content or the new one.

import Glibc

/// A failed file operation, with the system's reason.
public struct FileFault: Error, Equatable, Sendable, CustomStringConvertible {
  public let path: String
  public let call: String
  public let code: Int32

  public init(path: String, call: String, code: Int32) { (self.path, self.call, self.code) = (path, call, code) }

  public var description: String { "\(path): \(call): \(String(cString: strerror(code)))" }
}

/// Reads and replaces small files.
public enum DurableFile {
  /// The content of a file; nil if it does not exist. A file longer than `byteCountMax` is cut there.
  public static func read(_ path: String, byteCountMax: Int) throws(FileFault) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      guard errno != ENOENT else { return nil }
      throw FileFault(path: path, call: "open", code: errno)
    }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: byteCountMax)
    var done = 0
    while done < byteCountMax {
      let got = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress.map { $0 + done }, byteCountMax - done) }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw FileFault(path: path, call: "read", code: errno) }
      if got == 0 { break }
      done += got
    }
    return Array(bytes.prefix(done))
  }

  /// Replaces a file: on return, the content is on the storage under this name.
  public static func replace(_ path: String, with bytes: [UInt8]) throws(FileFault) {
    let partial = path + ".new"
    try write(partial, bytes)
    try rename(partial, to: path)
  }

  /// Renames a file durably.
  public static func rename(_ path: String, to other: String) throws(FileFault) {
    guard Glibc.rename(path, other) == 0 else { throw FileFault(path: other, call: "rename", code: errno) }
    try syncFolder(of: other)
  }

  /// Removes a file durably; no error if it does not exist.
  public static func remove(_ path: String) throws(FileFault) {
    guard unlink(path) == 0 else {
      guard errno != ENOENT else { return }
      throw FileFault(path: path, call: "unlink", code: errno)
    }
    try syncFolder(of: path)
  }

  private static func write(_ path: String, _ bytes: [UInt8]) throws(FileFault) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw FileFault(path: path, call: "open", code: errno) }
    defer { close(file) }
    var done = 0
    while done < bytes.count {
      let put = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress.map { $0 + done }, bytes.count - done) }
      if put < 0, errno == EINTR { continue }
      guard put > 0 else { throw FileFault(path: path, call: "write", code: errno) }
      done += put
    }
    guard fsync(file) == 0 else { throw FileFault(path: path, call: "fsync", code: errno) }
  }

  private static func syncFolder(of path: String) throws(FileFault) {
    let name = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw FileFault(path: name, call: "open", code: errno) }
    defer { close(folder) }
    // Some file systems cannot sync a folder and report that; their names are then as durable as possible.
    guard fsync(folder) == 0 || errno == EINVAL else { throw FileFault(path: name, call: "fsync", code: errno) }
  }
}
