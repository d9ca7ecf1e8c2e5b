// A scanner in a few lines of somebody else's program (behaviour §7): configure, start, rescan, stop, set the torch; scans,
// trouble and torch changes come back as one stream. It is the loops of a station,
// with a stream where its outbox would be.

@_exported public import BarcodeDecoder
@_exported public import BarcodeTypes
@_exported public import Devices
import LinuxDevices
import Logging
import Metrics
import PictureFiles
@_exported public import ScanControl
import ScanLoop
import ScanScreen
import Synchronization

/// Where a scanner looks.
public enum ScannerSource: Equatable, Sendable {
  /// A camera through libcamera.
  case camera(CameraSettings)
  /// Folders, files and patterns of pictures, played once.
  case pictures([String])
}

/// What can be chosen about a scanner.
public struct ScannerSettings: Equatable, Sendable {
  public var source: ScannerSource
  public var symbologies = Decoder.defaultSymbologies
  /// The part of the frame in which codes are recognised: left, top, width, height in parts of it.
  public var viewport: (x: Double, y: Double, width: Double, height: Double) = (0, 0, 1, 1)
  public var torch = TorchSettings.none
  /// How much work a frame may cost; nil for `still` with pictures and `frame` with a camera, whose next frame is another chance.
  public var effort: Effort?
  /// What to do with the add-on beside an EAN or UPC symbol.
  public var addOns = AddOnPolicy.ignore
  /// Whether scanning goes on after a scan; else it waits for `rescan`.
  public var isContinuous = true
  /// How long a code must have been out of view of a camera to be scanned again. Pictures have nothing to do with each other: a
  /// code is scanned in each that shows it.
  public var repeatAbsence = Duration.seconds(1)

  public init(source: ScannerSource) { self.source = source }

  public static func == (a: ScannerSettings, b: ScannerSettings) -> Bool {
    a.source == b.source && a.symbologies == b.symbologies && a.viewport == b.viewport && a.torch == b.torch
      && a.effort == b.effort && a.addOns == b.addOns && a.isContinuous == b.isContinuous
      && a.repeatAbsence == b.repeatAbsence
  }
}

/// Why a scanner cannot scan, a case for each cause of behaviour §2.
public enum ScannerError: Error, Equatable, Sendable, CustomStringConvertible {
  case permissionDenied
  case permissionRestricted
  case noCameraMatches(String)
  case cameraCannotBeOpened(String)
  case streamsCannotBeConfigured(String)
  case noLumaStream(String)
  case runtimeError(String)
  case disconnected(String)
  case silent(String)
  case inUseByAnotherApplication
  case inBackground
  case screenTaken
  /// The pictures of `ScannerSource.pictures` cannot be played.
  case noPictures(String)

  public var description: String {
    if case .noPictures(let detail) = self { return detail }
    return dialog?.sentence ?? ""
  }
}

/// What a scanner tells.
public enum ScannerEvent: Equatable, Sendable {
  case scanned(ScanResult)
  /// The scanner cannot scan now; it tries again by itself until it is stopped.
  case failed(ScannerError)
  /// It can scan again after a failure.
  case recovered
  /// The torch does this now, as observed.
  case torchChanged(isOn: Bool)
  /// Whether `setTorch` has an effect from now on: not while the camera is not loaded, or the torch cannot be driven.
  case torchAvailabilityChanged(Bool)
}

/// A scanner.
///
///     let scanner = try BarcodeScanner(ScannerSettings(source: .camera(CameraSettings())))
///     for await event in scanner.start() {
///       if case .scanned(let result) = event { print(result.code.text) }
///     }
public final class BarcodeScanner: Sendable {
  /// Events that wait to be looked at; the oldest give way.
  public static let waitingCountMax = 1024

  /// What happens is told by events.
  private static let logger = Logger(label: "reticle") { _ in SwiftLogNoOpLogHandler() }

  private let settings: ScannerSettings
  private let makeTorch: @Sendable (TorchSettings) -> any Torch
  private let state = Mutex(State())

  private struct State {
    /// From `start` to the end; nil while the scanner is stopped.
    var run: Run?
    /// Runs so far.
    var runCount = 0
  }

