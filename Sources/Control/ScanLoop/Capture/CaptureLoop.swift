// One thread owns the frame source and the decoder. Devices block only this thread; its output is events.

import BarcodeMessage
import BarcodeTypes
import Devices
import Dispatch
import Glibc
import Logging
import ScanControl
import ServiceLifecycle

/// The capture thread's equipment: made on one thread, then used only on the capture thread.
struct CaptureEquipment {
  let source: any FrameSource
  var reading: any SymbolReading
  let viewport: ViewportOwner
  /// The screen that shows the frames, if any.
  var preview: (gallery: FrameGallery, mailbox: ScreenMailbox)?
  /// The desk where snapshots are requested, if any.
  var snapshots: SnapshotDesk?
  /// Pictures of frames, if any are wanted.
  var pictures: FramePictures?
  /// Called for each symbol that was in view for a while and could not be read.
  var onUnread: (@Sendable () -> Void)?
  let time: any DeviceTime
  /// Whether the controller needs the scene's brightness.
  var measuresScene = false
  /// A torch that follows exposures, if any.
  var strobe: (any StrobingTorch)?
  /// The switch that closes the camera, if any.
  var privacy: (any PrivacySwitch)?
  /// The mark that is set while a frame is read, if any.
  var readingMark: ReadingMark?
  /// Follows what is read and what is not, if the source's settings may change.
  var steering: CameraSteering?
  var torchWatch: TorchWatch?
}

/// The capture loop as a service: records, decodes and posts events until the group shuts down.
final class CaptureLoop: Service {
  /// How long a source may take to stop when the station ends; after that it is abandoned.
  static let quitLimit = Duration.seconds(5)
  /// How long the thread waits for a frame before it checks for commands; also the delay of a stop while no frames come.
  static let frameWait = Duration.milliseconds(20)

  /// How often the brightness of the scene is reported.
  static let sceneInterval = Duration.milliseconds(200)
  /// The frame of a run whose sensor readings are logged: by then automatic exposure has settled. Metrics take readings at
  /// the same interval.
  static let readingFrame = 30

  /// How often the thread checks whether the privacy switch has opened.
  static let privacyLookInterval = DispatchTimeInterval.milliseconds(100)

  let commands = CaptureCommands()
  let watch: CaptureWatch
  private let thread: CaptureThread
  private let logger: Logger

  init(equipment: CaptureEquipment, events: EventQueue, metrics: StationMetrics, logger: Logger) {
    watch = CaptureWatch(time: equipment.time)
    thread = CaptureThread(
      equipment: equipment, commands: commands, watch: watch, events: events, metrics: metrics, logger: logger)
    self.logger = logger
  }

  func run() async {
    let thread = thread
    let running = AwaitedThread(named: "capture") { thread.serve() }
    try? await gracefulShutdown()
    commands.append(.quit)
    if await !running.ends(within: Self.quitLimit) {
      logger.error("the frame source did not stop in time and is left behind", metadata: ["limit": "\(Self.quitLimit)"])
    }
  }
}

/// State of the capture thread. No other thread touches it after `run` has begun.
private final class CaptureThread: @unchecked Sendable {
  private var equipment: CaptureEquipment
  /// The source, if its frames have colour.
  private let colourSource: (any ColourFrameSource)?
  private let commands: CaptureCommands
  private let watch: CaptureWatch
  private let events: EventQueue
  private let metrics: StationMetrics
  private let logger: Logger
  private let handover = Handover()
  private var buffers = SightingBuffers()
  /// The current capture run.
  private var recordingRun: UInt32?
  /// Whether the privacy switch was closed at the last report of permission.
  private var isRestricted = false
  private var counted = FrameCounts()
  private var wasTooLargeReported = false
  private var werePartsRefusedReported = false
  /// When the scene's brightness was last reported, in nanoseconds.
  private var sceneMeasuredAt: Int64 = 0
  /// Frames of this run.
  private var runFrameCount = 0
  private var unread = UnreadMemory()
  /// Whether the last posted frame of this run was empty.
  private var wasEmptyPosted = false
  /// The last empty frame withheld because the one before was empty too. Posted when recording ends, it proves until when
  /// the view was empty.
  private var withheld: FrameReport?
  /// Whether the controller still has to handle the current frame.
  private var isHandoverOpen = false

