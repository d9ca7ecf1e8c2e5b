// A folder as a camera: each picture added to it is a frame. An empty folder is waited on.

public import BarcodeTypes
public import Devices

/// A frame source over pictures that are added to folders.
///
/// Pictures present when it is loaded come first, sorted by name. An unreadable picture is reported, counted and skipped
/// until it changes. If a folder disappears, the source fails; after reloading, it continues with new pictures.
public final class FolderCamera<Loader: PictureLoading & ~Copyable>: FrameSource {
  public var name: String { "pictures put into \(folders.joined(separator: ", "))" }
  public var keepsEveryFrame: Bool { true }
  public private(set) var counts = FrameCounts()

  private let folders: [String]
  private let playback: PicturePlayback
  private let time: any DeviceTime
  private let settleTime: Duration
  private let period: Int64
  private var loader: Loader
  private var watch: FolderWatch?
  private var isRecording = false
  /// The picture that `loader` holds.
  private var loaded: String?
  private var dueAt: Int64 = 0
  private var sequence: UInt64 = 0

  /// - Parameters:
  ///   - folders: at least one; see `PictureList.folders`.
  ///   - playback: its period is the minimum time between pictures.
  ///   - settleTime: how long a picture must be unchanged if no writer was seen to close it.
  public init(
    folders: [String], playback: PicturePlayback, settleTime: Duration = .seconds(1), loader: consuming Loader,
    time: any DeviceTime = BootTime()
  ) {
    precondition(!folders.isEmpty)
    self.folders = folders
    self.playback = playback
    self.settleTime = settleTime
    self.loader = loader
    self.time = time
    period = Self.nanoseconds(playback.period)
  }

  public func readPermission() -> DevicePermission { playback.isPermitted ? .authorized : .restricted }

  public func load() throws(SourceFailure) {
    if watch != nil {
      try watch?.watchFolders()
    } else {
      watch = try FolderWatch(folders: folders, settleTime: Self.nanoseconds(settleTime))
    }
  }

  public func start() throws(SourceFailure) {
    isRecording = true
    dueAt = time.now()
  }

  public func stop() { isRecording = false }

  public func withNextFrame(within limit: Duration, _ body: (LumaView, FrameMetadata) -> Void) -> NextFrame {
    guard isRecording else { return .noneYet }
    let patience = time.now() + Self.nanoseconds(limit)
    if loaded == nil {
      let path: String?
      do throws(SourceFailure) {
        path = try watch?.next(until: patience, time)
      } catch {
        return .failed(error)
      }
      guard let path else { return .noneYet }
      do {
        try loader.load(path: path)
      } catch {
        counts.skipped += 1
        return .skipped("\(path): \(error)")
      }
      loaded = path
    }
    time.sleep(until: min(dueAt, patience))
    guard let path = loaded, time.now() >= dueAt else { return .noneYet }
    let now = time.now()
    sequence += 1
    counts.captured += 1
    var metadata = FrameMetadata(sequence: sequence, captureBootTimeNanoseconds: now)
    metadata.file = path
    loader.lendLuma { body($0, metadata) }
    loaded = nil
    dueAt = max(dueAt + period, now)
    return .lent
  }

  private static func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
