// Whoever draws display lists, as whoever runs the screen sees them.

public import BarcodeTypes

/// Draws display lists into a picture of its own that it keeps: 32-bit pixels, alpha in the highest byte, colours multiplied
/// by it. Used by one thread.
public protocol OverlayPainting: AnyObject {
  var panel: ScreenSize { get }

  /// Keeps a grey picture for lists to refer to. A bounded number is kept; the oldest gives way.
  func setImage(_ reference: ImageReference, luma: [UInt8], width: Int, height: Int)

  /// Keeps a picture file; false if it cannot be read.
  func setImage(_ reference: ImageReference, pngFile path: String) -> Bool

  /// Draws what differs from the list drawn before.
  ///
  /// - Returns: where pixels may have changed.
  func paint(_ list: DisplayList) -> [PixelRegion]

  /// Lends the picture.
  func withPixels(_ body: (UnsafePointer<UInt32>, _ bytesPerRow: Int) -> Void)
}
