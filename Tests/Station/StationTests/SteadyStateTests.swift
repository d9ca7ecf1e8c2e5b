// A station allocates nothing while nothing changes. A camera and a screen count the allocations of their own thread from
// frame to frame, which includes everything that the station does in between on the capture thread and on the screen's
// thread.

import BarcodeTypes
import CAllocationCounter
import Devices
import Foundation
import ScanControl
import ScanScreen
import Synchronization
import TestScenes
import Testing

@testable import StationConfiguration
@testable import StationConsole
@testable import StationScreen
@testable import ScanLoop
@testable import Station

/// The allocations of a thread between consecutive notes; taking a note allocates nothing.
private final class AllocationDiary: Sendable {
  private let state: Mutex<(last: UInt64?, counts: [Int])>
  private let capacity: Int

  init(capacity: Int) {
    var counts: [Int] = []
    counts.reserveCapacity(capacity)
    self.capacity = capacity
    state = Mutex((nil, counts))
  }

  /// Called repeatedly by the same thread.
  func note() {
    let now = callocationcounter_count()
    state.withLock { state in
      if let last = state.last, state.counts.count < capacity { state.counts.append(Int(now - last)) }
      state.last = now
    }
  }

  /// Discards all counts and starts again.
  func restart() {
    state.withLock { state in
      state.last = nil
      state.counts.removeAll(keepingCapacity: true)
    }
  }

  var counts: [Int] { state.withLock { $0.counts } }
  var isFull: Bool { state.withLock { $0.counts.count >= capacity } }
}

/// A panel that counts only while nothing but the preview has changed for a while: views slide in by the clock, in any
/// number of frames, and more of them may follow until they are at rest.
private final class CountingScreen: Devices.Screen {
  /// How long the overlay must be at rest before counting begins; longer than any view moves.
  private static let stillNanoseconds: Int64 = 2_000_000_000

  let name = "counting screen"
  let showsMovement = true
  let diary: AllocationDiary
  private let time = BootTime()
  private var lastChange: Int64 = 0

  init(capacity: Int) { diary = AllocationDiary(capacity: capacity) }

  func open() throws(ScreenTrouble) -> ScreenMode { ScreenMode(width: 320, height: 240) }
  func look() throws(ScreenTrouble) {}
  func close() {}
  func present(_ preview: PreviewChange, _ overlay: OverlayPicture) throws(ScreenTrouble) {
    // The end of the session, after all is counted, is not included.
    if diary.isFull { return }
    let now = time.now()
    guard case .frame(let frame) = preview, frame.chroma != nil, overlay.changes.isEmpty else {
      lastChange = now
      return diary.restart()
    }
    if now - lastChange > Self.stillNanoseconds { diary.note() }
  }
}

/// A painter that paints nothing.
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
  /// Number of frames after which a screen's thread that never comes to rest is abandoned: minutes.
  private static let frameCountMax = 60_000

  /// Runs a station over one picture and returns the allocations of its capture thread from frame to frame.
  ///
  /// - Parameter screen: counts as well; the station ends when the screen has all its counts.
  private func run(
    showsLabel: Bool, screen: CountingScreen?, isShared: Bool = false, untilCounted: Bool = false
  ) async throws -> [Int] {
    var scene = CameraScene(.qr, "STEADY")
    (scene.width, scene.height, scene.modulePixels) = (320, 240, 5)
    let luma = showsLabel ? try scene.draw() : [UInt8](repeating: 110, count: 320 * 240)
    let diary = AllocationDiary(capacity: Self.frameCount)
    let counted = screen?.diary
    let camera = StillCamera(
      luma, width: scene.width, height: scene.height, frameCount: untilCounted ? Self.frameCountMax : Self.frameCount,
      keepsEveryFrame: true, pauseMicroseconds: 3000, isShared: isShared, willWait: diary.note,
      isOver: { untilCounted && counted?.isFull == true })
    var parts = StationParts(
      source: camera,
      reading: DecoderReading(settings: StationConfiguration().decoder, frameShare: 60, pixelCountMax: 320 * 240),
      forwarding: Basket())
    parts.scan.metrics = MetricsRegistry()
    if let screen {
      parts.screen = ScreenParts(screen: screen, settings: ScreenSettings(), stationName: "steady") {
        BlankPainter(panel: $0)
      }
    }
    try await Station(settings: ScanSettings(), parts: parts, logger: Notebook().logger, signals: []).run()
    return diary.counts
  }

  /// For a frame that shows something, the controller's task is woken, for which Swift's runtime allocates twice.
  private static let wakingCount = 2

  /// How a frame is shown: not at all, on a screen with copies, or on a screen that shares the camera's buffers.
  enum Showing: CaseIterable, Sendable { case nobody, copies, shared }

  @Test(arguments: [false, true], Showing.allCases)
  func `capture and decoding allocate nothing per frame, with or without a label in view or a screen`(
    showsLabel: Bool, showing: Showing
  ) async throws {
    let screen = showing == .nobody ? nil : CountingScreen(capacity: 1)
    let capturing = try await run(showsLabel: showsLabel, screen: screen, isShared: showing == .shared)
    // By then, the first label is scanned, and all buffers have reached their final size.
    let steady = capturing.suffix(Self.frameCount / 2)
    #expect(steady.count == Self.frameCount / 2)
    let most = showsLabel ? Self.wakingCount : 0
    #expect(steady.allSatisfy { $0 <= most }, "allocations from frame to frame: \(Array(steady))")
  }

  @Test(arguments: [false, true])
  func `the screen's thread allocates nothing per frame while only the preview changes`(isShared: Bool) async throws {
    let screen = CountingScreen(capacity: Self.frameCount / 2)
    _ = try await run(showsLabel: false, screen: screen, isShared: isShared, untilCounted: true)
    let counts = screen.diary.counts
    #expect(counts.count == Self.frameCount / 2)
    #expect(counts.allSatisfy { $0 == 0 }, "allocations from frame to frame: \(counts)")
  }
}
