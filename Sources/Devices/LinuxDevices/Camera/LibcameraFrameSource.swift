// A libcamera camera as a frame source. It decides which camera and format to use, where buffers come from, and when the
// camera counts as silent. The C layer below only carries these decisions out; the controller above only receives the
// outcome.

#if Camera

  public import BarcodeTypes
  import CLibcamera
  public import Devices
  import Dispatch
  import Glibc

  /// Frames of a camera. Belongs to the capture thread.
  ///
  /// If the stream has a luma plane, that plane is lent as the camera wrote it. A camera that hangs may keep the driver from
  /// stopping: it is then left behind on a separate thread, and loading fails until the driver answers; the station never
  /// waits.
  public final class LibcameraFrameSource: ColourFrameSource, AdjustableFrameSource {
    /// Buffers requested: one is filled, one is decoded, one is the newest, and one is spare.
    static let bufferCount: UInt32 = 4
    /// Buffers requested if a screen holds some of them for a while; USB cameras use four of them at once.
    static let sharedBufferCount: UInt32 = 7

    private let settings: CameraSettings
    private let time: any DeviceTime
    private let executor = BlockingExecutor(label: "camera")
    private var camera: OpenCamera?
    private var stream = clibcamera_stream()
    /// The screen's separate stream, if it has one.
    private var screenStream: clibcamera_stream?
    /// The buffers lent to the screen; nil if none are.
    private var buffers: CameraBuffers?
    public private(set) var chroma: ChromaView?
    public private(set) var sharedFrame: SharedFrame?
    private var format = LumaFormat.r8
    private var mailbox: FrameMailbox?
    /// The session's mailbox, as passed to libcamera's thread.
    private var context: Unmanaged<FrameMailbox>?
    private var luma = LumaBuffer()
    /// When the last frame came, or the session began.
    private var lastProgress: Int64 = 0
    /// Whether the camera must be loaded again before it records.
    private var isBroken = false
    /// The failure last reported for a hung camera, until a frame comes.
    private var silence: SourceFailure?
    private var earlierCounts = FrameCounts()
    /// The previous frame of this session: its number, and when it was exposed.
    private var earlierStamp: (sequence: UInt64, nanoseconds: Int64)?
    /// Frames of this session that could not be read.
    private var unreadableCount = 0

    /// The part of the sensor that the last frame showed.
    private var crop: PixelRegion?
    public private(set) var controls = CameraControls()

    public private(set) var name = "camera"
    public let keepsEveryFrame = false

    public init(settings: CameraSettings, time: any DeviceTime = BootTime()) {
      self.settings = settings
      self.time = time
    }

    deinit {
      stop()
      closeCamera()
    }

    public var counts: FrameCounts {
      var counts = earlierCounts
      if let session = mailbox?.counts {
        counts.captured += session.captured
        counts.dropped += session.dropped
        counts.skipped += session.skipped
      }
      return counts
    }

    public func readPermission() -> DevicePermission {
      settings.isPermitted ? CameraNodes.readPermission() : .restricted
    }

    // MARK: Loading

    public func load() throws(SourceFailure) {
      closeCamera()
      guard executor.run(within: settings.stopLimit, {}) else {
        throw silence ?? SourceFailure(.silent, "\(name): the driver does not let it stop")
      }
      isBroken = false
      // If no camera is configured, an unusable one does not hide a usable one.
      var firstFailure: SourceFailure?
      for description in try findCameras() {
        do throws(SourceFailure) {
          return try take(description)
        } catch {
          closeCamera()
          firstFailure = firstFailure ?? error
        }
      }
      if let firstFailure { throw sameAsBefore(firstFailure) }
    }

    /// The failure to report: a hung camera stays `silent`, regardless of the next attempt's error, unless another program
    /// holds the camera or it is gone.
    private func sameAsBefore(_ failure: SourceFailure) -> SourceFailure {
      switch failure.cause {
      case .heldByAnotherProcess: return failure
      case .nothingMatches, .disconnected:
        silence = nil
        return failure
      default: return silence ?? failure
      }
    }

    private func take(_ description: CameraDescription) throws(SourceFailure) {
      name = description.model.isEmpty ? description.id : "\(description.model) (\(description.id))"
      switch CameraList.shared.open(id: description.id) {
      case .success(let opened): camera = opened
      case .failure(let failure): throw refusal(failure)
      }
      try chooseStream()
      if let camera { controls = CameraControls(of: camera.pointer) }
    }

    /// The cameras that match the settings, at least one.
    private func findCameras() throws(SourceFailure) -> [CameraDescription] {
      let cameras: [CameraDescription]
      switch CameraList.shared.refreshed() {
      case .success(let found): cameras = found
      case .failure(let failure):
        throw SourceFailure(.cannotBeOpened, "libcamera does not start (\(failure))")
      }
      let matches = cameras.filter(isWanted)
      guard matches.isEmpty else { return matches }
      let wish = [settings.id.map { "id \($0)" }, settings.model.map { "model \($0)" }].compactMap { $0 }
      let there = cameras.map { "\($0.model) (\($0.id))" }.joined(separator: ", ")
      throw SourceFailure(
        .nothingMatches,
        (wish.isEmpty ? "there is no camera" : "there is no camera of \(wish.joined(separator: " and "))")
          + (there.isEmpty ? "" : "; there are: \(there)"))
    }

    private func isWanted(_ camera: CameraDescription) -> Bool {
      if let id = settings.id, camera.id != id { return false }
      if let model = settings.model { return camera.model.lowercased().contains(model.lowercased()) }
      return true
    }

    private func refusal(_ failure: SystemFailure) -> SourceFailure {
      switch failure.code {
      case EBUSY: SourceFailure(.heldByAnotherProcess, "\(name): another program holds it")
      case ENODEV: SourceFailure(.nothingMatches, "\(name): it has just gone")
      default: SourceFailure(.cannotBeOpened, "\(name): \(failure)")
      }
    }

    /// Chooses the first format that delivers the requested size, else the first that delivers any.
    private func chooseStream() throws(SourceFailure) {
      guard let pointer = camera?.pointer else { return }
      var listed = [UInt32](repeating: 0, count: 64)
      let count = clibcamera_list_formats(pointer, &listed, listed.count)
      listed.removeLast(listed.count - min(listed.count, Int(max(0, count))))
      let candidates = LumaFormat.candidates(settings.format, listed: listed)
      guard !candidates.isEmpty else {
        let there = listed.map(fourCCText).joined(separator: ", ")
        let wish = settings.format == .automatic ? "none with usable luma" : "not camera.format"
        throw SourceFailure(.noLumaStream, "\(name): it offers \(there), \(wish)")
      }
      var best: (format: LumaFormat, stream: clibcamera_stream)?
      for candidate in candidates {
        var wish = clibcamera_stream()
        wish.format = candidate.fourCC
        wish.width = UInt32(settings.width)
        wish.height = UInt32(settings.height)
        wish.buffer_count = settings.screenSize == nil ? Self.bufferCount : Self.sharedBufferCount
        guard clibcamera_validate(pointer, &wish, 1) >= 0, wish.format == candidate.fourCC else { continue }
        let isExact = wish.width == UInt32(settings.width) && wish.height == UInt32(settings.height)
        if best == nil || isExact { best = (candidate, wish) }
        if isExact { break }
      }
      guard let best else {
        throw SourceFailure(
          .streamsCannotBeConfigured,
          "\(name): it takes no stream of \(settings.width)x\(settings.height)")
      }
      format = best.format
      stream = best.stream
      screenStream = chooseScreenStream(pointer)
    }

    /// A separate stream for the screen alongside the decoder's; nil if the screen shows the decoder's.
    private func chooseScreenStream(_ pointer: OpaquePointer) -> clibcamera_stream? {
      guard let size = settings.screenSize, let wish = Self.screenWish(for: stream, enough: size) else { return nil }
      for format in [LumaFormat.nv12, .yuv420] {
        var streams = [stream, wish]
        streams[1].format = format.fourCC
        guard clibcamera_validate(pointer, &streams, 2) >= 0, Self.isSame(streams[0], stream),
          streams[1].format == format.fourCC, streams[1].width <= stream.width, streams[1].height <= stream.height
        else { continue }
        return streams[1]
      }
      return nil
    }

    private static func isSame(_ a: clibcamera_stream, _ b: clibcamera_stream) -> Bool {
      a.format == b.format && a.width == b.width && a.height == b.height
    }

    /// A stream with the shape of another, so that both see the same, just large enough for a screen; nil if the other is
    /// not larger than that.
    static func screenWish(for stream: clibcamera_stream, enough size: CameraSettings.Size) -> clibcamera_stream? {
      let (width, height) = (Int(stream.width), Int(stream.height))
      guard width > 0, height > 0, size.width > 0, size.height > 0 else { return nil }
      // As wide as required, unless the height would then be too small.
      let isWide = size.width * height >= size.height * width
      let wishWidth = isWide ? size.width : (width * size.height + height - 1) / height
      let wishHeight = isWide ? (height * size.width + width - 1) / width : size.height
      guard wishWidth < width, wishHeight < height else { return nil }
      var wish = stream
      wish.width = UInt32(wishWidth + wishWidth % 2)
      wish.height = UInt32(wishHeight + wishHeight % 2)
      return wish
    }

    // MARK: Recording

    public func start() throws(SourceFailure) {
      guard let camera, !isBroken else { throw SourceFailure(.disconnected, "\(name): it has to be loaded again") }
      guard mailbox == nil else { return }
      var streams = [stream] + (screenStream.map { [$0] } ?? [])
      var result = clibcamera_configure(camera.pointer, &streams, streams.count)
      guard result >= 0, streams[0].format == format.fourCC else {
        throw broken(.streamsCannotBeConfigured, "its stream cannot be configured", result)
      }
      stream = streams[0]
      let mailbox = FrameMailbox(camera: camera)
      let context = Unmanaged.passRetained(mailbox)
      var controls = Self.controlWishes(settings)
      _ = clibcamera_take_refusal()
      // The driver's own memory comes last: on a Pi it is slow to read.
      for heap in CameraNodes.heaps().map(Optional.some) + [nil] {
        result = clibcamera_allocate(
          camera.pointer, heap, settings.screenSize == nil ? Self.bufferCount : Self.sharedBufferCount)
        buffers =
          settings.screenSize == nil ? nil : CameraBuffers(streams: streams, bufferCount: Int(max(0, result)))
        if result >= 0 {
          result = clibcamera_start(
            camera.pointer, &controls,
            { context, frame in
              guard let context, let frame else { return }
              Unmanaged<FrameMailbox>.fromOpaque(context).takeUnretainedValue().put(frame)
            },
            { context in
              guard let context else { return }
              Unmanaged<FrameMailbox>.fromOpaque(context).takeUnretainedValue().disconnect()
            }, context.toOpaque())
        }
        if result >= 0 || result == -ENODEV { break }
      }
      guard result >= 0 else {
        context.release()
        throw broken(.runtimeError, "it does not start", result)
      }
      self.mailbox = mailbox
      self.context = context
      unreadableCount = 0
      earlierStamp = nil
      lastProgress = time.now()
    }

    /// The settings as controls; the C layer skips those that the camera does not list.
    static func controlWishes(_ settings: CameraSettings) -> clibcamera_controls {
      var wishes = clibcamera_controls()
      func add(_ control: clibcamera_control) { wishes.present |= control.rawValue }
      if let exposure = settings.exposure {
        add(CLIBCAMERA_EXPOSURE)
        wishes.exposure_us = Int32(clamping: exposure.microseconds)
      }
      if let gain = settings.gain {
        add(CLIBCAMERA_GAIN)
        wishes.gain = Float(gain)
      }
      if let rate = settings.frameRate {
        add(CLIBCAMERA_FRAME_DURATION)
        wishes.frame_duration_min_us = Int64((1_000_000 / rate).rounded())
        wishes.frame_duration_max_us = wishes.frame_duration_min_us
      }
      switch settings.focus {
      case .unchanged: break
      case .near, .full:
        add(CLIBCAMERA_AF_MODE)
        add(CLIBCAMERA_AF_RANGE)
        wishes.af_mode = Int32(CLIBCAMERA_AF_CONTINUOUS)
        wishes.af_range = Int32(settings.focus == .near ? CLIBCAMERA_AF_MACRO : CLIBCAMERA_AF_FULL)
      case .fixed(let dioptres):
        add(CLIBCAMERA_AF_MODE)
        add(CLIBCAMERA_LENS_POSITION)
        wishes.af_mode = Int32(CLIBCAMERA_AF_MANUAL)
        wishes.lens_position = Float(dioptres)
      }
      if let crop = settings.crop {
        add(CLIBCAMERA_CROP)
        wishes.crop = clibcamera_rectangle(
          x: Int32(clamping: crop.x), y: Int32(clamping: crop.y), width: UInt32(clamping: crop.width),
          height: UInt32(clamping: crop.height))
      }
      return wishes
    }

    public func adjust(_ wish: CameraWish) {
      guard let camera, mailbox != nil else { return }
      var values = Self.controls(
        wish.possible(with: controls), settings, frame: (Int(stream.width), Int(stream.height)), crop: crop)
      _ = clibcamera_set_controls(camera.pointer, &values)
    }

    /// A wish as controls: what it leaves out is as the settings say.
    static func controls(
      _ wish: CameraWish, _ settings: CameraSettings, frame: (width: Int, height: Int), crop: PixelRegion?
    ) -> clibcamera_controls {
      var settings = settings
      settings.exposure = wish.exposure.map { .microseconds($0) } ?? settings.exposure
      settings.gain = wish.gain ?? settings.gain
      if let lens = wish.lens { settings.focus = .fixed(lens) }
      // The part of the sensor stays as the start has set it.
      settings.crop = nil
      var values = controlWishes(settings)
      if settings.exposure == nil, settings.gain == nil { values.present |= CLIBCAMERA_AUTO_EXPOSURE.rawValue }
      if let duration = wish.frameDuration {
        values.present |= CLIBCAMERA_FRAME_DURATION.rawValue
        values.frame_duration_min_us = Int64(duration)
        values.frame_duration_max_us = Int64(duration)
      }
      if let window = wish.focusWindow, let crop, frame.width > 0, frame.height > 0 {
        values.present |= CLIBCAMERA_AF_WINDOW.rawValue
        values.af_window = clibcamera_rectangle(
          x: Int32(clamping: crop.x + window.x * crop.width / frame.width),
          y: Int32(clamping: crop.y + window.y * crop.height / frame.height),
          width: UInt32(clamping: window.width * crop.width / frame.width),
          height: UInt32(clamping: window.height * crop.height / frame.height))
      }
      return values
    }

    public func stop() {
      guard let mailbox, let camera else { return }
      earlierCounts = counts
      mailbox.close()
      self.mailbox = nil
      buffers = nil
      let context = context
      self.context = nil
      let box = SessionEnd(context: context)
      let hasStopped = executor.run(within: settings.stopLimit) {
        clibcamera_stop(camera.pointer)
        box.context?.release()
      }
      // A camera that hangs or has gone is closed as soon as the driver releases it.
      if !hasStopped || isBroken { closeCamera() }
    }

    /// Closes the camera, after the driver's pending work.
    private func closeCamera() {
      guard let camera else { return }
      self.camera = nil
      executor.runLater { CameraList.shared.close(camera) }
    }

    /// A failure after which the camera must be loaded again. If another program holds the camera, or it is gone, the error
    /// of any operation shows that.
    private func broken(_ cause: SourceFailure.Cause, _ what: String, _ result: Int32 = 0) -> SourceFailure {
      isBroken = true
      let reason = result < 0 ? " (\(SystemFailure(code: -result)))" : ""
      let told: SourceFailure.Cause = result == -EBUSY ? .heldByAnotherProcess : result == -ENODEV ? .disconnected : cause
      return sameAsBefore(SourceFailure(told, "\(name): \(what)\(reason)"))
    }

    // MARK: Frames

    public func withNextFrame(within limit: Duration, _ body: (LumaView, FrameMetadata) -> Void) -> NextFrame {
      guard let mailbox, let camera else { return .noneYet }
      let (seconds, attoseconds) = limit.components
      let patience = DispatchTime.now() + .nanoseconds(Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
      while let buffer = buffers?.takeReturned() { mailbox.giveBack(buffer) }
      guard let frame = mailbox.take(until: patience) else { return trouble(of: mailbox) }
      if earlierStamp == nil {
        silence = nil
        CameraMessages.forgetTold()
      }
      lastProgress = time.now()
      let synchronised = clibcamera_begin_read(camera.pointer, frame.buffer)
      let wasLent = synchronised >= 0 && lend(frame, body)
      clibcamera_end_read(camera.pointer, frame.buffer)
      if buffers?.isFree(frame.buffer) ?? true { mailbox.giveBack(frame.buffer) }
      if wasLent { return .lent }
      earlierCounts.skipped += 1
      unreadableCount += 1
      if unreadableCount > FrameMailbox.damagedCountMax {
        return .failed(broken(.noLumaStream, "its pictures cannot be read"))
      }
      return unreadableCount == 1 ? .skipped("\(name): a \(format) picture is damaged") : .noneYet
    }

    private func trouble(of mailbox: FrameMailbox) -> NextFrame {
      if mailbox.isDisconnected { return .failed(broken(.disconnected, "it was unplugged")) }
      let isLate = time.now() - lastProgress > settings.frameDeadline.nanoseconds
      if mailbox.isDamaged || (isLate && mailbox.hasDamage) {
        return .failed(broken(.runtimeError, "its pictures come damaged"))
      }
      let refusal = clibcamera_take_refusal()
      guard refusal == 0 else {
        return .failed(broken(.runtimeError, "the kernel takes no buffers for its pictures", refusal))
      }
      guard isLate else { return .noneYet }
      silence = nil
      let failure = broken(.silent, "no frame came for \(settings.frameDeadline.milliseconds) ms")
      silence = failure
      return .failed(failure)
    }

    /// The time since the previous frame by their stamps, for cameras that do not report it; nil for the first frame.
    private func frameDuration(_ sequence: UInt64, _ nanoseconds: Int64) -> Int? {
      defer { earlierStamp = (sequence, nanoseconds) }
      guard let earlierStamp, sequence > earlierStamp.sequence else { return nil }
      return Int((nanoseconds - earlierStamp.nanoseconds) / Int64(sequence - earlierStamp.sequence) / 1000)
    }

    /// Lends a frame's luma; false if it contains none.
    private func lend(_ frame: clibcamera_frame, _ body: (LumaView, FrameMetadata) -> Void) -> Bool {
      let plane = frame.planes.0.0
      let (width, height, stride) = (Int(stream.width), Int(stream.height), Int(stream.stride))
      guard let data = plane.data, width > 0, height > 0 else { return false }
      let isShown = settings.screenSize != nil
      // The frame's data may end before its buffer does.
      let byteCount = plane.used_byte_count > 0 ? plane.used_byte_count : plane.byte_count
      var view: LumaView?
      if format.hasLumaPlane {
        guard stride >= width, byteCount >= stride * (height - 1) + width else { return false }
        view = LumaView(base: data, width: width, height: height, bytesPerRow: stride)
      } else if format == .yuyv {
        guard stride >= 2 * width, byteCount >= stride * (height - 1) + 2 * width,
          let taken = luma.takeYUYV(data, width: width, height: height, bytesPerRow: stride, withColour: isShown)
        else { return false }
        view = LumaView(base: taken, width: width, height: height, bytesPerRow: width)
      } else {
        guard let taken = luma.takeJPEG(data, byteCount: byteCount, width: width, height: height, withColour: isShown)
        else { return false }
        view = LumaView(base: taken, width: width, height: height, bytesPerRow: width)
      }
      guard let view else { return false }
      var metadata = FrameMetadata(
        sequence: frame.sequence, captureBootTimeNanoseconds: SensorClock.bootTime(ofStamp: Int64(frame.timestamp_ns)))
      metadata.sensor = SensorReading(frame.controls)
      crop = metadata.sensor.crop
      metadata.sensor.frameDurationMicroseconds =
        metadata.sensor.frameDurationMicroseconds ?? frameDuration(frame.sequence, Int64(frame.timestamp_ns))
      if isShown {
        chroma =
          format.hasLumaPlane
          ? format.chroma(frame.planes.0, width: width, height: height, stride: stride) : luma.chroma
        sharedFrame = buffers?.picture(of: frame) ?? (format.hasLumaPlane ? nil : luma.shared)
      }
      body(view, metadata)
      chroma = nil
      sharedFrame = nil
      return true
    }
  }

  extension CameraControls {
    /// The controls that an open camera lists, with their limits.
    init(of camera: OpaquePointer) {
      self.init()
      let limits = clibcamera_control_limits(camera)
      let listed = clibcamera_supported_controls(camera)
      func has(_ control: clibcamera_control) -> Bool { limits.present & listed & control.rawValue != 0 }
      if has(CLIBCAMERA_EXPOSURE) { exposure = Int(limits.exposure_min_us)...Int(limits.exposure_max_us) }
      if has(CLIBCAMERA_GAIN) { gain = Double(limits.gain_min)...Double(limits.gain_max) }
      if has(CLIBCAMERA_LENS_POSITION) { lens = Double(limits.lens_min)...Double(limits.lens_max) }
      if has(CLIBCAMERA_FRAME_DURATION), limits.frame_duration_min_us <= limits.frame_duration_max_us {
        frameDuration = Int(limits.frame_duration_min_us)...Int(limits.frame_duration_max_us)
      }
      hasAutomaticExposure = listed & CLIBCAMERA_AUTO_EXPOSURE.rawValue != 0
      hasFocusWindow = listed & CLIBCAMERA_AF_WINDOW.rawValue != 0
    }
  }

  /// The objects to release when a session has ended.
  private struct SessionEnd: @unchecked Sendable {
    let context: Unmanaged<FrameMailbox>?
  }

  extension SensorReading {
    init(_ controls: clibcamera_controls) {
      self.init()
      func has(_ control: clibcamera_control) -> Bool { controls.present & control.rawValue != 0 }
      if has(CLIBCAMERA_EXPOSURE) { exposureMicroseconds = Int(controls.exposure_us) }
      if has(CLIBCAMERA_GAIN) { gain = Double(controls.gain) }
      if has(CLIBCAMERA_FRAME_DURATION) { frameDurationMicroseconds = Int(controls.frame_duration_min_us) }
      if has(CLIBCAMERA_LENS_POSITION) { lensPosition = Double(controls.lens_position) }
      if has(CLIBCAMERA_CROP) {
        let part = controls.crop
        crop = PixelRegion(x: Int(part.x), y: Int(part.y), width: Int(part.width), height: Int(part.height))
      }
    }
  }

  /// The four letters of a format.
  private func fourCCText(_ code: UInt32) -> String {
    String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: code >> (8 * $0)) }, as: UTF8.self)
  }

#endif