  init(
    equipment: CaptureEquipment, commands: CaptureCommands, watch: CaptureWatch, events: EventQueue,
    metrics: StationMetrics, logger: Logger
  ) {
    self.equipment = equipment
    colourSource = equipment.source as? any ColourFrameSource
    self.commands = commands
    self.watch = watch
    self.events = events
    self.metrics = metrics
    self.logger = logger
  }

  /// Serves commands and records until told to quit.
  func serve() {
    while true {
      if let command = commands.next(until: commandDeadline) {
        if command == .quit { break }
        watch.begin()
        carryOut(command)
        watch.end()
      } else if let run = recordingRun, readingWait <= 0 {
        watch.begin()
        capture(run)
        watch.end()
      } else if isRestricted, !isClosed {
        reportPermission()
      }
    }
    endRecording()
    equipment.source.stop()
    logger.info(
      "capture has ended",
      metadata: ["frames": "\(counted.captured)", "dropped": "\(counted.dropped)", "skipped": "\(counted.skipped)"])
  }

  /// How long to wait for a command before something else is due.
  private var commandDeadline: DispatchTime {
    if recordingRun != nil { return .now() + .nanoseconds(Int(max(0, readingWait))) }
    return isRestricted ? .now() + CaptureLoop.privacyLookInterval : .distantFuture
  }

  /// Nanoseconds until reading may begin; until then, frames stay in the source.
  private var readingWait: Int64 { equipment.readingMark?.wait(at: equipment.time.now()) ?? 0 }

  /// Whether the privacy switch is closed.
  private var isClosed: Bool { equipment.privacy?.isClosed ?? false }

  private func reportPermission() {
    isRestricted = isClosed
    events.post(.permissionReported(isRestricted ? .restricted : Permission(equipment.source.readPermission())))
  }

  private func carryOut(_ command: CaptureCommand) {
    switch command {
    // This system cannot ask anyone: an undecided permission is only read again.
    case .readPermission, .requestPermission: reportPermission()
    case .load:
      report(.cameraLoaded) { () throws(SourceFailure) in try equipment.source.load() }
    case .start(let run):
      recordingRun = run
      wasEmptyPosted = false
      runFrameCount = 0
      unread.removeAll()
      logger.debug("recording begins", metadata: ["run": "\(run)"])
      report(.captureStarted(run: run)) { () throws(SourceFailure) in
        try equipment.source.start()
        equipment.steering?.begin()
      }
    case .stop:
      endRecording()
      equipment.source.stop()
    case .quit: break
    }
  }

  /// Makes an attempt and posts its outcome.
  private func report(_ success: Event, _ attempt: () throws(SourceFailure) -> Void) {
    do throws(SourceFailure) {
      try attempt()
      events.post(success)
    } catch {
      fail(error)
    }
  }

  private func endRecording() {
    recordingRun = nil
    if let withheld { events.offer(.frameDecoded(withheld)) }
    withheld = nil
    equipment.strobe?.framesEnded()
  }

  private func fail(_ failure: SourceFailure) {
    endRecording()
    equipment.source.stop()
    metrics.cameraFailed()
    if failure.cause == .heldByAnotherProcess {
      events.post(.cameraInUse)
    } else {
      events.post(.cameraFailed(CameraFailure(failure)))
    }
  }

  /// Waits for one frame and decodes it.
  private func capture(_ run: UInt32) {
    if isClosed {
      endRecording()
      equipment.source.stop()
      return reportPermission()
    }
    let outcome = equipment.source.withNextFrame(within: CaptureLoop.frameWait) { read($0, $1, run) }
    publishCounts()
    switch outcome {
    case .lent:
      if isHandoverOpen { handover.wait { commands.isQuitting } }
      isHandoverOpen = false
    case .noneYet: break
    case .skipped(let reason): logger.error("a frame was skipped", metadata: ["reason": "\(reason)"])
    case .ended:
      endRecording()
      events.post(.framesEnded(run: run))
    case .failed(let failure): fail(failure)
    }
  }

