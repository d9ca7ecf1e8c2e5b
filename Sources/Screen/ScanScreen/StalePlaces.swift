// The parts of a panel's buffer that are out of date. Buffers are shown alternately, so each must receive the changes of all
// pictures since its last update. These overlap when an outline moves a little, and display memory is slow, so each pixel is
// copied once.

public import BarcodeTypes

/// Changes of the picture since a buffer was last updated.
public struct StalePlaces {
  /// Bands of changes that may wait: two drawings with the most regions that a painter redraws separately, each over several
  /// bands. Beyond that, the whole picture is copied.
  static let spanCountMax = 4096

  private let panel: ScreenSize
  private var bands: DamageBands

  public init(panel: ScreenSize) {
    self.panel = panel
    bands = DamageBands(panel: panel)
  }

  /// Adds changes of the picture; parts outside the panel are ignored.
  public mutating func add(_ changes: [PixelRegion]) {
    for region in changes { bands.add(region) }
    guard bands.spanCount > Self.spanCountMax else { return }
    bands.removeAll()
    bands.add(PixelRegion(x: 0, y: 0, width: panel.width, height: panel.height))
  }

  /// Copies all changes from the picture to the buffer, which is then up to date.
  ///
  /// - Parameters:
  ///   - picture: the first pixel of the panel's picture, with `pixelsPerRow` pixels per row.
  ///   - buffer: the first pixel of the buffer, with `bufferPixelsPerRow` pixels per row.
  /// - Returns: the number of pixels copied.
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
