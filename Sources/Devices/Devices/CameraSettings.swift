// The operator's camera settings. Values only: settings that a camera does not support are skipped when it is set up, and
// its actual settings are read back from its frames.

/// Settings of a camera, fixed for the life of its source.
public struct CameraSettings: Equatable, Sendable {
  /// The supported pixel formats with usable luma, in the order in which `automatic` tries them: first those whose luma
  /// plane is lent without a copy.
  public enum Format: String, CaseIterable, Equatable, Sendable {
    case automatic, r8, nv12, yuv420, yuyv, mjpeg
  }

  /// The focus of a lens that moves (behaviour C8).
  public enum Focus: Equatable, Sendable {
    /// As the driver sets it up.
    case unchanged
    /// Continuous autofocus in the near range only: users hold labels close to the camera.
    case near
    /// Continuous autofocus over the whole range.
    case full
    /// Fixed, in dioptres: 5 is 0.2 m.
    case fixed(Double)
  }

  /// Width and height in pixels.
  public struct Size: Equatable, Sendable {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
      self.width = width
      self.height = height
    }
  }

  /// A rectangle in sensor pixels.
  public struct Crop: Equatable, Sendable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }
  }

  /// The camera's id as `reticle cameras` prints it; nil for any.
  public var id: String?
  /// Part of the camera's model name; nil for any.
  public var model: String?
  /// The requested size; the camera may deliver another.
  public var width = 1280
  public var height = 720
  public var format = Format.automatic
  /// A frame size sufficient for the screen, if one shows the camera's frames. If the decoder's frames are larger, a camera
  /// that supports two streams delivers a second one of about this size; the screen may also use the camera's own buffers.
  public var screenSize: Size?
  /// Nil: the camera chooses the exposure.
  public var exposure: Duration?
  /// A factor of at least 1; nil: the camera chooses.
  public var gain: Double?
  /// Frames per second; nil: the camera chooses.
  public var frameRate: Double?
  public var focus = Focus.near
  /// Nil for the whole sensor.
  public var crop: Crop?
  /// The longest time without a frame before the camera counts as silent (behaviour C4). A sensor with its tuning needs up
  /// to a second from start to first frame, and exposures up to 0.1 s are reasonable.
  public var frameDeadline = Duration.seconds(3)
  /// How long stopping may take before the camera is abandoned: a hung USB camera answers no control transfer, and the
  /// kernel waits 5 s for each.
  public var stopLimit = Duration.seconds(2)
  /// False: the station may not use its camera (behaviour §2, restricted).
  public var isPermitted = true

  public init() {}
}
