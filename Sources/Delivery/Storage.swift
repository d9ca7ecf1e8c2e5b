// What the outbox's file lies on. A read-only root with its changes in memory is a common way to build a kiosk, and the one
// place where a database that syncs everything still forgets everything.

import FoundationEssentials

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The storage under a path, as far as it matters to whether scans survive.
public struct Storage: Equatable, Sendable {
  /// The file system's type, such as `ext4`; empty when it cannot be told.
  public let fileSystem: String

  /// File systems that keep their files, or their changes, in memory. An overlay may lie on real storage, but where a root
  /// is one, its changes mostly do not.
  static let forgetful = ["tmpfs", "ramfs", "overlay", "aufs"]
  /// What to do about those.
  public static let remedy = "put outbox.path on a writable partition of its own"

  /// Looks at the folder of a path. A folder that is not there says nothing.
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

  /// Whether scans are still there after the power was off.
  public var survivesPowerOff: Bool { !Self.forgetful.contains(fileSystem) }

  /// The type of the file system that holds a folder: the last mount on the longest part of its path (proc(5),
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