  private struct Run {
    let number: Int
    let loops: ScanLoops
    let services: ScanRun
    let events: AsyncStream<ScannerEvent>
    let ended: Task<Void, Never>
  }

  /// - Throws: `noPictures`; everything else is told while it runs.
  public convenience init(_ settings: ScannerSettings) throws(ScannerError) {
    try self.init(settings, makeTorch: Self.makeTorch)
  }

  /// - Parameter makeTorch: makes the torch of a run.
  init(_ settings: ScannerSettings, makeTorch: @escaping @Sendable (TorchSettings) -> any Torch) throws(ScannerError) {
    _ = try Self.makeSource(settings.source)
    self.settings = settings
    self.makeTorch = makeTorch
  }

  /// Starts scanning, anew after `stop` or when the pictures were over; what happens comes out of the stream, which ends with the
  /// run. While the scanner runs it gives the stream that there is.
  @discardableResult
  public func start() -> AsyncStream<ScannerEvent> {
    state.withLock { state in
      if let run = state.run { return run.events }
      let (events, continuation) = AsyncStream<ScannerEvent>.makeStream(
        bufferingPolicy: .bufferingNewest(Self.waitingCountMax))
      let loops: ScanLoops
      do throws(ScannerError) {
        loops = try makeLoops(continuation)
      } catch {
        // What was there when the scanner was made is not any more.
        continuation.yield(.failed(error))
        continuation.finish()
        return events
      }
      state.runCount += 1
      let number = state.runCount
      let services = ScanRun(loops, logger: Self.logger)
      let ended = Task {
        do {
          try await services.run()
        } catch {
          continuation.yield(.failed(.runtimeError("\(error)")))
        }
        self.state.withLock { if $0.run?.number == number { $0.run = nil } }
        continuation.finish()
      }
      state.run = Run(number: number, loops: loops, services: services, events: events, ended: ended)
      return events
    }
  }

  /// Scans again after a scan that ended scanning: what is in view then is meant.
  public func rescan() { pass(.trigger) }

  /// Asks the torch to be on or off; what it does comes back as an event. Without effect while it cannot be driven, and if it
  /// is so already.
  public func setTorch(isOn: Bool) { pass(isOn ? .torchOn : .torchOff) }

  /// Stops, puts the torch out and gives the camera back; returns when that is done. `start` begins anew.
  public func stop() async {
    guard let run = state.withLock({ $0.run }) else { return }
    await run.services.shutDown()
    await run.ended.value
  }

  private func pass(_ command: HostCommand) { state.withLock { $0.run }?.loops.pass(command) }

  private func makeLoops(_ continuation: AsyncStream<ScannerEvent>.Continuation) throws(ScannerError) -> ScanLoops {
    let isOfPictures = if case .pictures = settings.source { true } else { false }
    var decoder = DecoderSettings()
    decoder.symbologies = settings.symbologies
    decoder.effort = settings.effort ?? (isOfPictures ? .still : .frame)
    decoder.addOns = settings.addOns
    var parts = ScanParts(
      source: try Self.makeSource(settings.source),
      reading: DecoderReading(
        settings: decoder, frameShare: isOfPictures || settings.effort != nil ? nil : WorkPacing.ordinaryShare),
      forwarding: StreamForwarding(continuation: continuation))
    parts.torch = makeTorch(settings.torch)
    parts.metrics = NOOPMetricsHandler.instance
    parts.observer = { action in if let event = ScannerEvent(action) { continuation.yield(event) } }
    var scan = ScanSettings()
    scan.repeatAbsence = settings.repeatAbsence
    scan.reopening = settings.isContinuous ? .after(.zero) : .onTrigger
    scan.isEachFrameNew = isOfPictures
    if isOfPictures { scan.votes.frameCount = 1 }
    let viewport = Viewport(
      x: settings.viewport.x, y: settings.viewport.y, width: settings.viewport.width, height: settings.viewport.height)
    return ScanLoops(settings: scan, viewport: viewport, parts: parts, logger: Self.logger)
  }

