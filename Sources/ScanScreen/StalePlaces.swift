// What one of the buffers of a panel does not show yet. Buffers are shown by turns, so each has to be given the changes of
// all pictures since it was drawn into; these lie over each other where an outline moves a little, and display memory is slow:
// each pixel is copied once.

public import BarcodeTypes

/// What has changed in the picture since a buffer was drawn into.
public struct StalePlaces {
  /// Bands of changes that may wait: two drawings of as many regions as a painter redraws one by one, each over some bands.
  /// More of them, and all is copied.
  static let spanCountMax = 4096

  private let panel: ScreenSize
  private var bands: DamageBands

  public init(panel: ScreenSize) {
    self.panel = panel
    bands = DamageBands(panel: panel)
  }

  /// Adds what has changed in the picture; what lies outside of the panel is left out.
  public mutating func add(_ changes: [PixelRegion]) {
    for region in changes { bands.add(region) }
    guard bands.spanCount > Self.spanCountMax else { return }
    bands.removeAll()
    bands.add(PixelRegion(x: 0, y: 0, width: panel.width, height: panel.height))
  }

  /// Copies all that has changed from the picture into the buffer, which is up to date then.
  ///
  /// - Parameters:
  ///   - picture: the first pixel of the panel's picture, `pixelsPerRow` of them a row.
  ///   - buffer: the first pixel of the buffer, `bufferPixelsPerRow` of them a row.
  /// - Returns: how many pixels were copied.
  @discardableResult
  public mutating func copy(
    from picture: UnsafePointer<UInt32>, pixelsPerRow: Int, to buffer: UnsafeMutablePointer<UInt32>,
    bufferPixelsPerRow: Int
  ) -> Int {
    var count = 0
    for region in bands.regions(countMax: Self.spanCountMax) {
      for y in region.y..<region.y + region.height {
        (buffer + y * bufferPixelsPerRow + region.x)
          .update(from: picture + y * pixelsPerRow + region.x, count: region.width)
      }
      count += region.width * region.height
    }
    bands.removeAll()
    return count
  }
}