  private func read(_ frame: LumaView, _ metadata: FrameMetadata, _ run: UInt32) {
    equipment.strobe?.frameExposed(metadata)
    if let preview = equipment.preview {
      let isKept = preview.gallery.put(
        frame, chroma: colourSource?.chroma, sequence: metadata.sequence, shared: colourSource?.sharedFrame)
      if isKept { preview.mailbox.wake() }
    }
    let start = equipment.time.now()
    runFrameCount += 1
    watch.sensorRead(metadata.sensor)
    if runFrameCount == CaptureLoop.readingFrame { logReading(metadata.sensor) }
    if runFrameCount % CaptureLoop.readingFrame == 0 { metrics.sensorRead(metadata.sensor) }
    if equipment.measuresScene { measureScene(frame, start) }
    let region = equipment.viewport.region(inWidth: frame.width, height: frame.height)
    let moment = Instant(nanoseconds: metadata.captureBootTimeNanoseconds)
    let isLit = equipment.torchWatch?.isOn
    let measured = equipment.steering?.measure(frame, region: region, metadata, isLit: isLit, wasEmpty: wasEmptyPosted)
    if let measured, measured.mayRest { return rest(frame, metadata, region, measured.measures, run) }
    let readStart = equipment.time.now()
    let sightings = buffers.fill { sightings in
      let reading = readSymbols(frame, region, moment, &sightings)
      equipment.reading.noteTime(equipment.time.now() - readStart, of: metadata)
      switch reading {
      case .read: break
      case .tooLarge: reportTooLarge(frame)
      case .partsRefused: reportPartsRefused()
      }
      equipment.viewport.addPreviewCorners(to: &sightings, width: frame.width, height: frame.height)
    }
    let end = equipment.time.now()
    metrics.frameDecoded(nanoseconds: end - start, sinceCapture: end - moment.nanoseconds)
    metrics.decodeLimited(equipment.reading.limits, work: equipment.reading.workLimit)
    if let preview = equipment.preview, !sightings.isEmpty {
      preview.gallery.noteCodes(of: frame, sequence: metadata.sequence, sightings)
    }
    steer(measured?.measures, sightings, frame)
    var found: [UnreadSymbol] = []
    unread.see(equipment.reading.unread, sightings, at: moment.nanoseconds) { symbol in
      metrics.unreadFound(symbol.help)
      equipment.onUnread?()
      found.append(symbol)
    }
    equipment.snapshots?.offer(
      frame, region: region, sightings: sightings, unread: unread.told, sensor: metadata.sensor)
    // An empty frame after another one is no news to the controller: every code that left the view was missing in the first.
    let isEmpty = sightings.isEmpty && unread.told.isEmpty
    var report = FrameReport(
      run: run, sequence: metadata.sequence, capturedAt: moment, file: metadata.file, sightings: sightings)
    report.unread = unread.told
    // The copy is promised before the controller can ask for it, and made after: no result waits for it.
    let copy = equipment.pictures?.keeper.promise(of: report)
    defer { copy?.fill(from: frame) }
    if let copy { for symbol in found { equipment.pictures?.onUnread(copy, symbol) } }
    withheld = isEmpty && wasEmptyPosted ? report : nil
    if withheld != nil { return }
    isHandoverOpen = equipment.source.keepsEveryFrame
    let isTaken = events.offer(.frameDecoded(report), handover: isHandoverOpen ? handover : nil)
    wasEmptyPosted = isTaken && isEmpty
    if !isTaken { metrics.framesDropped(1) }
  }

  /// Passes over a frame that shows what the frame before has shown: nothing.
  private func rest(
    _ frame: LumaView, _ metadata: FrameMetadata, _ region: PixelRegion?, _ measures: FrameMeasures, _ run: UInt32
  ) {
    metrics.frameRested()
    steer(measures, [], frame)
    equipment.snapshots?.offer(frame, region: region, sightings: [], sensor: metadata.sensor)
    withheld = FrameReport(run: run, sequence: metadata.sequence, capturedAt: measures.capturedAt, file: nil, sightings: [])
  }

