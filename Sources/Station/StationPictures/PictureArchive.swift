// Start reading here: pictures of scans, from a kept frame to a file. One thread encodes and writes; everything else only
// leaves jobs for it, and never waits.

package import BarcodeTypes
public import DeliveryModel
import Devices
import Dispatch
import Glibc
public import Logging
import Metrics
import PictureFiles
package import ScanControl
package import ScanLoop
public import ServiceLifecycle
public import Sinks
public import StationConfiguration
import Synchronization

/// Keeps pictures of scans, of no-reads and of symbols that cannot be read.
///
/// A picture's path is known as soon as a copy of its frame is taken; its file follows within milliseconds, or not at all if
/// the disk is full. Lost pictures are counted, and the first of several is logged.
public final class PictureArchive: Service {
  /// The most pictures that wait to be written. Results of the same frame share its copy.
  static let jobCountMax = 64
  /// How often old pictures are deleted while none are written.
  static let sweepInterval = DispatchTimeInterval.seconds(60)
  /// How long waiting pictures may take at the end; after that, they are abandoned.
  static let quitLimit = Duration.seconds(5)
  /// The most lost pictures whose reasons are remembered.
  static let lossCountMax = 256
  /// Pixels around a code, in parts of its longer side, and at least.
  private static let marginDivisor = 2
  private static let marginPixelsMin = 16

  /// Why a picture was lost.
  enum Loss: String, CaseIterable, Sendable {
    /// No copy of its frame was left.
    case noFrame = "no frame"
    /// Too many pictures waited.
    case busy
    case encoding, disk
  }

  private struct Job {
    var frame: FrameCopy
    var id: ScanID
    var kind: PictureKind
    var name: String
    /// The part of the frame; nil for all of it.
    var region: PixelRegion?
  }

  private struct State {
    var jobs: [Job] = []
    var isQuitting = false
    /// Nil until the folder has been read.
    var files: [ScanID: String]?
    var pending: Set<ScanID> = []
    var losses: [(id: ScanID, words: String)] = []
    /// Files that are being read, or wait for it.
    var readCount = 0
    var ids = ScanIDGenerator()
    /// The last frame whose whole picture was kept because of an unread symbol.
    var unreadFrame: UInt64 = 0
  }

