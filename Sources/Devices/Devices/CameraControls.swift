// The controls of a camera that may change from frame to frame. A change acts some frames later: each frame's metadata tells the
// settings that it was taken with.

public import BarcodeTypes

/// The limits of a camera's controls; nil for a control that the camera lacks.
public struct CameraControls: Equatable, Sendable {
  /// Exposure times, in microseconds.
  public var exposure: ClosedRange<Int>?
  /// Factors of at least 1.
  public var gain: ClosedRange<Double>?
  /// Lens positions, in dioptres: 0 is far away, 10 is 0.1 m.
  public var lens: ClosedRange<Double>?
  /// Times from one frame to the next, in microseconds.
  public var frameDuration: ClosedRange<Int>?
  /// Whether the camera has automatic exposure and gain.
  public var hasAutomaticExposure = false
  /// Whether the camera has autofocus that accepts a window.
  public var hasFocusWindow = false

  public init() {}
}

/// The settings wished for the frames to come. A source skips those that its camera lacks, and clamps the others to its limits.
public struct CameraWish: Equatable, Sendable {
  /// In microseconds; nil: the camera chooses exposure and gain.
  public var exposure: Int?
  /// A factor of at least 1; nil: as `exposure`.
  public var gain: Double?
  /// In dioptres; nil: as the source's settings say.
  public var lens: Double?
  /// Where the camera focuses while it focuses by itself, in pixels of a frame; nil: where it likes.
  public var focusWindow: PixelRegion?
  /// In microseconds; nil: as the source's settings say.
  public var frameDuration: Int?

  public init() {}
}

extension CameraWish {
  /// The wish without the controls that a camera lacks, within the limits of the others.
  public func possible(with controls: CameraControls) -> CameraWish {
    var wish = self
    wish.exposure = controls.exposure.flatMap { limits in exposure?.clamped(to: limits) }
    wish.gain = controls.gain.flatMap { limits in gain?.clamped(to: limits) }
    wish.lens = controls.lens.flatMap { limits in lens?.clamped(to: limits) }
    wish.frameDuration = controls.frameDuration.flatMap { limits in frameDuration?.clamped(to: limits) }
    if !controls.hasFocusWindow { wish.focusWindow = nil }
    return wish
  }
}

extension Comparable {
  fileprivate func clamped(to limits: ClosedRange<Self>) -> Self { min(max(self, limits.lowerBound), limits.upperBound) }
}

/// A source whose settings may change while it records.
public protocol AdjustableFrameSource: FrameSource {
  /// The controls of the loaded camera; empty before.
  var controls: CameraControls { get }

  /// Wishes settings for the frames to come, which replace the earlier wishes. Does not block. The source may carry them out some
  /// frames later, or not at all: `FrameMetadata.sensor` tells.
  func adjust(_ wish: CameraWish)
}
