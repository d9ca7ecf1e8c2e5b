// File checks for the doctor: ownership, and whether this process may use a file. None is opened.

import CLinux
import Glibc

/// Inspects files without opening them.
package enum FileLooking {
  /// A file's properties; nil if it does not exist. Links are followed.
  package static func view(_ path: String) -> FileView? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let isDevice = status.st_mode & S_IFMT == S_IFCHR
    return FileView(
      path: path, mayRead: may(path, R_OK), mayWrite: may(path, W_OK), owner: userName(status.st_uid),
      group: groupName(status.st_gid), mode: UInt32(status.st_mode & 0o7777), isDevice: isDevice,
      deviceClasses: isDevice ? deviceClasses(major: clinux_major(UInt64(status.st_rdev))) : [])
  }

  /// The files of a folder whose names consist of a word and a number, by number.
  static func numbered(_ folder: String, _ word: String) -> [FileView] {
    let names = folderNames(folder).filter { name in
      name.hasPrefix(word) && name.count > word.count && name.dropFirst(word.count).allSatisfy(\.isNumber)
    }
    let byNumber = names.sorted { (Int($0.dropFirst(word.count)) ?? 0) < (Int($1.dropFirst(word.count)) ?? 0) }
    return byNumber.compactMap { view("\(folder)/\($0)") }
  }

  static func userName(_ id: uid_t) -> String { getpwuid(id).map { String(cString: $0.pointee.pw_name) } ?? "\(id)" }

  private static func groupName(_ id: gid_t) -> String {
    getgrgid(id).map { String(cString: $0.pointee.gr_name) } ?? "\(id)"
  }

  /// For the effective user, including access control lists and capabilities.
  private static func may(_ path: String, _ mode: Int32) -> Bool { faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 }

  /// The kernel's names for the devices of a major number.
  private static func deviceClasses(major: UInt32) -> [String] {
    let text = String(decoding: fileBytes("/proc/devices", countMax: 64 << 10), as: UTF8.self)
    return text.split(separator: "\n").prefix { $0 != "Block devices:" }.compactMap { line in
      let fields = line.split(separator: " ")
      return fields.count == 2 && UInt32(fields[0]) == major ? String(fields[1]) : nil
    }
  }
}
