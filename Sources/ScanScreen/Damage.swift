// What has to be drawn again when one list follows another: the places of what has gone and of what has come. While nothing
// changes there is nothing to draw.

public import BarcodeTypes

extension DisplayList {
  /// Rectangles that are redrawn one by one; more of them are drawn as one around all.
  public static let damageCountMax = 8

  /// The pixels of the panel in which this list may look different from the one before; all of them if there was none, or
  /// one of another panel.
  public func damage(since before: DisplayList?) -> [PixelRegion] {
    guard let before, before.panel == panel else {
      return [PixelRegion(x: 0, y: 0, width: panel.width, height: panel.height)]
    }
    var places = Self.changes(before.overlay, overlay)
    if before.turn == turn {
      places += Self.changes(before.controls, controls).map { Self.panelRect($0, turn: turn, panel: panel) }
    } else {
      places += before.controls.map { Self.panelRect($0.bounds, turn: before.turn, panel: panel) }
      places += controls.map { Self.panelRect($0.bounds, turn: turn, panel: panel) }
    }
    return Self.merged(places.compactMap(pixels))
  }

  /// The bounds of items that are in one list and not, in the same order, in the other.
  private static func changes(_ before: [DisplayItem], _ after: [DisplayItem]) -> [ScreenRect] {
    var places: [ScreenRect] = []
    var kept = before.startIndex
    for item in after {
      if let match = before[kept...].firstIndex(of: item) {
        places += before[kept..<match].map(\.bounds)
        kept = match + 1
      } else {
        places.append(item.bounds)
      }
    }
    return places + before[kept...].map(\.bounds)
  }

  /// Whole pixels of the panel around a rectangle, one more on each side for what drawing smooths; nil if there are none.
  private func pixels(around rect: ScreenRect) -> PixelRegion? {
    guard rect.width.isFinite, rect.height.isFinite else { return nil }
    let left = Int(max(0, rect.x.rounded(.down) - 1))
    let top = Int(max(0, rect.y.rounded(.down) - 1))
    let right = Int(min(Double(panel.width), rect.right.rounded(.up) + 1))
    let bottom = Int(min(Double(panel.height), rect.bottom.rounded(.up) + 1))
    guard left < right, top < bottom else { return nil }
    return PixelRegion(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// Rectangles that meet, joined, until none do.
  private static func merged(_ regions: [PixelRegion]) -> [PixelRegion] {
    var merged: [PixelRegion] = []
    for region in regions {
      var region = region
      while let index = merged.firstIndex(where: { $0.meets(region) }) { region = region.union(merged.remove(at: index)) }
      merged.append(region)
    }
    guard merged.count > damageCountMax else { return merged }
    return [merged.dropFirst().reduce(merged[0]) { $0.union($1) }]
  }
}

extension PixelRegion {
  fileprivate func meets(_ other: PixelRegion) -> Bool {
    x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
  }

  fileprivate func union(_ other: PixelRegion) -> PixelRegion {
    let left = min(x, other.x)
    let top = min(y, other.y)
    return PixelRegion(
      x: left, y: top, width: max(x + width, other.x + other.width) - left,
      height: max(y + height, other.y + other.height) - top)
  }
}
