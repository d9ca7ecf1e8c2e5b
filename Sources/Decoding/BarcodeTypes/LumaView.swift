// A frame as every layer sees it: bytes lent by their owner.

/// A borrowed view of 8-bit luma rows.
///
/// The owner keeps the bytes readable and unchanged while the view is in use; a frame source lends a view for the duration
/// of a closure. 0 is black. Rows run from the top, pixels from the left.
@safe public struct LumaView {
  /// The first byte of the top row.
  public let base: UnsafePointer<UInt8>
  /// Pixels per row, at least 1.
  public let width: Int
  /// Rows, at least 1.
  public let height: Int
  /// Bytes from one row to the next, at least `width`.
  public let bytesPerRow: Int

  /// - Safety: `base` must be followed by `(height - 1) * bytesPerRow + width` readable bytes while the view is in use.
  @unsafe public init(base: UnsafePointer<UInt8>, width: Int, height: Int, bytesPerRow: Int) {
    precondition(width > 0 && height > 0 && bytesPerRow >= width)
    unsafe self.base = base
    self.width = width
    self.height = height
    self.bytesPerRow = bytesPerRow
  }

  /// The first pixel of row `y`, followed by `width` readable bytes. `y` is not checked.
  @inline(__always) public func row(_ y: Int) -> UnsafePointer<UInt8> {
    unsafe base + y &* bytesPerRow
  }

  /// One pixel. Traps outside the picture.
  @inline(__always) public subscript(x: Int, y: Int) -> UInt8 {
    precondition(x >= 0 && x < width && y >= 0 && y < height)
    return unsafe row(y)[x]
  }

  /// The part of the view inside `region`, or nil if they share no pixel.
  public func cropped(to region: PixelRegion) -> (view: LumaView, x: Int, y: Int)? {
    let left = max(0, region.x)
    let top = max(0, region.y)
    let right = min(width, region.x + region.width)
    let bottom = min(height, region.y + region.height)
    guard left < right, top < bottom else { return nil }
    let part = unsafe LumaView(
      base: base + top * bytesPerRow + left, width: right - left, height: bottom - top, bytesPerRow: bytesPerRow)
    return (part, left, top)
  }
}
