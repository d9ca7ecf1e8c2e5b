// Where frames come from: a camera, or pictures. A source belongs to the thread that captures: all of its methods are called
// there and may block as they say, so that nothing that waits for a device is ever on the controller's loop.

public import BarcodeTypes

/// What a frame says beside its pixels.
public struct FrameMetadata: Equatable, Sendable {
  /// The frame's number in its source; a gap is frames that nobody saw.
  public var sequence: UInt64
  /// When the frame was exposed, by CLOCK_BOOTTIME.
  public var captureBootTimeNanoseconds: Int64
  /// What the sensor did (behaviour C8).
  public var sensor = SensorReading()
  /// The file that the frame was read from; nil for a camera's.
  public var file: String?

  public init(sequence: UInt64, captureBootTimeNanoseconds: Int64) {
    self.sequence = sequence
    self.captureBootTimeNanoseconds = captureBootTimeNanoseconds
  }
}

/// What a sensor says that it did for a frame; nil where it does not say.
public struct SensorReading: Equatable, Sendable {
  public var exposureMicroseconds: Int?
  /// A factor of at least 1.
  public var gain: Double?
  /// From one frame to the next.
  public var frameDurationMicroseconds: Int?
  /// Dioptres.
  public var lensPosition: Double?
  /// The part of the sensor that frames show, in its own pixels.
  public var crop: PixelRegion?

  public init() {}
}

/// What became of waiting for a frame.
public enum NextFrame: Equatable, Sendable {
  /// A frame was lent.
  case lent
  /// None came within the limit.
  case noneYet
  /// A frame was there but cannot be used; what it is and what to do about it. Reported once for each cause.
  case skipped(String)
  /// There will be no more frames.
  case ended
  /// The source has to be loaded again.
  case failed(SourceFailure)
}

/// Whether a device may be used.
public enum DevicePermission: Equatable, Sendable { case notDetermined, restricted, denied, authorized }

/// What a source could not do.
public struct SourceFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// What went wrong, for programs.
  public enum Cause: Equatable, Sendable {
    case nothingMatches, cannotBeOpened, heldByAnotherProcess, streamsCannotBeConfigured, noLumaStream
    case runtimeError, disconnected, silent
  }

  public var cause: Cause
  /// The device, what was tried and what it answered; what to do is told once for each cause, elsewhere.
  public var description: String

  public init(_ cause: Cause, _ description: String) {
    self.cause = cause
    self.description = description
  }
}

/// What a source has counted since it was made.
public struct FrameCounts: Equatable, Sendable {
  /// Frames that came.
  public var captured = 0
  /// Frames that came and were passed over because a newer one was there.
  public var dropped = 0
  /// Frames that could not be used.
  public var skipped = 0

  public init() {}
}

/// A source of frames.
///
///     made ──load──► loaded ──start──► recording ──stop──► loaded
///                       ▲                  │
///                       └──── load ── failed (from anywhere)
///
/// `stop` destroys the capture session and `start` builds a new one: no frame of before a stop is lent after it.
public protocol FrameSource: AnyObject {
  /// What the source is, for the log.
  var name: String { get }

  /// Whether every frame is to be looked at, however long that takes. Then a frame is lent only when all that the one
  /// before led to has been dealt with; else a slow viewer sees the newest frame and the others are dropped.
  var keepsEveryFrame: Bool { get }

  var counts: FrameCounts { get }

  func readPermission() -> DevicePermission

  /// Finds and configures the device. May block. May be called again after a failure.
  func load() throws(SourceFailure)

  /// Builds a capture session and records. May block.
  func start() throws(SourceFailure)

  /// Stops recording and destroys the capture session. May block; without effect if the source does not record.
  func stop()

  /// Waits for the next frame and lends it: the view is good until `body` returns. Only while the source records.
  func withNextFrame(within limit: Duration, _ body: (LumaView, FrameMetadata) -> Void) -> NextFrame
}
