// The configuration file of a station, its last revisions, and the one on trial. Each step is on the storage before the next
// begins: after a power cut at any time, the station starts with a text that has proved itself.

import FoundationEssentials
import Glibc
import SetupCodes

/// A former text of the configuration file.
public struct ConfigurationRevision: Equatable, Sendable {
  /// The identity of its text.
  public var id: String
  /// When it was replaced, in milliseconds since 1970.
  public var unixMilliseconds: Int64
}

/// A configuration file with its history. Blocks while the storage works.
struct ConfigurationStore: Sendable {
  /// The former texts that are kept.
  static let revisionCountMax = 10
  /// The largest file, in bytes.
  static let byteCountMax = 256 << 10

  /// The configuration file.
  let path: String
  /// Where the former texts are.
  let folder: String

  /// A configuration on trial: the former text comes back unless the new one proves itself.
  struct Trial: Equatable, Codable {
    /// Nil: there was no file.
    var former: String?
    /// The identity of the text on trial.
    var tried: String
  }

  private var trialPath: String { folder + "/trial.json" }

  /// The identity of a text: equal texts have equal ones (FNV-1a, 64 bits).
  static func revision(of text: String) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The present text; nil without a file.
  func text() throws(FileFault) -> String? {
    try DurableFile.read(path, byteCountMax: Self.byteCountMax).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Why the file cannot be written, with the remedy; nil if it can.
  var obstacle: String? {
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    guard access(parent.isEmpty ? "/" : parent, W_OK) != 0 else { return obstacleInStickyFolder(parent) }
    return "this station may not write in \(parent); run `sudo chgrp reticle \(parent) && sudo chmod 3775 \(parent)`"
  }

  /// In a folder where only owners may replace files, the file must be the station's own.
  private func obstacleInStickyFolder(_ parent: String) -> String? {
    var (folder, file) = (stat(), stat())
    guard geteuid() != 0, stat(parent.isEmpty ? "/" : parent, &folder) == 0, folder.st_mode & S_ISVTX != 0,
      stat(path, &file) == 0, file.st_uid != geteuid(), folder.st_uid != geteuid()
    else { return nil }
    return "\(path) is another user's; run `sudo chown reticle \(path)`"
  }

  /// Puts a text on trial.
  ///
  /// - Parameter former: the present text; nil without a file.
  func begin(_ text: String, former: String?) throws(FileFault) {
    if mkdir(folder, 0o750) != 0, errno != EEXIST { throw FileFault(path: folder, call: "mkdir", code: errno) }
    if let former { try keep(former) }
    let trial = Trial(former: former, tried: Self.revision(of: text))
    try DurableFile.replace(trialPath, with: Array((try? JSONEncoder().encode(trial)) ?? Data()))
    do throws(FileFault) {
      try write(text)
    } catch {
      try? DurableFile.remove(trialPath)
      throw error
    }
  }

  /// Ends the trial: the text stays.
  func confirm() throws(FileFault) { try DurableFile.remove(trialPath) }

  /// Ends the trial: the former text comes back, unless somebody else has changed the file meanwhile.
  ///
  /// - Returns: whether it came back; false without a trial.
  func takeBack() throws(FileFault) -> Bool {
    guard let bytes = try DurableFile.read(trialPath, byteCountMax: 4 * Self.byteCountMax) else { return false }
    let trial = try? JSONDecoder().decode(Trial.self, from: Data(bytes))
    let isOurs = try trial?.tried == text().map(Self.revision)
    if let trial, isOurs {
      if let former = trial.former { try write(former) } else { try DurableFile.remove(path) }
    }
    try DurableFile.remove(trialPath)
    return isOurs
  }

  /// Replaces the file; it keeps its permissions.
  private func write(_ text: String) throws(FileFault) {
    var information = stat()
    let mode = stat(path, &information) == 0 ? information.st_mode & 0o777 : 0o640
    try DurableFile.replace(path, with: Array(text.utf8))
    _ = chmod(path, mode)
  }

  // MARK: History

  private func name(_ revision: ConfigurationRevision) -> String {
    "\(folder)/\(revision.unixMilliseconds)-\(revision.id).yaml"
  }

  /// Keeps a text as the newest revision, and deletes the oldest ones.
  private func keep(_ text: String) throws(FileFault) {
    let id = Self.revision(of: text)
    for same in revisions() where same.id == id { try DurableFile.remove(name(same)) }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let revision = ConfigurationRevision(
      id: id, unixMilliseconds: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000)
    try DurableFile.replace(name(revision), with: Array(text.utf8))
    for old in revisions().dropFirst(Self.revisionCountMax) { try DurableFile.remove(name(old)) }
  }

  /// The former texts, the newest first.
  func revisions() -> [ConfigurationRevision] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var found: [ConfigurationRevision] = []
    while let entry = readdir(directory) {
      let file = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      guard let match = file.wholeMatch(of: /([0-9]{1,15})-([0-9a-f]{16})\.yaml/), let moment = Int64(match.1) else {
        continue
      }
      found.append(ConfigurationRevision(id: String(match.2), unixMilliseconds: moment))
    }
    return found.sorted { $0.unixMilliseconds > $1.unixMilliseconds }
  }

  /// The text of a revision; nil if it is not kept.
  func text(of id: String) -> String? {
    guard let revision = revisions().first(where: { $0.id == id }),
      let bytes = try? DurableFile.read(name(revision), byteCountMax: Self.byteCountMax)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
