// A scanner in a few lines of somebody else's program (SPEC §7): configure, start, rescan, stop, set the torch; scans,
// trouble and torch changes come back as one stream. It is the station itself, with a stream where its outbox would be.

import BarcodeDecoder
public import BarcodeTypes
public import Devices
import LinuxDevices
import Logging
import Metrics
import PictureFiles
public import ScanControl
import ServiceLifecycle
import Station
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
  public var symbologies = Decoder.supportedSymbologies
  /// The part of the frame in which codes are recognised: left, top, width, height in parts of it.
  public var viewport: (x: Double, y: Double, width: Double, height: Double) = (0, 0, 1, 1)
  public var torch = TorchSettings.none
  /// Whether scanning goes on after a scan; else it waits for `rescan`.
  public var isContinuous = true
  /// How long a code must have been out of view to be scanned again.
  public var repeatAbsence = Duration.seconds(1)

  public init(source: ScannerSource) { self.source = source }

  public static func == (a: ScannerSettings, b: ScannerSettings) -> Bool {
    a.source == b.source && a.symbologies == b.symbologies && a.viewport == b.viewport && a.torch == b.torch
      && a.isContinuous == b.isContinuous && a.repeatAbsence == b.repeatAbsence
  }
}

/// Why a scanner cannot scan, a case for each cause of SPEC §2.
public enum ScannerError: Error, Equatable, Sendable {
  case permissionDenied
  case permissionRestricted
  case noCameraMatches(String)
  case cameraCannotBeOpened(String)
  case streamsCannotBeConfigured(String)
  case noLumaStream(String)
  case symbologyNotSupported(Symbology)
  case runtimeError(String)
  case disconnected(String)
  case silent(String)
  case inUseByAnotherApplication
  case inBackground
  case screenTaken
  /// The pictures of `ScannerSource.pictures` cannot be played.
  case noPictures(String)
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

  private let station: Station
  private let buttons = SimulatedButtons()
  private let events: AsyncStream<ScannerEvent>
  private let continuation: AsyncStream<ScannerEvent>.Continuation
  private let isStarted = Mutex(false)
  private let watch: ActionWatch

  /// - Throws: `symbologyNotSupported` or `noPictures`; everything else is told while it runs.
  public init(_ settings: ScannerSettings) throws(ScannerError) {
    let unsupported = (0..<Symbology.count).compactMap { Symbology(rawValue: UInt8($0)) }.first {
      settings.symbologies.contains($0) && !Decoder.supportedSymbologies.contains($0)
    }
    if let unsupported { throw .symbologyNotSupported(unsupported) }
    (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.waitingCountMax))
    var decoder = DecoderSettings()
    decoder.symbologies = settings.symbologies
    let watch = ActionWatch(continuation)
    self.watch = watch
    var parts = StationParts(
      source: try BarcodeScanner.makeSource(settings.source), reading: DecoderReading(settings: decoder),
      forwarding: StreamForwarding(continuation: continuation))
    parts.torch = BarcodeScanner.makeTorch(settings.torch)
    parts.buttons = buttons
    parts.metrics = NOOPMetricsHandler.instance
    parts.observer = { watch.observe($0) }
    var scan = ScanSettings()
    scan.repeatAbsence = settings.repeatAbsence
    scan.reopening = settings.isContinuous ? .after(.zero) : .onTrigger
    if case .pictures = settings.source { scan.votes.frameCount = 1 }
    let viewport = Viewport(
      x: settings.viewport.x, y: settings.viewport.y, width: settings.viewport.width, height: settings.viewport.height)
    station = Station(
      settings: scan, viewport: viewport, parts: parts, logger: Logger(label: "reticle") { _ in SwiftLogNoOpLogHandler() },
      signals: [])
  }

  /// Starts scanning; what happens comes out of the stream, which ends when the scanner was stopped or its pictures are
  /// over. Only the first call starts; all give the same stream.
  @discardableResult
  public func start() -> AsyncStream<ScannerEvent> {
    let isFirst = isStarted.withLock { isStarted in
      defer { isStarted = true }
      return !isStarted
    }
    if isFirst {
      let (station, continuation) = (station, continuation)
      Task {
        do {
          try await station.run()
        } catch {
          continuation.yield(.failed(.runtimeError("\(error)")))
        }
        continuation.finish()
      }
    }
    return events
  }

  /// Scans again after a scan that ended scanning: what is in view then is meant.
  public func rescan() { buttons.press(.trigger) }

  /// Asks the torch to be on or off; what it does comes back as an event. Without effect while it cannot be driven.
  public func setTorch(isOn: Bool) { if watch.isOn != isOn { buttons.press(.torch) } }

  /// Stops, puts the torch out and gives the camera back; returns when that is done.
  public func stop() async { await station.shutDown() }

  private static func makeSource(_ source: ScannerSource) throws(ScannerError) -> any FrameSource {
    switch source {
    case .camera(let settings):
      #if Camera
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

  private static func makeTorch(_ settings: TorchSettings) -> any Torch {
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

/// Hears what the controller wants shown.
private final class ActionWatch: Sendable {
  private let lit = Mutex(false)
  private let continuation: AsyncStream<ScannerEvent>.Continuation

  init(_ continuation: AsyncStream<ScannerEvent>.Continuation) { self.continuation = continuation }

  var isOn: Bool { lit.withLock { $0 } }

  func observe(_ action: Action) {
    switch action {
    case .showTorch(let isOn):
      lit.withLock { $0 = isOn }
      continuation.yield(.torchChanged(isOn: isOn))
    case .showDialog(let dialog): continuation.yield(.failed(ScannerError(dialog)))
    case .dismissDialog: continuation.yield(.recovered)
    default: break
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
      case .symbologyNotSupported(let symbology): self = .symbologyNotSupported(symbology)
      case .runtimeError: self = .runtimeError(failure.detail)
      case .disconnected: self = .disconnected(failure.detail)
      case .silent: self = .silent(failure.detail)
      }
    }
  }
}
