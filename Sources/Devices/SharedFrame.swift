// A camera's buffer that display hardware can read without a copy. The source that owns the buffer keeps the frame's object as
// well and fills the buffer again when nobody else has a reference to it: so showing a frame takes no memory, and letting go of
// it is all that its viewer has to do. A panel whose hardware cannot read it reads it with the processor.

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
  private let memory: SharedMemory

  /// - Parameter memory: where the planes are, all of each.
  public init(memory: SharedMemory, format: Format, width: Int, height: Int, planes: [Plane]) {
    precondition(planes.count == (format == .nv12 ? 2 : 3) && width > 0 && height > 0)
    descriptor = memory.descriptor
    self.format = format
    self.width = width
    self.height = height
    self.planes = planes
    self.memory = memory
  }

  /// Bytes that planes of a picture take up, from the first of its memory.
  public static func byteCount(_ format: Format, width: Int, height: Int, planes: [Plane]) -> Int {
    var count = 0
    for (index, plane) in planes.enumerated() {
      let rowBytes = index == 0 ? width : (width + 1) / 2 * (format == .nv12 ? 2 : 1)
      let rows = index == 0 ? height : (height + 1) / 2
      count = max(count, plane.byteOffset + (rows - 1) * plane.bytesPerRow + rowBytes)
    }
    return count
  }

  /// The pixels; good as long as the object lives, read between `beginReading` and `endReading`.
  public var luma: LumaView {
    LumaView(base: memory.base + planes[0].byteOffset, width: width, height: height, bytesPerRow: planes[0].bytesPerRow)
  }

  /// The colours, as good as `luma` is.
  public var chroma: ChromaView {
    let isPairs = format == .nv12
    let cb = UnsafePointer(memory.base + planes[1].byteOffset)
    return ChromaView(
      cb: cb, cr: isPairs ? cb + 1 : UnsafePointer(memory.base + planes[2].byteOffset), step: isPairs ? 2 : 1,
      bytesPerRow: planes[1].bytesPerRow, width: (width + 1) / 2, height: (height + 1) / 2)
  }

  /// Lets the processor read until `endReading` what hardware wrote.
  public func beginReading() { memory.begin(.reading) }

  public func endReading() { memory.end(.reading) }
}

/// A frame source whose frames can be shown better than by their luma alone.
public protocol ColourFrameSource: FrameSource {
  /// The colour of the frame that is lent, while it is lent; nil if it is grey.
  var chroma: ChromaView? { get }

  /// The picture of the frame that is lent, while it is lent, in memory that display hardware reads by itself; nil if there
  /// is none. It shows the same scene and may have another size.
  var sharedFrame: SharedFrame? { get }
}
