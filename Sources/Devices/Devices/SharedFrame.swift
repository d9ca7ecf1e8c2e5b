// A camera's buffer that display hardware can read without a copy. The source that owns the buffer also keeps a reference to
// the frame and refills the buffer when that reference is the only one: showing a frame allocates nothing, and its viewer
// only has to drop its reference. If the hardware cannot read the buffer, the processor does.

public import BarcodeTypes

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

  /// The layout of the planes.
  public enum Format: Equatable, Sendable {
    /// Luma, then alternating Cb and Cr, one pair per 2×2 pixels.
    case nv12
    /// Luma, then Cb, then Cr, one value each per 2×2 pixels.
    case yuv420
  }

  /// The buffer's file descriptor; open while this object lives.
  public let descriptor: Int32
  public let format: Format
  public let width: Int
  public let height: Int
  /// Two for NV12, three for YUV 4:2:0.
  public let planes: [Plane]
  private let memory: SharedMemory

  /// - Parameter memory: the memory that holds every plane in full.
  public init(memory: SharedMemory, format: Format, width: Int, height: Int, planes: [Plane]) {
    precondition(planes.count == (format == .nv12 ? 2 : 3) && width > 0 && height > 0)
    descriptor = memory.descriptor
    self.format = format
    self.width = width
    self.height = height
    self.planes = planes
    self.memory = memory
  }

  /// Bytes that the planes of a picture occupy, from the beginning of its memory.
  public static func byteCount(_ format: Format, width: Int, height: Int, planes: [Plane]) -> Int {
    var count = 0
    for (index, plane) in planes.enumerated() {
      let rowBytes = index == 0 ? width : (width + 1) / 2 * (format == .nv12 ? 2 : 1)
      let rows = index == 0 ? height : (height + 1) / 2
      count = max(count, plane.byteOffset + (rows - 1) * plane.bytesPerRow + rowBytes)
    }
    return count
  }

  /// The pixels; valid while the object lives, read between `beginReading` and `endReading`.
  public var luma: LumaView {
    LumaView(base: memory.base + planes[0].byteOffset, width: width, height: height, bytesPerRow: planes[0].bytesPerRow)
  }

  /// The colours, valid like `luma`.
  public var chroma: ChromaView {
    let isPairs = format == .nv12
    let cb = UnsafePointer(memory.base + planes[1].byteOffset)
    return ChromaView(
      cb: cb, cr: isPairs ? cb + 1 : UnsafePointer(memory.base + planes[2].byteOffset), step: isPairs ? 2 : 1,
      bytesPerRow: planes[1].bytesPerRow, width: (width + 1) / 2, height: (height + 1) / 2)
  }

  /// Lets the processor read the hardware's output until `endReading`.
  public func beginReading() { memory.begin(.reading) }

  public func endReading() { memory.end(.reading) }
}

/// A frame source that can provide more than luma for display.
public protocol ColourFrameSource: FrameSource {
  /// The colour of the frame that is being lent; nil if it is grey.
  var chroma: ChromaView? { get }

  /// The picture of the frame that is being lent, in memory that display hardware reads directly; nil if not available. It
  /// shows the same scene, perhaps in another size.
  var sharedFrame: SharedFrame? { get }
}
