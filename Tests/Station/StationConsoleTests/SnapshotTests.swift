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

  private func sighting(_ corners: Quad) -> Sighting {
    Sighting(code: ScannedCode(symbology: .ean13, payload: [0x31], text: "1", mark: .search), corners: corners)
  }

  @Test func `a picture shows the frame, darker outside the viewport, with codes outlined`() {
    let luma = [UInt8](repeating: 200, count: 40 * 30)
    let snapshot = Snapshot(
      width: 40, height: 30, luma: luma, region: PixelRegion(x: 10, y: 5, width: 20, height: 20),
      sightings: [sighting(quad(15, 10, 24, 18))])
    var picture = LumaPicture(snapshot)
    picture.draw(snapshot)
    func pixel(_ x: Int, _ y: Int) -> UInt8 { picture.pixels[y * 40 + x] }
    #expect(pixel(2, 2) == 100 && pixel(12, 7) == 200)
    #expect(pixel(20, 10) == 255 && pixel(15, 14) == 255 && pixel(20, 12) == 0)
    #expect(pixel(20, 14) == 200)
  }

  @Test func `corners far outside the frame are harmless`() {
    let luma = [UInt8](repeating: 0, count: 8 * 8)
    let snapshot = Snapshot(
      width: 8, height: 8, luma: luma, region: nil, sightings: [sighting(quad(-30000, -30000, 30000, 30000))])
    var picture = LumaPicture(snapshot)
    picture.draw(snapshot)
    #expect(picture.pixels.count == 64)
    #expect(LivePicture(snapshot) != nil)
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
}
