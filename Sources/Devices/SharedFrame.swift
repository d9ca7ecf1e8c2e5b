// A camera's buffer that display hardware can read without a copy. The source that owns the buffer keeps the frame's object as
// well and fills the buffer again when nobody else has a reference to it: so showing a frame takes no memory, and letting go of
// it is all that its viewer has to do.

/// A frame in a DMA buffer.
public final class SharedFrame: Sendable {
  /// A plane of the picture in the buffer.
  public struct Plane: Equatable, Sendable {
    public var byteOffset: Int
    public var bytesPerRow: Int

    public init(byteOffset: Int, bytesPerRow: Int) {
      self.byteOffset = byteOffset
      self.bytesPerRow = bytesPerRow
    }
  }

  /// How the planes are filled.
  public enum Format: Equatable, Sendable {
    /// Luma, then Cb and Cr by turns, each for 2×2 pixels.
    case nv12
    /// Luma, then Cb, then Cr, each for 2×2 pixels.
    case yuv420
  }

  /// The buffer's file descriptor; open as long as this object lives.
  public let descriptor: Int32
  public let format: Format
  public let width: Int
  public let height: Int
  /// Two of NV12, three of YUV 4:2:0.
  public let planes: [Plane]
  private let release: @Sendable () -> Void

  /// - Parameter release: called once, on any thread, when nobody has the object any more; closes the descriptor.
  public init(
    descriptor: Int32, format: Format, width: Int, height: Int, planes: [Plane], release: @escaping @Sendable () -> Void
  ) {
    precondition(planes.count == (format == .nv12 ? 2 : 3))
    self.descriptor = descriptor
    self.format = format
    self.width = width
    self.height = height
    self.planes = planes
    self.release = release
  }

  deinit { release() }
}

/// A frame source whose frames can be shown better than by their luma alone.
public protocol ColourFrameSource: FrameSource {
  /// The colour of the frame that is lent, while it is lent; nil if it is grey.
  var chroma: ChromaView? { get }

  /// The picture of the frame that is lent, while it is lent, in memory that display hardware reads by itself; nil if there
  /// is none. It shows the same scene and may have another size.
  var sharedFrame: SharedFrame? { get }
}
