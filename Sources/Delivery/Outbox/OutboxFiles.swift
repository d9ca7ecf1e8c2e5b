// The file operations that the outbox needs in addition to SQLite: reading bytes, renaming, identifying a file. A protocol,
// because the simulator's storage implements the same few calls, and its file layer below SQLite.

import FoundationEssentials

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The files around an outbox.
protocol OutboxFiles: Sendable {
  /// The name of SQLite's file layer (VFS) over the same storage; nil for the system's.
  var layer: String? { get }
  /// The identity of the file at a path; nil if it does not exist.
  func identity(_ path: String) -> FileIdentity?
  /// Whether a path names a regular file, or nothing yet, rather than a folder, device or pipe.
  func isOrdinary(_ path: String) -> Bool
  /// The file's size in bytes; nil if it does not exist.
  func size(_ path: String) -> Int64?
  /// Up to `count` bytes from an offset; fewer at the end.
  func read(_ path: String, at offset: Int64, count: Int) throws(OutboxTrouble) -> [UInt8]
  /// Writes bytes at an offset, creates the file if necessary, and syncs it and its name if `syncs`.
  func write(_ path: String, _ bytes: [UInt8], at offset: Int64, syncs: Bool) throws(OutboxTrouble)
  func rename(_ path: String, to other: String) throws(OutboxTrouble)
  /// Removes a file; no error if it does not exist.
  func remove(_ path: String) throws(OutboxTrouble)
  /// Makes the names in a path's folder durable.
  func syncNames(around path: String) throws(OutboxTrouble)
  /// The names in a path's folder that begin like the path's last part.
  func names(beginningWith path: String) -> [String]
  func freeByteCount(around path: String) -> Int64
  /// Acquires the right to change an outbox, held until the object is released.
  func claim(_ path: String) throws(OutboxTrouble) -> AnyObject
}

extension OutboxFiles {
  /// Simulated storage has only files.
  func isOrdinary(_ path: String) -> Bool { true }
}

/// The identity of a file, regardless of its name.
struct FileIdentity: Equatable, Sendable {
  let device: UInt64
  let number: UInt64
}

/// Linux's files.
struct SystemFiles: OutboxFiles {
  var layer: String? { nil }

  func identity(_ path: String) -> FileIdentity? {
    status(path).map { FileIdentity(device: UInt64($0.st_dev), number: UInt64($0.st_ino)) }
  }

  func isOrdinary(_ path: String) -> Bool { status(path).map { $0.st_mode & S_IFMT == S_IFREG } ?? true }

  func size(_ path: String) -> Int64? { status(path).map { Int64($0.st_size) } }

  private func status(_ path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  func read(_ path: String, at offset: Int64, count: Int) throws(OutboxTrouble) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure(path, "open") }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure(path, "fstat") }
    var bytes = [UInt8](repeating: 0, count: max(0, min(count, Int(status.st_size) - Int(offset))))
    var done = 0
    while done < bytes.count {
      let got = bytes.withUnsafeMutableBytes {
        pread(file, $0.baseAddress.map { $0 + done }, $0.count - done, off_t(offset) + off_t(done))
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw failure(path, "read") }
      if got == 0 { break }
      done += got
    }
    return Array(bytes.prefix(done))
  }

  func write(_ path: String, _ bytes: [UInt8], at offset: Int64, syncs: Bool) throws(OutboxTrouble) {
    let isNew = identity(path) == nil
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(path, "open") }
    defer { close(file) }
    var done = 0
    while done < bytes.count {
      let put = bytes.withUnsafeBytes {
        pwrite(file, $0.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset) + off_t(done))
      }
      if put < 0, errno == EINTR { continue }
      guard put > 0 else { throw failure(path, "write") }
      done += put
    }
    guard syncs else { return }
    guard fsync(file) == 0 else { throw failure(path, "fsync") }
    if isNew { try syncNames(around: path) }
  }

  func rename(_ path: String, to other: String) throws(OutboxTrouble) {
    guard Glibc.rename(path, other) == 0 else { throw failure(path, "rename") }
  }

  func remove(_ path: String) throws(OutboxTrouble) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure(path, "unlink") }
  }

  func syncNames(around path: String) throws(OutboxTrouble) {
    let folder = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw failure(path, "open") }
    defer { close(folder) }
    // Some file systems cannot sync a folder and report that; their names are then as durable as possible.
    guard fsync(folder) == 0 || errno == EINVAL else { throw failure(path, "fsync") }
  }

  func names(beginningWith path: String) -> [String] {
    guard let folder = opendir(Self.folder(of: path)) else { return [] }
    defer { closedir(folder) }
    let prefix = path.split(separator: "/").last.map(String.init) ?? path
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasPrefix(prefix) { names.append("\(Self.folder(of: path))/\(name)") }
    }
    return names.sorted()
  }

  func freeByteCount(around path: String) -> Int64 {
    var status = statvfs()
    guard statvfs(Self.folder(of: path), &status) == 0 else { return .max }
    return Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
  }

  func claim(_ path: String) throws(OutboxTrouble) -> AnyObject { try OutboxClaim(path: path) }

  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  private func failure(_ path: String, _ call: String) -> OutboxTrouble {
    let code = errno
    let cause: OutboxTrouble.Cause =
      switch code {
      case ENOSPC, EDQUOT: .full
      case EROFS, EACCES, EPERM: .readOnly
      case ENOENT, ENOTDIR, EISDIR: .cannotOpen
      case EIO: .storage
      default: .other
      }
    return OutboxTrouble(cause, path: path, detail: "\(call): \(String(cString: strerror(code)))")
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The storage of a path, with the properties that decide whether scans survive. A read-only root with its changes in memory is
/// a common kiosk setup, and the one place where a database that syncs everything still forgets everything.
public struct Storage: Equatable, Sendable {
  /// The file system's type, such as `ext4`; empty if unknown.
  public let fileSystem: String

  /// File systems that keep their files, or their changes, in memory. An overlay may lie on real storage, but if a root is
  /// one, its changes usually do not.
  static let forgetful = ["tmpfs", "ramfs", "overlay", "aufs"]
  /// The remedy for those.
  public static let remedy = "put outbox.path on a writable partition of its own"

  /// Examines the folder of a path. A folder that does not exist yields no type.
  public init(path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    guard let real = realpath(folder.isEmpty ? "/" : folder, nil) else {
      fileSystem = ""
      return
    }
    defer { free(real) }
    let mounts = (try? Data(contentsOf: URL(filePath: "/proc/self/mountinfo"))) ?? Data()
    fileSystem = Self.fileSystem(of: String(cString: real), mounts: String(decoding: mounts, as: UTF8.self))
  }

  /// Whether scans survive a power failure.
  public var survivesPowerOff: Bool { !Self.forgetful.contains(fileSystem) }

  /// The type of the file system that contains a folder: the last mount on the longest prefix of its path (proc(5),
  /// `/proc/pid/mountinfo`: fields 5, mount point, and the one after the lone hyphen, type).
  static func fileSystem(of folder: String, mounts: String) -> String {
    var best = (length: -1, type: "")
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 5, let hyphen = fields.firstIndex(of: "-"), hyphen + 1 < fields.count else { continue }
      let point = fields[4].replacing("\\040", with: " ")
      let holds = point == "/" || folder == point || folder.hasPrefix(point + "/")
      if holds, point.utf8.count >= best.length { best = (point.utf8.count, String(fields[hyphen + 1])) }
    }
    return best.type
  }
}
