// What an operator can choose about a camera. Values only: what a camera cannot do is left out when it is set up, and what
// it did is read back from its frames.

/// Settings of a camera, fixed for the life of its source.
public struct CameraSettings: Equatable, Sendable {
  /// The pixel formats that have luma we can use, in the order in which `automatic` tries them: first those whose luma is a
  /// plane that is lent without a copy.
  public enum Format: String, CaseIterable, Equatable, Sendable {
    case automatic, r8, nv12, yuv420, yuyv, mjpeg
  }

  /// Where the lens looks, if it moves (behaviour C8).
  public enum Focus: Equatable, Sendable {
    /// As the driver sets it up.
    case unchanged
    /// Continuous autofocus in the near range only: what is scanned is held close.
    case near
    /// Continuous autofocus in the whole range.
    case full
    /// Fixed, in dioptres: 5 is 0.2 m.
    case fixed(Double)
  }

  /// Pixels across and down.
  public struct Size: Equatable, Sendable {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
      self.width = width
      self.height = height
    }
  }

  /// A rectangle of the sensor's pixels.
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
  /// The size wished for; the camera may give another.
  public var width = 1280
  public var height = 720
  public var format = Format.automatic
  /// The size that is enough for a screen, if one shows the camera's frames. A camera that can give two streams at once
  /// gives it one of about that size, if the decoder's is larger; and the screen may have the camera's own buffers.
  public var screenSize: Size?
  /// nil leaves the exposure to the camera.
  public var exposure: Duration?
  /// A factor of at least 1; nil leaves it to the camera.
  public var gain: Double?
  /// Frames a second; nil leaves it to the camera.
  public var frameRate: Double?
  public var focus = Focus.near
  /// nil for all of the sensor.
  public var crop: Crop?
  /// The longest time without a frame before the camera counts as silent (behaviour C4). A sensor and its tuning take up to a
  /// second from start to first frame, and exposures up to 0.1 s are sensible.
  public var frameDeadline = Duration.seconds(3)
  /// How long stopping may take before the camera is left behind: a USB camera that hangs answers no control transfer, for
  /// each of which the kernel waits 5 s.
  public var stopLimit = Duration.seconds(2)
  /// False: the station may not use its camera (behaviour §2, restricted).
  public var isPermitted = true

  public init() {}
}