  private static func makeSource(_ source: ScannerSource) throws(ScannerError) -> any FrameSource {
    switch source {
    case .camera(let settings):
      #if Camera
        // What there is to know comes as an event; standard error is the program's own.
        CameraMessages.route { _, _ in }
        return LibcameraFrameSource(settings: settings)
      #else
        throw .noCameraMatches("this build has no cameras; build it with the package trait Camera")
      #endif
    case .pictures(let patterns):
      do throws(PictureList.Failure) {
        return PictureCamera(paths: try PictureList.paths(of: patterns), playback: PicturePlayback(), loader: Picture())
      } catch {
        throw .noPictures(error.description)
      }
    }
  }

  @Sendable private static func makeTorch(_ settings: TorchSettings) -> any Torch {
    switch settings {
    case .none: return AbsentTorch()
    case .led(let name): return SysfsTorch(led: name)
    case .pwm(let pwm): return SysfsTorch(pwm: pwm)
    case .line(let line):
      #if Lines
        return LineTorch(line)
      #else
        return AbsentTorch()
      #endif
    }
  }
}

/// Results become events instead of records in an outbox.
private struct StreamForwarding: ScanForwarding {
  let continuation: AsyncStream<ScannerEvent>.Continuation

  func accept(_ results: [ScanResult]) async -> [Result<ScanSafety, any Error>] {
    results.map { result in
      continuation.yield(.scanned(result))
      return .success(.stored)
    }
  }

  func drain(within limit: Duration) async -> Int { 0 }
}

extension ScannerEvent {
  /// nil for what is nobody's business outside.
  fileprivate init?(_ action: Action) {
    switch action {
    case .showTorch(let isOn): self = .torchChanged(isOn: isOn)
    case .showTorchAvailability(let isAvailable): self = .torchAvailabilityChanged(isAvailable)
    case .showDialog(let dialog): self = .failed(ScannerError(dialog))
    case .dismissDialog: self = .recovered
    default: return nil
    }
  }
}

extension ScannerError {
  init(_ dialog: Dialog) {
    switch dialog {
    case .permissionDenied: self = .permissionDenied
    case .permissionRestricted: self = .permissionRestricted
    case .interrupted(.inUseByAnotherApplication): self = .inUseByAnotherApplication
    case .interrupted(.applicationInBackground): self = .inBackground
    case .interrupted(.multipleForegroundApps): self = .screenTaken
    case .failed(let failure):
      switch failure.fault {
      case .noCameraMatches: self = .noCameraMatches(failure.detail)
      case .cannotBeOpened: self = .cameraCannotBeOpened(failure.detail)
      case .streamsCannotBeConfigured: self = .streamsCannotBeConfigured(failure.detail)
      case .noLumaStream: self = .noLumaStream(failure.detail)
      case .runtimeError: self = .runtimeError(failure.detail)
      case .disconnected: self = .disconnected(failure.detail)
      case .silent: self = .silent(failure.detail)
      }
    }
  }
}

extension ScannerError {
  /// What a station says of it; nil for what a station never meets.
  fileprivate var dialog: Dialog? {
    switch self {
    case .permissionDenied: .permissionDenied
    case .permissionRestricted: .permissionRestricted
    case .inUseByAnotherApplication: .interrupted(.inUseByAnotherApplication)
    case .inBackground: .interrupted(.applicationInBackground)
    case .screenTaken: .interrupted(.multipleForegroundApps)
    case .noCameraMatches(let detail): .failed(CameraFailure(.noCameraMatches, detail: detail))
    case .cameraCannotBeOpened(let detail): .failed(CameraFailure(.cannotBeOpened, detail: detail))
    case .streamsCannotBeConfigured(let detail): .failed(CameraFailure(.streamsCannotBeConfigured, detail: detail))
    case .noLumaStream(let detail): .failed(CameraFailure(.noLumaStream, detail: detail))
    case .runtimeError(let detail): .failed(CameraFailure(.runtimeError, detail: detail))
    case .disconnected(let detail): .failed(CameraFailure(.disconnected, detail: detail))
    case .silent(let detail): .failed(CameraFailure(.silent, detail: detail))
    case .noPictures: nil
    }
  }
}
