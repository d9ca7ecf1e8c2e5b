// The cost of showing frames compared with decoding them, in a whole station at 30 frames per second. It is the run time of
// the threads, on which a busy machine has little effect. Measure a release build.

import BarcodeDecoder
import BarcodeTypes
import Devices
import Glibc
import Logging
import ScanControl
import ScanLoop
import ScanScreen
import ScreenPainter
import Station
import StationConfiguration
import StationScreen
import Synchronization
import TestScenes

/// Run time of this thread, in nanoseconds.
private func threadTime() -> Int64 {
  var time = (seconds: 0, nanoseconds: 0)
  withUnsafeMutableBytes(of: &time) { bytes in
    if let base = bytes.baseAddress { clock_gettime(CLOCK_THREAD_CPUTIME_ID, base.assumingMemoryBound(to: timespec.self)) }
  }
  return Int64(time.seconds) * 1_000_000_000 + Int64(time.nanoseconds)
}

/// Run times of a thread, one per frame.
private final class Times: Sendable {
  private let times = Mutex<[Int64]>([])

  func add(_ time: Int64) { times.withLock { $0.append(time) } }

  var count: Int { times.withLock { $0.count } }

  /// The mean over frames in which only the preview and outlines can change, without the slowest tenth: other programs make
  /// some frames slower, and none faster.
  var steadyMicroseconds: Double {
    let sorted = times.withLock { $0.dropFirst(scanFrameCount).sorted() }
    let counted = sorted.prefix(sorted.count * 9 / 10)
    return counted.isEmpty ? 0 : Double(counted.reduce(0, +)) / Double(counted.count) / 1000
  }

  /// The mean over the frames before: a label arrives, is scanned, and its result is shown.
  var scanMicroseconds: Double {
    let times = times.withLock { $0.prefix(scanFrameCount) }
    return times.isEmpty ? 0 : Double(times.reduce(0, +)) / Double(times.count) / 1000
  }
}

/// Number of frames until a result is no longer visible: 1.4 s plus the sliding time.
private let scanFrameCount = 75

/// The decoder with its time, and the remaining time of the capture thread from frame to frame.
private final class TimedReading: SymbolReading {
  private let inner = DecoderReading(settings: StationConfiguration().decoder)
  let decoding = Times()
  let around = Times()
  private var last: Int64?
  private var lastDecoding: Int64 = 0

  /// Called when the capture thread waits for the next frame.
  func noteWaiting() {
    let now = threadTime()
    if let last { around.add(now - last - lastDecoding) }
    last = now
  }

  func read(
    _ frame: LumaView, region: PixelRegion?, at moment: Instant, into sightings: inout [Sighting]
  ) -> FrameReading {
    let start = threadTime()
    defer {
      lastDecoding = threadTime() - start
      decoding.add(lastDecoding)
    }
    return inner.read(frame, region: region, at: moment, into: &sightings)
  }
}

/// A panel that reads the station's own frame memory if possible, as display hardware does, and otherwise copies it. It
/// applies the changes of the overlay alternately to two pictures. Its thread's time is measured from frame to frame, which
/// includes everything that the thread does in between.
private final class MemoryScreen: Devices.Screen {
  let name = "memory screen"
  let showsMovement = true
  private let mode: ScreenMode
  private let memory: UnsafeMutablePointer<UInt8>
  private let overlays: UnsafeMutablePointer<UInt32>
  private var back = 0
  /// The places that each of the two pictures does not show yet.
  private var stale: [StalePlaces]
  /// The frame on the panel, which must not be overwritten.
  private var onPanel: SharedFrame?
  private var last: Int64?
  let showing = Times()

  init(mode: ScreenMode) {
    self.mode = mode
    stale = [StalePlaces](repeating: StalePlaces(panel: ScreenSize(width: mode.width, height: mode.height)), count: 2)
    memory = .allocate(capacity: mode.width * mode.height * 3 / 2)
    memory.initialize(repeating: 0, count: mode.width * mode.height * 3 / 2)
    overlays = .allocate(capacity: 2 * mode.width * mode.height)
    overlays.initialize(repeating: 0, count: 2 * mode.width * mode.height)
  }

  deinit {
    memory.deallocate()
    overlays.deallocate()
  }

  func open() throws(ScreenTrouble) -> ScreenMode { mode }
  func look() throws(ScreenTrouble) {}
  func close() {}

  func present(_ preview: PreviewChange, _ overlay: OverlayPicture) throws(ScreenTrouble) {
    take(overlay)
    guard case .frame(let frame) = preview, let chroma = frame.chroma else { return }
    onPanel = frame.shared
    if frame.shared == nil {
      for y in 0..<mode.height { (memory + y * mode.width).update(from: frame.luma.row(y), count: mode.width) }
      chroma.copyPairs(to: memory + mode.width * mode.height)
    }
    let now = threadTime()
    if let last { showing.add(now - last) }
    last = now
  }

  private func take(_ overlay: OverlayPicture) {
    guard !overlay.changes.isEmpty else { return }
    for index in 0..<2 { stale[index].add(overlay.changes) }
    back = 1 - back
    stale[back].copy(
      from: overlay.base, pixelsPerRow: overlay.bytesPerRow / 4, to: overlays + back * mode.height * mode.width,
      bufferPixelsPerRow: mode.width)
  }
}

private struct NoForwarding: ScanForwarding {
  func accept(_ results: [ScanResult]) async -> [Result<ScanSafety, any Error>] { results.map { _ in .success(.stored) } }
  func drain(within limit: Duration) async -> Int { 0 }
}

/// `screen-lab cost COUNT [empty] [carton] [moving] [copied] [alone]`: microseconds per 1280×720 frame. The frame shows a
/// label with two symbols on cloth, only the cloth, or a carton; with `moving`, the overlay around the symbols moves with
/// each frame. The camera's buffers are shared with the screen, or too few for that. With `alone` there is no screen, which
/// gives the baseline.
func cost(_ arguments: [String]) async throws {
  let scene = try ShelfScene(arguments.contains("carton") ? .carton : .cloth, showsLabel: !arguments.contains("empty"))
  let (width, height) = (ShelfScene.width, ShelfScene.height)
  let count = scanFrameCount + (Int(arguments[0]) ?? 150)
  let reading = TimedReading()
  let camera = StillCamera(
    scene.luma, width: width, height: height, frameCount: count, keepsEveryFrame: false,
    pauseMicroseconds: 33_333, isShared: !arguments.contains("copied"), isMoving: arguments.contains("moving"),
    willWait: reading.noteWaiting)
  let screen = MemoryScreen(mode: ScreenMode(width: width, height: height))
  var parts = StationParts(source: camera, reading: reading, forwarding: NoForwarding())
  if !arguments.contains("alone") {
    parts.screen = ScreenParts(
      screen: screen, settings: ScreenSettings(), stationName: "cost", makePainter: { CairoPainter(panel: $0) })
  }
  // Equivalent to a DMA heap, which a machine without devices lacks.
  parts.screen?.makeMemory = { SharedMemory.plain(byteCount: $0) }
  try await Station(settings: ScanSettings(), parts: parts, logger: Logger(label: "cost") { _ in SwiftLogNoOpLogHandler() })
    .run()
  say("frames=\(max(0, screen.showing.count - scanFrameCount))")
  say("around=\(reading.around.steadyMicroseconds)")
  say("showing=\(screen.showing.steadyMicroseconds)")
  say("decoding=\(reading.decoding.steadyMicroseconds)")
  say("scan-showing=\(screen.showing.scanMicroseconds)")
  say("scan-decoding=\(reading.decoding.scanMicroseconds)")
}
