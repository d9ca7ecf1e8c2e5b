// What a station costs while nothing changes: no memory. A camera and a screen that count what their own thread has allocated
// from one frame to the next see everything that the station does in between on the capture thread and on the screen's.

import BarcodeTypes
import CAllocationCounter
import Devices
import Foundation
import ScanControl
import ScanScreen
import Synchronization
import TestScenes
import Testing

@testable import Station

/// Allocations between one moment of a thread and the next; adding one allocates nothing.
private final class AllocationDiary: Sendable {
  private let state: Mutex<(last: UInt64?, counts: [Int])>

  init(capacity: Int) {
    var counts: [Int] = []
    counts.reserveCapacity(capacity)
    state = Mutex((nil, counts))
  }

  /// Called again and again by the same thread.
  func note() {
    let now = callocationcounter_count()
    state.withLock { state in
      if let last = state.last, state.counts.count < state.counts.capacity { state.counts.append(Int(now - last)) }
      state.last = now
    }
  }

  var counts: [Int] { state.withLock { $0.counts } }
}

/// A panel that counts.
private final class CountingScreen: Devices.Screen {
  let name = "counting screen"
  let showsMovement = true
  let diary: AllocationDiary
  private let frames = Atomic<Int>(0)
  var frameCount: Int { frames.load(ordering: .relaxed) }

  init(capacity: Int) { diary = AllocationDiary(capacity: capacity) }

  func open() throws(ScreenTrouble) -> ScreenMode { ScreenMode(width: 320, height: 240) }
  func look() throws(ScreenTrouble) {}
  func close() {}
  func present(_ preview: PreviewChange, _ overlay: OverlayPicture) throws(ScreenTrouble) {
    guard case .frame(let frame) = preview, frame.chroma != nil else { return }
    frames.wrappingAdd(1, ordering: .relaxed)
    diary.note()
  }
}

/// A painter that has nothing to paint with.
private final class BlankPainter: OverlayPainting {
  let panel: ScreenSize
  private let pixels: [UInt32]
  private var last: DisplayList?

  init(panel: ScreenSize) {
    self.panel = panel
    pixels = [UInt32](repeating: 0, count: panel.width * panel.height)
  }

  func setImage(_ reference: ImageReference, luma: [UInt8], width: Int, height: Int) {}
  func setImage(_ reference: ImageReference, pngFile path: String) -> Bool { false }

  func paint(_ list: DisplayList) -> [PixelRegion] {
    defer { last = list }
    return list.damage(since: last)
  }

  func withPixels(_ body: (UnsafePointer<UInt32>, _ bytesPerRow: Int) -> Void) {
    pixels.withUnsafeBufferPointer { if let base = $0.baseAddress { body(base, panel.width * 4) } }
  }
}

@Suite(
  .timeLimit(.minutes(5)), .serialized,
  .enabled(if: callocationcounter_is_on() != 0, "a sanitizer has its own malloc")) struct SteadyStateTests
{
  private static let frameCount = 120

  /// Runs a station over one picture and returns what its capture thread allocated from frame to frame, and its screen.
  private func run(showsLabel: Bool, hasScreen: Bool, frameCount: Int = Self.frameCount) async throws -> (
    capturing: [Int], CountingScreen
  ) {
    var scene = CameraScene(.qr, "STEADY")
    (scene.width, scene.height, scene.modulePixels) = (320, 240, 5)
    let luma = showsLabel ? try scene.draw() : [UInt8](repeating: 110, count: 320 * 240)
    let diary = AllocationDiary(capacity: frameCount)
    let camera = StillCamera(
      luma, width: scene.width, height: scene.height, frameCount: frameCount, keepsEveryFrame: true, pauseMicroseconds: 3000,
      willWait: diary.note)
    let screen = CountingScreen(capacity: frameCount)
    var parts = StationParts(
      source: camera, reading: DecoderReading(settings: StationConfiguration().decoder, pixelCountMax: 320 * 240),
      forwarding: Basket())
    parts.metrics = MetricsRegistry()
    if hasScreen {
      parts.screen = ScreenParts(screen: screen, settings: ScreenSettings(), stationName: "steady") {
        BlankPainter(panel: $0)
      }
    }
    try await Station(settings: ScanSettings(), parts: parts, logger: Notebook().logger, signals: []).run()
    return (diary.counts, screen)
  }

  /// For a frame that shows something the controller's task is woken, for which Swift's runtime takes two pieces of memory of
  /// its own.
  private static let wakingCount = 2

  @Test(arguments: [false, true], [false, true])
  func `capture and decoding allocate nothing a frame, with and without a label in view or a screen`(
    showsLabel: Bool, hasScreen: Bool
  ) async throws {
    let (capturing, _) = try await run(showsLabel: showsLabel, hasScreen: hasScreen)
    // By then the first label was scanned, and all buffers are as large as they get.
    let steady = capturing.suffix(Self.frameCount / 2)
    #expect(steady.count == Self.frameCount / 2)
    let most = showsLabel ? Self.wakingCount : 0
    #expect(steady.allSatisfy { $0 <= most }, "allocations from frame to frame: \(Array(steady))")
  }

  @Test func `the screen's thread allocates nothing a frame while only the preview changes`() async throws {
    let (_, screen) = try await run(showsLabel: false, hasScreen: true, frameCount: 4 * Self.frameCount)
    // The first view slides in meanwhile, which takes time and not frames.
    let steady = screen.diary.counts.suffix(Self.frameCount / 4)
    #expect(steady.count == Self.frameCount / 4 && screen.diary.counts.count > Self.frameCount / 2)
    #expect(steady.allSatisfy { $0 == 0 }, "allocations from frame to frame: \(Array(steady))")
  }
}
