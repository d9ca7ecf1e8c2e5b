import BarcodeTypes
import Glibc
import ScanControl
import Synchronization
import Testing

@testable import StationConsole
@testable import ScanLoop

@Suite(.timeLimit(.minutes(1))) struct SnapshotTests {
  private func withFrame(_ width: Int, _ height: Int, _ body: (LumaView) -> Void) {
    let luma = (0..<width * height).map { UInt8($0 % 251) }
    luma.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      body(LumaView(base: base, width: width, height: height, bytesPerRow: width))
    }
  }

  private func quad(_ left: Int, _ top: Int, _ right: Int, _ bottom: Int) -> Quad {
    func point(_ x: Int, _ y: Int) -> PixelPoint { PixelPoint(x: Fixed16(x), y: Fixed16(y)) }
    return Quad(
      topLeft: point(left, top), topRight: point(right, top), bottomRight: point(right, bottom),
      bottomLeft: point(left, bottom))
  }

  @Test func `a picture shows the frame, darker outside the viewport, with the viewport and codes outlined`() {
    let luma = [UInt8](repeating: 200, count: 40 * 30)
    let snapshot = Snapshot(
      width: 40, height: 30, luma: luma, region: PixelRegion(x: 10, y: 5, width: 20, height: 20),
      outlines: [quad(15, 10, 24, 18)])
    let picture = SnapshotPicture(snapshot)
    func pixel(_ x: Int, _ y: Int) -> UInt32 { picture.pixels[y * 40 + x] }
    #expect(pixel(2, 2) == 0xFF64_6464)
    #expect(pixel(12, 7) == 0xFFC8_C8C8)
    #expect(pixel(10, 5) == 0xFFFF_FFFF && pixel(29, 24) == 0xFFFF_FFFF)
    #expect(pixel(20, 10) == 0xFF3D_DC84 && pixel(15, 14) == 0xFF3D_DC84)
    #expect(pixel(20, 14) == 0xFFC8_C8C8)
  }

  @Test func `corners far outside the frame are harmless`() {
    let luma = [UInt8](repeating: 0, count: 8 * 8)
    let picture = SnapshotPicture(
      Snapshot(width: 8, height: 8, luma: luma, region: nil, outlines: [quad(-30000, -30000, 30000, 30000)]))
    #expect(picture.pixels.count == 64)
  }

  @Test func `a frame is copied only on request, once for all clients, and not too often`() async {
    let desk = SnapshotDesk()
    withFrame(32, 16) { desk.offer($0, region: nil, sightings: []) }
    // That frame is gone, as no client had asked for it.
    if case .noFrame = await desk.ask(within: .milliseconds(20)) {} else { Issue.record("an unwanted frame was kept") }
    let sizes = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<SnapshotDesk.waiterCountMax {
        group.addTask {
          if case .snapshot(let snapshot) = await desk.ask(within: .seconds(30)) { snapshot.luma.count } else { 0 }
        }
      }
      group.addTask {
        // Offer frames until all clients have been served.
        for _ in 0..<100 {
          self.withFrame(32, 16) { desk.offer($0, region: nil, sightings: []) }
          try? await Task.sleep(for: .milliseconds(5))
        }
        return 0
      }
      return await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(sizes.count { $0 == 512 } == SnapshotDesk.waiterCountMax)
  }

  @Test func `a client beyond the limit of waiting clients is refused`() async {
    let desk = SnapshotDesk()
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0...SnapshotDesk.waiterCountMax {
        group.addTask { if case .busy = await desk.ask(within: .seconds(1)) { true } else { false } }
      }
      let busyCount = await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      #expect(busyCount == 1)
    }
  }

  @Test func `a snapshot is encoded once for all clients, and the next one only after a rest`() async {
    let made = Mutex(0)
    let press = SnapshotPress { picture in
      made.withLock { $0 += 1 }
      usleep(20_000)
      return [UInt8(picture.width)]
    }
    func snapshot(_ number: UInt64, width: Int) -> Snapshot {
      Snapshot(
        number: number, width: width, height: 2, luma: [UInt8](repeating: 9, count: width * 2), region: nil, outlines: [])
    }
    await withTaskGroup { group in
      for _ in 0..<100 { group.addTask { #expect(await press.file(of: snapshot(1, width: 3)) == [3]) } }
    }
    #expect(made.withLock { $0 } == 1)
    // 20 ms of work require 80 ms of rest.
    #expect(await press.file(of: snapshot(2, width: 4)) == [3])
    try? await Task.sleep(for: .seconds(2))
    #expect(await press.file(of: snapshot(3, width: 5)) == [5])
  }

  @Test func `a snapshot without memory for its file is skipped, and the next one is tried`() async {
    let press = SnapshotPress { $0.width == 1 ? nil : [1] }
    let one = Snapshot(number: 1, width: 1, height: 1, luma: [0], region: nil, outlines: [])
    let two = Snapshot(number: 2, width: 2, height: 1, luma: [0, 0], region: nil, outlines: [])
    #expect(await press.file(of: one) == nil)
    #expect(await press.file(of: two) == [1])
  }
}
