// A folder of pictures, within a size and an age. Only files with names of pictures are ever deleted.

import DeliveryModel
import Glibc
import StationConfiguration

/// Calls of the file system, which tests replace.
struct PictureDisk: Sendable {
  /// The bytes that unprivileged users may still write at a path; nil if that is unknown.
  var freeByteCount: @Sendable (String) -> Int64?
  /// Writes a new file whole; returns 0 or the system's error. On an error, no file is left.
  var write: @Sendable (String, [UInt8]) -> Int32
  /// The bytes of a regular file, at most `byteCountMax`; nil if it cannot be read.
  var read: @Sendable (String) -> [UInt8]? = Self.bytes
}

extension PictureDisk {
  /// The disk of this machine. Files are not synced: a power cut may take the last ones.
  static let real = PictureDisk(
    freeByteCount: { path in
      var status = statvfs()
      guard statvfs(path, &status) == 0 else { return nil }
      return Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
    },
    write: { path, bytes in
      let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0o640)
      guard file >= 0 else { return errno }
      var done = 0
      var problem: Int32 = 0
      bytes.withUnsafeBytes { buffer in
        while done < buffer.count {
          let count = Glibc.write(file, buffer.baseAddress! + done, buffer.count - done)
          if count < 0, errno == EINTR { continue }
          guard count > 0 else {
            problem = count < 0 ? errno : ENOSPC
            return
          }
          done += count
        }
      }
      if close(file) != 0, problem == 0 { problem = errno }
      if problem != 0 { unlink(path) }
      return problem
    })

  /// The most bytes of a file that is read.
  private static let byteCountMax = 32 << 20

  /// A pipe or a device under the name does not hold up the reader.
  @Sendable private static func bytes(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= byteCountMax else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress! + done, $0.count - done) }
      guard count > 0 else { return nil }
      done += count
    }
    return bytes
  }
}

/// A folder of pictures. Used by one thread.
struct PictureFolder {
  /// The ending of files that are being written. Their names begin with a dot.
  private static let partialEnding = ".part"

  /// Why pictures were deleted.
  enum Removal: String, CaseIterable, Sendable {
    case age, size, space
  }

  /// Why a picture could not be written, in words.
  struct Failure: Error {
    var words: String
  }

  let settings: PictureSettings
  let disk: PictureDisk
  private(set) var index = PictureIndex()
  /// Pictures deleted since the last look, with the reasons.
  var removed: [(id: ScanID, reason: Removal)] = []

  init(_ settings: PictureSettings, disk: PictureDisk = .real) {
    (self.settings, self.disk) = (settings, disk)
  }

  /// The path of a file.
  func path(_ name: String) -> String { "\(settings.folder)/\(name)" }

  /// Creates the folder if it is missing, and reads which pictures are in it. Deletes pictures that were left half written.
  mutating func open() throws(Failure) {
    if mkdir(settings.folder, 0o750) != 0, errno != EEXIST { throw Failure(words: Self.words(errno)) }
    guard let directory = opendir(settings.folder) else { throw Failure(words: Self.words(errno)) }
    defer { closedir(directory) }
    index = PictureIndex()
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if Self.isPartial(name) {
        unlink(path(name))
        continue
      }
      guard let (_, id, _) = PictureTemplate.parse(name) else { continue }
      var status = stat()
      guard lstat(path(name), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      index.insert(PictureFile(id: id, name: name, size: Int64(status.st_size)))
    }
  }

  private static func isPartial(_ name: String) -> Bool {
    name.hasPrefix(".") && name.hasSuffix(partialEnding)
      && PictureTemplate.parse(String(name.dropFirst().dropLast(partialEnding.count))) != nil
  }

  /// Writes a picture, after making room for it.
  mutating func write(_ name: String, id: ScanID, _ bytes: [UInt8], at now: Int64) throws(Failure) {
    try makeRoom(for: Int64(bytes.count), at: now)
    let partial = path("." + name + Self.partialEnding)
    var problem = disk.write(partial, bytes)
    if problem == ENOENT, mkdir(settings.folder, 0o750) == 0 { problem = disk.write(partial, bytes) }
    if problem == 0, rename(partial, path(name)) != 0 {
      problem = errno
      unlink(partial)
    }
    guard problem == 0 else { throw Failure(words: Self.words(problem)) }
    index.insert(PictureFile(id: id, name: name, size: Int64(bytes.count)))
  }

  /// Deletes pictures that are too old or too many.
  mutating func sweep(at now: Int64) {
    while index.isOldestExpired(settings.ageMax, at: now) { removeOldest(.age) }
    while index.byteCount > Int64(settings.byteCountMax) || index.count > PictureSettings.fileCountMax {
      removeOldest(.size)
    }
  }

  private mutating func makeRoom(for size: Int64, at now: Int64) throws(Failure) {
    guard size <= Int64(settings.byteCountMax) else {
      throw Failure(words: "one picture is larger than pictures.megabytes allows for all")
    }
    sweep(at: now)
    while index.byteCount + size > Int64(settings.byteCountMax) || index.count >= PictureSettings.fileCountMax {
      removeOldest(.size)
    }
    guard var free = disk.freeByteCount(settings.folder) else { return }
    // Where all pictures together would not make enough room, none is deleted: another program fills the disk.
    guard free + index.byteCount >= PictureSettings.freeByteCountMin + size else {
      throw Failure(words: "the disk has only \(free >> 20) MB left, and pictures leave 64 MB to others")
    }
    while free < PictureSettings.freeByteCountMin + size, index.count > 0 {
      removeOldest(.space)
      free = disk.freeByteCount(settings.folder) ?? free
    }
  }

  private mutating func removeOldest(_ reason: Removal) {
    guard let file = index.removeOldest() else { return }
    unlink(path(file.name))
    removed.append((file.id, reason))
  }

  private static func words(_ problem: Int32) -> String { String(cString: strerror(problem)) }
}
