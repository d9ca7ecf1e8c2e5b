// Pictures as a camera: the default without a camera, so that the whole station runs on any Linux machine, and the basis of
// its tests. A picture is loaded before it is due, so that reading its file adds no latency.

public import BarcodeTypes
public import Devices

/// Converts picture files to luma, in memory that is reused for the next picture.
public protocol PictureLoading: ~Copyable {
  /// Reads a picture file; throws the fault of the file. Blocks.
  mutating func load(path: String) throws

  /// Lends the luma of the last picture.
  func lendLuma(_ body: (LumaView) -> Void)
}

/// The playback of pictures.
public struct PicturePlayback: Equatable, Sendable {
  /// The time from one picture to the next.
  public var period = Duration.milliseconds(100)
  /// Whether the first picture follows the last.
  public var isLooped = false
  /// Whether every picture is lent, however slow its reader is; otherwise overdue pictures are dropped.
  public var keepsEveryFrame = true
  /// False: the station may not use its camera, which these pictures replace.
  public var isPermitted = true

  public init() {}
}

/// A frame source over picture files.
///
/// Stopping and starting continues with the next picture, without rewinding. An unreadable picture is reported once, counted
/// each time, and skipped. If a whole round yields no picture, the source fails.
public final class PictureCamera<Loader: PictureLoading & ~Copyable>: FrameSource {
  public var name: String { "\(paths.count) pictures" }
  public var keepsEveryFrame: Bool { playback.keepsEveryFrame }
  public private(set) var counts = FrameCounts()

  private let paths: [String]
  private let playback: PicturePlayback
  private let time: any DeviceTime
  private let period: Int64
  private var loader: Loader
  private var isRecording = false
  /// The index of the next picture, and whether `loader` holds it.
  private var next = 0
  private var isNextLoaded = false
  /// When the next picture is due.
  private var dueAt: Int64 = 0
  private var sequence: UInt64 = 0
  private var reported: Set<Int> = []
  /// Unreadable pictures since the last readable one.
  private var unreadableCount = 0

  /// - Parameter paths: at least one; see `PictureList`.
  public init(paths: [String], playback: PicturePlayback, loader: consuming Loader, time: any DeviceTime = BootTime()) {
    precondition(!paths.isEmpty)
    self.paths = paths
    self.playback = playback
    self.loader = loader
    self.time = time
    let (seconds, attoseconds) = playback.period.components
    period = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  public func readPermission() -> DevicePermission { playback.isPermitted ? .authorized : .restricted }

  public func load() throws(SourceFailure) { unreadableCount = 0 }

  public func start() throws(SourceFailure) {
    isRecording = true
    dueAt = time.now()
  }

  public func stop() { isRecording = false }

  public func withNextFrame(within limit: Duration, _ body: (LumaView, FrameMetadata) -> Void) -> NextFrame {
    guard isRecording else { return .noneYet }
    if !playback.keepsEveryFrame { dropLatePictures() }
    if next == paths.count {
      guard playback.isLooped else { return .ended }
      next = 0
    }
    if !isNextLoaded {
      do {
        try loader.load(path: paths[next])
      } catch {
        return skip("\(error)")
      }
      isNextLoaded = true
      unreadableCount = 0
    }
    let (seconds, attoseconds) = limit.components
    let patience = time.now() + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    time.sleep(until: min(dueAt, patience))
    guard time.now() >= dueAt else { return .noneYet }
    lend(body)
    return .lent
  }

  private func lend(_ body: (LumaView, FrameMetadata) -> Void) {
    let now = time.now()
    sequence += 1
    counts.captured += 1
    var metadata = FrameMetadata(sequence: sequence, captureBootTimeNanoseconds: now)
    metadata.file = paths[next]
    loader.lendLuma { body($0, metadata) }
    next += 1
    isNextLoaded = false
    dueAt = playback.keepsEveryFrame ? max(dueAt + period, now) : dueAt + period
  }

  /// Skips pictures whose successor is already due.
  private func dropLatePictures() {
    var late = (time.now() - dueAt) / max(1, period)
    guard late > 0 else { return }
    if !playback.isLooped { late = min(late, Int64(max(0, paths.count - 1 - next))) }
    guard late > 0 else { return }
    counts.captured += Int(late)
    counts.dropped += Int(late)
    sequence += UInt64(late)
    dueAt += late * period
    next = Int((Int64(next) + late) % Int64(paths.count))
    isNextLoaded = false
  }

  private func skip(_ reason: String) -> NextFrame {
    let index = next
    counts.skipped += 1
    unreadableCount += 1
    next += 1
    guard unreadableCount < paths.count else {
      return .failed(
        SourceFailure(.noLumaStream, "none of the \(paths.count) pictures can be read; the last: \(paths[index]): \(reason)")
      )
    }
    return reported.insert(index).inserted ? .skipped("\(paths[index]): \(reason)") : .noneYet
  }
}

extension Picture: PictureLoading {
  public func lendLuma(_ body: (LumaView) -> Void) { _ = withLuma(body) }
}