  /// The keeper of the frames from which pictures are made.
  package let frames: FrameKeeper
  private let settings: PictureSettings
  private let station: String
  private let latest: LatestPicture?
  private let disk: PictureDisk
  private let logger: Logger
  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)
  private let reading = BlockingExecutor(label: "pictures")
  private let written: [PictureKind: Counter]
  private let lost: [Loss: Counter]
  private let removed: [PictureFolder.Removal: Counter]
  private let byteGauge = Gauge(label: "reticle_pictures_bytes")

  /// - Parameters:
  ///   - station: the station's name, for names of files.
  ///   - latest: receives each picture, too, for sinks that publish it.
  ///   - keepsCodes: whether frames with codes are kept even without pictures of scans, because others need them, too.
  public convenience init(
    _ settings: PictureSettings, station: String, latest: LatestPicture? = nil, keepsCodes: Bool = false, logger: Logger
  ) {
    self.init(settings, station: station, latest: latest, keepsCodes: keepsCodes, disk: .real, logger: logger)
  }

  init(
    _ settings: PictureSettings, station: String, latest: LatestPicture? = nil, keepsCodes: Bool = false,
    disk: PictureDisk, logger: Logger
  ) {
    let kinds = settings.kinds
    let choice = FrameKeeper.Choice(
      withCodes: keepsCodes || kinds.contains(.scan), withUnread: kinds.contains(.unread), every: kinds.contains(.noRead))
    frames = FrameKeeper(choice)
    self.settings = settings
    self.station = station
    self.latest = latest
    self.disk = disk
    self.logger = logger
    written = Dictionary(
      uniqueKeysWithValues: PictureKind.allCases.map {
        ($0, Counter(label: "reticle_pictures_written_total", dimensions: [("kind", $0.word)]))
      })
    lost = Dictionary(
      uniqueKeysWithValues: Loss.allCases.map {
        ($0, Counter(label: "reticle_pictures_lost_total", dimensions: [("reason", $0.rawValue)]))
      })
    removed = Dictionary(
      uniqueKeysWithValues: PictureFolder.Removal.allCases.map {
        ($0, Counter(label: "reticle_pictures_removed_total", dimensions: [("reason", $0.rawValue)]))
      })
  }

  // MARK: Taking pictures

  /// Takes the picture of a scan, as `take` does.
  package func takeScan(_ result: ScanResult, id: ScanID) -> String? {
    guard settings.kinds.contains(.scan) else { return nil }
    return take(
      frames.take(sequence: result.frameSequence), .scan, id: id, symbology: "\(result.code.symbology.name)",
      corners: result.corners)
  }

  /// Takes the picture of a no-read, as `take` does: a recent frame, whole.
  package func takeNoRead(id: ScanID, at now: CaptureTime) -> String? {
    guard settings.kinds.contains(.noRead) else { return nil }
    return take(frames.takeRecent(at: now.bootNanoseconds), .noRead, id: id, symbology: "none")
  }

  /// Takes a picture.
  ///
  /// - Parameters:
  ///   - frame: a copy of the frame; nil if none was left.
  ///   - symbology: such as `ean13`.
  ///   - corners: the code's corners in the frame; nil if the picture is to show all of it.
  /// - Returns: the path of its file, which will be there soon; nil if such pictures are not kept, or this one is lost.
  package func take(
    _ frame: FrameCopy?, _ kind: PictureKind, id: ScanID, symbology: String, corners: Quad? = nil
  ) -> String? {
    guard settings.kinds.contains(kind) else { return nil }
    guard let frame else {
      lose(id, .noFrame, "no copy of its frame was left")
      return nil
    }
    let name = settings.template.fileName(
      id: id, kind: kind, symbology: symbology, station: station, format: settings.format)
    let region = settings.area == .code ? corners.map(Self.surroundings) : nil
    let job = Job(frame: frame, id: id, kind: kind, name: name, region: region)
    let isTaken = state.withLock { state in
      guard state.jobs.count < Self.jobCountMax, !state.isQuitting else { return false }
      state.jobs.append(job)
      state.pending.insert(id)
      return true
    }
    guard isTaken else {
      lose(id, .busy, "too many pictures waited")
      return nil
    }
    wake.signal()
    return "\(settings.folder)/\(name)"
  }

  /// Takes a picture of a symbol that cannot be read; of several in a whole frame, one. Returns at once.
  package func takeUnread(_ frame: FrameCopy, _ symbol: UnreadSymbol) {
    guard settings.kinds.contains(.unread) else { return }
    let now = CaptureTime.now().unixMilliseconds
    let number = frame.number
    let isWhole = settings.area == .frame
    let id: ScanID? = state.withLock { state in
      if isWhole, state.unreadFrame == number { return nil }
      state.unreadFrame = number
      var random = SystemRandomNumberGenerator()
      return state.ids.next(unixMilliseconds: now, using: &random)
    }
    guard let id else { return }
    _ = take(frame, .unread, id: id, symbology: symbol.symbology.map { "\($0.name)" } ?? "bars", corners: symbol.corners)
  }

  /// The region around a code: its bounding box, with a margin of half its longer side.
  private static func surroundings(_ quad: Quad) -> PixelRegion {
    let points = [quad.topLeft, quad.topRight, quad.bottomRight, quad.bottomLeft]
    let (xs, ys) = (points.map { Int($0.x.bits >> 16) }, points.map { Int($0.y.bits >> 16) })
    let (left, right) = (xs.min() ?? 0, xs.max() ?? 0)
    let (top, bottom) = (ys.min() ?? 0, ys.max() ?? 0)
    let margin = max(marginPixelsMin, max(right - left, bottom - top) / marginDivisor)
    return PixelRegion(
      x: left - margin, y: top - margin, width: right - left + 1 + 2 * margin, height: bottom - top + 1 + 2 * margin)
  }

  private func lose(_ id: ScanID, _ loss: Loss, _ words: String) {
    lost[loss]?.increment()
    state.withLock { state in
      state.pending.remove(id)
      if state.losses.count == Self.lossCountMax { state.losses.removeFirst() }
      state.losses.append((id, words))
    }
  }

  // MARK: Showing pictures

  /// Whether the picture of a scan is kept or still being written.
  public func keeps(_ id: ScanID) -> Bool {
    state.withLock { $0.files == nil || $0.files?[id] != nil || $0.pending.contains(id) }
  }

  /// The picture of a scan, from its file.
  public func picture(_ id: ScanID) async -> PictureAnswer {
    guard let name = state.withLock({ $0.files?[id] }) else { return absence(of: id) }
    return await read(name, within: Self.readMax) ?? .none("its file cannot be read")
  }

  /// The picture at a path that `take` returned, from its file. A file of an earlier run is found before the folder is read.
  public func picture(at path: String, within limit: Duration) async -> PictureAnswer {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard path == "\(settings.folder)/\(name)", let (_, id, _) = PictureTemplate.parse(name) else {
      return .none("it is not in the folder of pictures")
    }
    if let file = await read(name, within: limit) { return file }
    // It may have been written since.
    if state.withLock({ $0.files?[id] == name }), let file = await read(name, within: limit) { return file }
    return absence(of: id)
  }

  /// Why there is no file of a picture.
  private func absence(of id: ScanID) -> PictureAnswer {
    state.withLock { state in
      if state.pending.contains(id) { return .pending("it is being written; try again") }
      if let loss = state.losses.last(where: { $0.id == id }) { return .none("it was lost: \(loss.words)") }
      if state.files == nil { return .pending("the folder of pictures is not read yet") }
      return .none("none was kept, or it was deleted")
    }
  }

  /// A picture's file; nil if it cannot be read.
  private func read(_ name: String, within limit: Duration) async -> PictureAnswer? {
    guard let (_, _, format) = PictureTemplate.parse(name) else { return nil }
    let path = "\(settings.folder)/\(name)"
    let isTaken = state.withLock { state in
      guard state.readCount < Self.readCountMax else { return false }
      state.readCount += 1
      return true
    }
    let slow = PictureAnswer.pending("its disk is slow; try again")
    guard isTaken else { return slow }
    let (files, giving) = AsyncStream.makeStream(of: PictureAnswer.self)
    reading.runLater { [self] in
      if let bytes = disk.read(path) { giving.yield(.file(bytes: bytes, mediaType: format.mediaType)) }
      state.withLock { $0.readCount -= 1 }
      giving.finish()
    }
    return await withTaskGroup(of: PictureAnswer?.self) { group in
      group.addTask { await files.first { _ in true } }
      group.addTask {
        try? await Task.sleep(for: limit)
        return slow
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }

  /// The most files that are read or wait for it, and the time limit of each for the console.
  static let readCountMax = 16
  private static let readMax = Duration.seconds(5)

  // MARK: Writing pictures

  public func run() async {
    let running = AwaitedThread(named: "pictures") { [self] in
      // Decoding takes precedence. A refusal changes nothing else.
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
      work()
    }
    try? await gracefulShutdown()
    state.withLock { $0.isQuitting = true }
    wake.signal()
    if await !running.ends(within: Self.quitLimit) {
      logger.error("the last pictures were not written in time", metadata: ["limit": "\(Self.quitLimit)"])
    }
  }

  /// The priority of the writing thread (setpriority(2)): 0 is that of all others.
  private static let niceness: Int32 = 10

  private func work() {
    var folder = PictureFolder(settings, disk: disk)
    var trouble: String?
    do throws(PictureFolder.Failure) {
      try folder.open()
    } catch {
      trouble = error.words
      tell(error.words)
    }
    state.withLock { $0.files = Dictionary(folder.index.all.map { ($0.id, $0.name) }) { $1 } }
    folder.sweep(at: CaptureTime.now().unixMilliseconds)
    publish(&folder)
    var last: (number: UInt64, file: [UInt8])?
    while true {
      let (job, isQuitting) = state.withLock { state in
        (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isQuitting)
      }
      guard let job else {
        last = nil
        if isQuitting { return }
        if wake.wait(timeout: .now() + Self.sweepInterval) == .timedOut {
          folder.sweep(at: CaptureTime.now().unixMilliseconds)
          publish(&folder)
        }
        continue
      }
      // Several results of a frame have the same whole picture: it is encoded once.
      let known = job.region == nil && last?.number == job.frame.number ? last?.file : nil
      guard let file = known ?? encode(job) else {
        lose(job.id, .encoding, "it could not be encoded")
        continue
      }
      latest?.put(file, mediaType: settings.format.mediaType)
      last = job.region == nil ? (job.frame.number, file) : nil
      do throws(PictureFolder.Failure) {
        try folder.write(job.name, id: job.id, file, at: CaptureTime.now().unixMilliseconds)
        written[job.kind]?.increment()
        if trouble != nil { logger.notice("pictures are written again", metadata: ["folder": "\(settings.folder)"]) }
        trouble = nil
        state.withLock { state in
          state.files?[job.id] = job.name
          state.pending.remove(job.id)
        }
      } catch {
        lose(job.id, .disk, error.words)
        if trouble == nil { tell(error.words) }
        trouble = error.words
      }
      publish(&folder)
    }
  }

  private func encode(_ job: Job) -> [UInt8]? {
    job.frame.withLuma { luma in
      let part = job.region.flatMap { luma.cropped(to: $0)?.view } ?? luma
      return PictureEncoding.file(part, format: settings.format, quality: settings.quality)
    }
  }

  private func tell(_ problem: String) {
    logger.error(
      "pictures cannot be written; scans are not affected",
      metadata: [
        "folder": "\(settings.folder)", "problem": "\(problem)",
        "remedy": "make room on its disk, or let the station's user write there",
      ])
  }

  /// Counts and forgets deleted pictures.
  private func publish(_ folder: inout PictureFolder) {
    byteGauge.record(folder.index.byteCount)
    for (_, reason) in folder.removed { removed[reason]?.increment() }
    state.withLock { state in for (id, _) in folder.removed { state.files?[id] = nil } }
    folder.removed = []
  }
}
