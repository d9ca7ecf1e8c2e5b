// The screen thread's view of the painter that draws display lists.

public import BarcodeTypes

/// Draws display lists into a picture that it owns: 32-bit pixels, alpha in the highest byte, premultiplied colours. Used by
/// one thread.
public protocol OverlayPainting: AnyObject {
  var panel: ScreenSize { get }

  /// Stores a grey picture for lists to refer to. The number is bounded; the oldest is replaced.
  func setImage(_ reference: ImageReference, luma: [UInt8], width: Int, height: Int)

  /// Stores a picture file; false if it cannot be read.
  func setImage(_ reference: ImageReference, pngFile path: String) -> Bool

  /// Draws the differences from the previously drawn list.
  ///
  /// - Returns: regions in which pixels may have changed.
  func paint(_ list: DisplayList) -> [PixelRegion]

  /// Lends the picture.
  func withPixels(_ body: (UnsafePointer<UInt32>, _ bytesPerRow: Int) -> Void)
}
