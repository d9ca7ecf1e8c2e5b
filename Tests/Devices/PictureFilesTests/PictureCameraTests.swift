// Pictures as a camera: paced, in order, none lost or doubled unless requested, bad ones reported once.

import BarcodeTypes
import Devices
import PictureFiles
import Testing

/// Pictures in memory by path: the number in a picture's name is the shade of its pixels. Names with an x cannot be read.
private struct ShadeLoading: PictureLoading, ~Copyable {
  struct Unreadable: Error, CustomStringConvertible { var description: String { "it is no picture" } }

  private var luma = [UInt8](repeating: 0, count: 4)

  mutating func load(path: String) throws {
    guard let shade = UInt8(path) else { throw Unreadable() }
    luma = [UInt8](repeating: shade, count: 4)
  }

  func lendLuma(_ body: (LumaView) -> Void) {
    luma.withUnsafeBufferPointer { pixels in
      guard let base = pixels.baseAddress else { return }
      body(LumaView(base: base, width: 2, height: 2, bytesPerRow: 2))
    }
  }
}

@Suite struct PictureCameraTests {
  private let time = SimulatedTime(nanoseconds: 5_000_000_000)

  private func makeCamera(
    _ paths: [String], _ change: (inout PicturePlayback) -> Void = { _ in }
  ) throws -> PictureCamera<ShadeLoading> {
    var playback = PicturePlayback()
    change(&playback)
    let camera = PictureCamera(paths: paths, playback: playback, loader: ShadeLoading(), time: time)
    try camera.load()
    try camera.start()
    return camera
  }

  private struct Shown: Equatable {
    var shade: UInt8
    var sequence: UInt64
    var milliseconds: Int64
  }

  /// Asks until a frame is lent or something happens.
  private func next(_ camera: PictureCamera<ShadeLoading>) -> (NextFrame, Shown?) {
    var shown: Shown?
    while true {
      let outcome = camera.withNextFrame(within: .milliseconds(20)) { luma, metadata in
        let milliseconds = (metadata.captureBootTimeNanoseconds - 5_000_000_000) / 1_000_000
        shown = Shown(shade: luma[1, 1], sequence: metadata.sequence, milliseconds: milliseconds)
      }
      if outcome != .noneYet { return (outcome, shown) }
    }
  }

  @Test func `pictures come in order at the frame rate, and then the source ends`() throws {
    let camera = try makeCamera(["1", "2", "3"])
    #expect(next(camera).1 == Shown(shade: 1, sequence: 1, milliseconds: 0))
    #expect(next(camera).1 == Shown(shade: 2, sequence: 2, milliseconds: 100))
    #expect(next(camera).1 == Shown(shade: 3, sequence: 3, milliseconds: 200))
    #expect(next(camera).0 == .ended)
    #expect(next(camera).0 == .ended)
    #expect(camera.counts.captured == 3)
  }

  @Test func `looped pictures start over`() throws {
    let camera = try makeCamera(["1", "2"]) { $0.isLooped = true }
    #expect((0..<5).compactMap { _ in next(camera).1?.shade } == [1, 2, 1, 2, 1])
  }

  @Test func `a slow viewer gets every picture, and no burst afterwards`() throws {
    let camera = try makeCamera(["1", "2", "3", "4"])
    _ = next(camera)
    time.advance(by: .milliseconds(350))
    #expect(next(camera).1 == Shown(shade: 2, sequence: 2, milliseconds: 350))
    #expect(next(camera).1 == Shown(shade: 3, sequence: 3, milliseconds: 350))
    #expect(next(camera).1 == Shown(shade: 4, sequence: 4, milliseconds: 450))
    #expect(camera.counts.dropped == 0)
  }

  @Test func `with the latest frame only, a slow viewer misses pictures, and they are counted`() throws {
    let camera = try makeCamera(["1", "2", "3", "4", "5"]) { $0.keepsEveryFrame = false }
    _ = next(camera)
    time.advance(by: .milliseconds(350))
    #expect(next(camera).1 == Shown(shade: 4, sequence: 4, milliseconds: 350))
    #expect(next(camera).1 == Shown(shade: 5, sequence: 5, milliseconds: 400))
    #expect(next(camera).0 == .ended)
    #expect(camera.counts == counts(captured: 5, dropped: 2))
  }

  @Test func `a loop that is several rounds late shows the newest picture`() throws {
    let camera = try makeCamera(["1", "2", "3"]) {
      $0.keepsEveryFrame = false
      $0.isLooped = true
    }
    _ = next(camera)
    time.advance(by: .milliseconds(1000))
    #expect(next(camera).1 == Shown(shade: 2, sequence: 11, milliseconds: 1000))
    #expect(camera.counts == counts(captured: 11, dropped: 9))
  }

  @Test func `stopping neither rewinds nor lends a picture`() throws {
    let camera = try makeCamera(["1", "2", "3"])
    _ = next(camera)
    camera.stop()
    #expect(camera.withNextFrame(within: .milliseconds(1)) { _, _ in Issue.record("lent") } == .noneYet)
    time.advance(by: .seconds(10))
    try camera.start()
    #expect(next(camera).1 == Shown(shade: 2, sequence: 2, milliseconds: 10_000))
    #expect(next(camera).1 == Shown(shade: 3, sequence: 3, milliseconds: 10_100))
  }

  @Test func `an unreadable picture is reported once, counted each time and skipped`() throws {
    let camera = try makeCamera(["1", "x", "2"]) { $0.isLooped = true }
    #expect(next(camera).1?.shade == 1)
    #expect(next(camera).0 == .skipped("x: it is no picture"))
    #expect(next(camera).1?.shade == 2)
    #expect(next(camera).1?.shade == 1)
    #expect(next(camera).1?.shade == 2)
    #expect(camera.counts.skipped == 2)
  }

  @Test func `if every picture of a round is unreadable, the source fails and says why`() throws {
    let camera = try makeCamera(["x", "y"]) { $0.isLooped = true }
    #expect(next(camera).0 == .skipped("x: it is no picture"))
    let failure = SourceFailure(.noLumaStream, "none of the 2 pictures can be read; the last: y: it is no picture")
    #expect(next(camera).0 == .failed(failure))
  }

  private func counts(captured: Int, dropped: Int) -> FrameCounts {
    var counts = FrameCounts()
    counts.captured = captured
    counts.dropped = dropped
    return counts
  }
}
