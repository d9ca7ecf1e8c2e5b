// Checks whether scans are safe: a writable folder, on a persistent disk with free space.

import DeliveryModel
import Outbox
import StationConfiguration

extension Doctor {
  /// Free space below which nothing is safe: room for about twenty thousand scans, and SQLite's journal.
  static let freeByteCountMin: Int64 = 16 << 20

  static func outbox(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    let view = system.outbox
    let path = configuration.outbox.path
    let named = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    guard let folder = view.folder else {
      return [Trouble.outboxFolderAbsent.found(["folder": named, "user": system.user])]
    }
    if view.isReadOnly { return [Trouble.outboxReadOnly.found(["folder": folder.path])] }
    for file in [folder, view.file].compactMap({ $0 }) where !file.mayWrite {
      return [Trouble.outboxDenied.found(["path": file.path, "user": system.user])]
    }
    if let problem = view.foreign {
      return [Trouble.outboxForeign.found(["problem": problem, "file": fileName(system)])]
    }
    if view.freeByteCount < freeByteCountMin {
      return [Trouble.outboxDiskFull.found(["folder": folder.path, "free": size(view.freeByteCount)])]
    }
    if let problem = view.full { return [Trouble.outboxFull.found(["problem": problem])] }
    var findings: [Finding] = []
    if !view.survivesPowerOff {
      findings.append(
        Trouble.outboxForgetful.found(["folder": folder.path, "type": view.fileSystem, "file": fileName(system)]))
    }
    let limit = Int64(configuration.outbox.byteCountMax)
    if view.freeByteCount < limit {
      findings.append(
        Trouble.outboxDiskSmall.found([
          "folder": folder.path, "free": size(view.freeByteCount), "limit": size(limit), "file": fileName(system),
        ]))
    }
    return findings.isEmpty ? [.ok(.outbox, "\(folder.path): \(size(view.freeByteCount)) free")] : findings
  }

  static func size(_ byteCount: Int64) -> String {
    byteCount >= 10 << 30 ? "\(byteCount >> 30) GB" : "\(byteCount >> 20) MB"
  }
}
