// A folder as a camera, with real files: each picture is delivered once, after its writer is done, and none is lost while no
// frames are requested.

import BarcodeTypes
import Devices
import Foundation
import PictureFiles
import Testing

@Suite(.timeLimit(.minutes(1))) struct FolderCameraTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "reticle-folder-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func makeCamera(settleTime: Duration = .seconds(1)) throws -> FolderCamera<Picture> {
    var playback = PicturePlayback()
    playback.period = .milliseconds(1)
    let camera = FolderCamera(
      folders: try PictureList.folders(of: [folder.path]), playback: playback, settleTime: settleTime, loader: Picture())
    try camera.load()
    try camera.start()
    return camera
  }

  /// A picture of 2×2 pixels of one shade.
  private static func picture(_ shade: UInt8) -> Data { Data("P5 2 2 255\n".utf8) + [UInt8](repeating: shade, count: 4) }

  /// Writes a complete picture elsewhere and moves it into the folder.
  private func put(_ shade: UInt8, _ name: String) throws {
    let elsewhere = folder.appending(path: ".\(name)")
    try Self.picture(shade).write(to: elsewhere)
    guard rename(elsewhere.path, folder.appending(path: name).path) == 0 else { throw POSIXError(.EIO) }
  }

  /// Shades and file names of all frames until none arrives for a while, and the files that were skipped.
  private func frames(_ camera: FolderCamera<Picture>, quiet: Duration = .milliseconds(150)) -> [String] {
    var seen: [String] = []
    var end = ContinuousClock.now + quiet
    while ContinuousClock.now < end {
      let outcome = camera.withNextFrame(within: .milliseconds(20)) { luma, metadata in
        let name = metadata.file.map { $0.split(separator: "/").last.map(String.init) ?? "" } ?? ""
        seen.append("\(name)=\(luma[1, 1])")
      }
      switch outcome {
      case .noneYet: continue
      case .skipped(let reason): seen.append("skipped \(reason.split(separator: "/").last ?? "")")
      case .failed(let failure): return seen + ["failed \(failure.cause)"]
      default: break
      }
      end = ContinuousClock.now + quiet
    }
    return seen
  }

  @Test func `N8: an empty folder is watched, and each picture that is put into it is one frame`() throws {
    let camera = try makeCamera()
    #expect(frames(camera) == [])
    try put(10, "b.pgm")
    try put(20, "a.pgm")
    #expect(frames(camera) == ["b.pgm=10", "a.pgm=20"])
    try Data("no picture by its name".utf8).write(to: folder.appending(path: "notes.txt"))
    #expect(frames(camera) == [])
    // A replaced file is another picture.
    try put(30, "a.pgm")
    #expect(frames(camera) == ["a.pgm=30"])
    #expect(camera.counts.captured == 3)
  }

  @Test func `N8: a file that is still being written is read once, when its writer is done`() throws {
    let camera = try makeCamera()
    let bytes = Self.picture(40)
    let file = folder.appending(path: "slow.pgm")
    let descriptor = open(file.path, O_WRONLY | O_CREAT, 0o644)
    try #require(descriptor >= 0)
    for byte in bytes.dropLast() {
      _ = withUnsafeBytes(of: byte) { write(descriptor, $0.baseAddress, 1) }
      if byte == 0x0A { #expect(frames(camera, quiet: .milliseconds(50)) == []) }
    }
    #expect(frames(camera) == [])
    _ = withUnsafeBytes(of: bytes[bytes.count - 1]) { write(descriptor, $0.baseAddress, 1) }
    close(descriptor)
    #expect(frames(camera) == ["slow.pgm=40"])
  }

  @Test func `N8: the pictures in the folder at the start come first, and a fresh one once its writer is done`() throws {
    try put(1, "2.pgm")
    try put(2, "1.pgm")
    let old = Date(timeIntervalSinceNow: -60)
    for name in ["1.pgm", "2.pgm"] {
      try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: folder.appending(path: name).path)
    }
    // Its writer started before the station and is still writing.
    let descriptor = open(folder.appending(path: "0.pgm").path, O_WRONLY | O_CREAT, 0o644)
    try #require(descriptor >= 0)
    let bytes = Array(Self.picture(3))
    #expect(write(descriptor, bytes, 11) == 11)
    // Longer than the slowest machine needs from here to the last byte.
    let camera = try makeCamera(settleTime: .seconds(30))
    #expect(frames(camera) == ["1.pgm=2", "2.pgm=1"])
    #expect(bytes[11...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == 4)
    close(descriptor)
    #expect(frames(camera) == ["0.pgm=3"])
    // Pictures already read are not read again, even if the source is restarted or reloaded.
    camera.stop()
    try camera.load()
    try camera.start()
    #expect(frames(camera) == [])
  }

  @Test func `N8: a picture that was just written when the station started is read after a while`() throws {
    try put(7, "new.pgm")
    let camera = try makeCamera(settleTime: .milliseconds(300))
    #expect(frames(camera, quiet: .milliseconds(600)) == ["new.pgm=7"])
  }

  @Test func `N8: a picture that comes while nothing is recorded is not lost`() throws {
    let camera = try makeCamera()
    camera.stop()
    for shade in 1...200 { try put(UInt8(shade), "\(1000 + shade).pgm") }
    try camera.start()
    #expect(frames(camera) == (1...200).map { "\(1000 + $0).pgm=\($0)" })
  }

  @Test func `N8: a file that is not a picture is skipped once, and read when it has become one`() throws {
    let camera = try makeCamera()
    try Data("no picture".utf8).write(to: folder.appending(path: "x.png"))
    let skipped = frames(camera)
    #expect(skipped.count == 1 && skipped[0].hasPrefix("skipped x.png: "), "\(skipped)")
    #expect(frames(camera) == [])
    try put(50, "x.png")
    #expect(frames(camera) == ["x.png=50"])
    #expect(camera.counts.skipped == 1)
  }

  @Test func `N8: a folder that disappears is a failure, and one that is back continues with its new pictures`() throws {
    let camera = try makeCamera()
    try put(1, "1.pgm")
    #expect(frames(camera) == ["1.pgm=1"])
    let elsewhere = folder.path + "-away"
    #expect(rename(folder.path, elsewhere) == 0)
    #expect(frames(camera) == ["failed disconnected"])
    let failure = #expect(throws: SourceFailure.self) { try camera.load() }
    #expect(failure?.description == "\(folder.path): there is no such folder; make it")
    #expect(rename(elsewhere, folder.path) == 0)
    try camera.load()
    try put(2, "2.pgm")
    #expect(frames(camera) == ["2.pgm=2"])
  }

  @Test func `N8: only folders can be watched`() throws {
    try put(1, "1.pgm")
    #expect(throws: PictureList.Failure.notFolder(folder.path + "/1.pgm")) {
      try PictureList.folders(of: [folder.path + "/1.pgm"])
    }
    #expect(throws: PictureList.Failure.noFolder("/nowhere")) { try PictureList.folders(of: ["/nowhere"]) }
  }
}
