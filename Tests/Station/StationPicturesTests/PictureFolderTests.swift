// A folder of pictures within its limits, among other files, and on a disk that is full.

import DeliveryModel
import Foundation
import PictureFiles
import StationConfiguration
import Synchronization
import Testing
@testable import StationPictures

/// A folder that is deleted after the test.
final class TemporaryFolder {
  let path = FileManager.default.temporaryDirectory.appending(path: "reticle-pictures-\(UUID())").path

  init() { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: path) }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
}

/// A disk whose free space is a number, for real files.
final class SmallDisk: Sendable {
  private let free: Mutex<Int64>
  private let problem = Mutex<Int32>(0)

  init(free: Int64) { self.free = Mutex(free) }

  func set(free: Int64) { self.free.withLock { $0 = free } }
  func fail(_ problem: Int32) { self.problem.withLock { $0 = problem } }

  var disk: PictureDisk {
    PictureDisk(
      freeByteCount: { [self] _ in free.withLock { $0 } },
      write: { [self] path, bytes in
        let problem = problem.withLock { $0 }
        return problem != 0 ? problem : PictureDisk.real.write(path, bytes)
      })
  }
}

@Suite struct PictureFolderTests {
  private let folder = TemporaryFolder()
  /// 2026-01-01.
  private let start: Int64 = 1_767_225_600_000

  private func settings(megabytes: Int = 1, age: Duration? = nil) -> PictureSettings {
    var settings = PictureSettings(kinds: [.scan])
    settings.folder = folder.path
    settings.byteCountMax = megabytes << 20
    settings.ageMax = age
    return settings
  }

  private func id(_ number: Int64, second: Int64? = nil) -> ScanID {
    ScanID(
      high: UInt64(start + 1000 * (second ?? number)) << 16 | 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number))
  }

  private func write(_ picture: inout PictureFolder, _ number: Int64, _ count: Int = 100 << 10) throws {
    let name = PictureTemplate.standard.fileName(
      id: id(number), kind: .scan, symbology: "qr", station: "a", format: .webp)
    try picture.write(name, id: id(number), [UInt8](repeating: 7, count: count), at: start + 1000 * number)
  }

  private func numbers() throws -> [Int64] {
    try folder.names.map { Int64(try #require(PictureTemplate.parse($0)).id.low & 0xFFFF) }.sorted()
  }

  @Test func `the oldest go first when a size is reached, also after a restart`() throws {
    var pictures = PictureFolder(settings())
    try pictures.open()
    for number in 1...30 { try write(&pictures, Int64(number)) }
    #expect(try numbers() == Array(21...30))
    #expect(pictures.removed.map(\.reason) == Array(repeating: .size, count: 20))
    var later = PictureFolder(settings())
    try later.open()
    #expect(later.index.count == 10)
    #expect(later.index.byteCount == 10 * 100 << 10)
    for number in 31...33 { try write(&later, Int64(number)) }
    #expect(try numbers() == Array(24...33))
  }

  @Test func `pictures that are too old go, and with them those from before the clock was set`() throws {
    var pictures = PictureFolder(settings(age: .seconds(60)))
    try pictures.open()
    let early = ScanID(high: 5 << 16 | 0x7000, low: 0x8000_0000_0000_0063)
    let name = PictureTemplate.standard.fileName(id: early, kind: .scan, symbology: "qr", station: "a", format: .jpeg)
    for number: Int64 in [1, 40, 70] { try write(&pictures, number, 10) }
    #expect(try numbers() == [40, 70])
    try pictures.write(name, id: early, [1], at: start + 71_000)
    pictures.sweep(at: start + 99_000)
    #expect(try numbers() == [40, 70, 0x63])
    // A picture of unknown age goes with the first one that is too old.
    pictures.sweep(at: start + 101_000)
    #expect(try numbers() == [70])
  }

  @Test func `only pictures are deleted: other files, links and folders stay, and do not count`() throws {
    let foreign = ["holiday.jpg", "scan-notes.webp", ".scan-x.webp.part", "scan-0198c2b6-7f00-4abc-8def-0123456789ab.webp"]
    for name in foreign { try Data(count: 2 << 20).write(to: URL(filePath: "\(folder.path)/\(name)")) }
    let victim = "\(folder.path)/victim"
    try Data([1]).write(to: URL(filePath: victim))
    let link = "scan-0198c2b6-7f00-7abc-8def-0123456789ab.webp"
    try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/\(link)", withDestinationPath: victim)
    let inner = "scan-0198c2b6-7f00-7abc-8def-0123456789ac.webp"
    try FileManager.default.createDirectory(atPath: "\(folder.path)/\(inner)", withIntermediateDirectories: false)
    let half = ".scan-0198c2b6-7f00-7abc-8def-0123456789ad.webp.part"
    try Data([1]).write(to: URL(filePath: "\(folder.path)/\(half)"))
    var pictures = PictureFolder(settings())
    try pictures.open()
    #expect(pictures.index.count == 0)
    for number in 1...30 { try write(&pictures, Int64(number)) }
    let kept = Set(folder.names)
    #expect(kept.isSuperset(of: foreign + [link, inner, "victim"]))
    #expect(!kept.contains(half))
    #expect(kept.count == foreign.count + 3 + 10)
  }

  @Test func `pictures leave room for others, and are not sacrificed where that would not help`() throws {
    let disk = SmallDisk(free: PictureSettings.freeByteCountMin + 10 << 20)
    var pictures = PictureFolder(settings(megabytes: 100), disk: disk.disk)
    try pictures.open()
    for number in 1...5 { try write(&pictures, Int64(number)) }
    // One picture would make enough room; the simulated disk does not grow, so all go.
    disk.set(free: PictureSettings.freeByteCountMin + 50 << 10)
    try write(&pictures, 6)
    #expect(try numbers() == [6])
    #expect(pictures.removed.map(\.reason) == Array(repeating: .space, count: 5))
    disk.set(free: 1 << 20)
    #expect(throws: PictureFolder.Failure.self) { try write(&pictures, 7) }
    #expect(try numbers() == [6])
    disk.set(free: 1 << 40)
    try write(&pictures, 8)
    #expect(try numbers() == [6, 8])
  }

  @Test func `a failed write leaves no file, and a folder that was deleted is made again`() throws {
    let disk = SmallDisk(free: 1 << 40)
    var pictures = PictureFolder(settings(), disk: disk.disk)
    try pictures.open()
    disk.fail(ENOSPC)
    #expect(throws: PictureFolder.Failure.self) { try write(&pictures, 1) }
    #expect(folder.names.isEmpty)
    disk.fail(0)
    try FileManager.default.removeItem(atPath: folder.path)
    try write(&pictures, 2)
    #expect(try numbers() == [2])
  }

  @Test func `an id is found among thousands, in any order of writing`() {
    var index = PictureIndex()
    var order = Array(Int64(1)...3000)
    order.shuffle()
    for number in order { index.insert(PictureFile(id: id(number), name: "\(number)", size: 2)) }
    #expect(index.byteCount == 6000 && index.count == 3000)
    for number in Int64(1)...2500 { #expect(index.removeOldest()?.name == "\(number)") }
    #expect(index.file(id(2500)) == nil)
    #expect(index.file(id(2501))?.name == "2501")
    index.insert(PictureFile(id: id(2501), name: "again", size: 5))
    #expect(index.oldest?.name == "again" && index.byteCount == 1003 && index.count == 500)
  }
}
