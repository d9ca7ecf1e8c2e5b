// A camera's buffer that display hardware can read without a copy. The camera gets it back when the last holder lets go.

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

  /// The buffer's file descriptor: the owner's, open as long as the frame lives. The same buffer has the same descriptor
  /// each time it comes round.
  public let descriptor: Int32
  public let format: Format
  public let width: Int
  public let height: Int
  /// Two of NV12, three of YUV 4:2:0.
  public let planes: [Plane]
  private let release: @Sendable () -> Void

  /// - Parameter release: called once, on any thread, when nobody holds the frame any more.
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

/// A frame source whose frames may be in DMA buffers.
public protocol SharedFrameSource: FrameSource {
  /// The frame that is lent, while it is lent; nil if it cannot be shared.
  var sharedFrame: SharedFrame? { get }
}
