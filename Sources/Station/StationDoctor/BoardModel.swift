// The model of this board.

import Glibc

/// The machine's name in the device tree; empty if there is no device tree.
package func deviceTreeModel() -> String {
  String(decoding: fileBytes("/proc/device-tree/model", countMax: 256).prefix { $0 != 0 }, as: UTF8.self)
}

/// The first bytes of a file; empty if it cannot be read. For kernel files, which are small and report no size.
func fileBytes(_ path: String, countMax: Int) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return [] }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: countMax)
  var filled = 0
  while filled < countMax {
    let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + filled, countMax - filled) }
    if count <= 0 { break }
    filled += count
  }
  return Array(bytes.prefix(filled))
}

/// The names in a folder, sorted; empty if it cannot be read.
func folderNames(_ path: String, countMax: Int = 65_536) -> [String] {
  guard let directory = opendir(path) else { return [] }
  defer { closedir(directory) }
  var names: [String] = []
  while names.count < countMax, let entry = readdir(directory) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    if name != ".", name != ".." { names.append(name) }
  }
  return names.sorted()
}
