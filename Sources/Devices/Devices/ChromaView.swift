// The colour of a frame. The decoder ignores it; the preview shows it.

public import BarcodeTypes

/// Cb and Cr of a frame, one value of each per 2×2 pixels (4:2:0), read-only and borrowed like its luma.
///
/// The colour space is sYCC, which libcamera uses for viewfinders: ITU-R BT.601 in the full range, with 128 as neutral.
public struct ChromaView {
  /// The first value of each.
  public let cb: UnsafePointer<UInt8>
  public let cr: UnsafePointer<UInt8>
  /// Bytes between values: 2 if Cb and Cr alternate (NV12), 1 if each has a plane (YUV 4:2:0), 4 in YUYV.
  public let step: Int
  public let bytesPerRow: Int
  /// Values per row, and rows: half the frame's pixels each way, rounded up.
  public let width: Int
  public let height: Int

  public init(
    cb: UnsafePointer<UInt8>, cr: UnsafePointer<UInt8>, step: Int, bytesPerRow: Int, width: Int, height: Int
  ) {
    self.cb = cb
    self.cr = cr
    self.step = step
    self.bytesPerRow = bytesPerRow
    self.width = width
    self.height = height
  }

  /// Pairs of Cb and Cr in rows without gaps, the layout that a preview uses.
  ///
  /// - Parameter pairs: `2 * width * height` readable bytes.
  public init(pairs: UnsafePointer<UInt8>, width: Int, height: Int) {
    self.init(cb: pairs, cr: pairs + 1, step: 2, bytesPerRow: 2 * width, width: width, height: height)
  }

  /// Whether a row consists of pairs of Cb and Cr.
  public var isPairs: Bool { step == 2 && cr == cb + 1 }

  /// Copies all values, as pairs in rows without gaps.
  ///
  /// - Parameter target: room for `2 * width * height` bytes.
  public func copyPairs(to target: UnsafeMutablePointer<UInt8>) {
    copyPairs(PixelRegion(x: 0, y: 0, width: width, height: height), to: target, bytesPerRow: 2 * width)
  }

  /// Copies a region of the values, as pairs.
  ///
  /// - Parameters:
  ///   - part: in values, inside the view.
  ///   - target: one row of `bytesPerRow` bytes per row of the region.
  public func copyPairs(_ part: PixelRegion, to target: UnsafeMutablePointer<UInt8>, bytesPerRow targetRow: Int) {
    for y in 0..<part.height {
      let place = (part.y + y) * bytesPerRow + part.x * step
      let (cb, cr, line) = (cb + place, cr + place, target + y * targetRow)
      if isPairs {
        line.update(from: cb, count: 2 * part.width)
      } else {
        for x in 0..<part.width {
          line[2 &* x] = cb[x &* step]
          line[2 &* x &+ 1] = cr[x &* step]
        }
      }
    }
  }
}
