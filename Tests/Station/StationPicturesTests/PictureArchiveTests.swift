// Pictures from a kept frame to a file and back.

import BarcodeTypes
import Dispatch
import Foundation
import Glibc
import Logging
import PictureFiles
import ScanControl
import ServiceLifecycle
import StationConfiguration
import Synchronization
import Testing
@testable import DeliveryModel
@testable import ScanLoop
@testable import Sinks
@testable import StationPictures

@Suite(.timeLimit(.minutes(1))) struct PictureArchiveTests {
  private let folder = TemporaryFolder()
  private let small = SmallDisk(free: 1 << 40)

  private func archive(_ change: (inout PictureSettings) -> Void = { _ in }) -> PictureArchive {
    var settings = PictureSettings(kinds: Set(PictureKind.allCases))
    settings.folder = folder.path
    change(&settings)
    return PictureArchive(settings, station: "test", disk: small.disk, logger: Logger(label: "test"))
  }

  private let start = UInt64(CaptureTime.now().unixMilliseconds)

  private func id(_ number: Int) -> ScanID {
    ScanID(high: start << 16 | 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number))
  }

  private func quad(_ x: Int, _ y: Int, _ side: Int) -> Quad {
    func point(_ x: Int, _ y: Int) -> PixelPoint { PixelPoint(x: Fixed16(x), y: Fixed16(y)) }
    return Quad(
      topLeft: point(x, y), topRight: point(x + side, y), bottomRight: point(x + side, y + side),
      bottomLeft: point(x, y + side))
  }

  /// Offers a grey frame with a code at (40, 40) as the capture thread does.
  private func offer(_ archive: PictureArchive, _ sequence: UInt64, grey: UInt8, hasCode: Bool = true) {
    let code = ScannedCode(symbology: .qr, payload: [1], text: "1", mark: .search)
    let report = FrameReport(
      run: 1, sequence: sequence, capturedAt: Instant(nanoseconds: CaptureTime.now().bootNanoseconds),
      sightings: hasCode ? [Sighting(code: code, corners: quad(40, 40, 20))] : [])
    let copy = archive.frames.promise(of: report)
    let luma = [UInt8](repeating: grey, count: 160 * 120)
    luma.withUnsafeBufferPointer {
      copy?.fill(from: LumaView(base: $0.baseAddress!, width: 160, height: 120, bytesPerRow: 160))
    }
  }

  private func take(_ archive: PictureArchive, _ sequence: UInt64, _ number: Int) -> String? {
    archive.take(
      archive.frames.take(sequence: sequence), .scan, id: id(number), symbology: "qr", corners: quad(40, 40, 20))
  }

  /// Runs an archive during `body`; all pictures are written when it returns.
  private func run(_ archive: PictureArchive, _ body: () async throws -> Void) async throws {
    let group = ServiceGroup(services: [archive], logger: Logger(label: "test"))
    async let running: Void = group.run()
    try await body()
    await group.triggerGracefulShutdown()
    try await running
  }

  private func luma(_ path: String) throws -> (width: Int, height: Int, middle: UInt8) {
    var picture = Picture()
    try picture.load(path: path)
    return (picture.width, picture.height, try #require(picture.withLuma { $0[$0.width / 2, $0.height / 2] }))
  }

  @Test(arguments: WrittenFormat.allCases)
  func `a picture shows the frame that it was taken of, and is served with its type`(_ format: WrittenFormat) async throws {
    let archive = archive { $0.format = format }
    var paths: [String?] = []
    try await run(archive) {
      for number in 1...5 {
        offer(archive, UInt64(number), grey: UInt8(number * 40))
        paths.append(take(archive, UInt64(number), number))
      }
    }
    for number in 1...5 {
      let path = try #require(paths[number - 1])
      let picture = try luma(path)
      #expect((picture.width, picture.height) == (160, 120))
      #expect(abs(Int(picture.middle) - number * 40) <= 2, "\(path)")
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
      #expect(await archive.picture(id(number)) == .file(bytes: bytes, mediaType: format.mediaType))
    }
    #expect(folder.names.count == 5)
  }

  @Test func `the surroundings of a code are cut out, and a no-read shows all of a recent frame`() async throws {
    let archive = archive { $0.area = .code }
    var (scan, noRead, late): (String?, String?, String?)
    try await run(archive) {
      offer(archive, 1, grey: 90)
      scan = take(archive, 1, 1)
      noRead = archive.takeNoRead(id: id(2), at: CaptureTime.now())
      var now = CaptureTime.now()
      now.bootNanoseconds += 3_000_000_000
      late = archive.takeNoRead(id: id(3), at: now)
    }
    let part = try luma(try #require(scan))
    // 21 pixels, and 16 on each side.
    #expect((part.width, part.height) == (53, 53))
    #expect(try luma(try #require(noRead)).width == 160)
    #expect(late == nil)
    #expect(await archive.picture(id(3)) == .none("it was lost: no copy of its frame was left"))
  }

  @Test func `without a copy of the frame no path is given, and a kind that is not wanted is not lost`() async throws {
    let archive = archive { $0.kinds = [.noRead] }
    try await run(archive) {
      offer(archive, 1, grey: 90, hasCode: false)
      #expect(take(archive, 1, 1) == nil)
      #expect(archive.takeNoRead(id: id(2), at: CaptureTime.now()) != nil)
    }
    #expect(await archive.picture(id(1)) == .none("none was kept, or it was deleted"))
    #expect(folder.names.count == 1)
  }

  @Test func `on a full disk pictures are lost with the reason, and come again when there is room`() async throws {
    let archive = archive()
    small.fail(ENOSPC)
    try await run(archive) {
      offer(archive, 1, grey: 90)
      #expect(take(archive, 1, 1) != nil)
      while await archive.picture(id(1)) == .pending("it is being written; try again") {
        try await Task.sleep(for: .milliseconds(2))
      }
      #expect(await archive.picture(id(1)) == .none("it was lost: No space left on device"))
      small.fail(0)
      #expect(take(archive, 1, 2) != nil)
    }
    guard case .file = await archive.picture(id(2)) else { throw CocoaError(.fileNoSuchFile) }
    #expect(folder.names.count == 1)
  }

  /// Whether this user may mount file systems.
  private static let canMount: Bool = {
    let folder = TemporaryFolder()
    guard mount("none", folder.path, "tmpfs", 0, "size=64k") == 0 else { return false }
    return umount(folder.path) == 0
  }()

  @Test(.enabled(if: canMount, "this user may not mount file systems: no full disk is tested"))
  func `on a full file system nothing of a picture is left, and the next ones are written when there is room`() async throws
  {
    try #require(mount("none", folder.path, "tmpfs", 0, "size=256k") == 0)
    defer { umount2(folder.path, Int32(MNT_DETACH)) }
    // The free space is unknown: pictures are written until the system refuses.
    let disk = PictureDisk(freeByteCount: { _ in nil }, write: PictureDisk.real.write)
    var settings = PictureSettings(kinds: [.scan])
    settings.folder = folder.path
    let archive = PictureArchive(settings, station: "test", disk: disk, logger: Logger(label: "test"))
    let filler = "\(folder.path)/filler"
    #expect(PictureDisk.real.write(filler, [UInt8](repeating: 1, count: 256 << 10)) == 0)
    #expect(PictureDisk.real.write(filler + "2", [1]) == ENOSPC)
    try await run(archive) {
      for number in 1...3 {
        offer(archive, UInt64(number), grey: 90)
        #expect(take(archive, UInt64(number), number) != nil)
        while case .pending = await archive.picture(id(number)) { try await Task.sleep(for: .milliseconds(2)) }
        #expect(await archive.picture(id(number)) == .none("it was lost: No space left on device"))
        #expect(folder.names == ["filler"])
      }
      unlink(filler)
      offer(archive, 4, grey: 90)
      #expect(take(archive, 4, 4) != nil)
    }
    #expect(folder.names.count == 1)
    guard case .file = await archive.picture(id(4)) else { throw CocoaError(.fileNoSuchFile) }
  }

  @Test func `a picture is found at its path, also before the folder is read, and nothing outside the folder is`()
    async throws
  {
    var path = ""
    let archive = archive()
    try await run(archive) {
      offer(archive, 1, grey: 90)
      path = try #require(take(archive, 1, 1))
    }
    let file = await archive.picture(id(1))
    guard case .file = file else { throw CocoaError(.fileNoSuchFile) }
    // The archive of the next run, which has not started yet.
    let later = self.archive()
    #expect(await later.picture(at: path, within: .seconds(5)) == file)
    let name = try #require(path.split(separator: "/").last)
    for foreign in ["/tmp/\(name)", "\(folder.path)/../\(name)", "\(folder.path)/holiday.webp", "", String(name)] {
      #expect(await later.picture(at: foreign, within: .seconds(5)) == .none("it is not in the folder of pictures"))
    }
    unlink(path)
    #expect(await later.picture(at: path, within: .seconds(5)) == .pending("the folder of pictures is not read yet"))
    try await run(later) {
      while case .pending = await later.picture(at: path, within: .seconds(5)) {
        try await Task.sleep(for: .milliseconds(2))
      }
    }
    #expect(await later.picture(at: path, within: .seconds(5)) == .none("none was kept, or it was deleted"))
  }

  @Test func `a disk that hangs delays each reader by its limit, and few readers wait for it`() async throws {
    let gate = DispatchSemaphore(value: 0)
    let count = Mutex(0)
    var disk = small.disk
    disk.read = { _ in
      count.withLock { $0 += 1 }
      gate.wait()
      return [1]
    }
    var settings = PictureSettings(kinds: [.scan])
    settings.folder = folder.path
    let archive = PictureArchive(settings, station: "test", disk: disk, logger: Logger(label: "test"))
    let path = "\(folder.path)/scan-\(id(1)).webp"
    let begin = ContinuousClock.now
    for _ in 0..<PictureArchive.readCountMax + 4 {
      #expect(await archive.picture(at: path, within: .milliseconds(5)) == .pending("its disk is slow; try again"))
    }
    #expect(ContinuousClock.now - begin < .seconds(20))
    for _ in 0..<PictureArchive.readCountMax + 1 { gate.signal() }
    while await archive.picture(at: path, within: .seconds(5)) != .file(bytes: [1], mediaType: "image/webp") {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(count.withLock { $0 } == PictureArchive.readCountMax + 1)
  }

  @Test func `each picture is the latest one for sinks, even on a full disk`() async throws {
    small.fail(ENOSPC)
    let latest = LatestPicture()
    var settings = PictureSettings(kinds: [.scan])
    settings.folder = folder.path
    let archive = PictureArchive(
      settings, station: "test", latest: latest, disk: small.disk, logger: Logger(label: "test"))
    try await run(archive) {
      offer(archive, 1, grey: 90)
      _ = take(archive, 1, 1)
    }
    let picture = try #require(latest.newer(than: 0))
    #expect(picture.mediaType == "image/webp" && picture.bytes.starts(with: Array("RIFF".utf8)))
    #expect(latest.newer(than: picture.number) == nil)
  }

  @Test func `a flood of pictures is bounded, and each that has a path is there at the end`() async throws {
    let archive = archive()
    var paths: [String] = []
    offer(archive, 1, grey: 90)
    // The archive does not run yet.
    for number in 1...200 { if let path = take(archive, 1, number) { paths.append(path) } }
    #expect(paths.count == PictureArchive.jobCountMax)
    try await run(archive) {}
    #expect(Set(folder.names) == Set(paths.map { String($0.split(separator: "/").last!) }))
  }
}
