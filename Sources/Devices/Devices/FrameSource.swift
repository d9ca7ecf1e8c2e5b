// Sources of frames: cameras or pictures. A source belongs to the capturing thread: all its methods are called there and may
// block as documented, so the controller's loop never waits for a device.

public import BarcodeTypes

/// A frame's data other than its pixels.
public struct FrameMetadata: Equatable, Sendable {
  /// The frame's number in its source; a gap means dropped frames.
  public var sequence: UInt64
  /// When the frame was exposed, by CLOCK_BOOTTIME.
  public var captureBootTimeNanoseconds: Int64
  /// The sensor's settings for this frame (behaviour C8).
  public var sensor = SensorReading()
  /// The file that the frame was read from; nil for a camera frame.
  public var file: String?

  public init(sequence: UInt64, captureBootTimeNanoseconds: Int64) {
    self.sequence = sequence
    self.captureBootTimeNanoseconds = captureBootTimeNanoseconds
  }
}

/// The settings that a sensor reports for a frame; nil where it reports nothing.
public struct SensorReading: Equatable, Sendable {
  public var exposureMicroseconds: Int?
  /// A factor of at least 1.
  public var gain: Double?
  /// Time from one frame to the next.
  public var frameDurationMicroseconds: Int?
  /// In dioptres.
  public var lensPosition: Double?
  /// The part of the sensor that frames show, in sensor pixels.
  public var crop: PixelRegion?

  public init() {}
}

/// The outcome of waiting for a frame.
public enum NextFrame: Equatable, Sendable {
  /// A frame was lent.
  case lent
  /// None came within the limit.
  case noneYet
  /// A frame came but cannot be used; the text says why and what to do. Reported once per cause.
  case skipped(String)
  /// There will be no more frames.
  case ended
  /// The source must be loaded again.
  case failed(SourceFailure)
}

/// Whether a device may be used.
public enum DevicePermission: Equatable, Sendable { case notDetermined, restricted, denied, authorized }

/// An operation that a source could not perform.
public struct SourceFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The cause, for programs.
  public enum Cause: Equatable, Sendable {
    case nothingMatches, cannotBeOpened, heldByAnotherProcess, streamsCannotBeConfigured, noLumaStream
    case runtimeError, disconnected, silent
  }

  public var cause: Cause
  /// The device, what was tried and its answer; the remedy is logged separately, once per cause.
  public var description: String

  public init(_ cause: Cause, _ description: String) {
    self.cause = cause
    self.description = description
  }
}

/// Frame counts since the source was made.
public struct FrameCounts: Equatable, Sendable {
  /// Frames received.
  public var captured = 0
  /// Frames received but skipped because a newer one was available.
  public var dropped = 0
  /// Frames received but unusable.
  public var skipped = 0

  public init() {}
}

/// A source of frames.
///
///     made ──load──► loaded ──start──► recording ──stop──► loaded
///                       ▲                  │
///                       └──── load ── failed (from anywhere)
///
/// `stop` destroys the capture session and `start` builds a new one: after a stop, no earlier frame is lent.
public protocol FrameSource: AnyObject {
  /// The source's name in the log.
  var name: String { get }

  /// Whether every frame must be handled, however long that takes. A frame is then lent only when all consequences of the
  /// previous one have been handled; otherwise a slow reader gets the newest frame and the others are dropped.
  var keepsEveryFrame: Bool { get }

  var counts: FrameCounts { get }

  func readPermission() -> DevicePermission

  /// Finds and configures the device. May block. May be called again after a failure.
  func load() throws(SourceFailure)

  /// Builds a capture session and records. May block.
  func start() throws(SourceFailure)

  /// Stops recording and destroys the capture session. May block; no effect if the source does not record.
  func stop()

  /// Waits for the next frame and lends it: the view is valid until `body` returns. Only while the source records.
  func withNextFrame(within limit: Duration, _ body: (LumaView, FrameMetadata) -> Void) -> NextFrame
}