  /// Wishes settings for the frames to come.
  private func steer(_ measures: FrameMeasures?, _ sightings: [Sighting], _ frame: LumaView) {
    guard let measures else { return }
    let unread = sightings.isEmpty ? equipment.reading.unread : []
    let light = equipment.steering?.steer(measures, sightings, unread, of: frame)
    if let light { events.offer(.lightWished(isOn: light)) }
    if let wished = equipment.steering?.wished { watch.wished(wished) }
  }

  /// Reads the codes of a frame. If reading crashes the process, the mark remains.
  private func readSymbols(
    _ frame: LumaView, _ region: PixelRegion?, _ moment: Instant, _ sightings: inout [Sighting]
  ) -> FrameReading {
    guard let mark = equipment.readingMark else {
      return equipment.reading.read(frame, region: region, at: moment, into: &sightings)
    }
    return mark.whileSet { equipment.reading.read(frame, region: region, at: moment, into: &sightings) }
  }

  /// Logs the sensor's actual settings (behaviour C8).
  private func logReading(_ sensor: SensorReading) {
    guard sensor != SensorReading() else { return }
    var metadata: Logger.Metadata = [:]
    if let exposure = sensor.exposureMicroseconds { metadata["exposure_us"] = "\(exposure)" }
    if let gain = sensor.gain { metadata["gain"] = "\(gain)" }
    if let duration = sensor.frameDurationMicroseconds { metadata["frame_us"] = "\(duration)" }
    if let position = sensor.lensPosition { metadata["lens_dioptres"] = "\(position)" }
    if let crop = sensor.crop { metadata["crop"] = "\(crop.x),\(crop.y),\(crop.width),\(crop.height)" }
    logger.info("what the sensor does", metadata: metadata)
  }

  private func measureScene(_ frame: LumaView, _ now: Int64) {
    guard now - sceneMeasuredAt >= CaptureLoop.sceneInterval.components.attoseconds / 1_000_000_000 else { return }
    sceneMeasuredAt = now
    events.offer(.sceneMeasured(brightness: SceneBrightness.mean(of: frame)))
  }

  private func reportTooLarge(_ frame: LumaView) {
    guard !wasTooLargeReported else { return }
    wasTooLargeReported = true
    logger.error(
      "a frame is larger than the decoder takes and was not read",
      metadata: [
        "width": "\(frame.width)", "height": "\(frame.height)", "remedy": "choose a smaller picture or camera mode",
      ])
  }

  private func reportPartsRefused() {
    guard !werePartsRefusedReported else { return }
    werePartsRefusedReported = true
    logger.warning(
      "parts of a message in several symbols were left out",
      metadata: [
        "messages": "\(MessageAssembly.messageCountMax) at once", "parts": "\(MessageAssembly.partCountMax) of a message",
        "bytes": "\(MessageAssembly.byteCountMax) of a message", "remedy": "show only one message at a time",
      ])
  }

  private func publishCounts() {
    let counts = equipment.source.counts
    guard counts != counted else { return }
    metrics.framesCaptured(counts.captured - counted.captured)
    metrics.framesDropped(counts.dropped - counted.dropped)
    metrics.framesSkipped(counts.skipped - counted.skipped)
    counted = counts
  }
}

/// Arrays reused in rotation. By the time a buffer comes round again, the controller has released it, and its memory is
/// reused; if not, the array makes a copy.
private struct SightingBuffers {
  /// Frames that may be in flight before filling a buffer allocates.
  static let bufferCount = 8

  private var buffers = [[Sighting]](repeating: [], count: bufferCount)
  private var next = 0

  mutating func fill(_ body: (inout [Sighting]) -> Void) -> [Sighting] {
    next = (next + 1) % Self.bufferCount
    buffers[next].removeAll(keepingCapacity: true)
    body(&buffers[next])
    return buffers[next]
  }
}
