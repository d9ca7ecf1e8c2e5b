// The pictures of a folder in the order of their age, as plain values: which to delete, and when.

import DeliveryModel
import StationConfiguration

/// A picture's file.
struct PictureFile: Equatable, Sendable {
  var id: ScanID
  var name: String
  /// Bytes.
  var size: Int64
}

/// The pictures of a folder, oldest first by the time in their ids.
struct PictureIndex {
  /// The earliest time of a clock that has been set: 2025. Pictures with an earlier time have no known age.
  private static let setClockMilliseconds: Int64 = 1_735_689_600_000

  /// Files from `first` on are there; those before were removed, and their memory is reclaimed in large steps.
  private var files: [PictureFile] = []
  private var first = 0
  private(set) var byteCount: Int64 = 0

  var count: Int { files.count - first }
  var oldest: PictureFile? { first < files.count ? files[first] : nil }

  /// The file of an id; nil if it is missing.
  func file(_ id: ScanID) -> PictureFile? {
    let place = place(of: id)
    return place < files.count && files[place].id == id ? files[place] : nil
  }

  /// All files, oldest first.
  var all: ArraySlice<PictureFile> { files[first...] }

  /// Adds a file; one with the same id is replaced. Ids mostly grow, so it mostly belongs at the end.
  mutating func insert(_ file: PictureFile) {
    byteCount += file.size
    let place = place(of: file.id)
    if place < files.count, files[place].id == file.id {
      byteCount -= files[place].size
      files[place] = file
    } else {
      files.insert(file, at: place)
    }
  }

  @discardableResult
  mutating func removeOldest() -> PictureFile? {
    guard let file = oldest else { return nil }
    byteCount -= file.size
    files[first].name = ""
    first += 1
    if first > 1024, first > files.count / 2 {
      files.removeFirst(first)
      first = 0
    }
    return file
  }

  /// Whether the oldest picture of known age is older than this. Those of unknown age come before it, and go with it.
  ///
  /// - Parameter now: milliseconds since 1970 by the wall clock.
  func isOldestExpired(_ ageMax: Duration?, at now: Int64) -> Bool {
    let known = place(of: ScanID(high: UInt64(Self.setClockMilliseconds) << 16, low: 0))
    guard let ageMax, known < files.count else { return false }
    return now - files[known].id.unixMilliseconds > ageMax.components.seconds * 1000
  }

  /// The place of the first file that is not before `id`.
  private func place(of id: ScanID) -> Int {
    var (low, high) = (first, files.count)
    if let last = files.last, first < high, last.id < id { return high }
    while low < high {
      let middle = (low + high) / 2
      if files[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
