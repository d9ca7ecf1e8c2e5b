// A scanner for use in other programs (behaviour §7), in a few lines: configure, start, rescan, stop, set the torch; scans,
// trouble and torch changes come back as a single stream. It consists of a station's loops, with a stream in the outbox's
// position.

@_exported public import BarcodeDecoder
@_exported public import BarcodeTypes
@_exported public import Devices
import LinuxDevices
import Logging
import Metrics
import PictureFiles
@_exported public import ScanControl
import ScanLoop
@_exported public import ScanScreen
import Synchronization

/// The source of a scanner's frames.
public enum ScannerSource: Equatable, Sendable {
  /// A camera through libcamera.
  case camera(CameraSettings)
  /// Folders, files and patterns of pictures, played once.
  case pictures([String])
}

/// The settings of a scanner.
public struct ScannerSettings: Equatable, Sendable {
  public var source: ScannerSource
  public var symbologies = SymbologySet.onByDefault
  /// The part of the frame in which codes are recognised.
  public var viewport = Viewport.whole
  public var torch = TorchSettings.none
  /// The work per frame; nil: `still` for pictures, and `frame` for a camera, where later frames compensate.
  public var effort: Effort?
  /// The treatment of an EAN or UPC add-on.
  public var addOns = AddOnPolicy.ignore
  /// Whether scanning continues after a scan; otherwise it waits for `rescan`.
  public var isContinuous = true
  /// How long a code must be out of a camera's view to be scanned again. Pictures are independent: a code is scanned in each
  /// picture that shows it.
  public var repeatAbsence = Duration.seconds(1)

  public init(source: ScannerSource) { self.source = source }
}

/// Why a scanner cannot scan: one case per cause of behaviour §2.
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

/// A scanner's events.
public enum ScannerEvent: Equatable, Sendable {
  case scanned(ScanResult)
  /// The scanner cannot scan now; it retries until it is stopped.
  case failed(ScannerError)
  /// The scanner can scan again after a failure.
  case recovered
  /// The torch's observed state has changed.
  case torchChanged(isOn: Bool)
  /// Whether `setTorch` has an effect: not while the camera is not loaded, or the torch cannot be driven.
  case torchAvailabilityChanged(Bool)
}

/// A barcode scanner.
///
///     let scanner = try BarcodeScanner(ScannerSettings(source: .camera(CameraSettings())))
///     for await event in scanner.start() {
///       if case .scanned(let result) = event { print(result.code.text) }
///     }
public final class BarcodeScanner: Sendable {
  /// Events that wait to be consumed; beyond this number, the oldest are dropped.
  public static let waitingCountMax = 1024

  /// No log: events report everything.
  private static let logger = Logger(label: "reticle") { _ in SwiftLogNoOpLogHandler() }

  private let settings: ScannerSettings
  private let makeTorch: @Sendable (TorchSettings) -> any Torch
  private let state = Mutex(State())

  private struct State {
    /// The current run; nil while the scanner is stopped.
    var run: Run?
    /// The number of runs so far.
    var runCount = 0
  }

  private struct Run {
    let number: Int
    let loops: ScanLoops
    let services: ScanRun
    let events: AsyncStream<ScannerEvent>
    let ended: Task<Void, Never>
  }

  /// - Throws: `noPictures`; all other errors are reported as events.
  public convenience init(_ settings: ScannerSettings) throws(ScannerError) {
    try self.init(settings, makeTorch: Self.makeTorch)
  }

  /// - Parameter makeTorch: creates the torch of a run.
  init(_ settings: ScannerSettings, makeTorch: @escaping @Sendable (TorchSettings) -> any Torch) throws(ScannerError) {
    _ = try Self.makeSource(settings.source)
    self.settings = settings
    self.makeTorch = makeTorch
  }

  /// Starts scanning, also again after `stop` or after the last picture. Events come from the stream, which ends with the
  /// run. While the scanner runs, returns the existing stream.
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
        // A source that existed when the scanner was made has gone.
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

  /// Scans again after a scan that ended scanning: every code in view is then scanned.
  public func rescan() { pass(.trigger) }

  /// Requests the torch on or off; the resulting state comes back as an event. No effect while the torch cannot be driven,
  /// or if it is in that state already.
  public func setTorch(isOn: Bool) { pass(isOn ? .torchOn : .torchOff) }

  /// Stops, turns the torch off and releases the camera; returns when done. `start` can follow.
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
    return ScanLoops(settings: scan, viewport: settings.viewport, parts: parts, logger: Self.logger)
  }

  private static func makeSource(_ source: ScannerSource) throws(ScannerError) -> any FrameSource {
    switch source {
    case .camera(let settings):
      #if Camera
        // All information comes as events; standard error belongs to the host program.
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

/// Turns results into events instead of records in an outbox.
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
  /// Nil for actions that are internal.
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
  /// The station's dialog for this error; nil for errors that a station never has.
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
