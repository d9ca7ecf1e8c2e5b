// The storage of the outbox's file. A read-only root with its changes in memory is a common kiosk setup, and the one place
// where a database that syncs everything still forgets everything.

import FoundationEssentials

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The storage of a path, with the properties that decide whether scans survive.
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
