// New pictures in folders: reported by inotify(7), and found by periodic listing, because network file systems report
// nothing.

import Devices
import Glibc

/// Complete pictures in folders that were not returned yet.
///
/// A picture counts once its writer has closed it or it was moved into the folder; one found by listing, once it has not
/// changed for a while. It is returned again only after it has changed.
struct FolderWatch: ~Copyable {
  /// A file's state when it was returned.
  private struct Stamp: Equatable {
    let inode: UInt64
    let byteCount: Int64
    let modified: Int64
  }

  /// How often the folders are listed in addition to inotify's reports.
  static let listingInterval: Int64 = 5_000_000_000
  /// The most bytes of reports read at once: some hundred reports.
  private static let reportByteCount = 64 << 10
  /// Bytes of a report before its name.
  private static let reportHeaderByteCount = MemoryLayout<inotify_event>.size

  private let folders: [String]
  /// How long a listed file must be unchanged, in nanoseconds: its writer may not have finished.
  private let settleTime: Int64
  private let inotify: Int32
  /// The folder of each watch.
  private var watched: [Int32: String] = [:]
  /// Paths that wait, in order, from `first` on.
  private var waiting: [String] = []
  private var first = 0
  private var isWaiting: Set<String> = []
  private var seen: [String: Stamp] = [:]
  private var nextListing: Int64 = 0
  /// Why a folder can no longer be watched.
  private var failure: SourceFailure?
  private var reports = [UInt8](repeating: 0, count: reportByteCount)

  /// - Throws: the folder that cannot be watched, with the reason.
  init(folders: [String], settleTime: Int64) throws(SourceFailure) {
    self.folders = folders
    self.settleTime = settleTime
    inotify = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard inotify >= 0 else {
      throw SourceFailure(
        .cannotBeOpened, "folders cannot be watched (inotify_init1: errno \(errno)); raise fs.inotify.max_user_instances")
    }
    try watchFolders()
  }

  deinit { if inotify >= 0 { close(inotify) } }

  /// Restarts the watches after a folder has disappeared. Pictures returned before are not returned again.
  mutating func watchFolders() throws(SourceFailure) {
    for watch in watched.keys { inotify_rm_watch(inotify, watch) }
    watched = [:]
    failure = nil
    let events = UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
    for folder in folders {
      let watch = FileName.withPath(folder) { inotify_add_watch(inotify, $0, events) }
      guard watch >= 0 else {
        let code = errno
        let remedy =
          switch code {
          case ENOENT, ENOTDIR: "there is no such folder; make it"
          case ENOSPC: "too many folders are watched; raise fs.inotify.max_user_watches"
          default: "it cannot be watched (errno \(code)); let the user that runs reticle read it"
          }
        throw SourceFailure(.cannotBeOpened, "\(folder): \(remedy)")
      }
      watched[watch] = folder
    }
    // After the watches, so that no picture is missed in between.
    nextListing = 0
  }

  /// The next picture; nil if none comes before the deadline.
  ///
  /// - Parameter deadline: in boot time.
  mutating func next(until deadline: Int64, _ time: any DeviceTime) throws(SourceFailure) -> String? {
    while true {
      if time.now() >= nextListing { list(time) }
      readReports()
      if let failure { throw failure }
      while let path = takeFirst() {
        guard let stamp = Self.stamp(path), seen[path] != stamp else { continue }
        seen[path] = stamp
        return path
      }
      let now = time.now()
      guard now < deadline else { return nil }
      var poller = pollfd(fd: inotify, events: Int16(POLLIN), revents: 0)
      // Rounded up, so that the last fraction of a millisecond is slept through too.
      let wait = (min(deadline, nextListing) - now + 999_999) / 1_000_000
      _ = poll(&poller, 1, Int32(max(1, wait)))
    }
  }

  private mutating func takeFirst() -> String? {
    guard first < waiting.count else { return nil }
    let path = waiting[first]
    first += 1
    if first == waiting.count { (waiting, first) = ([], 0) }
    isWaiting.remove(path)
    return path
  }

  /// Appends a path. Pictures beyond the limit of a list are found by a later listing.
  private mutating func append(_ path: String) {
    guard isWaiting.count < PictureList.pictureCountMax, isWaiting.insert(path).inserted else { return }
    waiting.append(path)
  }

  /// Finds pictures that no report announced. Removed ones are forgotten only if there are too many: a file system that is
  /// mounted again contains the same pictures.
  private mutating func list(_ time: any DeviceTime) {
    nextListing = time.now() + Self.listingInterval
    var present: Set<String> = []
    for folder in folders {
      guard let paths = try? PictureList.pictures(inFolder: folder) else { continue }
      present.formUnion(paths)
      for path in paths {
        guard let stamp = Self.stamp(path), seen[path] != stamp else { continue }
        let age = Self.now() - stamp.modified
        // A time in the future means a wrong clock, not a file that is being written.
        if age >= settleTime || age < 0 {
          append(path)
        } else {
          nextListing = min(nextListing, time.now() + settleTime - age)
        }
      }
    }
    if seen.count > PictureList.pictureCountMax { seen = seen.filter { present.contains($0.key) } }
  }

  private mutating func readReports() {
    while true {
      let count = reports.withUnsafeMutableBytes { read(inotify, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      var offset = 0
      while offset + Self.reportHeaderByteCount <= count {
        let (watch, mask, nameCount) = reports.withUnsafeBytes { bytes in
          (
            bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self),
            bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self),
            Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
          )
        }
        let start = offset + Self.reportHeaderByteCount
        offset = min(start + nameCount, count)
        take(watch, mask, FileName.text(reports[start..<offset].prefix { $0 != 0 }))
      }
    }
  }

  private mutating func take(_ watch: Int32, _ mask: UInt32, _ name: String) {
    // The kernel has dropped reports: a listing finds the pictures concerned.
    if mask & UInt32(IN_Q_OVERFLOW) != 0 { nextListing = 0 }
    guard let folder = watched[watch] else { return }
    if mask & (UInt32(IN_IGNORED) | UInt32(IN_UNMOUNT) | UInt32(IN_MOVE_SELF)) != 0 {
      failure = SourceFailure(.disconnected, "\(folder): the folder is gone; make it again, or mount its file system")
    } else if mask & (UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO)) != 0, PictureList.isPictureName(name) {
      append(PictureList.path(of: name, inFolder: folder))
    }
  }

  private static func stamp(_ path: String) -> Stamp? {
    var status = stat()
    guard FileName.withPath(path, { stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Stamp(inode: UInt64(status.st_ino), byteCount: Int64(status.st_size), modified: nanoseconds(status.st_mtim))
  }

  /// The clock that file systems stamp files with.
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return nanoseconds(time)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) }
}
